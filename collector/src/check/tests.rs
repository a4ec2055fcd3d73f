#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use super::*;
use crate::{
    host::{
        core_sched::CoreScheduling,
        fixture::Fixture,
        kernel::{BTF, Kernel, Schedstats},
    },
    probe::plan::TRACEPOINTS,
    record::{Measured, Probe, ProbeKind, Verdict},
};

type Attempt = Result<Vec<Probe>, String>;

fn attached(kind: ProbeKind, fallback_reason: Option<&str>) -> Attempt {
    let verdict = Verdict::Attached { kind, fallback_reason: fallback_reason.map(str::to_owned) };
    let probe = |name: &str| Probe { tracepoint: name.to_owned(), verdict: verdict.clone() };
    Ok(TRACEPOINTS.iter().map(|planned| probe(planned.name)).collect())
}

fn btf() -> Attempt {
    attached(ProbeKind::BtfTracepoint, None)
}

/// `attempt` with one tracepoint refused.
fn refused(attempt: Attempt, name: &str) -> Attempt {
    let mut probes = attempt.unwrap();
    let probe = probes.iter_mut().find(|probe| probe.tracepoint == name).unwrap();
    probe.verdict = Verdict::Missing { reason: "Invalid argument; deaths are not counted".to_owned() };
    Ok(probes)
}

