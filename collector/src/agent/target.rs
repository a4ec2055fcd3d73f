//! The thing that is measured, as the loop sees it: something that ends.

use std::{ffi::OsString, path::Path};

use anyhow::{Context, bail};
use collector_ebpf::runq::{COLLECTOR, WORKLOAD};
use rustix::thread::CpuSet;

use super::{
    config::{Config, TargetConfig},
    groups::{self, Side},
    session::Session,
};
use crate::{
    host::schedstat,
    probe::Tracer,
    record::{EndReason, GroupEnd, Measured, Target},
    workload::{self, DEFAULT_GRACE, Ended, Signals, SpawnError, Spec, Watched, Workload},
};

/// What is running.
pub enum Running {
    /// A command that was launched.
    Command(Box<Workload>),
    /// Several of them.
    Groups(Side),
    /// A process that was there before.
    Process(Watched, Signals),
    /// Nothing: only a signal or the time cap ends the run.
    Nothing(Signals),
}

/// The record's word for it.
///
/// # Errors
///
/// If there is no such process.
pub fn describe(root: &Path, target: &TargetConfig) -> anyhow::Result<Target> {
    Ok(match target {
        TargetConfig::Launch { argv, user } => Target::Launch {
            argv: argv.iter().map(|arg| arg.to_string_lossy().into_owned()).collect(),
            user: user.clone(),
        },
        TargetConfig::Groups { groups, user } => groups::describe(groups, user.as_deref()),
        TargetConfig::Pid(pid) => {
            if std::process::id() == *pid {
                bail!("process {pid} is the collector itself: give another one");
            }
            // Refuses a thread, with its process's pid.
            workload::tree(&root.join("proc"), *pid)?;
            process(root, *pid)?
        }
        TargetConfig::All => Target::All,
    })
}

fn process(root: &Path, pid: u32) -> anyhow::Result<Target> {
    let argv = workload::command_line(&root.join("proc"), pid)
        .with_context(|| format!("no process {pid}: give the pid of a running process"))?;
    Ok(Target::Pid { pid, argv })
}

/// Catches the signals that end a run without a command. To be called before anybody is
/// told that tracing has begun: from then on a signal ends the run, and not the collector.
///
/// # Errors
///
/// If the handlers cannot be installed.
pub fn signals(target: &TargetConfig) -> anyhow::Result<Option<Signals>> {
    Ok(match target {
        TargetConfig::Launch { .. } | TargetConfig::Groups { .. } => None,
        TargetConfig::Pid(_) | TargetConfig::All => Some(Signals::install()?),
    })
}

/// Gives the collector's own threads their class.
///
/// # Errors
///
/// If the task map cannot be written.
pub fn mark_self(root: &Path, tracer: &mut Tracer) -> anyhow::Result<()> {
    let pids = tracer.pids()?;
    let own = std::fs::read_dir(root.join("proc/self/task")).context("cannot list the collector's threads")?;
    let tasks = tracer.tasks()?;
    for entry in own.flatten() {
        if let Some(kernel) =
            entry.file_name().to_str().and_then(|name| name.parse().ok()).and_then(|pid| pids.kernel(pid))
        {
            tasks.set_class(kernel, COLLECTOR).context("cannot write the task map")?;
        }
    }
    Ok(())
}

/// Gives a process tree the workload's class. Children inherit it in the kernel; the
/// tree is read again until nothing is new, for those born while it was read.
///
/// # Errors
///
/// If there is no such process, or the task map cannot be written.
pub fn mark_tree(root: &Path, tracer: &mut Tracer, pid: u32) -> anyhow::Result<()> {
    let mut marked = std::collections::BTreeSet::new();
    for _ in 0..16 {
        let found = workload::tree(&root.join("proc"), pid)?;
        let new: Vec<u32> = found.difference(&marked).copied().collect();
        if new.is_empty() {
            return Ok(());
        }
        let pids = tracer.pids()?;
        let tasks = tracer.tasks()?;
        for &tid in &new {
            if let Some(kernel) = pids.kernel(tid) {
                tasks.set_class(kernel, WORKLOAD).context("cannot write the task map")?;
            }
        }
        marked.extend(new);
    }
    Ok(())
}

