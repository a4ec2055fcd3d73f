//! What is looked at.

use std::path::Path;

use crate::{
    host::{
        cgroup::{self, Cgroup2},
        clock::ClockFacts,
        core_sched::CoreScheduling,
        kernel::{self, Kernel, Schedstats},
        pidns,
        rights::Rights,
        topology::Topology,
    },
    record::Measured,
};

/// The machine and this process, as far as a check is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The kernel.
    pub kernel: Kernel,
    /// Size of its type information, bytes.
    pub btf_bytes: Measured<u64>,
    /// What its configuration says of `CONFIG_DEBUG_INFO_BTF`.
    pub btf_config: Measured<String>,
    /// Rights of this process.
    pub rights: Rights,
    /// Its clocks.
    pub clock: ClockFacts,
    /// Its CPUs.
    pub topology: Measured<Topology>,
    /// Whether it does core scheduling.
    pub core_scheduling: CoreScheduling,
    /// Where control groups are.
    pub cgroup: Measured<Cgroup2>,
    /// Whether it counts scheduler statistics.
    pub schedstats: Schedstats,
    /// Whether pids are the kernel's.
    pub initial_pid_ns: Measured<bool>,
}

impl Facts {
    /// Looks at the machine under `root`; what is asked of the kernel by system call is the running one's.
    pub fn gather(root: &Path) -> Self {
        let kernel = Kernel::running();
        Self {
            btf_bytes: kernel::btf_bytes(root).into(),
            btf_config: kernel.config(root, "CONFIG_DEBUG_INFO_BTF"),
            kernel,
            rights: Rights::read(root),
            clock: ClockFacts::read(root),
            topology: Topology::read(root).into(),
            core_scheduling: CoreScheduling::ask(),
            cgroup: cgroup::find(root),
            schedstats: kernel::schedstats(root),
            initial_pid_ns: pidns::is_initial(root),
        }
    }
}
