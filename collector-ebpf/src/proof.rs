//! The comparison of the two clocks of [`crate::clock`]: what the programs that
//! stamp the same events with both share with their reader, `cargo xtask bench --clock`.
//!
//! All counters are single numbers in one per-CPU array, so that the kernel object
//! can carry the map with one entry where nobody compares: 8 bytes a CPU.

use crate::{
    bucket::{BUCKETS, index},
    runq::Task,
};

/// Map of [`Both`], indexed by pid.
pub const TASKS: &str = "PROOF_TASKS";
/// Map of the counters, see [`bucket_slot`] and [`figure_slot`].
pub const COUNTS: &str = "PROOF_COUNTS";
/// Map of one [`Worst`] a [`Case`].
pub const WORST: &str = "PROOF_WORST";
/// Map of the run queue's clock at the first event since the last switch that saw it
/// about to stand still, 0 for none; indexed by CPU.
pub const STOPPED: &str = "PROOF_STOPPED";

/// Differences above this want an explanation, nanoseconds.
pub const LIMIT_NS: u64 = 2_000;

/// One task, stamped by both clocks.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Both {
    /// As the programs stamp it where they use the scheduler's clock.
    pub scheduler: Task,
    /// By `CLOCK_MONOTONIC` throughout.
    pub monotonic: Task,
    /// A [`Began`].
    pub began: u64,
}

/// The distributions, of nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// By how much waits are longer by the monotonic clock.
    Longer,
    /// By how much they are shorter by it; equal ones are in neither.
    Shorter,
    /// Waits by the scheduler's clock.
    Scheduler,
    /// Waits by the monotonic clock.
    Monotonic,
}

/// How many distributions there are.
pub const DISTRIBUTIONS: usize = 4;

/// The slots of a distribution: its buckets, and one for the overflow.
pub const DISTRIBUTION_SLOTS: usize = BUCKETS + 1;

/// Where a value is counted.
#[inline(always)]
pub const fn bucket_slot(of: Distribution, value: u64) -> usize {
    of as usize * DISTRIBUTION_SLOTS + index(value)
}

/// What began a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Began {
    /// `sched_wakeup`
    Wakeup,
    /// `sched_wakeup_new`
    New,
    /// `sched_switch`, still runnable
    Preempted,
    /// The same at a switch whose clock stood still and was not repaired
    PreemptedStale,
}

impl Began {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Wakeup, Self::New, Self::Preempted, Self::PreemptedStale];
}

/// The run queue's clock at the switch that ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// No event since the switch before saw that its update would be skipped.
    Fresh,
    /// It was to be skipped, and the programs repaired the time.
    Repaired,
    /// It was to be skipped, and the time was taken as it is.
    Stale,
}

impl Clock {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Fresh, Self::Repaired, Self::Stale];
}

/// The circumstances of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// How it began.
    pub began: Began,
    /// How its end was stamped.
    pub clock: Clock,
    /// Whether it ended on another CPU than it began on.
    pub migrated: bool,
}

/// How many cases there are.
pub const CASES: usize = Began::ALL.len() * Clock::ALL.len() * 2;

impl Case {
    /// A number below [`CASES`].
    #[inline(always)]
    pub const fn number(self) -> usize {
        (self.began as usize * Clock::ALL.len() + self.clock as usize) * 2 + self.migrated as usize
    }

    /// The case of a number.
    pub const fn of(number: usize) -> Self {
        let of_clock = number / 2;
        Self {
            began: Began::ALL[of_clock / Clock::ALL.len() % Began::ALL.len()],
            clock: Clock::ALL[of_clock % Clock::ALL.len()],
            migrated: number % 2 == 1,
        }
    }
}

/// What is counted for each case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Waits.
    Waits,
    /// Sum of wait by the monotonic clock minus wait by the scheduler's, wrapping.
    Sum,
    /// Waits longer by the monotonic clock by more than [`LIMIT_NS`]: the
    /// scheduler's clock was late at the end.
    Longer,
    /// Waits shorter by more than it: the scheduler's clock was late at the start.
    Shorter,
}

/// How many figures there are.
pub const FIGURES: usize = 4;

const FIRST_FIGURE: usize = DISTRIBUTIONS * DISTRIBUTION_SLOTS;

/// Where a figure of a case is counted.
#[inline(always)]
pub const fn figure_slot(case: usize, figure: Figure) -> usize {
    FIRST_FIGURE + case * FIGURES + figure as usize
}

/// Where waits are counted that one of the clocks would have discarded.
pub const DISCARDED_SLOT: usize = FIRST_FIGURE + CASES * FIGURES;

/// How many slots there are.
pub const SLOTS: usize = DISCARDED_SLOT + 1;

/// Where a difference above the limit is counted.
#[inline(always)]
pub const fn above_limit(scheduler: u64, monotonic: u64) -> Option<Figure> {
    if monotonic.abs_diff(scheduler) <= LIMIT_NS {
        return None;
    }
    Some(if monotonic > scheduler { Figure::Longer } else { Figure::Shorter })
}

/// The wait of one case that differs most.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worst {
    /// By how much, nanoseconds.
    pub ns: u64,
    /// The wait by the scheduler's clock.
    pub scheduler: u64,
    /// The wait by the monotonic clock.
    pub monotonic: u64,
    /// Name of the task that waited.
    pub comm: [u8; 16],
    /// Its thread.
    pub pid: u32,
    /// The task that left the CPU for it; 0 is the idle task.
    pub prev_pid: u32,
}

const _: () = assert!(size_of::<Both>() == 40 && size_of::<Worst>() == 48);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cases_and_numbers_correspond() {
        for number in 0..CASES {
            assert_eq!(Case::of(number).number(), number);
        }
    }

    #[test]
    fn slots_do_not_overlap() {
        assert_eq!(bucket_slot(Distribution::Longer, 0), 0);
        assert_eq!(bucket_slot(Distribution::Longer, u64::MAX) + 1, bucket_slot(Distribution::Shorter, 0));
        assert_eq!(bucket_slot(Distribution::Monotonic, u64::MAX) + 1, figure_slot(0, Figure::Waits));
        assert_eq!(figure_slot(CASES - 1, Figure::Shorter) + 1, DISCARDED_SLOT);
    }

    proptest! {
        #[test]
        fn only_differences_above_the_limit_count(wait in 0u64..1 << 40, more in 0u64..1 << 30) {
            let above = more > LIMIT_NS;
            prop_assert_eq!(above_limit(wait, wait + more), above.then_some(Figure::Longer));
            prop_assert_eq!(above_limit(wait + more, wait), above.then_some(Figure::Shorter));
        }
    }
}
