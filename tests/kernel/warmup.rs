//! `--warmup`: what is left out, and that nothing of it comes in.

use collector::record::Frame;
use libtest_mimic::Trial;

use super::{
    harness::{COLLECTOR, run},
    machine::last_cpu,
    needs::test,
};

pub fn tests() -> Vec<Trial> {
    vec![test("warmup::is_left_out", &[], is_left_out)]
}

/// Hogs wait all the time, so some wait across the end of the warm-up. That totals are
/// those of the other frames, and no wait is longer than they are, holds of every run.
fn is_left_out() {
    let cpu = last_cpu().to_string();
    let load = ["load", "--threads", "4", "--sleep-us", "0", "--pin", &cpu, "--duration", "100s"];
    let options = ["--warmup", "700ms", "--duration", "1500ms", "--interval", "200ms"];
    let outcome = run(&options, &[&[COLLECTOR], &load[..]].concat());
    assert_eq!(outcome.code, 124, "{}", outcome.stderr);

    let (warm, window): (Vec<&Frame>, Vec<&Frame>) = outcome.record.frames.iter().partition(|frame| frame.warmup);
    let length =
        |frames: &[&Frame]| frames.iter().map(|frame| (frame.end_ns - frame.start_ns) / 1_000_000).sum::<u64>();
    println!("{} frames of {} ms, {} of {} ms", warm.len(), length(&warm), window.len(), length(&window));
    assert!(warm.len() >= 3 && window.len() >= 3, "{} and {} frames", warm.len(), window.len());
    // A machine that is busy with other things may be late.
    assert!((700..1_000).contains(&length(&warm)), "{} ms", length(&warm));
    assert!((600..1_100).contains(&length(&window)), "{} ms", length(&window));

    let summary = &outcome.summary;
    assert_eq!((summary.frames, summary.warmup_frames), (window.len() as u64, warm.len() as u64));
    assert_eq!(summary.start_ns, warm.last().unwrap().end_ns, "the window follows the warm-up");
    assert_eq!(summary.window_ns, window.last().unwrap().end_ns - window[0].start_ns);
    let warm_waits: u64 = warm.iter().flat_map(|frame| &frame.cpus).map(|cpu| cpu.waits.workload.n()).sum();
    assert!(warm_waits > 0 && summary.by_class.workload.n() > 0);
    assert!(summary.counts.before_window >= 1, "nobody waited across the opening: {:?}", summary.counts);
}
