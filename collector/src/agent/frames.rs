//! Frames from one reading after another, with what `/proc` says over the same time.

use std::path::Path;

use super::names::Names;
use crate::{
    engine::delta,
    host::{cpulist::CpuList, own, proc_stat::ProcStat, read},
    probe::tracer::monotonic_ns,
    record::{Frame, Measured, OwnCost, Totals},
    source::Reading,
};

/// How many of the longest waits are kept.
pub const LONGEST: usize = 10;

/// A witness that was read this long before a reading is as good as simultaneous:
/// about what reading it takes.
const NEAR_NS: u64 = 200_000;

/// A reading with its witnesses.
pub struct Moment {
    reading: Reading,
    stat: Measured<ProcStat>,
    online: CpuList,
    own_cpu_ns: Measured<u64>,
}

impl Moment {
    /// Takes a reading, and the witnesses as near to it as can be. Between the two
    /// this process may lose its CPU for as long as others keep it, while switches go
    /// on: on a crowded machine 110 of 3,200 were seen. So where the one before is not
    /// near, there is one after too, and the nearer counts.
    ///
    /// # Errors
    ///
    /// Those of the reading.
    pub fn take(root: &Path, read: impl FnOnce() -> anyhow::Result<Reading>) -> anyhow::Result<Self> {
        let before = ProcStat::read(root);
        let before_ns = monotonic_ns();
        let reading = read()?;
        let early = (reading.at_ns + reading.read_ns).saturating_sub(before_ns);
        let stat = if early <= NEAR_NS {
            before
        } else {
            let after = ProcStat::read(root);
            let late = monotonic_ns().saturating_sub(reading.at_ns);
            if late < early { after } else { before }
        };
        Ok(Self::of(root, reading, stat.into()))
    }

    fn of(root: &Path, reading: Reading, stat: Measured<ProcStat>) -> Self {
        Self {
            reading,
            stat,
            online: read::text(root, "sys/devices/system/cpu/online")
                .ok()
                .and_then(|text| text.parse().ok())
                .unwrap_or_default(),
            own_cpu_ns: own::cpu_ns(),
        }
    }

    /// The reading.
    pub const fn reading(&self) -> &Reading {
        &self.reading
    }
}

/// Makes frames.
pub struct Frames {
    /// When the window was opened, without its warm-up.
    opened: Reading,
    last: Moment,
    seq: u64,
    /// Every CPU that was online at some moment but not at all of them.
    changed: Vec<u32>,
}

impl Frames {
    /// Begins at the moment the window was opened.
    pub fn begin(first: Moment) -> Self {
        Self { opened: first.reading.clone(), last: first, seq: 0, changed: Vec::new() }
    }

    /// The frame from the last moment to this one.
    pub fn next(
        &mut self,
        root: &Path,
        now: Moment,
        warmup: bool,
        names: &mut Names,
        namespace: Option<&std::collections::HashMap<u32, u32>>,
    ) -> Frame {
        let (before, after) = (&self.last.reading, &now.reading);
        let stats = self.last.stat.clone().zip(now.stat.clone());
        let cpus = before
            .cpus
            .iter()
            .zip(&after.cpus)
            .filter_map(|((number, prev), (_, curr))| {
                let mut frame = delta::cpu_frame(*number, before, prev, after, curr)?;
                frame.proc_idle_ns = match &stats {
                    Measured::Value((earlier, later)) => later.idle_ns_since(earlier, *number),
                    Measured::NotMeasured(reason) => Measured::not(reason.clone()),
                };
                let online = now.online.contains(*number);
                if !online || !self.last.online.contains(*number) {
                    frame.idle_ns = Measured::not("the CPU was offline for part of the interval");
                }
                (online || frame.switches > 0).then_some(frame)
            })
            .collect();
        let mut longest = delta::longest(after, LONGEST);
        names.fill(root, &mut longest, namespace);
        let frame = Frame {
            seq: self.seq,
            start_ns: before.at_ns,
            end_ns: after.at_ns,
            warmup,
            cpus,
            proc_ctxt: match &stats {
                Measured::Value((earlier, later)) => later.ctxt_since(earlier),
                Measured::NotMeasured(reason) => Measured::not(reason.clone()),
            },
            longest,
            own: OwnCost {
                cpu_ns: now
                    .own_cpu_ns
                    .clone()
                    .zip(self.last.own_cpu_ns.clone())
                    .map(|(now, then)| now.saturating_sub(then)),
                read_ns: after.read_ns,
            },
        };
        let came = now.online.without(&self.last.online);
        let went = self.last.online.without(&now.online);
        self.changed.extend(came.iter().chain(went.iter()));
        self.seq += 1;
        if warmup {
            self.opened = now.reading.clone();
        }
        self.last = now;
        frame
    }

    /// The last moment.
    pub const fn last(&self) -> &Moment {
        &self.last
    }

    /// When the window was opened, without its warm-up, `CLOCK_MONOTONIC`, nanoseconds.
    pub const fn opened_ns(&self) -> u64 {
        self.opened.at_ns
    }

    /// Totals of the window so far.
    pub fn totals(&self) -> Totals {
        delta::totals(&self.opened, &self.last.reading)
    }

    /// CPUs that came or went.
    pub fn changed(&self) -> CpuList {
        self.changed.iter().copied().collect()
    }

    /// Online CPUs that never raised an event.
    pub fn not_observed(&self) -> CpuList {
        self.last
            .reading
            .cpus
            .iter()
            .filter(|(number, cpu)| cpu.epoch == 0 && self.last.online.contains(*number))
            .map(|&(number, _)| number)
            .collect()
    }
}
