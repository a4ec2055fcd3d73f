//! Who belongs to the workload, to the collector, and to neither.

use collector::record::TaskClass;
use libtest_mimic::Trial;

use super::{
    harness::{Outcome, Run, helper, run},
    needs::test,
};

const NAPS: u64 = 300;

pub fn tests() -> Vec<Trial> {
    vec![
        test("tree::a_task_waits_as_often_as_it_is_woken", &[], a_task_waits_as_often_as_it_is_woken),
        test("tree::threads_belong_to_the_workload", &[], threads_belong_to_the_workload),
        test("tree::a_daemon_belongs_to_the_workload", &[], a_daemon_belongs_to_the_workload),
        test("tree::a_pipeline_belongs_to_the_workload", &[], a_pipeline_belongs_to_the_workload),
        test("tree::the_collector_is_a_class_of_its_own", &[], the_collector_is_a_class_of_its_own),
    ]
}

/// The workload has these waits and hardly any more: a start, an end, and what the
/// machine's other work takes from it. Its own reading, a hundred times a second, would
/// be seen if it were counted.
#[track_caller]
fn waits(outcome: &Outcome, expected: u64) {
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let (workload, collector) = (outcome.summary.by_class.workload.n(), outcome.summary.by_class.collector.n());
    println!("{workload} waits of the workload, {expected} expected; {collector} of the collector");
    assert!((expected..expected + expected / 4 + 40).contains(&workload), "{workload} waits, {expected} expected");
    assert!(collector > 0);
}

fn naps() -> String {
    NAPS.to_string()
}

fn a_task_waits_as_often_as_it_is_woken() {
    waits(&run(&["--interval", "10ms"], &helper(&["naps", &naps()])), NAPS);
}

fn threads_belong_to_the_workload() {
    let outcome = run(&[], &helper(&["crew", "4", &naps()]));
    waits(&outcome, 4 * NAPS);
    assert_eq!(outcome.summary.counts.workload_forks, 5, "four threads and the process");
}

fn a_daemon_belongs_to_the_workload() {
    let outcome = run(&[], &helper(&["daemon", &naps()]));
    assert!(outcome.stdout.contains("the grandchild is done"));
    waits(&outcome, NAPS);
    assert_eq!(outcome.summary.counts.workload_forks, 3, "two forks and the process");
}

fn a_pipeline_belongs_to_the_workload() {
    let own = helper(&[])[0];
    let script = format!(
        "'{own}' --helper naps {NAPS} | '{own}' --helper naps {NAPS} & (setsid '{own}' --helper naps {NAPS}); wait"
    );
    waits(&run(&[], &["sh", "-c", &script]), 3 * NAPS);
}

fn the_collector_is_a_class_of_its_own() {
    let running = Run::new(&["--all", "--duration", "1s", "--interval", "10ms"], &[]).start();
    let pid = running.process.pid();
    let outcome = running.finish();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let summary = &outcome.summary;
    // A timer wakes it for each frame.
    let frames = summary.frames;
    assert!(frames > 20, "{frames} frames");
    let own = summary.by_class.collector.n();
    assert!((frames - 2..frames * 4).contains(&own), "{own} waits in {frames} frames");
    for wait in outcome.record.frames.iter().flat_map(|frame| &frame.longest) {
        assert_eq!(wait.tgid == pid, wait.class == TaskClass::Collector, "{wait:?}");
    }
}
