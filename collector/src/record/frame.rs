//! One interval of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Measured;

/// What happened in one interval `[start_ns, end_ns)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// Counts frames from 0.
    pub seq: u64,
    /// Begin, `CLOCK_MONOTONIC`, nanoseconds.
    pub start_ns: u64,
    /// End, `CLOCK_MONOTONIC`, nanoseconds.
    pub end_ns: u64,
    /// Whether it belongs to the warm-up, which reports leave out.
    pub warmup: bool,
    /// One entry for each CPU that was online at its end or raised an event.
    pub cpus: Vec<CpuFrame>,
    /// Growth of `ctxt` in `/proc/stat`: context switches, counted by the kernel.
    pub proc_ctxt: Measured<u64>,
    /// The longest waits since the window was opened, longest first.
    pub longest: Vec<LongWait>,
    /// What the collector itself cost in this interval.
    pub own: OwnCost,
}

/// What one CPU did in one interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuFrame {
    /// The CPU.
    pub cpu: u32,
    /// Context switches.
    pub switches: u64,
    /// Switches in which the task that left was still runnable.
    pub involuntary: u64,
    /// Finished waits that changed CPU meanwhile.
    pub migrated: u64,
    /// Switch-ins of tasks of which no start was seen.
    pub unseen: u64,
    /// Waits discarded because they would have ended before they began.
    pub backwards: u64,
    /// Waits discarded because they began before the window.
    pub before_window: u64,
    /// Events of tasks whose pid lies beyond the task map: lost.
    pub no_slot: u64,
    /// Switches before which the kernel made others that it did not trace: another
    /// task left than had been switched in last.
    pub untraced: u64,
    /// Time before these of which it is not known what the CPU did, nanoseconds.
    pub unknown_ns: u64,
    /// Waits discarded because the switch that ended them was one of those.
    pub end_untraced: u64,
    /// Of these, of the workload.
    pub workload_end_untraced: u64,
    /// Tasks created.
    pub forks: u64,
    /// Of these, in the workload.
    pub workload_forks: u64,
    /// Programs executed.
    pub execs: u64,
    /// Tasks that died.
    pub exits: u64,
    /// Idle time, nanoseconds.
    pub idle_ns: Measured<u64>,
    /// Growth of idle + iowait in `/proc/stat`, nanoseconds.
    pub proc_idle_ns: Measured<u64>,
    /// Finished waits.
    pub waits: WaitsByClass,
}

/// Whom a task belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskClass {
    /// Neither of the following.
    Others,
    /// The collector.
    Collector,
    /// The measured workload.
    Workload,
}

/// Finished waits by class of task; a class without any is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitsByClass {
    /// The workload's.
    #[serde(default, skip_serializing_if = "Hist::is_empty")]
    pub workload: Hist,
    /// Everybody else's.
    #[serde(default, skip_serializing_if = "Hist::is_empty")]
    pub others: Hist,
    /// The collector's own.
    #[serde(default, skip_serializing_if = "Hist::is_empty")]
    pub collector: Hist,
}

/// A histogram of waits. Buckets are those of [`super::HistogramParameters`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hist {
    /// Sum, nanoseconds, exact.
    pub sum_ns: u64,
    /// Shortest, nanoseconds, exact.
    pub min_ns: u64,
    /// Longest, nanoseconds, exact.
    pub max_ns: u64,
    /// Waits beyond the last bucket.
    pub overflow: u64,
    /// `[bucket, count]`, in order of bucket, counts above 0 only.
    pub counts: Vec<(u32, u64)>,
}

/// One long wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LongWait {
    /// How long, nanoseconds.
    pub wait_ns: u64,
    /// When it ended, `CLOCK_MONOTONIC`, nanoseconds.
    pub end_ns: u64,
    /// CPU where the task then ran.
    pub cpu: u32,
    /// CPU where the wait began.
    pub from_cpu: u32,
    /// Thread that waited, as the kernel numbers it.
    pub pid: u32,
    /// Its process.
    pub tgid: u32,
    /// Its name.
    pub comm: String,
    /// Whom it belongs to.
    pub class: TaskClass,
    /// The task that ran for the longest stretch of the wait on `cpu`; 0 is idle.
    pub ran_pid: u32,
    /// Its name, where it could be learned.
    pub ran_comm: Measured<String>,
    /// How long that stretch was, nanoseconds.
    pub ran_ns: Measured<u64>,
    /// The task that ran last before the wait ended; 0 is idle.
    pub last_pid: u32,
    /// Its name.
    pub last_comm: String,
}

/// What the collector itself cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnCost {
    /// CPU time of the collector process, nanoseconds.
    pub cpu_ns: Measured<u64>,
    /// Time taken to read all maps, nanoseconds.
    pub read_ns: u64,
}
