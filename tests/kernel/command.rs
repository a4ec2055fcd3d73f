//! How the command ends, or does not begin, and with which exit code.

use std::{fs, os::unix::fs::PermissionsExt};

use collector::record::EndReason;
use libtest_mimic::Trial;

use super::{harness::run, needs::test};

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

fn not_found_is_127() {
    does_not_begin("no-such-command", 127);
    does_not_begin("./no-such-command", 127);
}

fn not_executable_is_126() {
    let dir = tempfile::tempdir().unwrap();
    does_not_begin(dir.path().to_str().unwrap(), 126);
    let file = dir.path().join("file");
    fs::write(&file, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    does_not_begin(file.to_str().unwrap(), 126);
}
