//! The JSON report's types. Units are in the names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    engine::{quality::Concern, reconcile::Unit, summary::Counts},
    record::{
        ClockChoice, EndReason, GroupEnd, Header, HistogramParameters, LongWait, Machine, MapMemory, Measured,
        OpenWaits, Options, Probe, ProgramCost, Target, Tool,
    },
};

/// Version of the report's schema. It grows when a reader of the old one would
/// misunderstand the new one; fields that are only added leave it alone.
pub const VERSION: u32 = 1;

/// A report. What was not measured is `{"not_measured": "why"}`, never 0 and never left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// `collector-report`.
    pub format: String,
    /// [`VERSION`] of the writer of the report.
    pub version: u32,
    /// What ran, on what.
    pub run: Run,
    /// The stretch of time the figures are of.
    pub window: Window,
    /// The whole machine.
    pub total: Figures,
    /// CPU by CPU, in order of number.
    pub cpus: Vec<CpuFigures>,
    /// The longest waits, longest first.
    pub longest_waits: Vec<LongWait>,
    /// Waits that were open at the end.
    pub open_waits: Measured<OpenWaits>,
    /// Whether the figures can be trusted.
    pub quality: Quality,
    /// Own figures beside their witnesses.
    pub reconciliation: Vec<Check>,
}

/// What ran, on what, and how it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// The program that wrote the record.
    pub tool: Tool,
    /// When tracing was ready, RFC 3339, UTC.
    pub started: String,
    /// The machine.
    pub machine: Machine,
    /// What was measured.
    pub target: Target,
    /// How.
    pub options: Options,
    /// Why it ended.
    pub ended: Measured<EndReason>,
    /// Exit code of the collector.
    pub exit_code: Measured<i32>,
    /// How each of several commands ended, in the order of the target's; empty where there
    /// was one command, or no command.
    pub groups: Measured<Vec<GroupEnd>>,
    /// The kernel programs.
    pub probes: Vec<Probe>,
    /// The clock that stamped the events.
    pub clock: ClockChoice,
    /// How the histograms' buckets are to be read.
    pub histogram: HistogramParameters,
    /// Memory taken in the kernel by maps.
    pub kernel_memory: Vec<MapMemory>,
}

impl Run {
    /// Of a record with this header, how it ended apart.
    pub fn new(
        header: &Header,
        ended: Measured<EndReason>,
        exit_code: Measured<i32>,
        groups: Measured<Vec<GroupEnd>>,
    ) -> Self {
        let Header { tool, started, machine, target, options, probes, clock, histogram, kernel_memory, .. } =
            header.clone();
        Self {
            tool,
            started,
            machine,
            target,
            options,
            ended,
            exit_code,
            groups,
            probes,
            clock,
            histogram,
            kernel_memory,
        }
    }
}

/// The stretch of time the figures are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// Begin, `CLOCK_MONOTONIC`, nanoseconds; 0 where there is no frame.
    pub start_ns: u64,
    /// Length, nanoseconds.
    pub duration_ns: u64,
    /// Frames in it.
    pub frames: u64,
    /// Frames of the warm-up before it, which are in no figure.
    pub warmup_frames: u64,
    /// Frames that ought to be there by their numbers and are not.
    pub missing_frames: u64,
}

/// One CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuFigures {
    /// The CPU.
    pub cpu: u32,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
}

/// The figures of one CPU or of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    /// What was counted.
    pub counts: Counts,
    /// Time observed, nanoseconds; of all CPUs together, where it is all.
    pub observed_ns: u64,
    /// Idle time within it, nanoseconds.
    pub idle_ns: Measured<u64>,
    /// Idle time as a share of the time observed, 0 to 1, to a millionth.
    pub idle_share: Measured<f64>,
    /// Idle + iowait of `/proc/stat` over the same time, nanoseconds.
    pub proc_idle_ns: Measured<u64>,
    /// Waits open at the end.
    pub open_waits: Measured<u64>,
    /// Finished waits.
    pub waits: Waits,
}

/// Finished waits by class of task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Waits {
    /// The workload's, where there is one.
    pub workload: Measured<Distribution>,
    /// Everybody else's.
    pub others: Distribution,
    /// The collector's own.
    pub collector: Distribution,
    /// All of them.
    pub all: Distribution,
}

/// Waits in figures and as a histogram.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Distribution {
    /// How many waits.
    pub n: u64,
    /// Sum, nanoseconds, exact.
    pub sum_ns: u64,
    /// Mean, nanoseconds, to a thousandth.
    pub mean_ns: Measured<f64>,
    /// Shortest, nanoseconds.
    pub min_ns: Measured<u64>,
    /// Median, nanoseconds; percentiles are at most 3.1 % too high.
    pub p50_ns: Measured<u64>,
    /// 90th percentile, nanoseconds.
    pub p90_ns: Measured<u64>,
    /// 95th percentile, nanoseconds.
    pub p95_ns: Measured<u64>,
    /// 99th percentile, nanoseconds.
    pub p99_ns: Measured<u64>,
    /// 99.9th percentile, nanoseconds.
    pub p99_9_ns: Measured<u64>,
    /// Longest, nanoseconds.
    pub max_ns: Measured<u64>,
    /// Waits beyond the last bucket.
    pub overflow: u64,
    /// `[from_ns, to_ns, count]`: the waits of `[from_ns, to_ns)` in nanoseconds, counts
    /// above 0 only, in order.
    pub buckets: Vec<(u64, u64, u64)>,
}

/// Whether the figures can be trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quality {
    /// Whether nothing speaks against it.
    pub trusted: bool,
    /// Whether the record ends before the run did.
    pub cut: bool,
    /// What speaks against it, and what is good to know.
    pub concerns: Vec<Concern>,
    /// Times a program was not run because it was running already on that CPU.
    pub recursion_misses: Measured<u64>,
    /// Events lost on the way to user space.
    pub dropped_events: Measured<u64>,
    /// Online CPUs on which no event was seen, as a CPU list.
    pub cpus_not_observed: Measured<String>,
    /// CPUs that came or went during the run, as a CPU list.
    pub cpus_changed: Measured<String>,
    /// Runs and run time of the kernel programs.
    pub programs: Measured<ProgramCost>,
    /// CPU time of the collector over the window, nanoseconds.
    pub own_cpu_ns: Measured<u64>,
    /// Peak memory of the collector, bytes.
    pub peak_memory_bytes: Measured<u64>,
}

/// A figure and its witness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What is compared.
    pub what: String,
    /// The CPU, where it is the figure of a single one.
    pub cpu: Option<u32>,
    /// Where the witness is from.
    pub witness: String,
    /// The unit of both.
    pub unit: Unit,
    /// Own figure.
    pub own: Measured<u64>,
    /// The witness's.
    pub other: Measured<u64>,
    /// Difference as a share of the witness, or, for idle time, of one CPU; 0.01 is 1 %, to a
    /// millionth.
    pub difference: Measured<f64>,
    /// The largest difference that is in order.
    pub tolerance: f64,
    /// Whether they agree.
    pub agrees: Measured<bool>,
}
