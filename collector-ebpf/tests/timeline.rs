//! The wait state machine against a brute-force timeline.
//!
//! A made-up scheduler moves tasks between CPUs at random and writes down, for every
//! nanosecond, who was runnable and not running. The state machine sees only the
//! events that the kernel's tracepoints would show, strays included.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use collector_ebpf::{
    clock::Discard,
    runq::{COLLECTOR, OTHERS, Stamp, SwitchIn, Task, WORKLOAD, class_of_child, runnable},
};
use proptest::prelude::*;

const TASKS: usize = 6;
const CPUS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Dead,
    Blocked,
    Queued,
    Running(usize),
}

#[derive(Clone, Debug)]
enum Op {
    /// Time passes.
    Pass(u16),
    /// A wake-up event for a task, whatever it does.
    Wake(usize),
    /// A CPU switches to the queued task of this rank, or to idle.
    Switch { cpu: usize, rank: usize, runnable: bool },
    /// The running task of a CPU dies.
    Exit { cpu: usize },
    /// A dead task's pid is given to a new one.
    Fork(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => (1u16..2000).prop_map(Op::Pass),
        3 => (0..TASKS).prop_map(Op::Wake),
        4 => (0..CPUS, 0..TASKS + 1, any::<bool>()).prop_map(|(cpu, rank, runnable)| Op::Switch { cpu, rank, runnable }),
        1 => (0..CPUS).prop_map(|cpu| Op::Exit { cpu }),
        1 => (0..TASKS).prop_map(Op::Fork),
    ]
}

/// The truth.
struct World {
    now: u64,
    state: [State; TASKS],
    /// Nanoseconds queued so far, one by one.
    queued: [u64; TASKS],
    /// When the task was queued.
    since: [u64; TASKS],
}

impl World {
    fn pass(&mut self, ns: u64) {
        for _ in 0..ns {
            for task in 0..TASKS {
                if self.state[task] == State::Queued {
                    self.queued[task] += 1;
                }
            }
            self.now += 1;
        }
    }

    fn queue(&mut self, task: usize) {
        self.state[task] = State::Queued;
        self.queued[task] = 0;
        self.since[task] = self.now;
    }

