//! The entry points. Names are those of the tracepoints, with `raw_` before the
//! raw ones; the agent builds them from the list in `probe::plan`.

use aya_ebpf::{
    EbpfContext,
    macros::{btf_tracepoint, raw_tracepoint},
    programs::{BtfTracePointContext, RawTracePointContext},
};

use crate::{
    access::{Access, Direct, Probe},
    events, layout,
    switch::{self, Switch},
};

/// Argument `N` of a tracepoint. The verifier wants the offset in the load itself
/// and refuses a context pointer that was moved, which is what the compiler makes
/// of several such loads; hence the instruction by hand.
#[inline(always)]
pub unsafe fn arg<const N: usize>(ctx: &impl EbpfContext) -> u64 {
    let value: u64;
    // SAFETY: both kinds of tracepoint pass their arguments as an array of u64.
    unsafe {
        core::arch::asm!(
            "{value} = *(u64 *)({ctx} + {offset})",
            value = out(reg) value,
            ctx = in(reg) ctx.as_ptr(),
            offset = const N * 8,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    value
}

#[inline(always)]
pub unsafe fn task<const N: usize>(ctx: &impl EbpfContext) -> *const u8 {
    // SAFETY: as above; the argument is a task.
    unsafe { arg::<N>(ctx) as *const u8 }
}

#[inline(always)]
unsafe fn sched_switch_body<A: Access>(ctx: &impl EbpfContext) {
    // prev_state came as the second argument in a 5.18 release candidate, and is
    // the last one since (kernel commit 9c2136be0878, "sched/tracing: Append
    // prev_state to tp args instead").
    // SAFETY: the arguments are where this kernel's BTF says.
    unsafe {
        let preempt = arg::<0>(ctx) & 0xff != 0;
        let args = match layout::ARG_PREV_STATE.load() {
            1 => Switch { preempt, prev_state: Some(arg::<1>(ctx)), prev: task::<2>(ctx), next: task::<3>(ctx) },
            3 => Switch { preempt, prev: task::<1>(ctx), next: task::<2>(ctx), prev_state: Some(arg::<3>(ctx)) },
            _ => Switch { preempt, prev: task::<1>(ctx), next: task::<2>(ctx), prev_state: None },
        };
        switch::on_switch::<A>(&args);
    }
}

macro_rules! programs {
    ($($event:literal $btf:ident $raw:ident |$ctx:ident| $body:expr;)*) => {
        $(
            #[btf_tracepoint(function = $event)]
            pub fn $btf($ctx: BtfTracePointContext) -> i32 {
                #[allow(unused, reason = "the body names the way it reads")]
                type A = Direct;
                // SAFETY: the arguments are those of the tracepoint in the name.
                unsafe { $body };
                0
            }
            #[raw_tracepoint(tracepoint = $event)]
            pub fn $raw($ctx: RawTracePointContext) -> i32 {
                #[allow(unused, reason = "the body names the way it reads")]
                type A = Probe;
                // SAFETY: the arguments are those of the tracepoint in the name.
                unsafe { $body };
                0
            }
        )*
    };
}

programs! {
    "sched_switch" sched_switch raw_sched_switch |ctx| sched_switch_body::<A>(&ctx);
    "sched_wakeup" sched_wakeup raw_sched_wakeup |ctx| events::on_wakeup::<A>(task::<0>(&ctx), false);
    "sched_wakeup_new" sched_wakeup_new raw_sched_wakeup_new |ctx| events::on_wakeup::<A>(task::<0>(&ctx), true);
    "sched_process_fork" sched_process_fork raw_sched_process_fork |ctx| events::on_fork::<A>(task::<0>(&ctx), task::<1>(&ctx));
    "sched_process_exec" sched_process_exec raw_sched_process_exec |ctx| events::on_exec::<A>(task::<0>(&ctx), arg::<1>(&ctx) as u32);
    "sched_process_exit" sched_process_exit raw_sched_process_exit |ctx| events::on_exit::<A>(task::<0>(&ctx));
}
