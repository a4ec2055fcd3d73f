//! `cargo xtask test`: every test, with the kernel object built in.

mod witnesses;

use std::{
    os::unix::process::CommandExt as _,
    process::{Command, ExitCode},
};

use anyhow::{Context as _, Result};

use crate::{
    build, child,
    cli::{BuildArgs, TestArgs},
    paths::Paths,
};

/// The subcommand. Becomes the test run, so that the last lines are the test
/// runner's own and its exit code is ours.
///
/// # Errors
/// When the build or an example in the documentation fails.
pub fn command(paths: &Paths, args: &TestArgs) -> Result<ExitCode> {
    build::everything(paths, &BuildArgs::default())?;
    witnesses::provide(paths);
    if args.filter.is_none() && args.args.is_empty() {
        let mut examples = cargo_test(paths);
        child::shown(
            examples.args(["--doc", "--quiet"]),
            "testing the examples in the documentation",
            "mend them and run `cargo xtask test` again",
        )?;
    }
    let mut tests = cargo_test(paths);
    // Apart from the examples, which cargo would run last, so that a summary
    // of no examples would close the output.
    tests.args(["--tests", "--no-fail-fast"]).args(&args.filter);
    if !args.args.is_empty() {
        tests.arg("--").args(&args.args);
    }
    Err(tests.exec()).context("could not run cargo test")
}

/// In release, as the binary was built just before: its dependencies are not
/// compiled a second time, and timing tests see the code that users run.
fn cargo_test(paths: &Paths) -> Command {
    let mut cargo = build::host_cargo(paths);
    cargo.args(["test", "--release", "--workspace", "--locked"]);
    cargo
}
