//! Figures of all CPUs together.

use super::summary::{CpuSummary, Summary};
use crate::record::Measured;

impl Summary {
    /// Time observed, all CPUs together, nanoseconds.
    pub fn observed_ns(&self) -> u64 {
        self.cpus.iter().fold(0, |sum, cpu| sum.saturating_add(cpu.observed_ns))
    }

    /// Idle time of all CPUs together, nanoseconds.
    pub fn idle_ns(&self) -> Measured<u64> {
        self.sum(|cpu| &cpu.idle_ns)
    }

    /// Idle + iowait of `/proc/stat`, of all CPUs together, nanoseconds.
    pub fn proc_idle_ns(&self) -> Measured<u64> {
        self.sum(|cpu| &cpu.proc_idle_ns)
    }

    /// Idle time as a share of the time observed, 0 to 1.
    pub fn idle_share(&self) -> Measured<f64> {
        share(self.idle_ns(), self.observed_ns())
    }

    /// A sum is measured if all its parts are.
    fn sum(&self, figure: impl Fn(&CpuSummary) -> &Measured<u64>) -> Measured<u64> {
        self.cpus.iter().fold(Measured::Value(0), |sum: Measured<u64>, cpu| {
            sum.zip(figure(cpu).clone()).map(|(sum, more)| sum.saturating_add(more))
        })
    }
}

impl CpuSummary {
    /// Idle time as a share of the time observed, 0 to 1.
    pub fn idle_share(&self) -> Measured<f64> {
        share(self.idle_ns.clone(), self.observed_ns)
    }
}

fn share(part: Measured<u64>, whole: u64) -> Measured<f64> {
    if whole == 0 { Measured::not("no time was observed") } else { part.map(|part| part as f64 / whole as f64) }
}
