//! Programs that do nothing: what `cargo xtask bench` compares ours with. Nobody
//! else loads them.

use aya_ebpf::{macros::btf_tracepoint, programs::BtfTracePointContext};

macro_rules! empty {
    ($($event:literal $name:ident)*) => {
        $(
            #[btf_tracepoint(function = $event)]
            pub fn $name(_ctx: BtfTracePointContext) -> i32 {
                0
            }
        )*
    };
}

empty! {
    "sched_switch" empty_sched_switch
    "sched_wakeup" empty_sched_wakeup
    "sched_wakeup_new" empty_sched_wakeup_new
}
