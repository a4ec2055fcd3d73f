//! Own figures beside independent witnesses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::summary::{CpuSummary, Summary};
use crate::record::{Measured, Totals, Trailer};

/// Largest difference of switches from the kernel's count.
const SWITCHES: f64 = 0.01;
/// Switches that may happen between our reading and that of the witness, at either
/// end of the window: in a short window they are more than the share above.
const SWITCHES_BETWEEN_READS: f64 = 16.0;
/// `/proc/stat` counts ticks of 10 ms, and cuts off at either end of the window.
const TICKS_NS: f64 = 20e6;
/// The kernel books 0 for a wait in which its clock stood still (see
/// `collector_ebpf::clock`): from a wake-up that preempts to the switch. On an idle CPU
/// that is the time to leave idle, 3 us in the mean where it was measured.
const STALE_NS: f64 = 10e3;
/// What entering and leaving idle take: the kernel's idle time is that much shorter at a
/// time. 3 to 6 us were seen in a virtual machine, 2.8 % of a CPU with 8,000 idle times a second.
const EDGES_NS: f64 = 8e3;
/// The most that this may come to, as a share of one CPU.
const EDGES_MOST: f64 = 0.05;
/// Largest difference of idle time from `/proc/stat`, as a share of one CPU.
const IDLE: f64 = 0.01;
/// Largest difference of a task's wait time from the kernel's.
const RUN_DELAY: f64 = 0.02;

/// A wait time below this is not compared: what the clocks of both accounts differ by
/// at a single switch (tens of microseconds in a virtual machine) is a large share of it.
const RUN_DELAY_FLOOR_NS: u64 = 1_000_000;

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

/// A share, or what an absolute slack is of `base` where that is more.
fn at_least(share: f64, slack: f64, base: u64) -> f64 {
    if base == 0 { share } else { share.max(slack / base as f64) }
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
        let tolerance = at_least(IDLE, TICKS_NS + idle_times_ns(cpu), cpu.observed_ns);
        // What a CPU did after a switch that was not traced may have been idling.
        let unknown = at_least(0.0, cpu.counts.unknown_ns as f64, cpu.observed_ns);
        let values = match values {
            Measured::Value(_) if unknown > tolerance => Measured::not(format!(
                "it is not known what CPU {} did for {:.1} % of the time",
                cpu.cpu,
                unknown * 100.0
            )),
            values => values,
        };
        Check {
            what: format!("idle time of CPU {}", cpu.cpu),
            cpu: Some(cpu.cpu),
            witness: "/proc/stat idle + iowait",
            unit: Unit::Nanoseconds,
            difference: flatten(values.clone().map(|(own, witness)| relative(own, witness, cpu.observed_ns))),
            values,
            tolerance: tolerance + unknown,
        }
    }));
    checks.push(run_delay(summary, trailer));
    checks.extend(frames_and_totals(summary, trailer));
    checks
}

/// By how much the kernel's idle time may be shorter because it begins later and ends
/// earlier than the switches to and from the idle task, and leaves interrupts out.
fn idle_times_ns(cpu: &CpuSummary) -> f64 {
    // A switch that is not involuntary leaves for another task or for idle.
    let times = cpu.counts.switches.saturating_sub(cpu.counts.involuntary) as f64 / 2.0;
    (times * EDGES_NS).min(EDGES_MOST * cpu.observed_ns as f64)
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
        tolerance: at_least(SWITCHES, SWITCHES_BETWEEN_READS, values.value().map_or(0, |&(_, witness)| witness)),
        values,
    }
}

/// The sum of the frames and what the first and last reading alone give: exact.
fn frames_and_totals(summary: &Summary, trailer: Option<&Trailer>) -> [Check; 3] {
    let check = |what: &str, unit, own, total: fn(&Totals) -> u64| {
        let values = trailer.map_or_else(
            || Measured::not("the record was cut before its end"),
            |trailer| Measured::Value((own, total(&trailer.totals))),
        );
        Check {
            what: format!("{what} of all frames"),
            cpu: None,
            witness: "last reading less the first",
            unit,
            difference: flatten(values.clone().map(|(own, witness)| relative(own, witness, witness))),
            values,
            tolerance: 0.0,
        }
    };
    [
        check("switches", Unit::Count, summary.counts.switches, |totals| totals.switches),
        check("waits", Unit::Count, summary.waits.n(), |totals| totals.waits),
        check("wait time", Unit::Nanoseconds, summary.waits.sum_ns, |totals| totals.wait_ns),
    ]
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
        Some(_) if summary.counts.workload_end_untraced > 0 => {
            Measured::not("the kernel did not trace the end of all of the workload's waits")
        }
        Some(trailer) => trailer.root_run_delay_ns.clone(),
    };
    let own = summary.by_class.workload.sum_ns;
    let values = witness.map(|witness| (own, witness));
    let values = match values {
        Measured::Value((own, witness)) if own.max(witness) < RUN_DELAY_FLOOR_NS => {
            Measured::not("it waited for less than a millisecond, too little to compare")
        }
        values => values,
    };
    Check {
        what: "wait time of the workload's task".to_owned(),
        cpu: None,
        witness: "/proc/PID/schedstat, second field",
        unit: Unit::Nanoseconds,
        difference: flatten(values.clone().map(|(own, witness)| relative(own, witness, witness))),
        tolerance: at_least(
            RUN_DELAY,
            STALE_NS * summary.by_class.workload.n() as f64,
            values.value().map_or(0, |&(_, witness)| witness),
        ),
        values,
    }
}
