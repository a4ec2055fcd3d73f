//! Runs of `collector run`, and what came of them.

use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
    process::{Command, Stdio},
};

use collector::{
    engine::summary::Summary,
    record::read::{Record, read},
};
use tempfile::TempDir;

use super::{process::Process, sound};

/// The program under test.
pub const COLLECTOR: &str = env!("CARGO_BIN_EXE_collector");

/// A run that is to be.
pub struct Run {
    under: Vec<OsString>,
    options: Vec<OsString>,
    command: Vec<OsString>,
}

fn owned(words: impl IntoIterator<Item: AsRef<OsStr>>) -> Vec<OsString> {
    words.into_iter().map(|word| word.as_ref().to_owned()).collect()
}

/// Runs `collector run OPTIONS -- COMMAND` to its end.
#[track_caller]
pub fn run(options: &[&str], command: &[&str]) -> Outcome {
    Run::new(options, command).start().finish()
}

/// This program as a helper, see [`super::helper`].
pub fn helper<'a>(args: &[&'a str]) -> Vec<&'a str> {
    static SELF: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    let own = SELF.get_or_init(|| std::env::current_exe().unwrap().into_os_string().into_string().unwrap());
    [own.as_str(), "--helper"].into_iter().chain(args.iter().copied()).collect()
}

impl Run {
    /// `collector run OPTIONS -- COMMAND`; without a command where that is empty.
    pub fn new(options: &[&str], command: &[&str]) -> Self {
        Self { under: Vec::new(), options: owned(options), command: owned(command) }
    }

    /// Has another program run the collector: `PROGRAM ARGS… collector run …`.
    pub fn under(mut self, program: impl IntoIterator<Item: AsRef<OsStr>>) -> Self {
        self.under = owned(program);
        self
    }

    /// Starts it, with a record.
    pub fn start(self) -> Running {
        let dir = TempDir::new().unwrap();
        let record = dir.path().join("r.jsonl");
        let mut words = self.under;
        words.extend(owned([COLLECTOR, "run", "-o"]));
        words.push(record.clone().into());
        words.extend(self.options);
        if !self.command.is_empty() {
            words.push("--".into());
            words.extend(self.command);
        }
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null());
        Running { process: Process::start(&mut command), record, dir }
    }
}

/// A run that goes on.
pub struct Running {
    /// The collector, or what runs it.
    pub process: Process,
    /// The record.
    pub record: PathBuf,
    /// Where the record is.
    pub dir: TempDir,
}

impl Running {
    /// Waits for the line that says that tracing has begun.
    #[track_caller]
    pub fn ready(self) -> Self {
        self.process.err.expect("collector: ready");
        self
    }

    /// Waits for the end.
    #[track_caller]
    pub fn finish(mut self) -> Outcome {
        let code = self.process.code();
        let (stdout, stderr) = (self.process.out.rest(), self.process.err.rest());
        let bytes = std::fs::read(&self.record).unwrap_or_default();
        let record = read(&self.record).unwrap_or_else(|error| panic!("{error}\ncode {code}, stderr: {stderr}"));
        let summary = Summary::new(&record.header, &record.frames, record.trailer.as_ref());
        sound::check(&bytes, &record, &summary);
        Outcome { code, stdout, stderr, record, summary }
    }
}

/// What came of a run. Its record is sound: see [`sound::check`].
pub struct Outcome {
    /// The exit code of the collector, or of what ran it.
    pub code: i32,
    /// Standard output: the command's.
    pub stdout: String,
    /// Standard error: the command's, and the collector's own words.
    pub stderr: String,
    /// The record.
    pub record: Record,
    /// The record summed up.
    pub summary: Summary,
}
