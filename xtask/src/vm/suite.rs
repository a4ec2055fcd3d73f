//! The test binary that runs in the guest, and what it says.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::{build, child, paths::Paths, step};

/// Builds one of collector's test binaries, in release as the collector itself.
///
/// # Errors
/// When it does not build.
pub fn build(paths: &Paths, name: &str) -> Result<PathBuf> {
    let mut cargo: Command = build::host_cargo(paths);
    cargo
        .args(["test", "--release", "--locked", "--package", "collector", "--test", name, "--no-run"])
        .args(["--message-format", "json-render-diagnostics"])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    step::say(format_args!("building the tests `{name}`"));
    let output = cargo.output().context("could not run cargo")?;
    if !output.status.success() {
        bail!("building the tests `{name}` failed ({}): its messages are above", child::outcome(output.status));
    }
    executable(&String::from_utf8_lossy(&output.stdout), name)
        .with_context(|| format!("cargo does not say where it put the tests `{name}`"))
}

/// The test binary in cargo's messages, one JSON object a line.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|message| {
        let target = message.get("target")?;
        let is_it = target.get("name")? == name && target.get("kind")?.as_array()?.iter().any(|kind| kind == "test");
        is_it.then_some(())?;
        Some(PathBuf::from(message.get("executable")?.as_str()?))
    })
}

/// How one test ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
}

/// Ways for a test to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It was not done, and why.
    Ignored(String),
}

/// The tests of one guest.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tests(pub Vec<Test>);

impl Tests {
    /// Reads the log of the test binary. `None` where its closing line is missing, or
    /// counts other tests than there are lines.
    pub fn parse(log: &str) -> Option<Self> {
        let tests = Self(log.lines().filter_map(line).collect());
        let summary = log.lines().find_map(|line| line.strip_prefix("test result: "))?;
        let counted = |what: &str| {
            summary.split([';', '.']).find_map(|part| part.trim().strip_suffix(what)?.trim().parse::<usize>().ok())
        };
        let agree = counted("passed") == Some(tests.passed())
            && counted("failed") == Some(tests.failed())
            && counted("ignored") == Some(tests.ignored());
        agree.then_some(tests)
    }

    fn count(&self, is_it: impl Fn(&Outcome) -> bool) -> usize {
        self.0.iter().filter(|test| is_it(&test.outcome)).count()
    }

    /// How many passed.
    pub fn passed(&self) -> usize {
        self.count(|outcome| *outcome == Outcome::Passed)
    }

    /// How many failed.
    pub fn failed(&self) -> usize {
        self.count(|outcome| *outcome == Outcome::Failed)
    }

    /// How many were not done.
    pub fn ignored(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Ignored(_)))
    }
}

/// `test NAME ... OUTCOME`
fn line(line: &str) -> Option<Test> {
    let (name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let outcome = match outcome {
        "ok" => Outcome::Passed,
        "FAILED" => Outcome::Failed,
        other => {
            let reason = other.strip_prefix("ignored")?;
            let reason = reason.trim();
            Outcome::Ignored(reason.strip_prefix('(').and_then(|r| r.strip_suffix(')')).unwrap_or(reason).to_owned())
        }
    };
    Some(Test { name: name.trim().to_owned(), outcome })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_binary_in_cargos_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"collector","kind":["bin"]},"executable":"/c"}
{"reason":"compiler-artifact","target":{"name":"vm","kind":["lib"]},"executable":null}
{"reason":"compiler-artifact","target":{"name":"vm","kind":["test"]},"executable":"/t/vm-1"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages, "vm"), Some(PathBuf::from("/t/vm-1")));
        assert_eq!(executable(messages, "kernel"), None);
    }

    const LOG: &str = "
running 3 tests
test a::one     ... ok
test a::two     ... FAILED
test b::because ... ignored (no SMT here)

failures:
    a::two

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.23s
";

    #[test]
    fn reads_the_log() {
        let tests = Tests::parse(LOG).unwrap_or_default();
        let outcomes = [
            ("a::one", Outcome::Passed),
            ("a::two", Outcome::Failed),
            ("b::because", Outcome::Ignored("no SMT here".to_owned())),
        ];
        let expected = outcomes.map(|(name, outcome)| Test { name: name.to_owned(), outcome });
        assert_eq!(tests.0, expected);
    }

    #[test]
    fn a_log_that_breaks_off_is_none() {
        let (cut, _) = LOG.split_once("test result").unwrap_or_default();
        assert_eq!(Tests::parse(cut), None);
        assert_eq!(Tests::parse(&LOG.replace("1 passed", "2 passed")), None);
    }
}
