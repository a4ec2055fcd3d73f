//! What this process may do, and what pids mean to it.

use rustix::thread::CapabilitySet;

use super::super::{Facts, Item, item::Finding};
use crate::{
    host::rights::{Rights, explain_eperm},
    record::Measured,
};

/// Capabilities that are of interest when something is refused.
const SHOWN: [(CapabilitySet, &str); 4] = [
    (CapabilitySet::BPF, "CAP_BPF"),
    (CapabilitySet::PERFMON, "CAP_PERFMON"),
    (CapabilitySet::SYS_ADMIN, "CAP_SYS_ADMIN"),
    (CapabilitySet::SYS_RESOURCE, "CAP_SYS_RESOURCE"),
];

fn known<T: ToString>(value: &Measured<T>) -> String {
    value.value().map_or_else(|| "not known".to_owned(), ToString::to_string)
}

fn describe(rights: &Rights) -> String {
    let capabilities = rights.capabilities.value().map_or_else(
        || "capabilities not known".to_owned(),
        |held| {
            let names: Vec<_> = SHOWN.iter().filter(|(one, _)| held.contains(*one)).map(|&(_, name)| name).collect();
            if names.is_empty() { "no capability of use".to_owned() } else { names.join(" ") }
        },
    );
    let seccomp = match rights.seccomp.value() {
        Some(0) => "off".to_owned(),
        Some(1) => "strict".to_owned(),
        Some(2) => "filtered".to_owned(),
        _ => known(&rights.seccomp),
    };
    let mut parts = vec![
        format!("uid {}", known(&rights.uid)),
        capabilities,
        format!("lockdown {}", known(&rights.lockdown)),
        format!("seccomp {seccomp}"),
        format!("unprivileged_bpf_disabled {}", known(&rights.unprivileged_bpf_disabled)),
    ];
    if rights.initial_user_ns.value() == Some(&false) {
        parts.push("a user namespace of its own".to_owned());
    }
    parts.extend(rights.container.iter().map(|manager| format!("in a container ({manager})")));
    parts.join(", ")
}

pub(super) fn rights(facts: &Facts, attached: bool) -> Item {
    let found = describe(&facts.rights);
    let denied = !facts.rights.missing().is_empty() || facts.rights.initial_user_ns.value() == Some(&false);
    match (facts.rights.obstacle(), attached) {
        (None, _) => Finding::ok(found),
        (Some(_), true) => Finding::ok(format!("{found}; the kernel programs load")),
        // Lockdown and filters refuse some things to some: whether they do it here shows at the probes.
        (Some(_), false) if denied => Finding::missing(found, explain_eperm(&facts.rights)),
        (Some(_), false) => Finding::limited(found, explain_eperm(&facts.rights)),
    }
    .required("rights")
}

pub(super) fn pid_namespace(facts: &Facts) -> Item {
    let remedy = "pids in reports are the machine's, not those that are seen here; \
                  to make them the same, share the machine's namespace (`--pid=host` for containers)";
    match &facts.initial_pid_ns {
        Measured::Value(true) => Finding::ok("the machine's own"),
        Measured::Value(false) => Finding::limited("a namespace of its own", remedy),
        Measured::NotMeasured(reason) => Finding::limited(format!("not known: {reason}"), remedy),
    }
    .optional("pid namespace")
}
