//! The kernel itself, and what it counts of its own accord.

use super::super::{Facts, Item, item::Finding};
use crate::{
    host::{clock, kernel::Schedstats},
    record::{ClockKind, Measured},
};

pub(super) fn kernel(facts: &Facts) -> Item {
    Finding::ok(format!("{} {}", facts.kernel.release, facts.kernel.arch)).optional("kernel")
}

pub(super) fn btf(facts: &Facts, attached: bool) -> Item {
    match &facts.btf_bytes {
        Measured::Value(bytes) => Finding::ok(format!("{} KiB", bytes.div_ceil(1024))),
        Measured::NotMeasured(reason) if attached => Finding::limited(
            format!("{reason}, yet the kernel programs load"),
            "nothing to do: the type information was found elsewhere",
        ),
        Measured::NotMeasured(reason) => {
            let remedy = match facts.btf_config.value().map(String::as_str) {
                Some("y") => "the kernel was built with CONFIG_DEBUG_INFO_BTF: mount sysfs at /sys",
                Some(_) => {
                    "this kernel was built without CONFIG_DEBUG_INFO_BTF: boot one that has it, as distributions' have"
                }
                None => "mount sysfs at /sys, or boot a kernel with CONFIG_DEBUG_INFO_BTF=y, as distributions' have",
            };
            Finding::missing(reason, remedy)
        }
    }
    .required("BTF")
}

pub(super) fn clock(facts: &Facts) -> Item {
    let choice = clock::choose(&facts.clock);
    match choice.kind {
        ClockKind::RunQueue => Finding::ok(format!("the scheduler's own: {}", choice.reason)),
        ClockKind::Monotonic => Finding::limited(
            format!("CLOCK_MONOTONIC: {}", choice.reason),
            "nothing to do: figures are as exact, an event costs one more clock read (about 50 ns)",
        ),
    }
    .optional("clock")
}

pub(super) fn cgroup(facts: &Facts) -> Item {
    match &facts.cgroup {
        Measured::NotMeasured(reason) => {
            Finding::missing(reason, "mount it (`mount -t cgroup2 none /sys/fs/cgroup`); `run` does without")
        }
        Measured::Value(found) => {
            let mount = found.mount.display();
            match &found.cpu {
                Measured::Value(true) => Finding::ok(format!("{mount}, with the cpu controller")),
                Measured::Value(false) => Finding::limited(
                    format!("{mount}, without the cpu controller"),
                    "where version 1 holds it: boot with cgroup_no_v1=cpu; `run` does without",
                ),
                Measured::NotMeasured(reason) => {
                    Finding::limited(format!("{mount}, controllers not known: {reason}"), "`run` does without")
                }
            }
        }
    }
    .optional("cgroup v2")
}

pub(super) fn schedstats(facts: &Facts) -> Item {
    let use_of_it = "it is a witness for forced idle only, `run` does without";
    match &facts.schedstats {
        Schedstats::On => Finding::ok("on"),
        Schedstats::Off => Finding::limited("off", format!("sysctl kernel.sched_schedstats=1; {use_of_it}")),
        Schedstats::Absent => {
            Finding::missing("kernel without CONFIG_SCHEDSTATS", format!("boot a kernel that has it; {use_of_it}"))
        }
        Schedstats::Unknown(reason) => {
            Finding::missing(format!("not known: {reason}"), format!("mount proc at /proc; {use_of_it}"))
        }
    }
    .optional("schedstats")
}
