//! Other probes and another clock, beside the default ones on the same tasks.

use collector::record::{ClockKind, Hist, ProbeKind, Verdict};
use libtest_mimic::Trial;

use super::{
    harness::{COLLECTOR, Outcome, Run, helper},
    helper::{make_fifo, open_gate},
    needs::test,
    process::Process,
};

pub fn tests() -> Vec<Trial> {
    vec![test("variants::measure_the_same", &[], measure_the_same)]
}

/// Three collectors watch one load, each from before its first wait to its end.
fn measure_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("gate");
    make_fifo(&fifo);
    let load = ["load", "--threads", "6", "--duration", "1500ms", "--work-us", "50", "--sleep-us", "100"];
    let words = helper(&[&["gate", fifo.to_str().unwrap(), COLLECTOR], &load[..]].concat());
    let process = Process::start(std::process::Command::new(words[0]).args(&words[1..]));
    let pid = process.pid().to_string();
    let started = [&[][..], &["--clock", "monotonic"], &["--raw"]]
        .map(|options| Run::new(&[&["--pid", &pid], options].concat(), &[]).start().ready());
    open_gate(&fifo);
    let [usual, monotonic, raw] = started.map(super::harness::Running::finish);

    assert!(kinds(&usual).all(|kind| kind == (ProbeKind::BtfTracepoint, false)));
    assert!(kinds(&raw).all(|kind| kind == (ProbeKind::RawTracepoint, false)), "it was asked for, no fallback");
    assert_eq!(monotonic.record.header.clock.kind, ClockKind::Monotonic);
    assert_eq!(raw.record.header.clock.kind, ClockKind::Monotonic);
    for other in [&monotonic, &raw] {
        agree(&usual.summary.by_class.workload, &other.summary.by_class.workload);
    }
}

/// How each program hangs on its tracepoint, and whether another way was refused.
fn kinds(outcome: &Outcome) -> impl Iterator<Item = (ProbeKind, bool)> {
    outcome.record.header.probes.iter().map(|probe| match &probe.verdict {
        Verdict::Attached { kind, fallback_reason } => (*kind, fallback_reason.is_some()),
        Verdict::Missing { reason } => panic!("{reason}"),
    })
}

/// The same waits, stamped at slightly different moments: the programs run one after
/// the other, and the scheduler's clock is read when it was last set.
#[track_caller]
fn agree(usual: &Hist, other: &Hist) {
    let figures =
        |hist: &Hist| (hist.n(), hist.mean_ns().unwrap(), [50.0, 90.0, 99.0].map(|p| hist.percentile(p).unwrap()));
    let (a, b) = (figures(usual), figures(other));
    println!("n, mean, [p50, p90, p99]: {a:?} and {b:?}");
    assert!(a.0 > 5_000, "the load is too small to tell: {a:?}");
    // The load's last waits may be in the one and after the end of the other.
    assert!(a.0.abs_diff(b.0) <= 16, "{a:?} and {b:?}");
    let near = |a: f64, b: f64| (a - b).abs() <= a / 10.0 + 5_000.0;
    assert!(near(a.1, b.1), "{a:?} and {b:?}");
    for (one, another) in a.2.into_iter().zip(b.2) {
        assert!(near(one as f64, another as f64), "{a:?} and {b:?}");
    }
}
