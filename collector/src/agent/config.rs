//! What a run is to do.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use super::sinks::Sink;
use crate::{
    host::{clock, cpulist::CpuList},
    output::Format,
    probe::ClockWish,
    workload::Cookie,
};

/// What is measured.
#[derive(Clone, Debug)]
pub enum TargetConfig {
    /// A command to launch.
    Launch {
        /// The command and its arguments.
        argv: Vec<OsString>,
        /// The user to run it as.
        user: Option<String>,
    },
    /// Commands to launch side by side.
    Groups {
        /// Name and shell command of each.
        groups: Vec<Group>,
        /// The user to run them as.
        user: Option<String>,
    },
    /// A running process and its descendants.
    Pid(u32),
    /// The whole machine.
    All,
}

impl TargetConfig {
    /// Whether something is launched, to which the standard streams belong then.
    pub const fn is_command(&self) -> bool {
        matches!(self, Self::Launch { .. } | Self::Groups { .. })
    }
}

/// One of several commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What it is called.
    pub name: String,
    /// What `sh -c` is given.
    pub command: OsString,
}

/// What a run is to do.
#[derive(Clone, Debug)]
pub struct Config {
    /// What is measured.
    pub target: TargetConfig,
    /// The core-scheduling cookie of what is launched.
    pub core_sched: Option<Cookie>,
    /// Length of a frame.
    pub interval: Duration,
    /// Left out of all figures at the beginning.
    pub warmup: Duration,
    /// Time cap, warm-up included.
    pub duration: Option<Duration>,
    /// CPUs that the collector itself is kept on.
    pub agent_cpus: Option<CpuList>,
    /// Where to write, and what.
    pub sinks: Vec<Sink>,
    /// The report at the end of the run.
    pub format: Format,
    /// The kernel's BTF.
    pub btf: PathBuf,
    /// The programs' clock.
    pub clock: ClockWish,
    /// Use raw tracepoints.
    pub raw: bool,
    /// Take the kernel programs' run time.
    pub program_time: bool,
}

impl Default for Config {
    /// The whole machine, frames of a second, until somebody ends it.
    fn default() -> Self {
        Self {
            target: TargetConfig::All,
            core_sched: None,
            interval: Duration::from_secs(1),
            warmup: Duration::ZERO,
            duration: None,
            agent_cpus: None,
            sinks: Vec::new(),
            format: Format::Text,
            btf: PathBuf::from("/sys/kernel/btf/vmlinux"),
            clock: ClockWish::Auto,
            raw: false,
            program_time: false,
        }
    }
}

/// PID_MAX_LIMIT on 64-bit machines (include/linux/threads.h).
const PID_MAX_LIMIT: u32 = 4 * 1024 * 1024;

/// Entries that the task map needs: the kernel's largest pid and one. In a pid
/// namespace the sysctl may be the namespace's own (since 6.14), which says nothing
/// of the kernel's pids.
pub fn task_slots(root: &Path, pid_namespace: bool) -> u32 {
    if pid_namespace {
        return PID_MAX_LIMIT;
    }
    crate::host::read::parsed::<u32>(root, "proc/sys/kernel/pid_max")
        .map_or(PID_MAX_LIMIT, |max| max.clamp(1024, PID_MAX_LIMIT))
}

/// Why the run queue's clock cannot be relied on here, if so.
pub fn clock_doubt(root: &Path) -> Option<String> {
    clock::rq_clock_usable(&clock::ClockFacts::read(root)).err()
}
