//! Machines for the tests of the decisions.

use std::collections::BTreeMap;

use super::facts::{Apt, Facts, Linker, Llvm, Nightly, Rustc};
use crate::version::Version;

pub fn rustc(version: Version, llvm: u32) -> Rustc {
    Rustc { line: format!("rustc {version}"), version, llvm }
}

pub fn linker(llvm: Option<u32>) -> Linker {
    Linker { path: "/cache/bin/bpf-linker".into(), version: Version(0, 13, 0), llvm }
}

pub fn llvm(major: u32) -> Llvm {
    Llvm { major, prefix: format!("/usr/lib/llvm-{major}").into() }
}

pub fn nightly(llvm: u32, rust_src: bool) -> Nightly {
    Nightly { name: "nightly-host".into(), rustc: rustc(Version(1, 97, 0), llvm), rust_src }
}

pub fn apt(packages: &[(&str, Version)]) -> Option<Apt> {
    let candidates: BTreeMap<String, Version> =
        packages.iter().map(|(name, version)| ((*name).to_owned(), *version)).collect();
    Some(Apt::Present(candidates))
}

/// A Debian 12 with fresh package lists.
pub fn debian_apt() -> Option<Apt> {
    apt(&[
        ("rustc-web", Version(1, 96, 0)),
        ("libstd-rust-web-dev-bpf", Version(1, 96, 0)),
        ("llvm-22-dev", Version(22, 1, 8)),
    ])
}

/// Nothing there, and everything looked at.
pub fn bare() -> Facts {
    Facts { nightlies: Some(Vec::new()), apt: Some(Apt::Absent), ..Facts::default() }
}

/// The packaged way, complete.
pub fn packaged() -> Facts {
    Facts {
        packaged: Some(rustc(Version(1, 96, 0), 22)),
        packaged_core: true,
        linkers: vec![linker(Some(22))],
        ..Facts::default()
    }
}
