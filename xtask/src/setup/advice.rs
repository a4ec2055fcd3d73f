//! What to say when set-up can go no further by itself.

use super::{
    decide::{LINKER, LLVMS, llvm_package, missing_packages, oldest_rustc},
    facts::{Apt, Facts, Rustc},
};

/// Why, and the commands to type. `failures` are the steps that were tried.
pub fn advice(facts: &Facts, failures: &[String]) -> String {
    let mut lines = vec!["cannot build the kernel object with what is here.".to_owned()];
    let reasons = notes(facts).into_iter().chain(failures.iter().cloned());
    lines.extend(reasons.map(|reason| format!("  - {reason}")));
    let missing = missing_packages(facts);
    // Otherwise only a step that failed stands in the way, and its log helps.
    if !missing.is_empty() {
        if matches!(facts.apt, Some(Apt::Present(_))) {
            lines.extend(with_packages(facts, &missing));
        }
        lines.push("On any distribution, with rustup:".to_owned());
        lines.push("    rustup toolchain install nightly --component rust-src".to_owned());
        lines.push(format!("  and {}.", llvm_wanted(facts)));
    }
    lines.push("Then again: cargo xtask setup".to_owned());
    lines.join("\n")
}

fn with_packages(facts: &Facts, missing: &[String]) -> Vec<String> {
    let sudo = if facts.root { "" } else { "sudo " };
    vec![
        "On Debian 12, with its packages:".to_owned(),
        format!("    {sudo}apt-get update"),
        format!("    {sudo}{}", install_command(missing)),
        "  (rustc-web cannot stand beside Debian's rustc or rustup packages; set-up \
         removes nothing, so that choice is yours.)"
            .to_owned(),
    ]
}

/// The install command, as set-up itself runs it.
pub fn install_command(packages: &[String]) -> String {
    format!("apt-get install -y --no-install-recommends --no-remove {}", packages.join(" "))
}

/// Why what is here was not used.
pub fn notes(facts: &Facts) -> Vec<String> {
    let mut notes = Vec::new();
    match &facts.packaged {
        Some(rustc) => notes.extend(unfit(rustc)),
        None => notes.push("no packaged rustc".to_owned()),
    }
    if facts.packaged.is_some() && !facts.packaged_core {
        notes.push("the packaged rustc has no core library for BPF".to_owned());
    }
    let nightlies = facts.nightlies.as_deref().unwrap_or_default();
    if nightlies.is_empty() {
        notes.push("no nightly toolchain of rustup".to_owned());
    }
    for nightly in nightlies {
        notes.extend(unfit(&nightly.rustc));
        if !nightly.rust_src {
            notes.push(format!("{} has no rust-src", nightly.name));
        }
    }
    if facts.linkers.is_empty() {
        notes.push(format!("no bpf-linker {LINKER}"));
    }
    let compilers = facts.packaged.iter().chain(nightlies.iter().map(|n| &n.rustc));
    let llvms: Vec<u32> = compilers.map(|rustc| rustc.llvm).collect();
    for linker in &facts.linkers {
        let fits = llvms.is_empty() || linker.llvm.is_some_and(|llvm| llvms.contains(&llvm));
        if fits && linker.version >= LINKER {
            continue;
        }
        let llvm = match linker.llvm {
            Some(llvm) => format!("LLVM {llvm}"),
            None => "an LLVM of unknown version".to_owned(),
        };
        notes.push(format!(
            "{} is bpf-linker {} with {llvm}; wanted are {LINKER} or later, and LLVM {llvms:?} as in the compiler",
            linker.path.display(),
            linker.version
        ));
    }
    notes
}

fn unfit(rustc: &Rustc) -> Option<String> {
    if rustc.version < oldest_rustc() {
        return Some(format!("{} is older than {}", rustc.line, oldest_rustc()));
    }
    (!LLVMS.contains(&rustc.llvm)).then(|| {
        format!(
            "{} writes the bitcode of LLVM {}; bpf-linker {LINKER} is built with LLVM {LLVMS:?}",
            rustc.line, rustc.llvm
        )
    })
}

fn llvm_wanted(facts: &Facts) -> String {
    let nightlies = facts.nightlies.iter().flatten();
    let majors: Vec<u32> = nightlies.map(|nightly| nightly.rustc.llvm).collect();
    match majors.last() {
        Some(&major) => format!(
            "the development files of LLVM {major} (its libLLVM.so; package {} on Debian and Ubuntu)",
            llvm_package(major)
        ),
        None => "the development files of the LLVM that `rustc +nightly -vV` names".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::sample::*;

    #[test]
    fn a_user_on_debian_gets_the_exact_commands() {
        let mut facts = bare();
        facts.apt = debian_apt();
        let text = advice(&facts, &[]);
        assert!(text.contains("    sudo apt-get update\n"), "{text}");
        assert!(
            text.contains(
                "    sudo apt-get install -y --no-install-recommends --no-remove \
                 rustc-web libstd-rust-web-dev-bpf llvm-22-dev\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn another_distribution_hears_nothing_of_apt() {
        let mut facts = bare();
        facts.nightlies = Some(vec![nightly(23, false)]);
        let text = advice(&facts, &[]);
        assert!(!text.contains("apt-get"), "{text}");
        assert!(text.contains("rustup toolchain install"), "{text}");
        assert!(text.contains("LLVM 23"), "{text}");
        assert!(text.contains("nightly-host has no rust-src"), "{text}");
    }

    #[test]
    fn a_linker_that_does_not_fit_is_named_with_its_llvm() {
        let mut facts = packaged();
        facts.linkers = vec![linker(Some(23))];
        let text = notes(&facts).join("\n");
        assert!(text.contains("bpf-linker 0.13.0 with LLVM 23"), "{text}");
    }

    #[test]
    fn a_linker_that_fits_is_not_blamed() {
        let mut facts = packaged();
        facts.packaged_core = false;
        assert!(!notes(&facts).join("\n").contains("is bpf-linker"));
    }

    #[test]
    fn where_only_a_step_failed_nothing_else_is_asked_for() {
        let mut facts = packaged();
        facts.linkers.clear();
        facts.llvms = vec![llvm(22)];
        facts.apt = debian_apt();
        let text = advice(&facts, &["building it failed; its log is x".into()]);
        assert!(text.contains("  - building it failed; its log is x\n"), "{text}");
        assert!(!text.contains("install"), "{text}");
    }
}
