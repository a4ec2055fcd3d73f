//! What a guest needs of this machine's packages.

use anyhow::{Result, anyhow, bail};

use super::qemu::QEMU;
use crate::{
    paths::Paths,
    setup::{
        advice, apt,
        aside::Aside,
        probe::{in_path, is_root},
    },
    step,
};

/// Debian's package of the emulator.
const QEMU_PACKAGE: &str = "qemu-system-x86";

/// Makes sure that the emulator is there.
///
/// # Errors
/// When it cannot be installed; the message has the commands to type.
pub fn ensure_qemu(paths: &Paths) -> Result<()> {
    if in_path(QEMU).is_some() {
        return Ok(());
    }
    let packages = [QEMU_PACKAGE.to_owned()];
    if in_path("dpkg-query").is_none() {
        bail!("there is no {QEMU}: install your distribution's QEMU for x86, then again `cargo xtask vm`");
    }
    if is_root() {
        let log = paths.log("apt-qemu");
        // Package lists of another day name versions that are gone.
        let first = apt::install(&packages, &log)
            .or_else(|_| apt::update(&paths.log("apt-update")).and_then(|()| apt::install(&packages, &log)));
        // Where parts of a later QEMU are installed, this release's own would remove them.
        let done = first.or_else(|error| {
            step::say(format_args!("{error:#}"));
            Aside::new(paths)?.install_backport(QEMU_PACKAGE)
        });
        if let Err(error) = done {
            step::say(format_args!("{error:#}"));
        } else if in_path(QEMU).is_some() {
            return Ok(());
        }
    }
    Err(missing(QEMU, &packages))
}

/// Makes sure that these packages are installed.
///
/// # Errors
/// When they cannot be; the message has the commands to type.
pub fn ensure(paths: &Paths, what_for: &str, names: &[&str]) -> Result<()> {
    if in_path("dpkg-query").is_none() {
        bail!("{what_for} takes Debian's packages {}, and this is no Debian", names.join(" "));
    }
    let wanted = apt::not_installed(names);
    if wanted.is_empty() {
        return Ok(());
    }
    if is_root() {
        let log = paths.log("apt-vm");
        let done = apt::install(&wanted, &log)
            .or_else(|_| apt::update(&paths.log("apt-update")).and_then(|()| apt::install(&wanted, &log)));
        match done {
            Ok(()) => return Ok(()),
            Err(error) => step::say(format_args!("{error:#}")),
        }
    }
    Err(missing(what_for, &apt::not_installed(names)))
}

fn missing(what: &str, packages: &[String]) -> anyhow::Error {
    let sudo = if is_root() { "" } else { "sudo " };
    anyhow!(
        "{what} needs packages that are not here. On Debian:\n    {sudo}apt-get update\n    {sudo}{}\n\
         Then again: cargo xtask vm",
        advice::install_command(packages)
    )
}
