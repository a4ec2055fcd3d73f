//! The read-only globals of the kernel programs. With `plan` the only place that
//! knows how kernels differ.

use super::btf::{Argument, BtfError, Field, KernelTypes};

/// An offset that does not exist in this kernel; the programs know the same value.
const ABSENT: u64 = u16::MAX as u64;

/// Everything the programs have to know of this kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    values: Vec<(&'static str, u16)>,
    /// Why `rq->clock` cannot be reached in this kernel, if so.
    pub no_rq_clock: Option<String>,
}

impl Layout {
    /// Resolves all of it.
    ///
    /// # Errors
    ///
    /// [`BtfError::Missing`] if a field that every supported kernel has is not there.
    pub fn resolve(types: &KernelTypes) -> Result<Self, BtfError> {
        let task = |path: &[&str]| types.field("task_struct", path);
        let need =
            |path: &[&str]| task(path).ok_or_else(|| BtfError::Missing(format!("task_struct.{}", path.join("."))));
        let on_cpu = need(&["on_cpu"])?; // int up to 6.12, u8 in 7.3
        // Renamed and narrowed from `state` in 5.14, kernel commit 2f064a59a11f.
        let state = task(&["__state"])
            .or_else(|| task(&["state"]))
            .ok_or_else(|| BtfError::Missing("task_struct.__state".to_owned()))?;
        // Moved into thread_info by CONFIG_THREAD_INFO_IN_TASK, on x86 in 5.16.
        let cpu = task(&["thread_info", "cpu"])
            .or_else(|| task(&["cpu"]))
            .ok_or_else(|| BtfError::Missing("task_struct.cpu".to_owned()))?;
        let clock = RqClock::resolve(types);
        let (rq, no_rq_clock) = match clock {
            Ok(rq) => (rq, None),
            Err(reason) => (RqClock::absent(), Some(reason)),
        };
        let pids = Pids::resolve(types).unwrap_or(Pids { thread_pid: ABSENT, level: ABSENT, numbers: ABSENT, upid: 0 });
        let values = vec![
            ("OFF_PID", need(&["pid"])?.offset),
            ("OFF_TGID", need(&["tgid"])?.offset),
            ("OFF_COMM", need(&["comm"])?.offset),
            ("OFF_ON_CPU", on_cpu.offset),
            ("LEN_ON_CPU", on_cpu.size),
            ("OFF_CPU", cpu.offset),
            ("OFF_STATE", state.offset),
            ("LEN_STATE", state.size),
            ("OFF_CFS_RQ", rq.cfs_rq),
            ("OFF_RQ", rq.rq),
            ("OFF_CLOCK", rq.clock),
            ("OFF_CLOCK_FLAGS", rq.flags),
            ("OFF_THREAD_PID", pids.thread_pid),
            ("OFF_PID_LEVEL", pids.level),
            ("OFF_PID_NUMBERS", pids.numbers),
            ("LEN_UPID", pids.upid),
            ("ARG_PREV_STATE", prev_state(types)?),
        ];
        let values = values.into_iter().map(|(name, value)| {
            let short = u16::try_from(value);
            Ok((name, short.map_err(|_| BtfError::Missing(format!("{name} below 64 KiB (it is {value})")))?))
        });
        Ok(Self { values: values.collect::<Result<_, BtfError>>()?, no_rq_clock })
    }

    /// Names and values of the globals.
    pub fn globals(&self) -> &[(&'static str, u16)] {
        &self.values
    }
}

/// What leads from a task to its pids in all namespaces; needed in containers only.
struct Pids {
    thread_pid: u64,
    level: u64,
    numbers: u64,
    upid: u64,
}

impl Pids {
    fn resolve(types: &KernelTypes) -> Option<Self> {
        Some(Self {
            thread_pid: types.field("task_struct", &["thread_pid"])?.offset,
            level: types.field("pid", &["level"])?.offset,
            numbers: types.field("pid", &["numbers"])?.offset + types.field("upid", &["nr"])?.offset,
            upid: types.structure_size("upid")?,
        })
    }
}

struct RqClock {
    cfs_rq: u64,
    rq: u64,
    clock: u64,
    flags: u64,
}

impl RqClock {
    fn resolve(types: &KernelTypes) -> Result<Self, String> {
        let find = |structure: &str, path: &[&str]| {
            types
                .field(structure, path)
                .map(|Field { offset, .. }| offset)
                .ok_or_else(|| format!("the kernel has no {structure}.{} (CONFIG_FAIR_GROUP_SCHED)", path.join(".")))
        };
        Ok(Self {
            cfs_rq: find("task_struct", &["se", "cfs_rq"])?,
            rq: find("cfs_rq", &["rq"])?,
            clock: find("rq", &["clock"])?,
            flags: find("rq", &["clock_update_flags"])?,
        })
    }

    const fn absent() -> Self {
        Self { cfs_rq: ABSENT, rq: ABSENT, clock: ABSENT, flags: ABSENT }
    }
}

/// Where `prev_state` is among the arguments of `sched_switch`; 0 for nowhere.
///
/// It was added in second place (kernel commit fa2c3254d7cf, 5.18-rc1) and moved to
/// the end before 5.18 was released (9c2136be0878); some distributions took over
/// the one or the other, so the list of parameters decides, not the version.
fn prev_state(types: &KernelTypes) -> Result<u64, BtfError> {
    use Argument::{Bool, Number, Pointer};
    let arguments =
        types.tracepoint("sched_switch").ok_or_else(|| BtfError::Missing("tracepoint sched_switch".to_owned()))?;
    place_of_prev_state(&arguments).ok_or_else(|| {
        BtfError::Missing(format!("sched_switch with arguments known here (it has {arguments:?}, expected {Bool:?}, {Pointer:?}, {Pointer:?}, {Number:?})"))
    })
}

fn place_of_prev_state(arguments: &[Argument]) -> Option<u64> {
    use Argument::{Bool, Number, Pointer};
    match arguments {
        [Bool, Pointer, Pointer] => Some(0),
        [Bool, Number, Pointer, Pointer] => Some(1),
        [Bool, Pointer, Pointer, Number, ..] => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Argument::*, place_of_prev_state};

    #[test]
    fn prev_state_is_found_where_kernels_put_it() {
        assert_eq!(place_of_prev_state(&[Bool, Pointer, Pointer]), Some(0));
        assert_eq!(place_of_prev_state(&[Bool, Number, Pointer, Pointer]), Some(1));
        assert_eq!(place_of_prev_state(&[Bool, Pointer, Pointer, Number]), Some(3));
        assert_eq!(place_of_prev_state(&[Pointer, Pointer]), None);
        assert_eq!(place_of_prev_state(&[]), None);
    }
}
