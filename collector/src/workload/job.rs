//! Job control: what a stop of the workload means for us.

use std::path::Path;

use rustix::process::{Pid, Signal, getpgid, getpgrp, getppid, getsid, kill_current_process_group};

use super::{procfs, sigmask};

/// What to do when the workload has been stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnStop {
    /// Nothing: somebody stopped it on purpose, or nobody could resume us.
    Leave,
    /// It asked for the terminal: lend it, and let it go on.
    Lend,
    /// Let it go on: there is no shell above us that could resume a job.
    Resume,
    /// Stop as well, so that the shell above us sees its job stopped.
    StopToo(Signal),
}

/// Decides it. `ours`: our group is the terminal's foreground. `orphaned`: no shell
/// watches our group, so the kernel would ignore a job-control stop of ours.
pub(super) fn on_stop(signal: i32, ours: bool, orphaned: bool) -> OnStop {
    let signal = [Signal::TSTP, Signal::TTIN, Signal::TTOU].into_iter().find(|one| one.as_raw() == signal);
    match signal {
        // SIGSTOP: `kill -STOP`, a freezer, a debugger.
        None => OnStop::Leave,
        Some(Signal::TTIN | Signal::TTOU) if ours => OnStop::Lend,
        Some(Signal::TSTP) if orphaned => OnStop::Resume,
        Some(_) if orphaned => OnStop::Leave,
        Some(signal) => OnStop::StopToo(signal),
    }
}

/// Stops our whole group (we, and what stands before or after us in a pipeline), with
/// the signal's default action; returns when we are resumed.
pub(super) fn stop_own_group(signal: Signal) {
    let stopped = sigmask::with_default(signal, || kill_current_process_group(signal));
    if let Ok(Err(error)) = stopped {
        tracing::warn!("the collector's own process group could not be stopped: {error}");
    }
}

/// Whether our process group is orphaned, in POSIX's sense: its parent, found upwards
/// past members of the group, is not in our session.
pub(super) fn is_orphaned(root: &Path) -> bool {
    let group = getpgrp();
    let mut ancestor = getppid();
    while let Some(pid) = ancestor {
        match getpgid(Some(pid)) {
            Ok(its) if its == group => {}
            Ok(_) => return getsid(Some(pid)).ok() != getsid(None).ok(),
            Err(_) => return true,
        }
        let parent = procfs::stat(root, pid.as_raw_nonzero().get().unsigned_abs()).map(|stat| stat.parent);
        ancestor = parent.ok().and_then(|parent| Pid::from_raw(i32::try_from(parent).ok()?));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_the_terminal_gets_it_when_it_is_ours() {
        for signal in [Signal::TTIN, Signal::TTOU] {
            assert_eq!(on_stop(signal.as_raw(), true, false), OnStop::Lend);
            assert_eq!(on_stop(signal.as_raw(), true, true), OnStop::Lend);
            assert_eq!(on_stop(signal.as_raw(), false, false), OnStop::StopToo(signal));
            assert_eq!(on_stop(signal.as_raw(), false, true), OnStop::Leave);
        }
    }

    #[test]
    fn ctrl_z_stops_us_unless_nobody_could_resume_us() {
        for ours in [false, true] {
            assert_eq!(on_stop(libc::SIGTSTP, ours, false), OnStop::StopToo(Signal::TSTP));
            assert_eq!(on_stop(libc::SIGTSTP, ours, true), OnStop::Resume);
        }
    }

    #[test]
    fn a_deliberate_stop_is_left_alone() {
        for (ours, orphaned) in [(false, false), (false, true), (true, false), (true, true)] {
            assert_eq!(on_stop(libc::SIGSTOP, ours, orphaned), OnStop::Leave);
        }
    }
}
