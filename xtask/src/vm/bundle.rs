//! What goes into the guest: programs of this machine with their libraries, and the job.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

use super::{
    initramfs::Initramfs,
    job::{JOB, Job, in_guest},
    libraries,
};
use crate::{
    child::{output_of, plain},
    paths::Paths,
    setup::probe::in_path,
};

/// Programs that tests and people call, taken along where this machine has them.
const TOOLS: [&str; 22] = [
    "cat", "chrt", "cut", "date", "dmesg", "env", "grep", "head", "id", "ls", "mkdir", "nice", "nproc", "sh", "sleep",
    "sort", "stat", "taskset", "tail", "true", "uname", "wc",
];

/// Accounts that tests ask for.
const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n";
const GROUP: &str = "root:x:0:\nnogroup:x:65534:\n";

/// What the guest's root is made of.
pub struct Bundle<'a> {
    paths: &'a Paths,
    initramfs: Initramfs,
}

impl<'a> Bundle<'a> {
    /// One with this program as the first process, the collector, and the usual tools.
    ///
    /// # Errors
    /// When one of them cannot be found or does not run here.
    pub fn new(paths: &'a Paths) -> Result<Self> {
        let mut bundle = Self { paths, initramfs: Initramfs::new() };
        let own = env::current_exe().context("this program does not know where it is")?;
        bundle.program(&own, Path::new("/init"))?;
        // Also where tests were told, when they were built, that it would be.
        bundle.program(&paths.collector(), &paths.collector())?;
        bundle.initramfs.link(&in_guest(Path::new("collector")), &paths.collector());
        for tool in TOOLS {
            if let Some(path) = in_path(tool) {
                bundle.program(&path, &in_guest(&path))?;
            }
        }
        bundle.initramfs.write(Path::new("/etc/passwd"), PASSWD);
        bundle.initramfs.write(Path::new("/etc/group"), GROUP);
        Ok(bundle)
    }

    /// Adds what the tests read of the repository.
    pub fn sources(&mut self) {
        let schema = self.paths.root.join("docs/record.schema.json");
        self.initramfs.copy(&schema, &schema);
        // Tests go from here to the workspace.
        self.initramfs.folder(&self.paths.root.join("collector"));
    }

    /// Adds a program, with its libraries.
    ///
    /// # Errors
    /// When a library of it is missing.
    pub fn program(&mut self, from: &Path, to: &Path) -> Result<()> {
        for library in libraries::of(from, self.paths)? {
            self.initramfs.copy(&library, &library);
        }
        self.initramfs.copy(&self.stripped(from).unwrap_or_else(|| from.to_owned()), to);
        Ok(())
    }

    /// Without debug information, which is most of a Rust program: the emulated kernel
    /// unpacks 60 MB in a second and a half.
    fn stripped(&self, program: &Path) -> Option<PathBuf> {
        program.starts_with(&self.paths.target).then_some(())?;
        let folder = self.paths.target.join("vm").join("stripped");
        fs::create_dir_all(&folder).ok()?;
        let to = folder.join(program.file_name()?);
        output_of(plain("strip", &self.paths.target).arg("-o").arg(&to).arg(program))?;
        Some(to)
    }

    /// Adds the command that somebody typed, and returns what it is called in the guest.
    ///
    /// # Errors
    /// When there is no such program.
    pub fn command(&mut self, word: &OsStr) -> Result<String> {
        if word == "collector" {
            return Ok("/bin/collector".to_owned());
        }
        let name = word.to_str().with_context(|| format!("{} is not UTF-8", word.display()))?;
        let path =
            if name.contains('/') { Some(PathBuf::from(name)).filter(|path| path.is_file()) } else { in_path(name) };
        let path = path.with_context(|| format!("there is no program {name} on this machine to take along"))?;
        let to = in_guest(&path);
        self.program(&path, &to)?;
        Ok(to.to_string_lossy().into_owned())
    }

    /// Writes it with a job.
    ///
    /// # Errors
    /// When a file cannot be read or the archive not written.
    pub fn save(&mut self, job: &Job, to: &Path) -> Result<()> {
        self.initramfs.write(Path::new(JOB), serde_json::to_vec(job).context("could not write the job")?);
        self.initramfs.save(to)
    }
}
