//! More tasks than pids, and more threads than most maps have entries.

use libtest_mimic::{Completion, Trial};

use super::{
    harness::{Outcome, helper, run},
    helper::CANNOT,
    needs::{Need, test, test_or_ignored},
};

pub fn tests() -> Vec<Trial> {
    vec![
        test("storm::used_pids_inherit_nothing", &[Need::PidMax(70_000)], used_pids_inherit_nothing),
        test_or_ignored("storm::twenty_thousand_threads", &[], twenty_thousand_threads),
    ]
}

/// Of every run it holds that no event is without its slot.
#[track_caller]
fn all_are_counted(outcome: &Outcome, forks: u64) {
    let counts = &outcome.summary.counts;
    assert_eq!(counts.workload_forks, forks + 1, "all of its forks, and its own birth");
    assert!(counts.forks >= counts.workload_forks && counts.exits >= counts.workload_forks - 1, "{counts:?}");
    // Each of them waited at least once, at birth.
    let waits = outcome.summary.by_class.workload.n();
    assert!(waits + 8 >= forks, "{waits} waits of {forks} tasks");
}

fn used_pids_inherit_nothing() {
    let outcome = run(&[], &helper(&["storm"]));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let figure = |before: &str| -> u64 {
        let rest = outcome.stdout.split_once(before).expect("the helper's word").1;
        rest.split_ascii_whitespace().next().unwrap().parse().unwrap()
    };
    all_are_counted(&outcome, figure("forks "));
    // A task that inherited the stamp of the one that had its pid before would have
    // waited for as long as it takes to go through all pids.
    let round = figure("used again after ") * 1_000_000;
    let longest = outcome.summary.by_class.workload.max().unwrap();
    println!("{} forks, {round} ns for a round, longest wait {longest} ns", figure("forks "));
    assert!(longest < round / 2, "a wait of {longest} ns, all pids take {round} ns");
}

fn twenty_thousand_threads() -> Completion {
    const THREADS: u64 = 20_000;
    /// A stack, its guard, a signal stack and its guard; one more for good measure.
    const MAPS_A_THREAD: u64 = 5;
    // As many processes as it takes for none to need more mappings than it may have.
    let maps: u64 = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap().trim().parse().unwrap();
    let processes = (THREADS * MAPS_A_THREAD).div_ceil(maps.saturating_sub(1000).max(MAPS_A_THREAD));
    let each = THREADS.div_ceil(processes);
    let outcome = run(&[], &helper(&["threads", &processes.to_string(), &each.to_string()]));
    if outcome.code == CANNOT {
        return Completion::ignored_with(format!("the machine's limits: {}", outcome.stdout.trim()));
    }
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    println!("{processes} processes of {each} threads: {} waits", outcome.summary.by_class.workload.n());
    all_are_counted(&outcome, processes * (each + 1));
    Completion::Completed
}
