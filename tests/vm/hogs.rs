//! Equal tasks that only compute, on one CPU of a machine that does nothing else: at any
//! moment one runs and the others wait, and all other CPUs are idle.

use std::sync::OnceLock;

use libtest_mimic::{Completion, Trial};

use super::{
    guest::{Guest, test},
    harness::{COLLECTOR, Outcome, run},
    machine::{last_cpu, other_cpus},
};

const HOGS: u64 = 3;

pub fn tests() -> Vec<Trial> {
    vec![
        test("hogs::wait_on_their_cpu_only", wait_on_their_cpu_only),
        test("hogs::wait_a_slice_for_each_of_the_others", wait_a_slice_for_each_of_the_others),
        test("hogs::wait_all_the_time_but_their_own", wait_all_the_time_but_their_own),
        test("hogs::leave_the_other_cpus_idle", leave_the_other_cpus_idle),
    ]
}

/// Run once. The warm-up is for their start, before they are on their CPU.
fn outcome() -> &'static Outcome {
    static OUTCOME: OnceLock<Outcome> = OnceLock::new();
    OUTCOME.get_or_init(|| {
        let (cpu, hogs, others) = (last_cpu().to_string(), HOGS.to_string(), other_cpus());
        let options = ["--warmup", "500ms", "--duration", "2500ms", "--agent-cpus", &others];
        let load = ["load", "--threads", &hogs, "--sleep-us", "0", "--pin", &cpu];
        run(&options, &[&[COLLECTOR], &load[..], &["--duration", "100s", "--interval", "100s"]].concat())
    })
}

fn wait_on_their_cpu_only(_: &Guest) -> Completion {
    for cpu in &outcome().summary.cpus {
        let n = cpu.by_class.workload.n();
        assert_eq!(n > 0, cpu.cpu == last_cpu(), "{n} waits on CPU {}", cpu.cpu);
    }
    Completion::Completed
}

fn wait_a_slice_for_each_of_the_others(_: &Guest) -> Completion {
    let waits = &outcome().summary.by_class.workload;
    let slice = outcome().summary.window_ns / waits.n();
    let p50 = waits.percentile(50.0).unwrap();
    println!("p50 {p50} ns, slice {slice} ns");
    // Slices end with ticks of 4 ms, so that single ones differ; a median wait behind one
    // hog fewer or more would be half off.
    let expected = (HOGS - 1) * slice;
    assert!(p50.abs_diff(expected) * 4 <= expected, "p50 {p50} ns, {expected} ns expected");
    Completion::Completed
}

fn wait_all_the_time_but_their_own(_: &Guest) -> Completion {
    let summary = &outcome().summary;
    // The waits that were open when the window was opened, and when it was closed, are
    // two in each of which a hog waits for all others.
    let (waited, expected) = (summary.by_class.workload.sum_ns, (HOGS - 1) * summary.window_ns);
    let longest = summary.by_class.workload.max().unwrap();
    println!("waited {waited} ns of {expected}, at most {longest} at once");
    assert!(waited <= expected + expected / 50, "{waited} ns of {expected}");
    assert!(waited + 2 * HOGS * longest + expected / 50 >= expected, "{waited} ns of {expected}");
    Completion::Completed
}

/// All but the collector's own time and the kernel's. What an emulated processor takes for
/// that is no tenth: 5 % were seen on the CPU of the collector.
fn leave_the_other_cpus_idle(_: &Guest) -> Completion {
    let mut off = Vec::new();
    for cpu in &outcome().summary.cpus {
        let share = *cpu.idle_ns.value().unwrap() as f64 / cpu.observed_ns as f64;
        println!("CPU {} was idle for {:.1} % of the time", cpu.cpu, share * 100.0);
        let fits = if cpu.cpu == last_cpu() { share < 0.001 } else { share > 0.9 };
        off.extend((!fits).then_some((cpu.cpu, share)));
    }
    assert!(off.is_empty(), "{off:?}");
    Completion::Completed
}
