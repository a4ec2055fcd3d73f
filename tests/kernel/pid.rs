//! `--pid`: a process that runs already.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use collector::record::{EndReason, Target};
use libtest_mimic::Trial;

use super::{
    harness::{COLLECTOR, Run, helper},
    helper::{make_fifo, open_gate},
    needs::{Need, test},
    process::Process,
};

const NAPS: u64 = 200;

pub fn tests() -> Vec<Trial> {
    vec![
        test("pid::children_there_and_to_come", &[], children_there_and_to_come),
        test("pid::interrupt_ends_the_run_alone", &[], interrupt_ends_the_run_alone),
        test("pid::a_thread_is_refused", &[], a_thread_is_refused),
        test("pid::the_dead_are_refused", &[], the_dead_are_refused),
        test("pid::is_the_namespace_s", &[Need::Program("unshare")], is_the_namespace_s),
    ]
}

/// `collector run --pid PID`, which is not to begin.
#[track_caller]
fn refused(pid: &str) -> String {
    let mut command = Command::new(COLLECTOR);
    let mut process = Process::start(command.args(["run", "--pid", pid, "--duration", "5s"]).stdin(Stdio::null()));
    let said = process.err.rest();
    assert_eq!((process.code(), process.out.rest().as_str()), (125, ""), "{said}");
    assert!(said.starts_with("collector: "), "{said}");
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    said
}

fn children_there_and_to_come() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("gate");
    make_fifo(&fifo);
    let own = helper(&[])[0];
    let script = format!(
        "'{own}' --helper gate '{}' '{own}' --helper naps {NAPS} & read line; '{own}' --helper naps {NAPS}; wait",
        fifo.display()
    );
    let mut shell = Process::start(Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()));
    let pid = shell.pid().to_string();
    let running = Run::new(&["--pid", &pid], &[]).start().ready();
    open_gate(&fifo);
    shell.stdin().write_all(b"go\n").unwrap();
    let outcome = running.finish();
    assert_eq!(shell.code(), 0);

    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(outcome.record.trailer.as_ref().unwrap().reason, EndReason::TargetEnded);
    let Target::Pid { pid, argv } = &outcome.record.header.target else { panic!("{:?}", outcome.record.header.target) };
    assert_eq!((*pid, argv[0].as_str()), (shell.pid(), "sh"));
    assert_eq!(outcome.summary.counts.workload_forks, 1, "the child that came later");
    let waits = outcome.summary.by_class.workload.n();
    assert!((2 * NAPS..3 * NAPS).contains(&waits), "{waits} waits of two times {NAPS} sleeps");
    assert!(outcome.stdout.contains("run-queue latency"), "without a command the report is on stdout");
}

fn interrupt_ends_the_run_alone() {
    let target = Process::start(Command::new("sleep").arg("1000"));
    let running = Run::new(&["--pid", &target.pid().to_string()], &[]).start().ready();
    super::process::kill(running.process.pid(), rustix::process::Signal::INT);
    let outcome = running.finish();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(outcome.record.trailer.unwrap().reason, EndReason::Interrupted { signal: libc::SIGINT });
    assert!(!super::process::is_dead(target.pid()));
}

fn a_thread_is_refused() {
    let words = helper(&["thread-id"]);
    let process = Process::start(Command::new(words[0]).args(&words[1..]).stdin(Stdio::piped()));
    let thread = process.out.expect("thread ");
    let said = refused(&thread);
    assert!(said.contains(&format!("{thread} is a thread of process {}", process.pid())), "{said}");
}

fn the_dead_are_refused() {
    let mut process = Process::start(&mut Command::new("true"));
    let pid = process.pid().to_string();
    assert_eq!(process.code(), 0);
    let said = refused(&pid);
    assert!(said.contains(&format!("no process {pid}")), "{said}");
    for pid in ["0", "-1", "4194305"] {
        refused_by_its_form_or_for_want_of_it(pid);
    }
}

fn refused_by_its_form_or_for_want_of_it(pid: &str) {
    let mut process = Process::start(Command::new(COLLECTOR).args(["run", &format!("--pid={pid}")]));
    assert_eq!(process.code(), 125, "{}", process.err.rest());
}

/// Its second process has another pid to the kernel, and another task has that pid.
fn is_the_namespace_s() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("gate");
    make_fifo(&fifo);
    let own = helper(&[])[0];
    let script =
        format!("'{own}' --helper gate '{}' '{own}' --helper naps {NAPS} & exec \"$@\" --pid $!", fifo.display());
    let namespace = ["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", &script, "sh"];
    let running = Run::new(&[], &[]).under(namespace).start().ready();
    open_gate(&fifo);
    let outcome = running.finish();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let Target::Pid { pid, .. } = outcome.record.header.target else { panic!("{:?}", outcome.record.header.target) };
    assert!(pid < 10, "the namespace is new: {pid}");
    let waits = outcome.summary.by_class.workload.n();
    assert!((NAPS..2 * NAPS).contains(&waits), "{waits} waits of {NAPS} sleeps");
    assert!(outcome.summary.by_class.collector.n() > 0, "the collector's own pid is the namespace's too");
}
