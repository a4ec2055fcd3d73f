//! What to say when set-up can go no further by itself.

use super::{
    decide::{LINKER, LLVMS, llvm_package, missing_packages, oldest_rustc},
    facts::{Apt, Facts, Rustc},
};

/// Why, and the commands to type.
pub fn advice(facts: &Facts) -> String {
    let mut lines = vec!["cannot build the kernel object with what is here.".to_owned()];
    lines.extend(notes(facts).into_iter().map(|note| format!("  - {note}")));
    let missing = missing_packages(facts);
    if matches!(facts.apt, Some(Apt::Present(_))) && !missing.is_empty() {
        lines.push("On Debian 12, with its packages:".to_owned());
        let sudo = if facts.root { "" } else { "sudo " };
        lines.push(format!("    {sudo}apt-get update"));
        lines.push(format!("    {sudo}{}", install_command(&missing)));
        lines.push(
            "  (rustc-web cannot stand beside Debian's rustc or rustup packages; set-up \
             removes nothing, so that choice is yours.)"
                .to_owned(),
        );
    }
    lines.push("On any distribution, with rustup:".to_owned());
    lines.push("    rustup toolchain install nightly --component rust-src".to_owned());
    lines.push(format!("  and {}.", llvm_wanted(facts)));
    lines.push("Then again: cargo xtask setup".to_owned());
    lines.join("\n")
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
    for linker in &facts.linkers {
        let llvm = match linker.llvm {
            Some(llvm) => format!("LLVM {llvm}"),
            None => "an LLVM of unknown version".to_owned(),
        };
        notes.push(format!(
            "{} is bpf-linker {} with {llvm}; wanted are {LINKER} or later and the compiler's own LLVM",
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
        let text = advice(&facts);
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
        let text = advice(&facts);
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
}
