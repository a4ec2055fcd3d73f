//! The core-scheduling cookie of a command: tasks with different ones never share a core
//! (Documentation/admin-guide/hw-vuln/core-scheduling.rst).

use std::{fmt, str::FromStr};

use rustix::{
    io::Errno,
    process::{Pid, getpid},
    thread::{CoreSchedulingScope, core_scheduling_cookie, create_core_scheduling_cookie, pull_core_scheduling_cookie},
};

use crate::host::core_sched::CoreScheduling;

/// The cookie that a command is to have. Its whole tree inherits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cookie {
    /// One of its own.
    New,
    /// That of a running process.
    Of(Pid),
}

/// Why a command cannot have a cookie; the text says what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CookieError {
    /// Nobody gets one here.
    #[error("{0}; leave --core-sched out to run without a cookie")]
    Unsupported(CoreScheduling),
    /// Nothing of that id.
    #[error("there is no process {0} to share the core-scheduling cookie of: `ps -e` lists those that run")]
    NoProcess(i32),
    /// The process is somebody else's.
    #[error("no permission to share the core-scheduling cookie of process {0}: run the collector as root")]
    NotPermitted(i32),
    /// There is nothing to share.
    #[error("process {0} has no core-scheduling cookie to share: give another process, or `new`")]
    NoCookie(i32),
}

impl Cookie {
    /// Finds out whether it can be had, as far as that can be told without taking one.
    ///
    /// # Errors
    /// [`CookieError`].
    pub fn check(self) -> Result<(), CookieError> {
        match (CoreScheduling::ask(), self) {
            (CoreScheduling::Available { .. }, Self::New) => Ok(()),
            (CoreScheduling::Available { .. }, Self::Of(pid)) => {
                match core_scheduling_cookie(pid, CoreSchedulingScope::Thread) {
                    Ok(0) => Err(CookieError::NoCookie(pid.as_raw_nonzero().get())),
                    Ok(_) => Ok(()),
                    Err(errno) => Err(self.refusal(errno)),
                }
            }
            (cannot, _) => Err(CookieError::Unsupported(cannot)),
        }
    }

    /// Gives it to the calling process, which has one thread. Async-signal-safe.
    pub(super) fn take(self) -> Result<(), Errno> {
        match self {
            Self::New => create_core_scheduling_cookie(getpid(), CoreSchedulingScope::ThreadGroup),
            // The kernel takes it from a thread, and gives it to a thread.
            Self::Of(pid) => pull_core_scheduling_cookie(pid, CoreSchedulingScope::Thread),
        }
    }

    /// What the kernel's answer means.
    pub(super) fn refusal(self, errno: Errno) -> CookieError {
        match (self, errno) {
            (Self::Of(pid), Errno::SRCH) => CookieError::NoProcess(pid.as_raw_nonzero().get()),
            (Self::Of(pid), Errno::PERM) => CookieError::NotPermitted(pid.as_raw_nonzero().get()),
            _ => CookieError::Unsupported(CoreScheduling::from_answer(Err(errno))),
        }
    }
}

impl fmt::Display for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New => f.write_str("new"),
            Self::Of(pid) => write!(f, "pid:{}", pid.as_raw_nonzero()),
        }
    }
}

impl FromStr for Cookie {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "new" {
            return Ok(Self::New);
        }
        text.strip_prefix("pid:")
            .and_then(|pid| pid.parse().ok())
            .filter(|&pid| pid > 0)
            .and_then(Pid::from_raw)
            .map(Self::Of)
            .ok_or_else(|| "give `new`, or pid: and the pid of a process, as in pid:4711".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_what_is_written() {
        for text in ["new", "pid:1", "pid:4194304"] {
            assert_eq!(text.parse::<Cookie>().map(|cookie| cookie.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "New", "old", "pid:", "pid:0", "pid:-1", "pid:x", "1", "pid:4294967296"] {
            assert!(text.parse::<Cookie>().is_err(), "{text}");
        }
    }

    #[test]
    fn answers_in_words() {
        let words = |cookie: &str, errno| cookie.parse::<Cookie>().map(|cookie| cookie.refusal(errno).to_string());
        let says = |cookie, errno, part: &str| words(cookie, errno).is_ok_and(|words| words.contains(part));
        for cookie in ["new", "pid:7"] {
            assert!(says(cookie, Errno::NODEV, &CoreScheduling::NoSmt.to_string()));
            assert!(says(cookie, Errno::INVAL, &CoreScheduling::NotBuilt.to_string()));
        }
        assert!(says("new", Errno::PERM, &CoreScheduling::Refused.to_string()));
        assert!(says("pid:7", Errno::PERM, "no permission to share the core-scheduling cookie of process 7"));
        assert!(says("pid:7", Errno::SRCH, "there is no process 7"));
    }
}
