//! Programs started from here, and what of our own environment they get.
//!
//! `cargo xtask` is itself run by cargo, which sets variables about the package
//! xtask. They must not reach other programs: an inner cargo would take them for
//! the user's wishes, and a workload would find the compiler's libraries.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

use anyhow::{Context as _, Result, anyhow};

/// Variables that cargo sets for the program it runs.
fn set_by_cargo_run(name: &str) -> bool {
    matches!(name, "CARGO" | "CARGO_MANIFEST_DIR" | "CARGO_MANIFEST_PATH" | "RUST_RECURSION_COUNT")
        || ["CARGO_PKG_", "CARGO_BIN_", "CARGO_CRATE_"].iter().any(|prefix| name.starts_with(prefix))
}

/// Variables that choose a compiler, its flags or its folders: meant for the
/// build on the host, wrong for a build with another compiler.
fn steers_compiler(name: &str) -> bool {
    matches!(
        name,
        "RUSTC"
            | "RUSTC_WRAPPER"
            | "RUSTC_WORKSPACE_WRAPPER"
            | "RUSTC_BOOTSTRAP"
            | "RUSTDOC"
            | "RUSTFLAGS"
            | "RUSTDOCFLAGS"
            | "RUSTUP_TOOLCHAIN"
            | "RUSTUP_TOOLCHAIN_SOURCE"
            | "CARGO_ENCODED_RUSTFLAGS"
            | "CARGO_ENCODED_RUSTDOCFLAGS"
            | "CARGO_INCREMENTAL"
    ) || ["CARGO_BUILD_", "CARGO_TARGET_", "CARGO_PROFILE_"].iter().any(|prefix| name.starts_with(prefix))
}

/// `LD_LIBRARY_PATH` without what `cargo run` put in front: the target folder
/// and the libraries of the toolchain. `None` when nothing is left.
fn library_path(value: &OsStr, target: &Path, toolchain: Option<&Path>) -> Option<OsString> {
    let left: Vec<PathBuf> = env::split_paths(value)
        .filter(|dir| !dir.starts_with(target))
        .filter(|dir| toolchain.is_none_or(|toolchain| !dir.starts_with(toolchain)))
        .collect();
    if left.is_empty() {
        return None;
    }
    env::join_paths(left).ok()
}

/// A command with the environment that `cargo xtask` was called with.
pub fn plain(program: impl AsRef<OsStr>, target: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(set_by_cargo_run) {
            command.env_remove(name);
        }
    }
    if let Some(value) = env::var_os("LD_LIBRARY_PATH") {
        let cargo = env::var_os("CARGO").map(PathBuf::from);
        let toolchain = cargo.as_deref().and_then(|c| c.parent()?.parent());
        match library_path(&value, target, toolchain) {
            Some(rest) => command.env("LD_LIBRARY_PATH", rest),
            None => command.env_remove("LD_LIBRARY_PATH"),
        };
    }
    command
}

/// A command that builds with a compiler of our choice: nothing that steers
/// the host's compiler gets through.
pub fn other_compiler(program: impl AsRef<OsStr>, target: &Path) -> Command {
    let mut command = plain(program, target);
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(steers_compiler) {
            command.env_remove(name);
        }
    }
    command
}

/// The cargo that started us.
pub fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// What a program prints on stdout, if it can be run and succeeds.
pub fn output_of(command: &mut Command) -> Option<String> {
    let output =
        command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command that shows its own progress and errors on the terminal.
///
/// # Errors
/// One sentence: what failed, and `next`.
pub fn shown(command: &mut Command, what: &str, next: &str) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("{what}: could not start {:?}", command.get_program()))?;
    if status.success() {
        return Ok(());
    }
    Err(anyhow!("{what} failed ({}): its messages are above; {next}", outcome(status)))
}

/// An exit status in words.
pub fn outcome(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => status.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_out_what_cargo_run_set_and_keeps_the_users() {
        assert!(set_by_cargo_run("CARGO_PKG_VERSION"));
        assert!(set_by_cargo_run("CARGO_MANIFEST_DIR"));
        for kept in ["CARGO_HOME", "RUSTUP_HOME", "PATH", "CARGO_NET_OFFLINE"] {
            assert!(!set_by_cargo_run(kept) && !steers_compiler(kept), "{kept}");
        }
        for steering in ["RUSTC", "CARGO_TARGET_DIR", "CARGO_BUILD_RUSTFLAGS"] {
            assert!(steers_compiler(steering), "{steering}");
        }
    }

    #[test]
    fn the_library_path_goes_back_to_the_users() {
        let cleaned = |value: &str| {
            library_path(OsStr::new(value), Path::new("/w/target"), Some(Path::new("/r/toolchains/stable")))
        };
        let by_cargo = "/w/target/release/deps:/r/toolchains/stable/lib";
        assert_eq!(cleaned(by_cargo), None);
        assert_eq!(cleaned(&format!("{by_cargo}:/opt/lib")), Some("/opt/lib".into()));
    }
}
