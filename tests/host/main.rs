//! Tests on this machine's processes, without any kernel program.
//!
//! The binary is its own helper: `host --helper NAME …` plays a collector, a shell or a
//! load, so that signals, terminals and deaths hit that process and not the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod cookies;
mod death;
mod exits;
mod groups;
mod helper;
mod identity;
mod inherited;
mod load;
mod shell;
mod signals;
mod support;
mod terminal;
mod tree;
mod watch;

use libtest_mimic::{Arguments, run};

fn main() {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == "--helper") {
        helper::run(args.collect());
    }
    let tests = [
        exits::tests(),
        signals::tests(),
        death::tests(),
        inherited::tests(),
        identity::tests(),
        terminal::tests(),
        tree::tests(),
        watch::tests(),
        groups::tests(),
        cookies::tests(),
        load::tests(),
    ];
    run(&Arguments::from_args(), tests.into_iter().flatten().collect()).exit();
}
