//! n equal tasks that only compute, on one CPU: at any moment one runs and n - 1 wait.

use std::sync::OnceLock;

use collector::record::{Hist, TaskClass};
use libtest_mimic::Trial;

use super::{
    harness::{COLLECTOR, Outcome, run},
    machine::{last_cpu, other_cpus},
    needs::test,
};

const HOGS: u64 = 4;

pub fn tests() -> Vec<Trial> {
    vec![
        test("hogs::wait_on_their_cpu_only", &[], wait_on_their_cpu_only),
        test("hogs::wait_a_slice_for_each_of_the_others", &[], wait_a_slice_for_each_of_the_others),
        test("hogs::all_time_is_accounted_for", &[], all_time_is_accounted_for),
        test("hogs::are_open_waits_while_they_run", &[], are_open_waits_while_they_run),
        test("hogs::time_cap_is_exit_code_124", &[], time_cap_is_exit_code_124),
    ]
}

/// Run once. The warm-up is for their start, before they are on their CPU; the
/// priority keeps the machine's other work from being a hog among them.
fn outcome() -> &'static Outcome {
    static OUTCOME: OnceLock<Outcome> = OnceLock::new();
    OUTCOME.get_or_init(|| {
        let (cpu, hogs, others) = (last_cpu().to_string(), HOGS.to_string(), other_cpus());
        let options = ["--warmup", "500ms", "--duration", "3500ms", "--agent-cpus", &others];
        let load = ["load", "--threads", &hogs, "--sleep-us", "0", "--pin", &cpu];
        let long = ["--duration", "100s", "--interval", "100s"];
        run(&options, &[&["nice", "-n", "-20", COLLECTOR], &load[..], &long].concat())
    })
}

fn waits() -> &'static Hist {
    &outcome().summary.by_class.workload
}

fn wait_on_their_cpu_only() {
    for cpu in &outcome().summary.cpus {
        let n = cpu.by_class.workload.n();
        assert_eq!(n > 0, cpu.cpu == last_cpu(), "{n} waits on CPU {}", cpu.cpu);
    }
}

fn wait_a_slice_for_each_of_the_others() {
    let slice = outcome().summary.window_ns / waits().n();
    assert!((500_000..20_000_000).contains(&slice), "a slice of {slice} ns");
    // One behind the others for each slice of theirs; where the machine's other work
    // takes turns on that CPU, it is in that mean slice, and in the waits as well.
    let (least, most) = ((HOGS - 1) * slice, HOGS * slice);
    let p50 = waits().percentile(50.0).unwrap();
    println!("p50 {p50} ns, slice {slice} ns");
    // A slice ends with a tick, so single waits differ; a median wait behind one hog
    // fewer or more would be a third off.
    assert!((least - least / 6..=most + most / 6).contains(&p50), "p50 {p50} ns, slice {slice} ns");
}

fn all_time_is_accounted_for() {
    let open = outcome().summary.open.value().unwrap();
    let open: u64 =
        open.longest.iter().filter(|wait| wait.class == TaskClass::Workload).map(|wait| wait.waited_ns).sum();
    let waited = waits().sum_ns + open;
    let window = outcome().summary.window_ns;
    let (least, most) = ((HOGS - 1) * window, HOGS * window);
    println!("waited {waited} ns in all, {least} ns without other work on that CPU");
    // What is missing: the waits that were open when the window was opened. What is
    // too much: time that the machine's other work had the CPU. Nobody waits for more
    // than all of the time.
    assert!((least - least / 50..=most).contains(&waited), "waited {waited} ns of {least} to {most}");
}

fn are_open_waits_while_they_run() {
    let open = outcome().summary.open.value().unwrap();
    let hogs: Vec<_> = open.longest.iter().filter(|wait| wait.class == TaskClass::Workload).collect();
    // All of them, where something else ran at that moment.
    assert!((HOGS - 1..=HOGS).contains(&(hogs.len() as u64)), "{open:?}");
    for hog in &hogs {
        assert_eq!(hog.cpu, last_cpu());
        assert!(hog.comm.value().is_some_and(|comm| comm.starts_with("worker-")), "{hog:?}");
    }
    let on_the_cpu = open.by_cpu.iter().find(|&&(cpu, _)| cpu == last_cpu()).unwrap().1;
    assert!(on_the_cpu >= hogs.len() as u64, "{open:?}");
    assert_eq!(
        outcome().summary.cpus.iter().find(|cpu| cpu.cpu == last_cpu()).unwrap().open.value(),
        Some(&on_the_cpu)
    );
}

fn time_cap_is_exit_code_124() {
    assert_eq!(outcome().code, 124, "{}", outcome().stderr);
    assert_eq!(outcome().record.trailer.as_ref().unwrap().reason, collector::record::EndReason::TimeCap);
}
