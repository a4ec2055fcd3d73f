//! Waits of the workload beside `perf sched latency` over the same run.
//!
//! perf records the collector with its workload. It keeps its figures by the name that
//! a task had last, and the benchmark gives its first process and, by inheritance, all
//! of them one name of their own; so the row of that name is the workload from its
//! first process's birth to the last one's death, as our class of it is. Where the two
//! differ: perf begins a wait at `sched_waking`, before the task is put on a queue,
//! we at `sched_wakeup`, after. That is some microseconds where another CPU has to be
//! told, so the load has to be one that waits for milliseconds: more tasks than CPUs.

use std::process::{Command, Stdio};

use libtest_mimic::{Completion, Trial};

use super::{
    harness::Run,
    needs::{Need, test_or_ignored},
    process::Process,
};

/// The name that the benchmark gives its processes.
const COMM: &str = "sched-messaging";

pub fn tests() -> Vec<Trial> {
    let needs = &[Need::Program("perf"), Need::File("/sys/kernel/tracing/events/sched")];
    vec![test_or_ignored("perf_sched::latency_agrees", needs, latency_agrees)]
}

/// A row of the table.
#[derive(Debug, PartialEq)]
struct Row {
    count: u64,
    mean_ms: f64,
}

fn latency_agrees() -> Completion {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("perf.data");
    let data = data.to_str().unwrap();
    let record = ["perf", "sched", "record", "-m", "8192", "-o", data, "--"];
    let bench = ["perf", "bench", "sched", "messaging", "-g", "4", "-l", "150"];
    let outcome = Run::new(&[], &bench).under(record).start().finish();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);

    let mut perf = Process::start(Command::new("perf").args(["sched", "latency", "-i", data]).stdin(Stdio::null()));
    let (table, complaints) = (perf.out.rest(), perf.err.rest());
    assert_eq!(perf.code(), 0, "{complaints}");
    if let Some(lost) = lost(&table).or_else(|| lost(&complaints)) {
        return Completion::ignored_with(format!("perf lost events, so it is no witness: {lost}"));
    }
    let row = row(&table).unwrap_or_else(|| panic!("no row of {COMM} in {table}"));

    let ours = &outcome.summary.by_class.workload;
    let mean_ms = ours.mean_ns().unwrap() / 1e6;
    println!("perf: {} waits, mean {:.4} ms; ours: {} waits, mean {mean_ms:.4} ms", row.count, row.mean_ms, ours.n());
    assert!(row.count > 10_000 && row.mean_ms > 0.3, "the load is too small to tell: {row:?}");
    assert!(ours.n().abs_diff(row.count) * 50 <= row.count, "{} waits, by perf {}", ours.n(), row.count);
    assert!((mean_ms - row.mean_ms).abs() * 50.0 <= row.mean_ms, "mean {mean_ms} ms, by perf {}", row.mean_ms);
    Completion::Completed
}

/// perf's word on events that it did not get.
fn lost(output: &str) -> Option<&str> {
    output.lines().find(|line| line.to_lowercase().contains("lost")).map(str::trim)
}

/// `  NAME:(161) | RUNTIME ms | COUNT | avg: MEAN ms | max: …`, whose columns are apart
/// by bars; the count in brackets is missing where there is one task.
fn row(table: &str) -> Option<Row> {
    let line = table.lines().find(|line| line.trim_start().starts_with(&format!("{COMM}:")))?;
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let mean = columns.get(3)?.strip_prefix("avg:")?.trim().strip_suffix("ms")?;
    Some(Row { count: columns.get(2)?.parse().ok()?, mean_ms: mean.trim().parse().ok()? })
}
