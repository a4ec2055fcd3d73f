//! Tests in a virtual machine, where threads share a core, CPUs come and go, and the
//! kernel is another one. `cargo xtask vm` runs them; elsewhere each is ignored.
//!
//! They share the harness of the tests on the live kernel, and like those they run one
//! after the other: each watches the whole machine, and some take CPUs away.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod check;
mod guest;
mod hogs;
mod idle;
mod topology;

#[allow(dead_code, reason = "shared with the tests on the live kernel")]
#[path = "../kernel/harness.rs"]
mod harness;
#[allow(dead_code, reason = "shared with the tests on the live kernel")]
#[path = "../kernel/helper.rs"]
mod helper;
#[allow(dead_code, reason = "shared with the tests on the live kernel")]
#[path = "../kernel/machine.rs"]
mod machine;
#[allow(dead_code, reason = "shared with the tests on the live kernel")]
#[path = "../kernel/needs.rs"]
mod needs;
#[allow(dead_code, reason = "shared with the tests on the live kernel")]
#[path = "../kernel/process.rs"]
mod process;
#[path = "../kernel/sound.rs"]
mod sound;

use libtest_mimic::{Arguments, run};

fn main() {
    let mut args = std::env::args().skip(1);
    if args.next().is_some_and(|first| first == "--helper") {
        helper::play(args.collect());
    }
    let tests = [check::tests(), topology::tests(), hogs::tests(), idle::tests()];
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    run(&arguments, tests.into_iter().flatten().collect()).exit();
}
