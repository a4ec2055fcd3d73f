//! What a whole run comes to: the figures every report prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    build::SummaryBuilder,
    quality::{Concern, Weight},
    reconcile::Check,
};
use crate::record::{CpuFrame, Frame, Header, Hist, LongWait, Measured, OpenWaits, TaskClass, Trailer};

/// Counts that are kept a CPU and summed over the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Context switches.
    pub switches: u64,
    /// Switches in which the task that left was still runnable.
    pub involuntary: u64,
    /// Finished waits that changed CPU meanwhile.
    pub migrated: u64,
    /// Switch-ins of which no start was seen.
    pub unseen: u64,
    /// Waits discarded because they would have ended before they began.
    pub backwards: u64,
    /// Waits discarded because they began before the window.
    pub before_window: u64,
    /// Events lost because the pid lies beyond the task map.
    pub no_slot: u64,
    /// Switches before which the kernel made others that it did not trace.
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
}

impl Counts {
    /// The counts of one CPU in one frame.
    pub const fn of(cpu: &CpuFrame) -> Self {
        Self {
            switches: cpu.switches,
            involuntary: cpu.involuntary,
            migrated: cpu.migrated,
            unseen: cpu.unseen,
            backwards: cpu.backwards,
            before_window: cpu.before_window,
            no_slot: cpu.no_slot,
            untraced: cpu.untraced,
            unknown_ns: cpu.unknown_ns,
            end_untraced: cpu.end_untraced,
            workload_end_untraced: cpu.workload_end_untraced,
            forks: cpu.forks,
            workload_forks: cpu.workload_forks,
            execs: cpu.execs,
            exits: cpu.exits,
        }
    }

    /// Adds another set.
    pub const fn add(&mut self, other: &Self) {
        self.switches = self.switches.saturating_add(other.switches);
        self.involuntary = self.involuntary.saturating_add(other.involuntary);
        self.migrated = self.migrated.saturating_add(other.migrated);
        self.unseen = self.unseen.saturating_add(other.unseen);
        self.backwards = self.backwards.saturating_add(other.backwards);
        self.before_window = self.before_window.saturating_add(other.before_window);
        self.no_slot = self.no_slot.saturating_add(other.no_slot);
        self.untraced = self.untraced.saturating_add(other.untraced);
        self.unknown_ns = self.unknown_ns.saturating_add(other.unknown_ns);
        self.end_untraced = self.end_untraced.saturating_add(other.end_untraced);
        self.workload_end_untraced = self.workload_end_untraced.saturating_add(other.workload_end_untraced);
        self.forks = self.forks.saturating_add(other.forks);
        self.workload_forks = self.workload_forks.saturating_add(other.workload_forks);
        self.execs = self.execs.saturating_add(other.execs);
        self.exits = self.exits.saturating_add(other.exits);
    }
}

/// One CPU over the whole window.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuSummary {
    /// The CPU.
    pub cpu: u32,
    /// Its counts.
    pub counts: Counts,
    /// Waits of all classes that ended on it.
    pub waits: Hist,
    /// The same by class, in the order of [`ClassWaits`].
    pub by_class: ClassWaits,
    /// Waits open on it at the end.
    pub open: Measured<u64>,
    /// Time covered by the frames in which the CPU appears, nanoseconds.
    pub observed_ns: u64,
    /// Idle time within it, nanoseconds.
    pub idle_ns: Measured<u64>,
    /// Idle + iowait of `/proc/stat` over the same frames, nanoseconds.
    pub proc_idle_ns: Measured<u64>,
}

/// Waits by class of task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassWaits {
    /// The workload's.
    pub workload: Hist,
    /// Everybody else's.
    pub others: Hist,
    /// The collector's own.
    pub collector: Hist,
}

impl ClassWaits {
    /// The waits of one class.
    pub const fn of(&self, class: TaskClass) -> &Hist {
        match class {
            TaskClass::Workload => &self.workload,
            TaskClass::Others => &self.others,
            TaskClass::Collector => &self.collector,
        }
    }
}

/// A whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Frames in the window, warm-up left out.
    pub frames: u64,
    /// Frames of the warm-up.
    pub warmup_frames: u64,
    /// Frames that ought to be there by the frames' numbers and are not.
    pub missing_frames: u64,
    /// Length of the window, nanoseconds; 0 when there was no frame.
    pub window_ns: u64,
    /// Begin of the window, `CLOCK_MONOTONIC`, nanoseconds.
    pub start_ns: u64,
    /// CPUs in order of number.
    pub cpus: Vec<CpuSummary>,
    /// Counts of the whole machine.
    pub counts: Counts,
    /// Waits of the whole machine, all classes.
    pub waits: Hist,
    /// The same by class.
    pub by_class: ClassWaits,
    /// The longest waits, longest first.
    pub longest: Vec<LongWait>,
    /// Waits open at the end.
    pub open: Measured<OpenWaits>,
    /// CPU time of the collector over the window, nanoseconds.
    pub own_cpu_ns: Measured<u64>,
    /// Own figures beside their witnesses.
    pub checks: Vec<Check>,
    /// What speaks against trusting the record.
    pub concerns: Vec<Concern>,
    /// Whether the record was cut: it has no trailer.
    pub cut: bool,
}

impl Summary {
    /// Sums up a run. Frames of the warm-up are left out of everything.
    pub fn new<'a>(header: &Header, frames: impl IntoIterator<Item = &'a Frame>, trailer: Option<&Trailer>) -> Self {
        let mut builder = SummaryBuilder::new();
        for frame in frames {
            builder.add(frame);
        }
        builder.finish(header, trailer)
    }

    /// Whether nothing speaks against the figures: notes there may be, warnings not.
    pub fn trusted(&self) -> bool {
        self.concerns.iter().all(|concern| concern.weight == Weight::Note)
    }
}
