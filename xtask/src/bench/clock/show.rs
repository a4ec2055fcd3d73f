//! What came out, in words and tables.

use collector_ebpf::proof::{Began, Case, Clock, Distribution, LIMIT_NS};

use super::counts::{Counts, OfCase, percentile};
use crate::table::Table;

/// How far the mean may be off, nanoseconds.
const MEAN_NS: f64 = 100.0;

/// The figures of one load; `stolen` is what the hypervisor took, in CPUs.
pub fn section(load: &str, counts: &Counts, stolen: f64) -> String {
    let cases = counts.cases();
    let waits: u64 = cases.iter().map(|case| case.waits).sum();
    let mut text = format!("### {load}\n\n");
    if waits == 0 {
        text.push_str("no samples\n\n");
        return text;
    }
    let sum: i64 = cases.iter().map(|case| case.sum).sum();
    let mean = sum as f64 / waits as f64;
    let absolute = counts.differences();
    text.push_str(&format!(
        "{waits} waits. Mean difference {mean:+.1} ns ({} +-{MEAN_NS:.0} ns). Differences without sign: {}.\n\n",
        if mean.abs() <= MEAN_NS { "within" } else { "NOT within" },
        spread(&absolute, cases.iter().map(|case| case.worst.ns).max())
    ));
    text.push_str(&above(&cases, waits, counts.discarded(), stolen));
    text.push_str(&distributions(counts).render());
    text.push('\n');
    text.push_str(&table(&cases).render());
    text.push('\n');
    text
}

