//! The attached kernel programs: loaded, read, and gone when dropped.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::PathBuf,
};

use aya::{
    Ebpf,
    maps::{Array, Map, MapData},
    sys::{Stats, enable_stats},
};
use aya_log::EbpfLogger;
use collector_ebpf::abi::{self, Control};
use rustix::time::{ClockId, clock_gettime};

use super::{
    attach::{AttachError, Attempt},
    btf::{BtfError, KernelTypes},
    cost::{self, Counters},
    layout::Layout,
    percpu::Values,
    pids::PidTable,
    tasks::TaskMap,
};
use crate::{
    record::{ClockChoice, ClockKind, MapMemory, Probe, ProbeKind},
    source::Reading,
};

/// The map value of [`Control`], as aya wants it.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct ControlValue(Control);

// SAFETY: two u64 in a repr(C) struct: no padding, any bits are valid.
unsafe impl aya::Pod for ControlValue {}

/// Which clock the user wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClockWish {
    /// `rq->clock` where it can be relied on, else `CLOCK_MONOTONIC`.
    #[default]
    Auto,
    /// `CLOCK_MONOTONIC`.
    Monotonic,
    /// `rq->clock`, even where it is not known to agree between CPUs.
    RunQueue,
}

/// How to set up the kernel side.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the kernel's BTF is.
    pub btf: PathBuf,
    /// The clock.
    pub clock: ClockWish,
    /// Why the run queue's clock cannot be relied on here, if so.
    pub clock_doubt: Option<String>,
    /// Use raw tracepoints without trying BTF tracepoints first.
    pub raw: bool,
    /// Have the kernel take the programs' run time, which costs two clock reads a run.
    pub run_time: bool,
    /// Entries of the task map: the kernel's `pid_max`.
    pub task_slots: u32,
    /// Whether this process is in a pid namespace of its own, so that the pids it
    /// knows are not the kernel's.
    pub pid_namespace: bool,
    /// Numbers of the possible CPUs, in order.
    pub possible: Vec<u32>,
}

