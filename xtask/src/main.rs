//! The chores of this repository: `cargo xtask --help` lists them.
//!
//! One file a subcommand. What a command would do is decided by pure functions
//! over facts that were looked up before, so that the decisions can be tested
//! on machines that are nothing like the one the tests run on.

mod bench;
mod build;
mod child;
mod cli;
mod document;
mod files;
mod lint;
mod paths;
mod run;
mod setup;
mod step;
mod table;
mod test;
mod version;
mod vm;

use std::process::ExitCode;

use clap::Parser as _;

use cli::{Cli, Task};
use paths::Paths;

/// What `run` exits with when the workload was not started at all, like
/// env(1) and timeout(1): the workload's own exit codes stay apart from ours.
const NOT_STARTED: u8 = 125;

fn main() -> ExitCode {
    if vm::guest::is_init() {
        vm::guest::init();
    }
    let task = Cli::parse().task;
    let failure = match task {
        Task::Run(_) => ExitCode::from(NOT_STARTED),
        _ => ExitCode::FAILURE,
    };
    dispatch(task).unwrap_or_else(|error| {
        step::say(format_args!("{error:#}"));
        failure
    })
}

fn dispatch(task: Task) -> anyhow::Result<ExitCode> {
    let paths = Paths::find()?;
    match task {
        Task::Setup => setup::command(&paths),
        Task::Build(args) => build::command(&paths, &args),
        Task::Run(args) => run::command(&paths, &args),
        Task::Test(args) => test::command(&paths, &args),
        Task::Lint => lint::command(&paths),
        Task::Bench(args) => bench::command(&paths, &args),
        Task::Vm(args) => vm::command(&paths, &args),
    }
}
