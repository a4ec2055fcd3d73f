//! What siblings do at the same time: the core's state word, see
//! [`collector_ebpf::core_state`].
//!
//! Only switches to and from idle change it, and, while core scheduling is in use,
//! what else tells who idles by force: the kernel's own count of siblings that do
//! (`rq->core->core_forceidle_count`, kernel/sched/core.c) is fresh after each pick.

use collector_ebpf::{
    abi::{Blame, Core, Culprit, FORCED_IDLE_CAUSED, Place, WAITED_FORCED, episodes_index},
    bucket::{BUCKETS, index},
    core_state::{Loss, PAIRS, SLOTS, State, Word},
};

use crate::{access::Access, events, layout, maps, time};

/// [`State`]s in plain numbers.
const IDLE: u64 = State::Idle as u64;
const FORCED: u64 = State::Forced as u64;

/// How often a change is tried when siblings change at the same time.
const TRIES: u32 = 8;

/// The tasks of a switch.
pub struct Tasks {
    pub prev: *const u8,
    pub next: *const u8,
    pub prev_pid: u32,
    pub next_pid: u32,
}

/// What came of a change of this CPU's state.
#[derive(Default)]
pub struct Changed {
    /// The state that ended was idle by force.
    pub was_forced: bool,
    /// It was given up after too many tries.
    pub lost: bool,
}

/// What the kernel says of core scheduling on a core.
struct Kernel {
    /// Whether it is in use.
    enabled: bool,
    /// Siblings that idle by force.
    forced: u32,
    /// Tasks on this CPU's queue.
    queued: u32,
    /// The cookie that the core runs.
    cookie: u64,
}

/// Whether the machine has siblings to look at.
#[inline(always)]
pub fn in_use() -> bool {
    layout::USE_CORES.load() != 0
}

#[inline(always)]
fn has_core_scheduling() -> bool {
    layout::HAS_CORE_SCHED.load() != 0
}

/// # Safety
/// `task` is a task of the running kernel.
#[inline(always)]
unsafe fn kernel<A: Access>(task: *const u8) -> Kernel {
    let none = Kernel { enabled: false, forced: 0, queued: 0, cookie: 0 };
    if !has_core_scheduling() {
        return none;
    }
    // SAFETY: offsets come from the kernel's BTF.
    unsafe {
        let rq = time::run_queue::<A>(task);
        if A::read::<u32>(rq, layout::OFF_CORE_ENABLED.load()) == 0 {
            return none;
        }
        let core = A::read::<usize>(rq, layout::OFF_RQ_CORE.load()) as *const u8;
        Kernel {
            enabled: true,
            forced: A::read::<u32>(core, layout::OFF_FORCEIDLE_COUNT.load()),
            queued: A::read::<u32>(rq, layout::OFF_NR_RUNNING.load()),
            cookie: A::read::<u64>(core, layout::OFF_CORE_COOKIE.load()),
        }
    }
}

/// # Safety
/// `task` is a task of the running kernel.
#[inline(always)]
unsafe fn cookie_of<A: Access>(task: *const u8) -> u64 {
    // SAFETY: the offset comes from the kernel's BTF.
    unsafe { A::read::<u64>(task, layout::OFF_TASK_COOKIE.load()) }
}

// The compiler offers no atomic operations for this target but the assembler does
// (compare-and-swap since Linux 5.12).

#[inline(always)]
fn add(to: *mut u64, value: u64) {
    // SAFETY: a field of a map value, which lives as long as the map.
    unsafe {
        core::arch::asm!("lock *(u64 *)({to} + 0) += {value}", to = in(reg) to, value = in(reg) value, options(nostack));
    }
}

#[inline(always)]
fn load(core: *mut Core) -> Word {
    // SAFETY: as above; an aligned load is whole.
    Word(unsafe { (&raw const (*core).word).read_volatile() })
}

/// Whether `new` took the place of `old`.
#[inline(always)]
fn replace(core: *mut Core, old: Word, new: Word) -> bool {
    let seen: u64;
    // SAFETY: as above.
    unsafe {
        core::arch::asm!(
            "r0 = cmpxchg_64({word} + 0, r0, {new})",
            word = in(reg) &raw mut (*core).word,
            new = in(reg) new.0,
            inlateout("r0") old.0 => seen,
            options(nostack),
        );
    }
    seen == old.0
}

