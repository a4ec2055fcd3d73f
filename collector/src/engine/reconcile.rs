//! Own figures beside independent witnesses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::summary::Summary;
use crate::record::{Measured, Trailer};

/// Largest difference of switches from the kernel's count.
const SWITCHES: f64 = 0.01;
/// Largest difference of idle time from `/proc/stat`, as a share of one CPU.
const IDLE: f64 = 0.01;
/// Largest difference of a task's wait time from the kernel's.
const RUN_DELAY: f64 = 0.02;

/// The unit of a check's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A number of things.
    Count,
    /// Nanoseconds.
    Nanoseconds,
}

/// One figure and its witness.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What is compared.
    pub what: String,
    /// The CPU, where it is the figure of a single one.
    pub cpu: Option<u32>,
    /// Where the witness is from.
    pub witness: &'static str,
    /// The unit of both.
    pub unit: Unit,
    /// Own figure and witness.
    pub values: Measured<(u64, u64)>,
    /// Difference, signed: as a share of the witness, or, for idle time, of one CPU.
    pub difference: Measured<f64>,
    /// The largest difference that is in order.
    pub tolerance: f64,
}

impl Check {
    /// Whether figure and witness agree; none where they were not compared.
    pub fn agrees(&self) -> Option<bool> {
        self.difference.value().map(|difference| difference.abs() <= self.tolerance)
    }
}

/// `own` against `witness`, relative to `base`.
fn relative(own: u64, witness: u64, base: u64) -> Measured<f64> {
    match (own == witness, base) {
        (true, _) => Measured::Value(0.0),
        (false, 0) => Measured::not("the witness counted nothing"),
        (false, base) => Measured::Value((own as f64 - witness as f64) / base as f64),
    }
}

pub(super) fn checks(summary: &Summary, proc_ctxt: Measured<u64>, trailer: Option<&Trailer>) -> Vec<Check> {
    let mut checks = vec![switches(summary, proc_ctxt)];
    checks.extend(summary.cpus.iter().map(|cpu| {
        let values = cpu.idle_ns.clone().zip(cpu.proc_idle_ns.clone());
        Check {
            what: format!("idle time of CPU {}", cpu.cpu),
            cpu: Some(cpu.cpu),
            witness: "/proc/stat idle + iowait",
            unit: Unit::Nanoseconds,
            difference: flatten(values.clone().map(|(own, witness)| relative(own, witness, cpu.observed_ns))),
            values,
            tolerance: IDLE,
        }
    }));
    checks.push(run_delay(summary, trailer));
    checks
}

fn flatten<T>(nested: Measured<Measured<T>>) -> Measured<T> {
    match nested {
        Measured::Value(inner) => inner,
        Measured::NotMeasured(reason) => Measured::NotMeasured(reason),
    }
}

fn switches(summary: &Summary, witness: Measured<u64>) -> Check {
    let values = witness.map(|witness| (summary.counts.switches, witness));
    Check {
        what: "context switches".to_owned(),
        cpu: None,
        witness: "/proc/stat ctxt",
        unit: Unit::Count,
        difference: flatten(values.clone().map(|(own, witness)| relative(own, witness, witness))),
        values,
        tolerance: SWITCHES,
    }
}

/// The kernel keeps the wait time of a thread, so the whole workload has a witness
/// only where it is a single thread, measured from its start to its end.
fn run_delay(summary: &Summary, trailer: Option<&Trailer>) -> Check {
    let witness = match trailer {
        None => Measured::not("the record was cut before its end"),
        Some(_) if summary.warmup_frames > 0 => Measured::not("the warm-up is in the witness"),
        Some(_) if summary.counts.workload_forks > 1 => {
            Measured::not("the workload has more than one task, the witness is one task's")
        }
        Some(trailer) => trailer.root_run_delay_ns.clone(),
    };
    let own = summary.by_class.workload.sum_ns;
    let values = witness.map(|witness| (own, witness));
    Check {
        what: "wait time of the workload's task".to_owned(),
        cpu: None,
        witness: "/proc/PID/schedstat, second field",
        unit: Unit::Nanoseconds,
        difference: flatten(values.clone().map(|(own, witness)| relative(own, witness, witness))),
        values,
        tolerance: RUN_DELAY,
    }
}
