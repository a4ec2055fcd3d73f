//! Whether the kernel can keep tasks that do not trust each other off the same core.

use std::fmt;

use rustix::{
    io::Errno,
    thread::{CoreSchedulingScope, core_scheduling_cookie, gettid},
};

/// What the kernel answers to `prctl(PR_SCHED_CORE, PR_SCHED_CORE_GET)`
/// (Documentation/admin-guide/hw-vuln/core-scheduling.rst).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreScheduling {
    /// It works.
    Available {
        /// Whether this thread has a cookie of its own.
        cookie: bool,
    },
    /// ENODEV: the kernel can, but no core runs two threads.
    NoSmt,
    /// EINVAL: the kernel cannot.
    NotBuilt,
    /// EPERM: something between this process and the kernel refuses.
    Refused,
    /// Another error.
    Failed(Errno),
}

impl CoreScheduling {
    /// Asks the kernel about the calling thread.
    pub fn ask() -> Self {
        Self::from_answer(core_scheduling_cookie(gettid(), CoreSchedulingScope::Thread))
    }

    /// The meaning of the answer, a cookie (0 for none) or an error.
    pub const fn from_answer(answer: Result<u64, Errno>) -> Self {
        match answer {
            Ok(cookie) => Self::Available { cookie: cookie != 0 },
            Err(Errno::NODEV) => Self::NoSmt,
            Err(Errno::INVAL) => Self::NotBuilt,
            Err(Errno::PERM) => Self::Refused,
            Err(other) => Self::Failed(other),
        }
    }
}

impl fmt::Display for CoreScheduling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Available { cookie: false } => "available",
            Self::Available { cookie: true } => "available, and the collector itself has a cookie",
            Self::NoSmt => "no SMT here: core scheduling needs SMT to be active",
            Self::NotBuilt => "this kernel has no core scheduling (CONFIG_SCHED_CORE, since 5.14)",
            Self::Refused => "the kernel may not be asked: a seccomp filter or a security module refuses prctl()",
            Self::Failed(error) => return write!(f, "prctl(PR_SCHED_CORE) failed: {error}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_in_words() {
        let words = |answer| CoreScheduling::from_answer(answer).to_string();
        assert_eq!(words(Ok(0)), "available");
        assert_eq!(words(Ok(7)), "available, and the collector itself has a cookie");
        assert_eq!(words(Err(Errno::NODEV)), "no SMT here: core scheduling needs SMT to be active");
        assert!(words(Err(Errno::INVAL)).contains("CONFIG_SCHED_CORE"));
        assert!(words(Err(Errno::PERM)).contains("refuses"));
        assert!(words(Err(Errno::NOSYS)).starts_with("prctl(PR_SCHED_CORE) failed: "));
    }

    #[test]
    fn the_live_machine_answers() {
        let answer = CoreScheduling::ask();
        assert!(!matches!(answer, CoreScheduling::Failed(_)), "{answer}");
    }
}
