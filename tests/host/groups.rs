//! Several commands side by side.

use std::fs;
use std::process::Stdio;

use libtest_mimic::Trial;
use rustix::process::Signal;
use tempfile::TempDir;

use super::support::{Doomed, Helper, command, is_dead, kill, state, test, until};

pub fn tests() -> Vec<Trial> {
    vec![
        test("groups::first_code_in_order_counts", first_code_in_order_counts),
        test("groups::run_at_the_same_time", run_at_the_same_time),
        test("groups::all_are_waited_for", all_are_waited_for),
        test("groups::have_no_stdin_and_a_group_each", have_no_stdin_and_a_group_each),
        test("groups::signals_reach_all", signals_reach_all),
        test("groups::second_request_kills_all", second_request_kills_all),
        test("groups::what_one_left_behind_is_left_alone", what_one_left_behind_is_left_alone),
        test("groups::cap_ends_all_within_one_grace", cap_ends_all_within_one_grace),
        test("groups::put_down_kills_all", put_down_kills_all),
    ]
}

/// A collector of these shell commands.
fn side_by_side(options: &[&str], commands: &[&str]) -> Helper {
    let groups = commands.iter().flat_map(|command| ["--group", command]);
    Helper::supervise(&options.iter().copied().chain(groups).chain(["--"]).collect::<Vec<_>>())
}

fn first_code_in_order_counts() {
    let mut helper = side_by_side(&[], &["exit 0", "sleep .1; exit 4", "kill -9 $$", "exit 3"]);
    assert_eq!(helper.err.expect("ended "), "[Exited(0), Exited(4), Signaled(9), Exited(3)]");
    assert_eq!(helper.code(), 4);
    assert_eq!(side_by_side(&[], &["true", "true"]).code(), 0);
    assert_eq!(side_by_side(&[], &["true", "no-such-command-anywhere"]).code(), 127, "the shell's own");
}

/// Each writes into a FIFO and reads from the other's: neither opens before both run.
fn run_at_the_same_time() {
    let dir = TempDir::new().unwrap();
    let path = |name| dir.path().join(name).into_os_string().into_string().unwrap();
    let (a, b) = (path("a"), path("b"));
    assert!(std::process::Command::new("mkfifo").args([&a, &b]).status().unwrap().success());
    let (first, second) = (format!("echo 1 > {a}; read x < {b}"), format!("read x < {a}; echo 2 > {b}"));
    assert_eq!(side_by_side(&[], &[&first, &second]).code(), 0);
}

fn all_are_waited_for() {
    let dir = TempDir::new().unwrap();
    let go = dir.path().join("go");
    let waits = format!("until [ -e '{}' ]; do sleep .01; done; exit 2", go.display());
    let mut helper = side_by_side(&[], &["exit 0", &waits]);
    let pid: u32 = helper.err.number("pid 0");
    until("the first has ended", || state(pid) == Some('Z'));
    fs::write(go, "").unwrap();
    assert_eq!(helper.code(), 2);
    assert_eq!(state(pid), None, "it was reaped");
}

fn have_no_stdin_and_a_group_each() {
    let script = "read x || echo stdin $(readlink /proc/$$/fd/0); echo group $$ $(cut -d' ' -f5 /proc/$$/stat)";
    let args = ["supervise", "--group", script, "--group", script, "--"];
    // One that would be read from.
    let mut helper = Helper::start(command(&args).stdin(Stdio::piped()));
    for _ in 0..2 {
        assert_eq!(helper.out.expect("stdin "), "/dev/null");
        let group = helper.out.expect("group ");
        let (pid, group) = group.split_once(' ').unwrap();
        assert_eq!(pid, group, "it leads a group");
    }
    assert_eq!(helper.code(), 0);
}

/// Says its pid in the group of another, and waits for ever.
const GRANDCHILD: &str = "sh -c 'echo $$; exec sleep 1000'; exit 99";

fn signals_reach_all() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::QUIT, 131), (Signal::HUP, 129)] {
        let script = format!("ulimit -c 0; {GRANDCHILD}");
        let mut helper = side_by_side(&[], &[&script, &script, &script]);
        let grandchildren = [(); 3].map(|()| Doomed(helper.out.number("")));
        kill(helper.pid(), signal);
        assert_eq!(helper.err.expect("ended "), format!("{:?}", [collector::workload::Ended::Signaled(code - 128); 3]));
        assert_eq!(helper.code(), code);
        until("all grandchildren are dead", || grandchildren.iter().all(|grandchild| is_dead(grandchild.0)));
    }
}

fn second_request_kills_all() {
    let deaf = "trap 'echo got INT' INT; echo ready; while :; do sleep .01; done";
    let mut helper = side_by_side(&[], &[deaf, deaf]);
    helper.out.expect("ready");
    helper.out.expect("ready");
    kill(helper.pid(), Signal::INT);
    helper.out.expect("got INT");
    helper.out.expect("got INT");
    kill(helper.pid(), Signal::TERM);
    assert_eq!(helper.err.expect("ended "), "[Signaled(9), Signaled(9)]");
    assert_eq!(helper.code(), 137);
}

fn what_one_left_behind_is_left_alone() {
    let mut helper = side_by_side(&[], &["sleep 1000 & echo left $!", "echo ready; exec sleep 1000"]);
    let left = Doomed(helper.out.number("left "));
    helper.out.expect("ready");
    let pid: u32 = helper.err.number("pid 0");
    until("the first has ended", || state(pid) == Some('Z'));
    kill(helper.pid(), Signal::TERM);
    assert_eq!(helper.err.expect("ended "), "[Exited(0), Signaled(15)]");
    assert_eq!(helper.code(), 143);
    assert!(!is_dead(left.0));
}

fn cap_ends_all_within_one_grace() {
    let dir = TempDir::new().unwrap();
    let cap = dir.path().join("cap");
    let unwilling = "trap '' TERM; sleep 1000 & echo $!; wait";
    let options = ["--cap-when", cap.to_str().unwrap(), "--grace-ms", "400"];
    let mut helper = side_by_side(&options, &[unwilling, "exec sleep 1000", unwilling, unwilling, unwilling]);
    let grandchildren = [(); 4].map(|()| Doomed(helper.out.number("")));
    let begin = std::time::Instant::now();
    fs::write(&cap, "").unwrap();
    assert_eq!(helper.err.expect("ended "), "[Signaled(9), Signaled(15), Signaled(9), Signaled(9), Signaled(9)]");
    let took = begin.elapsed().as_millis();
    assert!((400..1600).contains(&took), "{took} ms: one grace for all, not one for each");
    assert_eq!(helper.code(), 137);
    assert!(grandchildren.iter().all(|grandchild| is_dead(grandchild.0)), "the groups have ended before the wait");
}

fn put_down_kills_all() {
    let dir = TempDir::new().unwrap();
    let now = dir.path().join("now");
    let mut helper = side_by_side(&["--put-down-when", now.to_str().unwrap()], &[GRANDCHILD, GRANDCHILD]);
    let grandchildren = [(); 2].map(|()| Doomed(helper.out.number("")));
    let pids: [u32; 2] = ["pid 0", "pid 1"].map(|pid| helper.err.number(pid));
    fs::write(now, "").unwrap();
    let expected = format!("[({}, Signaled(9)), ({}, Signaled(9))]", pids[0], pids[1]);
    assert_eq!(helper.err.expect("put down "), expected);
    until("the grandchildren are dead", || grandchildren.iter().all(|grandchild| is_dead(grandchild.0)));
    assert_eq!(helper.code(), 0);
}
