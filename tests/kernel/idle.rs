//! A machine that is left alone for 30 s.

use std::sync::OnceLock;

use collector::record::EndReason;
use libtest_mimic::{Completion, Trial};

use super::{
    harness::{Outcome, run},
    needs::{test, test_or_ignored},
};

pub fn tests() -> Vec<Trial> {
    vec![
        test("idle::nothing_impossible", &[], nothing_impossible),
        test_or_ignored("idle::idle_time_is_the_kernel_s", &[], idle_time_is_the_kernel_s),
        test_or_ignored("idle::hardly_anything_is_involuntary", &[], hardly_anything_is_involuntary),
    ]
}

fn outcome() -> &'static Outcome {
    static OUTCOME: OnceLock<Outcome> = OnceLock::new();
    OUTCOME.get_or_init(|| run(&["--all", "--duration", "30s", "--interval", "5s"], &[]))
}

/// That no wait is longer than the window, that the idle task is nowhere and that
/// percentiles are in order holds of every run here.
fn nothing_impossible() {
    let outcome = outcome();
    assert_eq!(outcome.code, 0, "the planned end: {}", outcome.stderr);
    assert_eq!(outcome.record.trailer.as_ref().unwrap().reason, EndReason::TimeCap);
    let window = outcome.summary.window_ns;
    assert!((29_900_000_000..32_000_000_000).contains(&window), "{window} ns");
    assert!(outcome.stdout.contains("run-queue latency"), "without a command the report is on stdout");
    assert!(outcome.summary.waits.n() > 0 && outcome.summary.by_class.workload.is_empty());
    assert!(outcome.record.trailer.as_ref().unwrap().quality.cpus_not_observed.is_empty());
}

fn idle_time_is_the_kernel_s() -> Completion {
    let idle = *outcome().summary.idle_share().value().unwrap();
    if idle < 0.9 {
        let busy = (1.0 - idle) * 100.0;
        return Completion::ignored_with(format!("the machine is not idle: it was busy for {busy:.0} % of the time"));
    }
    let mut cpus: Vec<_> = outcome().summary.cpus.iter().collect();
    cpus.sort_by_key(|cpu| cpu.counts.switches);
    // Also of the CPU that raised the fewest events.
    for cpu in cpus {
        let (own, kernel) = (*cpu.idle_ns.value().unwrap(), *cpu.proc_idle_ns.value().unwrap());
        let off = own.abs_diff(kernel).saturating_sub(cpu.counts.unknown_ns) * 100;
        let (switches, unknown) = (cpu.counts.switches, cpu.counts.unknown_ns);
        println!("CPU {}: idle {own} ns, {kernel} by /proc/stat, unknown {unknown}", cpu.cpu);
        assert!(off <= cpu.observed_ns, "CPU {}, {switches} switches: idle {own} ns, {kernel} by /proc/stat", cpu.cpu);
    }
    Completion::Completed
}

/// Only told where the machine is idle. With the idle task counted as preempted it
/// would be half of all.
fn hardly_anything_is_involuntary() -> Completion {
    let summary = &outcome().summary;
    let idle = *summary.idle_share().value().unwrap();
    if idle < 0.9 {
        let busy = (1.0 - idle) * 100.0;
        return Completion::ignored_with(format!("the machine is not idle: it was busy for {busy:.0} % of the time"));
    }
    let (involuntary, switches) = (summary.counts.involuntary, summary.counts.switches);
    println!("{involuntary} of {switches} switches were involuntary, {:.1} % idle", idle * 100.0);
    assert!(involuntary * 10 <= switches, "{involuntary} of {switches} switches");
    Completion::Completed
}
