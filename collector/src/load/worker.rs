//! A worker: computes, and waits to be woken.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::clock::{cpu_ns, now_ns};
use super::latency::Latencies;
use super::messenger::Pause;
use super::spin::{Spin, next_target};

/// What a worker shows while it works. A cache line pair of its own: a neighbour's
/// counting would be part of the work.
#[repr(align(128))]
pub(super) struct Slot {
    /// Rounds done.
    pub(super) rounds: AtomicU64,
    /// CPU time used, nanoseconds; set at the worker's end.
    pub(super) cpu: AtomicU64,
    /// When a messenger woke it, monotonic nanoseconds; 0: not yet.
    pub(super) woken: AtomicU64,
    latencies: Mutex<Latencies>,
}

impl Slot {
    /// Nothing done yet.
    pub(super) fn new() -> anyhow::Result<Self> {
        Ok(Self {
            rounds: AtomicU64::new(0),
            cpu: AtomicU64::new(0),
            woken: AtomicU64::new(0),
            latencies: Mutex::new(Latencies::new()?),
        })
    }

    /// The latencies since the last time. Swapped, which is short, because the worker
    /// may be waiting for the lock.
    pub(super) fn take_latencies(&self, empty: Latencies) -> Latencies {
        std::mem::replace(&mut *self.latencies(), empty)
    }

    fn latencies(&self) -> MutexGuard<'_, Latencies> {
        // A worker that panicked left whole latencies behind.
        self.latencies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker's orders.
pub(super) struct Worker<'a> {
    /// What it shows.
    pub(super) slot: &'a Slot,
    /// Work in a round, nanoseconds of CPU time.
    pub(super) work: u64,
    /// Pause between rounds, nanoseconds, and who ends it.
    pub(super) pause: Option<(u64, Sender<Pause<'a>>)>,
    /// How fast to compute.
    pub(super) spin: Spin,
    /// When to leave off.
    pub(super) stop: &'a AtomicBool,
}

impl Worker<'_> {
    /// Works until told to stop.
    pub(super) fn work(self) {
        let mut target = cpu_ns();
        while !self.stop.load(Relaxed) {
            target = next_target(target, self.work, cpu_ns());
            self.spin.until(target, self.work, self.stop);
            if self.stop.load(Relaxed) {
                // A round cut short is none.
                break;
            }
            self.slot.rounds.fetch_add(1, Relaxed);
            if !self.pause() {
                break;
            }
        }
        self.slot.cpu.store(cpu_ns(), Relaxed);
    }

    /// Waits for its messenger, which comes at once when it is time to stop; false when
    /// there is none any more.
    fn pause(&self) -> bool {
        let Some((pause, messenger)) = &self.pause else { return true };
        self.slot.woken.store(0, Relaxed);
        let pause = Pause { slot: self.slot, worker: thread::current(), until: now_ns() + pause };
        if messenger.send(pause).is_err() {
            return false;
        }
        loop {
            // Parking may end for no reason, so the stamp is what counts.
            thread::park();
            match self.slot.woken.load(Acquire) {
                0 => {}
                // All are woken at once then: no latency of this load.
                _ if self.stop.load(Relaxed) => return false,
                woken => {
                    self.slot.latencies().note(now_ns().saturating_sub(woken));
                    return true;
                }
            }
        }
    }
}

/// Wakes a worker, and stamps when.
pub(super) fn wake(pause: &Pause<'_>) {
    pause.slot.woken.store(now_ns(), Release);
    pause.worker.unpark();
}
