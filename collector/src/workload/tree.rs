//! A running process tree, read from `/proc`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use super::procfs::{self, is_gone};

/// How often the tree is read until a reading finds nobody new. Only one that forks
/// faster than it can be read takes more, and no number of readings would do for it.
const READINGS: usize = 10;

/// Why a tree cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// Nothing of that id.
    #[error("there is no process {0}: it may have ended; `ps -e` lists those that run")]
    NoProcess(u32),
    /// The id of a thread.
    #[error("{tid} is a thread of process {leader}: give {leader}")]
    NotLeader {
        /// What was given.
        tid: u32,
        /// Its thread group, which is what has to be given.
        leader: u32,
    },
    /// `/proc` itself.
    #[error("/proc cannot be read: {0}")]
    Proc(#[from] io::Error),
}

/// The ids of all threads of a process and of its descendants. One that ends while
/// the tree is read may or may not be among them; one that begins is, unless the
/// tree never comes to rest. `root` is `/proc`.
///
/// # Errors
/// [`TreeError`].
pub fn tree(root: &Path, pid: u32) -> Result<BTreeSet<u32>, TreeError> {
    check_leader(root, pid)?;
    let mut found = BTreeSet::new();
    for _ in 0..READINGS {
        let before = found.len();
        read(root, pid, &mut found)?;
        if found.len() == before {
            break;
        }
    }
    if found.is_empty() { Err(TreeError::NoProcess(pid)) } else { Ok(found) }
}

/// The command line of a process, argument by argument; for a kernel thread or a
/// zombie, which have none, its name in brackets as `ps` writes it.
///
/// # Errors
/// When there is no such process.
pub fn command_line(root: &Path, pid: u32) -> io::Result<Vec<String>> {
    let line = fs::read(root.join(format!("{pid}/cmdline")))?;
    let line = line.strip_suffix(&[0]).unwrap_or(&line);
    if !line.is_empty() {
        return Ok(line.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect());
    }
    let name = fs::read(root.join(format!("{pid}/comm")))?;
    Ok(vec![format!("[{}]", String::from_utf8_lossy(&name).trim_end())])
}

/// Sees to it that an id is a process's and not a thread's.
pub(super) fn check_leader(root: &Path, pid: u32) -> Result<(), TreeError> {
    // The directory of a thread is not listed in /proc, yet it can be opened.
    let status = match fs::read_to_string(root.join(format!("{pid}/status"))) {
        Err(error) if is_gone(&error) => {
            fs::read_dir(root)?;
            return Err(TreeError::NoProcess(pid));
        }
        status => status?,
    };
    match status.lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse().ok()) {
        Some(leader) if leader != pid => Err(TreeError::NotLeader { tid: pid, leader }),
        _ => Ok(()),
    }
}

/// One reading.
fn read(root: &Path, pid: u32, found: &mut BTreeSet<u32>) -> io::Result<()> {
    let children = Children::of(root, pid)?;
    let mut seen = BTreeSet::from([pid]);
    let mut to_read = vec![pid];
    while let Some(pid) = to_read.pop() {
        let threads: Vec<u32> = match procfs::pids(&root.join(format!("{pid}/task"))) {
            Ok(threads) => threads.collect(),
            Err(error) if is_gone(&error) => continue,
            Err(error) => return Err(error),
        };
        for child in children.list(root, pid, &threads)? {
            if seen.insert(child) {
                to_read.push(child);
            }
        }
        found.extend(threads);
    }
    Ok(())
}

/// Where children are read from.
enum Children {
    /// `/proc/PID/task/TID/children` (`CONFIG_PROC_CHILDREN`).
    Listed,
    /// Every process's parent, turned round: for kernels without.
    Parents(BTreeMap<u32, Vec<u32>>),
}

impl Children {
    fn of(root: &Path, pid: u32) -> io::Result<Self> {
        if root.join(format!("{pid}/task/{pid}/children")).exists() {
            return Ok(Self::Listed);
        }
        let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for pid in procfs::pids(root)? {
            match procfs::stat(root, pid) {
                Ok(stat) => children.entry(stat.parent).or_default().push(pid),
                Err(error) if is_gone(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self::Parents(children))
    }

    fn list(&self, root: &Path, pid: u32, threads: &[u32]) -> io::Result<Vec<u32>> {
        let Self::Parents(children) = self else {
            let mut all = Vec::new();
            for tid in threads {
                match fs::read_to_string(root.join(format!("{pid}/task/{tid}/children"))) {
                    Ok(line) => all.extend(line.split_ascii_whitespace().filter_map(|child| child.parse::<u32>().ok())),
                    Err(error) if is_gone(&error) => {}
                    Err(error) => return Err(error),
                }
            }
            return Ok(all);
        };
        Ok(children.get(&pid).cloned().unwrap_or_default())
    }
}
