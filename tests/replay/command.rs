//! `collector report` as a command.

use std::process::{Command, Stdio};

use assert_cmd::cargo::cargo_bin;

use crate::synthetic::launch;

fn report() -> Command {
    let mut command = Command::new(cargo_bin!("collector"));
    command.arg("report").env("LC_ALL", "C.UTF-8").env_remove("NO_COLOR");
    command
}

/// Exit code, stdout, stderr.
fn outcome(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_file_and_a_pipe_give_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    launch(2, 3).write(&path);
    let (code, from_file, stderr) = outcome(report().arg(&path));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(from_file.starts_with("collector 0.1.0: run-queue latency\n"), "{from_file}");
    assert!(!from_file.contains('\x1b'), "no colour in a pipe");
    let (code, from_pipe, _) = outcome(report().arg("-").stdin(std::fs::File::open(&path).unwrap()));
    assert_eq!((code, from_pipe), (0, from_file));

    let (code, json, stderr) = outcome(report().args(["--format", "json"]).arg(&path));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap()["format"], "collector-report");
}

#[test]
fn width_locale_and_cpu_are_heeded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    launch(2, 3).write(&path);
    let (_, narrow, _) = outcome(report().args(["--width", "80"]).arg(&path));
    assert!(narrow.lines().all(|line| line.chars().count() <= 80));
    let (_, ascii, _) = outcome(report().env("LC_ALL", "C").arg(&path));
    assert!(ascii.is_ascii());
    let (_, one, _) = outcome(report().args(["--cpu", "1"]).arg(&path));
    assert!(one.contains("Distribution of run-queue latency, CPU 1"), "{one}");
    let (code, stdout, stderr) = outcome(report().args(["--cpu", "5"]).arg(&path));
    assert_eq!((code, stdout.as_str()), (125, ""));
    assert_eq!(stderr, "collector: there is no CPU 5 in this record; it has 0-1\n");
}

#[test]
fn what_is_no_record_is_one_sentence_and_125() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    for bytes in ["", "hello\n", "{}\n"] {
        std::fs::write(&path, bytes).unwrap();
        let (code, stdout, stderr) = outcome(report().arg(&path));
        assert_eq!((code, stdout.as_str(), stderr.lines().count()), (125, "", 1), "{stderr}");
    }
    let (code, _, stderr) = outcome(report().arg(directory.path()));
    assert_eq!((code, stderr.lines().count()), (125, 1), "{stderr}");
}

#[test]
fn a_reader_that_leaves_is_success() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    launch(300, 2).write(&path);
    let mut child =
        report().args(["--format", "json"]).arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
