//! `sched_switch`: the end of one wait, perhaps the start of another, idle time.

use collector_ebpf::{
    abi::Cpu,
    clock::Discard,
    recent::longest,
    runq::{OTHERS, SwitchIn, Task, runnable},
    top::{TOP, shortest},
};

use crate::{access::Access, diagnose::diagnose, layout, maps, time};

/// The arguments of `sched_switch`.
pub struct Switch {
    pub preempt: bool,
    pub prev: *const u8,
    pub next: *const u8,
    /// `None` where the kernel does not pass it (before 5.18).
    pub prev_state: Option<u64>,
}

/// # Safety
/// `prev` and `next` are the tasks of a switch on this CPU.
#[inline(always)]
pub unsafe fn on_switch<A: Access>(args: &Switch) {
    let (Some(cpu), Some(control)) = (maps::this_cpu(), maps::control()) else {
        return;
    };
    // SAFETY: offsets come from the kernel's BTF; the caller passed tasks.
    let (prev_pid, next_pid, this_cpu) = unsafe {
        let pid = layout::OFF_PID.load();
        // Both are on this CPU; the one that leaves has its structure in the cache.
        (A::read::<u32>(args.prev, pid), A::read::<u32>(args.next, pid), crate::events::cpu_of::<A>(args.prev))
    };
    // SAFETY: `next` is switched in.
    let clock = unsafe { time::at_switch::<A>(args.next) };
    let next = if next_pid != 0 { maps::task(next_pid) } else { None };
    let now = match &next {
        Some(next) if time::uses_rq_clock::<A>() => next.switch_time(clock, time::monotonic),
        _ => clock,
    };
    if cpu.epoch != control.epoch {
        cpu.new_epoch(control, now, time::monotonic());
        diagnose!("epoch {} begins, clocks are {} ns apart", cpu.epoch, cpu.offset);
    }
    cpu.switches += 1;
    if !cpu.was_running(prev_pid) {
        missed(cpu, prev_pid, now);
    }
    cpu.runs(next_pid);
    // SAFETY: the caller passed tasks.
    unsafe { leave::<A>(cpu, args, prev_pid, this_cpu, now) };
    if next_pid == 0 {
        cpu.went_idle(now);
    } else {
        match next {
            // SAFETY: the caller passed tasks.
            Some(next) => unsafe { enter::<A>(cpu, args, next, (prev_pid, next_pid), this_cpu, now) },
            None => cpu.no_slot += 1,
        }
    }
    cpu.remember(prev_pid, now);
    cpu.remembered();
}

/// The task that leaves was not seen to come.
#[inline(always)]
fn missed(cpu: &mut Cpu, prev_pid: u32, now: u64) {
    let (woken, class) = match maps::task(prev_pid) {
        Some(task) if prev_pid != 0 => (task.start, task.class),
        _ => (0, OTHERS),
    };
    diagnose!("pid {} leaves and was not seen to come, pid {} was last", prev_pid, cpu.running as i64 - 1);
    cpu.missed_switch(woken, class, now);
}

/// # Safety
/// `args.prev` is the task that leaves.
#[inline(always)]
unsafe fn leave<A: Access>(cpu: &mut Cpu, args: &Switch, prev_pid: u32, this_cpu: u16, now: u64) {
    if prev_pid == 0 {
        cpu.left_idle(now);
        return;
    }
    let state = match args.prev_state {
        Some(state) => state,
        // SAFETY: the offset and width of the state come from BTF.
        None => unsafe {
            if layout::LEN_STATE.load() == 8 {
                A::read::<u64>(args.prev, layout::OFF_STATE.load())
            } else {
                u64::from(A::read::<u32>(args.prev, layout::OFF_STATE.load()))
            }
        },
    };
    let runnable = runnable(args.preempt, state);
    if runnable {
        cpu.involuntary += 1;
    }
    match maps::task(prev_pid) {
        Some(task) => task.switch_out(runnable, now, this_cpu),
        None => cpu.no_slot += 1,
    }
}

/// # Safety
/// `args.next` is the task that enters.
#[inline(always)]
unsafe fn enter<A: Access>(
    cpu: &mut Cpu,
    args: &Switch,
    task: &mut Task,
    (prev_pid, next_pid): (u32, u32),
    this_cpu: u16,
    now: u64,
) {
    let ns = match task.switch_in(now, cpu.opened) {
        SwitchIn::Waited(ns) => ns,
        SwitchIn::Unseen => {
            cpu.unseen += 1;
            diagnose!("no start was seen of the wait of pid {}", next_pid);
            return;
        }
        SwitchIn::Discarded(Discard::Backwards) => {
            cpu.backwards += 1;
            diagnose!("the wait of pid {} would have ended before it began", next_pid);
            return;
        }
        SwitchIn::Discarded(Discard::BeforeWindow) => {
            cpu.before_window += 1;
            return;
        }
    };
    cpu.waited(task.class, ns);
    if task.cpu != this_cpu {
        cpu.migrated += 1;
    }
    if ns > cpu.top_floor {
        // SAFETY: both are tasks.
        unsafe { keep::<A>(cpu, args, task, (prev_pid, next_pid), ns, now) };
    }
}

/// Puts a wait among the longest.
///
/// # Safety
/// `args` holds tasks.
#[inline(always)]
unsafe fn keep<A: Access>(
    cpu: &mut Cpu,
    args: &Switch,
    task: &Task,
    (prev_pid, next_pid): (u32, u32),
    ns: u64,
    now: u64,
) {
    let start = now - ns;
    // The task that leaves now is not in the ring yet.
    cpu.remember(prev_pid, now);
    let ran = longest(&cpu.recent, (cpu.recent_next as u32).wrapping_add(1), start, now);
    let at = shortest(&cpu.top);
    if at >= TOP {
        return;
    }
    let wait = &mut cpu.top[at];
    wait.ns = ns;
    wait.end = now;
    wait.ran_ns = ran.ns;
    wait.ran_pid = ran.pid;
    wait.last_pid = prev_pid;
    wait.pid = next_pid;
    wait.class = u32::from(task.class);
    wait.from_cpu = u32::from(task.cpu);
    // SAFETY: both are tasks.
    unsafe {
        wait.tgid = A::read::<u32>(args.next, layout::OFF_TGID.load());
        wait.comm = crate::events::comm::<A>(args.next);
        wait.last_comm = crate::events::comm::<A>(args.prev);
    }
    cpu.top_floor = cpu.top[shortest(&cpu.top)].ns;
}
