//! Which kernel pid a pid of the reader's namespace is.
//!
//! Tracepoints name tasks by the pid of the initial namespace, a reader in a
//! container by that of its own; nothing in `/proc` leads from the one to the
//! other. This iterator, which the kernel runs over the tasks the reader can see,
//! writes both for each.

use aya_ebpf::{
    bindings::seq_file,
    helpers::{bpf_get_current_task, bpf_probe_read_kernel, generated::bpf_seq_write},
};
use collector_ebpf::abi::PidPair;

use crate::{
    access::{Access, Probe},
    layout,
};

/// `struct bpf_iter__task` (kernel/bpf/task_iter.c).
#[repr(C)]
struct Context {
    /// `struct bpf_iter_meta`; its first field is the file to write to.
    meta: *mut *mut seq_file,
    task: *const u8,
}

/// The pid of a task in the namespace `level` deep.
///
/// # Safety
/// `task` is a task of the running kernel.
unsafe fn pid_at(task: *const u8, level: u64) -> u32 {
    // SAFETY: offsets come from the kernel's BTF; the helper checks addresses.
    unsafe {
        let pid = Probe::read::<usize>(task, layout::OFF_THREAD_PID.load()) as *const u8;
        let number = layout::OFF_PID_NUMBERS.load() + level * layout::LEN_UPID.load();
        Probe::read::<u32>(pid, number)
    }
}

#[unsafe(no_mangle)]
#[unsafe(link_section = "iter/task")]
fn task_pids(ctx: *mut core::ffi::c_void) -> i32 {
    let ctx = ctx.cast::<Context>();
    // SAFETY: the kernel passes its iterator's context; at the end of the
    // iteration there is no task.
    unsafe {
        let task = (*ctx).task;
        if task.is_null() {
            return 0;
        }
        let seq = (*ctx).meta.read_volatile();
        let current = bpf_get_current_task() as usize as *const u8;
        let own = Probe::read::<usize>(current, layout::OFF_THREAD_PID.load()) as *const u8;
        let level = bpf_probe_read_kernel(own.add(layout::OFF_PID_LEVEL.load() as usize).cast::<u32>()).unwrap_or(0);
        let pair = PidPair {
            kernel: Probe::read::<u32>(task, layout::OFF_PID.load()),
            namespace: pid_at(task, u64::from(level)),
        };
        bpf_seq_write(seq, (&raw const pair).cast(), size_of::<PidPair>() as u32);
    }
    0
}
