//! The maps, and the look-ups the programs make in them.

use aya_ebpf::{
    bindings::BPF_F_MMAPABLE,
    macros::map,
    maps::{Array, LruHashMap, PerCpuArray},
};
use collector_ebpf::{
    abi::{BLAMES_KEPT, Blame, ByCause, Control, Core, Cpu, Culprit, Episodes, Place},
    runq::Task,
};

use crate::cores::has_siblings;

/// One entry a pid. The agent sets the size to the kernel's `pid_max`, and maps it:
/// it writes classes byte by byte, so that it never overwrites a stamp, and finds
/// open waits without a system call an entry.
#[map]
static TASKS: Array<Task> = Array::with_max_entries(1, BPF_F_MMAPABLE);

#[map]
static CPUS: PerCpuArray<Cpu> = PerCpuArray::with_max_entries(1, 0);

#[map]
static WAITS_BY_CAUSE: PerCpuArray<ByCause> = PerCpuArray::with_max_entries(1, 0);

// The agent gives these their sizes: one entry where no core has siblings. It maps
// the latter two to read them.
#[map]
static PLACES: Array<Place> = Array::with_max_entries(1, 0);

#[map]
static CORES: Array<Core> = Array::with_max_entries(1, BPF_F_MMAPABLE);

#[map]
static EPISODES: Array<Episodes> = Array::with_max_entries(1, BPF_F_MMAPABLE);

#[map]
static BLAMES: LruHashMap<Culprit, Blame> = LruHashMap::with_max_entries(BLAMES_KEPT, 0);

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

/// This CPU's waits by cause.
#[inline(always)]
pub fn by_cause() -> Option<&'static mut ByCause> {
    // SAFETY: a per-CPU value that only sched_switch writes, which does not nest.
    WAITS_BY_CAUSE.get_ptr_mut(0).map(|p| unsafe { &mut *p })
}

/// Where a CPU is, and its core; none if it has no siblings. All siblings write the
/// core, so it is a pointer and no reference.
#[inline(always)]
pub fn core_of(cpu: u16) -> Option<(&'static Place, *mut Core)> {
    let place = PLACES.get(u32::from(cpu))?;
    if !has_siblings(place) {
        return None;
    }
    Some((place, CORES.get_ptr_mut(place.core)?))
}

/// The episodes of a CPU.
#[inline(always)]
pub fn episodes(index: u32) -> Option<*mut Episodes> {
    EPISODES.get_ptr_mut(index)
}

/// What is booked to a culprit, if anything is.
#[inline(always)]
pub fn blame(culprit: &Culprit) -> Option<*mut Blame> {
    BLAMES.get_ptr_mut(culprit)
}

/// Books the first to a culprit. Should another CPU do so at the same moment, one of
/// the two is lost.
#[inline(always)]
pub fn new_blame(culprit: &Culprit, blame: &Blame) {
    let _ = BLAMES.insert(culprit, blame, 0);
}
