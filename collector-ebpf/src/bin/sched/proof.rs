//! Both clocks on the same events: waits are taken as `switch` and `events` take
//! them, by the same functions, and once more by `CLOCK_MONOTONIC` alone; the
//! difference is counted. Loaded by `cargo xtask bench --clock` only, which also
//! gives the maps their sizes.

use aya_ebpf::{
    macros::{btf_tracepoint, map},
    maps::{Array, PerCpuArray},
    programs::BtfTracePointContext,
};
use collector_ebpf::{
    proof::{
        Began, Both, Case, Clock, DISCARDED_SLOT, Distribution, Figure, Worst, above_limit, bucket_slot, figure_slot,
    },
    runq::{MAY_BE_STALE, Stamp, SwitchIn, runnable},
};

use crate::{
    access::{Access as _, Direct},
    events, layout,
    programs::{arg, task},
    time,
};

#[map]
static PROOF_TASKS: Array<Both> = Array::with_max_entries(1, 0);

#[map]
static PROOF_COUNTS: PerCpuArray<u64> = PerCpuArray::with_max_entries(1, 0);

#[map]
static PROOF_WORST: PerCpuArray<Worst> = PerCpuArray::with_max_entries(1, 0);

#[map]
static PROOF_STOPPED: Array<u64> = Array::with_max_entries(1, 0);

/// What is known of the clock of a CPU's run queue. Only events that hold the run
/// queue's lock come here.
#[inline(always)]
fn stopped(cpu: u16) -> Option<&'static mut u64> {
    // SAFETY: the run queue's lock serialises the writers of its entry.
    PROOF_STOPPED.get_ptr_mut(u32::from(cpu)).map(|p| unsafe { &mut *p })
}

#[inline(always)]
fn both(pid: u32) -> Option<&'static mut Both> {
    // SAFETY: as for `maps::task`: the scheduler serialises a task's transitions.
    PROOF_TASKS.get_ptr_mut(pid).map(|p| unsafe { &mut *p })
}

#[inline(always)]
fn add(slot: usize, value: u64) {
    if let Some(count) = PROOF_COUNTS.get_ptr_mut(slot as u32) {
        // SAFETY: this CPU's own value; only sched_switch, which does not nest, writes it.
        unsafe { *count = (*count).wrapping_add(value) };
    }
}

#[btf_tracepoint(function = "sched_switch")]
pub fn proof_sched_switch(ctx: BtfTracePointContext) -> i32 {
    // SAFETY: arguments as in `programs`; kernels that do not pass prev_state are
    // refused by the reader.
    unsafe {
        let preempt = arg::<0>(&ctx) & 0xff != 0;
        let (prev, next, state) = if layout::ARG_PREV_STATE.load() == 1 {
            (task::<2>(&ctx), task::<3>(&ctx), arg::<1>(&ctx))
        } else {
            (task::<1>(&ctx), task::<2>(&ctx), arg::<3>(&ctx))
        };
        on_switch(prev, next, runnable(preempt, state));
    }
    0
}

#[btf_tracepoint(function = "sched_wakeup")]
pub fn proof_sched_wakeup(ctx: BtfTracePointContext) -> i32 {
    // SAFETY: the argument is a task.
    unsafe { on_wakeup(task::<0>(&ctx), false) };
    0
}

#[btf_tracepoint(function = "sched_wakeup_new")]
pub fn proof_sched_wakeup_new(ctx: BtfTracePointContext) -> i32 {
    // SAFETY: the argument is a task.
    unsafe { on_wakeup(task::<0>(&ctx), true) };
    0
}

/// # Safety
/// `task` is the task woken.
#[inline(always)]
unsafe fn on_wakeup(task: *const u8, new: bool) {
    // SAFETY: the caller passed a task.
    let Some(both) = both(unsafe { Direct::read::<u32>(task, layout::OFF_PID.load()) }) else { return };
    if new {
        *both = Both::default();
    }
    // SAFETY: the caller passed a task.
    if unsafe { events::on_cpu::<Direct>(task) } {
        return;
    }
    // SAFETY: the caller passed a task.
    let (stamp, cpu) = unsafe { (time::at_wakeup::<Direct>(task, new), events::cpu_of::<Direct>(task)) };
    let mono = time::monotonic();
    if stamp.mono_lo.is_some()
        && let Some(stopped) = stopped(cpu)
        && *stopped == 0
    {
        *stopped = stamp.clock;
    }
    if both.scheduler.start != 0 {
        return;
    }
    both.scheduler.wakeup(false, stamp, cpu);
    both.monotonic.wakeup(false, Stamp { clock: mono, mono_lo: None }, cpu);
    both.began = if new { Began::New } else { Began::Wakeup } as u64;
}

