//! Signals that the collector is sent.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use rustix::process::Signal;
use tokio::signal::unix::{self, SignalKind, signal};

use super::sigmask;

/// The signals that ask to end, and are passed on to a workload.
const ENDING: [Signal; 4] = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT];

/// A stream of the signals that ask the collector to end: SIGINT, SIGTERM, SIGHUP, SIGQUIT.
///
/// One that was ignored when the collector was started (`nohup`, a background job of
/// a script) stays ignored, here and in the workload.
pub struct Signals {
    streams: Vec<(Signal, unix::Signal)>,
}

impl Signals {
    /// Catches them from here on. Needs a tokio runtime with I/O.
    ///
    /// # Errors
    /// When the handlers cannot be installed.
    pub fn install() -> io::Result<Self> {
        Self::of(&ENDING)
    }

    /// A stream without any.
    pub(super) const fn none() -> Self {
        Self { streams: Vec::new() }
    }

    /// Catches these, but for those that are ignored.
    pub(super) fn of(signals: &[Signal]) -> io::Result<Self> {
        let mut streams = Vec::new();
        for &one in signals {
            if sigmask::action(one)?.sa_sigaction != libc::SIG_IGN {
                streams.push((one, signal(SignalKind::from_raw(one.as_raw()))?));
            }
        }
        Ok(Self { streams })
    }

    /// The next one; several of a kind that come together are one. May be dropped
    /// half-way without losing any.
    pub async fn next(&mut self) -> Signal {
        poll_fn(|context| {
            for (one, stream) in &mut self.streams {
                if let Poll::Ready(Some(())) = stream.poll_recv(context) {
                    return Poll::Ready(*one);
                }
            }
            Poll::Pending
        })
        .await
    }
}

/// Lets caught signals have their default action again, so that Ctrl-C ends the
/// collector when the workload is over and only the report remains. Once, at the
/// end: [`Signals`] cannot be installed again after it.
pub fn restore_default() {
    for one in ENDING.into_iter().chain([Signal::TSTP]) {
        if sigmask::action(one).is_ok_and(|action| action.sa_sigaction != libc::SIG_IGN) {
            sigmask::set_default(one);
        }
    }
}

/// What to do with a signal that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Send it to the workload's group.
    On(Signal),
    /// Kill the group: it has been asked before.
    Kill,
}

/// Whether the workload has been asked to end yet.
#[derive(Debug, Default)]
pub(super) struct Passing {
    asked: bool,
}

impl Passing {
    /// Notes that it has been asked to end in another way.
    pub(super) const fn asked(&mut self) {
        self.asked = true;
    }

    /// The first SIGINT or SIGTERM is passed on, the second of either kills. SIGHUP
    /// and SIGQUIT are passed on always: a daemon may take the one to reload.
    pub(super) fn on(&mut self, signal: Signal) -> Pass {
        let asks = signal == Signal::INT || signal == Signal::TERM;
        if asks && self.asked {
            return Pass::Kill;
        }
        self.asked |= asks;
        Pass::On(signal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_request_kills() {
        for first in [Signal::INT, Signal::TERM] {
            for second in [Signal::INT, Signal::TERM] {
                let mut passing = Passing::default();
                assert_eq!(passing.on(first), Pass::On(first));
                assert_eq!(passing.on(second), Pass::Kill);
            }
        }
    }

    #[test]
    fn hup_and_quit_are_no_request() {
        let mut passing = Passing::default();
        for signal in [Signal::HUP, Signal::QUIT, Signal::HUP, Signal::QUIT, Signal::INT, Signal::HUP] {
            assert_eq!(passing.on(signal), Pass::On(signal));
        }
        assert_eq!(passing.on(Signal::INT), Pass::Kill);
    }

    #[test]
    fn the_time_cap_is_a_request() {
        let mut passing = Passing::default();
        passing.asked();
        assert_eq!(passing.on(Signal::INT), Pass::Kill);
    }
}