    fn running_on(&self, cpu: usize) -> Option<usize> {
        (0..TASKS).find(|&task| self.state[task] == State::Running(cpu))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn waits_are_those_of_the_timeline(ops in prop::collection::vec(op(), 1..200), opened in 0u64..40_000) {
        let mut world = World { now: 1, state: [State::Blocked; TASKS], queued: [0; TASKS], since: [0; TASKS] };
        let mut machine = [Task::default(); TASKS];
        for op in ops {
            // A switch takes time, so no wait is shorter than a nanosecond.
            world.pass(1);
            match op {
                Op::Pass(ns) => world.pass(u64::from(ns)),
                Op::Wake(task) => {
                    let on_cpu = matches!(world.state[task], State::Running(_));
                    if world.state[task] == State::Dead {
                        continue;
                    }
                    let stamp = Stamp { clock: world.now, mono_lo: None };
                    let began = machine[task].wakeup(on_cpu, stamp, 0);
                    prop_assert_eq!(began, world.state[task] == State::Blocked);
                    if world.state[task] == State::Blocked {
                        world.queue(task);
                    }
                }
                Op::Switch { cpu, rank, runnable } => {
                    let next = (0..TASKS).filter(|&task| world.state[task] == State::Queued).nth(rank);
                    if let Some(prev) = world.running_on(cpu) {
                        machine[prev].switch_out(runnable, world.now, cpu as u16);
                        if runnable { world.queue(prev) } else { world.state[prev] = State::Blocked }
                    }
                    if let Some(next) = next {
                        let got = machine[next].switch_in(world.now, opened);
                        let expected = if world.since[next] < opened {
                            SwitchIn::Discarded(Discard::BeforeWindow)
                        } else {
                            SwitchIn::Waited(world.queued[next])
                        };
                        prop_assert_eq!(got, expected);
                        world.state[next] = State::Running(cpu);
                    }
                }
                Op::Exit { cpu } => {
                    if let Some(task) = world.running_on(cpu) {
                        machine[task].exit();
                        machine[task].switch_out(false, world.now, cpu as u16);
                        world.state[task] = State::Dead;
                    }
                }
                Op::Fork(task) => {
                    if world.state[task] == State::Dead {
                        machine[task].born(WORKLOAD);
                        prop_assert_eq!(machine[task], Task { class: WORKLOAD, ..Task::default() });
                        // sched_wakeup_new follows.
                        machine[task].wakeup(false, Stamp { clock: world.now, mono_lo: Some(0) }, 0);
                        world.queue(task);
                    }
                }
            }
            for (task, entry) in machine.iter().enumerate() {
                prop_assert_eq!(entry.start != 0, world.state[task] == State::Queued, "open waits are the queued tasks");
            }
        }
    }

    /// With the run queue's clock, which stands still from a wake-up that preempts to
    /// the switch it causes, waits come out as with a clock that never does.
    #[test]
    fn a_clock_that_stands_still_is_repaired(base in 1u64..(1 << 50), mono in 1u64..(1 << 50), passed in 1u64..1_000_000) {
        let mut task = Task::default();
        task.wakeup(false, Stamp { clock: base, mono_lo: Some(mono as u32) }, 3);
        let now = task.switch_time(base, || mono + passed);
        prop_assert_eq!(task.switch_in(now, 0), SwitchIn::Waited(passed));
    }

    /// A clock that went on is taken as it is, and nobody reads the other.
    #[test]
    fn a_clock_that_went_on_is_not_repaired(base in 1u64..(1 << 50), passed in 1u64..1_000_000, marked in any::<bool>()) {
        let mut task = Task::default();
        task.wakeup(false, Stamp { clock: base, mono_lo: marked.then_some(7) }, 3);
        let now = task.switch_time(base + passed, || unreachable!("no clock read is needed"));
        prop_assert_eq!(task.switch_in(now, 0), SwitchIn::Waited(passed));
    }
}

#[test]
fn clocks_that_disagree_are_a_discarded_sample() {
    let mut task = Task::default();
    task.wakeup(false, Stamp { clock: 100, mono_lo: None }, 0);
    assert_eq!(task.switch_in(99, 0), SwitchIn::Discarded(Discard::Backwards));
    assert_eq!(task.switch_in(200, 0), SwitchIn::Unseen, "the stamp is gone");
}

#[test]
fn a_stamp_that_a_missed_event_left_behind_ends_when_the_task_blocks() {
    let mut task = Task::default();
    task.wakeup(false, Stamp { clock: 100, mono_lo: None }, 0);
    // The switch-in was missed; the task runs and blocks.
    task.switch_out(false, 500, 0);
    task.wakeup(false, Stamp { clock: 900, mono_lo: None }, 0);
    assert_eq!(task.switch_in(950, 0), SwitchIn::Waited(50));
}

#[test]
fn a_program_that_is_executed_keeps_no_stamp() {
    let mut task = Task::default();
    task.wakeup(false, Stamp { clock: 100, mono_lo: None }, 0);
    task.exec(WORKLOAD);
    assert_eq!((task.start, task.class), (0, WORKLOAD));
}

#[test]
fn the_collector_s_processes_are_the_workload_and_its_threads_are_not() {
    assert_eq!(class_of_child(COLLECTOR, true), WORKLOAD);
    assert_eq!(class_of_child(COLLECTOR, false), COLLECTOR);
    for new_process in [true, false] {
        assert_eq!(class_of_child(WORKLOAD, new_process), WORKLOAD);
        assert_eq!(class_of_child(OTHERS, new_process), OTHERS);
    }
}

#[test]
fn preempted_and_running_tasks_are_runnable_and_no_others() {
    assert!(runnable(true, 1), "preempted while about to block");
    assert!(runnable(false, 0));
    assert!(runnable(false, 0x100), "R+");
    for blocked in [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x102, 0x402] {
        assert!(!runnable(false, blocked), "{blocked:#x}");
    }
}
