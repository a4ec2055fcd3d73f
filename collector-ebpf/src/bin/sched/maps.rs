//! The maps, and the look-ups the programs make in them.

use aya_ebpf::{
    bindings::BPF_F_MMAPABLE,
    macros::map,
    maps::{Array, PerCpuArray},
};
use collector_ebpf::{
    abi::{Control, Cpu},
    runq::Task,
};

/// One entry a pid. The agent sets the size to the kernel's `pid_max`, and maps it:
/// it writes classes byte by byte, so that it never overwrites a stamp, and finds
/// open waits without a system call an entry.
#[map]
static TASKS: Array<Task> = Array::with_max_entries(1, BPF_F_MMAPABLE);

#[map]
static CPUS: PerCpuArray<Cpu> = PerCpuArray::with_max_entries(1, 0);

#[map]
static CONTROL: Array<Control> = Array::with_max_entries(1, 0);

/// The state of a task; `None` when its pid lies beyond the map.
#[inline(always)]
pub fn task(pid: u32) -> Option<&'static mut Task> {
    // SAFETY: entries live as long as the map. Transitions of one task are
    // serialised by the scheduler, so nobody else writes this entry now but the
    // agent, which writes the class only.
    TASKS.get_ptr_mut(pid).map(|p| unsafe { &mut *p })
}

/// What this CPU counts.
#[inline(always)]
pub fn this_cpu() -> Option<&'static mut Cpu> {
    // SAFETY: a per-CPU value; programs run with preemption off, and two that
    // interrupt each other write different fields (see `abi::Cpu`).
    CPUS.get_ptr_mut(0).map(|p| unsafe { &mut *p })
}

/// What the agent wants.
#[inline(always)]
pub fn control() -> Option<&'static Control> {
    CONTROL.get(0)
}
