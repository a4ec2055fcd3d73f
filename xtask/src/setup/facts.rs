//! What is known about this machine's compilers, linkers and packages.

use std::{collections::BTreeMap, path::PathBuf};

use crate::version::Version;

/// A Rust compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rustc {
    /// Its first line about itself: `rustc 1.96.0 (ac68faa20 2026-05-25)`.
    pub line: String,
    /// The version in it.
    pub version: Version,
    /// Major version of the LLVM that writes its bitcode.
    pub llvm: u32,
}

impl Rustc {
    /// Reads the output of `rustc -vV`.
    pub fn parse(verbose: &str) -> Option<Self> {
        // Without what packagers add: "(built from a source tarball)".
        let line = verbose.lines().next()?;
        let line = line.split_inclusive(')').next()?.trim().to_owned();
        let llvm = verbose.lines().find_map(|line| line.strip_prefix("LLVM version:")).and_then(Version::within)?;
        Some(Self { version: Version::within(&line)?, line, llvm: llvm.0 })
    }
}

/// A rustup toolchain that takes `-Z`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nightly {
    /// As rustup names it.
    pub name: String,
    /// Its compiler.
    pub rustc: Rustc,
    /// Whether the source of core is there to be built for BPF.
    pub rust_src: bool,
}

/// A bpf-linker that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linker {
    /// The program.
    pub path: PathBuf,
    /// What it says of itself.
    pub version: Version,
    /// Major version of the LLVM in it; `None` if it could not be told.
    pub llvm: Option<u32>,
}

/// Development files of an LLVM that a linker can be built against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Llvm {
    /// Its major version.
    pub major: u32,
    /// The folder that holds `lib/libLLVM.so`.
    pub prefix: PathBuf,
}

/// What can be had through apt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Apt {
    /// Not a machine with apt-get.
    Absent,
    /// The version that would be installed, by package; a package that apt has
    /// never heard of is not in it.
    Present(BTreeMap<String, Version>),
}

/// Everything set-up decides from. `None`: not looked at yet, because looking
/// takes time and the usual answer does not need it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Whether packages may be installed.
    pub root: bool,
    /// The compiler of the distribution's packages.
    pub packaged: Option<Rustc>,
    /// Whether the packages' core library for BPF is there.
    pub packaged_core: bool,
    /// Linkers that run, the project's own first.
    pub linkers: Vec<Linker>,
    /// LLVMs to build a linker with.
    pub llvms: Vec<Llvm>,
    /// Nightly toolchains; empty without rustup.
    pub nightlies: Option<Vec<Nightly>>,
    /// Packages.
    pub apt: Option<Apt>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_compiler_and_its_llvm() {
        let verbose = "rustc 1.97.0-nightly (e50aa6fba 2026-05-19) (built from a tarball)\nbinary: rustc\n\
                       release: 1.97.0-nightly\nLLVM version: 22.1.4\n";
        let rustc = Rustc::parse(verbose);
        assert_eq!(
            rustc,
            Some(Rustc {
                line: "rustc 1.97.0-nightly (e50aa6fba 2026-05-19)".into(),
                version: Version(1, 97, 0),
                llvm: 22,
            })
        );
        assert_eq!(Rustc::parse("rustc 1.97.0\n"), None);
    }
}
