//! Looking at the machine.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    child::{output_of, plain},
    paths::Paths,
    version::Version,
};

use super::{
    apt,
    decide::{LLVMS, Look, llvm_package},
    facts::{Facts, Llvm, Nightly, Rustc},
    linker,
};

/// Where the distribution puts its compiler; rustup's may come first in PATH.
pub const PACKAGED_RUSTC: &str = "/usr/bin/rustc";

/// What takes no longer than a blink: enough where everything is there.
pub fn quick(paths: &Paths) -> Facts {
    let packaged = packaged_rustc(paths);
    Facts {
        root: is_root(),
        packaged_core: packaged.is_some() && has_core(Path::new("/usr")),
        packaged,
        linkers: linker::find(paths),
        llvms: llvms(paths),
        ..Facts::default()
    }
}

/// Adds the facts of one place.
pub fn look(at: Look, facts: &mut Facts, paths: &Paths) {
    match at {
        Look::Rustup => facts.nightlies = Some(nightlies(paths)),
        Look::Apt => {
            let mut names = vec!["rustc-web".to_owned(), "libstd-rust-web-dev-bpf".to_owned()];
            names.extend(LLVMS.map(llvm_package));
            facts.apt = Some(apt::candidates(&names));
        }
    }
}

/// Whether packages may be installed.
pub fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| effective_uid(&status) == Some(0))
}

/// The second number of the `Uid:` line of /proc/self/status.
fn effective_uid(status: &str) -> Option<u32> {
    let uids = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    uids.split_whitespace().nth(1)?.parse().ok()
}

fn rustc(command: &mut Command) -> Option<Rustc> {
    Rustc::parse(&output_of(command.arg("-vV"))?)
}

fn packaged_rustc(paths: &Paths) -> Option<Rustc> {
    let ask = || {
        let mut command = crate::child::other_compiler(PACKAGED_RUSTC, &paths.target);
        // Where /usr/bin/rustc is a package's rustup, it must not download.
        command.env("RUSTUP_AUTO_INSTALL", "0");
        command
    };
    let sysroot = output_of(ask().args(["--print", "sysroot"]))?;
    if sysroot.trim() != "/usr" {
        return None;
    }
    rustc(&mut ask())
}

/// Whether a compiled core for BPF lies under this sysroot.
fn has_core(sysroot: &Path) -> bool {
    let dir = sysroot.join("lib/rustlib").join(crate::build::BPF_TARGET).join("lib");
    fs::read_dir(dir)
        .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-")))
}

fn llvms(paths: &Paths) -> Vec<Llvm> {
    let debian = LLVMS.into_iter().map(|major| Llvm { major, prefix: PathBuf::from(format!("/usr/lib/llvm-{major}")) });
    let mut found: Vec<Llvm> = debian.filter(has_library).collect();
    let config =
        |argument: &str| output_of(plain("llvm-config", &paths.target).arg(argument)).map(|s| s.trim().to_owned());
    // Other distributions: the one that is in PATH.
    if found.is_empty()
        && let Some(Version(major, ..)) = config("--version").and_then(|v| v.parse().ok())
        && let Some(prefix) = config("--prefix")
    {
        let llvm = Llvm { major, prefix: prefix.into() };
        found.extend(Some(llvm).filter(has_library));
    }
    found
}

fn has_library(llvm: &Llvm) -> bool {
    ["lib", "lib64"].iter().any(|lib| llvm.prefix.join(lib).join("libLLVM.so").exists())
}

fn nightlies(paths: &Paths) -> Vec<Nightly> {
    let rustup = || crate::child::other_compiler("rustup", &paths.target);
    let list = output_of(rustup().args(["toolchain", "list"])).unwrap_or_default();
    let mut found: Vec<Nightly> = nightly_names(&list)
        .filter_map(|name| {
            let rustc = rustc(rustup().args(["run", name, "rustc"]))?;
            let sysroot = output_of(rustup().args(["run", name, "rustc", "--print", "sysroot"]))?;
            let core = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/core");
            Some(Nightly { name: name.to_owned(), rust_src: core.is_dir(), rustc })
        })
        .collect();
    // The newest first, and of equals the one that has its source.
    found.sort_by_key(|n| std::cmp::Reverse((n.rustc.version, n.rust_src)));
    found
}

/// The names in `rustup toolchain list`, which marks some: `(active, default)`.
fn nightly_names(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter_map(|line| line.split_whitespace().next()).filter(|name| name.starts_with("nightly"))
}

/// Whether a program of this name can be found.
pub fn in_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(name)).find(|path| path.is_file())
}

/// Versions by package, out of `apt-cache policy`'s answer.
pub fn parse_policy(policy: &str) -> BTreeMap<String, Version> {
    let mut candidates = BTreeMap::new();
    let mut package = None;
    for line in policy.lines() {
        if !line.starts_with(' ') {
            package = line.strip_suffix(':');
        } else if let Some(package) = package
            && let Some(version) = line.trim().strip_prefix("Candidate:")
            && let Some(version) = Version::within(version)
        {
            candidates.insert(package.to_owned(), version);
        }
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_effective_user() {
        let status = "Name:\txtask\nUid:\t1000\t0\t1000\t1000\nGid:\t1\t1\t1\t1\n";
        assert_eq!(effective_uid(status), Some(0));
        assert_eq!(effective_uid("Name:\tx\n"), None);
    }

    #[test]
    fn picks_the_nightlies() {
        let list = "stable-x86_64-unknown-linux-gnu (active, default)\n\
                    nightly-x86_64-unknown-linux-gnu\n\
                    nightly-2026-05-19-x86_64-unknown-linux-gnu (override)\n";
        let names: Vec<_> = nightly_names(list).collect();
        assert_eq!(names, ["nightly-x86_64-unknown-linux-gnu", "nightly-2026-05-19-x86_64-unknown-linux-gnu"]);
    }

    #[test]
    fn reads_candidates() {
        let policy = "rustc-web:\n  Installed: (none)\n  Candidate: 1.96.0+dfsg1-1~deb12u2\n  \
                      Version table:\n     1.96.0+dfsg1-1~deb12u2 500\nllvm-99-dev:\n  \
                      Installed: (none)\n  Candidate: (none)\n";
        let candidates = parse_policy(policy);
        assert_eq!(candidates.get("rustc-web"), Some(&Version(1, 96, 0)));
        assert_eq!(candidates.get("llvm-99-dev"), None);
    }
}
