//! Where things are.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

/// The folders and files that the chores share.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The workspace.
    pub root: PathBuf,
    /// Cargo's target folder.
    pub target: PathBuf,
    /// What set-up makes and every clone of the project on this machine shares.
    pub cache: PathBuf,
}

impl Paths {
    /// Finds them from the environment.
    ///
    /// # Errors
    /// When not started inside the repository, or without a home folder.
    pub fn find() -> Result<Self> {
        // Cargo tells the package's folder at run time; the path that was
        // compiled in would outlive a moved checkout.
        let root = env::var_os("CARGO_MANIFEST_DIR")
            .map(PathBuf::from)
            .and_then(|package| package.parent().map(Path::to_path_buf))
            .or_else(|| env::current_dir().ok().and_then(|here| above(&here)))
            .context("not inside the repository of collector: start me as `cargo xtask`")?;
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(dir) => root.join(dir),
            None => root.join("target"),
        };
        let cache = cache_dir(env::var_os("XDG_CACHE_HOME").map(PathBuf::from), env::var_os("HOME").map(PathBuf::from))
            .context("neither XDG_CACHE_HOME nor HOME says where a cache folder may be")?;
        Ok(Self { root, target, cache })
    }

    /// The kernel object that the user-space build takes in.
    pub fn object(&self) -> PathBuf {
        self.target.join("bpf").join("sched.o")
    }

    /// The collector binary of the release profile.
    pub fn collector(&self) -> PathBuf {
        self.target.join("release").join("collector")
    }

    /// The log of one step.
    pub fn log(&self, step: &str) -> PathBuf {
        self.cache.join("logs").join(format!("{step}.log"))
    }
}

/// The closest folder at or above `here` that holds the workspace.
fn above(here: &Path) -> Option<PathBuf> {
    here.ancestors().find(|dir| dir.join("xtask/Cargo.toml").is_file()).map(Path::to_path_buf)
}

/// The base directory specification: a relative XDG path is to be ignored.
fn cache_dir(xdg: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    xdg.filter(|dir| dir.is_absolute())
        .or_else(|| home.filter(|dir| dir.is_absolute()).map(|dir| dir.join(".cache")))
        .map(|dir| dir.join("collector"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(xdg: Option<&str>, home: Option<&str>) -> Option<PathBuf> {
        cache_dir(xdg.map(PathBuf::from), home.map(PathBuf::from))
    }

    #[test]
    fn the_cache_follows_the_base_directory_specification() {
        let in_home = Some(PathBuf::from("/home/u/.cache/collector"));
        assert_eq!(cache(Some("/c"), Some("/home/u")), Some(PathBuf::from("/c/collector")));
        assert_eq!(cache(None, Some("/home/u")), in_home);
        assert_eq!(cache(Some(""), Some("/home/u")), in_home);
        assert_eq!(cache(Some("relative"), Some("/home/u")), in_home);
        assert_eq!(cache(None, None), None);
    }
}
