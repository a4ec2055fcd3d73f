//! Several commands side by side, and their cookies.

use collector::record::{EndReason, Group, Target};
use libtest_mimic::Trial;
use rustix::process::Signal;

use super::{
    harness::{Outcome, Run, helper, run},
    needs::{Need, test},
    process::{is_dead, kill, until},
};

pub fn tests() -> Vec<Trial> {
    vec![
        test("groups::two_yield_a_report", &[], two_yield_a_report),
        test("groups::first_code_in_order_counts", &[], first_code_in_order_counts),
        test("groups::signals_reach_all", &[], signals_reach_all),
        test("groups::time_cap_ends_all", &[], time_cap_ends_all),
        test("groups::another_user", &[Need::User("nobody")], another_user),
        test("groups::none_runs_where_one_cannot", &[], none_runs_where_one_cannot),
        test("cookies::groups_have_one_each", &[Need::CoreScheduling], groups_have_one_each),
        test("cookies::command_has_its_own", &[Need::CoreScheduling], command_has_its_own),
    ]
}

/// Names, reasons and exit codes of the groups' ends.
fn ends(outcome: &Outcome) -> Vec<(&str, &EndReason, i32)> {
    let groups = &outcome.record.trailer.as_ref().unwrap().groups;
    groups.iter().map(|end| (end.name.as_str(), &end.reason, end.exit_code)).collect()
}

/// `naps` of this program as a shell command.
fn naps(n: u32) -> String {
    format!("exec '{}' --helper naps {n}", helper(&[])[0])
}

fn two_yield_a_report() {
    let (na, avx) = (naps(200), naps(300));
    let outcome = run(&["--group", &format!("na={na}"), "--group", &format!("avx={avx}")], &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let named = |name: &str, command| Group { name: name.to_owned(), command };
    let groups = vec![named("na", na), named("avx", avx)];
    assert_eq!(outcome.record.header.target, Target::Groups { groups, user: None });
    assert_eq!(outcome.record.header.options.core_sched, None);
    let exited = EndReason::Exited { code: 0 };
    assert_eq!(ends(&outcome), [("na", &exited, 0), ("avx", &exited, 0)]);
    let trailer = outcome.record.trailer.as_ref().unwrap();
    let pids: Vec<_> = trailer.groups.iter().map(|end| end.root_pid.value().copied().unwrap()).collect();
    assert!(pids[0] != pids[1], "{pids:?}");
    let waits = outcome.summary.by_class.workload.n();
    assert!((500..700).contains(&waits), "both are the workload: {waits} waits, 500 expected");
    assert!(outcome.stderr.contains("\nended     na: exit code 0; avx: exit code 0\n"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("Reconciliation"), "{}", outcome.stderr);
}

fn first_code_in_order_counts() {
    let outcome = run(&["--group", "a=true", "--group", "b=sleep .2; exit 4", "--group", "c=kill -9 $$"], &[]);
    assert_eq!(outcome.code, 4, "{}", outcome.stderr);
    let (four, killed) = (EndReason::Exited { code: 4 }, EndReason::Signaled { signal: 9 });
    assert_eq!(ends(&outcome), [("a", &EndReason::Exited { code: 0 }, 0), ("b", &four, 4), ("c", &killed, 137)]);
    assert_eq!(outcome.record.trailer.as_ref().unwrap().reason, four);
}

fn signals_reach_all() {
    let group = |name| format!("{name}=sh -c 'echo {name} pid $$; exec sleep 1000'; exit 99");
    let running = Run::new(&["--group", &group("a"), "--group", &group("b")], &[]).start();
    let pids = ["a pid ", "b pid "].map(|said| running.process.out.expect(said).trim().parse().unwrap());
    kill(running.process.pid(), Signal::TERM);
    let outcome = running.finish();
    assert_eq!(outcome.code, 143, "{}", outcome.stderr);
    let ended = EndReason::Signaled { signal: libc::SIGTERM };
    assert_eq!(ends(&outcome), [("a", &ended, 143), ("b", &ended, 143)]);
    until("the grandchildren are dead", || pids.iter().all(|&pid| is_dead(pid)));
}

fn time_cap_ends_all() {
    let options = ["--duration", "300ms", "--group", "a=exec sleep 1000", "--group", "b=exit 0"];
    let outcome = run(&[&options[..], &["--group", "c=sh -c 'exec sleep 1000'; :"]].concat(), &[]);
    assert_eq!(outcome.code, 124, "{}", outcome.stderr);
    let (cap, exited) = (EndReason::TimeCap, EndReason::Exited { code: 0 });
    assert_eq!(ends(&outcome), [("a", &cap, 124), ("b", &exited, 0), ("c", &cap, 124)]);
    assert!(outcome.stderr.contains("a: cut short; b: exit code 0; c: cut short"), "{}", outcome.stderr);
    let groups = &outcome.record.trailer.as_ref().unwrap().groups;
    assert!(groups.iter().all(|end| is_dead(*end.root_pid.value().unwrap())));
}

fn another_user() {
    let outcome = run(&["--user", "nobody", "--group", "a=id -un", "--group", "b=id -un"], &[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "nobody\nnobody\n"), "{}", outcome.stderr);
}

fn none_runs_where_one_cannot() {
    let outcome = run(&["--user", "no-such-user", "--group", "a=echo ran", "--group", "b=echo ran"], &[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (125, ""), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("collector: group a: unknown user `no-such-user`"), "{}", outcome.stderr);
    let not_started = |reason: &EndReason| matches!(reason, EndReason::NotStarted { exit_code: 125, .. });
    assert!(ends(&outcome).iter().all(|(_, reason, code)| not_started(reason) && *code == 125), "{:?}", ends(&outcome));
    assert_eq!(ends(&outcome).len(), 2);
}

/// The cookies that a run's tasks said they had, by the word before them.
fn said<'a>(outcome: &'a Outcome, word: &str) -> Vec<&'a str> {
    outcome.stdout.lines().filter_map(|line| line.strip_prefix(word)?.strip_prefix(" cookie ")).collect()
}

fn groups_have_one_each() {
    let own = helper(&[])[0];
    let group = |name: &str| {
        format!("{name}=say() {{ echo {name} $('{own}' --helper cookie); }}; say; (say); ({{ say; }} &) | cat")
    };
    let outcome = run(&["--core-sched", "new", "--group", &group("a"), "--group", &group("b")], &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let (a, b) = (said(&outcome, "a"), said(&outcome, "b"));
    assert_eq!((a.len(), b.len()), (3, 3), "{}", outcome.stdout);
    assert!(a[0] != "0" && b[0] != "0" && a[0] != b[0], "{}", outcome.stdout);
    assert!(a.iter().all(|cookie| cookie == &a[0]) && b.iter().all(|cookie| cookie == &b[0]), "{}", outcome.stdout);
    assert_eq!(outcome.record.header.options.core_sched.as_deref(), Some("new"));
    assert!(outcome.stderr.contains("\ncookie    each group one of its own"), "{}", outcome.stderr);
}

/// And the next run, of the same collector's test, has none without the option.
fn command_has_its_own() {
    let own = helper(&["cookie"]);
    let with = run(&["--core-sched", "new"], &own);
    assert_eq!(with.code, 0, "{}", with.stderr);
    assert!(with.stdout.starts_with("cookie ") && with.stdout != "cookie 0\n", "{}", with.stdout);
    assert!(with.stderr.contains("\ncookie    one of its own (core scheduling)\n"), "{}", with.stderr);
    let without = run(&[], &own);
    assert_eq!((without.code, without.stdout.as_str()), (0, "cookie 0\n"), "{}", without.stderr);
}
