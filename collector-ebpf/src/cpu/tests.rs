//! A CPU whose kernel hides some of its switches, against what it really did.

use proptest::prelude::*;

use super::*;
use crate::{
    runq::OTHERS,
    top::{LongWait, TOP},
};

fn fresh() -> Cpu {
    // SAFETY: `Cpu` consists of integers only, for which zeros are valid.
    let mut cpu: Cpu = unsafe { core::mem::zeroed() };
    cpu.top = [LongWait::default(); TOP];
    cpu
}

/// What `on_switch` does with the state of the CPU.
fn switch(cpu: &mut Cpu, prev: u32, next: u32, woken: u64, now: u64) {
    if !cpu.was_running(prev) {
        cpu.missed_switch(woken, OTHERS, now);
    }
    cpu.runs(next);
    if prev == 0 {
        cpu.left_idle(now);
    }
    if next == 0 {
        cpu.went_idle(now);
    }
    cpu.remember(prev, now);
    cpu.remembered();
}

proptest! {
    /// Whatever is hidden: known idle time is never more than there was, and never less
    /// than that and the unknown time make up. With nothing hidden nothing is unknown.
    /// Single switches are hidden: two in a row may lead back to where they began, which
    /// nobody can tell from none.
    #[test]
    fn hidden_switches_make_time_unknown_and_never_wrong(
        stints in prop::collection::vec((0u32..4, 1u64..1000, any::<bool>()), 2..60),
        hides in any::<bool>(),
    ) {
        let mut cpu = fresh();
        let mut now = 1;
        let (mut idle, mut busy) = (0, 0);
        let mut running = 9;
        switch(&mut cpu, 8, running, 0, now);
        let (first, mut last) = (now, now);
        // Idle and busy time up to the last switch that was seen.
        let mut seen = (0, 0);
        let mut hid = false;
        for (next, ns, hidden) in stints {
            if next == running {
                continue;
            }
            now += ns;
            if running == 0 { idle += ns } else { busy += ns }
            hid = hides && hidden && !hid;
            if !hid {
                // The task that ends an idle time is woken as it does.
                let woken = if running == 0 { 0 } else { now - ns };
                switch(&mut cpu, running, next, woken, now);
                (seen, last) = ((idle, busy), now);
            }
            running = next;
        }
        prop_assert!(cpu.idle_ns <= seen.0, "{} of {}", cpu.idle_ns, seen.0);
        prop_assert!(cpu.idle_ns + cpu.unknown_ns >= seen.0, "{} and {} of {}", cpu.idle_ns, cpu.unknown_ns, seen.0);
        prop_assert!(cpu.unknown_ns <= last - first);
        if !hides {
            prop_assert_eq!((cpu.untraced, cpu.unknown_ns, cpu.idle_ns), (0, 0, seen.0));
        }
    }
}

#[test]
fn an_idle_time_whose_end_was_hidden_is_known_up_to_the_wake_up() {
    let mut cpu = fresh();
    switch(&mut cpu, 5, 0, 0, 100);
    // Task 7 was woken at 400, came unseen, and leaves at 450.
    switch(&mut cpu, 7, 0, 400, 450);
    assert_eq!((cpu.untraced, cpu.idle_ns, cpu.unknown_ns, cpu.end_untraced), (1, 300, 50, 1));
    assert_eq!((cpu.workload_end_untraced, cpu.idle_since), (0, 450));
}

#[test]
fn the_first_event_hides_nothing() {
    let mut cpu = fresh();
    switch(&mut cpu, 5, 6, 90, 100);
    assert_eq!((cpu.untraced, cpu.unknown_ns, cpu.end_untraced), (0, 0, 0));
}
