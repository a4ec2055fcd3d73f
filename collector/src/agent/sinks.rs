//! Where a run's record and reports go. Files are opened before the run.

use std::{
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
    reports: Vec<(PathBuf, Format, std::fs::File)>,
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
                    // Not truncated: the run may still fail to begin.
                    let file =
                        std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(
                            |error| {
                                anyhow::anyhow!(
                                    "cannot write a report to {}: {error}; give a file that may be written",
                                    path.display()
                                )
                            },
                        )?;
                    open.reports.push((path.clone(), *format, file));
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
        for (path, format, file) in &mut self.reports {
            let written = output::render(*format, report, None)
                .and_then(|bytes| Ok(file.set_len(0).and_then(|()| file.write_all(&bytes))?));
            if let Err(error) = written {
                say(format_args!("cannot write the report to {}: {error:#}", path.display()));
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
