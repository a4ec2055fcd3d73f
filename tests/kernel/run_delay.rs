//! A workload of one task, whose wait time the kernel keeps too.

use libtest_mimic::Trial;

use super::{
    harness::{COLLECTOR, helper, run},
    machine::last_cpu,
    needs::test,
    process::Process,
};

pub fn tests() -> Vec<Trial> {
    vec![test("run_delay::is_the_kernel_s", &[], is_the_kernel_s)]
}

/// The task shares its CPU with a hog, so it waits for about as long as it runs.
fn is_the_kernel_s() {
    let cpu = last_cpu().to_string();
    let load = ["load", "--threads", "1", "--sleep-us", "0", "--pin", &cpu, "--duration", "100s"];
    let mut hog = std::process::Command::new(COLLECTOR);
    let _hog = Process::start(hog.args(load).args(["--interval", "100s"]));
    let outcome = run(&[], &helper(&["spin", &cpu, "600"]));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);

    let waits = &outcome.summary.by_class.workload;
    let kernel = *outcome.record.trailer.as_ref().unwrap().root_run_delay_ns.value().unwrap();
    println!("ours: {} waits, {} ns; the kernel's: {kernel} ns", waits.n(), waits.sum_ns);
    assert!(kernel > 100_000_000, "it did not wait: {kernel} ns");
    assert!(waits.sum_ns.abs_diff(kernel) * 50 <= kernel, "{} ns, by the kernel {kernel}", waits.sum_ns);
    let check = outcome.summary.checks.iter().find(|check| check.witness.contains("schedstat")).unwrap();
    // Not compared in the report where the kernel hid the end of a wait from us.
    let hidden = outcome.summary.counts.workload_end_untraced > 0;
    assert_eq!(check.agrees(), (!hidden).then_some(true), "{check:#?}");
}
