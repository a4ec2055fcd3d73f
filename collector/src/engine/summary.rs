//! What a whole run comes to: the figures every report prints.

use std::collections::BTreeMap;

use super::{quality::Concern, reconcile::Check};
use crate::record::{CpuFrame, Frame, Header, Hist, LongWait, Measured, OpenWaits, TaskClass, Trailer};

/// Counts that are kept a CPU and summed over the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
            forks: cpu.forks,
            workload_forks: cpu.workload_forks,
            execs: cpu.execs,
            exits: cpu.exits,
        }
    }

    /// Adds another set.
    pub const fn add(&mut self, other: &Self) {
        self.switches += other.switches;
        self.involuntary += other.involuntary;
        self.migrated += other.migrated;
        self.unseen += other.unseen;
        self.backwards += other.backwards;
        self.before_window += other.before_window;
        self.no_slot += other.no_slot;
        self.forks += other.forks;
        self.workload_forks += other.workload_forks;
        self.execs += other.execs;
        self.exits += other.exits;
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
    /// Own figures beside their witnesses.
    pub checks: Vec<Check>,
    /// What speaks against trusting the record.
    pub concerns: Vec<Concern>,
    /// Whether the record was cut: it has no trailer.
    pub cut: bool,
}

impl Summary {
    /// Sums up a run. Frames of the warm-up are left out of everything.
    pub fn new(header: &Header, frames: &[Frame], trailer: Option<&Trailer>) -> Self {
        let window: Vec<&Frame> = frames.iter().filter(|frame| !frame.warmup).collect();
        let open =
            trailer.map_or_else(|| Measured::not("the record was cut before its end"), |trailer| trailer.open.clone());
        let mut builders: BTreeMap<u32, CpuSummary> = BTreeMap::new();
        for frame in &window {
            for cpu in &frame.cpus {
                let entry = builders.entry(cpu.cpu).or_insert_with(|| CpuSummary::empty(cpu.cpu));
                entry.add(cpu, frame.end_ns.saturating_sub(frame.start_ns));
            }
        }
        let mut cpus: Vec<CpuSummary> = builders.into_values().collect();
        for cpu in &mut cpus {
            cpu.open = open
                .clone()
                .map(|open| open.by_cpu.iter().find(|&&(number, _)| number == cpu.cpu).map_or(0, |&(_, count)| count));
        }
        let mut counts = Counts::default();
        for cpu in &cpus {
            counts.add(&cpu.counts);
        }
        let longest = trailer
            .map(|trailer| trailer.longest.clone())
            .or_else(|| window.last().map(|frame| frame.longest.clone()))
            .unwrap_or_default();
        let (start_ns, end_ns) = match (window.first(), window.last()) {
            (Some(first), Some(last)) => (first.start_ns, last.end_ns),
            _ => (0, 0),
        };
        let mut summary = Self {
            frames: window.len() as u64,
            warmup_frames: (frames.len() - window.len()) as u64,
            window_ns: end_ns.saturating_sub(start_ns),
            start_ns,
            counts,
            waits: Hist::sum_of(cpus.iter().map(|cpu| &cpu.waits)),
            by_class: ClassWaits {
                workload: Hist::sum_of(cpus.iter().map(|cpu| &cpu.by_class.workload)),
                others: Hist::sum_of(cpus.iter().map(|cpu| &cpu.by_class.others)),
                collector: Hist::sum_of(cpus.iter().map(|cpu| &cpu.by_class.collector)),
            },
            cpus,
            longest,
            open,
            checks: Vec::new(),
            concerns: Vec::new(),
            cut: trailer.is_none(),
        };
        summary.checks = super::reconcile::checks(&summary, &window, trailer);
        summary.concerns = super::quality::concerns(header, &summary, trailer);
        summary
    }
}

impl CpuSummary {
    fn empty(cpu: u32) -> Self {
        Self {
            cpu,
            counts: Counts::default(),
            waits: Hist::default(),
            by_class: ClassWaits::default(),
            open: Measured::Value(0),
            observed_ns: 0,
            idle_ns: Measured::Value(0),
            proc_idle_ns: Measured::Value(0),
        }
    }

    fn add(&mut self, frame: &CpuFrame, length_ns: u64) {
        self.counts.add(&Counts::of(frame));
        self.by_class.workload.merge(&frame.waits.workload);
        self.by_class.others.merge(&frame.waits.others);
        self.by_class.collector.merge(&frame.waits.collector);
        for part in [&frame.waits.workload, &frame.waits.others, &frame.waits.collector] {
            self.waits.merge(part);
        }
        self.observed_ns += length_ns;
        let plus = |a: &Measured<u64>, b: &Measured<u64>| a.clone().zip(b.clone()).map(|(a, b)| a + b);
        self.idle_ns = plus(&self.idle_ns, &frame.idle_ns);
        self.proc_idle_ns = plus(&self.proc_idle_ns, &frame.proc_idle_ns);
    }
}
