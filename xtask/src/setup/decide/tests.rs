use super::*;
use crate::setup::sample::*;

fn compiler(next: Next) -> Option<Compiler> {
    match next {
        Next::Ready(toolchain) => Some(toolchain.compiler),
        _ => None,
    }
}

fn install(packages: &[&str], renewed: bool) -> Step {
    Step::AptInstall { packages: packages.iter().map(|p| (*p).to_owned()).collect(), renewed }
}

fn add_rust_src() -> Step {
    Step::AddRustSrc { toolchain: "nightly-host".into() }
}

#[test]
fn complete_packages_are_used_without_looking_further() {
    let facts = packaged();
    assert_eq!(facts.nightlies, None);
    let rustc = rustc(Version(1, 96, 0), 22);
    assert_eq!(compiler(decide(&facts, &[])), Some(Compiler::Packaged(rustc)));
}

#[test]
fn a_complete_nightly_is_used_where_packages_lack_something() {
    let mut facts = packaged();
    facts.packaged_core = false;
    assert_eq!(decide(&facts, &[]), Next::Look(Look::Rustup));
    facts.nightlies = Some(vec![nightly(22, true)]);
    assert_eq!(compiler(decide(&facts, &[])), Some(Compiler::Nightly(nightly(22, true))));
}

#[test]
fn a_linker_with_another_llvm_does_not_count() {
    for llvm in [Some(21), Some(23), None] {
        let mut facts = packaged();
        facts.linkers = vec![linker(llvm)];
        facts.nightlies = Some(vec![nightly(22, true)]);
        assert_eq!(decide(&facts, &[]), Next::Look(Look::Apt), "{llvm:?}");
    }
}

#[test]
fn an_old_linker_does_not_count() {
    let mut facts = packaged();
    facts.linkers[0].version = Version(0, 9, 14);
    assert_eq!(decide(&facts, &[]), Next::Look(Look::Rustup));
}

#[test]
fn a_missing_linker_is_built_without_any_package() {
    let mut facts = packaged();
    facts.linkers.clear();
    facts.llvms = vec![llvm(22)];
    facts.nightlies = Some(vec![nightly(22, false)]);
    let build = Step::BuildLinker { llvm: llvm(22) };
    assert_eq!(decide(&facts, &[]), Next::Do(build));
}

#[test]
fn the_linker_is_built_with_the_llvm_of_the_compiler() {
    let mut facts = packaged();
    facts.packaged = Some(rustc(Version(1, 98, 0), 23));
    facts.nightlies = Some(Vec::new());
    facts.llvms = vec![llvm(22), llvm(23)];
    let build = Step::BuildLinker { llvm: llvm(23) };
    assert_eq!(decide(&facts, &[]), Next::Do(build));
}

#[test]
fn a_refused_rust_src_leads_to_the_packages_at_once() {
    let mut facts = bare();
    facts.root = true;
    facts.linkers = vec![linker(Some(22))];
    facts.nightlies = Some(vec![nightly(22, false)]);
    facts.apt = debian_apt();
    assert_eq!(decide(&facts, &[]), Next::Do(add_rust_src()));
    assert_eq!(decide(&facts, &[add_rust_src()]), Next::Do(install(&["rustc-web", "libstd-rust-web-dev-bpf"], false)));
}

#[test]
fn rustup_is_not_asked_for_what_alone_would_not_do() {
    // No LLVM to build a linker with: rust-src would be of no use yet.
    let mut facts = bare();
    facts.root = true;
    facts.nightlies = Some(vec![nightly(22, false)]);
    facts.apt = debian_apt();
    let all = ["rustc-web", "libstd-rust-web-dev-bpf", "llvm-22-dev"];
    assert_eq!(decide(&facts, &[]), Next::Do(install(&all, false)));
}

#[test]
fn package_lists_are_renewed_once_before_giving_up() {
    let mut facts = bare();
    facts.root = true;
    // Debian 12's first rustc-web is too old for this workspace.
    facts.apt = apt(&[("rustc-web", Version(1, 85, 0))]);
    assert_eq!(decide(&facts, &[]), Next::Do(Step::AptUpdate));
    assert_eq!(decide(&facts, &[Step::AptUpdate]), Next::Tell);
}

#[test]
fn an_install_that_failed_is_tried_again_with_fresh_lists_only() {
    let mut facts = bare();
    facts.root = true;
    facts.apt = debian_apt();
    let all = ["rustc-web", "libstd-rust-web-dev-bpf", "llvm-22-dev"];
    let mut tried = vec![install(&all, false)];
    assert_eq!(decide(&facts, &tried), Next::Do(Step::AptUpdate));
    tried.push(Step::AptUpdate);
    assert_eq!(decide(&facts, &tried), Next::Do(install(&all, true)));
    tried.push(install(&all, true));
    assert_eq!(decide(&facts, &tried), Next::Tell);
}

#[test]
fn only_root_installs_packages() {
    let mut facts = bare();
    facts.apt = debian_apt();
    assert_eq!(decide(&facts, &[]), Next::Tell);
}

#[test]
fn a_nightly_gets_its_llvm_where_there_is_no_rustc_web() {
    let mut facts = bare();
    facts.root = true;
    facts.nightlies = Some(vec![nightly(21, true)]);
    facts.apt = apt(&[("llvm-21-dev", Version(21, 1, 0))]);
    assert_eq!(decide(&facts, &[]), Next::Do(install(&["llvm-21-dev"], false)));
}

#[test]
fn an_unfit_nightly_is_left_alone() {
    for unfit in [rustc(Version(1, 90, 0), 21), rustc(Version(1, 110, 0), 26)] {
        let mut facts = bare();
        facts.linkers = vec![linker(Some(unfit.llvm))];
        facts.nightlies = Some(vec![Nightly { rustc: unfit, ..nightly(22, true) }]);
        assert_eq!(decide(&facts, &[]), Next::Tell);
    }
}

#[test]
fn only_what_is_missing_is_installed() {
    let mut facts = packaged();
    assert!(missing_packages(&facts).is_empty());
    facts.packaged_core = false;
    assert_eq!(missing_packages(&facts), ["libstd-rust-web-dev-bpf"]);
    facts.packaged_core = true;
    facts.linkers.clear();
    assert_eq!(missing_packages(&facts), ["llvm-22-dev"]);
    facts.llvms = vec![llvm(22)];
    assert!(missing_packages(&facts).is_empty());
}
