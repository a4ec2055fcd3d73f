//! Lines of `/proc/PID/stat` and `/proc/PID/schedstat`: proc_pid_stat(5).

use std::fs;
use std::io;
use std::path::Path;

/// The fields we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    /// `R`, `S`, …; `Z`: ended, not yet reaped.
    pub(super) state: char,
    /// The parent's pid; 0 outside our pid namespace.
    pub(super) parent: u32,
    /// Process group.
    pub(super) group: u32,
    /// Threads that have not ended, and the leader whether it has or not.
    pub(super) threads: u32,
}

impl Stat {
    /// Whether anything of the process still runs. The state is the leader's, which may
    /// have ended before its threads.
    pub(super) const fn is_alive(&self) -> bool {
        !matches!(self.state, 'Z' | 'X') || self.threads > 1
    }
}

/// Reads the line of one process.
pub(super) fn stat(root: &Path, pid: u32) -> io::Result<Stat> {
    let line = fs::read(root.join(format!("{pid}/stat")))?;
    parse(&line).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, format!("unreadable stat line of {pid}")))
}

/// The name stands in parentheses and may contain anything, `)` too.
fn parse(line: &[u8]) -> Option<Stat> {
    let end = line.iter().rposition(|&byte| byte == b')')?;
    let rest = std::str::from_utf8(line.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    // Fields 3, 4, 5 and 20 of the line.
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let threads = fields.nth(14)?.parse().ok()?;
    Some(Stat { state, parent, group, threads })
}

/// The second field of `/proc/PID/schedstat`, nanoseconds.
pub(super) fn run_delay_ns(root: &Path, pid: u32) -> io::Result<u64> {
    let line = fs::read_to_string(root.join(format!("{pid}/schedstat")))?;
    line.split_ascii_whitespace()
        .nth(1)
        .and_then(|field| field.parse().ok())
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, format!("unreadable schedstat of {pid}: `{line}`")))
}

/// The pids in `/proc` (`root`).
pub(super) fn pids(root: &Path) -> io::Result<impl Iterator<Item = u32>> {
    Ok(fs::read_dir(root)?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()))
}

/// Whether this error says that the process ended meanwhile.
pub(super) fn is_gone(error: &io::Error) -> bool {
    // ESRCH: the file was opened while the process lived, and read after.
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_counted_after_the_name() {
        let line = b"42 (a) R 1 (b\xff) S 7 40 40 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 100 0 0";
        assert_eq!(parse(line), Some(Stat { state: 'S', parent: 7, group: 40, threads: 3 }));
    }

    #[test]
    fn a_cut_line_is_none() {
        assert_eq!(parse(b"42 (a) S 7 40"), None);
        assert_eq!(parse(b"42 (a"), None);
        assert_eq!(parse(b""), None);
    }

    #[test]
    fn a_dead_leader_with_threads_is_alive() {
        let stat = |state, threads| Stat { state, parent: 1, group: 1, threads };
        assert!(stat('S', 1).is_alive());
        assert!(stat('T', 1).is_alive());
        assert!(stat('Z', 2).is_alive());
        assert!(!stat('Z', 1).is_alive());
    }
}
