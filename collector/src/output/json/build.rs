//! From a summary to the document.

use collector_ebpf::bucket;

use super::model::{Check, CpuFigures, Distribution, Document, Figures, Quality, Run, VERSION, Waits, Window};
use crate::{
    engine::{
        reconcile,
        summary::{ClassWaits, CpuSummary, Summary},
    },
    output::Report,
    record::{self, Hist, Measured, Target, Trailer},
};

/// The document of a report; `cpu` leaves the other CPUs out.
pub(super) fn document(report: &Report<'_>, cpu: Option<u32>) -> Document {
    let Report { header, summary, trailer } = *report;
    let has_workload = !matches!(header.target, Target::All);
    Document {
        format: "collector-report".to_owned(),
        version: VERSION,
        run: Run::new(
            header,
            of_trailer(trailer, |trailer| Measured::Value(trailer.reason.clone())),
            of_trailer(trailer, |trailer| Measured::Value(trailer.exit_code)),
            of_trailer(trailer, |trailer| Measured::Value(trailer.groups.clone())),
        ),
        window: Window {
            start_ns: summary.start_ns,
            duration_ns: summary.window_ns,
            frames: summary.frames,
            warmup_frames: summary.warmup_frames,
            missing_frames: summary.missing_frames,
        },
        total: total(summary, has_workload),
        cpus: summary
            .cpus
            .iter()
            .filter(|summary| cpu.is_none_or(|cpu| cpu == summary.cpu))
            .map(|summary| CpuFigures { cpu: summary.cpu, figures: of_cpu(summary, has_workload) })
            .collect(),
        longest_waits: summary.longest.clone(),
        open_waits: summary.open.clone(),
        quality: quality(summary, trailer),
        reconciliation: summary.checks.iter().map(check).collect(),
    }
}

/// A figure of the trailer, where there is one.
fn of_trailer<T>(trailer: Option<&Trailer>, figure: impl FnOnce(&Trailer) -> Measured<T>) -> Measured<T> {
    trailer.map_or_else(|| Measured::not("the record was cut before its end"), figure)
}

fn total(summary: &Summary, has_workload: bool) -> Figures {
    Figures {
        counts: summary.counts,
        observed_ns: summary.observed_ns(),
        idle_ns: summary.idle_ns(),
        idle_share: summary.idle_share().map(millionths),
        proc_idle_ns: summary.proc_idle_ns(),
        open_waits: summary.open.clone().map(|open| open.count),
        waits: waits(&summary.waits, &summary.by_class, has_workload),
    }
}

fn of_cpu(cpu: &CpuSummary, has_workload: bool) -> Figures {
    Figures {
        counts: cpu.counts,
        observed_ns: cpu.observed_ns,
        idle_ns: cpu.idle_ns.clone(),
        idle_share: cpu.idle_share().map(millionths),
        proc_idle_ns: cpu.proc_idle_ns.clone(),
        open_waits: cpu.open.clone(),
        waits: waits(&cpu.waits, &cpu.by_class, has_workload),
    }
}

fn waits(all: &Hist, by_class: &ClassWaits, has_workload: bool) -> Waits {
    Waits {
        workload: if has_workload {
            Measured::Value(distribution(&by_class.workload))
        } else {
            Measured::not("there is no workload: the whole machine was watched")
        },
        others: distribution(&by_class.others),
        collector: distribution(&by_class.collector),
        all: distribution(all),
    }
}

fn distribution(hist: &Hist) -> Distribution {
    let percentile = |percent: f64| sample(hist.percentile(percent));
    let bucket = |&(index, count): &(u32, u64)| {
        let index = index as usize;
        (bucket::lower(index), bucket::lower(index + 1), count)
    };
    Distribution {
        n: hist.n(),
        sum_ns: hist.sum_ns,
        mean_ns: sample(hist.mean_ns().map(thousandths)),
        min_ns: sample(hist.min()),
        p50_ns: percentile(50.0),
        p90_ns: percentile(90.0),
        p95_ns: percentile(95.0),
        p99_ns: percentile(99.0),
        p99_9_ns: percentile(99.9),
        max_ns: sample(hist.max()),
        overflow: hist.overflow,
        buckets: hist.counts.iter().map(bucket).collect(),
    }
}

/// Rounded, so that every reader of JSON gets the same number back.
fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// The same for shares.
fn millionths(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

/// A figure that an empty histogram does not have.
fn sample<T>(figure: Option<T>) -> Measured<T> {
    figure.map_or_else(|| Measured::not("no samples"), Measured::Value)
}

fn quality(summary: &Summary, trailer: Option<&Trailer>) -> Quality {
    let of = |figure: fn(&record::Quality) -> Measured<u64>| of_trailer(trailer, |trailer| figure(&trailer.quality));
    let list = |list: fn(&record::Quality) -> &String| {
        of_trailer(trailer, |trailer| Measured::Value(list(&trailer.quality).clone()))
    };
    Quality {
        trusted: summary.trusted(),
        cut: summary.cut,
        concerns: summary.concerns.clone(),
        recursion_misses: of(|quality| quality.recursion_misses.clone()),
        dropped_events: of(|quality| quality.dropped_events.clone()),
        cpus_not_observed: list(|quality| &quality.cpus_not_observed),
        cpus_changed: list(|quality| &quality.cpus_changed),
        programs: of_trailer(trailer, |trailer| trailer.quality.programs.clone()),
        own_cpu_ns: summary.own_cpu_ns.clone(),
        peak_memory_bytes: of(|quality| quality.peak_memory_bytes.clone()),
    }
}

fn check(check: &reconcile::Check) -> Check {
    Check {
        what: check.what.clone(),
        cpu: check.cpu,
        witness: check.witness.to_owned(),
        unit: check.unit,
        own: check.values.clone().map(|(own, _)| own),
        other: check.values.clone().map(|(_, other)| other),
        difference: check.difference.clone().map(millionths),
        tolerance: check.tolerance,
        agrees: check.difference.clone().map(|difference| difference.abs() <= check.tolerance),
    }
}
