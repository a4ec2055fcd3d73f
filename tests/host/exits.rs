//! How a command ends, or does not begin, and the exit code for it.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use tempfile::TempDir;

use super::support::{Helper, first_cpu, test};

pub fn tests() -> Vec<Trial> {
    vec![
        test("exits::own_code", own_code),
        test("exits::signal", signal),
        test("exits::not_found", not_found),
        test("exits::not_executable", not_executable),
        test("exits::not_a_program", not_a_program),
        test("exits::earlier_denied_file_is_named", earlier_denied_file_is_named),
        test("exits::our_failures", our_failures),
        test("exits::zombie_has_its_account", zombie_has_its_account),
    ]
}

fn own_code() {
    assert_eq!(Helper::supervise(&["--", "true"]).code(), 0);
    assert_eq!(Helper::script("exit 3").code(), 3);
    assert_eq!(Helper::script("exit 255").code(), 255);
}

fn signal() {
    assert_eq!(Helper::script("kill -9 $$").code(), 137);
    assert_eq!(Helper::script("kill -TERM $$").code(), 143);
}

/// The exit code and the sentence of a command that cannot be started.
fn refused(args: &[&str]) -> (i32, String) {
    let mut helper = Helper::supervise(args);
    let sentence = helper.err.expect("error ");
    (helper.code(), sentence)
}

#[track_caller]
fn assert_refused(args: &[&str], code: i32, part: &str) {
    let (got, sentence) = refused(args);
    assert_eq!(got, code, "{sentence}");
    assert!(sentence.contains(part), "`{part}` is not in: {sentence}");
}

fn not_found() {
    assert_refused(&["--", "no-such-command-anywhere"], 127, "no-such-command-anywhere: command not found");
    assert_refused(&["--", "./no-such-file"], 127, "there is no such file");
    assert_refused(&["--", ""], 127, "command not found");
}

/// A file with this content and mode. Written by another process: a fork of this one
/// that another test makes meanwhile would hold it open, and the kernel refuse to run it.
fn file(dir: &TempDir, name: &str, content: &str, mode: &str) -> PathBuf {
    let path = dir.path().join(name);
    let script = "printf %s \"$1\" > \"$2\" && chmod \"$3\" \"$2\"";
    let written = Command::new("sh").args(["-c", script, "sh", content]).arg(&path).arg(mode).status().unwrap();
    assert!(written.success());
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn not_executable() {
    let dir = TempDir::new().unwrap();
    let plain = file(&dir, "plain", "#!/bin/sh\n", "644");
    assert_refused(&["--", text(&plain)], 126, "chmod +x");
    assert_refused(&["--", text(dir.path())], 126, "it is a directory");
    assert_refused(&["--", &format!("{}/below", text(&plain))], 126, "cannot be executed");
}

fn not_a_program() {
    let dir = TempDir::new().unwrap();
    let script = file(&dir, "script", "echo ran; exit 0\n", "755");
    assert_refused(&["--", text(&script)], 126, "#!/bin/sh");
    let orphan = file(&dir, "orphan", "#!/no/such/interpreter\n", "755");
    assert_refused(&["--", text(&orphan)], 126, "interpreter");
}

fn earlier_denied_file_is_named() {
    let (first, second) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let denied = file(&first, "tool", "#!/bin/sh\nexit 1\n", "644");
    let path = format!("{}:{}", text(first.path()), text(second.path()));
    let only_denied = refused(&["--env", "PATH", &path, "--", "tool"]);
    assert_eq!(only_denied.0, 126);
    assert!(only_denied.1.contains(text(&denied)), "{}", only_denied.1);
    // A later one that runs is found past it.
    file(&second, "tool", "#!/bin/sh\nexit 7\n", "755");
    assert_eq!(Helper::supervise(&["--env", "PATH", &path, "--", "tool"]).code(), 7);
}

fn our_failures() {
    assert_refused(&["--"], 125, "no command was given");
    assert_refused(&["--user", "no-such-user-here", "--", "true"], 125, "unknown user `no-such-user-here`");
    assert_refused(&["--impossible-cpus", "--", "true"], 125, "giving it back its CPUs");
}

fn zombie_has_its_account() {
    // Shares its one CPU with a hog, so that it has to wait; then reads its own account.
    let script =
        "while :; do :; done & i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; kill $!; cat /proc/$$/schedstat";
    let mut helper = Helper::supervise(&["--keep-to", &first_cpu(), "--inspect", "--", "sh", "-c", script]);
    let own: u64 = helper.out.expect("").split(' ').nth(1).unwrap().parse().unwrap();
    assert_eq!(helper.err.expect("zombie "), "Some('Z')");
    let delay: u64 = helper.err.number("delay ");
    assert!(own > 0 && delay >= own, "{own} ns while it ran, {delay} ns at its end");
    assert_eq!(helper.err.expect("reaped "), "None");
    assert_eq!(helper.code(), 0);
}
