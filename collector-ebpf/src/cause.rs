//! Why a task waited.

use crate::recent::{RECENT, Stint};

/// Why a task waited, or for most of its wait did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// Its CPU was busy with another task.
    Competing = 0,
    /// Its CPU idled by force of core scheduling.
    Forced = 1,
    /// Its CPU was idle and on its way: interrupt, exit from idle, the pick.
    Gap = 2,
    /// It changed CPU while it waited.
    Migrated = 3,
}

/// How many causes there are.
pub const CAUSES: usize = 4;

/// The last time a CPU was idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastIdle {
    /// When it began; 0 for never.
    pub begin: u64,
    /// When it ended.
    pub end: u64,
    /// Whether it was forced when it ended.
    pub forced: bool,
}

/// A wait taken apart: nanoseconds, which add up to the wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Its CPU was busy.
    pub competing: u64,
    /// Its CPU idled by force.
    pub forced: u64,
    /// Its CPU was idle and on its way.
    pub gap: u64,
}

impl Split {
    /// The longest share.
    #[inline(always)]
    pub const fn cause(&self) -> Cause {
        if self.forced > self.competing && self.forced >= self.gap {
            Cause::Forced
        } else if self.gap > self.competing {
            Cause::Gap
        } else {
            Cause::Competing
        }
    }
}

/// Takes the wait `[start, now)` of a task apart that was queued on one CPU all along.
/// That CPU's last idle time is known; those before it while the task was queued
/// (`earlier`, see [`idle_before`]) were forced, since it had something to run.
#[inline(always)]
pub const fn split(start: u64, now: u64, last: LastIdle, earlier: u64) -> Split {
    let whole = now.saturating_sub(start);
    let idle = overlap(start, now, last.begin, last.end);
    let earlier = if earlier > whole - idle { whole - idle } else { earlier };
    let (forced, gap) = if last.forced { (idle, 0) } else { (0, idle) };
    Split { competing: whole - idle - earlier, forced: forced + earlier, gap }
}

#[inline(always)]
const fn overlap(start: u64, end: u64, from: u64, to: u64) -> u64 {
    let from = if from > start { from } else { start };
    let to = if to < end { to } else { end };
    if from == 0 { 0 } else { to.saturating_sub(from) }
}

/// Idle time within `[start, end)` by the ring of the last stints, whose next one goes
/// to slot `next`; of a longer past nothing is known.
#[inline(always)]
pub fn idle_before(ring: &[Stint; RECENT], next: u32, start: u64, end: u64) -> u64 {
    let mut idle = 0;
    let mut back = 1u32;
    while back < RECENT as u32 {
        let this = ring[(next.wrapping_sub(back) as usize) & (RECENT - 1)];
        let before = ring[(next.wrapping_sub(back + 1) as usize) & (RECENT - 1)];
        if this.until == 0 || before.until == 0 || this.until <= start {
            break;
        }
        if this.pid == 0 {
            idle += overlap(start, end, before.until, this.until);
        }
        back += 1;
    }
    idle
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a walk over every nanosecond of the wait.
        #[test]
        fn shares_are_those_of_the_timeline(stints in prop::collection::vec((1u64..40, 0u32..3), 2..14), back in 1u64..300, forced in any::<bool>()) {
            let mut ring = [Stint::default(); RECENT];
            let mut now = 1000;
            ring[0] = Stint { until: now, pid: 9, _pad: 0 };
            let mut pids = std::vec::Vec::new();
            let mut last = LastIdle::default();
            for (i, &(ns, pid)) in stints.iter().enumerate() {
                if pid == 0 {
                    last = LastIdle { begin: now, end: now + ns, forced };
                }
                pids.extend(std::iter::repeat_n(pid, ns as usize));
                now += ns;
                ring[i + 1] = Stint { until: now, pid, _pad: 0 };
            }
            let start = now.saturating_sub(back).max(1000);
            let earlier = if last.begin > start { idle_before(&ring, stints.len() as u32 + 1, start, last.begin) } else { 0 };
            let got = split(start, now, last, earlier);
            let idle = |t: &u64| pids[(*t - 1000) as usize] == 0;
            let in_last = |t: &u64| last.begin <= *t && *t < last.end;
            let all = (start..now).filter(idle).count() as u64;
            let in_last = (start..now).filter(|t| idle(t) && in_last(t)).count() as u64;
            let expected = if forced { Split { competing: now - start - all, forced: all, gap: 0 } }
                else { Split { competing: now - start - all, forced: all - in_last, gap: in_last } };
            prop_assert_eq!(got, expected);
        }

        #[test]
        fn shares_add_up(start in 0u64..1000, ns in 0u64..1000, begin in 0u64..2000, idle in 0u64..1000, earlier in 0u64..2000, forced in any::<bool>()) {
            let got = split(start, start + ns, LastIdle { begin, end: begin + idle, forced }, earlier);
            prop_assert_eq!(got.competing + got.forced + got.gap, ns);
        }
    }

    #[test]
    fn the_longest_share_wins() {
        let cause = |competing, forced, gap| Split { competing, forced, gap }.cause();
        assert_eq!(cause(5, 4, 3), Cause::Competing);
        assert_eq!(cause(4, 5, 3), Cause::Forced);
        assert_eq!(cause(3, 4, 5), Cause::Gap);
        assert_eq!(cause(0, 0, 0), Cause::Competing);
    }
}
