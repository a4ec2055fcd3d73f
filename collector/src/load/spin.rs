//! Computing for a set amount of CPU time.
//!
//! By the thread's CPU clock and not by the wall clock: a worker that is preempted has
//! to make up for it, so n rounds take n times the work in CPU time whatever else runs,
//! and the load has a known answer. By the wall clock, the more crowded the machine the
//! less would be computed, and the waits that the load is there to make would shrink.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::clock::cpu_ns;

/// CPU time that calibration takes.
const CALIBRATION_NS: u64 = 2_000_000;

/// A round looks at the clock about this often. Reading the CPU clock is a system call,
/// about 0.2 us: at a 20th of 200 us it is 2 % of the work, at most.
const LOOKS_A_ROUND: u64 = 20;

/// The least and the most between two looks, nanoseconds: below, looking would be the
/// work; above, a stop would be late.
const STEP_NS: std::ops::RangeInclusive<u64> = 2_000..=1_000_000;

/// How fast this machine computes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spin {
    iterations_a_us: u64,
}

impl Spin {
    /// Measures it, in the calling thread's CPU time.
    pub(super) fn calibrate() -> Self {
        let begin = cpu_ns();
        let mut iterations = 0;
        loop {
            compute(1000);
            iterations += 1000;
            let took = cpu_ns() - begin;
            if took >= CALIBRATION_NS {
                return Self { iterations_a_us: (iterations * 1000 / took).max(1) };
            }
        }
    }

    /// Computes until the thread's CPU clock reads `until`, or until told to stop.
    /// `work` is the length of a whole round; both in nanoseconds.
    pub(super) fn until(self, until: u64, work: u64, stop: &AtomicBool) {
        let step = step_ns(work);
        let mut now = cpu_ns();
        while now < until && !stop.load(Relaxed) {
            compute(self.iterations(step.min(until - now)));
            now = cpu_ns();
        }
    }

    const fn iterations(self, ns: u64) -> u64 {
        let iterations = ns * self.iterations_a_us / 1000;
        if iterations == 0 { 1 } else { iterations }
    }
}

/// Time between two looks at the clock in a round of `work`, nanoseconds.
fn step_ns(work: u64) -> u64 {
    (work / LOOKS_A_ROUND).clamp(*STEP_NS.start(), *STEP_NS.end())
}

/// Where the CPU clock is to stand after the next round: a round's work after the last
/// target, so that what one round overshot, or spent on waking up, the next makes up
/// for. When more than a round was spent so, there is nothing to make up: now.
pub(super) const fn next_target(target: u64, work: u64, now: u64) -> u64 {
    let next = target + work;
    if next < now { now } else { next }
}

/// A chain of dependent steps, so that no compiler or processor runs ahead in it.
fn compute(iterations: u64) {
    let mut value = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..iterations {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    black_box(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overshoot_is_made_up_for() {
        assert_eq!(next_target(1000, 200, 1000), 1200);
        assert_eq!(next_target(1000, 200, 1150), 1200);
        assert_eq!(next_target(1000, 200, 1500), 1500);
    }

    #[test]
    fn looks_are_neither_too_often_nor_too_rare() {
        assert_eq!(step_ns(200_000), 10_000);
        assert_eq!(step_ns(0), 2_000);
        assert_eq!(step_ns(60_000_000_000), 1_000_000);
    }

    #[test]
    fn steps_are_at_least_one_iteration() {
        let spin = Spin { iterations_a_us: 500 };
        assert_eq!(spin.iterations(10_000), 5000);
        assert_eq!(spin.iterations(1), 1);
    }

    #[test]
    fn the_clock_is_reached_and_not_overshot_by_much() {
        let (spin, stop) = (Spin::calibrate(), AtomicBool::new(false));
        let begin = cpu_ns();
        for round in 1..=20 {
            spin.until(begin + round * 1_000_000, 1_000_000, &stop);
        }
        let took = cpu_ns() - begin;
        // 20 ms of work in steps of 50 us: only the last step's overshoot remains, and
        // calibration may be off when the processor changes its speed.
        assert!((20_000_000..22_000_000).contains(&took), "{took} ns");
    }

    #[test]
    fn a_stop_ends_it() {
        let begin = cpu_ns();
        Spin::calibrate().until(u64::MAX, 1_000_000, &AtomicBool::new(true));
        assert!(cpu_ns() - begin < 1_000_000_000);
    }
}
