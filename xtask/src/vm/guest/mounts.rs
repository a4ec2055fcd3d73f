//! The file systems that programs expect.

use std::fs;

use anyhow::{Context as _, Result};
use rustix::{
    io::Errno,
    mount::{MountFlags, mount},
};

/// One mount.
struct Mount {
    kind: &'static str,
    at: &'static str,
    /// Whether a kernel may be without it.
    optional: bool,
}

const fn needed(kind: &'static str, at: &'static str) -> Mount {
    Mount { kind, at, optional: false }
}

const fn optional(kind: &'static str, at: &'static str) -> Mount {
    Mount { kind, at, optional: true }
}

const MOUNTS: [Mount; 8] = [
    needed("proc", "/proc"),
    needed("sysfs", "/sys"),
    needed("devtmpfs", "/dev"),
    needed("tmpfs", "/tmp"),
    optional("devpts", "/dev/pts"),
    optional("bpf", "/sys/fs/bpf"),
    optional("tracefs", "/sys/kernel/tracing"),
    optional("cgroup2", "/sys/fs/cgroup"),
];

/// Mounts all of them, and lets cgroups have the CPU controller.
///
/// # Errors
/// When one that every program needs is refused.
pub fn mount_all() -> Result<()> {
    for Mount { kind, at, optional } in MOUNTS {
        // Those below /sys are made by the kernel, or cannot be made at all.
        let _there = fs::create_dir_all(at);
        match mount(kind, at, kind, MountFlags::empty(), None) {
            // The kernel may have mounted /dev by itself.
            Ok(()) | Err(Errno::BUSY) => {}
            Err(_) if optional => {}
            Err(error) => return Err(error).with_context(|| format!("could not mount {kind} on {at}")),
        }
    }
    let _absent = fs::write("/sys/fs/cgroup/cgroup.subtree_control", "+cpu");
    fs::create_dir_all(super::RESULTS).with_context(|| format!("could not make {}", super::RESULTS))
}
