//! The collector's own figures, against their targets.

use std::path::Path;

use anyhow::Result;

use super::{
    interrupt,
    load::Load,
    machine,
    ours::{self, Own},
    stats,
    targets::{self, Verdicts},
    wide,
};
use crate::{paths::Paths, table::Table};

/// Measures them. What cannot be measured is said so.
///
/// # Errors
/// When interrupted.
pub fn figures(paths: &Paths, scratch: &Path, quick: bool, verdicts: &mut Verdicts) -> Result<String> {
    let mut table = Table::new(&["collector itself", "measured"]);
    let seconds = if quick { 3 } else { 20 };
    let idle = said(ours::run(paths, scratch, seconds, None))?;
    let loaded = said(load(paths, scratch, seconds))?;
    for (name, own) in [("otherwise idle machine", &idle), ("messaging load", &loaded)] {
        let share = own.clone().map(|own| own.share * 100.0);
        verdicts.add(format!("CPU time at 1 s frames, {name}"), targets::CPU_PERCENT, share, " %");
        table.row(vec![
            format!("time to read all maps, a frame, {name}"),
            own.as_ref().map_or_else(Clone::clone, read_time),
        ]);
    }
    let peak = loaded.clone().map(|own| own.peak as f64 / 1e6);
    verdicts.add("peak memory", targets::MEMORY_MB, peak, " MB");
    if let Ok(own) = &loaded {
        let maps: Vec<String> =
            own.kernel.iter().map(|(map, bytes)| format!("{map} {:.2} MB", *bytes as f64 / 1e6)).collect();
        table.row(vec!["kernel memory of the maps".to_owned(), maps.join(", ")]);
    }
    let wide = said(wide::measure(&paths.object()))?;
    if let Ok(wide) = &wide {
        table.row(vec![
            format!("{} system calls for {} values", wide.calls, wide.values),
            format!("{:.2} ms", wide.seconds * 1e3),
        ]);
    }
    let what = format!("reading all maps of {} CPUs (extrapolated)", wide::CPUS);
    verdicts.add(what, targets::READ_MS, wide.map(|wide| wide.seconds * 1e3), " ms");
    let starts = said(ours::start_times(paths, if quick { 3 } else { 21 }))?;
    table.row(vec![
        "from start to the command's exec".to_owned(),
        starts.as_deref().map_or_else(Clone::clone, ours::milliseconds),
    ]);
    let median = starts.map(|starts| stats::summary(&starts).map_or(f64::NAN, |summary| summary.median * 1e3));
    verdicts.add("from start to the command's exec", targets::START_MS, median, " ms");
    Ok(format!("{}\n", table.render()))
}

/// A failure in words, unless it was a signal.
fn said<T>(result: Result<T>) -> Result<Result<T, String>> {
    interrupt::check()?;
    Ok(result.map_err(|error| format!("{error:#}")))
}

fn load(paths: &Paths, scratch: &Path, seconds: u32) -> Result<Own> {
    let load = Load::Messaging.sized(1.0, machine::last_cpu()?)?;
    ours::run(paths, scratch, seconds, Some(&load))
}

fn read_time(own: &Own) -> String {
    let most = own.read_ns.iter().copied().fold(0.0, f64::max);
    stats::summary(&own.read_ns).map_or_else(
        || "not measured".to_owned(),
        |summary| format!("{:.0} us (median of {}; most {:.0})", summary.median / 1e3, summary.n, most / 1e3),
    )
}
