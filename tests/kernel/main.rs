//! Tests with the kernel programs on the live kernel: root, and one after the other, as
//! each watches the whole machine.
//!
//! Every run goes through [`harness`], which checks what holds of any record; so each
//! test says only what its own load adds to that. The binary is its own load too:
//! `kernel --helper NAME …`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod command;
mod groups;
mod harness;
mod helper;
mod hogs;
mod idle;
mod killed;
mod machine;
mod needs;
mod perf_events;
mod perf_sched;
mod pid;
mod placement;
mod process;
mod reconcile;
mod report;
mod run_delay;
mod signals;
mod sound;
mod storm;
mod streams;
mod tree;
mod variants;
mod warmup;

use libtest_mimic::{Arguments, run};

fn main() {
    let mut args = std::env::args().skip(1);
    if args.next().is_some_and(|first| first == "--helper") {
        helper::play(args.collect());
    }
    let tests = [
        reconcile::tests(),
        perf_sched::tests(),
        run_delay::tests(),
        hogs::tests(),
        warmup::tests(),
        tree::tests(),
        pid::tests(),
        command::tests(),
        groups::tests(),
        streams::tests(),
        signals::tests(),
        placement::tests(),
        killed::tests(),
        report::tests(),
        variants::tests(),
        storm::tests(),
        idle::tests(),
    ];
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    run(&arguments, tests.into_iter().flatten().collect()).exit();
}
