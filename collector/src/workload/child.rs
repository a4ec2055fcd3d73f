//! What the child does between the fork and becoming the command. Only system calls
//! on memory laid out beforehand: another thread may have held any lock at the fork.

use std::io;

use rustix::io::Errno;
use rustix::process::{Gid, Pid, Signal, Uid, getpid, getppid, set_parent_process_death_signal, setpgid};
use rustix::thread::{
    CpuSet, clear_ambient_capability_set, sched_setaffinity, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use super::cookie::Cookie;
use super::image::Image;
use super::{sigmask, terminal};

/// A step on the way, to name in an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(super) enum Step {
    /// Its own process group.
    Group = 1,
    /// Its CPUs.
    Affinity,
    /// Another user.
    User,
    /// The signal for when we die.
    Death,
    /// Becoming the command.
    Exec,
    /// Its core-scheduling cookie.
    Cookie,
}

impl Step {
    const ALL: [Self; 6] = [Self::Group, Self::Affinity, Self::User, Self::Death, Self::Exec, Self::Cookie];

    /// The step in words, for an error's sentence.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Group => "setting its process group",
            Self::Affinity => "giving it back its CPUs",
            Self::User => "changing the user",
            Self::Death => "tying its life to the collector's",
            Self::Exec => "executing it",
            Self::Cookie => "giving it a core-scheduling cookie",
        }
    }

    /// `Command` carries one integer from the child to the parent: the step goes above
    /// the error number, of which Linux has less than 4096.
    const fn error(self, errno: i32) -> i32 {
        ((self as i32) << 16) | errno
    }

    /// The step and the error number; `None` when the integer is not one of ours.
    pub(super) fn decode(error: i32) -> Option<(Self, i32)> {
        let step = Self::ALL.into_iter().find(|step| *step as i32 == error >> 16)?;
        Some((step, error & 0xffff))
    }
}

/// Whom the child becomes.
pub(super) struct Identity {
    pub(super) uid: Uid,
    pub(super) gid: Gid,
    pub(super) groups: Vec<Gid>,
}

/// What the child is to do.
pub(super) struct Child {
    pub(super) parent: Pid,
    pub(super) takes_terminal: bool,
    pub(super) affinity: Option<CpuSet>,
    pub(super) core_sched: Option<Cookie>,
    pub(super) identity: Option<Identity>,
    pub(super) image: Image,
}

impl Child {
    /// Becomes the command; returns only when it cannot.
    pub(super) fn become_command(&self) -> io::Error {
        let Err((step, errno)) = self.prepare() else {
            return io::Error::from_raw_os_error(Step::Exec.error(self.image.exec()));
        };
        io::Error::from_raw_os_error(step.error(errno.raw_os_error()))
    }

    fn prepare(&self) -> Result<(), (Step, Errno)> {
        let at = |step| move |errno| (step, errno);
        setpgid(None, None).map_err(at(Step::Group))?;
        if self.takes_terminal {
            // Here and not in the parent alone, which learns of the child only when the
            // command runs already: its first read would stop it. No reason to fail.
            let _ = terminal::set_foreground(rustix::stdio::stdin(), getpid());
        }
        if let Some(cpus) = &self.affinity {
            sched_setaffinity(None, cpus).map_err(at(Step::Affinity))?;
        }
        if let Some(cookie) = self.core_sched {
            // Before the change of user, who may not be allowed to see the other process.
            cookie.take().map_err(at(Step::Cookie))?;
        }
        if let Some(identity) = &self.identity {
            identity.assume().map_err(at(Step::User))?;
        }
        // After the change of user, which clears it.
        set_parent_process_death_signal(Some(Signal::KILL)).map_err(at(Step::Death))?;
        // The parent may have died before that.
        if getppid() != Some(self.parent) {
            return Err((Step::Death, Errno::SRCH));
        }
        // Rust ignores SIGPIPE in every program. `Command` sees to it and to the mask too,
        // without promising it. Signals that are caught get their default
        // action from execve; those that were ignored when we were started stay so (nohup).
        sigmask::set_default(Signal::PIPE);
        // Ignored by the collector, see `agent::run`.
        sigmask::set_default(Signal::XFSZ);
        sigmask::clear();
        Ok(())
    }
}

impl Identity {
    /// The kernel's calls change the calling thread only, and a forked child has one.
    fn assume(&self) -> Result<(), Errno> {
        // Ambient capabilities survive a change between two ordinary users. A kernel
        // that refuses has none.
        let _ = clear_ambient_capability_set();
        set_thread_groups(&self.groups)?;
        set_thread_res_gid(self.gid, self.gid, self.gid)?;
        set_thread_res_uid(self.uid, self.uid, self.uid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_and_error_travel_in_one_integer() {
        for step in Step::ALL {
            for errno in [1, libc::EACCES, libc::ENOEXEC, 4095] {
                assert_eq!(Step::decode(step.error(errno)), Some((step, errno)));
            }
        }
        assert_eq!(Step::decode(libc::EAGAIN), None);
    }
}
