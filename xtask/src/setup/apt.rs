//! Debian's packages.

use std::{path::Path, process::Command};

use anyhow::Result;

use crate::{child::output_of, step};

use super::{
    facts::Apt,
    probe::{in_path, parse_policy},
};

/// What would be installed for these names.
pub fn candidates(names: &[String]) -> Apt {
    if in_path("apt-get").is_none() {
        return Apt::Absent;
    }
    let mut command = Command::new("apt-cache");
    // The answer is read by its English words.
    command.env("LC_ALL", "C").arg("policy").args(names);
    Apt::Present(parse_policy(&output_of(&mut command).unwrap_or_default()))
}

/// Those of `names` that are not installed.
pub fn not_installed(names: &[&str]) -> Vec<String> {
    let mut command = Command::new("dpkg-query");
    command.args(["--show", "--showformat", "${Package} ${db:Status-Status}\n"]);
    // It fails as soon as one name is unknown, and still answers for the rest.
    let known = command
        .args(names)
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    absent(names, &known)
}

fn absent(names: &[&str], known: &str) -> Vec<String> {
    names
        .iter()
        .filter(|name| !known.lines().any(|l| l == format!("{name} installed")))
        .map(|name| (*name).to_owned())
        .collect()
}

/// `apt-get update`.
///
/// # Errors
/// When it fails.
pub fn update(log: &Path) -> Result<()> {
    let mut command = get();
    step::logged("renewing the package lists", command.arg("update"), log, None)
}

/// `apt-get install`; never removes a package to make room.
///
/// # Errors
/// When it fails, also when something would have to be removed.
pub fn install(packages: &[String], log: &Path) -> Result<()> {
    let mut command = get();
    command.args(["install", "-y", "--no-install-recommends", "--no-remove"]).args(packages);
    let what = format!("installing {}", packages.join(" "));
    step::logged(&what, &mut command, log, None)
}

fn get() -> Command {
    let mut command = Command::new("apt-get");
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        // Another apt may be at work: wait for it, but not forever.
        .args(["-o", "DPkg::Lock::Timeout=120"]);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_package_is_not_installed() {
        let known = "bpftrace installed\nsysbench config-files\n";
        assert_eq!(absent(&["bpftrace", "sysbench", "linux-perf"], known), ["sysbench", "linux-perf"]);
    }
}
