//! Keeping threads to CPUs.

use anyhow::{Context, ensure};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// A mask of these CPUs.
///
/// # Errors
/// A CPU that the calling thread may not run on: offline, not there, or taken away by
/// a cgroup or `taskset`.
pub(super) fn mask(cpus: &[u32]) -> anyhow::Result<CpuSet> {
    let allowed = sched_getaffinity(None).context("the CPUs this process may run on cannot be read")?;
    let mut mask = CpuSet::new();
    for &cpu in cpus {
        let index = usize::try_from(cpu)?;
        ensure!(
            index < CpuSet::MAX_CPU && allowed.is_set(index),
            "CPU {cpu} is not one of those this process may run on ({})",
            listed(&allowed)
        );
        mask.set(index);
    }
    Ok(mask)
}

/// Keeps the calling thread, and those that it will start, to these CPUs.
pub(super) fn keep_to(mask: &CpuSet) -> anyhow::Result<()> {
    sched_setaffinity(None, mask).context("a thread cannot be kept to its CPU")
}

/// `0-3,8`.
fn listed(set: &CpuSet) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for cpu in (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let range = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    ranges.into_iter().map(range).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn sets_are_listed_as_ranges() {
        let mut set = CpuSet::new();
        assert_eq!(listed(&set), "");
        for cpu in [0, 1, 2, 5, 1023] {
            set.set(cpu);
        }
        assert_eq!(listed(&set), "0-2,5,1023");
    }

    #[test]
    fn a_cpu_that_is_not_there_is_named() {
        let error = mask(&[1_000_000]).unwrap_err().to_string();
        assert!(error.starts_with("CPU 1000000 is not one of those this process may run on (0"), "{error}");
    }
}
