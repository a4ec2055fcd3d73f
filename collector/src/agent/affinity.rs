//! Where the collector itself runs, and a visit to each CPU before the window opens.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::host::cpulist::CpuList;

/// The largest CPU number that an affinity mask here can hold, and one.
const MASK: u32 = CpuSet::MAX_CPU as u32;

/// The CPUs this process may run on.
///
/// # Errors
///
/// What the kernel said.
pub fn current() -> std::io::Result<CpuSet> {
    Ok(sched_getaffinity(None)?)
}

/// Keeps this process on some CPUs.
///
/// # Errors
///
/// In words, if none of them may be used.
pub fn keep_on(cpus: &CpuList) -> anyhow::Result<()> {
    if cpus.is_empty() {
        anyhow::bail!("--agent-cpus is an empty list: give CPUs, as in 0-3,8");
    }
    let mut set = CpuSet::new();
    for cpu in cpus.iter().filter(|&cpu| cpu < MASK) {
        set.set(cpu as usize);
    }
    sched_setaffinity(None, &set).map_err(|error| {
        anyhow::anyhow!(
            "cannot keep the collector on CPU {cpus} ({error}): give --agent-cpus CPUs that are online and allowed here"
        )
    })
}

/// Runs on each CPU once, so that each raises an event and its state is known from
/// then on: a CPU that sleeps raises none by itself. Returns those that could not be
/// visited; the affinity is then what it was.
pub fn visit(cpus: &CpuList) -> Vec<u32> {
    let Ok(before) = current() else { return cpus.iter().collect() };
    let mut missed = Vec::new();
    for cpu in cpus.iter() {
        let mut set = CpuSet::new();
        let visited = cpu < MASK && {
            set.set(cpu as usize);
            sched_setaffinity(None, &set).is_ok()
        };
        if !visited {
            missed.push(cpu);
        }
    }
    if let Err(error) = sched_setaffinity(None, &before) {
        tracing::warn!("cannot give the collector its CPUs back: {error}");
    }
    missed
}
