//! How the command ends, or does not begin, and with which exit code.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
};

use collector::record::EndReason;
use libtest_mimic::Trial;

use super::{
    harness::{COLLECTOR, run},
    needs::test,
    process::Process,
};

pub fn tests() -> Vec<Trial> {
    vec![
        test("command::exit_code_is_its_own", &[], exit_code_is_its_own),
        test("command::not_found_is_127", &[], not_found_is_127),
        test("command::not_executable_is_126", &[], not_executable_is_126),
    ]
}

fn exit_code_is_its_own() {
    for code in [0, 1, 42, 255] {
        let outcome = run(&[], &["sh", "-c", &format!("exit {code}")]);
        assert_eq!(outcome.code, code, "{}", outcome.stderr);
        let trailer = outcome.record.trailer.unwrap();
        assert_eq!((trailer.reason, trailer.exit_code), (EndReason::Exited { code }, code));
    }
}

/// One sentence on it, and a whole record all the same.
#[track_caller]
fn does_not_begin(command: &str, code: i32) {
    let outcome = run(&[], &[command]);
    assert_eq!(outcome.code, code, "{}", outcome.stderr);
    let said: Vec<&str> = outcome.stderr.lines().filter(|line| line.starts_with("collector: ")).collect();
    assert!(said.len() == 2 && said[0].starts_with("collector: ready") && said[1].contains(command), "{said:?}");
    let reason = outcome.record.trailer.unwrap().reason;
    assert!(matches!(&reason, EndReason::NotStarted { exit_code, .. } if exit_code == &code), "{reason:?}");
}

/// One sentence, before anything begins: a record that is there stays.
fn not_found_is_127() {
    let dir = tempfile::tempdir().unwrap();
    let record = dir.path().join("r.jsonl");
    for command in ["no-such-command", "./no-such-command"] {
        fs::write(&record, "an older one").unwrap();
        let mut collector = Command::new(COLLECTOR);
        let mut run =
            Process::start(collector.args(["run", "-o"]).arg(&record).args(["--", command]).stdin(Stdio::null()));
        let said = run.err.rest();
        assert_eq!(run.code(), 127, "{said}");
        assert!(said.starts_with("collector: ") && said.contains(command) && said.lines().count() == 1, "{said}");
        assert_eq!(fs::read_to_string(&record).unwrap(), "an older one");
    }
}

fn not_executable_is_126() {
    let dir = tempfile::tempdir().unwrap();
    does_not_begin(dir.path().to_str().unwrap(), 126);
    let file = dir.path().join("file");
    fs::write(&file, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    does_not_begin(file.to_str().unwrap(), 126);
}
