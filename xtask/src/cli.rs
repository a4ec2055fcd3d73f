//! What can be typed.

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand};

/// Set-up, build, run, test and lint of collector.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub struct Cli {
    /// The chore to do.
    #[command(subcommand)]
    pub task: Task,
}

/// The chores.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Find, or install, what building the kernel object needs
    ///
    /// Looks for Debian's packaged compiler first, then for a rustup nightly with
    /// rust-src, and takes what is there. What is missing is installed where that
    /// needs no question: packages as root on Debian, the linker into the
    /// project's cache folder. Anywhere else it prints the commands to type.
    /// Nothing is ever removed, and nothing that is there is installed again.
    Setup,
    /// Build the kernel object and the release binary around it
    Build(BuildArgs),
    /// Build, then run a command under `collector run`
    ///
    /// Exits with the command's own exit code; 125 if it was not started.
    Run(RunArgs),
    /// Build, then run every test of the workspace
    ///
    /// The other tracers that some tests compare with are installed first, where
    /// that is possible; tests that lack theirs report themselves ignored.
    /// Formatting and clippy are `cargo xtask lint`.
    Test(TestArgs),
    /// Check formatting, clippy and file lengths
    Lint,
    /// Measure what watching costs, against the empty program and other tracers
    ///
    /// Takes turns on the same load with nothing, empty programs, collector, runqlat,
    /// bpftrace and perf; a whole run of a quarter of an hour also brings
    /// docs/overhead.md up to date. Needs root and perf.
    Bench(crate::bench::BenchArgs),
    /// Run tests, or a command, in a virtual machine: SMT, core scheduling, other kernels
    ///
    /// Exits with what ran in the guest; a guest that panics, stalls or says nothing is a
    /// failure. The kernel with core scheduling is built once, in 8 minutes on 2 CPUs.
    Vm(crate::vm::VmArgs),
}

/// Options of `build`.
#[derive(Debug, Default, Args)]
pub struct BuildArgs {
    /// Let the kernel programs write diagnostics (aya-log)
    #[arg(long)]
    pub debug_log: bool,
}

/// Options of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Run the collector binary, and nothing else, through sudo
    #[arg(long)]
    pub sudo: bool,
    /// The command to watch; without it, collector's own load for three seconds
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// Options of `test`.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Run only tests whose name contains this
    pub filter: Option<String>,
    /// Arguments for the test binaries
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn everything_after_the_dashes_belongs_to_the_command() {
        let cli = Cli::try_parse_from(["xtask", "run", "--sudo", "--", "ls", "--sudo", "-l"]);
        let Ok(Cli { task: Task::Run(run) }) = cli else {
            unreachable!("did not parse as run: {cli:?}");
        };
        assert!(run.sudo);
        assert_eq!(run.command, ["ls", "--sudo", "-l"]);
    }
}
