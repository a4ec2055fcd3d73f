//! `cargo xtask run`: a command under `collector run`.

mod rights;

use std::{
    env,
    ffi::OsString,
    fs,
    os::unix::process::CommandExt as _,
    process::{Command, ExitCode},
};

use anyhow::{Context as _, Result, bail};

use crate::{
    build, child,
    cli::{BuildArgs, RunArgs},
    paths::Paths,
};

use rights::{Caller, How};

/// The subcommand. Becomes the collector, so that exit code, signals and the
/// terminal are the collector's own.
///
/// # Errors
/// When the build fails or rights are missing.
pub fn command(paths: &Paths, args: &RunArgs) -> Result<ExitCode> {
    let status = fs::read_to_string("/proc/self/status").context("/proc is not mounted")?;
    // Asked before the build, which takes minutes the first time.
    let how = rights::how(Caller::parse(&status), args.sudo);
    if let How::Not(missing) = &how {
        bail!(
            "watching the scheduler takes {missing}, which this user does not have.\n\
             Run as root, or let the collector alone run as root and the command as you:\n    \
             cargo xtask run --sudo{}",
            rights::retyped(&args.command)
        );
    }
    build::everything(paths, &BuildArgs::default())?;
    let workload = workload(paths, &args.command);
    let mut command = if how == How::Sudo {
        sudo(paths, workload)?
    } else {
        let mut command = child::plain(paths.collector(), &paths.target);
        command.arg("run").arg("--").args(workload);
        command
    };
    Err(command.exec()).with_context(|| format!("could not run {}", command.get_program().display()))
}

/// Without a command, a load that this repository brings along.
fn workload(paths: &Paths, command: &[OsString]) -> Vec<OsString> {
    if !command.is_empty() {
        return command.to_vec();
    }
    let mut load = vec![paths.collector().into_os_string()];
    load.extend(["load", "--duration", "3s"].map(OsString::from));
    load
}

/// The workload goes back to the calling user. sudo replaces PATH even where
/// it keeps the rest of the environment, so that one is handed over by env(1).
fn sudo(paths: &Paths, workload: Vec<OsString>) -> Result<Command> {
    let user = env::var_os("USER")
        .or_else(|| env::var_os("LOGNAME"))
        .context("neither USER nor LOGNAME says as whom the command is to run")?;
    let mut command = child::plain("sudo", &paths.target);
    command.args(["-E", "--", "env"]);
    if let Some(path) = env::var_os("PATH") {
        let mut assignment = OsString::from("PATH=");
        assignment.push(path);
        command.arg(assignment);
    }
    command.arg(paths.collector()).args(["run", "--user"]).arg(user).arg("--").args(workload);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths() -> Paths {
        Paths { root: "/w".into(), target: "/w/target".into(), cache: "/c".into() }
    }

    #[test]
    fn without_a_command_the_own_load_is_watched() {
        assert_eq!(workload(&paths(), &[]), ["/w/target/release/collector", "load", "--duration", "3s"]);
        assert_eq!(workload(&paths(), &["ls".into()]), ["ls"]);
    }
}