/// # Safety
/// `prev` and `next` are the tasks of a switch on this CPU.
#[inline(always)]
unsafe fn on_switch(prev: *const u8, next: *const u8, runnable: bool) {
    // SAFETY: the caller passed tasks.
    let (prev_pid, next_pid, clock, cpu) = unsafe {
        (
            Direct::read::<u32>(prev, layout::OFF_PID.load()),
            Direct::read::<u32>(next, layout::OFF_PID.load()),
            time::at_switch::<Direct>(next),
            events::cpu_of::<Direct>(prev),
        )
    };
    let mono = time::monotonic();
    let entering = if next_pid != 0 { both(next_pid) } else { None };
    let (now, repaired) = match &entering {
        Some(both) => (
            both.scheduler.switch_time(clock, || mono),
            both.scheduler.flags & MAY_BE_STALE != 0 && both.scheduler.start == clock,
        ),
        None => (clock, false),
    };
    let mut stood_still = false;
    if let Some(stopped) = stopped(cpu) {
        stood_still = *stopped != 0;
        // Where the balancer pulled a task, the next update is to be skipped already.
        // SAFETY: the caller passed a task.
        let skip = unsafe { time::at_wakeup::<Direct>(next, false) }.mono_lo.is_some();
        *stopped = if skip { now } else { 0 };
    }
    let end = match (repaired, stood_still) {
        (true, _) => Clock::Repaired,
        (false, true) => Clock::Stale,
        (false, false) => Clock::Fresh,
    };
    if prev_pid != 0
        && let Some(both) = both(prev_pid)
    {
        both.scheduler.switch_out(runnable, now, cpu);
        both.monotonic.switch_out(runnable, mono, cpu);
        both.began = if end == Clock::Stale { Began::PreemptedStale } else { Began::Preempted } as u64;
    }
    if let Some(both) = entering {
        // SAFETY: the caller passed tasks.
        unsafe { ended(both, next, (prev_pid, next_pid), end, (now, mono)) };
    }
}

/// # Safety
/// `task` is a task.
#[inline(always)]
unsafe fn ended(both: &mut Both, task: *const u8, (prev_pid, pid): (u32, u32), clock: Clock, (now, mono): (u64, u64)) {
    // SAFETY: the caller passed a task.
    let cpu = unsafe { events::cpu_of::<Direct>(task) };
    let case = Case {
        began: Began::ALL[both.began as usize & (Began::ALL.len() - 1)],
        clock,
        migrated: both.scheduler.cpu != cpu,
    }
    .number();
    let (scheduler, monotonic) = match (both.scheduler.switch_in(now, 0), both.monotonic.switch_in(mono, 0)) {
        (SwitchIn::Waited(scheduler), SwitchIn::Waited(monotonic)) => (scheduler, monotonic),
        (SwitchIn::Unseen, SwitchIn::Unseen) => return,
        _ => return add(DISCARDED_SLOT, 1),
    };
    add(bucket_slot(Distribution::Scheduler, scheduler), 1);
    add(bucket_slot(Distribution::Monotonic, monotonic), 1);
    add(figure_slot(case, Figure::Waits), 1);
    add(figure_slot(case, Figure::Sum), monotonic.wrapping_sub(scheduler));
    let ns = monotonic.abs_diff(scheduler);
    if monotonic > scheduler {
        add(bucket_slot(Distribution::Longer, ns), 1);
    } else if monotonic < scheduler {
        add(bucket_slot(Distribution::Shorter, ns), 1);
    }
    if let Some(figure) = above_limit(scheduler, monotonic) {
        add(figure_slot(case, figure), 1);
    }
    if let Some(worst) = PROOF_WORST.get_ptr_mut(case as u32) {
        // SAFETY: this CPU's own value; the caller passed a task.
        unsafe {
            if ns > (*worst).ns {
                *worst = Worst { ns, scheduler, monotonic, comm: events::comm::<Direct>(task), pid, prev_pid };
            }
        }
    }
}
