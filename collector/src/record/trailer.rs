//! How a run ended, and how far its figures can be trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LongWait, Measured, TaskClass};

/// The last line of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trailer {
    /// When the window was closed, `CLOCK_MONOTONIC`, nanoseconds.
    pub ended_ns: u64,
    /// Why.
    pub reason: EndReason,
    /// Exit code of the collector, which is the command's own where it has one.
    pub exit_code: i32,
    /// How each of several commands ended, in the order of the header's; none where
    /// there was one command, or no command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupEnd>,
    /// Totals of the window, from its first and its last reading alone: the frames
    /// have to add up to them.
    pub totals: Totals,
    /// The longest waits of the window, longest first.
    pub longest: Vec<LongWait>,
    /// Waits that had not ended when the window was closed.
    pub open: Measured<OpenWaits>,
    /// Wait time that the kernel booked for the launched process's first thread
    /// (`/proc/PID/schedstat`, second field), nanoseconds.
    pub root_run_delay_ns: Measured<u64>,
    /// Quality of the record.
    pub quality: Quality,
}

/// Totals of all CPUs and classes of tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Context switches.
    pub switches: u64,
    /// Finished waits.
    pub waits: u64,
    /// Their sum, nanoseconds.
    pub wait_ns: u64,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EndReason {
    /// The command exited.
    Exited {
        /// With this code.
        code: i32,
    },
    /// The command died of a signal.
    Signaled {
        /// Its number.
        signal: i32,
    },
    /// The command could not be started.
    NotStarted {
        /// Why, in words for a person.
        reason: String,
        /// 127 not found, 126 cannot be executed, 125 anything else.
        exit_code: i32,
    },
    /// The process that was attached to ended.
    TargetEnded,
    /// The time cap (`--duration`) was reached.
    TimeCap,
    /// Ctrl-C or SIGTERM, with no command to pass it to.
    Interrupted {
        /// Its number.
        signal: i32,
    },
}

/// How one of several commands ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GroupEnd {
    /// What it is called in the header.
    pub name: String,
    /// Why it ended; `time_cap` where it still ran when the window was closed.
    pub reason: EndReason,
    /// The exit code that stands for it, as the collector's would if it had been the only one.
    pub exit_code: i32,
    /// Its first process, as the collector's pid namespace numbers it.
    pub root_pid: Measured<u32>,
}

/// Waits that were open when the window was closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenWaits {
    /// How many.
    pub count: u64,
    /// `[cpu, count]` by the CPU the task is queued on, counts above 0 only.
    pub by_cpu: Vec<(u32, u64)>,
    /// The longest, at most ten, longest first.
    pub longest: Vec<OpenWait>,
}

/// One open wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenWait {
    /// How long it lasted when the window was closed, nanoseconds.
    pub waited_ns: u64,
    /// Thread that waits, as the kernel numbers it.
    pub pid: u32,
    /// Its name, where it could be read.
    pub comm: Measured<String>,
    /// CPU it is queued on.
    pub cpu: u32,
    /// Whom it belongs to.
    pub class: TaskClass,
}

/// What says whether the record can be trusted, beside the frames' own counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quality {
    /// Times a program was not run because it was running already on that CPU.
    pub recursion_misses: Measured<u64>,
    /// Events lost on the way to user space.
    pub dropped_events: Measured<u64>,
    /// Online CPUs on which no event was seen, as a CPU list.
    pub cpus_not_observed: String,
    /// CPUs that came or went during the run, as a CPU list.
    pub cpus_changed: String,
    /// Runs and run time of the programs.
    pub programs: Measured<ProgramCost>,
    /// CPU time of the collector from its start, nanoseconds.
    pub own_cpu_ns: Measured<u64>,
    /// Peak memory of the collector, bytes.
    pub peak_memory_bytes: Measured<u64>,
}

/// Cost of the kernel programs, from the kernel's run-time statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramCost {
    /// Times a program ran.
    pub runs: u64,
    /// Time they took, nanoseconds.
    pub ns: u64,
}
