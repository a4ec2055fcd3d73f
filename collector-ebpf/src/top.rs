//! The longest waits that ended on a CPU.

/// How many are kept for each CPU.
pub const TOP: usize = 10;

/// One long wait.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LongWait {
    /// How long, nanoseconds; 0 for a slot not used.
    pub ns: u64,
    /// When it ended, in the programs' clock.
    pub end: u64,
    /// How much of it the task in `ran_pid` ran for, nanoseconds; 0 when not known.
    pub ran_ns: u64,
    /// Name of the task that waited.
    pub comm: [u8; 16],
    /// Name of the task that ran last before the wait ended.
    pub last_comm: [u8; 16],
    /// Thread that waited.
    pub pid: u32,
    /// Its process.
    pub tgid: u32,
    /// The longest-running task meanwhile; 0 is the idle task.
    pub ran_pid: u32,
    /// The task that ran last before the wait ended; 0 is the idle task.
    pub last_pid: u32,
    /// Class of the task that waited, see [`crate::runq`].
    pub class: u32,
    /// CPU the wait began on.
    pub from_cpu: u32,
}

const _: () = assert!(size_of::<LongWait>() == 80);

/// The slot with the shortest wait, which a longer one replaces.
#[inline(always)]
pub fn shortest(top: &[LongWait; TOP]) -> usize {
    let mut slot = 0;
    let mut i = 1;
    while i < TOP {
        if top[i].ns < top[slot].ns {
            slot = i;
        }
        i += 1;
    }
    slot
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Kept the way the programs do it, the longest of all waits remain.
        #[test]
        fn the_longest_remain(waits in prop::collection::vec(1u64..1000, 0..60)) {
            let mut top = [LongWait::default(); TOP];
            for &ns in &waits {
                if ns > top[shortest(&top)].ns {
                    top[shortest(&top)].ns = ns;
                }
            }
            let mut kept: std::vec::Vec<u64> = top.iter().map(|wait| wait.ns).filter(|&ns| ns != 0).collect();
            kept.sort_unstable();
            let mut all = waits;
            all.sort_unstable();
            prop_assert_eq!(&kept[..], &all[all.len().saturating_sub(TOP)..]);
        }
    }
}
