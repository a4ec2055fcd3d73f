//! The program, and what it answers.

use std::{
    ffi::OsStr,
    process::{Command, Output, Stdio},
};

use assert_cmd::cargo::cargo_bin;

/// What one command did.
#[derive(Debug)]
pub struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// `collector`, with nothing of this terminal's.
pub fn command() -> Command {
    of(cargo_bin!("collector"))
}

/// The same, from a copy of the program.
pub fn of(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).env_remove("COLLECTOR_LOG").env_remove("COLUMNS").env("LC_ALL", "C.UTF-8");
    command
}

/// Runs `collector ARGS` to its end.
pub fn answer(args: &[impl AsRef<OsStr>]) -> Answer {
    command().args(args).output().unwrap().into()
}

impl Answer {
    /// Its one sentence, where it is to be our own failure.
    #[track_caller]
    pub fn refusal(&self) -> &str {
        assert_eq!((self.code, self.stdout.as_str()), (125, ""), "{}", self.stderr);
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        self.stderr.trim_end().strip_prefix("collector: ").unwrap_or_else(|| panic!("{}", self.stderr))
    }
}
