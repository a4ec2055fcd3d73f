//! A process that is not our child, until it ends.

use std::io;
use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::tree::{self, TreeError};

/// A hold on a process: it names that process even when its pid is given to another.
pub struct Watched {
    pidfd: AsyncFd<OwnedFd>,
}

impl Watched {
    /// Takes hold of a process, by the pid of its thread group. Do so before its tree
    /// is read. Needs a tokio runtime with I/O.
    ///
    /// # Errors
    /// ESRCH: no such process. A [`TreeError::NotLeader`] within: it is the id of a
    /// thread that leads no thread group.
    pub fn open(pid: u32) -> io::Result<Self> {
        let raw = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
        let pidfd = pidfd_open(raw, PidfdFlags::empty()).map_err(|error| {
            match tree::check_leader(Path::new("/proc"), pid) {
                // The kernel says EINVAL, and ENOENT since Linux 6.15.
                Err(thread @ TreeError::NotLeader { .. }) => io::Error::new(io::ErrorKind::InvalidInput, thread),
                _ => error.into(),
            }
        })?;
        // SAFETY: an `OwnedFd` is one open descriptor, the same until it is dropped.
        let pidfd = unsafe { AsyncFd::register_with_interest(pidfd, Interest::READABLE) }?;
        Ok(Self { pidfd })
    }

    /// Waits until all its threads have ended, reaped or not. May be dropped half-way
    /// and called again.
    ///
    /// # Errors
    /// When the runtime is shutting down.
    pub async fn ended(&self) -> io::Result<()> {
        // Readable from the end on, so the readiness is never cleared.
        let _ready = self.pidfd.readable().await?;
        Ok(())
    }
}

/// Waits until the process ends; one that is no more has ended.
///
/// # Errors
/// As [`Watched::open`], but for ESRCH.
pub async fn watch(pid: u32) -> io::Result<()> {
    match Watched::open(pid) {
        Ok(watched) => watched.ended().await,
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(()),
        Err(error) => Err(error),
    }
}
