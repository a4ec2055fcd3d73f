//! Map values, and the names of maps, programs and read-only globals.

use crate::{
    bucket::BUCKETS,
    recent::{RECENT, Stint},
    runq::CLASSES,
    top::{LongWait, TOP},
};

/// Map of [`crate::runq::Task`], indexed by pid.
pub const TASKS: &str = "TASKS";
/// Map of one [`Cpu`] a CPU.
pub const CPUS: &str = "CPUS";
/// Map of one [`Control`].
pub const CONTROL: &str = "CONTROL";

/// Waits of one class of tasks that ended on one CPU. Counts and sums only grow:
/// a reader subtracts what it read before.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// Sum, nanoseconds.
    pub sum: u64,
    /// Waits beyond the last bucket.
    pub overflow: u64,
    /// Shortest wait of an even and of an odd epoch; `u64::MAX` for none.
    pub min: [u64; 2],
    /// Longest wait of an even and of an odd epoch; 0 for none.
    pub max: [u64; 2],
    /// Waits a bucket, see [`crate::bucket`].
    pub counts: [u64; BUCKETS],
}

/// Everything one CPU writes.
///
/// One value, found once an event. Counts only grow. `epoch`, `opened` and
/// `offset` are brought up to date at the first event after the agent moved
/// [`Control::epoch`] on.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    // What every switch reads or writes comes first, and fills a cache line.
    /// The epoch of the last event; 0 before the first.
    pub epoch: u64,
    /// [`Control::opened`] in the programs' clock; `u64::MAX` while the window is not open.
    pub opened: u64,
    /// When the CPU went idle, in the programs' clock; 0 when it is busy or not known.
    pub idle_since: u64,
    /// Idle time up to the last switch, nanoseconds.
    pub idle_ns: u64,
    /// Context switches.
    pub switches: u64,
    /// Switches in which the task that left was still runnable.
    pub involuntary: u64,
    /// Shortest of the waits in `top`: what a wait has to exceed to get there.
    pub top_floor: u64,
    /// Where in `recent` the next stint goes, modulo [`RECENT`].
    pub recent_next: u64,
    /// The task that was switched in last, as its pid and one; 0 before the first event.
    pub running: u64,
    /// The last stints.
    pub recent: [Stint; RECENT],
    /// Finished waits that changed CPU meanwhile.
    pub migrated: u64,
    /// Switch-ins of tasks of which no start was seen.
    pub unseen: u64,
    /// Waits discarded because they ended before they began.
    pub backwards: u64,
    /// Waits discarded because they began before the window.
    pub before_window: u64,
    /// Events of tasks whose pid lies beyond the map.
    pub no_slot: u64,
    /// Switches in which another task left than had been switched in last: before
    /// each, the kernel made a switch, or several, that it did not trace.
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
    /// [`Control::opened`] as last seen, nanoseconds of `CLOCK_MONOTONIC`.
    pub opened_mono: u64,
    /// `CLOCK_MONOTONIC` minus the programs' clock, wrapping, at the last change of epoch.
    pub offset: u64,
    /// The longest waits since the window was opened, in no order.
    pub top: [LongWait; TOP],
    /// Waits by class.
    pub waits: [Waits; CLASSES],
}

// The kernel refuses per-CPU values above 32 KiB (PCPU_MIN_UNIT_SIZE).
const _: () = assert!(size_of::<Cpu>() <= 32 * 1024);
const _: () = assert!(size_of::<Cpu>().is_multiple_of(8));

/// What the agent tells the programs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// Moved on by one before each read; extremes are kept an epoch.
    pub epoch: u64,
    /// When the window was opened, nanoseconds of `CLOCK_MONOTONIC`; 0 while it is not.
    pub opened: u64,
}

/// One task's pid twice, see the iterator `task_pids`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PidPair {
    /// As the kernel and its tracepoints number it.
    pub kernel: u32,
    /// As the reader's pid namespace numbers it.
    pub namespace: u32,
}
