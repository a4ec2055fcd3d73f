//! Whether a record can be trusted, and what says otherwise.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{reconcile::Check, summary::Summary};
use crate::record::{Header, Measured, Trailer, Verdict};

/// How much a concern weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Good to know; the figures stand.
    Note,
    /// Some figures are wrong or missing.
    Warning,
}

/// Something that speaks against trusting a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Concern {
    /// How much it weighs.
    pub weight: Weight,
    /// What is the matter.
    pub what: String,
    /// What to do about it.
    pub remedy: Option<String>,
}

impl Concern {
    fn warning(what: impl Into<String>, remedy: &str) -> Self {
        Self { weight: Weight::Warning, what: what.into(), remedy: Some(remedy.to_owned()) }
    }

    fn note(what: impl Into<String>) -> Self {
        Self { weight: Weight::Note, what: what.into(), remedy: None }
    }
}

/// Waits of which no start was seen are usual for tasks that were runnable when
/// tracing began; above this share of all switch-ins something is wrong.
const UNSEEN_SHARE: f64 = 0.001;
/// A few are usual however short the run is: one a CPU and some.
const UNSEEN_FLOOR: u64 = 64;

/// So many switches that were not traced are good to know, and no more.
const UNTRACED_FLOOR: u64 = 16;
/// Largest share of the time, and of the switches, that may be lacking.
const UNKNOWN_SHARE: f64 = 0.01;

pub(super) fn concerns(header: &Header, summary: &Summary, trailer: Option<&Trailer>) -> Vec<Concern> {
    let mut found = Vec::new();
    if summary.cut {
        found.push(Concern::warning(
            "the record has no end: the collector was killed or the disk was full",
            "figures cover the frames up to the last complete one",
        ));
    }
    if summary.frames == 0 && summary.warmup_frames == 0 && !summary.cut {
        found.push(Concern::warning("there is no frame", "use the file as `collector run` wrote it"));
    }
    if summary.frames == 0 && summary.warmup_frames > 0 {
        found.push(Concern::warning(
            "there is no frame outside the warm-up",
            "run for longer, or with a shorter --warmup",
        ));
    }
    if summary.missing_frames > 0 {
        found.push(Concern::warning(
            format!("frames missing in the record: {}", summary.missing_frames),
            "the figures lack them; use the file as `collector run` wrote it",
        ));
    }
    for probe in &header.probes {
        if let Verdict::Missing { reason } = &probe.verdict {
            found.push(Concern::warning(
                format!("{} is not attached: {reason}", probe.tracepoint),
                "`collector check` says what this machine lacks",
            ));
        }
    }
    let counts = &summary.counts;
    if counts.no_slot > 0 {
        found.push(Concern::warning(
            format!("{} events lost: pids beyond the task map", counts.no_slot),
            "kernel.pid_max was raised during the run; run again",
        ));
    }
    found.extend(untraced(summary));
    if counts.backwards > 0 {
        found.push(Concern::warning(
            format!("{} waits discarded: they would have ended before they began", counts.backwards),
            "the clocks of two CPUs disagree; run with --clock monotonic",
        ));
    }
    let switch_ins = summary.waits.n().saturating_add(counts.unseen);
    if counts.unseen > UNSEEN_FLOOR && counts.unseen as f64 > UNSEEN_SHARE * switch_ins as f64 {
        found.push(Concern::warning(
            format!("{} waits unseen: of {switch_ins} switch-ins no start was seen", counts.unseen),
            "the figures lack these waits",
        ));
    }
    if summary.waits.overflow > 0 {
        found.push(Concern::note(format!(
            "{} waits of 18 minutes or more lie beyond the histogram",
            summary.waits.overflow
        )));
    }
    found.extend(disagreements(&summary.checks));
    if let Some(trailer) = trailer {
        let quality = &trailer.quality;
        found.extend(lost(&quality.recursion_misses, "events missed because a program was interrupted by itself"));
        // Not measured where no event is sent to user space, which is no concern.
        if quality.dropped_events.value().is_some() {
            found.extend(lost(&quality.dropped_events, "events dropped on the way to user space"));
        }
        if !quality.cpus_not_observed.is_empty() {
            found.push(Concern::note(format!("no event on CPU {}: nothing is known of it", quality.cpus_not_observed)));
        }
        if !quality.cpus_changed.is_empty() {
            found.push(Concern::note(format!("CPU {} came or went during the run", quality.cpus_changed)));
        }
    }
    found
}

/// Some kernels, patched by who runs them, switch without the tracepoint.
fn untraced(summary: &Summary) -> Option<Concern> {
    let counts = &summary.counts;
    if counts.untraced == 0 {
        return None;
    }
    let share = counts.unknown_ns as f64 / summary.observed_ns().max(1) as f64;
    let what = format!(
        "context switches that this kernel did not trace: {} or more, with the ends of {} waits; what CPUs did for \
         {:.1} ms ({:.2} % of the time) is not known",
        counts.untraced,
        counts.end_untraced,
        counts.unknown_ns as f64 / 1e6,
        share * 100.0
    );
    let few = share <= UNKNOWN_SHARE && counts.untraced as f64 <= UNKNOWN_SHARE * counts.switches as f64;
    // In a short or an idle run a handful is a large share of everything.
    let few = few || counts.untraced <= UNTRACED_FLOOR;
    Some(if few {
        Concern::note(what)
    } else {
        Concern::warning(what, "waits and idle time lack it, as any tracer's do")
    })
}

/// Events that the figures lack, or may lack.
fn lost(events: &Measured<u64>, what: &str) -> Option<Concern> {
    match events {
        Measured::Value(0) => None,
        Measured::Value(n) => Some(Concern::warning(format!("{n} {what}"), "the figures lack them")),
        Measured::NotMeasured(reason) => Some(Concern::note(format!("{what}: not measured ({reason})"))),
    }
}

/// A concern for each check that is off; those of single CPUs together, of which
/// there may be hundreds.
fn disagreements(checks: &[Check]) -> Vec<Concern> {
    let size = |check: &Check| check.difference.value().map_or(0.0, |difference| difference.abs());
    let off = |check: &&Check| check.agrees() == Some(false);
    let mut found: Vec<Concern> = checks
        .iter()
        .filter(|check| check.cpu.is_none())
        .filter(off)
        .map(|check| differs(&check.what, check, ""))
        .collect();
    let mut of_cpus: Vec<&Check> = checks.iter().filter(|check| check.cpu.is_some()).filter(off).collect();
    of_cpus.sort_by(|a, b| size(b).total_cmp(&size(a)));
    match of_cpus.as_slice() {
        [] => {}
        [one] => found.push(differs(&one.what, one, "")),
        [worst, ..] => {
            let what = format!("idle time of {} CPUs", of_cpus.len());
            let remark = worst.cpu.map_or_else(String::new, |cpu| format!(", most on CPU {cpu}"));
            found.push(differs(&what, worst, &remark));
        }
    }
    found
}

fn differs(what: &str, check: &Check, remark: &str) -> Concern {
    let size = check.difference.value().map_or_else(String::new, |difference| {
        match format!("{:+.1}", difference * 100.0).as_str() {
            "+0.0" | "-0.0" => "off by less than 0.1 %".to_owned(),
            size => format!("off by {size} %"),
        }
    });
    Concern::warning(format!("{what}: {size} from {}{remark}", check.witness), "see the reconciliation")
}