/// Percentiles in one line.
fn spread(distribution: &[u64], most: Option<u64>) -> String {
    let mut parts: Vec<String> = [(0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9")]
        .into_iter()
        .filter_map(|(at, name)| Some(format!("{name} {}", time(percentile(distribution, at)?.min(most?)))))
        .collect();
    parts.extend(most.map(|most| format!("max {}", time(most))));
    parts.join(", ")
}

/// Those above the limit, by explanation.
fn above(cases: &[OfCase], waits: u64, discarded: u64, stolen: f64) -> String {
    let total = |of: &dyn Fn(&Case) -> bool| {
        cases.iter().filter(|of_case| of(&of_case.case)).map(|case| case.longer + case.shorter).sum::<u64>()
    };
    let all = total(&|_| true);
    let stale = total(&|case| case.clock == Clock::Stale || case.began == Began::PreemptedStale);
    let share = |n: u64| format!("{n} ({:.4} %)", n as f64 / waits as f64 * 100.0);
    let mut text = format!("Above {} us: {}.", LIMIT_NS / 1000, share(all));
    if all > 0 {
        text.push_str(&format!(
            " Of these {} began or ended at a switch whose clock was known to stand still and was not repaired; {} \
             have no such explanation: they are the time from the clock's update to the tracepoint, a cold cache, \
             an interrupt, the balancer, or the hypervisor, which took {stolen:.3} CPUs meanwhile.",
            share(stale),
            share(all - stale),
        ));
    }
    if discarded > 0 {
        text.push_str(&format!(
            " {discarded} waits were discarded by one of the clocks only, as ending before they began."
        ));
    }
    text.push_str("\n\n");
    text
}

fn distributions(counts: &Counts) -> Table {
    let mut table = Table::new(&["waits by", "p50", "p90", "p99", "p99.9", "p99.99"]);
    for (of, name) in [(Distribution::Scheduler, "the scheduler's clock"), (Distribution::Monotonic, "CLOCK_MONOTONIC")]
    {
        let distribution = counts.distribution(of);
        let mut row = vec![name.to_owned()];
        row.extend([0.5, 0.9, 0.99, 0.999, 0.9999].map(|at| percentile(distribution, at).map_or("".into(), time)));
        table.row(row);
    }
    table
}

fn table(cases: &[OfCase]) -> Table {
    let mut table = Table::new(&[
        "wait began by",
        "clock at its end",
        "moved",
        "waits",
        "mean difference",
        "> 2 us",
        "< -2 us",
        "worst",
        "which was",
    ]);
    for of in cases {
        let Case { began, clock, migrated } = of.case;
        table.row(vec![
            match began {
                Began::Wakeup => "wake-up",
                Began::New => "birth",
                Began::Preempted => "preemption",
                Began::PreemptedStale => "preemption, clock still",
            }
            .to_owned(),
            match clock {
                Clock::Fresh => "fresh",
                Clock::Repaired => "still, repaired",
                Clock::Stale => "still, not repaired",
            }
            .to_owned(),
            if migrated { "yes" } else { "no" }.to_owned(),
            of.waits.to_string(),
            format!("{:+.1} ns", of.sum as f64 / of.waits as f64),
            of.longer.to_string(),
            of.shorter.to_string(),
            time(of.worst.ns),
            which(of),
        ]);
    }
    table
}

/// The wait that differs most.
fn which(of: &OfCase) -> String {
    let worst = &of.worst;
    let name = worst.comm.split(|byte| *byte == 0).next().unwrap_or_default();
    let after = if worst.prev_pid == 0 { "idle" } else { "a task" };
    format!(
        "{} instead of {}, {} after {after}",
        time(worst.scheduler),
        time(worst.monotonic),
        String::from_utf8_lossy(name)
    )
}

/// A duration in the unit that suits it.
fn time(ns: u64) -> String {
    match ns {
        0..10_000 => format!("{ns} ns"),
        10_000..10_000_000 => format!("{:.1} us", ns as f64 / 1e3),
        _ => format!("{:.1} ms", ns as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collector_ebpf::proof::{CASES, Figure, SLOTS, Worst, bucket_slot, figure_slot};

    fn sample() -> Counts {
        let mut slots = vec![0; SLOTS];
        let stale = Case { began: Began::Wakeup, clock: Clock::Stale, migrated: false };
        let fresh = Case { began: Began::Preempted, clock: Clock::Fresh, migrated: true };
        slots[figure_slot(stale.number(), Figure::Waits)] = 1;
        slots[figure_slot(stale.number(), Figure::Sum)] = 5_000;
        slots[figure_slot(stale.number(), Figure::Longer)] = 1;
        slots[figure_slot(fresh.number(), Figure::Waits)] = 99;
        slots[figure_slot(fresh.number(), Figure::Sum)] = (-1000i64).cast_unsigned();
        slots[bucket_slot(Distribution::Monotonic, 40)] = 100;
        slots[bucket_slot(Distribution::Scheduler, 50)] = 100;
        slots[bucket_slot(Distribution::Longer, 5_000)] = 1;
        slots[bucket_slot(Distribution::Shorter, 10)] = 99;
        let mut worst = vec![Worst::default(); CASES];
        let mut comm = [0; 16];
        comm[..4].copy_from_slice(b"perf");
        worst[stale.number()] = Worst { ns: 5_000, scheduler: 7, monotonic: 5_007, comm, pid: 1, prev_pid: 0 };
        worst[fresh.number()].ns = 10;
        Counts::of(slots, worst)
    }

    #[test]
    fn a_section_has_the_verdicts() {
        let text = section("pipe", &sample(), 0.0);
        assert!(text.contains("100 waits. Mean difference +40.0 ns (within +-100 ns)"), "{text}");
        assert!(text.contains("p50 10 ns") && text.contains("max 5000 ns"), "{text}");
        assert!(text.contains("Above 2 us: 1 (1.0000 %). Of these 1 (1.0000 %) began or ended at"), "{text}");
        assert!(text.contains("0 (0.0000 %) have no such"), "{text}");
        assert!(text.contains("7 ns instead of 5007 ns, perf after idle"), "{text}");
    }

    #[test]
    fn without_waits_there_are_no_samples() {
        let text = section("pipe", &Counts::of(vec![0; SLOTS], vec![Worst::default(); CASES]), 0.0);
        assert_eq!(text, "### pipe\n\nno samples\n\n");
    }
}
