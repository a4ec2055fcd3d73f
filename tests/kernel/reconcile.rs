//! The three workloads that the reports have to reconcile for.

use libtest_mimic::Trial;

use super::{
    harness::run,
    needs::{Need, test},
};

pub fn tests() -> Vec<Trial> {
    vec![
        test("reconcile::messaging", &[Need::Program("perf")], messaging),
        test("reconcile::sysbench", &[Need::Program("sysbench")], sysbench),
        test("reconcile::shell", &[], shell),
    ]
}

/// Switches are within 1 % of the kernel's, idle time of each CPU within a point of a
/// CPU; each in the tolerance of the specification, or what reading and ticks blur.
/// That the frames' sum is the total holds of every run here.
#[track_caller]
fn reconciles(command: &[&str]) {
    // Short frames, so that there is something to add up.
    let outcome = run(&["--interval", "50ms"], command);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let (summary, frames) = (&outcome.summary, &outcome.record.frames);
    assert!(frames.len() > 2, "{} frames", frames.len());

    let ctxt: u64 = frames.iter().map(|frame| *frame.proc_ctxt.value().unwrap()).sum();
    let off = summary.counts.switches.abs_diff(ctxt);
    // In between the readings at either end, too, there are switches.
    assert!(off <= (ctxt / 100).max(16), "{} switches, {ctxt} in /proc/stat", summary.counts.switches);

    for cpu in &summary.cpus {
        let (own, kernel) = (*cpu.idle_ns.value().unwrap(), *cpu.proc_idle_ns.value().unwrap());
        // /proc/stat counts ticks of 10 ms and cuts off at either end.
        let tolerance = (cpu.observed_ns / 100).max(20_000_000);
        assert!(own.abs_diff(kernel) <= tolerance, "CPU {}: idle {own} ns, {kernel} in /proc/stat", cpu.cpu);
    }

    // No check was left out for want of a witness.
    for check in summary.checks.iter().filter(|check| !check.witness.contains("schedstat")) {
        assert_eq!(check.agrees(), Some(true), "{check:#?}");
    }
    assert!(summary.by_class.workload.n() > 0);
    assert!(outcome.stderr.contains("Reconciliation"), "{}", outcome.stderr);
}

fn messaging() {
    reconciles(&["perf", "bench", "sched", "messaging", "-g", "4", "-l", "100"]);
}

fn sysbench() {
    reconciles(&["sysbench", "cpu", "--threads=8", "--time=2", "run"]);
}

fn shell() {
    reconciles(&["sh", "-c", "sleep .3 & sleep .2 & wait"]);
}
