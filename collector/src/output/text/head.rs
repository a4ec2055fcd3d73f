//! What ran, on what, for how long.

use std::collections::BTreeSet;

use super::{
    Page,
    prose::{command, told, wrapped},
};
use crate::{
    output::number::{bytes, count, percent},
    record::{ClockKind, EndReason, Machine, Measured, ProbeKind, Target, Verdict},
};

pub(super) fn lines(page: &Page<'_>) -> Vec<String> {
    let header = &page.report.header;
    let mut facts: Vec<(&str, String)> = Vec::new();
    match &header.target {
        Target::Launch { argv, user } => {
            facts.push(("command", command(argv, page.terminal)));
            facts.extend(user.as_ref().map(|user| ("as user", page.safe(user))));
        }
        Target::Groups { groups, user } => {
            facts.extend(
                groups
                    .iter()
                    .map(|group| ("group", format!("{}: {}", page.safe(&group.name), page.safe(&group.command)))),
            );
            facts.extend(user.as_ref().map(|user| ("as user", page.safe(user))));
        }
        Target::Pid { pid, argv } => {
            facts.push(("process", format!("{pid} and its children: {}", command(argv, page.terminal))));
        }
        Target::All => facts.push(("measured", "the whole machine".to_owned())),
    }
    facts.extend(header.options.core_sched.as_ref().map(|cookie| ("cookie", core_sched(cookie, page))));
    facts.push(("ended", ended(page)));
    facts.push(("machine", machine(page)));
    facts.push(("CPUs", cpus(&header.machine, page)));
    facts.push(("started", page.safe(&header.started)));
    facts.push(("window", window(page)));
    facts.push(("events", events(page)));
    facts.push(("tracing", tracing(page)));
    facts.push(("cost", cost(page)));

    let mut out = vec![
        page.heading(&format!(
            "{} {}: run-queue latency",
            page.safe(&header.tool.name),
            page.safe(&header.tool.version)
        )),
        String::new(),
    ];
    for (label, fact) in facts {
        out.extend(wrapped(&format!("{label:<10}"), &fact, page.terminal.width));
    }
    out
}

fn seconds(ns: u64) -> String {
    format!("{:.3} s", ns as f64 / 1e9)
}

fn ended(page: &Page<'_>) -> String {
    let Some(trailer) = &page.report.trailer else {
        return "not known: the record was cut before its end".to_owned();
    };
    let groups = trailer.groups.iter().map(|group| {
        let how = match &group.reason {
            EndReason::TimeCap => "cut short".to_owned(),
            other => reason(other, page),
        };
        format!("{}: {how}", page.safe(&group.name))
    });
    let groups = groups.collect::<Vec<_>>().join("; ");
    match &trailer.reason {
        EndReason::Exited { .. } | EndReason::Signaled { .. } if !groups.is_empty() => groups,
        EndReason::TimeCap if !groups.is_empty() => format!("{}; {groups}", reason(&trailer.reason, page)),
        other => reason(other, page),
    }
}

/// The core-scheduling cookie that was given, in words.
fn core_sched(cookie: &str, page: &Page<'_>) -> String {
    let several = matches!(page.report.header.target, Target::Groups { .. });
    let whose = match (cookie, cookie.strip_prefix("pid:")) {
        ("new", _) if several => "each group one of its own".to_owned(),
        ("new", _) => "one of its own".to_owned(),
        (_, Some(pid)) => format!("that of process {}", page.safe(pid)),
        (other, None) => page.safe(other),
    };
    format!("{whose} (core scheduling)")
}

fn reason(reason: &EndReason, page: &Page<'_>) -> String {
    match reason {
        EndReason::Exited { code } => format!("exit code {code}"),
        EndReason::Signaled { signal } => format!("killed by {}", signal_name(*signal)),
        EndReason::NotStarted { reason, .. } => format!("could not be started: {}", page.safe(reason)),
        EndReason::TargetEnded => "the process ended".to_owned(),
        EndReason::TimeCap => match page.report.header.options.duration_ms {
            Some(ms) => format!("at the time cap of {}", seconds(ms.saturating_mul(1_000_000))),
            None => "at the time cap".to_owned(),
        },
        EndReason::Interrupted { signal } => format!("interrupted by {}", signal_name(*signal)),
    }
}

/// Only signals that have the same number on all architectures have a name here: a
/// record may come from another.
fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    format!("{name} ({signal})")
}

fn machine(page: &Page<'_>) -> String {
    let machine = &page.report.header.machine;
    let model = match &machine.model {
        Measured::Value(model) => page.safe(model),
        absent => format!("processor {}", told(absent, String::clone, page.terminal)),
    };
    format!(
        "{}, Linux {} {}, {model}",
        page.safe(&machine.hostname),
        page.safe(&machine.kernel),
        page.safe(&machine.arch)
    )
}

