//! The programs' clock, and the change of epoch.

use aya_ebpf::helpers::bpf_ktime_get_ns;
use collector_ebpf::runq::Stamp;

use crate::{access::Access, layout};

/// `RQCF_REQ_SKIP | RQCF_ACT_SKIP` (kernel/sched/sched.h): the next update of the
/// clock will be skipped, or this one was.
const SKIP: u32 = 0x3;

/// `CLOCK_MONOTONIC`, nanoseconds.
#[inline(always)]
pub fn monotonic() -> u64 {
    // SAFETY: the helper has no preconditions.
    unsafe { bpf_ktime_get_ns() }
}

/// Whether `rq->clock` stamps events in this program.
#[inline(always)]
pub fn uses_rq_clock<A: Access>() -> bool {
    A::DIRECT && layout::USE_RQ_CLOCK.load() != 0
}

/// The run queue a task is on (`task->se.cfs_rq->rq`, FAIR_GROUP_SCHED).
///
/// # Safety
/// `task` is a task of the running kernel.
#[inline(always)]
unsafe fn run_queue<A: Access>(task: *const u8) -> *const u8 {
    // SAFETY: offsets come from the kernel's BTF.
    unsafe {
        let cfs_rq = A::read::<usize>(task, layout::OFF_CFS_RQ.load()) as *const u8;
        A::read::<usize>(cfs_rq, layout::OFF_RQ.load()) as *const u8
    }
}

/// The clock at a switch, before it is repaired where it stood still.
///
/// # Safety
/// `next` is the task switched in.
#[inline(always)]
pub unsafe fn at_switch<A: Access>(next: *const u8) -> u64 {
    if !uses_rq_clock::<A>() {
        return monotonic();
    }
    // SAFETY: as above.
    unsafe { A::read::<u64>(run_queue::<A>(next), layout::OFF_CLOCK.load()) }
}

/// The stamp of a wake-up. `maybe_stale` says that the clock may stand still up to
/// the switch although its flags do not show it yet: `wake_up_new_task()` traces
/// before it checks for preemption.
///
/// # Safety
/// `task` is the task woken.
#[inline(always)]
pub unsafe fn at_wakeup<A: Access>(task: *const u8, maybe_stale: bool) -> Stamp {
    if !uses_rq_clock::<A>() {
        return Stamp { clock: monotonic(), mono_lo: None };
    }
    // SAFETY: as above.
    unsafe {
        let rq = run_queue::<A>(task);
        let clock = A::read::<u64>(rq, layout::OFF_CLOCK.load());
        let stale = maybe_stale || A::read::<u32>(rq, layout::OFF_CLOCK_FLAGS.load()) & SKIP != 0;
        Stamp { clock, mono_lo: if stale { Some(monotonic() as u32) } else { None } }
    }
}
