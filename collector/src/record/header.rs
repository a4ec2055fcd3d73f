//! What ran, on what, and how it was measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Measured;

/// The first line of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// [`super::SCHEMA_VERSION`] of the writer.
    pub schema: u32,
    /// The writer.
    pub tool: Tool,
    /// When tracing was ready, RFC 3339, UTC.
    pub started: String,
    /// The same on `CLOCK_MONOTONIC`, nanoseconds.
    pub started_ns: u64,
    /// The machine.
    pub machine: Machine,
    /// What was measured.
    pub target: Target,
    /// How.
    pub options: Options,
    /// The kernel programs.
    pub probes: Vec<Probe>,
    /// The clock that stamped the events.
    pub clock: ClockChoice,
    /// How histograms are to be read.
    pub histogram: HistogramParameters,
    /// Memory taken in the kernel by maps.
    pub kernel_memory: Vec<MapMemory>,
}

/// The program that wrote the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// `collector`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How its kernel object was built.
    pub kernel_object: String,
}

/// The machine as it was when the run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// `uname -n`.
    pub hostname: String,
    /// `uname -r`.
    pub kernel: String,
    /// `uname -m`.
    pub arch: String,
    /// Model name of the processor.
    pub model: Measured<String>,
    /// CPUs that could ever exist, as a CPU list.
    pub possible: String,
    /// CPUs that are plugged in, as a CPU list.
    pub present: String,
    /// CPUs that ran, as a CPU list.
    pub online: String,
    /// State of SMT: the kernel's `smt/control`.
    pub smt: Measured<String>,
    /// Where each online CPU is.
    pub topology: Vec<CpuPlace>,
}

/// Place of one CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuPlace {
    /// Its number.
    pub cpu: u32,
    /// Physical package (socket).
    pub package: Measured<u32>,
    /// Core, unique within the package.
    pub core: Measured<u32>,
    /// NUMA node.
    pub node: Measured<u32>,
    /// The CPUs of its core, itself among them, as a CPU list.
    pub siblings: Measured<String>,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum Target {
    /// A command that the collector launched.
    Launch {
        /// The command and its arguments.
        argv: Vec<String>,
        /// The user it ran as, where that is not the collector's.
        user: Option<String>,
    },
    /// Several commands that the collector launched side by side.
    Groups {
        /// The commands, in the order they were given and launched.
        groups: Vec<Group>,
        /// The user they ran as, where that is not the collector's.
        user: Option<String>,
    },
    /// A running process and its descendants.
    Pid {
        /// Its process id as the collector's namespace sees it.
        pid: u32,
        /// Its command line.
        argv: Vec<String>,
    },
    /// The whole machine, no workload.
    All,
}

/// One of several commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// What it is called, unique in the record.
    pub name: String,
    /// The shell command, as it was handed to `sh -c`.
    pub command: String,
}

/// The options of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Options {
    /// Length of a frame, milliseconds.
    pub interval_ms: u64,
    /// Left out at the beginning, milliseconds.
    pub warmup_ms: u64,
    /// Time cap, milliseconds.
    pub duration_ms: Option<u64>,
    /// CPUs that the collector itself was kept on, as a CPU list.
    pub agent_cpus: Option<String>,
    /// The core-scheduling cookie that the launched commands were given: `new`, each one
    /// of its own, or `pid:PID`, that of a running process.
    pub core_sched: Option<String>,
}

/// How a program hangs on its tracepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProbeKind {
    /// BTF tracepoint (`tp_btf`): direct loads.
    BtfTracepoint,
    /// Raw tracepoint: copies through a helper.
    RawTracepoint,
}

/// One kernel program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Probe {
    /// The tracepoint.
    pub tracepoint: String,
    /// Whether it is attached.
    pub verdict: Verdict,
}

/// What became of a kernel program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Attached.
    Attached {
        /// How.
        kind: ProbeKind,
        /// Why not the better way, where it was refused.
        fallback_reason: Option<String>,
    },
    /// Not attached, and why.
    Missing {
        /// In words for a person.
        reason: String,
    },
}

/// The programs' clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockChoice {
    /// Which.
    pub kind: ClockKind,
    /// Why this one.
    pub reason: String,
}

/// Clocks that can stamp events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClockKind {
    /// `rq->clock`, already computed by the scheduler.
    RunQueue,
    /// `CLOCK_MONOTONIC`, read at each event.
    Monotonic,
}

/// How to turn a bucket's index into values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistogramParameters {
    /// Bits of precision within an octave: 2^bits buckets each.
    pub sub_bits: u32,
    /// Values of 2^`max_bits` nanoseconds and more overflow.
    pub max_bits: u32,
    /// Number of buckets.
    pub buckets: u32,
}

impl HistogramParameters {
    /// Those of this program's kernel side.
    pub const fn current() -> Self {
        use collector_ebpf::bucket::{BUCKETS, MAX_BITS, SUB_BITS};
        Self { sub_bits: SUB_BITS, max_bits: MAX_BITS, buckets: BUCKETS as u32 }
    }
}

/// A map's memory in the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MapMemory {
    /// The map.
    pub map: String,
    /// Bytes.
    pub bytes: u64,
}
