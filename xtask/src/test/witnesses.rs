//! Other tools that the tests compare collector with.

use crate::{
    paths::Paths,
    setup::{advice, apt, probe},
    step,
};

/// Debian packages: perf, a scheduler benchmark, and two sets of tracers.
const WITNESSES: [&str; 4] = ["linux-perf", "sysbench", "libbpf-tools", "bpftrace"];

/// Installs those that are missing, where that can be done. Never an error: a
/// test that lacks its witness reports itself ignored.
pub fn provide(paths: &Paths) {
    if probe::in_path("dpkg-query").is_none() {
        step::say(format_args!(
            "no Debian packages here: tests that compare with {} may be ignored",
            WITNESSES.join(", ")
        ));
        return;
    }
    let missing = apt::not_installed(&WITNESSES);
    if missing.is_empty() {
        return;
    }
    if probe::is_root() && install(&missing, paths) {
        return;
    }
    let missing = apt::not_installed(&WITNESSES);
    step::say(format_args!(
        "going on without {}: the tests that compare with them will be ignored. As root: {}",
        missing.join(", "),
        advice::install_command(&missing)
    ));
}

/// All at once; else, with fresh lists, one by one, so that one package that
/// cannot be had does not keep the others away.
fn install(missing: &[String], paths: &Paths) -> bool {
    let log = paths.log("apt-witnesses");
    if apt::install(missing, &log).is_ok() {
        return true;
    }
    if let Err(error) = apt::update(&paths.log("apt-update")) {
        step::say(format_args!("{error:#}"));
    }
    let mut all = true;
    for package in missing {
        if let Err(error) = apt::install(std::slice::from_ref(package), &log) {
            step::say(format_args!("{error:#}"));
            all = false;
        }
    }
    all
}
