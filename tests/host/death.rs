//! What is left when the collector itself ends badly: nothing.

use libtest_mimic::Trial;
use rustix::process::Signal;

use super::support::{Doomed, Helper, is_dead, kill, root_test, test, until};

pub fn tests() -> Vec<Trial> {
    vec![
        test("death::of_the_collector", of_the_collector),
        root_test("death::of_the_collector_with_another_user", of_the_collector_with_another_user),
        test("death::abandoned_workload_is_killed", abandoned_workload_is_killed),
    ]
}

const COMMAND: [&str; 4] = ["--", "sh", "-c", "echo ready; exec sleep 1000"];

#[track_caller]
fn killed_with_the_collector(mut helper: Helper) {
    helper.out.expect("ready");
    let child = Doomed(helper.err.number("pid "));
    assert!(!is_dead(child.0));
    kill(helper.pid(), Signal::KILL);
    until("the command is dead", || is_dead(child.0));
}

fn of_the_collector() {
    killed_with_the_collector(Helper::supervise(&COMMAND));
}

/// The kernel clears the death signal at a change of user.
fn of_the_collector_with_another_user() {
    killed_with_the_collector(Helper::supervise(&[&["--user", "nobody"][..], &COMMAND].concat()));
}

fn abandoned_workload_is_killed() {
    let mut helper = Helper::supervise(&["--abandon", "--", "sh", "-c", "trap '' TERM; sleep 1000 & wait"]);
    let child: u32 = helper.err.number("pid ");
    assert_eq!(helper.code(), 0);
    assert!(is_dead(child));
}
