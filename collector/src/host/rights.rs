//! What this process may do with kernel programs, and what stands in the way.

use std::path::Path;

use rustix::thread::CapabilitySet;

use super::{container, read, status::Status};
use crate::record::Measured;

/// Inode of the first user namespace (`PROC_USER_INIT_INO`, include/linux/proc_ns.h).
const INITIAL_USER_NS: u64 = 0xEFFF_FFFD;
/// `SECCOMP_MODE_FILTER` (include/uapi/linux/seccomp.h).
const SECCOMP_FILTER: u64 = 2;

/// The rights of this process and the locks on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    /// Effective user.
    pub uid: Measured<u64>,
    /// Effective capabilities.
    pub capabilities: Measured<CapabilitySet>,
    /// Whether this is the machine's first user namespace: capabilities held in
    /// another one do not count for kernel programs (`capable()` asks the first).
    pub initial_user_ns: Measured<bool>,
    /// Kernel lockdown: `none`, `integrity` or `confidentiality`
    /// (`/sys/kernel/security/lockdown`, kernel_lockdown(7)).
    pub lockdown: Measured<String>,
    /// `kernel.unprivileged_bpf_disabled` (Documentation/admin-guide/sysctl/kernel.rst).
    /// No value of it opens tracepoints to a process without rights.
    pub unprivileged_bpf_disabled: Measured<u64>,
    /// Seccomp: 0 off, 1 strict, 2 filtered (proc_pid_status(5)).
    pub seccomp: Measured<u64>,
    /// What says that this is a container.
    pub container: Option<String>,
}

/// The word between brackets in `none [integrity] confidentiality`.
fn chosen(text: &str) -> Result<String, String> {
    text.split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map(|(word, _)| word.to_owned())
        .ok_or_else(|| format!("`{}` in /sys/kernel/security/lockdown was not expected", read::quote(text.trim())))
}

impl Rights {
    /// Reads them under `root`.
    pub fn read(root: &Path) -> Self {
        let status = Status::read(root).map_err(|error| error.to_string());
        let number = |key: &str, n: usize, radix: u32| -> Measured<u64> {
            status.as_ref().map_err(Clone::clone).and_then(|status| status.number(key, n, radix)).into()
        };
        let lockdown = read::text(root, "sys/kernel/security/lockdown").map_err(|error| error.to_string());
        Self {
            // Real, effective, saved, file system.
            uid: number("Uid", 1, 10),
            capabilities: number("CapEff", 0, 16).map(CapabilitySet::from_bits_retain),
            initial_user_ns: read::namespace(root, "user").map(|inode| inode == INITIAL_USER_NS).into(),
            lockdown: lockdown.and_then(|text| chosen(&text)).into(),
            unprivileged_bpf_disabled: read::parsed(root, "proc/sys/kernel/unprivileged_bpf_disabled").into(),
            seccomp: number("Seccomp", 0, 10),
            container: container::hint(root),
        }
    }

    /// Capabilities that loading and attaching needs and that are not held: since 5.8
    /// `CAP_BPF` and `CAP_PERFMON`, in place of which `CAP_SYS_ADMIN` always counts
    /// (`bpf_capable()`, `perfmon_capable()`). None where they could not be read.
    pub fn missing(&self) -> Vec<&'static str> {
        let held = self.capabilities.value().copied().unwrap_or(CapabilitySet::all());
        [(CapabilitySet::BPF, "CAP_BPF"), (CapabilitySet::PERFMON, "CAP_PERFMON")]
            .into_iter()
            .filter(|&(needed, _)| !held.intersects(needed | CapabilitySet::SYS_ADMIN))
            .map(|(_, name)| name)
            .collect()
    }

    /// Whether a seccomp filter watches this process.
    fn filtered(&self) -> bool {
        self.seccomp.value() == Some(&SECCOMP_FILTER)
    }

    /// What most probably makes the kernel refuse, and what to do, as one sentence;
    /// none where nothing stands in the way that can be seen from here.
    pub fn obstacle(&self) -> Option<String> {
        let in_container = self.container.as_deref();
        if self.initial_user_ns.value() == Some(&false) {
            return Some(
                "this is a user namespace of its own, where even root may not load kernel programs: \
                 run the collector as root of the machine, outside it"
                    .to_owned(),
            );
        }
        let missing = self.missing();
        if !missing.is_empty() {
            let missing_words = missing.join(" and ");
            let user = self.uid.value().map_or_else(String::new, |uid| format!(" (uid {uid})"));
            let options: Vec<_> = missing.iter().map(|name| format!("--cap-add={name}")).collect();
            let options = options.join(" ");
            return Some(match (in_container, self.uid.value()) {
                (None, _) => format!("no {missing_words}{user}: run as root, for instance with sudo"),
                (Some(_), Some(0)) => {
                    format!("no {missing_words} in this container: start it with {options}, or --privileged")
                }
                (Some(_), _) => format!(
                    "no {missing_words}{user}: run as root, \
                     in a container that was started with {options}, or --privileged"
                ),
            });
        }
        if self.lockdown.value().is_some_and(|mode| mode == "confidentiality") {
            return Some(
                "the kernel is locked down for confidentiality, where kernel programs may not read kernel memory: \
                 boot with lockdown=integrity or without lockdown="
                    .to_owned(),
            );
        }
        self.filtered().then(|| match in_container {
            Some(_) => "a seccomp filter watches this container and may refuse bpf(): \
                        start it with --security-opt seccomp=unconfined, or --privileged"
                .to_owned(),
            None => "a seccomp filter watches this process and may refuse bpf(): \
                     start the collector outside the sandbox or service that set it"
                .to_owned(),
        })
    }
}

/// Why the kernel answered EPERM, and what to do: one sentence.
pub fn explain_eperm(rights: &Rights) -> String {
    rights.obstacle().unwrap_or_else(|| {
        "the rights are there, so a security module (SELinux, AppArmor, BPF LSM) or the hypervisor refuses: \
         look for the refusal in the audit log (`dmesg`, `journalctl -t audit`) and allow bpf() there"
            .to_owned()
    })
}

#[cfg(test)]
mod tests;
