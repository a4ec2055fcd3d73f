//! What happened between two cumulative readings.
//!
//! Maps are never cleared: what is read and cleared in two steps loses what comes
//! in between. Counts and sums are subtracted; extremes, which cannot be, are kept
//! for an epoch by the kernel side and belong to the frame that closes it.

use collector_ebpf::{
    abi::{Cpu, Waits},
    bucket,
    runq::{COLLECTOR, OTHERS, WORKLOAD},
};

use crate::{
    record::{CpuFrame, Hist, LongWait, Measured, TaskClass, Totals, WaitsByClass},
    source::Reading,
};

/// Figures of one CPU between two readings; none if it raised no event so far.
pub fn cpu_frame(number: u32, before: &Reading, prev: &Cpu, after: &Reading, curr: &Cpu) -> Option<CpuFrame> {
    if curr.epoch == 0 {
        return None;
    }
    let waits = |class: u8| {
        let class = class as usize;
        histogram(&prev.waits[class], &curr.waits[class], extremes(curr, class, after.epoch))
    };
    Some(CpuFrame {
        cpu: number,
        switches: curr.switches.wrapping_sub(prev.switches),
        involuntary: curr.involuntary.wrapping_sub(prev.involuntary),
        migrated: curr.migrated.wrapping_sub(prev.migrated),
        unseen: curr.unseen.wrapping_sub(prev.unseen),
        backwards: curr.backwards.wrapping_sub(prev.backwards),
        before_window: curr.before_window.wrapping_sub(prev.before_window),
        no_slot: curr.no_slot.wrapping_sub(prev.no_slot),
        untraced: curr.untraced.wrapping_sub(prev.untraced),
        unknown_ns: curr.unknown_ns.wrapping_sub(prev.unknown_ns),
        end_untraced: curr.end_untraced.wrapping_sub(prev.end_untraced),
        workload_end_untraced: curr.workload_end_untraced.wrapping_sub(prev.workload_end_untraced),
        forks: curr.forks.wrapping_sub(prev.forks),
        workload_forks: curr.workload_forks.wrapping_sub(prev.workload_forks),
        execs: curr.execs.wrapping_sub(prev.execs),
        exits: curr.exits.wrapping_sub(prev.exits),
        idle_ns: match idle_up_to(prev, before.at_ns).zip(idle_up_to(curr, after.at_ns)) {
            Some((before, after)) => Measured::Value(after.saturating_sub(before)),
            None => Measured::not("the CPU raised its first event in this interval"),
        },
        proc_idle_ns: Measured::not("not read"),
        waits: WaitsByClass { workload: waits(WORKLOAD), others: waits(OTHERS), collector: waits(COLLECTOR) },
    })
}

/// Idle time up to `at_ns`; a CPU that is idle then is credited up to it. None
/// before the first event.
pub fn idle_up_to(cpu: &Cpu, at_ns: u64) -> Option<u64> {
    if cpu.epoch == 0 {
        return None;
    }
    let open = match cpu.idle_since {
        0 => 0,
        since => at_ns.wrapping_sub(cpu.offset).saturating_sub(since),
    };
    // A clock that lags behind the switch by less than a frame gives a wrapped, huge value.
    Some(cpu.idle_ns + if open > u64::MAX / 2 { 0 } else { open })
}

/// Shortest and longest wait of the epoch that ended, if the CPU has seen it.
fn extremes(cpu: &Cpu, class: usize, epoch: u64) -> Option<(u64, u64)> {
    let seen = cpu.epoch == epoch || cpu.epoch == epoch + 1;
    let parity = (epoch & 1) as usize;
    let (min, max) = (cpu.waits[class].min[parity], cpu.waits[class].max[parity]);
    (seen && min <= max).then_some((min, max))
}

