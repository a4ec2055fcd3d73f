//! What can be typed. Each command turns it into what is meant.

pub mod check;
pub mod duration;
mod group;
pub mod load;
pub mod report;
pub mod run;

use std::{io, process::ExitCode};

use clap::{Parser, Subcommand, error::ErrorKind};

use crate::agent;

/// Exit code for a failure of the collector itself, wrong usage included.
const OWN_FAILURE: u8 = 125;

/// Measure how long tasks wait on the run queue, CPU by CPU, for a workload and for
/// everything else
#[derive(Debug, Parser)]
#[command(name = "collector", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<run::Args>),
    Report(report::Args),
    Check(check::Args),
    Load(load::Args),
}

/// Parses, runs, and turns the result into an exit code. A closed pipe is success.
pub fn main() -> ExitCode {
    log();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return answered(&error),
    };
    match dispatch(cli.command) {
        Ok(code) => ExitCode::from(u8::try_from(code).unwrap_or(OWN_FAILURE)),
        Err(error) if closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            agent::say(format_args!("{error:#}"));
            ExitCode::from(OWN_FAILURE)
        }
    }
}

/// What was typed asked for help, or meant nothing: one line then, where clap's own text
/// takes six.
fn answered(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // To stdout for --help and --version, which are no failures.
        let _ = error.print();
        return ExitCode::from(if error.use_stderr() { OWN_FAILURE } else { 0 });
    }
    agent::say(sentence(&error.render().to_string()));
    ExitCode::from(OWN_FAILURE)
}

/// The first paragraph of clap's text, and the tips in it.
fn sentence(text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or(text);
    let tips = text.lines().filter_map(|line| line.trim_start().strip_prefix("tip: "));
    let parts = [first.trim_start_matches("error: ")].into_iter().chain(tips).chain(["see --help"]);
    let parts = parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    parts.collect::<Vec<_>>().join("; ")
}

fn dispatch(command: Command) -> anyhow::Result<i32> {
    match command {
        Command::Run(args) => run::run(*args),
        Command::Report(args) => report::run(&args).map(|()| 0),
        Command::Check(args) => Ok(check::run(&args, &agent::probes(), &mut io::stdout())?.into()),
        Command::Load(args) => load::run(args).map(|()| 0),
    }
}

fn closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe))
}

/// Messages of the libraries, on stderr; `COLLECTOR_LOG=debug` for more.
fn log() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("COLLECTOR_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .without_time()
        .log_internal_errors(false)
        .init();
}