/// A machine on which everything is there.
fn machine() -> Fixture {
    let fixture = Fixture::smt(4, 2, "on");
    let mut bytes = 0xEB9F_u16.to_ne_bytes().to_vec();
    bytes.resize(4096, 0);
    fixture
        .bytes(BTF, &bytes)
        .file("proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\nSeccomp:\t0\n")
        .file("proc/self/mountinfo", "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .file("sys/fs/cgroup/cgroup.controllers", "cpu io\n")
        .file("sys/kernel/security/lockdown", "[none] integrity confidentiality\n")
        .file("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n")
        .file("proc/sys/kernel/unprivileged_bpf_disabled", "2\n")
        .file("proc/sys/kernel/sched_schedstats", "1\n")
        .link("proc/self/ns/pid", "pid:[4026531836]")
        .link("proc/self/ns/user", "user:[4026531837]");
    fixture
}

/// What is asked of the running kernel, replaced.
fn facts(fixture: &Fixture) -> Facts {
    let mut facts = Facts::gather(fixture.root());
    facts.kernel = Kernel { release: "6.12.0".to_owned(), arch: "x86_64".to_owned() };
    facts.clock.arch = "x86_64".to_owned();
    facts.core_scheduling = CoreScheduling::Available { cookie: false };
    facts
}

fn item(facts: &Facts, attempt: &Attempt, name: &str) -> Item {
    items(facts, attempt).into_iter().find(|item| item.name == name).unwrap()
}

#[test]
fn a_machine_with_everything() {
    let items = items(&facts(&machine()), &btf());
    assert!(works(&items));
    assert_eq!(text(&items), "\
kernel           ok       6.12.0 x86_64
BTF              ok       4 KiB
rights           ok       uid 0, CAP_BPF CAP_PERFMON CAP_SYS_ADMIN CAP_SYS_RESOURCE, lockdown none, seccomp off, unprivileged_bpf_disabled 2
probes           ok       6 of 6 attached (BTF tracepoints)
clock            ok       the scheduler's own: clocksource tsc: sched_clock agrees between CPUs
topology         ok       8 CPUs online of 8 possible, 4 cores, 1 last-level cache, 1 node, 1 package
SMT              ok       2 threads a core (smt/control: on)
core scheduling  ok       available
cgroup v2        ok       /sys/fs/cgroup, with the cpu controller
schedstats       ok       on
pid namespace    ok       the machine's own
`collector run` will work here
");
}

#[test]
fn an_empty_tree_panics_nowhere_and_names_what_run_needs() {
    let facts = facts(&Fixture::new());
    let items = items(&facts, &Err("no type information".to_owned()));
    assert!(!works(&items));
    assert!(text(&items).ends_with("`collector run` will not work here, it needs: BTF, probes, topology\n"));
    for item in &items {
        assert_eq!(item.remedy.is_some(), item.status != Status::Ok, "{item:?}");
        assert!(!item.found.is_empty());
    }
}

#[test]
fn missing_rights_are_the_remedy_for_refused_programs() {
    let fixture = machine();
    fixture.file("proc/self/status", "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\nSeccomp:\t0\n");
    let (facts, attempt) = (facts(&fixture), Err("Operation not permitted".to_owned()));
    for name in ["rights", "probes"] {
        let item = item(&facts, &attempt, name);
        assert_eq!((item.status, item.required), (Status::Missing, true));
        assert_eq!(item.remedy.unwrap(), "no CAP_BPF and CAP_PERFMON (uid 1000): run as root, for instance with sudo");
    }
    // `run` says the same in its error.
    let told = Err(
        "the kernel refused; no CAP_BPF and CAP_PERFMON (uid 1000): run as root, for instance with sudo".to_owned()
    );
    assert_eq!(item(&facts, &told, "probes").found, "the kernel refused");
    assert_eq!(item(&facts, &told, "probes").remedy, item(&facts, &attempt, "probes").remedy);
    // Programs that load are better proof than what is known of rights.
    assert_eq!(item(&facts, &btf(), "rights").status, Status::Ok);
    assert!(works(&items(&facts, &btf())));
}

#[test]
fn a_filter_is_suspected_only_where_programs_are_refused() {
    let fixture = machine();
    fixture.file("proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\nSeccomp:\t2\n");
    let facts = facts(&fixture);
    assert_eq!(item(&facts, &btf(), "rights").status, Status::Ok);
    let item = item(&facts, &Err("EPERM".to_owned()), "rights");
    assert_eq!(item.status, Status::Limited);
    assert!(item.found.contains("seccomp filtered") && item.remedy.unwrap().contains("seccomp filter"));
}

#[test]
fn programs() {
    let facts = facts(&machine());
    let fallback = item(&facts, &attached(ProbeKind::RawTracepoint, Some("refused")), "probes");
    assert_eq!(fallback.status, Status::Limited);
    assert_eq!(fallback.found, "6 of 6 attached (raw tracepoints)\nnot as BTF tracepoints: refused");
    let without_exit = item(&facts, &refused(btf(), "sched_process_exit"), "probes");
    assert_eq!(without_exit.status, Status::Limited);
    assert!(without_exit.found.ends_with("\nsched_process_exit: Invalid argument; deaths are not counted"));
    assert_eq!(item(&facts, &refused(btf(), "sched_switch"), "probes").status, Status::Missing);
    let untried = item(&facts, &Ok(Vec::new()), "probes");
    assert_eq!(untried.status, Status::Missing);
    assert!(untried.found.starts_with("0 of 6 attached") && untried.found.contains("sched_switch: not tried; nothing"));
}

#[test]
fn programs_that_load_make_up_for_missing_btf() {
    let fixture = machine();
    fixture.remove(BTF);
    let mut facts = facts(&fixture);
    assert_eq!(item(&facts, &btf(), "BTF").status, Status::Limited);
    let refused = Err("no BTF".to_owned());
    assert_eq!(item(&facts, &refused, "BTF").status, Status::Missing);
    facts.btf_config = Measured::Value("n".to_owned());
    assert!(item(&facts, &refused, "BTF").remedy.unwrap().contains("was built without CONFIG_DEBUG_INFO_BTF"));
}

#[test]
fn cpus() {
    let fixture = machine();
    fixture.lists("0-127", "0-7", "0,2,4,6").file("sys/devices/system/cpu/smt/control", "off\n");
    for cpu in [0, 2, 4, 6] {
        fixture.cpu(cpu, 0, -1, &cpu.to_string());
    }
    let mut facts = facts(&fixture);
    let topology = item(&facts, &btf(), "topology");
    assert_eq!(topology.status, Status::Limited);
    assert!(
        topology.found.starts_with("4 CPUs online of 128 possible, 1,3,5,7 offline, 4 cores, "),
        "{}",
        topology.found
    );
    assert!(
        topology.found.ends_with("the kernel does not know the core_id of CPU 0, and 3 more"),
        "{}",
        topology.found
    );
    let smt = item(&facts, &btf(), "SMT");
    assert_eq!((smt.status, smt.required), (Status::Missing, false));
    assert!(smt.remedy.unwrap().starts_with("switch it on: echo on"));
    facts.core_scheduling = CoreScheduling::NoSmt;
    assert_eq!(item(&facts, &btf(), "core scheduling").found, CoreScheduling::NoSmt.to_string());
    assert!(works(&items(&facts, &btf())));
}

#[test]
fn every_limit_has_a_remedy() {
    let fixture = machine();
    fixture
        .file("sys/fs/cgroup/cgroup.controllers", "io\n")
        .file("sys/devices/system/clocksource/clocksource0/current_clocksource", "kvm-clock\n")
        .remove("proc/self/ns/pid")
        .link("proc/self/ns/pid", "pid:[4026532000]");
    for (statistics, core_scheduling) in
        [(Schedstats::Off, CoreScheduling::NotBuilt), (Schedstats::Absent, CoreScheduling::Refused)]
    {
        let facts = Facts { schedstats: statistics, core_scheduling, ..facts(&fixture) };
        let items = items(&facts, &btf());
        assert!(works(&items));
        for name in ["clock", "core scheduling", "cgroup v2", "schedstats", "pid namespace"] {
            let item = items.iter().find(|item| item.name == name).unwrap();
            assert!(item.status != Status::Ok && item.remedy.is_some() && !item.required, "{item:?}");
        }
    }
}

#[test]
fn findings_of_several_lines_stay_in_their_column() {
    let item = Item {
        name: "probes".to_owned(),
        status: Status::Missing,
        found: "a\n\nb".to_owned(),
        remedy: Some("c".to_owned()),
        required: true,
    };
    let expected = "\
probes  missing  a

                 b
                 -> c
`collector run` will not work here, it needs: probes
";
    assert_eq!(text(&[item]), expected);
}

#[test]
fn json_is_the_same_and_fits_its_schema() {
    let items = items(&facts(&Fixture::new()), &Err("refused".to_owned()));
    let json = json(&items).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Item>>(&json).unwrap(), items);
    let schema = schemars::schema_for!(Vec<Item>);
    let value = serde_json::from_str(&json).unwrap();
    jsonschema::validate(schema.as_value(), &value).unwrap();
    assert!(json.contains("\"status\": \"missing\"") && json.ends_with("]\n"));
}

#[test]
fn the_live_machine() {
    let facts = Facts::gather(Path::new("/"));
    assert_eq!(items(&facts, &btf()).len(), 11);
}
