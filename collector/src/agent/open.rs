//! Waits that are open when the window is closed.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use collector_ebpf::abi::Cpu;

use super::{frames::LONGEST, names};
use crate::{
    engine::delta,
    host::read,
    probe::tasks::Waiting,
    record::{Measured, OpenWait, OpenWaits},
    source::Reading,
};

/// Sums up the tasks found waiting in the window that was opened at `opened_ns`, right after `reading`, which closed the window. A
/// wait counts from the opening of the window where it began before.
pub fn open_waits(
    root: &Path,
    opened_ns: u64,
    reading: &Reading,
    waiting: &[Waiting],
    namespace: Option<&HashMap<u32, u32>>,
) -> OpenWaits {
    let cpus: HashMap<u32, &Cpu> = reading.cpus.iter().map(|(number, cpu)| (*number, cpu)).collect();
    let mut open: Vec<OpenWait> = waiting
        .iter()
        .filter_map(|entry| {
            let began_on = u32::from(entry.task.cpu);
            let waited_ns =
                cpus.get(&began_on).and_then(|cpu| waited(entry.task.start, cpu, opened_ns, reading.at_ns))?;
            Some(OpenWait {
                waited_ns,
                pid: entry.pid,
                comm: Measured::not("not read"),
                cpu: queued_on(root, entry.pid, namespace).unwrap_or(began_on),
                class: delta::class(u32::from(entry.task.class)),
            })
        })
        .collect();
    let mut by_cpu = BTreeMap::new();
    for wait in &open {
        *by_cpu.entry(wait.cpu).or_insert(0) += 1;
    }
    let count = open.len() as u64;
    open.sort_by_key(|wait| (std::cmp::Reverse(wait.waited_ns), wait.pid));
    open.truncate(LONGEST);
    for wait in &mut open {
        wait.comm = names::comm(root, wait.pid, namespace)
            .map_or_else(|| Measured::not("the task was gone before its name was read"), Measured::Value);
    }
    OpenWaits { count, by_cpu: by_cpu.into_iter().collect(), longest: open }
}

/// How long a wait that began at `start` had lasted at `at_ns`, `CLOCK_MONOTONIC`; none
/// if it began later.
fn waited(start: u64, cpu: &Cpu, opened_ns: u64, at_ns: u64) -> Option<u64> {
    let began = start.wrapping_add(cpu.offset).max(opened_ns);
    at_ns.checked_sub(began)
}

/// The CPU a task is on or queued on: field 39 of `/proc/PID/stat` (proc_pid_stat(5)).
fn queued_on(root: &Path, pid: u32, namespace: Option<&HashMap<u32, u32>>) -> Option<u32> {
    let pid = match namespace {
        Some(namespace) => *namespace.get(&pid)?,
        None => pid,
    };
    let stat = read::text(root, &format!("proc/{pid}/stat")).ok()?;
    processor(&stat)
}

fn processor(stat: &str) -> Option<u32> {
    // The name in brackets may hold spaces and brackets; what follows it does not.
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split_ascii_whitespace().nth(36)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_found_behind_odd_names() {
        let fields: Vec<String> = (3..=52).map(|field| field.to_string()).collect();
        let stat = format!("17 (a) b (c) {}", fields.join(" "));
        assert_eq!(processor(&stat), Some(39));
        assert_eq!(processor("17 (a"), None);
        assert_eq!(processor(""), None);
    }
}
