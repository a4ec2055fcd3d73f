//! From a summary to the document.

use collector_ebpf::bucket;

use super::model::{
    Bucket, Check, Concern, Counts, CpuFigures, Distribution, Document, Figures, Quality, Run, Unit, VERSION, Waits,
    Weight, Window,
};
use crate::{
    engine::{
        quality,
        reconcile::{self, Check as EngineCheck},
        summary::{self, ClassWaits, CpuSummary, Summary},
    },
    output::Report,
    record::{Hist, Measured, Target, Trailer},
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
    let idle = summary.idle();
    Figures {
        counts: counts(&summary.counts),
        observed_ns: summary.observed_ns(),
        idle_share: share(&idle, summary.observed_ns()),
        idle_ns: idle,
        proc_idle_ns: summary.proc_idle(),
        open_waits: summary.open.clone().map(|open| open.count),
        waits: waits(&summary.waits, &summary.by_class, has_workload),
    }
}

fn of_cpu(cpu: &CpuSummary, has_workload: bool) -> Figures {
    Figures {
        counts: counts(&cpu.counts),
        observed_ns: cpu.observed_ns,
        idle_ns: cpu.idle_ns.clone(),
        idle_share: share(&cpu.idle_ns, cpu.observed_ns),
        proc_idle_ns: cpu.proc_idle_ns.clone(),
        open_waits: cpu.open.clone(),
        waits: waits(&cpu.waits, &cpu.by_class, has_workload),
    }
}

fn counts(counts: &summary::Counts) -> Counts {
    let summary::Counts {
        switches,
        involuntary,
        migrated,
        unseen,
        backwards,
        before_window,
        no_slot,
        forks,
        workload_forks,
        execs,
        exits,
    } = *counts;
    Counts {
        switches,
        involuntary,
        migrated,
        unseen,
        backwards,
        before_window,
        no_slot,
        forks,
        workload_forks,
        execs,
        exits,
    }
}
