//! The kernel programs, as they were really loaded and attached.

use super::super::{Facts, Item, item::Finding};
use crate::{
    host::rights::explain_eperm,
    probe::plan::{TRACEPOINTS, Tracepoint},
    record::{Probe, ProbeKind, Verdict},
};

type Attempt = Result<Vec<Probe>, String>;

/// A tracepoint of the plan and what became of it; one without a verdict was not tried.
fn verdicts(probes: &[Probe]) -> impl Iterator<Item = (&'static Tracepoint, Option<&Verdict>)> {
    TRACEPOINTS.iter().map(|planned| {
        let probe = probes.iter().find(|probe| probe.tracepoint == planned.name);
        (planned, probe.map(|probe| &probe.verdict))
    })
}

/// Whether every tracepoint that is required is attached.
pub(super) fn attached(attempt: &Attempt) -> bool {
    attempt.as_ref().is_ok_and(|probes| {
        verdicts(probes)
            .all(|(planned, verdict)| !planned.required || matches!(verdict, Some(Verdict::Attached { .. })))
    })
}

pub(super) fn probes(facts: &Facts, attempt: &Attempt) -> Item {
    finding(facts, attempt).required("probes")
}

fn finding(facts: &Facts, attempt: &Attempt) -> Finding {
    let advice = || {
        facts.rights.obstacle().unwrap_or_else(|| {
            "this is the reason as it was given; where a security module refuses (EACCES), its audit log says more; \
             else report it with the output of `collector check --json`"
                .to_owned()
        })
    };
    let probes = match attempt {
        Ok(probes) => probes,
        Err(reason) => {
            // Where rights were lacking `run` says so in its error already: not twice here.
            let explanation = explain_eperm(&facts.rights);
            return match reason.strip_suffix(&explanation) {
                Some(start) => Finding::missing(start.trim_end_matches([' ', ';', ':']), explanation),
                None => Finding::missing(reason, advice()),
            };
        }
    };
    let (mut raw, mut absent, mut found) = (None, 0, Vec::new());
    for (planned, verdict) in verdicts(probes) {
        match verdict {
            Some(Verdict::Attached { kind: ProbeKind::BtfTracepoint, .. }) => {}
            Some(Verdict::Attached { kind: ProbeKind::RawTracepoint, fallback_reason }) => {
                raw = Some(fallback_reason.clone());
            }
            Some(Verdict::Missing { reason }) => {
                absent += 1;
                found.push(format!("{}: {reason}", planned.name));
            }
            None => {
                absent += 1;
                found.push(format!("{}: not tried; {}", planned.name, planned.without));
            }
        }
    }
    let kind = if raw.is_some() { "raw" } else { "BTF" };
    found.insert(0, format!("{} of {} attached ({kind} tracepoints)", TRACEPOINTS.len() - absent, TRACEPOINTS.len()));
    if let Some(Some(reason)) = &raw {
        found.push(format!("not as BTF tracepoints: {reason}"));
    }
    let found = found.join("\n");
    match (attached(attempt), absent, raw) {
        (false, ..) => Finding::missing(found, advice()),
        (true, 1.., _) => Finding::limited(found, advice()),
        (true, 0, Some(_)) => Finding::limited(found, "nothing to do: figures are the same, an event costs some more"),
        (true, 0, None) => Finding::ok(found),
    }
}
