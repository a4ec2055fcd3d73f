//! Cumulative readings, wherever they come from.

use collector_ebpf::{
    abi::{Blame, ByCause, Core, Cpu, Culprit, Episodes},
    core_state::LOSSES,
};

/// All that the kernel programs counted up to one moment.
#[derive(Clone)]
pub struct Reading {
    /// When, `CLOCK_MONOTONIC`, nanoseconds.
    pub at_ns: u64,
    /// How long the reading took, nanoseconds.
    pub read_ns: u64,
    /// The epoch that ended with this reading, see [`collector_ebpf::abi::Control::epoch`].
    pub epoch: u64,
    /// One value a possible CPU, with its number.
    pub cpus: Vec<(u32, Cpu)>,
    /// Waits by cause, in the same order.
    pub by_cause: Vec<ByCause>,
    /// The cores with siblings that the programs look at.
    pub cores: Vec<CoreReading>,
    /// Who caused forced idle, and who waited for it.
    pub blames: Vec<(Culprit, Blame)>,
}

/// What was counted of a core.
#[derive(Clone)]
pub struct CoreReading {
    /// The core.
    pub core: Core,
    /// Its siblings' losses.
    pub losses: Vec<Losses>,
}

/// How long a CPU lost at a time.
#[derive(Clone)]
pub struct Losses {
    /// The CPU.
    pub cpu: u32,
    /// By [`collector_ebpf::core_state::Loss`].
    pub episodes: [Episodes; LOSSES],
}
