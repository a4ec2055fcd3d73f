//! A messenger: wakes workers when their pause is over.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Receiver;
use std::thread::{self, Thread};
use std::time::Duration;

use rustix::thread::set_current_timer_slack;

use super::clock::now_ns;
use super::worker::{Slot, wake};

/// Workers for each messenger: at the default 500 us of pause it wakes one in 30 us,
/// which it keeps up with.
pub(super) const WORKERS_EACH: usize = 16;

/// The longest sleep without a look at whether to stop.
const LONGEST_NAP: Duration = Duration::from_millis(20);

/// A worker that waits.
pub(super) struct Pause<'a> {
    /// Where the time of its waking is put.
    pub(super) slot: &'a Slot,
    /// Whom to wake.
    pub(super) worker: Thread,
    /// When, monotonic nanoseconds.
    pub(super) until: u64,
}

/// Wakes workers in the order they come, until the last has gone; each at once when it
/// is time to stop. All pauses are equally long, so that is the order they end in.
pub(super) fn carry(pauses: &Receiver<Pause<'_>>, stop: &AtomicBool) {
    // The default slack of 50 us would make every pause that much longer. Where it
    // cannot be set, they are.
    let _ = set_current_timer_slack(NonZero::new(1));
    for pause in pauses {
        while let left @ 1.. = pause.until.saturating_sub(now_ns())
            && !stop.load(Relaxed)
        {
            thread::sleep(Duration::from_nanos(left).min(LONGEST_NAP));
        }
        wake(&pause);
    }
}
