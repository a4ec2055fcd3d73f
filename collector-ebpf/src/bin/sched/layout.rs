//! Where fields lie in the running kernel. The agent reads this from the kernel's
//! BTF and sets it before loading; the verifier treats it as constant and drops the
//! branches not taken.

use aya_ebpf::Global;

/// An offset that does not exist in this kernel.
const ABSENT: u16 = u16::MAX;

/// A number of at most 16 bits: all of them fit into one cache line, which every
/// event reads.
#[repr(transparent)]
pub struct Number(Global<u16>);

impl Number {
    /// The number.
    #[inline(always)]
    pub fn load(&self) -> u64 {
        u64::from(self.0.load())
    }
}

macro_rules! globals {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$doc])* #[unsafe(no_mangle)] pub static $name: Number = Number(Global::new($value));)*
    };
}

globals! {
    /// `task_struct.pid`
    OFF_PID = ABSENT;
    /// `task_struct.tgid`
    OFF_TGID = ABSENT;
    /// `task_struct.comm`
    OFF_COMM = ABSENT;
    /// `task_struct.on_cpu`
    OFF_ON_CPU = ABSENT;
    /// Bytes of `task_struct.on_cpu`: 4, or 1 in newer kernels.
    LEN_ON_CPU = 4;
    /// `task_struct.thread_info.cpu` or `task_struct.cpu`
    OFF_CPU = ABSENT;
    /// `task_struct.__state`, `state` before 5.14
    OFF_STATE = ABSENT;
    /// Bytes of the state: 4, 8 before 5.14.
    LEN_STATE = 4;
    /// `task_struct.se.cfs_rq`
    OFF_CFS_RQ = ABSENT;
    /// `cfs_rq.rq`
    OFF_RQ = ABSENT;
    /// `rq.clock`
    OFF_CLOCK = ABSENT;
    /// `rq.clock_update_flags`
    OFF_CLOCK_FLAGS = ABSENT;
    /// `task_struct.thread_pid`
    OFF_THREAD_PID = ABSENT;
    /// `pid.level`
    OFF_PID_LEVEL = ABSENT;
    /// `pid.numbers`, plus the offset of `upid.nr`
    OFF_PID_NUMBERS = ABSENT;
    /// Size of `upid`
    LEN_UPID = 16;
    /// Which argument of sched_switch is `prev_state`; 0 for none.
    ARG_PREV_STATE = 0;
    /// 1 to stamp events with `rq->clock`, 0 for `CLOCK_MONOTONIC`.
    USE_RQ_CLOCK = 0;
}
