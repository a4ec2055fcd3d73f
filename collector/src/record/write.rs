//! Writing a record, line by line, as the run goes.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::fd::AsFd,
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{Frame, Header, Line, Trailer};

/// Why a record cannot be written, in one sentence.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The file cannot be opened.
    #[error("cannot write a record to {path}: {cause}; {remedy}")]
    Open {
        /// The file.
        path: String,
        /// Why.
        cause: io::Error,
        /// What to do.
        remedy: String,
    },
    /// A line could not be written. What was written before stays readable.
    #[error("the record in {path} ends here, after {lines} lines: {cause}; the run goes on without it")]
    Write {
        /// The file.
        path: String,
        /// How many lines were written whole.
        lines: u64,
        /// Why.
        cause: io::Error,
    },
}

/// Where the lines go.
enum Sink {
    /// A regular file; `created` says that it was not there before.
    Regular { file: File, path: PathBuf, created: bool },
    /// A pipe, a device, or whatever else takes bytes.
    Stream(Box<dyn Write + Send>),
}

/// Writes the lines of a record.
///
/// Each line goes out whole, with one call and no buffer behind it: whatever
/// becomes of the collector, the lines that were written are readable.
pub struct Writer {
    sink: Sink,
    name: String,
    lines: u64,
    failed: bool,
}

impl Writer {
    /// Opens `path` for a run that has not begun yet, so that a wrong path is known
    /// before anything is measured. `-` and `/dev/stdout` are standard output.
    ///
    /// What a regular file holds is kept until [`Writer::begin`]; a file that was
    /// made here for a run that then never began is removed again.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let name = path.display().to_string();
        let sink = open(path).map_err(|cause| {
            let remedy = remedy(path, &cause);
            WriteError::Open { path: name.clone(), cause, remedy }
        })?;
        Ok(Self { sink, name, lines: 0, failed: false })
    }

    /// Writes to anything that takes bytes; `name` is for messages.
    pub fn to(sink: impl Write + Send + 'static, name: &str) -> Self {
        Self { sink: Sink::Stream(Box::new(sink)), name: name.to_owned(), lines: 0, failed: false }
    }

    /// The run begins: what the file held before goes, the header is written.
    pub fn begin(&mut self, header: Header) -> Result<(), WriteError> {
        if let Sink::Regular { file, .. } = &self.sink
            && let Err(cause) = file.set_len(0)
        {
            return self.fail(cause);
        }
        self.line(&Line::Header(Box::new(header)))
    }

    /// Writes a frame.
    pub fn frame(&mut self, frame: Frame) -> Result<(), WriteError> {
        self.line(&Line::Frame(Box::new(frame)))
    }

    /// Writes the trailer: the record is whole.
    pub fn end(&mut self, trailer: Trailer) -> Result<(), WriteError> {
        self.line(&Line::Trailer(Box::new(trailer)))
    }

    /// Whether a line was lost. Nothing was written after it.
    pub const fn failed(&self) -> bool {
        self.failed
    }

    /// Writes one line. The first failure is returned, and nothing is written from
    /// then on: lines after a hole would be taken for a whole record.
    fn line(&mut self, line: &Line) -> Result<(), WriteError> {
        if self.failed {
            return Ok(());
        }
        let written = serde_json::to_vec(line).map_err(io::Error::from).and_then(|mut bytes| {
            bytes.push(b'\n');
            match &mut self.sink {
                Sink::Regular { file, .. } => file.write_all(&bytes),
                Sink::Stream(stream) => stream.write_all(&bytes).and_then(|()| stream.flush()),
            }
        });
        match written {
            Ok(()) => {
                self.lines += 1;
                Ok(())
            }
            Err(cause) => self.fail(cause),
        }
    }

    fn fail(&mut self, cause: io::Error) -> Result<(), WriteError> {
        self.failed = true;
        Err(WriteError::Write { path: self.name.clone(), lines: self.lines, cause })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if let Sink::Regular { path, created: true, .. } = &self.sink
            && self.lines == 0
        {
            // Nobody is left to tell, and an empty file does no harm.
            let _ = std::fs::remove_file(path);
        }
    }
}

fn open(path: &Path) -> io::Result<Sink> {
    // Opening `/dev/stdout` anew would start at the beginning of a file that the
    // shell opened, over what the command wrote, and fails where it is a socket.
    if path == Path::new("-") || path == Path::new("/dev/stdout") {
        return Ok(Sink::Stream(Box::new(File::from(io::stdout().as_fd().try_clone_to_owned()?))));
    }
    if path == Path::new("/dev/stderr") {
        return Ok(Sink::Stream(Box::new(File::from(io::stderr().as_fd().try_clone_to_owned()?))));
    }
    let (file, created) = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => (file, true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // `create` for a symbolic link whose target does not exist yet. Not
            // truncated: the run may still fail to begin.
            (OpenOptions::new().write(true).create(true).truncate(false).open(path)?, false)
        }
        // Directories and read-only file systems answer otherwise to `create_new`.
        Err(error) => return Err(error),
    };
    if file.metadata()?.is_file() {
        Ok(Sink::Regular { file, path: path.to_owned(), created })
    } else {
        Ok(Sink::Stream(Box::new(file)))
    }
}

/// What to do about a file that cannot be opened.
fn remedy(path: &Path, cause: &io::Error) -> String {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match (cause.kind(), parent) {
        (io::ErrorKind::IsADirectory, _) => format!("give a file in it, such as {}", path.join("run.jsonl").display()),
        (io::ErrorKind::NotFound, Some(parent)) if !parent.exists() => {
            format!("make the directory {} first", parent.display())
        }
        _ => "give a file that may be written, with -o FILE".to_owned(),
    }
}
