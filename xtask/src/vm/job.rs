//! What the guest is to do: written by the host into the initramfs, read by its first process.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// Where the job is in the guest.
pub const JOB: &str = "/job.json";

/// Files that a program leaves here come back to the host.
pub const RESULTS: &str = "/results";

/// One program and what it runs with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The program, as a path in the guest, and its arguments.
    pub command: Vec<String>,
    /// Its environment, beside PATH and HOME.
    pub environment: BTreeMap<String, String>,
    /// Whether the kernel keeps statistics of its scheduler, where it can.
    pub schedstats: bool,
}

/// Where a program of this name is in the guest: scripts ask for `/bin/sh`, and one
/// folder is enough for all.
pub fn in_guest(program: &Path) -> PathBuf {
    Path::new("/bin").join(program.file_name().unwrap_or_default())
}
