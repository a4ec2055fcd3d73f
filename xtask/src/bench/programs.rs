//! Whose BPF programs ran how often, and for how long.
//!
//! A contender's programs are those it holds open: what other processes load
//! meanwhile is not charged to it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::fd::OwnedFd,
};

use anyhow::{Context as _, Result};
use aya::{
    programs::loaded_programs,
    sys::{Stats, enable_stats},
};

/// Runs and run time of one program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// How often it ran.
    pub count: u64,
    /// For how long in all, nanoseconds.
    pub ns: u64,
}

/// Programs by their number.
pub type ById = BTreeMap<u32, Runs>;

/// Switches the kernel's run-time statistics on, for as long as this is kept.
///
/// # Errors
/// When the kernel refuses.
pub fn statistics() -> Result<OwnedFd> {
    enable_stats(Stats::RunTime).context("the kernel does not take the run time of BPF programs for us")
}

/// The programs that a process holds open.
pub fn of(pid: u32) -> ById {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fdinfo")) else { return ById::new() };
    entries.filter_map(|entry| parse(&fs::read_to_string(entry.ok()?.path()).ok()?)).collect()
}

/// `fdinfo` of a program; links have a `prog_id` too, but no runs.
fn parse(info: &str) -> Option<(u32, Runs)> {
    let field = |name: &str| {
        info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')?.trim().parse::<u64>().ok())
    };
    let runs = Runs { count: field("run_cnt")?, ns: field("run_time_ns")? };
    Some((u32::try_from(field("prog_id")?).ok()?, runs))
}

/// What was added between two readings.
pub fn since(before: &ById, after: &ById) -> ById {
    after
        .iter()
        .map(|(id, now)| {
            let then = before.get(id).copied().unwrap_or_default();
            (*id, Runs { count: now.count.saturating_sub(then.count), ns: now.ns.saturating_sub(then.ns) })
        })
        .collect()
}

/// The kernel's names of loaded programs, cut to 15 bytes.
pub fn names() -> BTreeMap<u32, String> {
    loaded_programs().flatten().map(|program| (program.id(), program.name_as_str().unwrap_or("?").to_owned())).collect()
}

/// The numbers of all loaded programs.
pub fn loaded() -> BTreeSet<u32> {
    loaded_programs().flatten().map(|program| program.id()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_told_from_its_link() {
        let program = "pos:\t0\nflags:\t02000002\nprog_type:\t26\nprog_id:\t304\nrun_time_ns:\t1200\nrun_cnt:\t3\nrecursion_misses:\t0\n";
        assert_eq!(parse(program), Some((304, Runs { count: 3, ns: 1200 })));
        let link =
            "pos:\t0\nlink_type:\traw_tracepoint\nlink_id:\t9\nprog_tag:\tabc\nprog_id:\t304\ntp_name:\tsched_switch\n";
        assert_eq!(parse(link), None);
    }

    #[test]
    fn only_what_was_added_counts() {
        let before = ById::from([(1, Runs { count: 10, ns: 1000 })]);
        let after = ById::from([(1, Runs { count: 15, ns: 1700 }), (2, Runs { count: 1, ns: 90 })]);
        let added = since(&before, &after);
        assert_eq!(added[&1], Runs { count: 5, ns: 700 });
        assert_eq!(added[&2], Runs { count: 1, ns: 90 });
    }
}