/// Why there is no tracer.
#[derive(Debug, thiserror::Error)]
pub enum TracerError {
    /// The kernel's types could not be read.
    #[error(transparent)]
    Types(#[from] BtfError),
    /// The programs could not be attached.
    #[error(transparent)]
    Attach(#[from] AttachError),
    /// A map could not be used.
    #[error("cannot use the kernel map {map}: {reason}")]
    Map {
        /// The map.
        map: &'static str,
        /// What went wrong.
        reason: String,
    },
    /// The kernel's pids could not be learned.
    #[error("cannot learn the kernel's pids from within this pid namespace: {0}; run on the host instead")]
    Pids(String),
    /// The run-time statistics could not be switched on.
    #[error("cannot switch on the kernel's statistics of BPF programs: {0}")]
    RunTime(String),
}

/// The attached kernel programs. Everything they are in the kernel hangs on file
/// descriptors: it is gone when this is dropped, or when the process dies.
pub struct Tracer {
    ebpf: Ebpf,
    probes: Vec<Probe>,
    clock: ClockChoice,
    control: Control,
    values: Values,
    possible: Vec<u32>,
    task_slots: u32,
    pid_namespace: bool,
    _run_time: Option<OwnedFd>,
    log: Option<EbpfLogger<&'static dyn log::Log>>,
}

/// Nanoseconds of `CLOCK_MONOTONIC`.
pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

impl Tracer {
    /// Loads and attaches the kernel programs. They count from then on; what they
    /// count belongs to nobody until [`Tracer::open`].
    ///
    /// # Errors
    ///
    /// [`TracerError`].
    pub fn attach(config: &Config) -> Result<Self, TracerError> {
        let types = KernelTypes::read(&config.btf)?;
        let layout = Layout::resolve(&types)?;
        drop(types);
        let run_time = match config.run_time {
            true => {
                Some(enable_stats(Stats::RunTime).map_err(|error| TracerError::RunTime(error.io_error.to_string()))?)
            }
            false => None,
        };
        let mut clock = choose_clock(config.clock, config.clock_doubt.as_deref(), layout.no_rq_clock.as_deref());
        let control = Control { epoch: 1, opened: 0 };
        let mut attempt = Attempt {
            btf: &config.btf,
            iterator: config.pid_namespace,
            layout: &layout,
            kind: ProbeKind::BtfTracepoint,
            rq_clock: clock.kind == ClockKind::RunQueue,
            task_slots: config.task_slots,
            fallback_reason: None,
        };
        let prepare =
            |ebpf: &mut Ebpf| set_control(ebpf, control).map_err(|error| AttachError::Prepare(error.to_string()));
        let first = if config.raw { None } else { Some(attempt.run(prepare)) };
        let (mut ebpf, probes) = match first {
            Some(Ok(attached)) => attached,
            Some(Err(error)) if error.is_denied() || !error.is_refusal() => return Err(error.into()),
            refused => {
                let reason = refused.and_then(Result::err).map(|error| error.to_string());
                attempt.kind = ProbeKind::RawTracepoint;
                attempt.rq_clock = false;
                attempt.fallback_reason = reason.as_deref();
                clock = ClockChoice {
                    kind: ClockKind::Monotonic,
                    reason: "raw tracepoints cannot read the run queue's clock cheaply".to_owned(),
                };
                attempt.run(prepare)?
            }
        };
        // There is a log in an object built for debugging only.
        let log = EbpfLogger::init(&mut ebpf).ok();
        Ok(Self {
            ebpf,
            log,
            probes,
            clock,
            control,
            values: Values::new(config.possible.len()),
            possible: config.possible.clone(),
            task_slots: config.task_slots,
            pid_namespace: config.pid_namespace,
            _run_time: run_time,
        })
    }

    /// The verdict on each program.
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// The clock that stamps events.
    pub const fn clock(&self) -> &ClockChoice {
        &self.clock
    }

    /// Opens the window now: waits that began earlier are discarded, and the
    /// longest waits and extremes begin anew. The reading is the base from which
    /// counts are subtracted.
    ///
    /// # Errors
    ///
    /// [`TracerError::Map`].
    pub fn open(&mut self) -> Result<Reading, TracerError> {
        // The time first, then the epoch that makes the programs look at it.
        self.control.opened = monotonic_ns();
        set_control(&mut self.ebpf, self.control)?;
        self.read()
    }

    /// Ends an epoch and reads all counts.
    ///
    /// # Errors
    ///
    /// [`TracerError::Map`].
    pub fn read(&mut self) -> Result<Reading, TracerError> {
        if let Some(log) = &mut self.log {
            log.flush();
        }
        let epoch = self.control.epoch;
        self.control.epoch += 1;
        set_control(&mut self.ebpf, self.control)?;
        let at_ns = monotonic_ns();
        let fd = map_fd(&self.ebpf, abi::CPUS)?;
        let values = self.values.read(fd).map_err(|error| map_error(abi::CPUS, &error))?;
        let cpus = self.possible.iter().copied().zip(values.iter().copied()).collect();
        Ok(Reading { at_ns, read_ns: monotonic_ns().saturating_sub(at_ns), epoch, cpus })
    }

    /// What the pids of this process's namespace are to the kernel.
    ///
    /// # Errors
    ///
    /// [`TracerError::Pids`].
    pub fn pids(&mut self) -> Result<PidTable, TracerError> {
        if !self.pid_namespace {
            return Ok(PidTable::same());
        }
        PidTable::read(&mut self.ebpf).map_err(TracerError::Pids)
    }

    /// The task map.
    ///
    /// # Errors
    ///
    /// [`TracerError::Map`].
    pub fn tasks(&self) -> Result<TaskMap<'_>, TracerError> {
        Ok(TaskMap::new(map_fd(&self.ebpf, abi::TASKS)?, self.task_slots))
    }

    /// Recursion misses, runs and run time of the programs.
    pub fn counters(&self) -> Counters {
        cost::counters(&self.ebpf)
    }

    /// Memory taken in the kernel by the maps' values, bytes.
    pub fn memory(&self) -> Vec<MapMemory> {
        vec![
            MapMemory {
                map: "tasks".to_owned(),
                bytes: u64::from(self.task_slots) * size_of::<collector_ebpf::runq::Task>() as u64,
            },
            MapMemory { map: "cpus".to_owned(), bytes: self.possible.len() as u64 * size_of::<abi::Cpu>() as u64 },
        ]
    }
}

/// The clock to use, and why.
fn choose_clock(wish: ClockWish, doubt: Option<&str>, unreachable: Option<&str>) -> ClockChoice {
    let (kind, reason) = match (wish, doubt, unreachable) {
        (ClockWish::Monotonic, _, _) => (ClockKind::Monotonic, "asked for"),
        (_, _, Some(reason)) => (ClockKind::Monotonic, reason),
        (ClockWish::RunQueue, _, None) => (ClockKind::RunQueue, "asked for"),
        (ClockWish::Auto, Some(reason), None) => (ClockKind::Monotonic, reason),
        (ClockWish::Auto, None, None) => (ClockKind::RunQueue, "the scheduler's clock agrees between CPUs here"),
    };
    ClockChoice { kind, reason: reason.to_owned() }
}

fn map_error(map: &'static str, error: &impl std::fmt::Display) -> TracerError {
    TracerError::Map { map, reason: error.to_string() }
}

fn set_control(ebpf: &mut Ebpf, control: Control) -> Result<(), TracerError> {
    let map = ebpf.map_mut(abi::CONTROL).ok_or_else(|| map_error(abi::CONTROL, &"not in the kernel object"))?;
    let mut array: Array<&mut MapData, ControlValue> =
        Array::try_from(map).map_err(|error| map_error(abi::CONTROL, &error))?;
    array.set(0, ControlValue(control), 0).map_err(|error| map_error(abi::CONTROL, &error))
}

fn map_fd<'a>(ebpf: &'a Ebpf, name: &'static str) -> Result<BorrowedFd<'a>, TracerError> {
    match ebpf.map(name) {
        Some(Map::Array(data) | Map::PerCpuArray(data)) => Ok(data.fd().as_fd()),
        _ => Err(map_error(name, &"not in the kernel object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_the_scheduler_s_only_where_nothing_speaks_against_it() {
        let kind = |wish, doubt, unreachable| choose_clock(wish, doubt, unreachable).kind;
        assert_eq!(kind(ClockWish::Auto, None, None), ClockKind::RunQueue);
        assert_eq!(kind(ClockWish::Auto, Some("hpet"), None), ClockKind::Monotonic);
        assert_eq!(kind(ClockWish::Auto, None, Some("no field")), ClockKind::Monotonic);
        assert_eq!(kind(ClockWish::RunQueue, Some("hpet"), None), ClockKind::RunQueue);
        assert_eq!(kind(ClockWish::RunQueue, None, Some("no field")), ClockKind::Monotonic);
        assert_eq!(kind(ClockWish::Monotonic, None, None), ClockKind::Monotonic);
    }
}
