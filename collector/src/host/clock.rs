//! Whether the scheduler's own clock can stamp events.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use super::read;
use crate::record::{ClockChoice, ClockKind, Measured};

const CLOCKSOURCE: &str = "sys/devices/system/clocksource/clocksource0/current_clocksource";
/// The scheduler's debug file, since 5.13 and before.
const SCHED_DEBUG: [&str; 2] = ["sys/kernel/debug/sched/debug", "proc/sched_debug"];
/// The line that is looked for is among the first twenty; the file goes on for every task.
const HEAD: u64 = 4096;

/// What is known of the clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockFacts {
    /// `uname -m`.
    pub arch: String,
    /// The kernel's source of time.
    pub clocksource: Measured<String>,
    /// The kernel's own word on `sched_clock()`, from the scheduler's debug file
    /// (`sched_clock_stable()` in `sched_debug_header()`): seldom readable, as debugfs
    /// has to be mounted and the caller to be root.
    pub sched_clock_stable: Measured<bool>,
}

/// The number after `sched_clock_stable()` in the head of the debug file.
fn stable(head: &str) -> Option<bool> {
    let line = head.lines().find(|line| line.starts_with("sched_clock_stable()"))?;
    match line.split_once(':')?.1.trim() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

fn head(path: PathBuf) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

impl ClockFacts {
    /// Reads them under `root`; the architecture is the running machine's.
    pub fn read(root: &Path) -> Self {
        let debug = SCHED_DEBUG.iter().find_map(|path| stable(&head(root.join(path))?));
        Self {
            arch: rustix::system::uname().machine().to_string_lossy().into_owned(),
            clocksource: read::word(root, CLOCKSOURCE).into(),
            sched_clock_stable: debug.ok_or("the scheduler's debug file cannot be read or does not say").into(),
        }
    }
}

/// Whether `rq->clock` of different CPUs can be compared, with the reason either way.
///
/// It comes from `sched_clock()`, which agrees between CPUs only where the kernel
/// thinks it stable. On x86 the clocksource tells: the watchdog that finds the TSC
/// wanting demotes the clocksource and marks `sched_clock()` unstable together
/// (`mark_tsc_unstable()`, arch/x86/kernel/tsc.c). On arm64 both read the
/// architected counter, which all CPUs share. Everything else is not trusted.
///
/// # Errors
/// Why not, in words.
pub fn rq_clock_usable(facts: &ClockFacts) -> Result<String, String> {
    let source = match &facts.clocksource {
        Measured::Value(source) => source.as_str(),
        Measured::NotMeasured(reason) => return Err(format!("the clocksource is not known: {reason}")),
    };
    if facts.sched_clock_stable.value() == Some(&false) {
        return Err("the kernel says that its sched_clock is not stable".to_owned());
    }
    match (facts.arch.as_str(), source) {
        ("x86_64" | "i386" | "i486" | "i586" | "i686", "tsc") | ("aarch64", "arch_sys_counter") => {
            Ok(format!("clocksource {source}: sched_clock agrees between CPUs"))
        }
        (arch, source) => {
            Err(format!("clocksource {} on {arch}: sched_clock may differ between CPUs", read::quote(source)))
        }
    }
}

/// The clock for this machine: the scheduler's where it can be used, which saves a
/// clock read an event, else `CLOCK_MONOTONIC`.
pub fn choose(facts: &ClockFacts) -> ClockChoice {
    match rq_clock_usable(facts) {
        Ok(reason) => ClockChoice { kind: ClockKind::RunQueue, reason },
        Err(reason) => ClockChoice { kind: ClockKind::Monotonic, reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::fixture::Fixture;

    fn facts(arch: &str, source: &str) -> ClockFacts {
        ClockFacts {
            arch: arch.to_owned(),
            clocksource: Measured::Value(source.to_owned()),
            sched_clock_stable: Measured::not("not asked"),
        }
    }

    #[test]
    fn which_are_trusted() {
        for (arch, source) in [("x86_64", "tsc"), ("i686", "tsc"), ("aarch64", "arch_sys_counter")] {
            assert!(rq_clock_usable(&facts(arch, source)).is_ok(), "{arch} {source}");
        }
        for source in ["kvm-clock", "hpet", "acpi_pm", "jiffies", "hyperv_clocksource_tsc_page", "xen", "tsc-early", ""]
        {
            let reason = rq_clock_usable(&facts("x86_64", source));
            assert!(reason.is_err_and(|reason| reason.contains(&format!("clocksource {source} on"))), "{source}");
        }
        for (arch, source) in [("aarch64", "tsc"), ("x86_64", "arch_sys_counter"), ("riscv64", "riscv_clocksource")] {
            assert_eq!(choose(&facts(arch, source)).kind, ClockKind::Monotonic, "{arch} {source}");
        }
    }

    #[test]
    fn the_kernels_word_counts_against_it_but_not_for_it() {
        let said =
            |source, stable| ClockFacts { sched_clock_stable: Measured::Value(stable), ..facts("x86_64", source) };
        assert_eq!(choose(&said("tsc", true)).kind, ClockKind::RunQueue);
        assert_eq!(choose(&said("tsc", false)).kind, ClockKind::Monotonic);
        assert_eq!(choose(&said("kvm-clock", true)).kind, ClockKind::Monotonic);
    }

    #[test]
    fn files() {
        let fixture = Fixture::new();
        let nothing = ClockFacts::read(fixture.root());
        assert!(rq_clock_usable(&nothing).is_err_and(|reason| reason.ends_with("does not exist")));
        fixture.file(CLOCKSOURCE, "tsc\n");
        assert_eq!(ClockFacts::read(fixture.root()).clocksource, Measured::Value("tsc".to_owned()));
        let debug = format!("Sched Debug Version: v0.11\n{:<40}: 0\n\n{}", "sched_clock_stable()", "x".repeat(1 << 16));
        fixture.file("proc/sched_debug", &debug);
        assert_eq!(ClockFacts::read(fixture.root()).sched_clock_stable, Measured::Value(false));
        fixture.file(SCHED_DEBUG[0], &debug.replace(": 0", ": 1"));
        assert_eq!(ClockFacts::read(fixture.root()).sched_clock_stable, Measured::Value(true));
        fixture.file(SCHED_DEBUG[0], "sched_clock_stable() : x\n").file("proc/sched_debug", "");
        assert!(ClockFacts::read(fixture.root()).sched_clock_stable.reason().is_some());
    }

    #[test]
    fn the_live_machine() {
        let choice = choose(&ClockFacts::read(Path::new("/")));
        assert!(choice.reason.contains("clocksource") || choice.reason.contains("sched_clock"), "{choice:?}");
    }
}