/// This CPU switches from one task to another at `now`.
///
/// # Safety
/// `tasks` are tasks of the running kernel, on this CPU.
#[inline(always)]
pub unsafe fn on_switch<A: Access>(tasks: &Tasks, this_cpu: u16, now: u64) -> Changed {
    // SAFETY: the caller passed tasks.
    let kernel = unsafe { kernel::<A>(tasks.next) };
    let to_or_from_idle = tasks.prev_pid == 0 || tasks.next_pid == 0;
    if !to_or_from_idle && !kernel.enabled {
        return Changed::default();
    }
    let Some((place, core)) = maps::core_of(this_cpu) else { return Changed::default() };
    let (slot, n) = (usize::from(place.slot) & (SLOTS - 1), usize::from(place.siblings));
    let mine = match (tasks.next_pid, kernel.forced > 0 && kernel.queued > 0) {
        (0, true) => State::Forced,
        (0, false) => State::Idle,
        _ => State::Busy,
    };
    let mut done = None;
    let mut tries = 0;
    while tries < TRIES && done.is_none() {
        tries += 1;
        let old = load(core);
        let begun = if old.is_new() { Word::begin(now) } else { old };
        let mut new = begun.at(now).with(slot, mine);
        if kernel.enabled {
            new = seen_by_kernel(new, slot, n, mine, kernel.forced);
        }
        if replace(core, old, new) {
            done = Some((begun, new));
        }
    }
    if let Some((old, new)) = done {
        // SAFETY: the caller passed tasks.
        unsafe { credit::<A>(core, old, new, n, now, Some((tasks, slot))) };
    }
    if kernel.enabled {
        // SAFETY: a map value; only this CPU writes the entry of its own.
        unsafe {
            let own = &raw mut (*core).siblings[slot];
            (*own).pid = u64::from(tasks.next_pid);
            (*own).cookie = if tasks.next_pid == 0 { 0 } else { cookie_of::<A>(tasks.next) };
        }
    }
    Changed { was_forced: done.is_some_and(|(old, _)| matches!(old.state(slot), State::Forced)), lost: done.is_none() }
}

/// What the kernel's count says of the other siblings: with two, and this one busy,
/// everything; with more, only that none idles by force.
#[inline(always)]
fn seen_by_kernel(word: Word, slot: usize, n: usize, mine: State, forced: u32) -> Word {
    let mut word = word;
    if n == 2 && matches!(mine, State::Busy) {
        let other = 1 - (slot & 1);
        if matches!(word.state(other), State::Idle | State::Forced) {
            word = word.with(other, if forced > 0 { State::Forced } else { State::Idle });
        }
    } else if forced == 0 {
        let mut other = 0;
        while other < n {
            if other != slot && matches!(word.state(other), State::Forced) {
                word = word.with(other, State::Idle);
            }
            other += 1;
        }
    }
    word
}

/// A task is put on the queue of an idle CPU whose core runs another cookie: that CPU
/// goes on idling, by force, and no switch will tell.
///
/// # Safety
/// `task` is a task of the running kernel, queued on `cpu`.
#[inline(always)]
pub unsafe fn on_wakeup<A: Access>(task: *const u8, cpu: u16, now: u64) {
    if !has_core_scheduling() {
        return;
    }
    // SAFETY: the caller passed a task.
    let (kernel, own) = unsafe { (kernel::<A>(task), cookie_of::<A>(task)) };
    if !kernel.enabled || kernel.cookie == own {
        return;
    }
    let Some((place, core)) = maps::core_of(cpu) else { return };
    let (slot, n) = (usize::from(place.slot) & (SLOTS - 1), usize::from(place.siblings));
    let mut done = None;
    let mut tries = 0;
    while tries < TRIES && done.is_none() {
        tries += 1;
        let old = load(core);
        if !matches!(old.state(slot), State::Idle) || !old.any(n, State::Busy) {
            return;
        }
        let new = old.at(now).with(slot, State::Forced);
        if replace(core, old, new) {
            done = Some((old, new));
        }
    }
    if let Some((old, new)) = done {
        // SAFETY: no task is passed on.
        unsafe { credit::<A>(core, old, new, n, now, None) };
    }
}

