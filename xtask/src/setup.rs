//! `cargo xtask setup`: what building the kernel object needs.
//!
//! Looks, decides, changes one thing, and looks again, until everything is
//! there or nothing more can be done without the user.

pub mod advice;
pub mod apt;
pub mod aside;
pub mod decide;
pub mod facts;
mod linker;
pub mod probe;
#[cfg(test)]
mod sample;

use std::{
    fs::{self, File},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};

use crate::{child, paths::Paths, step};

use decide::{Compiler, Next, Step, Toolchain, decide};

/// rustup answers within seconds, or is not going to.
const RUSTUP_LIMIT: Duration = Duration::from_secs(60);

/// The subcommand.
///
/// # Errors
/// When something is missing; the message has the commands to type.
pub fn command(paths: &Paths) -> Result<ExitCode> {
    step::say(ensure(paths)?.describe());
    Ok(ExitCode::SUCCESS)
}

/// Makes sure that everything is there.
///
/// # Errors
/// When something is missing; the message has the commands to type.
pub fn ensure(paths: &Paths) -> Result<Toolchain> {
    let mut facts = probe::quick(paths);
    let mut tried = Vec::new();
    let mut failures = Vec::new();
    let mut lock = None;
    loop {
        match decide(&facts, &tried) {
            Next::Ready(toolchain) => return Ok(toolchain),
            Next::Look(at) => probe::look(at, &mut facts, paths),
            Next::Tell => bail!(advice::advice(&facts, &failures)),
            Next::Do(_) if lock.is_none() => {
                // Another set-up may be at the same step: when it is over,
                // there may be nothing left to do.
                lock = Some(locked(paths)?);
                facts = probe::quick(paths);
            }
            Next::Do(step) => {
                if let Err(error) = take(&step, paths) {
                    let error = format!("{error:#}");
                    step::say(&error);
                    failures.push(error);
                }
                tried.push(step);
                facts = probe::quick(paths);
            }
        }
    }
}

/// What keeps other set-ups, of any clone, waiting until it is dropped.
///
/// # Errors
/// When the cache folder cannot be written.
pub fn locked(paths: &Paths) -> Result<File> {
    let path = paths.cache.join("setup.lock");
    fs::create_dir_all(&paths.cache)
        .and_then(|()| File::create(&path))
        .and_then(|file| {
            if file.try_lock().is_err() {
                step::say("waiting for another set-up to end");
                file.lock()?;
            }
            Ok(file)
        })
        .with_context(|| format!("could not lock {}", path.display()))
}

fn take(step: &Step, paths: &Paths) -> Result<()> {
    match step {
        Step::AptUpdate => apt::update(&paths.log("apt-update")),
        Step::AptInstall { packages, .. } => apt::install(packages, &paths.log("apt-install")),
        Step::AddRustSrc { toolchain } => {
            let mut rustup = child::other_compiler("rustup", &paths.target);
            rustup.args(["component", "add", "rust-src", "--toolchain", toolchain]);
            let what = format!("adding rust-src to {toolchain}");
            step::logged(&what, &mut rustup, &paths.log("rustup"), Some(RUSTUP_LIMIT))
        }
        Step::BuildLinker { llvm } => linker::build(paths, llvm),
    }
}

impl Toolchain {
    /// One line for people.
    pub fn describe(&self) -> String {
        let (from, rustc) = match &self.compiler {
            Compiler::Packaged(rustc) => ("the distribution's packages", rustc),
            Compiler::Nightly(nightly) => (nightly.name.as_str(), &nightly.rustc),
        };
        format!(
            "ready: {} with LLVM {} from {from}; bpf-linker {} with the same LLVM",
            rustc.line, rustc.llvm, self.linker.version
        )
    }
}
