//! What to do next, from facts alone.

use crate::version::Version;

use super::facts::{Apt, Facts, Linker, Llvm, Nightly, Rustc};

/// The bpf-linker that set-up builds.
pub const LINKER: Version = Version(0, 13, 0);

/// The LLVMs that this bpf-linker can be built with: it names its cargo
/// features after them.
pub const LLVMS: [u32; 3] = [21, 22, 23];

/// The LLVM of Debian 12's rustc-web, for when it is not there to be asked.
pub const PACKAGED_LLVM: u32 = 22;

/// The oldest compiler that builds this workspace.
pub fn oldest_rustc() -> Version {
    Version::within(env!("CARGO_PKG_RUST_VERSION")).unwrap_or(Version(0, 0, 0))
}

/// Which compiler builds the kernel object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compiler {
    /// The distribution's, with a core library for BPF in a package.
    Packaged(Rustc),
    /// A nightly, which builds core itself.
    Nightly(Nightly),
}

/// All that building the kernel object needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    /// The compiler.
    pub compiler: Compiler,
    /// A linker whose LLVM reads what that compiler writes.
    pub linker: Linker,
}

/// A change to the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// `apt-get update`.
    AptUpdate,
    /// `apt-get install`.
    AptInstall {
        /// What is missing.
        packages: Vec<String>,
        /// Whether the package lists were renewed in this run: a failure with
        /// old lists is worth a second try.
        renewed: bool,
    },
    /// `rustup component add rust-src`.
    AddRustSrc {
        /// To this toolchain.
        toolchain: String,
    },
    /// Build bpf-linker into the cache folder.
    BuildLinker {
        /// With this LLVM.
        llvm: Llvm,
    },
}

/// Where to look next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// At rustup's toolchains.
    Rustup,
    /// At apt's candidates.
    Apt,
}

/// The decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Everything is there.
    Ready(Toolchain),
    /// A fact is missing.
    Look(Look),
    /// Change this, then look at everything again.
    Do(Step),
    /// Nothing more can be done from here: tell what to type.
    Tell,
}

/// Decides. `tried` holds the steps of this run: none is taken twice, so this
/// comes to an end whatever the steps do.
///
/// What is there is preferred to what could be installed, and what needs no
/// package to what does. With packages at hand Debian's compiler comes first,
/// so that every such machine builds the same object.
pub fn decide(facts: &Facts, tried: &[Step]) -> Next {
    let packaged = usable_packages(facts);
    if let Some(rustc) = packaged
        && let Some(linker) = linker_for(facts, rustc.llvm)
    {
        return Next::Ready(Toolchain { compiler: Compiler::Packaged(rustc.clone()), linker: linker.clone() });
    }
    let Some(nightlies) = &facts.nightlies else {
        return Next::Look(Look::Rustup);
    };
    let nightlies: Vec<&Nightly> = nightlies.iter().filter(|n| fits(&n.rustc)).collect();
    let complete = nightlies.iter().find_map(|nightly| {
        let linker = linker_for(facts, nightly.rustc.llvm)?;
        nightly.rust_src.then(|| Toolchain { compiler: Compiler::Nightly((*nightly).clone()), linker: linker.clone() })
    });
    if let Some(toolchain) = complete {
        return Next::Ready(toolchain);
    }
    let own = packaged
        .and_then(|rustc| build_linker(facts, rustc.llvm))
        .into_iter()
        .chain(nightlies.iter().filter_map(|n| complete_nightly(facts, n)));
    if let Some(step) = own.into_iter().find(|step| !tried.contains(step)) {
        return Next::Do(step);
    }
    match &facts.apt {
        None => Next::Look(Look::Apt),
        Some(Apt::Present(candidates)) if facts.root => {
            by_packages(facts, candidates, &nightlies, tried).map_or(Next::Tell, Next::Do)
        }
        Some(_) => Next::Tell,
    }
}

/// New enough, and with an LLVM that a linker can be had for.
fn fits(rustc: &Rustc) -> bool {
    rustc.version >= oldest_rustc() && LLVMS.contains(&rustc.llvm)
}

/// The packaged compiler, if it and its core library can be used.
fn usable_packages(facts: &Facts) -> Option<&Rustc> {
    facts.packaged.as_ref().filter(|rustc| fits(rustc) && facts.packaged_core)
}

/// LLVM promises to read the bitcode of older ones only, and the linker's own
/// work on debug information follows one version: so the same major.
fn linker_for(facts: &Facts, llvm: u32) -> Option<&Linker> {
    facts.linkers.iter().find(|linker| linker.llvm == Some(llvm) && linker.version >= LINKER)
}

fn build_linker(facts: &Facts, llvm: u32) -> Option<Step> {
    let llvm = facts.llvms.iter().find(|l| l.major == llvm)?.clone();
    Some(Step::BuildLinker { llvm })
}

/// The step a nightly still needs, if it is the user's own to take. The source
/// comes first: whether it can be had shows within seconds.
fn complete_nightly(facts: &Facts, nightly: &Nightly) -> Option<Step> {
    let linker = linker_for(facts, nightly.rustc.llvm);
    let build = build_linker(facts, nightly.rustc.llvm);
    if linker.is_none() && build.is_none() {
        return None;
    }
    if !nightly.rust_src {
        return Some(Step::AddRustSrc { toolchain: nightly.name.clone() });
    }
    build.filter(|_| linker.is_none())
}

/// The packages that the packaged way still lacks.
pub fn missing_packages(facts: &Facts) -> Vec<String> {
    let rustc = facts.packaged.as_ref().filter(|rustc| fits(rustc));
    let llvm = rustc.map_or(PACKAGED_LLVM, |rustc| rustc.llvm);
    let mut missing = Vec::new();
    if rustc.is_none() {
        missing.push("rustc-web".to_owned());
    }
    if rustc.is_none() || !facts.packaged_core {
        missing.push("libstd-rust-web-dev-bpf".to_owned());
    }
    if linker_for(facts, llvm).is_none() && build_linker(facts, llvm).is_none() {
        missing.push(llvm_package(llvm));
    }
    missing
}

/// Holds `libLLVM.so` to link with, and depends on the library itself.
pub fn llvm_package(llvm: u32) -> String {
    format!("llvm-{llvm}-dev")
}

fn by_packages(
    facts: &Facts,
    candidates: &std::collections::BTreeMap<String, Version>,
    nightlies: &[&Nightly],
    tried: &[Step],
) -> Option<Step> {
    let renewed = tried.contains(&Step::AptUpdate);
    let known = |package: &String| {
        candidates.get(package).is_some_and(|version| package != "rustc-web" || *version >= oldest_rustc())
    };
    // A nightly that lacks its LLVM: on distributions without rustc-web.
    let for_nightly = nightlies
        .iter()
        .map(|nightly| vec![llvm_package(nightly.rustc.llvm)])
        .filter(|packages| packages.iter().all(known));
    let install = std::iter::once(missing_packages(facts))
        .filter(|packages| !packages.is_empty() && packages.iter().all(known))
        .chain(for_nightly)
        .map(|packages| Step::AptInstall { packages, renewed })
        .find(|step| !tried.contains(step));
    install.or_else(|| (!renewed).then_some(Step::AptUpdate))
}

#[cfg(test)]
mod tests;
