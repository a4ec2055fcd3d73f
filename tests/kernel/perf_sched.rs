//! Waits of the workload beside `perf sched latency` over the same run.
//!
//! perf records the collector with its workload. It keeps its figures by the name that
//! a task had last, and the benchmark gives its first process and, by inheritance, all
//! of them one name of their own; so the row of that name is the workload from its
//! first process's birth to the last one's death, as our class of it is.
//!
//! Two things have to be mended on perf's side (seen with 6.1). It records
//! `sched_waking`, which its own `latency` then does not look at, so `sched_wakeup` is
//! asked for. And it takes a task that is preempted in the kernel (state `R+`, 0x100)
//! for one that sleeps, and drops its wait: such waits are worked out from the same
//! events and added, where they are missing. They are few, but long: 32 of 11,874 waits
//! were 4 % of the mean.
//!
//! And perf may lack switches that it does not report as lost (seen in a virtual machine
//! with 6.18: a quarter of those to and from the idle task). The events tell: a task
//! leaves a CPU to which it never came. So many waits more may be ours.

use std::process::{Command, Stdio};

use libtest_mimic::{Completion, Trial};

use super::{
    harness::Run,
    needs::{Need, test_or_ignored},
    perf_events::{self, Waits},
    process::Process,
};

/// The name that the benchmark gives its processes.
const COMM: &str = "sched-messaging";

pub fn tests() -> Vec<Trial> {
    let needs = &[Need::Program("perf"), Need::File("/sys/kernel/tracing/events/sched")];
    vec![test_or_ignored("perf_sched::latency_agrees", needs, latency_agrees)]
}

fn latency_agrees() -> Completion {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("perf.data");
    let data = data.to_str().unwrap();
    let record = ["perf", "sched", "record", "-m", "8192", "-e", "sched:sched_wakeup", "-o", data, "--"];
    // More tasks than CPUs, so that waits are much longer than what lies between perf's
    // time of an event and ours.
    let bench = ["perf", "bench", "sched", "messaging", "-g", "2", "-l", "400"];
    let outcome = Run::new(&[], &bench).under(record).start().finish();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);

    let table = perf(&["sched", "latency", "-i", data]);
    if let Some(lost) = table.lines().find(|line| line.to_lowercase().contains("lost")) {
        return Completion::ignored_with(format!("perf lost events, so it is no witness: {}", lost.trim()));
    }
    let latency = row(&table).unwrap_or_else(|| panic!("no row of {COMM} in {table}"));
    let perf_events::Told { all: events, in_kernel, not_told } =
        perf_events::told(&perf(&["script", "-i", data, "--ns", "-F", perf_events::FIELDS]), COMM);
    // A perf that does not drop them needs no help.
    let missing = events.n.abs_diff(latency.n + in_kernel.n) < events.n.abs_diff(latency.n);
    let latency = if missing { latency.plus(in_kernel) } else { latency };

    let hist = &outcome.summary.by_class.workload;
    let ours = Waits { n: hist.n(), sum_ns: hist.sum_ns };
    for (what, waits) in [("perf sched latency", latency), ("perf's events", events), ("ours", ours)] {
        println!("{what}: {} waits, {} ms in all, mean {:.5} ms", waits.n, waits.sum_ns / 1_000_000, waits.mean_ms());
    }
    println!("not told by perf's events: the end of {not_told} waits");
    assert!(not_told * 20 <= latency.n, "perf lacks the end of {not_told} of {} waits: no witness", latency.n);
    assert!(latency.n > 2_000 && latency.mean_ms() > 0.3, "the load is too small to tell: {latency:?}");
    agree(ours, latency, not_told);
    // The events that perf recorded, without perf's arithmetic in between.
    agree(ours, events, not_told);
    Completion::Completed
}

/// Within 2 % and the waits of which perf was not told the end. Those are short, since
/// they are of tasks that an idle CPU was waiting for: they draw our mean down.
#[track_caller]
fn agree(ours: Waits, perf: Waits, not_told: u64) {
    let (n, mean) = (ours.n as f64 / perf.n as f64, ours.mean_ms() / perf.mean_ms());
    let more = not_told as f64 / perf.n as f64;
    assert!((0.98..=1.02 + more).contains(&n), "{ours:?}, perf {perf:?}, not told {not_told}");
    assert!((0.98 - more..=1.02).contains(&mean), "{ours:?}, perf {perf:?}, not told {not_told}");
}

/// What `perf ARGS` prints.
#[track_caller]
fn perf(args: &[&str]) -> String {
    let mut perf = Process::start(Command::new("perf").args(args).stdin(Stdio::null()));
    let (printed, complaints) = (perf.out.rest(), perf.err.rest());
    assert_eq!(perf.code(), 0, "{complaints}");
    printed + &complaints
}

/// `  NAME:(161) | RUNTIME ms | COUNT | avg: MEAN ms | max: …`
fn row(table: &str) -> Option<Waits> {
    let line = table.lines().find(|line| line.trim_start().starts_with(&format!("{COMM}:")))?;
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let n: u64 = columns.get(2)?.parse().ok()?;
    let mean = columns.get(3)?.strip_prefix("avg:")?.trim().strip_suffix("ms")?;
    // The mean is printed in microseconds.
    Some(Waits { n, sum_ns: (mean.trim().parse::<f64>().ok()? * n as f64 * 1e6) as u64 })
}
