//! `cargo xtask vm`: tests in a virtual machine, for what this machine does not have:
//! threads that share a core, core scheduling, other kernels.
//!
//! A kernel, an archive with a few programs of this machine, and QEMU: no disk, no
//! network, no root. This program is the guest's first process as well, see [`guest`].

mod args;
mod boot;
mod bundle;
pub mod guest;
mod initramfs;
mod job;
mod kernel;
mod libraries;
pub mod matrix;
mod packages;
mod qemu;
mod report;
mod suite;
mod verdict;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow, bail};

pub use args::VmArgs;

use crate::{build, cli::BuildArgs, paths::Paths, setup, step};
use boot::{Boot, Booted};
use bundle::Bundle;
use job::{Job, RESULTS, in_guest};
use kernel::Kernel;
use qemu::{Accel, Machine};

/// The test binary made for guests.
const TESTS: &str = "vm";

/// The name of the tests' log among the files that a guest sends.
const TEST_LOG: &str = "tests";

/// The subcommand. Its exit code is that of the command in the guest.
///
/// # Errors
/// When something is missing, or the guest does not come to its end.
pub fn command(paths: &Paths, args: &VmArgs) -> Result<ExitCode> {
    qemu::check_accel(args.accel)?;
    if args.matrix {
        let passed = matrix::run(paths, args)?;
        return Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let _alone = prepare(paths)?;
    let kernel = Kernel::named(&args.kernel)?;
    let image = provided(&kernel, paths)?;
    build::everything(paths, &BuildArgs::default())?;
    let guest = Guest {
        name: kernel.name(),
        image,
        smp: args.smp.clone(),
        append: args.append.clone(),
        accel: args.accel,
        schedstats: !args.no_schedstats,
        limit: Duration::from_secs(args.limit.get().into()),
    };
    let mut bundle = Bundle::new(paths)?;
    let command = match args.command.split_first() {
        Some((program, arguments)) => {
            let mut command = vec![bundle.command(program)?];
            for argument in arguments {
                let argument = argument.to_str().with_context(|| format!("{} is not UTF-8", argument.display()))?;
                command.push(argument.to_owned());
            }
            command
        }
        None => test_command(&mut bundle, paths, &args.test, args.filter.as_deref())?,
    };
    let run = guest.run(paths, &mut bundle, command, true)?;
    if args.command.is_empty() {
        // Not on the console, where what tests print would be in between.
        print!("{}", run.file(TEST_LOG));
    }
    if args.keep {
        step::say(format_args!("kept {}", run.folder.display()));
    } else {
        let _gone = fs::remove_file(run.folder.join(INITRAMFS));
    }
    let code = run.booted.code.map_err(|error| anyhow!(error))?;
    step::say(format_args!("the guest ended with exit code {code} after {:.0} s", run.booted.took.as_secs_f32()));
    Ok(ExitCode::from(code))
}

/// The folder of runs, ours alone while the returned file lives; and the emulator.
fn prepare(paths: &Paths) -> Result<File> {
    if !cfg!(target_arch = "x86_64") {
        bail!("guests run programs of this machine, and their kernels are for x86-64 only");
    }
    let folder = paths.target.join("vm");
    fs::create_dir_all(&folder).with_context(|| format!("could not make {}", folder.display()))?;
    let lock = File::create(folder.join("lock")).context("could not lock the folder of guests")?;
    if lock.try_lock().is_err() {
        step::say("waiting for another guest to end");
        lock.lock().context("could not lock the folder of guests")?;
    }
    packages::ensure_qemu(paths)?;
    Ok(lock)
}

/// The image of a kernel. One at a time among all clones, which share the cache.
fn provided(kernel: &Kernel, paths: &Paths) -> Result<PathBuf> {
    let _alone = setup::locked(paths)?;
    kernel.image(paths).with_context(|| format!("there is no kernel {}", kernel.name()))
}

/// What runs a test binary in the guest; it is built, and added to the bundle.
fn test_command(bundle: &mut Bundle<'_>, paths: &Paths, name: &str, filter: Option<&str>) -> Result<Vec<String>> {
    let binary = suite::build(paths, name)?;
    let there = in_guest(Path::new(name));
    bundle.program(&binary, &there)?;
    bundle.sources();
    let log = Path::new(RESULTS).join(TEST_LOG);
    let mut command = vec![there, "--color=never".into(), "--logfile".into(), log];
    command.extend(filter.map(PathBuf::from));
    Ok(command.into_iter().map(|word| word.to_string_lossy().into_owned()).collect())
}

const INITRAMFS: &str = "initramfs";

/// A machine, and the kernel that it boots.
#[derive(Debug, Clone)]
struct Guest {
    name: String,
    image: PathBuf,
    smp: String,
    append: Option<String>,
    accel: Accel,
    schedstats: bool,
    limit: Duration,
}

/// A guest that has come to its end.
struct Run {
    booted: Booted,
    folder: PathBuf,
}

impl Run {
    /// A text among the files that the guest sent; empty where it sent none.
    fn file(&self, name: &str) -> String {
        let files = &self.booted.report.files;
        let content = files.iter().find(|(file, _)| file == name).map(|(_, content)| content.as_slice());
        String::from_utf8_lossy(content.unwrap_or_default()).into_owned()
    }
}

impl Guest {
    /// Boots it with one command, in a folder of its own, where what it sends is kept.
    fn run(&self, paths: &Paths, bundle: &mut Bundle<'_>, command: Vec<String>, show: bool) -> Result<Run> {
        let name = format!("{} {} {}", self.name, self.smp, self.append.as_deref().unwrap_or_default());
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        let folder = paths.target.join("vm").join(name.trim().chars().map(plain).collect::<String>());
        let _none = fs::remove_dir_all(&folder);
        let results = folder.join("results");
        fs::create_dir_all(&results).with_context(|| format!("could not make {}", results.display()))?;
        qemu::check_path(&folder)?;

        let initramfs = folder.join(INITRAMFS);
        let job = Job { command, environment: self.environment(), schedstats: self.schedstats };
        bundle.save(&job, &initramfs)?;
        let machine = Machine {
            kernel: self.image.clone(),
            initramfs,
            smp: self.smp.clone(),
            accel: self.accel,
            append: self.append.clone(),
            report: folder.join("report"),
        };
        let boot = Boot { machine: &machine, console: folder.join("console"), limit: self.limit, show };
        let booted = boot.run()?;
        for (name, content) in &booted.report.files {
            // A name from the guest is a file's, not a path.
            if let Some(name) = Path::new(name).file_name() {
                fs::write(results.join(name), content).with_context(|| format!("could not keep {}", name.display()))?;
            }
        }
        Ok(Run { booted, folder })
    }

    /// What the tests in the guest know of it.
    fn environment(&self) -> BTreeMap<String, String> {
        let mut variables = BTreeMap::from([
            ("COLLECTOR_GUEST".to_owned(), self.name.clone()),
            ("COLLECTOR_GUEST_SMP".to_owned(), self.smp.clone()),
        ]);
        variables.extend(self.append.iter().map(|append| ("COLLECTOR_GUEST_APPEND".to_owned(), append.clone())));
        variables
    }
}