/// Starts or finds the target.
///
/// # Errors
///
/// A [`SpawnError`] within, if a command could not be started.
pub fn start(
    root: &Path,
    config: &Config,
    session: &mut Session,
    affinity: Option<CpuSet>,
    signals: Option<Signals>,
) -> anyhow::Result<Running> {
    let core_sched = config.core_sched;
    Ok(match &config.target {
        TargetConfig::Launch { argv, user } => {
            let argv: Vec<OsString> = argv.clone();
            let spec = Spec { argv, user: user.clone(), affinity, core_sched, extra_env: Vec::new() };
            Running::Command(Box::new(workload::spawn(&spec)?))
        }
        TargetConfig::Groups { groups, user } => {
            let spec = Spec { argv: Vec::new(), user: user.clone(), affinity, core_sched, extra_env: Vec::new() };
            Running::Groups(Side::start(groups, spec, |index| session.begin_group(index))?)
        }
        TargetConfig::Pid(pid) => {
            let watched = Watched::open(*pid).with_context(|| format!("cannot watch process {pid}"))?;
            mark_tree(root, session.tracer(), *pid)?;
            Running::Process(watched, signals.context("no signals were caught")?)
        }
        TargetConfig::All => Running::Nothing(signals.context("no signals were caught")?),
    })
}

impl Running {
    /// Waits for the end. May be dropped half-way and called again.
    ///
    /// # Errors
    ///
    /// If the kernel does not let us wait.
    pub async fn ended(&mut self) -> anyhow::Result<EndReason> {
        Ok(match self {
            Self::Command(workload) => reason(workload.wait().await?),
            Self::Groups(side) => side.ended().await?,
            Self::Process(watched, signals) => tokio::select! {
                ended = watched.ended() => { ended?; EndReason::TargetEnded }
                signal = signals.next() => EndReason::Interrupted { signal: signal.as_raw() },
            },
            Self::Nothing(signals) => EndReason::Interrupted { signal: signals.next().await.as_raw() },
        })
    }

    /// Wait time that the kernel booked for the command's first thread, nanoseconds.
    pub fn root_run_delay_ns(&self, root: &Path) -> Measured<u64> {
        match self {
            Self::Command(workload) => schedstat::run_delay_ns(root, workload.pid()),
            Self::Groups(_) => Measured::not("several commands were launched"),
            Self::Process(..) | Self::Nothing(_) => Measured::not("no command was launched"),
        }
    }

    /// How each of several commands ended, at the moment the window is closed.
    pub fn group_ends(&self) -> Vec<GroupEnd> {
        match self {
            Self::Groups(side) => side.ends(),
            Self::Command(_) | Self::Process(..) | Self::Nothing(_) => Vec::new(),
        }
    }

    /// Ends a command that still runs, first asking, then killing after a grace, and
    /// lets the kernel forget it.
    pub async fn done(self) {
        let mut workload = match self {
            Self::Command(workload) => workload,
            Self::Groups(side) => return side.done().await,
            Self::Process(..) | Self::Nothing(_) => return,
        };
        if !workload.has_ended() {
            workload.terminate(DEFAULT_GRACE);
        }
        let ended = match workload.wait().await {
            Ok(_) => workload.reap(),
            Err(error) => Err(error),
        };
        if let Err(error) = ended {
            tracing::warn!("the workload could not be waited for: {error}");
        }
    }
}

/// The record's word for the end of a command.
pub const fn reason(ended: Ended) -> EndReason {
    match ended {
        Ended::Exited(code) => EndReason::Exited { code },
        Ended::Signaled(signal) => EndReason::Signaled { signal },
    }
}

/// The exit code of the collector for how a run ended. A time cap is a failure where
/// it cut a command short, and the planned end of a run without one.
pub const fn exit_code(reason: &EndReason, command: bool) -> i32 {
    match reason {
        EndReason::Exited { code } => *code,
        EndReason::Signaled { signal } => 128 + *signal,
        EndReason::NotStarted { exit_code, .. } => *exit_code,
        EndReason::TimeCap if command => 124,
        EndReason::TimeCap | EndReason::TargetEnded | EndReason::Interrupted { .. } => 0,
    }
}

/// How a command that could not be started ends a run.
pub fn not_started(error: &anyhow::Error) -> EndReason {
    let exit_code =
        error.chain().find_map(|cause| cause.downcast_ref::<SpawnError>()).map_or(125, SpawnError::exit_code);
    EndReason::NotStarted { reason: format!("{error:#}"), exit_code }
}
