//! `collector check` in the guest.

use std::process::Command;

use libtest_mimic::{Completion, Trial};

use super::{
    guest::{Guest, test},
    harness::COLLECTOR,
};

pub fn tests() -> Vec<Trial> {
    vec![test("check::says_what_this_kernel_has", says_what_this_kernel_has)]
}

fn says_what_this_kernel_has(guest: &Guest) -> Completion {
    let output = Command::new(COLLECTOR).arg("check").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let line = |what: &str| {
        let line = text.lines().find(|line| line.starts_with(what));
        line.unwrap_or_else(|| panic!("no line {what} in {text}")).to_owned()
    };
    assert!(line("probes").contains("6 of 6 attached (BTF tracepoints)"), "{text}");
    let available = line("core scheduling").ends_with(" available");
    // Without SMT the kernel does not say whether it could.
    assert_eq!(available, guest.has_core_scheduling() && guest.has_smt(), "{text}");
    let threads = if guest.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", guest.threads) };
    assert!(guest.max_cpus.is_some() || line("SMT").contains(&format!("{threads} a core")), "{text}");
    Completion::Completed
}
