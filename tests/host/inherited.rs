//! What the command gets from us, and what not.

use std::process::Stdio;

use libtest_mimic::Trial;

use super::support::{Helper, Lines, command, first_cpu, ignored, test};

pub fn tests() -> Vec<Trial> {
    vec![
        test("inherited::closed_pipe_ends_it", closed_pipe_ends_it),
        test("inherited::signals_are_clean", signals_are_clean),
        test("inherited::own_group", own_group),
        test("inherited::cpus_are_given_back", cpus_are_given_back),
        test("inherited::standard_streams", standard_streams),
        test("inherited::environment", environment),
        test("inherited::no_descriptor_of_ours", no_descriptor_of_ours),
    ]
}

/// Rust programs ignore SIGPIPE; their children must not.
fn closed_pipe_ends_it() {
    let mut child = command(&["supervise", "--", "yes"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(128 + libc::SIGPIPE));
    // And in a pipe of its own.
    let mut helper = Helper::script("{ yes; echo \"code $?\" >&2; } | head -n 1");
    assert_eq!(helper.err.expect("code "), "141");
    assert_eq!(helper.code(), 0);
}

fn signals_are_clean() {
    let mut helper = Helper::supervise(&["--block", "15", "--block", "10", "--", "cat", "/proc/self/status"]);
    assert_eq!(helper.out.expect("SigBlk:"), "0000000000000000");
    assert_eq!(helper.out.expect("SigIgn:"), ignored(&[]));
    assert_eq!(helper.out.expect("SigCgt:"), "0000000000000000");
    assert_eq!(helper.code(), 0);
}

fn own_group() {
    let mut helper = Helper::supervise(&["--", "cat", "/proc/self/stat"]);
    let pid: u32 = helper.err.number("pid ");
    let stat = helper.out.expect("");
    let group = stat.rsplit_once(") ").unwrap().1.split(' ').nth(2).unwrap();
    assert_eq!(group, pid.to_string());
}

/// The CPUs that a status file allows.
fn allowed(out: &mut Lines) -> String {
    out.expect("Cpus_allowed_list:")
}

fn cpus_are_given_back() {
    let list = allowed(&mut Helper::supervise(&["--", "cat", "/proc/self/status"]).out);
    let first = &*first_cpu();
    let mut narrowed =
        Helper::supervise(&["--narrow-to", first, "--", "sh", "-c", "cat /proc/$PPID/status /proc/$$/status"]);
    assert_eq!(allowed(&mut narrowed.out), first, "the collector's own");
    assert_eq!(allowed(&mut narrowed.out), list, "the command's");
}

fn standard_streams() {
    let (reader, writer) = std::io::pipe().unwrap();
    let mut helper = Helper::start(command(&["supervise", "--", "sh", "-c", "cat; echo to stderr >&2"]).stdin(reader));
    std::io::Write::write_all(&mut &writer, b"through cat\n").unwrap();
    drop(writer);
    assert_eq!(helper.out.rest(), ["through cat"]);
    helper.err.expect("to stderr");
    assert_eq!(helper.code(), 0);
}

fn environment() {
    let mut helper = Helper::start(
        command(&["supervise", "--env", "ADDED", "1", "--env", "CHANGED", "new", "--", "env"])
            .env("CHANGED", "old")
            .env("KEPT", "2"),
    );
    let lines = helper.out.rest();
    let mut ours: Vec<_> =
        lines.iter().filter(|line| ["ADDED", "CHANGED", "KEPT"].iter().any(|name| line.starts_with(name))).collect();
    ours.sort();
    assert_eq!(ours, ["ADDED=1", "CHANGED=new", "KEPT=2"]);
}

fn no_descriptor_of_ours() {
    let count = |helper: &mut Helper| helper.out.rest().len();
    let direct = count(&mut Helper::start(std::process::Command::new("ls").arg("/proc/self/fd").stdin(Stdio::null())));
    assert_eq!(count(&mut Helper::supervise(&["--", "ls", "/proc/self/fd"])), direct);
}
