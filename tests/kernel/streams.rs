//! The command's stdin, stdout and stderr are its own.

use libtest_mimic::Trial;

use super::{
    harness::{Run, run},
    needs::test,
};

pub fn tests() -> Vec<Trial> {
    vec![
        test("streams::stdin_reaches_the_command", &[], stdin_reaches_the_command),
        test("streams::a_gigabyte_goes_through", &[], a_gigabyte_goes_through),
        test("streams::command_may_close_stdout", &[], command_may_close_stdout),
        test("streams::reader_may_close_stdout", &[], reader_may_close_stdout),
        test("streams::reader_may_close_stderr", &[], reader_may_close_stderr),
    ]
}

/// Has a shell run the collector as `"$@"`.
fn in_shell(script: &str, command: &[&str]) -> super::harness::Outcome {
    Run::new(&[], command).under(["sh", "-c", script, "sh"]).start().finish()
}

fn stdin_reaches_the_command() {
    let outcome = in_shell("echo hello | \"$@\"", &["cat"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "hello\n"), "stdout is the command's alone");
    assert!(outcome.stderr.contains("Reconciliation"), "{}", outcome.stderr);
}

fn a_gigabyte_goes_through() {
    let outcome = in_shell("\"$@\" | wc -c", &["head", "-c", "1G", "/dev/zero"]);
    assert_eq!((outcome.code, outcome.stdout.trim()), (0, "1073741824"), "{}", outcome.stderr);
}

fn command_may_close_stdout() {
    let outcome = run(&[], &["sh", "-c", "echo first; exec >&-; sleep .1; exit 3"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (3, "first\n"), "{}", outcome.stderr);
}

/// The command dies of it, as it would without the collector.
fn reader_may_close_stdout() {
    let outcome = in_shell("{ \"$@\"; echo \"code $?\" >&2; } | head -n 1", &["yes"]);
    assert_eq!(outcome.stdout, "y\n");
    assert!(outcome.stderr.ends_with("code 141\n"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("Reconciliation"), "{}", outcome.stderr);
}

/// Nobody reads what the collector says: the run goes on, and its code is the command's.
fn reader_may_close_stderr() {
    let outcome = in_shell(
        "{ { \"$@\" 2>&1 >&3 3>&-; echo \"code $?\" >&3; } | true; } 3>&1",
        &["sh", "-c", "sleep .2; echo done; exit 5"],
    );
    assert_eq!(outcome.stdout, "done\ncode 5\n", "{}", outcome.stderr);
}
