//! A process group as a whole.

use std::io;
use std::path::Path;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use super::procfs;

/// Sends a signal to every member of a group. An empty group is no error.
pub(super) fn send(group: Pid, signal: Signal) {
    match kill_process_group(group, signal) {
        Ok(()) | Err(Errno::SRCH) => {}
        Err(error) => {
            tracing::warn!(
                "signal {} could not be sent to the workload's process group {group}: {error}",
                signal.as_raw(),
                group = group.as_raw_nonzero()
            );
        }
    }
}

/// Whether a group has a member that still runs; zombies do not.
///
/// # Errors
/// When `/proc` (`root`) cannot be listed.
pub(super) fn is_alive(root: &Path, group: Pid) -> io::Result<bool> {
    let group = group.as_raw_nonzero().get().unsigned_abs();
    // A member that vanishes while it is looked at is one less.
    Ok(procfs::pids(root)?
        .filter_map(|pid| procfs::stat(root, pid).ok())
        .any(|stat| stat.group == group && stat.is_alive()))
}
