//! CPUs, cores and what runs together on them.

use super::{
    super::{Facts, Item, item::Finding},
    count,
};
use crate::{
    host::{core_sched::CoreScheduling, smt::SmtControl, topology::Topology},
    record::Measured,
};

/// Where places are not known: how many, and the first reason.
fn unknown(topology: &Topology) -> Option<String> {
    let reasons: Vec<&str> = topology
        .cpus
        .iter()
        .flat_map(|cpu| {
            [cpu.package.reason(), cpu.core.reason(), cpu.node.reason(), cpu.llc.reason(), cpu.siblings.reason()]
        })
        .flatten()
        .collect();
    let (first, rest) = reasons.split_first()?;
    Some(match rest.len() {
        0 => format!("not all is known: {first}"),
        more => format!("not all is known: {first}, and {more} more"),
    })
}

pub(super) fn topology(facts: &Facts) -> Item {
    let topology = match &facts.topology {
        Measured::Value(topology) => topology,
        Measured::NotMeasured(reason) => {
            return Finding::missing(reason, "mount sysfs at /sys: the kernel's lists of CPUs are needed")
                .required("topology");
        }
    };
    let mut found = format!("{} online of {} possible", count(topology.online.len(), "CPU"), topology.possible.len());
    let offline = topology.present.without(&topology.online);
    if !offline.is_empty() {
        found.push_str(&format!(", {offline} offline"));
    }
    let parts = [
        (topology.cores().len(), "core"),
        (topology.caches().len(), "last-level cache"),
        (topology.nodes().len(), "node"),
        (topology.packages().len(), "package"),
    ];
    // Nothing known is not the same as none there.
    for (n, what) in parts.into_iter().filter(|&(n, _)| n > 0) {
        found.push_str(&format!(", {}", count(n, what)));
    }
    match unknown(topology) {
        None => Finding::ok(found),
        Some(what) => Finding::limited(
            format!("{found}; {what}"),
            "figures of each CPU are complete, those of cores, caches and nodes are left out; \
             in a container or virtual machine the host may hide its topology",
        ),
    }
    .required("topology")
}

pub(super) fn smt(facts: &Facts) -> Item {
    let (threads, control) = match &facts.topology {
        Measured::Value(topology) => (topology.threads_per_core(), topology.smt.clone()),
        Measured::NotMeasured(reason) => (Measured::not(reason.clone()), Measured::not(reason.clone())),
    };
    let word = control.value().map_or_else(String::new, |control| format!(" (smt/control: {control})"));
    match threads {
        Measured::Value(2..) => {
            Finding::ok(format!("{} a core{word}", count(*threads.value().unwrap_or(&0), "thread")))
        }
        Measured::Value(_) => Finding::missing(format!("one thread a core{word}"), smt_remedy(control.value())),
        Measured::NotMeasured(reason) => {
            Finding::limited(format!("not known{word}: {reason}"), "figures of cores are left out; see topology")
        }
    }
    .optional("SMT")
}

const fn smt_remedy(control: Option<&SmtControl>) -> &'static str {
    match control {
        Some(SmtControl::Off) => "switch it on: echo on > /sys/devices/system/cpu/smt/control",
        Some(SmtControl::ForceOff) => "boot without nosmt=force and without mitigations=auto,nosmt",
        Some(SmtControl::On | SmtControl::Threads(_)) => {
            "the kernel allows it: look for siblings in /sys/devices/system/cpu/offline"
        }
        Some(SmtControl::NotSupported | SmtControl::NotImplemented | SmtControl::Other(_)) | None => {
            "nothing to do: siblings cannot disturb each other here; \
             a virtual machine can be given threads (QEMU: -smp threads=2), a processor in its firmware"
        }
    }
}

pub(super) fn core_scheduling(facts: &Facts) -> Item {
    let found = facts.core_scheduling.to_string();
    match facts.core_scheduling {
        CoreScheduling::Available { .. } => Finding::ok(found),
        CoreScheduling::NoSmt => Finding::missing(found, "see SMT; `run` does without"),
        CoreScheduling::NotBuilt => {
            Finding::missing(found, "boot a kernel with CONFIG_SCHED_CORE=y; `run` does without")
        }
        CoreScheduling::Refused | CoreScheduling::Failed(_) => {
            Finding::missing(found, "allow prctl() in the sandbox or security module; `run` does without")
        }
    }
    .optional("core scheduling")
}
