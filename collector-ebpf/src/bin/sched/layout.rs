//! Where fields lie in the running kernel. The agent reads this from the kernel's
//! BTF and sets it before loading; the verifier treats it as constant and drops the
//! branches not taken.

use aya_ebpf::Global;

/// An offset that does not exist in this kernel.
pub const ABSENT: u64 = u64::MAX;

macro_rules! globals {
    ($($(#[$doc:meta])* $name:ident: $ty:ty = $value:expr;)*) => {
        $($(#[$doc])* #[unsafe(no_mangle)] pub static $name: Global<$ty> = Global::new($value);)*
    };
}

globals! {
    /// `task_struct.pid`
    OFF_PID: u64 = ABSENT;
    /// `task_struct.tgid`
    OFF_TGID: u64 = ABSENT;
    /// `task_struct.comm`
    OFF_COMM: u64 = ABSENT;
    /// `task_struct.on_cpu`
    OFF_ON_CPU: u64 = ABSENT;
    /// Bytes of `task_struct.on_cpu`: 4, or 1 in newer kernels.
    LEN_ON_CPU: u64 = 4;
    /// `task_struct.thread_info.cpu` or `task_struct.cpu`
    OFF_CPU: u64 = ABSENT;
    /// `task_struct.__state`, `state` before 5.14
    OFF_STATE: u64 = ABSENT;
    /// Bytes of the state: 4, 8 before 5.14.
    LEN_STATE: u64 = 4;
    /// `task_struct.se.cfs_rq`
    OFF_CFS_RQ: u64 = ABSENT;
    /// `cfs_rq.rq`
    OFF_RQ: u64 = ABSENT;
    /// `rq.clock`
    OFF_CLOCK: u64 = ABSENT;
    /// `rq.clock_update_flags`
    OFF_CLOCK_FLAGS: u64 = ABSENT;
    /// `task_struct.thread_pid`
    OFF_THREAD_PID: u64 = ABSENT;
    /// `pid.level`
    OFF_PID_LEVEL: u64 = ABSENT;
    /// `pid.numbers`, plus the offset of `upid.nr`
    OFF_PID_NUMBERS: u64 = ABSENT;
    /// Size of `upid`
    LEN_UPID: u64 = 16;
    /// Which argument of sched_switch is `prev_state`; 0 for none.
    ARG_PREV_STATE: u64 = 0;
    /// 1 to stamp events with `rq->clock`, 0 for `CLOCK_MONOTONIC`.
    USE_RQ_CLOCK: u64 = 0;
}
