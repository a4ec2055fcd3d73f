//! Differences of clock readings: measured, or discarded with a reason.
//!
//! Two clocks can stamp events. `CLOCK_MONOTONIC` (`bpf_ktime_get_ns`) costs a
//! read of the hardware counter. The run queue's own clock (`rq->clock`, set by
//! `update_rq_clock()` from `sched_clock_cpu()`) has already been computed by the
//! scheduler and costs a load; but where a wake-up preempts at once the
//! scheduler skips the next update (`rq_clock_skip_update()`), and the switch
//! then shows the wake-up's time. [`repaired`] mends that exactly.

/// Why a finished wait was not measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discard {
    /// The end lies before the start: the clocks of two CPUs disagree.
    Backwards,
    /// The wait began before the window was opened.
    BeforeWindow,
}

/// Nanoseconds from `start` to `end`, never subtracted the wrong way round.
///
/// # Errors
///
/// [`Discard::Backwards`] if `end < start`.
#[inline(always)]
pub const fn elapsed(start: u64, end: u64) -> Result<u64, Discard> {
    if end < start {
        return Err(Discard::Backwards);
    }
    Ok(end - start)
}

/// The time of a switch whose run-queue clock may be stale.
///
/// `clock` is the run queue's clock at the switch. `start` is the same clock as
/// read at the wake-up of the task switched in, and `mono_lo` the low half of
/// `CLOCK_MONOTONIC` at that wake-up. Equal clocks mean that it was not updated in
/// between, and then `mono_now` tells how much time really passed. The low half
/// wraps after 4.29 s; a clock that stood still for longer would need a CPU that
/// neither ticked nor switched with a reschedule pending.
#[inline(always)]
pub const fn repaired(clock: u64, start: u64, mono_lo: u32, mono_now: u64) -> u64 {
    if clock != start {
        return clock;
    }
    clock + (mono_now as u32).wrapping_sub(mono_lo) as u64
}

/// Where in the run queue's time a `CLOCK_MONOTONIC` instant lies, given one
/// moment read on both: `clock_now` and `mono_now`. Saturates at the ends.
#[inline(always)]
pub const fn translate(mono: u64, clock_now: u64, mono_now: u64) -> u64 {
    if mono <= mono_now { clock_now.saturating_sub(mono_now - mono) } else { clock_now.saturating_add(mono - mono_now) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn elapsed_adds_up_or_is_discarded(a in any::<u64>(), b in any::<u64>()) {
            match elapsed(a, b) {
                Ok(d) => prop_assert_eq!(a + d, b),
                Err(e) => { prop_assert!(b < a); prop_assert_eq!(e, Discard::Backwards); }
            }
        }

        #[test]
        fn a_fresh_clock_is_left_alone(clock in 1u64.., back in 1u64..1_000_000, lo in any::<u32>(), now in any::<u64>()) {
            let start = clock.saturating_sub(back);
            prop_assume!(start != clock);
            prop_assert_eq!(repaired(clock, start, lo, now), clock);
        }

        #[test]
        fn a_stale_clock_gains_what_passed(clock in 0u64..(1 << 60), woke in 0u64..(1 << 60), passed in 0u64..u64::from(u32::MAX)) {
            let now = woke + passed;
            prop_assert_eq!(repaired(clock, clock, woke as u32, now), clock + passed);
        }

        #[test]
        fn translation_keeps_distances(clock in (1u64 << 40)..(1 << 50), mono in (1u64 << 40)..(1 << 50), d in 0u64..(1 << 39)) {
            prop_assert_eq!(translate(mono - d, clock, mono), clock - d);
            prop_assert_eq!(translate(mono + d, clock, mono), clock + d);
        }
    }

    #[test]
    fn translation_saturates() {
        assert_eq!(translate(0, 5, 100), 0);
        assert_eq!(translate(u64::MAX, 5, 0), u64::MAX);
    }
}