fn cpus(machine: &Machine, page: &Page<'_>) -> String {
    let places = &machine.topology;
    let mut text = format!("{} online ({})", places.len(), page.safe(&machine.online));
    if machine.present != machine.online {
        text.push_str(&format!(" of {} present", page.safe(&machine.present)));
    }
    let core = |place: &crate::record::CpuPlace| place.package.clone().zip(place.core.clone());
    match places.iter().map(core).map(Measured::into_result).collect::<Result<BTreeSet<_>, _>>() {
        Ok(cores) => {
            let packages: BTreeSet<u32> = cores.iter().map(|&(package, _)| package).collect();
            text.push_str(&format!(", {}", count(cores.len() as u64, "core", "cores")));
            text.push_str(&format!(", {}", count(packages.len() as u64, "package", "packages")));
        }
        Err(reason) => text.push_str(&format!(", cores not measured ({})", page.safe(&reason))),
    }
    if let Ok(nodes) = places.iter().map(|place| place.node.clone().into_result()).collect::<Result<BTreeSet<u32>, _>>()
    {
        text.push_str(&format!(", {}", count(nodes.len() as u64, "NUMA node", "NUMA nodes")));
    }
    text.push_str(&format!(", SMT {}", told(&machine.smt, |smt| page.safe(smt_words(smt)), page.terminal)));
    text
}

/// The kernel's words in `smt/control`, as two words where they are two.
fn smt_words(control: &str) -> &str {
    match control {
        "notsupported" => "not supported",
        "notimplemented" => "not implemented",
        "forceoff" => "forced off",
        other => other,
    }
}

fn window(page: &Page<'_>) -> String {
    let summary = &page.report.summary;
    let interval = seconds(page.report.header.options.interval_ms.saturating_mul(1_000_000));
    let mut text = match summary.frames {
        0 => "empty: there is no frame outside the warm-up".to_owned(),
        frames => {
            format!("{} in {}, one every {interval}", seconds(summary.window_ns), count(frames, "frame", "frames"))
        }
    };
    if summary.warmup_frames > 0 {
        let frames = count(summary.warmup_frames, "frame", "frames");
        text.push_str(&format!("; {frames} of warm-up before it left out"));
    }
    text
}

fn events(page: &Page<'_>) -> String {
    let summary = &page.report.summary;
    let counts = &summary.counts;
    let mut text = count(counts.switches, "context switch", "context switches");
    if summary.window_ns > 0 {
        let rate = counts.switches as f64 / (summary.window_ns as f64 / 1e9);
        text.push_str(&format!(" ({rate:.0} a second)"));
    }
    let forks = count(counts.forks, "fork", "forks");
    let workload = match page.report.header.target {
        Target::All => String::new(),
        Target::Launch { .. } | Target::Groups { .. } | Target::Pid { .. } => {
            format!(" ({} by the workload)", counts.workload_forks)
        }
    };
    text.push_str(&format!(
        ", {} of them involuntary; {forks}{workload}, {}, {}; {}",
        counts.involuntary,
        count(counts.execs, "exec", "execs"),
        count(counts.exits, "exit", "exits"),
        count(counts.migrated, "wait across CPUs", "waits across CPUs"),
    ));
    text
}

fn tracing(page: &Page<'_>) -> String {
    let header = &page.report.header;
    let attached = header.probes.iter().filter(|probe| matches!(probe.verdict, Verdict::Attached { .. })).count();
    let raw = header
        .probes
        .iter()
        .filter(|probe| matches!(probe.verdict, Verdict::Attached { kind: ProbeKind::RawTracepoint, .. }))
        .count();
    let clock = match header.clock.kind {
        ClockKind::RunQueue => "the run queue's clock",
        ClockKind::Monotonic => "CLOCK_MONOTONIC",
    };
    let raw = if raw > 0 { format!(" ({raw} as raw tracepoints)") } else { String::new() };
    format!("{attached} of {} probes attached{raw}; {clock}", header.probes.len())
}

fn cost(page: &Page<'_>) -> String {
    let summary = &page.report.summary;
    let own = match &summary.own_cpu_ns {
        Measured::Value(ns) if summary.window_ns > 0 => {
            format!("collector {} % of one CPU", percent(*ns as f64 / summary.window_ns as f64, 2))
        }
        Measured::Value(ns) => format!("collector {} of CPU time", seconds(*ns)),
        absent => format!("collector's CPU time {}", told(absent, u64::to_string, page.terminal)),
    };
    let mut parts = vec![own];
    if let Some(trailer) = &page.report.trailer {
        parts.push(format!(
            "peak memory {}",
            told(&trailer.quality.peak_memory_bytes, |&peak| bytes(peak), page.terminal)
        ));
        let programs = |cost: &crate::record::ProgramCost| match cost.runs {
            0 => "never ran".to_owned(),
            runs => format!("{:.0} ns a run ({runs} runs)", cost.ns as f64 / runs as f64),
        };
        parts.push(format!("kernel programs {}", told(&trailer.quality.programs, programs, page.terminal)));
    }
    let maps = page.report.header.kernel_memory.iter().fold(0_u64, |sum, map| sum.saturating_add(map.bytes));
    parts.push(format!("maps {}", bytes(maps)));
    parts.join("; ")
}
