//! Which CPUs there are, when QEMU says so, when CPUs go, and when they never came.

use collector::host::CpuList;
use libtest_mimic::{Completion, Trial};

use super::{
    guest::{Guest, Setting, online, test, topology},
    harness::{Outcome, run},
};

pub fn tests() -> Vec<Trial> {
    vec![
        test("topology::is_what_the_machine_was_made_of", is_what_the_machine_was_made_of),
        test("topology::is_in_the_record", is_in_the_record),
        test("topology::smt_can_be_off", smt_can_be_off),
        test("topology::a_cpu_can_be_offline", a_cpu_can_be_offline),
        test("topology::cpus_may_never_have_come", cpus_may_never_have_come),
    ]
}

const CONTROL: &str = "/sys/devices/system/cpu/smt/control";

fn first(count: u32) -> CpuList {
    (0..count).collect()
}

fn is_what_the_machine_was_made_of(guest: &Guest) -> Completion {
    let found = topology();
    assert_eq!(found.possible, first(guest.cpus));
    assert_eq!(found.online.len(), guest.online() as usize);
    let cores: Vec<CpuList> = found.cores().into_iter().cloned().collect();
    // QEMU numbers the threads of a core one after the other.
    let expected: Vec<CpuList> = (0..guest.cores)
        .map(|core| (core * guest.threads..(core + 1) * guest.threads).filter(|&cpu| found.online.contains(cpu)))
        .map(|threads| threads.collect::<CpuList>())
        .filter(|threads| !threads.is_empty())
        .collect();
    assert_eq!(cores, expected);
    if guest.max_cpus.is_none() {
        assert_eq!(cores.len(), guest.cores as usize);
    }
    Completion::Completed
}

/// A run that only has to be sound, and to know the CPUs that run now.
#[track_caller]
fn watched() -> Outcome {
    let outcome = run(&["--interval", "100ms"], &["sleep", "0.3"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let (now, machine) = (online(), &outcome.record.header.machine);
    assert_eq!(machine.online, now.to_string());
    let measured: CpuList = outcome.summary.cpus.iter().map(|cpu| cpu.cpu).collect();
    assert_eq!(measured, now, "figures for each CPU that runs, and for no other");
    // Also of a CPU that raised no event.
    for cpu in &outcome.summary.cpus {
        let off = cpu.observed_ns.abs_diff(outcome.summary.window_ns);
        assert!(off * 1000 <= outcome.summary.window_ns, "CPU {}: {off} ns of the window are missing", cpu.cpu);
    }
    outcome
}

fn is_in_the_record(_: &Guest) -> Completion {
    let outcome = watched();
    assert_eq!(outcome.record.header.machine.topology, topology().places());
    Completion::Completed
}

fn smt_can_be_off(guest: &Guest) -> Completion {
    if guest.threads == 1 {
        return Completion::ignored_with("a core has one thread here");
    }
    if guest.max_cpus.is_some() {
        return Completion::ignored_with("not all CPUs were brought up: switching SMT on would bring up others");
    }
    let before = topology();
    let off = Setting::new(CONTROL, "off");
    let without = topology();
    assert_eq!(without.online.len(), guest.cores as usize);
    assert_eq!(without.threads_per_core().value(), Some(&1));
    let outcome = watched();
    assert_eq!(outcome.record.header.machine.smt.value().map(String::as_str), Some("off"));
    drop(off);
    assert_eq!(topology(), before);
    Completion::Completed
}

fn a_cpu_can_be_offline(_: &Guest) -> Completion {
    let before = topology();
    let last = before.online.iter().last().unwrap();
    let offline = Setting::new(format!("/sys/devices/system/cpu/cpu{last}/online"), "0");
    let without = topology();
    assert_eq!(without.online, before.online.iter().filter(|&cpu| cpu != last).collect());
    assert!(without.cpus.iter().all(|cpu| cpu.siblings.value().is_some_and(|list| !list.contains(last))));
    watched();
    drop(offline);
    assert_eq!(topology(), before);
    Completion::Completed
}

fn cpus_may_never_have_come(guest: &Guest) -> Completion {
    let Some(max_cpus) = guest.max_cpus else {
        return Completion::ignored_with("all CPUs were brought up: no maxcpus= below them");
    };
    assert!(max_cpus < guest.cpus);
    assert_eq!((topology().possible, online().len()), (first(guest.cpus), max_cpus as usize));
    watched();
    Completion::Completed
}
