//! What can be wrong with a file that is read as a record.

use std::io;

use thiserror::Error;

use super::SCHEMA_VERSION;

/// Why a record cannot be read: one sentence with what is wrong and what to do.
#[derive(Debug, Error)]
#[error("{name}: {fault}")]
pub struct ReadError {
    /// The file.
    pub name: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum Fault {
    /// It cannot be opened or read.
    #[error("{0}; give a file that `collector run -o FILE` wrote, or - for standard input")]
    Io(io::Error),
    /// It is a directory.
    #[error("this is a directory; give a file that `collector run -o FILE` wrote")]
    Directory,
    /// There is nothing in it.
    #[error("the file is empty: the run never began; give another, or run again")]
    Empty,
    /// It was compressed.
    #[error("this is a {0} archive; decompress it and pipe it to `collector report -`")]
    Compressed(&'static str),
    /// It is something else.
    #[error("not a collector record: line 1 {0}; give a file that `collector run -o FILE` wrote")]
    Foreign(String),
    /// It ends within its first line.
    #[error("the record was cut within its first line: nothing of the run is left; run again")]
    CutHeader,
    /// It was written by a later version.
    #[error(
        "the record has schema version {found} (written by {tool}), this collector reads up to version \
         {SCHEMA_VERSION}; read it with {tool}"
    )]
    Newer {
        /// The version of its schema.
        found: u64,
        /// The collector that wrote it.
        tool: String,
    },
    /// Its histograms have other buckets.
    #[error(
        "the record's histograms have other buckets than this collector's ({found}); read it with {tool}, \
         which wrote it"
    )]
    Buckets {
        /// Its parameters.
        found: String,
        /// The collector that wrote it.
        tool: String,
    },
    /// A line cannot be understood, and there are more after it.
    #[error(
        "line {line} is damaged ({what}); to see what was recorded before it, \
         `head -n {before} FILE | collector report -`"
    )]
    Damaged {
        /// The line, from 1.
        line: u64,
        /// How many lines are before it.
        before: u64,
        /// What is wrong.
        what: String,
    },
    /// Another record begins, or lines come after the end.
    #[error(
        "line {line} comes after the end of the record: two records in one file; split them, \
         `head -n {before} FILE | collector report -` shows the first"
    )]
    AfterEnd {
        /// The line, from 1.
        line: u64,
        /// How many lines are before it.
        before: u64,
    },
}
