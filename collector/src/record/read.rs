//! Reading a record: whole, cut off, or not one at all.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use serde_json::Value;

use super::{
    Frame, Header, Line, Trailer, check,
    error::{Fault, ReadError},
};

/// Longer lines than any record has: 8192 CPUs with three full histograms each
/// come to less. It bounds the memory that a foreign file can take.
const LONGEST_LINE: u64 = 512 << 20;

/// A whole record in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its first line.
    pub header: Header,
    /// All complete frames.
    pub frames: Vec<Frame>,
    /// Its last line; none in a record that was cut.
    pub trailer: Option<Trailer>,
}

/// Reads a whole record; `-` is standard input. All frames are kept, so use
/// [`Reader`] where a summary will do.
pub fn read(path: &Path) -> Result<Record, ReadError> {
    let mut reader = Reader::open(path)?;
    let mut frames = Vec::new();
    while let Some(frame) = reader.frame()? {
        frames.push(frame);
    }
    let (header, trailer) = reader.into_ends();
    Ok(Record { header, frames, trailer })
}

/// Reads a record frame by frame, so that one of any size fits into memory.
pub struct Reader {
    lines: Lines,
    header: Header,
    trailer: Option<Trailer>,
    ended: bool,
}

impl Reader {
    /// Opens a record and reads its header; `-` is standard input.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        if path == Path::new("-") {
            return Self::new(io::stdin(), "standard input");
        }
        let name = path.display().to_string();
        match File::open(path).and_then(|file| Ok((file.metadata()?.is_dir(), file))) {
            Ok((false, file)) => Self::new(file, &name),
            Ok((true, _)) => Err(ReadError { name, fault: Fault::Directory }),
            Err(error) => Err(ReadError { name, fault: Fault::Io(error) }),
        }
    }

    /// Reads a record from anything that gives bytes; `name` is for messages.
    pub fn new(source: impl Read + 'static, name: &str) -> Result<Self, ReadError> {
        let mut lines = Lines { source: BufReader::new(Box::new(source)), name: name.to_owned(), number: 0 };
        let header = lines.header().map_err(|fault| lines.error(fault))?;
        Ok(Self { lines, header, trailer: None, ended: false })
    }

    /// The first line.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The next complete frame; none at the end of the record, be it whole or cut.
    pub fn frame(&mut self) -> Result<Option<Frame>, ReadError> {
        if self.ended {
            return Ok(None);
        }
        match self.lines.frame(&mut self.trailer) {
            Ok(Some(frame)) => Ok(Some(frame)),
            Ok(None) => {
                self.ended = true;
                Ok(None)
            }
            Err(fault) => {
                self.ended = true;
                Err(self.lines.error(fault))
            }
        }
    }

    /// Header and trailer, once all frames are read. Without a trailer the record was cut.
    pub fn into_ends(self) -> (Header, Option<Trailer>) {
        (self.header, self.trailer)
    }
}

/// The lines of a file.
struct Lines {
    source: BufReader<Box<dyn Read>>,
    name: String,
    /// Of the line read last, from 1.
    number: u64,
}

impl Lines {
    fn error(&self, fault: Fault) -> ReadError {
        ReadError { name: self.name.clone(), fault }
    }

    /// The next line that is not blank, and whether it is complete, that is, ends
    /// with a line break. None at the end.
    fn next(&mut self) -> Result<Option<(Vec<u8>, bool)>, Fault> {
        loop {
            let mut line = Vec::new();
            (&mut self.source).take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(Fault::Io)?;
            if line.is_empty() {
                return Ok(None);
            }
            self.number += 1;
            if !line.iter().all(u8::is_ascii_whitespace) {
                let complete = line.ends_with(b"\n");
                return Ok(Some((line, complete)));
            }
        }
    }

    fn damaged(&self, what: impl Into<String>) -> Fault {
        Fault::Damaged { line: self.number, before: self.number.saturating_sub(1), what: what.into() }
    }

    fn header(&mut self) -> Result<Header, Fault> {
        let start = self.source.fill_buf().map_err(Fault::Io)?;
        // Told apart before a line is looked for: there may be none in gigabytes.
        check::foreign(start)?;
        let (line, complete) = self.next()?.ok_or(Fault::Empty)?;
        let value: Value = match serde_json::from_slice(&line) {
            Ok(value) => value,
            Err(error) if !complete && error.is_eof() && check::may_be_header(&line) => return Err(Fault::CutHeader),
            Err(error) => return Err(Fault::Foreign(check::sentence(&error))),
        };
        check::header(&value)?;
        match serde_json::from_slice(&line) {
            Ok(Line::Header(header)) => Ok(*header),
            Ok(_) => Err(Fault::Foreign("is not the header of a record".to_owned())),
            Err(error) => Err(Fault::Foreign(format!("is a damaged header ({})", check::sentence(&error)))),
        }
    }

    /// The next frame; at the end none, with `trailer` filled in if there is one.
    fn frame(&mut self, trailer: &mut Option<Trailer>) -> Result<Option<Frame>, Fault> {
        let Some((line, complete)) = self.next()? else { return Ok(None) };
        match serde_json::from_slice(&line) {
            Ok(Line::Frame(frame)) => {
                check::frame(&frame).map_err(|what| self.damaged(what))?;
                Ok(Some(*frame))
            }
            Ok(Line::Trailer(end)) => {
                *trailer = Some(*end);
                match self.next()? {
                    None => Ok(None),
                    Some(_) => Err(self.after_end()),
                }
            }
            Ok(Line::Header(_)) => Err(self.after_end()),
            // A line without its line break was being written when the collector or
            // the machine ended; the latter may leave zeros or half a character.
            Err(error) if !complete && !error.is_data() && (line.len() as u64) < LONGEST_LINE => Ok(None),
            Err(error) => Err(self.damaged(check::sentence(&error))),
        }
    }

    const fn after_end(&self) -> Fault {
        Fault::AfterEnd { line: self.number, before: self.number.saturating_sub(1) }
    }
}
