//! The end of a load: its time, or a signal.

use std::io;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::workload::sigmask::{self, Blocked};

const ENDING: [Signal; 2] = [Signal::INT, Signal::TERM];

/// Takes SIGINT and SIGTERM, in the calling thread and those it starts, until it is
/// dropped. Blocked and waited for rather than handled: then a signal also ends the
/// sleep, and no thread's work is interrupted.
pub(super) struct Stop {
    _blocked: Blocked,
}

impl Stop {
    /// Takes them from here on.
    pub(super) fn new() -> Self {
        Self { _blocked: Blocked::new(&ENDING) }
    }

    /// Sleeps until then; true when a signal came first.
    pub(super) fn comes_before(&self, until: Instant) -> io::Result<bool> {
        let set = sigmask::set(&ENDING);
        loop {
            let left = timespec(until.saturating_duration_since(Instant::now()));
            // SAFETY: the set and the time are initialised; no information is asked for.
            if unsafe { libc::sigtimedwait(&raw const set, std::ptr::null_mut(), &raw const left) } > 0 {
                return Ok(true);
            }
            let error = io::Error::last_os_error();
            match error.raw_os_error() {
                Some(libc::EAGAIN) => return Ok(false),
                // Stopped and continued.
                Some(libc::EINTR) => {}
                _ => return Err(error),
            }
        }
    }
}

fn timespec(time: Duration) -> libc::timespec {
    libc::timespec {
        tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: libc::c_long::from(time.subsec_nanos().cast_signed()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn time_passes_without_a_signal() {
        let until = Instant::now() + Duration::from_millis(5);
        assert!(!Stop::new().comes_before(until).unwrap());
        assert!(Instant::now() >= until);
    }

    #[test]
    fn the_past_is_not_waited_for() {
        assert!(!Stop::new().comes_before(Instant::now()).unwrap());
    }
}
