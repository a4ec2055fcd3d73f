//! The terminal: which process group reads from it and gets its Ctrl-C.

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpgrp};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{isatty, tcgetpgrp, tcsetpgrp};

use super::sigmask::Blocked;

/// Our controlling terminal, if there is one, and whether the workload has it.
pub(super) struct Terminal {
    tty: Option<OwnedFd>,
    own_group: Pid,
    to_be_given: bool,
    given: bool,
}

impl Terminal {
    /// Finds out about the terminal.
    ///
    /// It is given to the command at its start when our stdin is a terminal whose
    /// foreground we are, and our stdout is no pipe: `collector run -- CMD | less`
    /// leaves it to `less`, which is of our group. There the command gets it when it
    /// asks, that is, when it is stopped for reading from it.
    pub(super) fn open() -> Self {
        let own_group = getpgrp();
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOCTTY;
        let foreground = isatty(stdin()) && tcgetpgrp(stdin()).is_ok_and(|group| group == own_group);
        Self {
            tty: open("/dev/tty", flags, Mode::empty()).ok(),
            own_group,
            to_be_given: foreground && !is_pipe(stdout()),
            given: false,
        }
    }

    /// None: for a command that is not to have it.
    pub(super) fn none() -> Self {
        Self { tty: None, own_group: getpgrp(), to_be_given: false, given: false }
    }

    /// Whether the command is to have it from its start.
    pub(super) const fn to_be_given(&self) -> bool {
        self.to_be_given
    }

    /// Notes that the child was to take it.
    pub(super) const fn was_given(&mut self) {
        self.given = self.to_be_given;
    }

    /// Whether our group is the one in the foreground.
    pub(super) fn is_ours(&self) -> bool {
        self.tty.as_ref().is_some_and(|tty| tcgetpgrp(tty).is_ok_and(|group| group == self.own_group))
    }

    /// Gives it to this group; false when that is refused.
    pub(super) fn give(&mut self, group: Pid) -> bool {
        self.given = self.tty.as_ref().is_some_and(|tty| set_foreground(tty, group).is_ok());
        self.given
    }

    /// Takes it back if it was given; says whether it was.
    pub(super) fn take(&mut self) -> bool {
        let given = std::mem::take(&mut self.given);
        if given && let Some(tty) = &self.tty {
            // A terminal that hung up cannot be had back, and need not be.
            let _ = set_foreground(tty, self.own_group);
        }
        given
    }
}

/// Makes a group the foreground. Who is in the background and does this is stopped by
/// SIGTTOU, unless that is blocked. Async-signal-safe.
pub(super) fn set_foreground(tty: impl AsFd, group: Pid) -> Result<(), Errno> {
    let _blocked = Blocked::new(&[Signal::TTOU]);
    tcsetpgrp(tty, group)
}

/// Whether another program reads what is written here.
fn is_pipe(fd: impl AsFd) -> bool {
    fstat(fd).is_ok_and(|stat| matches!(FileType::from_raw_mode(stat.st_mode), FileType::Fifo | FileType::Socket))
}
