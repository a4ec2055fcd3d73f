//! From frames, one after the other, to a summary: memory for the CPUs, not for
//! the frames, so a record of any length can be summed up.

use std::collections::BTreeMap;

use super::summary::{ClassWaits, Counts, CpuSummary, Summary};
use crate::record::{CpuFrame, Frame, Header, Hist, LongWait, Measured, OpenWaits, Trailer};

/// A summary in the making.
#[derive(Clone, Debug)]
pub struct SummaryBuilder {
    cpus: BTreeMap<u32, CpuSummary>,
    frames: u64,
    warmup_frames: u64,
    missing_frames: u64,
    /// Frames are counted from 0.
    next_seq: u64,
    /// Begin and end of the window.
    window: Option<(u64, u64)>,
    /// Those of the latest frame, which cover all frames before it.
    longest: Vec<LongWait>,
    proc_ctxt: Measured<u64>,
    own_cpu_ns: Measured<u64>,
}

impl Default for SummaryBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl SummaryBuilder {
    /// Of no frames yet.
    pub const fn new() -> Self {
        Self {
            cpus: BTreeMap::new(),
            frames: 0,
            warmup_frames: 0,
            missing_frames: 0,
            next_seq: 0,
            window: None,
            longest: Vec::new(),
            proc_ctxt: Measured::Value(0),
            own_cpu_ns: Measured::Value(0),
        }
    }

    /// Adds the next frame. Of a frame of the warm-up nothing but its being there counts.
    pub fn add(&mut self, frame: &Frame) {
        self.missing_frames = self.missing_frames.saturating_add(frame.seq.saturating_sub(self.next_seq));
        self.next_seq = frame.seq.saturating_add(1);
        if frame.warmup {
            self.warmup_frames += 1;
            return;
        }
        self.frames += 1;
        let begin = self.window.map_or(frame.start_ns, |(begin, _)| begin);
        self.window = Some((begin, frame.end_ns));
        self.longest.clone_from(&frame.longest);
        plus(&mut self.proc_ctxt, &frame.proc_ctxt);
        plus(&mut self.own_cpu_ns, &frame.own.cpu_ns);
        for cpu in &frame.cpus {
            let entry = self.cpus.entry(cpu.cpu).or_insert_with(|| CpuSummary::empty(cpu.cpu));
            entry.add(cpu, frame.end_ns.saturating_sub(frame.start_ns));
        }
    }

    /// The summary of the frames so far, of a record that ended with `trailer`.
    pub fn finish(self, header: &Header, trailer: Option<&Trailer>) -> Summary {
        let open =
            trailer.map_or_else(|| Measured::not("the record was cut before its end"), |trailer| trailer.open.clone());
        let mut cpus: Vec<CpuSummary> = self.cpus.into_values().collect();
        let mut counts = Counts::default();
        for cpu in &mut cpus {
            cpu.open = open.clone().map(|open| open_on(&open, cpu.cpu));
            counts.add(&cpu.counts);
        }
        let (start_ns, end_ns) = self.window.unwrap_or_default();
        let mut summary = Summary {
            frames: self.frames,
            warmup_frames: self.warmup_frames,
            missing_frames: self.missing_frames,
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
            longest: trailer.map_or(self.longest, |trailer| trailer.longest.clone()),
            open,
            own_cpu_ns: self.own_cpu_ns,
            checks: Vec::new(),
            concerns: Vec::new(),
            cut: trailer.is_none(),
        };
        summary.checks = super::reconcile::checks(&summary, self.proc_ctxt, trailer);
        summary.concerns = super::quality::concerns(header, &summary, trailer);
        summary
    }
}

fn open_on(open: &OpenWaits, cpu: u32) -> u64 {
    open.by_cpu.iter().find(|&&(number, _)| number == cpu).map_or(0, |&(_, count)| count)
}

fn plus(sum: &mut Measured<u64>, more: &Measured<u64>) {
    match (&mut *sum, more) {
        (Measured::Value(sum), Measured::Value(more)) => *sum = sum.saturating_add(*more),
        (Measured::Value(_), Measured::NotMeasured(_)) => sum.clone_from(more),
        (Measured::NotMeasured(_), _) => {}
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
        self.observed_ns = self.observed_ns.saturating_add(length_ns);
        plus(&mut self.idle_ns, &frame.idle_ns);
        plus(&mut self.proc_idle_ns, &frame.proc_idle_ns);
    }
}
