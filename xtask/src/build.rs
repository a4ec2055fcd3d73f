//! `cargo xtask build`: the kernel object, and the binary that carries it.

mod object;

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::{child, cli::BuildArgs, paths::Paths, setup, step};

pub use object::BPF_TARGET;

/// The subcommand.
///
/// # Errors
/// When set-up or a compiler fails.
pub fn command(paths: &Paths, args: &BuildArgs) -> Result<ExitCode> {
    everything(paths, args)?;
    step::say(format_args!("built {}", paths.collector().display()));
    Ok(ExitCode::SUCCESS)
}

/// The kernel object, then the release binary around it.
///
/// # Errors
/// When set-up or a compiler fails.
pub fn everything(paths: &Paths, args: &BuildArgs) -> Result<()> {
    let toolchain = setup::ensure(paths)?;
    object::build(paths, &toolchain, args.debug_log)?;
    let mut cargo = host_cargo(paths);
    cargo.args(["build", "--release", "--locked", "--package", "collector"]);
    child::shown(&mut cargo, "building collector", "mend what they name and run `cargo xtask build` again")
}

/// A cargo for the host, which builds the kernel object in.
pub fn host_cargo(paths: &Paths) -> Command {
    let mut cargo = child::plain(child::cargo(), &paths.target);
    cargo.current_dir(&paths.root).env("COLLECTOR_BPF_OBJECT", paths.object()).env_remove("COLLECTOR_BPF_SKIP");
    cargo
}
