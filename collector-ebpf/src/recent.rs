//! The last tasks a CPU ran, to say who ran while another waited.

/// How many switches are remembered for each CPU.
pub const RECENT: usize = 16;

/// A task that ran up to a switch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stint {
    /// When it was switched out, in the programs' clock; 0 for a slot not used yet.
    pub until: u64,
    /// Its pid; 0 is the idle task.
    pub pid: u32,
    /// Keeps the size explicit.
    pub _pad: u32,
}

/// The longest stint within a wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Pid of the task that ran; 0 is the idle task.
    pub pid: u32,
    /// How much of the wait it ran for, nanoseconds; 0 when nothing is known.
    pub ns: u64,
}

/// The longest stint that overlaps `[start, end)`. `next` is the slot the next
/// stint will be written to, so the ring is walked from the newest backwards.
/// Only what the ring still holds is seen: for a wait with more than [`RECENT`]
/// switches, its last part.
#[inline(always)]
pub fn longest(ring: &[Stint; RECENT], next: u32, start: u64, end: u64) -> Ran {
    let mut best = Ran::default();
    let mut until = end;
    let mut back = 1u32;
    while back < RECENT as u32 {
        let this = ring[(next.wrapping_sub(back) as usize) & (RECENT - 1)];
        let before = ring[(next.wrapping_sub(back + 1) as usize) & (RECENT - 1)];
        let stop = if this.until < until { this.until } else { until };
        // The oldest stint has no known beginning: the slot before it is the
        // one written next, or was never written.
        if this.until == 0 || before.until == 0 || stop <= start {
            break;
        }
        let from = if before.until > start { before.until } else { start };
        if stop > from && stop - from > best.ns {
            best = Ran { pid: this.pid, ns: stop - from };
        }
        until = from;
        back += 1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a walk over every nanosecond of the wait.
        #[test]
        fn the_longest_stint_is_the_longest_run(lengths in prop::collection::vec((1u64..30, 0u32..5), 1..14), back in 1u64..400) {
            let mut ring = [Stint::default(); RECENT];
            // The stint before the first, which gives the first its beginning.
            let mut now = 1000;
            ring[0] = Stint { until: now, pid: 99, _pad: 0 };
            let mut owner = std::vec::Vec::new();
            for (i, &(length, pid)) in lengths.iter().enumerate() {
                owner.extend(std::iter::repeat_n((i, pid), length as usize));
                now += length;
                ring[i + 1] = Stint { until: now, pid, _pad: 0 };
            }
            let start = now.saturating_sub(back).max(1000);
            let mut longest_ns = 0;
            let mut longest_pids = std::vec::Vec::new();
            for (i, &(_, pid)) in lengths.iter().enumerate() {
                let ns = (start..now).filter(|&t| owner[(t - 1000) as usize].0 == i).count() as u64;
                if ns > longest_ns { longest_ns = ns; longest_pids.clear(); }
                if ns == longest_ns && ns > 0 { longest_pids.push(pid); }
            }
            let got = longest(&ring, lengths.len() as u32 + 1, start, now);
            prop_assert_eq!(got.ns, longest_ns);
            prop_assert!(longest_ns == 0 || longest_pids.contains(&got.pid));
        }
    }

    #[test]
    fn nothing_is_known_of_an_empty_ring() {
        assert_eq!(longest(&[Stint::default(); RECENT], 0, 0, 100), Ran::default());
    }
}
