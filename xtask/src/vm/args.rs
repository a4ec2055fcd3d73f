//! What can be typed after `cargo xtask vm`.

use std::{ffi::OsString, num::NonZeroU32};

use clap::Args;

use super::qemu::Accel;

/// The CPUs of a guest if nothing else is said: two cores of two threads each.
pub const SMP: &str = "4,sockets=1,cores=2,threads=2";

/// Options of `vm`.
#[derive(Debug, Args)]
pub struct VmArgs {
    /// The kernel: core (built here, with core scheduling), 6.1, 6.12 or newest (Debian's,
    /// as they are), or the path of an image
    #[arg(long, default_value = "core", value_name = "NAME|PATH")]
    pub kernel: String,
    /// The guest's CPUs, as QEMU takes them
    #[arg(long, default_value = SMP, value_name = "SPEC")]
    pub smp: String,
    /// More arguments for the kernel, such as maxcpus=2
    #[arg(long, value_name = "ARGS", allow_hyphen_values = true)]
    pub append: Option<String>,
    /// How the guest's instructions are executed
    #[arg(long, value_enum, default_value_t)]
    pub accel: Accel,
    /// Leave the kernel's own scheduler statistics off
    #[arg(long)]
    pub no_schedstats: bool,
    /// Keep the initramfs, the console and the files that the guest sent, and say where
    #[arg(long)]
    pub keep: bool,
    /// Stop a guest that does not end within so many seconds
    #[arg(long, default_value = "300", value_name = "SECONDS")]
    pub limit: NonZeroU32,
    /// The test binary to run: vm, or kernel to try those of the live machine in a guest
    #[arg(long, default_value = "vm", value_name = "NAME", conflicts_with_all = ["command", "matrix"])]
    pub test: String,
    /// Run only tests whose name contains this
    #[arg(long, value_name = "TEXT", conflicts_with = "command")]
    pub filter: Option<String>,
    /// Boot every kernel and layout of CPUs that is tested, and bring docs/kernels.md up to date
    #[arg(long, conflicts_with_all = ["command", "kernel", "smp", "append", "keep"])]
    pub matrix: bool,
    /// A command to run in the guest instead of the tests
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}
