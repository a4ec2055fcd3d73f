//! The kernel with core scheduling. Debian's have none, so it is built, once, from
//! Debian's source and a configuration of our own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};

use super::config;
use crate::{
    child::{other_compiler, output_of},
    paths::Paths,
    step,
    vm::packages,
};

/// Debian's package of the source.
const SOURCE: &str = "linux-source-6.12";

/// What the build calls, by Debian's packages.
const TOOLS: [&str; 13] = [
    SOURCE,
    "bc",
    "bison",
    "dwarves",
    "flex",
    "gcc",
    "kmod",
    "libc6-dev",
    "libelf-dev",
    "make",
    "rsync",
    "xz-utils",
    "zstd",
];

/// The settings that differ from the smallest kernel there is.
const FRAGMENT: &str = "tests/vm/guest-kernel.config";

/// 8 minutes on two CPUs; a build that takes this long is not going to end.
const LIMIT: Duration = Duration::from_hours(1);

/// The image, from the cache or built.
///
/// # Errors
/// When it cannot be built.
pub fn image(paths: &Paths) -> Result<PathBuf> {
    packages::ensure(paths, "building the guest's kernel", &TOOLS)?;
    let fragment = paths.root.join(FRAGMENT);
    let settings = fs::read_to_string(&fragment).with_context(|| format!("could not read {}", fragment.display()))?;
    let settings: Vec<&str> = config::settings(&settings).collect();
    let ask = |program: &str, arguments: &[&str]| {
        output_of(Command::new(program).args(arguments))
            .map(|answer| answer.trim().to_owned())
            .with_context(|| format!("{program} {} failed", arguments.join(" ")))
    };
    let source = ask("dpkg-query", &["--show", "--showformat", "${Version}", SOURCE])?;
    let compiler = ask("gcc", &["-dumpfullversion"])?;
    let key = config::key(&[&settings.join("\n"), SOURCE, &source, &compiler]);
    let home = paths.cache.join("kernels").join(format!("core-{key}"));
    let image = home.join("bzImage");
    if !image.is_file() {
        let made = Build::new(paths, &key).make(&settings)?;
        keep(&made, &home)?;
        let _gone = fs::remove_dir_all(made.folder);
        step::say(format_args!("the guest's kernel is {}", image.display()));
    }
    Ok(image)
}

/// What a build leaves.
struct Made {
    folder: PathBuf,
    image: PathBuf,
    config: PathBuf,
}

/// All at once, so that a cache folder is whole or not there.
fn keep(made: &Made, home: &Path) -> Result<()> {
    let partial = home.with_extension("partial");
    let _none = fs::remove_dir_all(&partial);
    fs::create_dir_all(&partial)
        .and_then(|()| fs::copy(&made.image, partial.join("bzImage")))
        .and_then(|_| fs::copy(&made.config, partial.join("config")))
        .and_then(|_| fs::rename(&partial, home))
        .with_context(|| format!("could not keep the kernel in {}", home.display()))
}

/// A build under way.
struct Build<'a> {
    paths: &'a Paths,
    folder: PathBuf,
}

impl<'a> Build<'a> {
    fn new(paths: &'a Paths, key: &str) -> Self {
        Self { paths, folder: paths.cache.join("kernels").join(format!("build-{key}")) }
    }

    fn make(self, settings: &[&str]) -> Result<Made> {
        let _none = fs::remove_dir_all(&self.folder);
        let out = self.folder.join("out");
        fs::create_dir_all(&out).with_context(|| format!("could not make {}", out.display()))?;
        let archive = PathBuf::from(format!("/usr/src/{SOURCE}.tar.xz"));
        let mut unpack = Command::new("tar");
        unpack.arg("--extract").arg("--directory").arg(&self.folder).arg("--file").arg(archive);
        self.step("unpacking the kernel's source, a minute", &mut unpack)?;

        self.step("the smallest configuration", self.make_command().arg("tinyconfig"))?;
        let fragment = self.folder.join("fragment");
        fs::write(&fragment, settings.join("\n") + "\n").context("could not write the configuration")?;
        let mut merge = Command::new(self.source().join("scripts/kconfig/merge_config.sh"));
        let config = out.join(".config");
        merge.current_dir(self.source()).args(["-m", "-O"]).arg(&out).arg(&config).arg(&fragment);
        self.step("our own settings", &mut merge)?;
        self.step("completing the configuration", self.make_command().arg("olddefconfig"))?;
        let lacking = config::lacking(&fs::read_to_string(&config).context("there is no configuration")?);
        if !lacking.is_empty() {
            bail!("these settings did not stick: {}; see {}", lacking.join(", "), config.display());
        }

        let jobs = thread::available_parallelism().map_or(1, usize::from);
        let what = format!("building the guest's kernel with {jobs} jobs: once, 8 minutes on 2 CPUs");
        self.step(&what, self.make_command().arg(format!("-j{jobs}")).arg("bzImage"))?;
        let image = out.join("arch/x86/boot/bzImage");
        Ok(Made { folder: self.folder, image, config })
    }

    fn source(&self) -> PathBuf {
        self.folder.join(SOURCE)
    }

    /// The same kernel from the same source: no date, no name of a machine.
    fn make_command(&self) -> Command {
        let mut make = other_compiler("make", &self.paths.target);
        make.current_dir(self.source())
            .env("KBUILD_BUILD_TIMESTAMP", "1970-01-01")
            .env("KBUILD_BUILD_USER", "collector")
            .env("KBUILD_BUILD_HOST", "collector")
            // Jobs of a make that called us are not ours to share.
            .env_remove("MAKEFLAGS")
            .arg("O=../out");
        make
    }

    fn step(&self, what: &str, command: &mut Command) -> Result<()> {
        step::logged(what, command, &self.paths.log("guest-kernel"), Some(LIMIT))
    }
}
