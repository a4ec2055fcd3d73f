//! Whether this kernel's tracepoint shows all context switches.
//!
//! Some do not: a kernel patched by its host may switch to and from the idle task
//! without the tracepoint. Then idle time from the tracepoint falls short of the
//! kernel's own, for every tracer, and `/proc/stat` is no witness of it. perf counts
//! both ways at once and knows nothing of us.

use std::{process::Command, sync::OnceLock};

use libtest_mimic::Completion;

/// Share of switches that may be missing from the tracepoint's count.
const MISSING: f64 = 0.01;

/// Why idle time cannot be compared here, if so. Asked of the machine at rest: idle
/// switches are what is missing.
pub fn not_all() -> Option<&'static str> {
    static WHY: OnceLock<Option<String>> = OnceLock::new();
    WHY.get_or_init(ask).as_deref()
}

/// The same, as the end of a test.
pub fn ignored() -> Option<Completion> {
    not_all().map(Completion::ignored_with)
}

fn ask() -> Option<String> {
    let stat = Command::new("perf")
        .args(["stat", "-x,", "-a", "-e", "sched:sched_switch,context-switches", "sleep", "3"])
        .env("LC_ALL", "C")
        .output();
    let Ok(stat) = stat else {
        return Some("perf is not installed: nobody says whether all switches are traced".to_owned());
    };
    let text = String::from_utf8_lossy(&stat.stderr).into_owned();
    let (Some(traced), Some(all)) = (count(&text, "sched:sched_switch"), count(&text, "context-switches")) else {
        return Some(format!("perf cannot say whether all switches are traced: {}", text.trim()));
    };
    (traced < all * (1.0 - MISSING)).then(|| format!("this kernel traces {traced} of {all} context switches, by perf"))
}

/// `COUNT,,EVENT,…`
fn count(text: &str, event: &str) -> Option<f64> {
    text.lines().find(|line| line.split(',').nth(2) == Some(event))?.split(',').next()?.parse().ok()
}
