//! What one CPU does with its own figures, see [`crate::abi::Cpu`].

use crate::{
    abi::{Control, Cpu, Waits},
    bucket::{BUCKETS, index},
    clock::{elapsed, translate},
    recent::{RECENT, Stint},
    runq::CLASSES,
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
