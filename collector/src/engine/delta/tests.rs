//! Frames against a brute-force account of what one CPU did.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use collector_ebpf::{
    abi::{Control, Cpu},
    bucket,
    recent::{RECENT, Stint},
    runq::CLASSES,
    top::{LongWait, TOP},
};
use proptest::prelude::*;

use super::*;

/// Distance of the two clocks.
const OFFSET: u64 = 1 << 40;

fn fresh() -> Cpu {
    Cpu {
        epoch: 0,
        opened_mono: 0,
        opened: 0,
        offset: 0,
        idle_since: 0,
        idle_ns: 0,
        switches: 0,
        involuntary: 0,
        migrated: 0,
        unseen: 0,
        backwards: 0,
        before_window: 0,
        untraced: 0,
        unknown_ns: 0,
        end_untraced: 0,
        workload_end_untraced: 0,
        no_slot: 0,
        forks: 0,
        workload_forks: 0,
        execs: 0,
        exits: 0,
        top_floor: 0,
        recent_next: 0,
        running: 0,
        recent: [Stint::default(); RECENT],
        top: [LongWait::default(); TOP],
        waits: [Waits::NONE; CLASSES],
    }
}

#[derive(Clone, Debug)]
enum Event {
    Wait { class: u8, ns: u64 },
    Idle { busy: u32, idle: u32 },
    Read,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (0u8..3, prop_oneof![0u64..5000, 0u64..(1 << 42)]).prop_map(|(class, ns)| Event::Wait { class, ns }),
        2 => (0u32..10_000, 0u32..10_000).prop_map(|(busy, idle)| Event::Idle { busy, idle }),
        2 => Just(Event::Read),
    ]
}

/// What a frame has to hold.
#[derive(Default)]
struct Account {
    waits: [Vec<u64>; CLASSES],
    idle_ns: u64,
}

fn histogram_of(waits: &[u64]) -> Hist {
    let mut sorted: Vec<usize> = waits.iter().map(|&ns| bucket::index(ns)).collect();
    sorted.sort_unstable();
    let overflow = sorted.iter().filter(|&&index| index == bucket::BUCKETS).count() as u64;
    let mut counts: Vec<(u32, u64)> = Vec::new();
    for index in sorted.into_iter().filter(|&index| index < bucket::BUCKETS) {
        match counts.last_mut() {
            Some((last, count)) if *last == index as u32 => *count += 1,
            _ => counts.push((index as u32, 1)),
        }
    }
    Hist {
        sum_ns: waits.iter().sum(),
        min_ns: waits.iter().copied().min().unwrap_or(0),
        max_ns: waits.iter().copied().max().unwrap_or(0),
        overflow,
        counts,
    }
}

