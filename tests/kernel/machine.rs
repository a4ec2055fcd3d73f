//! The machine that the tests run on.

use rustix::thread::{CpuSet, sched_getaffinity};

/// The CPUs that this process may run on.
pub fn own_cpus() -> Vec<u32> {
    let set = sched_getaffinity(None).unwrap();
    (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).map(|cpu| u32::try_from(cpu).unwrap()).collect()
}

/// The last of them: the first has most of the machine's own work.
pub fn last_cpu() -> u32 {
    *own_cpus().last().unwrap()
}

/// All but the last of them, as a CPU list; all, where there is one.
pub fn other_cpus() -> String {
    let mut cpus = own_cpus();
    if cpus.len() > 1 {
        cpus.pop();
    }
    cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// The kernel's `pid_max`.
pub fn pid_max() -> u32 {
    std::fs::read_to_string("/proc/sys/kernel/pid_max").unwrap().trim().parse().unwrap()
}
