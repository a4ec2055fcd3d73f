//! Cumulative readings, wherever they come from.

use collector_ebpf::abi::Cpu;

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
}