proptest! {
    #[test]
    fn frames_hold_what_happened_between_readings(events in prop::collection::vec(event(), 1..120)) {
        let mut cpu = fresh();
        let mut now = 1_000_000u64;
        let mut control = Control { epoch: 1, opened: now + OFFSET };
        let touch = |cpu: &mut Cpu, control: &Control, now: u64| {
            if cpu.epoch != control.epoch {
                cpu.new_epoch(control, now, now + OFFSET);
            }
        };
        touch(&mut cpu, &control, now);
        let read = |cpu: &Cpu, control: &mut Control, now: u64| {
            control.epoch += 1;
            Reading { at_ns: now + OFFSET, read_ns: 0, epoch: control.epoch - 1, cpus: vec![(0, *cpu)] }
        };
        let mut before = read(&cpu, &mut control, now);
        let first = before.clone();
        let mut account = Account::default();
        let mut sum = CpuTotals::default();
        for event in events.into_iter().chain([Event::Read]) {
            match event {
                Event::Wait { class, ns } => {
                    touch(&mut cpu, &control, now);
                    cpu.switches += 1;
                    cpu.waited(class, ns);
                    account.waits[class as usize].push(ns);
                }
                Event::Idle { busy, idle } => {
                    now += u64::from(busy);
                    touch(&mut cpu, &control, now);
                    cpu.left_idle(now);
                    cpu.went_idle(now);
                    now += u64::from(idle);
                    // Idle until something ends it: the rest is credited at the reading.
                    account.idle_ns += u64::from(idle);
                    touch(&mut cpu, &control, now);
                    cpu.left_idle(now);
                }
                Event::Read => {
                    let after = read(&cpu, &mut control, now);
                    let frame = cpu_frame(0, &before, &before.cpus[0].1, &after, &after.cpus[0].1).unwrap();
                    prop_assert_eq!(&frame.waits.others, &histogram_of(&account.waits[0]));
                    prop_assert_eq!(&frame.waits.collector, &histogram_of(&account.waits[1]));
                    prop_assert_eq!(&frame.waits.workload, &histogram_of(&account.waits[2]));
                    prop_assert_eq!(&frame.idle_ns, &Measured::Value(account.idle_ns));
                    sum.add(&frame);
                    account = Account::default();
                    before = after;
                }
            }
        }
        let totals = totals(&first, &before);
        prop_assert_eq!((sum.switches, sum.waits, sum.wait_ns), (totals.switches, totals.waits, totals.wait_ns));
    }

    /// A CPU that sleeps through a reading is idle up to it, and from it on.
    #[test]
    fn open_idle_time_is_credited_up_to_the_reading(since in 1u64..1000, first in 1000u64..5000, second in 5000u64..9000) {
        let mut cpu = fresh();
        cpu.new_epoch(&Control { epoch: 1, opened: OFFSET }, 1, 1 + OFFSET);
        cpu.went_idle(since);
        let reading = |at: u64, epoch| Reading { at_ns: at + OFFSET, read_ns: 0, epoch, cpus: vec![(0, cpu)] };
        let (before, after) = (reading(first, 1), reading(second, 2));
        let frame = cpu_frame(0, &before, &cpu, &after, &cpu).unwrap();
        prop_assert_eq!(frame.idle_ns, Measured::Value(second - first));
        prop_assert_eq!(frame.switches, 0);
    }
}

#[derive(Default)]
struct CpuTotals {
    switches: u64,
    waits: u64,
    wait_ns: u64,
}

impl CpuTotals {
    fn add(&mut self, frame: &CpuFrame) {
        self.switches += frame.switches;
        for hist in [&frame.waits.workload, &frame.waits.others, &frame.waits.collector] {
            self.waits += hist.n();
            self.wait_ns += hist.sum_ns;
        }
    }
}

#[test]
fn a_cpu_without_events_has_no_frame() {
    let reading = Reading { at_ns: 1, read_ns: 0, epoch: 1, cpus: vec![(0, fresh())] };
    assert_eq!(cpu_frame(0, &reading, &fresh(), &reading, &fresh()), None);
}

#[test]
fn a_single_wait_counted_before_its_extreme_is_its_own_extreme() {
    let mut curr = Waits::NONE;
    curr.add(10_000, 0);
    // The extreme went to the next epoch.
    let hist = histogram(&Waits::NONE, &curr, None);
    assert_eq!((hist.n(), hist.min_ns, hist.max_ns), (1, 10_000, 10_000));
}

proptest! {
    /// Extremes of any other waits, or none: what is reported can be of these.
    #[test]
    fn extremes_can_be_of_the_waits_that_are_counted(
        waits in prop::collection::vec(prop_oneof![0u64..100, 0u64..(1 << 42)], 1..20),
        extremes in prop::option::of((0u64..(1 << 42), 0u64..(1 << 42))),
    ) {
        let mut curr = Waits::NONE;
        waits.iter().for_each(|&ns| curr.add(ns, 0));
        let hist = histogram(&Waits::NONE, &curr, extremes);
        let (shortest, longest) = (*waits.iter().min().unwrap(), *waits.iter().max().unwrap());
        prop_assert_eq!(bucket::index(hist.min_ns), bucket::index(shortest));
        prop_assert_eq!(bucket::index(hist.max_ns), bucket::index(longest));
        prop_assert!(hist.min_ns <= hist.max_ns, "{:?}", hist);
        prop_assert!(hist.sum_ns >= hist.min_ns * hist.n() && hist.sum_ns <= hist.max_ns.saturating_mul(hist.n()), "{:?}", hist);
    }
}

#[test]
fn names_end_at_the_first_nul_and_never_fail() {
    assert_eq!(comm(b"kworker/0:1\0\0\0\0\0"), "kworker/0:1");
    assert_eq!(comm(b"0123456789abcdef"), "0123456789abcdef");
    assert_eq!(comm(b"\xff\xfe\0aaaaaaaaaaaaa"), "\u{fffd}\u{fffd}");
}
