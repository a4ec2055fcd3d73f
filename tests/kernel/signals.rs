//! Signals, and a workload that does not want to end.

use std::time::{Duration, Instant};

use collector::record::EndReason;
use libtest_mimic::Trial;
use rustix::process::Signal;

use super::{
    harness::{Run, run},
    needs::test,
    process::{is_dead, kill},
};

pub fn tests() -> Vec<Trial> {
    vec![
        test("signals::reach_the_whole_group", &[], reach_the_whole_group),
        test("signals::end_the_workload_and_the_report_comes", &[], end_the_workload_and_the_report_comes),
        test("signals::its_own_death_is_128_and_the_signal", &[], its_own_death_is_128_and_the_signal),
        test("signals::time_cap_kills_the_unwilling", &[], time_cap_kills_the_unwilling),
        test("signals::end_a_run_without_a_command", &[], end_a_run_without_a_command),
    ]
}

const BOTH: [(Signal, &str); 2] = [(Signal::INT, "INT"), (Signal::TERM, "TERM")];

fn reach_the_whole_group() {
    for (signal, name) in BOTH {
        let inner = format!("trap 'echo inner got it; exit 0' {name}; echo ready; while :; do sleep .02; done");
        let outer = format!("trap 'echo outer got it' {name}; sh -c \"{inner}\"; exit 7");
        let running = Run::new(&[], &["sh", "-c", &outer]).start();
        running.process.out.expect("ready");
        kill(running.process.pid(), signal);
        let outcome = running.finish();
        assert_eq!(outcome.stdout, "ready\ninner got it\nouter got it\n", "{name}");
        assert_eq!(outcome.code, 7, "{name}: {}", outcome.stderr);
        assert_eq!(outcome.record.trailer.unwrap().reason, EndReason::Exited { code: 7 });
        assert!(outcome.stderr.contains("Reconciliation"), "{}", outcome.stderr);
    }
}

fn end_the_workload_and_the_report_comes() {
    for (signal, name) in BOTH {
        let running = Run::new(&[], &["sh", "-c", "echo ready; exec sleep 1000"]).start();
        running.process.out.expect("ready");
        kill(running.process.pid(), signal);
        let outcome = running.finish();
        assert_eq!(outcome.code, 128 + signal.as_raw(), "{name}: {}", outcome.stderr);
        let trailer = outcome.record.trailer.unwrap();
        assert_eq!(trailer.reason, EndReason::Signaled { signal: signal.as_raw() });
        assert_eq!(trailer.exit_code, outcome.code);
        assert!(outcome.stderr.contains("Reconciliation"), "{}", outcome.stderr);
    }
}

fn its_own_death_is_128_and_the_signal() {
    let outcome = run(&[], &["sh", "-c", "kill -KILL $$"]);
    assert_eq!(outcome.code, 137, "{}", outcome.stderr);
    assert_eq!(outcome.record.trailer.unwrap().reason, EndReason::Signaled { signal: libc::SIGKILL });
}

fn time_cap_kills_the_unwilling() {
    let begin = Instant::now();
    let outcome = run(&["--duration", "300ms"], &["sh", "-c", "trap '' TERM; echo $$; while :; do sleep .05; done"]);
    let took = begin.elapsed();
    assert_eq!(outcome.code, 124, "{}", outcome.stderr);
    assert!(is_dead(outcome.stdout.trim().parse().unwrap()));
    assert!(took >= Duration::from_millis(300) + collector::workload::DEFAULT_GRACE, "it had its grace: {took:?}");
    let window = Duration::from_nanos(outcome.summary.window_ns);
    assert!(window < collector::workload::DEFAULT_GRACE, "the window ends with the cap: {window:?}");
    assert_eq!(outcome.record.trailer.unwrap().reason, EndReason::TimeCap);
}

fn end_a_run_without_a_command() {
    for (signal, name) in BOTH {
        let running = Run::new(&["--all"], &[]).start().ready();
        kill(running.process.pid(), signal);
        let outcome = running.finish();
        assert_eq!(outcome.code, 0, "{name}: {}", outcome.stderr);
        assert_eq!(outcome.record.trailer.unwrap().reason, EndReason::Interrupted { signal: signal.as_raw() });
        assert!(outcome.stdout.contains("Reconciliation"), "{}", outcome.stdout);
    }
}
