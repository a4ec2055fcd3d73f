//! What the facts mean for `collector run`.

mod cpus;
mod kernel;
mod probes;
mod rights;

use super::{Facts, Item};
use crate::record::Probe;

/// One item for each thing that matters. `probes` is what became of the attempt to
/// load and attach the kernel programs, or why there was none: where that went well,
/// nothing else that `run` needs for it can be missing.
pub fn items(facts: &Facts, probes: &Result<Vec<Probe>, String>) -> Vec<Item> {
    let attached = probes::attached(probes);
    vec![
        kernel::kernel(facts),
        kernel::btf(facts, attached),
        rights::rights(facts, attached),
        probes::probes(facts, probes),
        kernel::clock(facts),
        cpus::topology(facts),
        cpus::smt(facts),
        cpus::core_scheduling(facts),
        kernel::cgroup(facts),
        kernel::schedstats(facts),
        rights::pid_namespace(facts),
    ]
}

/// `1 core`, `2 cores`.
fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
