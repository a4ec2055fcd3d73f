//! The wait of one task on the run queue, as a state machine.
//!
//! A wait begins when a task that is not on a CPU is woken, or when a task loses
//! its CPU while still runnable; it ends when the task is switched in. It goes on
//! over migrations: the state belongs to the task, not to a CPU. All transitions
//! of one task are serialised by the scheduler (`pi_lock`, the run queue's lock).

use crate::clock::{Discard, elapsed, repaired};

/// Nobody's: a task that is neither the workload's nor the collector's.
pub const OTHERS: u8 = 0;
/// A task of the collector itself.
pub const COLLECTOR: u8 = 1;
/// A task of the measured workload.
pub const WORKLOAD: u8 = 2;
/// How many classes of tasks there are.
pub const CLASSES: usize = 3;

/// The stamp's clock may stand still until the switch; `mono_lo` is valid.
pub const MAY_BE_STALE: u8 = 1;

/// What is known of one task, indexed by its pid (the kernel's, of a thread).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// When the wait began, in the programs' clock; 0 when the task does not wait.
    pub start: u64,
    /// Low half of `CLOCK_MONOTONIC` at the start, where [`MAY_BE_STALE`] is set.
    pub mono_lo: u32,
    /// The CPU the task was queued on when the wait began.
    pub cpu: u16,
    /// [`OTHERS`], [`COLLECTOR`] or [`WORKLOAD`].
    pub class: u8,
    /// [`MAY_BE_STALE`] or 0.
    pub flags: u8,
}

const _: () = assert!(size_of::<Task>() == 16 && align_of::<Task>() == 8);

/// An instant as the programs stamp it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The programs' clock, never 0.
    pub clock: u64,
    /// Low half of `CLOCK_MONOTONIC`, taken where the clock may stand still.
    pub mono_lo: Option<u32>,
}

/// What a switch-in ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchIn {
    /// A wait of so many nanoseconds.
    Waited(u64),
    /// A wait that is not measured, and why.
    Discarded(Discard),
    /// The task was runnable before it was first seen; its wait is not known.
    Unseen,
}

impl Task {
    /// The task was woken. Nothing begins if it is on a CPU or waits already.
    /// Returns whether a wait began.
    #[inline(always)]
    pub fn wakeup(&mut self, on_cpu: bool, stamp: Stamp, cpu: u16) -> bool {
        if on_cpu || self.start != 0 {
            return false;
        }
        self.begin(stamp, cpu);
        true
    }

    /// The task lost the CPU. A wait begins if it is still runnable.
    #[inline(always)]
    pub fn switch_out(&mut self, runnable: bool, now: u64, cpu: u16) {
        if runnable {
            self.begin(Stamp { clock: now, mono_lo: None }, cpu);
        } else if self.start != 0 {
            // A task that blocks waits for nothing. A stamp can only stand here if
            // the switch-in was missed; left alone it would become a huge wait.
            self.start = 0;
        }
    }

    #[inline(always)]
    fn begin(&mut self, stamp: Stamp, cpu: u16) {
        self.start = stamp.clock;
        self.cpu = cpu;
        match stamp.mono_lo {
            Some(lo) => {
                self.mono_lo = lo;
                self.flags = MAY_BE_STALE;
            }
            None => self.flags = 0,
        }
    }

    /// The time of the switch that puts this task on a CPU, see [`repaired`].
    /// `mono` is only called where the clock may have stood still.
    #[inline(always)]
    pub fn switch_time(&self, clock: u64, mono: impl FnOnce() -> u64) -> u64 {
        if self.flags & MAY_BE_STALE != 0 && self.start == clock {
            return repaired(clock, self.start, self.mono_lo, mono());
        }
        clock
    }

    /// The task got a CPU at `now`; `opened` is when the window was opened, in
    /// the same clock (`u64::MAX` while it is not).
    #[inline(always)]
    pub fn switch_in(&mut self, now: u64, opened: u64) -> SwitchIn {
        let start = self.start;
        self.start = 0;
        self.flags = 0;
        if start == 0 {
            return SwitchIn::Unseen;
        }
        if start < opened {
            return SwitchIn::Discarded(Discard::BeforeWindow);
        }
        match elapsed(start, now) {
            Ok(ns) => SwitchIn::Waited(ns),
            Err(why) => SwitchIn::Discarded(why),
        }
    }

    /// A new task took this pid: nothing of a dead one is left.
    #[inline(always)]
    pub fn born(&mut self, class: u8) {
        *self = Self { class, ..Self::default() };
    }

    /// The task replaced its program, and perhaps took over its leader's pid.
    #[inline(always)]
    pub fn exec(&mut self, class: u8) {
        self.start = 0;
        self.class = class;
    }

    /// The task is about to die; it is on a CPU and waits for nothing.
    #[inline(always)]
    pub fn exit(&mut self) {
        self.start = 0;
        self.flags = 0;
    }
}

/// The class of a new task. It is its parent's; but a process that the collector
/// makes is the workload, from its birth: the collector makes no other.
#[inline(always)]
pub const fn class_of_child(parent: u8, new_process: bool) -> u8 {
    if parent == COLLECTOR && new_process { WORKLOAD } else { parent }
}

/// Whether the task that leaves the CPU is still runnable: preempted, or its
/// state is `TASK_RUNNING` (0). `sched_switch` passes the raw state, in which the
/// preemption in the kernel (`TASK_REPORT_MAX`, 0x100, "R+" in the formatted event)
/// shows as `preempt`; the bit is taken for runnable too, in case it comes.
#[inline(always)]
pub const fn runnable(preempt: bool, prev_state: u64) -> bool {
    preempt || prev_state == 0 || prev_state == 0x100
}
