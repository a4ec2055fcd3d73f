//! Where a run's record and reports go. Files are opened before the run.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use super::say::say;
use crate::{
    output::{self, Format, Report},
    record::{
        Frame, Header, Trailer,
        write::{WriteError, Writer},
    },
};

/// One file to write, `-o FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sink {
    /// The record, as it comes.
    Record(PathBuf),
    /// A report, at the end.
    Report(PathBuf, Format),
}

impl Sink {
    /// What a file name asks for: `.txt` and `.json` a report, `.jsonl` or a name
    /// without an extension the record.
    ///
    /// # Errors
    ///
    /// One sentence, for an extension that is no format of this program.
    pub fn by_name(path: &Path) -> Result<Self, String> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            None | Some("jsonl" | "ndjson") => Ok(Self::Record(path.to_owned())),
            Some("json") => Ok(Self::Report(path.to_owned(), Format::Json)),
            Some("txt") => Ok(Self::Report(path.to_owned(), Format::Text)),
            Some(other) => Err(format!(
                "{}: no format is known by the extension .{other}; give a name that ends in .jsonl (record), .txt or .json (report)",
                path.display()
            )),
        }
    }
}

/// The open files of a run.
pub struct Sinks {
    records: Vec<Writer>,
    reports: Vec<ReportFile>,
}

/// A report's file, opened for a run that may never begin.
struct ReportFile {
    path: PathBuf,
    format: Format,
    file: File,
    /// Whether it was made here and nothing is in it: it is removed again then.
    unused: bool,
}

impl ReportFile {
    fn open(path: &Path, format: Format) -> std::io::Result<Self> {
        let (file, unused) = match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => (file, true),
            // Not truncated: the run may still fail to begin.
            Err(_) => (OpenOptions::new().write(true).create(true).truncate(false).open(path)?, false),
        };
        Ok(Self { path: path.to_owned(), format, file, unused })
    }

    fn write(&mut self, report: &Report<'_>) -> anyhow::Result<()> {
        let bytes = output::render(self.format, report, None)?;
        if self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.unused = false;
        Ok(self.file.write_all(&bytes)?)
    }
}

impl Drop for ReportFile {
    fn drop(&mut self) {
        if self.unused {
            // Nobody is left to tell, and an empty file does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Sinks {
    /// Opens all files.
    ///
    /// # Errors
    ///
    /// One sentence on the first that cannot be opened.
    pub fn open(sinks: &[Sink]) -> anyhow::Result<Self> {
        let mut open = Self { records: Vec::new(), reports: Vec::new() };
        for sink in sinks {
            match sink {
                Sink::Record(path) => open.records.push(Writer::create(path)?),
                Sink::Report(path, format) => {
                    let file = ReportFile::open(path, *format).map_err(|error| {
                        anyhow::anyhow!(
                            "cannot write a report to {}: {error}; give a file that may be written",
                            path.display()
                        )
                    })?;
                    open.reports.push(file);
                }
            }
        }
        Ok(open)
    }

    /// The run begins.
    pub fn begin(&mut self, header: &Header) {
        for record in &mut self.records {
            told(record.begin(header.clone()));
        }
    }

    /// A frame is complete.
    pub fn frame(&mut self, frame: &Frame) {
        for record in &mut self.records {
            told(record.frame(frame.clone()));
        }
    }

    /// The run has ended: trailers and reports. Returns whether all was written.
    pub fn end(mut self, trailer: &Trailer, report: &Report<'_>) -> bool {
        for record in &mut self.records {
            told(record.end(trailer.clone()));
        }
        let mut whole = !self.records.iter().any(Writer::failed);
        for file in &mut self.reports {
            if let Err(error) = file.write(report) {
                say(format_args!("cannot write the report to {}: {error:#}", file.path.display()));
                whole = false;
            }
        }
        whole
    }
}

/// The writer reports its first failure once; the run goes on.
fn told(result: Result<(), WriteError>) {
    if let Err(error) = result {
        say(error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_wanted() {
        let by = |name: &str| Sink::by_name(Path::new(name));
        assert_eq!(by("r.jsonl"), Ok(Sink::Record("r.jsonl".into())));
        assert_eq!(by("r"), Ok(Sink::Record("r".into())));
        assert_eq!(by("r.json"), Ok(Sink::Report("r.json".into(), Format::Json)));
        assert_eq!(by("a.b/r.txt"), Ok(Sink::Report("a.b/r.txt".into(), Format::Text)));
        assert!(by("r.xml").unwrap_err().contains(".xml"));
    }
}
