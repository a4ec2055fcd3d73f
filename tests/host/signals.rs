//! Signals that reach the workload's group, and its end when it does not want to.

use std::fs;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use rustix::process::Signal;
use tempfile::TempDir;

use super::support::{Doomed, Helper, ignored, is_dead, kill, state, test, until};

pub fn tests() -> Vec<Trial> {
    vec![
        test("signals::whole_group_gets_them", whole_group_gets_them),
        test("signals::second_request_kills", second_request_kills),
        test("signals::hang_up_may_come_twice", hang_up_may_come_twice),
        test("signals::ignored_at_start_stay_ignored", ignored_at_start_stay_ignored),
        test("signals::cap_ends_the_willing", cap_ends_the_willing),
        test("signals::cap_kills_the_unwilling", cap_kills_the_unwilling),
        test("signals::cap_kills_what_outlives_the_command", cap_kills_what_outlives_the_command),
        test("signals::cap_ends_the_stopped", cap_ends_the_stopped),
        test("signals::members_are_left_alone_at_a_normal_end", members_are_left_alone_at_a_normal_end),
        test("signals::deliberate_stop_is_left_alone", deliberate_stop_is_left_alone),
    ]
}

fn whole_group_gets_them() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::QUIT, 131), (Signal::HUP, 129)] {
        // In the foreground, for a script's background jobs ignore SIGINT and SIGQUIT.
        let mut helper = Helper::script("ulimit -c 0; sh -c 'echo $$; exec sleep 1000'; exit 99");
        let grandchild = Doomed(helper.out.number(""));
        kill(helper.pid(), signal);
        assert_eq!(helper.code(), code);
        until("the grandchild is dead", || is_dead(grandchild.0));
    }
}

/// Says what it is sent, and goes on.
const DEAF: &str = "trap 'echo got INT' INT; trap 'echo got HUP' HUP; echo ready; while :; do sleep 0.01; done";

fn second_request_kills() {
    for second in [Signal::INT, Signal::TERM] {
        let mut helper = Helper::script(DEAF);
        helper.out.expect("ready");
        kill(helper.pid(), Signal::INT);
        helper.out.expect("got INT");
        kill(helper.pid(), second);
        assert_eq!(helper.code(), 137);
    }
}

fn hang_up_may_come_twice() {
    let mut helper = Helper::script(DEAF);
    helper.out.expect("ready");
    for _ in 0..3 {
        kill(helper.pid(), Signal::HUP);
        helper.out.expect("got HUP");
    }
    kill(helper.pid(), Signal::TERM);
    assert_eq!(helper.code(), 143);
}

fn ignored_at_start_stay_ignored() {
    let mut helper = Helper::supervise(&[
        "--ignore",
        "1",
        "--",
        "sh",
        "-c",
        "grep SigIgn /proc/$$/status; echo ready; exec sleep 1000",
    ]);
    assert_eq!(helper.out.expect("SigIgn:"), ignored(&[Signal::HUP]), "as with nohup");
    helper.out.expect("ready");
    kill(helper.pid(), Signal::HUP);
    kill(helper.pid(), Signal::TERM);
    assert_eq!(helper.code(), 143, "SIGHUP was to be ignored");
}

/// A collector whose cap is reached when its script makes the file `$READY`.
struct Capped {
    helper: Helper,
    /// The file's, which lasts until the collector has seen it.
    _dir: TempDir,
}

fn capped(script: &str, grace_ms: &str) -> Capped {
    let dir = TempDir::new().unwrap();
    let ready = dir.path().join("ready");
    let path = ready.to_str().unwrap();
    let args = ["--cap-when", path, "--grace-ms", grace_ms, "--env", "READY", path, "--", "sh", "-c", script];
    Capped { helper: Helper::supervise(&args), _dir: dir }
}

fn cap_ends_the_willing() {
    let Capped { mut helper, _dir } = capped("sleep 1000 & echo $!; : > $READY; wait", "1000000");
    let grandchild = Doomed(helper.out.number(""));
    assert_eq!(helper.code(), 143);
    assert!(is_dead(grandchild.0), "the group has ended before the wait");
}

fn cap_kills_the_unwilling() {
    let begin = Instant::now();
    let Capped { mut helper, _dir } = capped("trap '' TERM; sleep 1000 & echo $!; : > $READY; wait", "200");
    let grandchild = Doomed(helper.out.number(""));
    assert_eq!(helper.code(), 137);
    assert!(begin.elapsed() >= Duration::from_millis(200), "it had its grace");
    assert!(is_dead(grandchild.0), "the group has ended before the wait");
}

fn cap_kills_what_outlives_the_command() {
    let script = "trap 'exit 5' TERM; sh -c 'trap \"\" TERM; echo $$; : > $READY; exec sleep 1000' & wait";
    let Capped { mut helper, _dir } = capped(script, "300");
    let grandchild = Doomed(helper.out.number(""));
    assert_eq!(helper.code(), 5);
    assert!(is_dead(grandchild.0), "the group has ended before the wait");
}

fn cap_ends_the_stopped() {
    let dir = TempDir::new().unwrap();
    let cap = dir.path().join("cap");
    let script = "kill -STOP $$; exit 99";
    let mut helper = Helper::supervise(&["--cap-when", cap.to_str().unwrap(), "--", "sh", "-c", script]);
    let pid: u32 = helper.err.number("pid ");
    until("it is stopped", || state(pid) == Some('T'));
    fs::write(cap, "").unwrap();
    assert_eq!(helper.code(), 143);
}

fn members_are_left_alone_at_a_normal_end() {
    let mut helper = Helper::script("sleep 1000 & echo $!");
    let member = Doomed(helper.out.number(""));
    assert_eq!(helper.code(), 0);
    assert!(!is_dead(member.0));
}

fn deliberate_stop_is_left_alone() {
    let mut helper = Helper::script("echo ready; kill -STOP $$; exit 4");
    let pid: u32 = helper.err.number("pid ");
    until("it is stopped", || state(pid) == Some('T'));
    // A signal that is passed on shows that the collector goes on meanwhile.
    kill(helper.pid(), Signal::TERM);
    assert_eq!(helper.code(), 143);
}
