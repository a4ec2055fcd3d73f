//! Records made up here: no kernel, no clock, the same on every machine.

use std::{io::Cursor, path::Path};

use collector::{
    output::Loaded,
    record::{
        CpuFrame, Frame, Header, Hist, Line, Measured, OwnCost, Totals, Trailer, WaitsByClass, read::Reader,
        write::Writer,
    },
};
use collector_ebpf::bucket;

mod ends;

pub use ends::long_wait;
use ends::{header, trailer};

/// Where the windows of these records begin.
pub const START: u64 = 7_000_000_000_000;
const SECOND: u64 = 1_000_000_000;

/// A record to be, open to changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub header: Header,
    pub frames: Vec<Frame>,
    pub trailer: Option<Trailer>,
}

impl Run {
    /// The lines of the file.
    pub fn lines(&self) -> Vec<Line> {
        let header = Line::Header(Box::new(self.header.clone()));
        let frames = self.frames.iter().map(|frame| Line::Frame(Box::new(frame.clone())));
        let trailer = self.trailer.iter().map(|trailer| Line::Trailer(Box::new(trailer.clone())));
        [header].into_iter().chain(frames).chain(trailer).collect()
    }

    /// Writes the file.
    pub fn write(&self, path: &Path) {
        let mut writer = Writer::create(path).unwrap();
        writer.begin(self.header.clone()).unwrap();
        for frame in &self.frames {
            writer.frame(frame.clone()).unwrap();
        }
        if let Some(trailer) = &self.trailer {
            writer.end(trailer.clone()).unwrap();
        }
    }

    /// The bytes of the file, as the writer writes them.
    pub fn bytes(&self) -> Vec<u8> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.jsonl");
        self.write(&path);
        std::fs::read(path).unwrap()
    }

    /// What a report is made of, by way of the file.
    pub fn loaded(&self) -> Loaded {
        loaded(self.bytes())
    }

    /// With totals that are those of its frames.
    pub fn settled(mut self) -> Self {
        let mut totals = Totals::default();
        for cpu in self.frames.iter().filter(|frame| !frame.warmup).flat_map(|frame| &frame.cpus) {
            totals.switches += cpu.switches;
            for waits in [&cpu.waits.workload, &cpu.waits.others, &cpu.waits.collector] {
                totals.waits += waits.n();
                totals.wait_ns += waits.sum_ns;
            }
        }
        if let Some(trailer) = &mut self.trailer {
            trailer.totals = totals;
        }
        self
    }

    /// Leaves the trailer out, as a kill -9 does.
    pub fn cut(mut self) -> Self {
        self.trailer = None;
        self
    }
}

/// What a file with these bytes comes to.
pub fn loaded(bytes: Vec<u8>) -> Loaded {
    Loaded::read(Reader::new(Cursor::new(bytes), "run.jsonl").unwrap()).unwrap()
}

/// Numbers that look random and are the same every time (xorshift64*).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// `n` waits around `typical` nanoseconds, each octave beyond it half as likely.
    pub fn waits(&mut self, n: u64, typical: u64) -> Vec<u64> {
        let one = |_| {
            let octaves = self.next().trailing_zeros().min(12);
            (typical << octaves) / 2 + self.below(typical << octaves)
        };
        (0..n).map(one).collect()
    }
}

/// The histogram of these waits.
pub fn hist(values: &[u64]) -> Hist {
    let mut counts = std::collections::BTreeMap::new();
    let mut overflow = 0;
    for &value in values {
        match bucket::index(value) {
            bucket::BUCKETS => overflow += 1,
            index => *counts.entry(index as u32).or_insert(0) += 1,
        }
    }
    Hist {
        sum_ns: values.iter().sum(),
        min_ns: values.iter().copied().min().unwrap_or(0),
        max_ns: values.iter().copied().max().unwrap_or(0),
        overflow,
        counts: counts.into_iter().collect(),
    }
}

/// One CPU of one frame in which all is in order.
pub fn cpu_frame(cpu: u32, waits: WaitsByClass, numbers: &mut Numbers) -> CpuFrame {
    let n = waits.workload.n() + waits.others.n() + waits.collector.n();
    let idle = numbers.below(SECOND);
    CpuFrame {
        cpu,
        switches: n * 2 + 7,
        involuntary: n / 9,
        migrated: n / 20,
        unseen: 0,
        backwards: 0,
        before_window: 0,
        untraced: 0,
        unknown_ns: 0,
        end_untraced: 0,
        workload_end_untraced: 0,
        no_slot: 0,
        forks: 3,
        workload_forks: 2,
        execs: 1,
        exits: 3,
        idle_ns: Measured::Value(idle),
        proc_idle_ns: Measured::Value((idle / 10_000_000) * 10_000_000),
        waits,
    }
}

/// A frame of these CPUs.
pub fn frame(seq: u64, cpus: Vec<CpuFrame>) -> Frame {
    let switches = cpus.iter().fold(0_u64, |sum, cpu| sum.saturating_add(cpu.switches));
    Frame {
        seq,
        start_ns: START + seq * SECOND,
        end_ns: START + (seq + 1) * SECOND,
        warmup: false,
        cpus,
        proc_ctxt: Measured::Value(switches.saturating_add(switches / 400)),
        longest: vec![long_wait(9, 1)],
        own: OwnCost { cpu_ns: Measured::Value(2_100_000), read_ns: 180_000 },
    }
}

/// A launched command, `frames` seconds on a machine of `cpus` CPUs, two threads a core.
pub fn launch(cpus: u32, frames: u64) -> Run {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut one = |cpu: u32| {
        let waits = WaitsByClass {
            workload: hist(&numbers.waits(900 + u64::from(cpu) * 31, 3_000)),
            others: hist(&numbers.waits(60, 9_000)),
            collector: if cpu == 0 { hist(&numbers.waits(3, 5_000)) } else { Hist::default() },
        };
        cpu_frame(cpu, waits, &mut numbers)
    };
    let frames = (0..frames).map(|seq| frame(seq, (0..cpus).map(&mut one).collect())).collect::<Vec<_>>();
    let ended_ns = frames.last().map_or(START, |frame| frame.end_ns);
    Run { header: header(cpus), frames, trailer: Some(trailer(cpus, ended_ns)) }.settled()
}