/// Credits the time up to `now` to what `old` says, and ends and begins episodes.
///
/// # Safety
/// `switch` holds tasks of this CPU, and its slot.
#[inline(always)]
unsafe fn credit<A: Access>(
    core: *mut Core,
    old: Word,
    new: Word,
    n: usize,
    now: u64,
    switch: Option<(&Tasks, usize)>,
) {
    let ns = old.since(now);
    let pair = old.pair(n) as usize;
    if pair < PAIRS {
        // SAFETY: a map value.
        unsafe { add(&raw mut (*core).pairs[pair], ns) };
    }
    let (busy_before, busy_after) = (old.any(n, State::Busy), new.any(n, State::Busy));
    let mut slot = 0;
    while slot < n {
        // Plain comparisons, of which the verifier can follow every one; they are those of
        // [`Word::loss`].
        let (before, after) = (old.bits(slot), new.bits(slot));
        let was = if busy_before && before >= IDLE { before } else { 0 };
        let is = if busy_after && after >= IDLE { after } else { 0 };
        // SAFETY: a map value.
        let own = unsafe { &raw mut (*core).siblings[slot & (SLOTS - 1)] };
        if was == FORCED {
            // SAFETY: as above, and the caller passed tasks.
            unsafe {
                add(&raw mut (*own).ns[Loss::Forced as usize], ns);
                blame_sibling::<A>(core, old, n, slot, ns, switch);
            }
        } else if was == IDLE {
            // SAFETY: as above.
            unsafe { add(&raw mut (*own).ns[Loss::SiblingIdle as usize], ns) };
        }
        if was != is {
            // SAFETY: a map value; a sibling that changes it at the same time makes an
            // episode uncounted or too short, no time is lost.
            unsafe {
                let since = (*own).since;
                if was == FORCED {
                    add(&raw mut (*own).times[Loss::Forced as usize], 1);
                    ended(episodes_index((*own).cpu, Loss::Forced as usize), since, now);
                } else if was == IDLE {
                    add(&raw mut (*own).times[Loss::SiblingIdle as usize], 1);
                    ended(episodes_index((*own).cpu, Loss::SiblingIdle as usize), since, now);
                }
                (*own).since = if is == 0 { 0 } else { now };
            }
        }
        slot += 1;
    }
}

/// Counts an episode.
#[inline(always)]
fn ended(episodes: u32, since: u64, now: u64) {
    if since == 0 || since > now {
        return;
    }
    let Some(episodes) = maps::episodes(episodes) else { return };
    let ns = now - since;
    let bucket = index(ns);
    // SAFETY: a map value.
    unsafe {
        if ns > (*episodes).max {
            (*episodes).max = ns;
        }
        if bucket < BUCKETS {
            add(&raw mut (*episodes).counts[bucket], 1);
        } else {
            add(&raw mut (*episodes).overflow, 1);
        }
    }
}

/// Books forced idle to the task that ran on the first busy sibling.
///
/// # Safety
/// `switch` holds tasks of this CPU, and its slot.
#[inline(always)]
unsafe fn blame_sibling<A: Access>(
    core: *mut Core,
    old: Word,
    n: usize,
    victim: usize,
    ns: u64,
    switch: Option<(&Tasks, usize)>,
) {
    let Some(slot) = old.first(n, State::Busy) else { return };
    let slot = slot & (SLOTS - 1);
    // SAFETY: map values, and the caller passed tasks.
    unsafe {
        let cpu = (*core).siblings[victim & (SLOTS - 1)].cpu as u16;
        let (pid, cookie, comm) = match switch {
            Some((tasks, own)) if own == slot => {
                (tasks.prev_pid, cookie_of::<A>(tasks.prev), events::comm::<A>(tasks.prev))
            }
            _ => ((*core).siblings[slot].pid as u32, (*core).siblings[slot].cookie, [0; 16]),
        };
        blame(&Culprit { cookie, pid, cpu, role: FORCED_IDLE_CAUSED }, ns, comm);
    }
}

/// A wait of `next` ended, `ns` of which its CPU idled by force.
///
/// # Safety
/// `next` is a task of the running kernel.
#[inline(always)]
pub unsafe fn waited_forced<A: Access>(next: *const u8, pid: u32, cpu: u16, ns: u64) {
    if has_core_scheduling() {
        // SAFETY: the caller passed a task.
        unsafe {
            let culprit = Culprit { cookie: cookie_of::<A>(next), pid, cpu, role: WAITED_FORCED };
            blame(&culprit, ns, events::comm::<A>(next));
        }
    }
}

#[inline(always)]
fn blame(culprit: &Culprit, ns: u64, comm: [u8; 16]) {
    if let Some(blame) = maps::blame(culprit) {
        // SAFETY: a map value.
        unsafe {
            add(&raw mut (*blame).ns, ns);
            if comm[0] != 0 {
                (*blame).comm = comm;
            }
        }
    } else {
        maps::new_blame(culprit, &Blame { ns, comm });
    }
}

/// Whether this place has siblings to look at.
#[inline(always)]
pub const fn has_siblings(place: &Place) -> bool {
    place.siblings >= 2 && place.siblings as usize <= SLOTS
}
