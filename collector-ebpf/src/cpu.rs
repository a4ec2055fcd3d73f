//! What one CPU does with its own figures, see [`crate::abi::Cpu`].

use crate::{
    abi::{Control, Cpu, Waits},
    bucket::{BUCKETS, index},
    clock::{elapsed, translate},
    recent::{RECENT, Stint},
    runq::{CLASSES, WORKLOAD},
};

impl Waits {
    /// No waits yet.
    pub const NONE: Self = Self { sum: 0, overflow: 0, min: [u64::MAX; 2], max: [0; 2], counts: [0; BUCKETS] };

    /// Counts a wait of `ns` nanoseconds in an epoch of this parity.
    #[inline(always)]
    pub fn add(&mut self, ns: u64, parity: usize) {
        let parity = parity & 1;
        self.sum += ns;
        if ns < self.min[parity] {
            self.min[parity] = ns;
        }
        if ns > self.max[parity] {
            self.max[parity] = ns;
        }
        let bucket = index(ns);
        if bucket < BUCKETS {
            self.counts[bucket] += 1;
        } else {
            self.overflow += 1;
        }
    }
}

impl Cpu {
    /// The agent has begun a new epoch: extremes start anew. Where it has opened the
    /// window, the longest waits do too, and the opening is translated into the
    /// programs' clock; `now` and `mono` are the same moment on both clocks.
    #[inline(always)]
    pub fn new_epoch(&mut self, control: &Control, now: u64, mono: u64) {
        let parity = (control.epoch & 1) as usize;
        for waits in &mut self.waits {
            waits.min[parity] = u64::MAX;
            waits.max[parity] = 0;
        }
        self.offset = mono.wrapping_sub(now);
        if self.opened_mono != control.opened || self.epoch == 0 {
            self.opened_mono = control.opened;
            self.opened = if control.opened == 0 { u64::MAX } else { translate(control.opened, now, mono) };
            self.top_floor = 0;
            for slot in &mut self.top {
                slot.ns = 0;
            }
        }
        self.epoch = control.epoch;
    }

    /// A task of this class ended a wait of `ns` nanoseconds here.
    #[inline(always)]
    pub fn waited(&mut self, class: u8, ns: u64) {
        let class = class as usize;
        let class = if class < CLASSES { class } else { 0 };
        let parity = self.epoch as usize;
        self.waits[class].add(ns, parity);
    }

    /// The CPU turns to its idle task.
    #[inline(always)]
    pub fn went_idle(&mut self, now: u64) {
        self.idle_since = now;
    }

    /// The CPU turns away from its idle task.
    #[inline(always)]
    pub fn left_idle(&mut self, now: u64) {
        if self.idle_since != 0 {
            if let Ok(ns) = elapsed(self.idle_since, now) {
                self.idle_ns += ns;
            }
            self.idle_since = 0;
        }
    }

    /// Whether the task that leaves is the one that was switched in last.
    #[inline(always)]
    pub const fn was_running(&self, pid: u32) -> bool {
        self.running == pid as u64 + 1
    }

    /// The task `pid` was switched in, or the running one took this pid.
    #[inline(always)]
    pub const fn runs(&mut self, pid: u32) {
        self.running = pid as u64 + 1;
    }

    /// Another task leaves at `now` than was switched in last: the kernel did not trace
    /// what came in between. A CPU that had been idle is taken to have been so up to
    /// the wake-up of the task that leaves, `woken` (0 for none seen); what it did in
    /// the rest of the time is not known, nor how long that task, of this class, waited.
    #[inline(always)]
    pub fn missed_switch(&mut self, woken: u64, class: u8, now: u64) {
        if self.running == 0 {
            return;
        }
        self.untraced += 1;
        if woken != 0 {
            self.end_untraced += 1;
            if class == WORKLOAD {
                self.workload_end_untraced += 1;
            }
        }
        let mut since = self.recent[(self.recent_next as usize).wrapping_sub(1) & (RECENT - 1)].until;
        if self.idle_since != 0 && woken > self.idle_since && woken <= now {
            self.idle_ns += woken - self.idle_since;
            since = woken;
        }
        self.idle_since = 0;
        if let Ok(ns) = elapsed(since, now) {
            self.unknown_ns += ns;
        }
    }

    /// Task `pid` ran up to `now`. Twice for one switch does no harm, if
    /// [`Cpu::remembered`] comes after the last.
    #[inline(always)]
    pub fn remember(&mut self, pid: u32, now: u64) {
        let slot = (self.recent_next as usize) & (RECENT - 1);
        self.recent[slot] = Stint { until: now, pid, _pad: 0 };
    }

    /// The stint is complete.
    #[inline(always)]
    pub fn remembered(&mut self) {
        self.recent_next = self.recent_next.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests;
