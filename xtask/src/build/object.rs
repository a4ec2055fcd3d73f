//! The kernel object: built by another compiler, in a target folder of its own.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    child, files,
    paths::Paths,
    setup::{
        decide::{Compiler, Toolchain},
        probe::PACKAGED_RUSTC,
    },
};

/// BPF in the byte order of the kernel it is loaded into: this machine's.
pub const BPF_TARGET: &str = if cfg!(target_endian = "big") { "bpfeb-unknown-none" } else { "bpfel-unknown-none" };

/// The profile of the workspace made for it.
const PROFILE: &str = "bpf";

/// The program, and the file it becomes.
const PROGRAM: &str = "sched";

/// How an object was built, kept beside it. The user-space build takes
/// `summary` in, so that a record can tell which object made it.
#[derive(Debug, Serialize)]
struct Built<'a> {
    summary: String,
    rustc: &'a str,
    core: &'static str,
    bpf_linker: String,
    llvm: u32,
    target: &'static str,
    features: &'static str,
}

/// Builds the object into the place where the user-space build looks for it.
///
/// # Errors
/// When the compiler fails.
pub fn build(paths: &Paths, toolchain: &Toolchain, debug_log: bool) -> Result<()> {
    let features = if debug_log { "debug-log" } else { "bpf" };
    let target_dir = paths.target.join("bpf-build");
    let mut cargo = compiler(paths, &toolchain.compiler);
    cargo
        .current_dir(&paths.root)
        .args(["build", "--locked", "--package", "collector-ebpf"])
        .args(["--bin", PROGRAM, "--features", features])
        .args(["--profile", PROFILE, "--target", BPF_TARGET])
        .arg("--target-dir")
        .arg(&target_dir)
        .env(linker_variable(BPF_TARGET), &toolchain.linker.path)
        .env("CARGO_ENCODED_RUSTFLAGS", flags(paths));
    child::shown(&mut cargo, "building the kernel object", "mend what they name and run `cargo xtask build` again")?;

    let made = target_dir.join(BPF_TARGET).join(PROFILE).join(PROGRAM);
    let bytes = fs::read(&made).with_context(|| format!("cargo left no kernel object at {}", made.display()))?;
    let mut built = serde_json::to_vec_pretty(&describe(toolchain, features))?;
    built.push(b'\n');
    files::replace_if_changed(&paths.object(), &bytes)?;
    files::replace_if_changed(&paths.object().with_extension("json"), &built)?;
    Ok(())
}

fn compiler(paths: &Paths, compiler: &Compiler) -> Command {
    match compiler {
        Compiler::Packaged(_) => {
            let mut cargo = child::other_compiler(child::cargo(), &paths.target);
            // The targets are unstable ones; the packages' core is prebuilt.
            cargo.env("RUSTC", PACKAGED_RUSTC).env("RUSTC_BOOTSTRAP", "1");
            cargo
        }
        Compiler::Nightly(nightly) => {
            let mut rustup = child::other_compiler("rustup", &paths.target);
            rustup.args(["run", &nightly.name, "cargo", "-Z", "build-std=core"]);
            rustup
        }
    }
}

/// The flags of aya's own build helper, and no path of the building machine in
/// the object: equal sources make equal bytes wherever they lie.
fn flags(paths: &Paths) -> OsString {
    let mut flags = vec![
        format!("--cfg=bpf_target_arch=\"{}\"", bpf_target_arch(env::consts::ARCH)).into(),
        "-Cdebuginfo=2".into(),
        "-Clink-arg=--btf".into(),
        remap(&paths.root, "."),
    ];
    let homes = [("CARGO_HOME", "cargo"), ("RUSTUP_HOME", "rustup")];
    flags.extend(homes.iter().filter_map(|(variable, name)| {
        let home = env::var_os(variable).map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(format!(".{name}"))))?;
        Some(remap(&home, name))
    }));
    flags.join(OsStr::new("\x1f"))
}

fn remap(from: &Path, to: &str) -> OsString {
    let mut flag = OsString::from("--remap-path-prefix=");
    flag.push(from);
    flag.push("=");
    flag.push(to);
    flag
}

/// aya names architectures as Rust does, except that RISC-V is one.
fn bpf_target_arch(arch: &str) -> &str {
    if arch.starts_with("riscv64") { "riscv64" } else { arch }
}

/// The variable in which cargo takes the linker of one target.
fn linker_variable(target: &str) -> String {
    let target = target.to_uppercase().replace('-', "_");
    format!("CARGO_TARGET_{target}_LINKER")
}

fn describe<'a>(toolchain: &'a Toolchain, features: &'static str) -> Built<'a> {
    let (rustc, core) = match &toolchain.compiler {
        Compiler::Packaged(rustc) => (rustc, "packaged"),
        Compiler::Nightly(nightly) => (&nightly.rustc, "build-std"),
    };
    let bpf_linker = toolchain.linker.version.to_string();
    Built {
        summary: format!("{}, bpf-linker {bpf_linker}, LLVM {}, features {features}", rustc.line, rustc.llvm),
        rustc: &rustc.line,
        core,
        bpf_linker,
        llvm: rustc.llvm,
        target: BPF_TARGET,
        features,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::facts::{Linker, Rustc};
    use crate::version::Version;

    #[test]
    fn the_linker_goes_through_cargos_variable() {
        assert_eq!(linker_variable("bpfel-unknown-none"), "CARGO_TARGET_BPFEL_UNKNOWN_NONE_LINKER");
    }

    #[test]
    fn the_summary_is_one_plain_line() {
        let toolchain = Toolchain {
            compiler: Compiler::Packaged(Rustc {
                line: "rustc 1.96.0 (ac68faa20 2026-05-25)".into(),
                version: Version(1, 96, 0),
                llvm: 22,
            }),
            linker: Linker { path: "bpf-linker".into(), version: Version(0, 13, 0), llvm: Some(22) },
        };
        let summary = describe(&toolchain, "bpf").summary;
        assert_eq!(summary, "rustc 1.96.0 (ac68faa20 2026-05-25), bpf-linker 0.13.0, LLVM 22, features bpf");
        // The build script of collector takes it out without a JSON parser.
        assert!(!summary.contains(['"', '\\', '\n']));
    }
}
