//! The attached tracer with everything the loop needs around it.

use std::{
    collections::HashMap,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::Context;

use super::{
    affinity,
    config::Config,
    frames::{Frames, Moment},
    names::Names,
    open::open_waits,
    target,
};
use crate::{
    host::{machine::machine, own, pidns, rights, topology::Topology},
    probe::{self, Tracer, TracerError, tracer::monotonic_ns},
    record::{
        EndReason, Frame, Header, HistogramParameters, Measured, Options, Probe, Quality, SCHEMA_VERSION, Target, Tool,
        Trailer,
    },
};

/// The root of the file system; everything below reads the machine through it.
pub const ROOT: &str = "/";

/// An attached tracer.
pub struct Session {
    tracer: Tracer,
    names: Names,
    namespace: Option<HashMap<u32, u32>>,
    program_time: bool,
    topology: Topology,
}

impl Session {
    /// Attaches, tells the kernel side which tasks are the collector's own, and visits
    /// each CPU.
    ///
    /// # Errors
    ///
    /// One sentence: what is missing and what to do.
    pub fn attach(config: &Config) -> anyhow::Result<Self> {
        let root = Path::new(ROOT);
        let topology = Topology::read(root)?;
        let mut tracer = attach(config, &topology)?;
        target::mark_self(root, &mut tracer)?;
        affinity::visit(&topology.online);
        Ok(Self { tracer, names: Names::default(), namespace: None, program_time: config.program_time, topology })
    }

    /// The tracer.
    pub const fn tracer(&mut self) -> &mut Tracer {
        &mut self.tracer
    }

    /// Called right before each of several commands is launched, with its place in the order given: what this process
    /// forks from here on, until the next call, belongs to that group. All groups are one class in the kernel so far, so
    /// there is nothing to tell it.
    pub const fn begin_group(&mut self, _index: usize) {}

    /// CPUs that may ever be used.
    pub const fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The first line of the record.
    ///
    /// # Errors
    ///
    /// If the machine cannot be described.
    pub fn header(&self, config: &Config, target: Target) -> anyhow::Result<Header> {
        let millis = |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Ok(Header {
            schema: SCHEMA_VERSION,
            tool: Tool {
                name: "collector".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                kernel_object: probe::object::BUILD.to_owned(),
            },
            started: utc(SystemTime::now()),
            started_ns: monotonic_ns(),
            machine: machine(Path::new(ROOT))?,
            target,
            options: Options {
                interval_ms: millis(config.interval),
                warmup_ms: millis(config.warmup),
                duration_ms: config.duration.map(millis),
                agent_cpus: config.agent_cpus.as_ref().map(ToString::to_string),
                core_sched: config.core_sched.as_ref().map(ToString::to_string),
            },
            probes: self.tracer.probes().to_vec(),
            clock: self.tracer.clock().clone(),
            histogram: HistogramParameters::current(),
            kernel_memory: self.tracer.memory(),
        })
    }

    /// Opens the window, see [`Tracer::open`].
    ///
    /// # Errors
    ///
    /// If a map cannot be used.
    pub fn open(&mut self) -> anyhow::Result<Moment> {
        Moment::take(Path::new(ROOT), || Ok(self.tracer.open()?))
    }

    /// Reads all counts.
    ///
    /// # Errors
    ///
    /// If a map cannot be used.
    pub fn read(&mut self) -> anyhow::Result<Moment> {
        Moment::take(Path::new(ROOT), || Ok(self.tracer.read()?))
    }

    /// The frame up to `now`.
    pub fn frame(&mut self, frames: &mut Frames, now: Moment, warmup: bool) -> Frame {
        frames.next(Path::new(ROOT), now, warmup, &mut self.names, self.namespace.as_ref())
    }

    /// Reads the pids of the namespace again, for names. Nothing to do outside of one.
    pub fn refresh_pids(&mut self) {
        match self.tracer.pids() {
            Ok(pids) => self.namespace = pids.namespace(),
            Err(error) => tracing::warn!("{error}"),
        }
    }

    /// The last line of the record. Call right after the last reading.
    pub fn trailer(
        &mut self,
        frames: &Frames,
        last: &Frame,
        reason: EndReason,
        exit_code: i32,
        root_run_delay_ns: Measured<u64>,
    ) -> Trailer {
        let root = Path::new(ROOT);
        let reading = frames.last().reading();
        let waiting = self.tracer.tasks().map_err(anyhow::Error::from).and_then(|tasks| Ok(tasks.waiting()?));
        self.refresh_pids();
        let open = match waiting.context("the task map could not be read") {
            Ok(waiting) => {
                Measured::Value(open_waits(root, frames.opened_ns(), reading, &waiting, self.namespace.as_ref()))
            }
            Err(error) => Measured::not(format!("{error:#}")),
        };
        let counters = self.tracer.counters();
        Trailer {
            ended_ns: reading.at_ns,
            reason,
            exit_code,
            groups: Vec::new(),
            totals: frames.totals(),
            longest: last.longest.clone(),
            open,
            root_run_delay_ns,
            quality: Quality {
                recursion_misses: counters.recursion_misses,
                dropped_events: Measured::not("no event is sent to user space in this mode"),
                cpus_not_observed: frames.not_observed().to_string(),
                cpus_changed: frames.changed().to_string(),
                programs: match self.program_time {
                    true => Measured::Value(counters.cost),
                    false => Measured::not("run with --program-time to have the kernel take it"),
                },
                own_cpu_ns: own::cpu_ns(),
                peak_memory_bytes: own::peak_memory_bytes(root),
            },
        }
    }
}

/// Attaches the kernel programs.
fn attach(config: &Config, topology: &Topology) -> anyhow::Result<Tracer> {
    let root = Path::new(ROOT);
    let pid_namespace = pidns::is_initial(root).value().is_some_and(|initial| !initial);
    Tracer::attach(&probe::Config {
        btf: config.btf.clone(),
        clock: config.clock,
        clock_doubt: super::config::clock_doubt(root),
        raw: config.raw,
        run_time: config.program_time,
        task_slots: super::config::task_slots(root, pid_namespace),
        pid_namespace,
        possible: topology.possible.iter().collect(),
    })
    .map_err(|error| explained(root, error))
}

/// The verdicts on all programs, from attaching them for a moment as `run` would.
///
/// # Errors
///
/// In words, why they cannot be attached.
pub fn probes() -> Result<Vec<Probe>, String> {
    let topology = Topology::read(Path::new(ROOT)).map_err(|error| error.to_string())?;
    attach(&Config::default(), &topology).map(|tracer| tracer.probes().to_vec()).map_err(|error| format!("{error:#}"))
}

/// An error with what is missing and what to do, where it is a matter of rights.
fn explained(root: &Path, error: TracerError) -> anyhow::Error {
    match &error {
        TracerError::Attach(attach) if attach.is_denied() => {
            anyhow::anyhow!("{}; the kernel's answer: {error}", rights::explain_eperm(&rights::Rights::read(root)))
        }
        _ => error.into(),
    }
}

/// RFC 3339 in UTC, seconds; days by the civil calendar (Howard Hinnant's
/// `civil_from_days`).
fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let z = days + 719_468;
    let era = z / 146_097;
    let day_of_era = z % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::utc;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let at = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(at(4_102_444_800), "2100-01-01T00:00:00Z");
    }
}
