//! Wake-ups, and the births and deaths of tasks.

use aya_ebpf::helpers::bpf_get_current_pid_tgid;
use collector_ebpf::runq::{OTHERS, WORKLOAD, class_of_child};

use crate::{access::Access, diagnose::diagnose, layout, maps, time};

/// The CPU a task is on or queued on.
///
/// # Safety
/// `task` is a task of the running kernel.
#[inline(always)]
pub unsafe fn cpu_of<A: Access>(task: *const u8) -> u16 {
    // SAFETY: the offset comes from the kernel's BTF.
    unsafe { A::read::<u32>(task, layout::OFF_CPU.load()) as u16 }
}

/// The name of a task.
///
/// # Safety
/// `task` is a task of the running kernel.
#[inline(always)]
pub unsafe fn comm<A: Access>(task: *const u8) -> [u8; 16] {
    // SAFETY: as above; `comm` has 16 bytes.
    let (a, b) =
        unsafe { (A::read::<u64>(task, layout::OFF_COMM.load()), A::read::<u64>(task, layout::OFF_COMM.load() + 8)) };
    let mut name = [0; 16];
    name[..8].copy_from_slice(&a.to_ne_bytes());
    name[8..].copy_from_slice(&b.to_ne_bytes());
    name
}

/// # Safety
/// `task` is a task of the running kernel.
#[inline(always)]
pub unsafe fn on_cpu<A: Access>(task: *const u8) -> bool {
    let offset = layout::OFF_ON_CPU.load();
    // SAFETY: offset and width come from the kernel's BTF.
    unsafe {
        if layout::LEN_ON_CPU.load() == 1 {
            A::read::<u8>(task, offset) != 0
        } else {
            A::read::<u32>(task, offset) != 0
        }
    }
}

/// `sched_wakeup` and, with `new`, `sched_wakeup_new`.
///
/// # Safety
/// `task` is the task woken.
#[inline(always)]
pub unsafe fn on_wakeup<A: Access>(task: *const u8, new: bool) {
    // SAFETY: the caller passed a task.
    let pid = unsafe { A::read::<u32>(task, layout::OFF_PID.load()) };
    let Some(entry) = maps::task(pid) else {
        if let Some(cpu) = maps::this_cpu() {
            cpu.no_slot += 1;
        }
        diagnose!("pid {} lies beyond the task map", pid);
        return;
    };
    if new {
        // Threads that the kernel makes for a task (io_uring workers) raise no
        // sched_process_fork. The maker of a new task is the running one.
        let current = bpf_get_current_pid_tgid();
        // SAFETY: the caller passed a task.
        let tgid = unsafe { A::read::<u32>(task, layout::OFF_TGID.load()) };
        entry.born(class_of_child(class_of(current as u32), tgid != (current >> 32) as u32));
    }
    // The order spares a clock read where nothing begins.
    // SAFETY: the caller passed a task.
    if entry.start != 0 || unsafe { on_cpu::<A>(task) } {
        return;
    }
    // SAFETY: as above.
    let (stamp, cpu) = unsafe { (time::at_wakeup::<A>(task, new), cpu_of::<A>(task)) };
    entry.wakeup(false, stamp, cpu);
}

#[inline(always)]
fn class_of(pid: u32) -> u8 {
    match maps::task(pid) {
        Some(task) => task.class,
        None => OTHERS,
    }
}

/// `sched_process_fork`.
///
/// # Safety
/// Both are tasks of the running kernel.
#[inline(always)]
pub unsafe fn on_fork<A: Access>(parent: *const u8, child: *const u8) {
    // SAFETY: the caller passed tasks.
    let (parent_pid, pid, new_process) = unsafe {
        let tgid = |task| A::read::<u32>(task, layout::OFF_TGID.load());
        let pid = |task| A::read::<u32>(task, layout::OFF_PID.load());
        (pid(parent), pid(child), tgid(parent) != tgid(child))
    };
    let class = class_of_child(class_of(parent_pid), new_process);
    let Some(cpu) = maps::this_cpu() else { return };
    cpu.forks += 1;
    if class == WORKLOAD {
        cpu.workload_forks += 1;
    }
    match maps::task(pid) {
        Some(task) => task.born(class),
        None => cpu.no_slot += 1,
    }
}

/// `sched_process_exec`. The thread that executes may just have taken over its
/// leader's pid; `old_pid` is the one it had.
///
/// # Safety
/// `task` is a task of the running kernel.
#[inline(always)]
pub unsafe fn on_exec<A: Access>(task: *const u8, old_pid: u32) {
    // SAFETY: the caller passed a task.
    let pid = unsafe { A::read::<u32>(task, layout::OFF_PID.load()) };
    let class = class_of(old_pid);
    if let Some(cpu) = maps::this_cpu() {
        cpu.execs += 1;
        if cpu.was_running(old_pid) {
            cpu.runs(pid);
        }
    }
    if let Some(task) = maps::task(pid) {
        task.exec(class);
    }
}

/// `sched_process_exit`.
///
/// # Safety
/// `task` is a task of the running kernel.
#[inline(always)]
pub unsafe fn on_exit<A: Access>(task: *const u8) {
    // SAFETY: the caller passed a task.
    let pid = unsafe { A::read::<u32>(task, layout::OFF_PID.load()) };
    if let Some(cpu) = maps::this_cpu() {
        cpu.exits += 1;
    }
    if let Some(task) = maps::task(pid) {
        task.exit();
    }
}
