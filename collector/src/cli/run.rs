//! `collector run`.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{ArgGroup, Parser, ValueEnum};

use super::{duration, group};
use crate::{
    agent::{self, Sink, TargetConfig},
    host::cpulist::CpuList,
    output,
    probe::ClockWish,
    workload::Cookie,
};

/// Measure the run-queue latency of a command and of everything else, CPU by CPU
///
/// Attaches the kernel programs, opens the window, starts the command, closes the
/// window when it ends, and reports. Figures for the command's whole process tree and
/// for everything else stand side by side; CPU figures are of the whole machine.
///
/// Beside a command, the report and all messages go to stderr: stdin, stdout and stderr
/// belong to the command. With --pid and --all the report goes to stdout.
///
/// With --group several commands run side by side, launched right after each other once the window is open; the
/// run ends when all have ended. Each is a shell command, run by `sh -c`, in a process group of its own that gets
/// all signals; its stdin is /dev/null.
///
/// Exit code: the command's own; 128+n if signal n ended it; 124 if --duration cut it
/// short; 125 if the collector itself failed; 126 if the command cannot be executed; 127
/// if it is not found. With --group: that of the first group, in the order given, whose code is not 0, else 0.
#[derive(Debug, Parser)]
#[command(allow_negative_numbers = true)]
#[command(group = ArgGroup::new("target").required(true).args(["command", "pid", "all", "group"]))]
pub struct Args {
    /// Length of a frame
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration::interval)]
    interval: Duration,
    /// Leave out the beginning
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = duration::parse)]
    warmup: Duration,
    /// End after this time, warm-up included
    #[arg(long, value_name = "TIME", value_parser = duration::positive)]
    duration: Option<Duration>,
    /// Write to a file: .jsonl the record, .txt or .json the report; may be repeated
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Format of the report at the end
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Watch a running process and its descendants
    #[arg(long, value_name = "PID")]
    pid: Option<u32>,
    /// Watch the whole machine, until Ctrl-C or --duration
    #[arg(long)]
    all: bool,
    /// Launch a shell command as one of several groups, as in na='sysbench cpu run'; may be repeated
    #[arg(long, value_name = "NAME=CMD")]
    group: Vec<OsString>,
    /// Give the command a core-scheduling cookie: `new`, one of its own (each group's own), or `pid:PID`, that of a
    /// running process
    #[arg(long, value_name = "COOKIE")]
    core_sched: Option<Cookie>,
    /// Run the command as another user
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Keep the collector itself on these CPUs, as in 0-3,8
    #[arg(long, value_name = "LIST")]
    agent_cpus: Option<CpuList>,
    /// The clock that stamps events
    #[arg(long, value_name = "CLOCK", default_value = "auto")]
    clock: Clock,
    /// The kernel's type information
    #[arg(long, value_name = "FILE", default_value = "/sys/kernel/btf/vmlinux")]
    btf: PathBuf,
    /// Use raw tracepoints without trying BTF tracepoints first
    #[arg(long)]
    raw: bool,
    /// Have the kernel take the run time of the kernel programs, at a cost
    #[arg(long)]
    program_time: bool,
    /// The command and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Formats of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
}

impl From<Format> for output::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Clock {
    /// The scheduler's where it can be relied on, else monotonic
    Auto,
    /// CLOCK_MONOTONIC
    Monotonic,
    /// The scheduler's, rq->clock, even where CPUs may disagree
    Scheduler,
}

impl Args {
    /// What was typed, as what it means.
    ///
    /// # Errors
    ///
    /// One sentence, if it means nothing.
    pub fn config(self) -> anyhow::Result<agent::Config> {
        let launches = !self.command.is_empty() || !self.group.is_empty();
        for (option, given) in [("--user", self.user.is_some()), ("--core-sched", self.core_sched.is_some())] {
            if given && !launches {
                anyhow::bail!("{option} goes with a command: give one after --, or leave {option} out");
            }
        }
        let groups = group::parse(&self.group)?;
        if let Some(duration) = self.duration
            && duration <= self.warmup
        {
            anyhow::bail!("--duration {duration:?} leaves nothing after --warmup {:?}: make it longer", self.warmup);
        }
        let sinks = self
            .output
            .iter()
            .map(|path| Sink::by_name(path))
            .collect::<Result<Vec<_>, _>>()
            .map_err(anyhow::Error::msg)?;
        Ok(agent::Config {
            target: match (self.pid, self.all) {
                (Some(pid), _) => TargetConfig::Pid(pid),
                (None, true) => TargetConfig::All,
                (None, false) if !groups.is_empty() => TargetConfig::Groups { groups, user: self.user },
                (None, false) => TargetConfig::Launch { argv: self.command, user: self.user },
            },
            core_sched: self.core_sched,
            interval: self.interval,
            warmup: self.warmup,
            duration: self.duration,
            agent_cpus: self.agent_cpus,
            sinks,
            format: self.format.into(),
            btf: self.btf,
            clock: match self.clock {
                Clock::Auto => ClockWish::Auto,
                Clock::Monotonic => ClockWish::Monotonic,
                Clock::Scheduler => ClockWish::RunQueue,
            },
            raw: self.raw,
            program_time: self.program_time,
        })
    }
}

/// Runs, and returns the exit code.
///
/// # Errors
///
/// One sentence, if nothing could be measured.
pub fn run(args: Args) -> anyhow::Result<i32> {
    let config = args.config()?;
    // One thread: the death signal of the workload hangs on the thread that made it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(agent::run(&config))
}