/// The waits between two readings.
///
/// A wait that ends between the change of epoch and the reading is counted in this
/// frame and its extreme in the next. An extreme that cannot be of these waits is not
/// taken; buckets and mean then bound it from their side.
pub fn histogram(prev: &Waits, curr: &Waits, extremes: Option<(u64, u64)>) -> Hist {
    let counts: Vec<(u32, u64)> = (0u32..)
        .zip(prev.counts.iter().zip(&curr.counts))
        .filter_map(|(index, (a, b))| Some((index, b.wrapping_sub(*a))).filter(|&(_, count)| count != 0))
        .collect();
    let overflow = curr.overflow.wrapping_sub(prev.overflow);
    let lowest = counts.first().map(|&(index, _)| index as usize).or((overflow > 0).then_some(bucket::BUCKETS));
    let highest = if overflow > 0 { Some(bucket::BUCKETS) } else { counts.last().map(|&(index, _)| index as usize) };
    let (Some(lowest), Some(highest)) = (lowest, highest) else { return Hist::default() };
    let hist = Hist { sum_ns: curr.sum.wrapping_sub(prev.sum), min_ns: 0, max_ns: 0, overflow, counts };
    // The shortest is no longer than the mean, the longest no shorter.
    let n = hist.n();
    let min = (hist.sum_ns / n).clamp(bucket::lower(lowest), bucket::upper(lowest));
    let max = hist.sum_ns.div_ceil(n).clamp(bucket::lower(highest), bucket::upper(highest));
    let shortest = extremes.map(|(shortest, _)| shortest).filter(|ns| (bucket::lower(lowest)..=min).contains(ns));
    let longest = extremes.map(|(_, longest)| longest).filter(|ns| (max..=bucket::upper(highest)).contains(ns));
    Hist { min_ns: shortest.unwrap_or(min), max_ns: longest.unwrap_or(max), ..hist }
}

/// Totals between two readings, without the way over frames and histograms.
pub fn totals(first: &Reading, last: &Reading) -> Totals {
    let mut totals = Totals::default();
    for ((_, prev), (_, curr)) in first.cpus.iter().zip(&last.cpus) {
        totals.switches += curr.switches.wrapping_sub(prev.switches);
        for (prev, curr) in prev.waits.iter().zip(&curr.waits) {
            totals.waits += finished(curr).wrapping_sub(finished(prev));
            totals.wait_ns += curr.sum.wrapping_sub(prev.sum);
        }
    }
    totals
}

fn finished(waits: &Waits) -> u64 {
    waits.counts.iter().sum::<u64>() + waits.overflow
}

/// The longest waits of all CPUs so far, longest first. Names of the tasks that
/// ran meanwhile are filled in where the kernel side noted them.
pub fn longest(reading: &Reading, keep: usize) -> Vec<LongWait> {
    let mut all: Vec<LongWait> = reading
        .cpus
        .iter()
        .flat_map(|(number, cpu)| cpu.top.iter().filter(|wait| wait.ns != 0).map(|wait| long_wait(*number, cpu, wait)))
        .collect();
    all.sort_by_key(|wait| (std::cmp::Reverse(wait.wait_ns), wait.end_ns));
    all.truncate(keep);
    all
}

fn long_wait(number: u32, cpu: &Cpu, wait: &collector_ebpf::top::LongWait) -> LongWait {
    let last_comm = comm(&wait.last_comm);
    LongWait {
        wait_ns: wait.ns,
        end_ns: wait.end.wrapping_add(cpu.offset),
        cpu: number,
        from_cpu: wait.from_cpu,
        pid: wait.pid,
        tgid: wait.tgid,
        comm: comm(&wait.comm),
        class: class(wait.class),
        ran_pid: wait.ran_pid,
        ran_comm: if wait.ran_ns == 0 {
            Measured::not("more switches than are remembered")
        } else if wait.ran_pid == 0 {
            Measured::Value("idle".to_owned())
        } else if wait.ran_pid == wait.last_pid {
            Measured::Value(last_comm.clone())
        } else {
            Measured::not("the task was gone before its name was read")
        },
        ran_ns: if wait.ran_ns == 0 {
            Measured::not("more switches than are remembered")
        } else {
            Measured::Value(wait.ran_ns)
        },
        last_pid: wait.last_pid,
        last_comm,
    }
}

/// The class that the kernel side gave a task.
pub const fn class(number: u32) -> TaskClass {
    if number == WORKLOAD as u32 {
        TaskClass::Workload
    } else if number == COLLECTOR as u32 {
        TaskClass::Collector
    } else {
        TaskClass::Others
    }
}

/// A task's name up to the first NUL.
pub fn comm(bytes: &[u8; 16]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests;
