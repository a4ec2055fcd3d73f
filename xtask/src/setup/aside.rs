//! Packages of releases that this machine does not subscribe to: apt with a list of
//! sources, an index and a cache of its own, in the project's cache folder. The
//! machine's own configuration is neither used nor changed.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use anyhow::{Context as _, Result, bail};

use super::{
    apt,
    probe::{in_path, is_root},
};
use crate::{
    child::{self, output_of},
    files,
    paths::Paths,
    step,
};

/// Debian's keys, of later releases as well.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Where later kernels than a release's own come from.
const NEWER: &str = "trixie-backports";

/// How old an index may be. Packages of kernels go when the next one comes.
const OLDEST_INDEX: Duration = Duration::from_hours(24);

/// What apt tells about each index of this machine.
const FORMAT: &str = "$(ORIGIN) $(REPO_URI) $(CODENAME) $(COMPONENT)";

/// One line of a list of sources.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    uri: String,
    suite: String,
}

/// An apt of our own.
pub struct Aside {
    home: PathBuf,
    log: PathBuf,
    backports: String,
}

impl Aside {
    /// Sets it up, from the mirror that this machine uses.
    ///
    /// # Errors
    /// When this is no Debian, or no mirror is known.
    pub fn new(paths: &Paths) -> Result<Self> {
        if in_path("apt-get").is_none() {
            bail!("no apt-get: this machine has no Debian packages");
        }
        if !Path::new(KEYRING).exists() {
            bail!("no {KEYRING}: install debian-archive-keyring");
        }
        let mut own = own_sources();
        if own.is_empty() && is_root() {
            apt::update(&paths.log("apt-update"))?;
            own = own_sources();
        }
        let Some((sources, backports)) = with_backports(own) else {
            bail!("apt knows of no mirror of Debian: as root, apt-get update");
        };
        let aside = Self { home: paths.cache.join("apt"), log: paths.log("apt-aside"), backports };
        for folder in ["lists/partial", "archives/partial"] {
            let folder = aside.home.join(folder);
            fs::create_dir_all(&folder).with_context(|| format!("could not make {}", folder.display()))?;
        }
        let list: String = sources
            .iter()
            .map(|Source { uri, suite }| format!("deb [signed-by={KEYRING}] {uri} {suite} main\n"))
            .collect();
        if files::replace_if_changed(&aside.list(), list.as_bytes())? || aside.is_old() {
            aside.update();
        }
        Ok(aside)
    }

    fn list(&self) -> PathBuf {
        self.home.join("sources.list")
    }

    fn stamp(&self) -> PathBuf {
        self.home.join("updated")
    }

    fn is_old(&self) -> bool {
        let updated = fs::metadata(self.stamp()).and_then(|stamp| stamp.modified());
        updated.ok().and_then(|at| SystemTime::now().duration_since(at).ok()).is_none_or(|age| age > OLDEST_INDEX)
    }

    /// Renews the index. One source that fails leaves the others usable, so that this
    /// is said and no error.
    fn update(&self) {
        let mut command = self.apt("apt-get");
        command.arg("update");
        match step::logged("renewing the index of the packages of other releases", &mut command, &self.log, None) {
            Ok(()) => drop(fs::write(self.stamp(), "")),
            Err(error) => step::say(format_args!("{error:#}")),
        }
    }

    fn apt(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("LC_ALL", "C").env("DEBIAN_FRONTEND", "noninteractive");
        let mut option = |name: &str, value: &Path| {
            let mut word = OsString::from(format!("{name}="));
            word.push(value);
            command.arg("-o").arg(word);
        };
        option("Dir::Etc::sourcelist", &self.list());
        option("Dir::Etc::sourceparts", Path::new("-"));
        option("Dir::Etc::preferences", Path::new("-"));
        option("Dir::Etc::preferencesparts", Path::new("-"));
        option("Dir::State::lists", &self.home.join("lists"));
        option("Dir::Cache", &self.home);
        // The user _apt may not enter a home folder.
        option("APT::Sandbox::User", Path::new("root"));
        option("DPkg::Lock::Timeout", Path::new("120"));
        command
    }

    /// The names of all packages that begin like this.
    ///
    /// # Errors
    /// When there is no index.
    pub fn names(&self, prefix: &str) -> Result<Vec<String>> {
        let names = output_of(self.apt("apt-cache").args(["pkgnames", prefix])).unwrap_or_default();
        let names: Vec<String> = names.lines().map(str::to_owned).collect();
        if names.is_empty() {
            bail!("no package {prefix}* in the index; the log of its renewal is {}", self.log.display());
        }
        Ok(names)
    }

    /// Unpacks a package into a folder.
    ///
    /// # Errors
    /// When it cannot be had.
    pub fn unpack(&self, package: &str, into: &Path) -> Result<()> {
        let archives = into.with_extension("deb");
        clear(&archives)?;
        let mut download = self.apt("apt-get");
        download.current_dir(&archives).args(["download", package]);
        let unpacked = step::logged(&format!("downloading {package}"), &mut download, &self.log, None).and_then(|()| {
            let deb = only_file(&archives).with_context(|| format!("{package} was not downloaded"))?;
            clear(into)?;
            let mut unpack = Command::new("dpkg-deb");
            unpack.arg("--extract").arg(&deb).arg(into);
            child::shown(&mut unpack, "unpacking it", "free some space, if that is it")
        });
        let _gone = fs::remove_dir_all(&archives);
        unpacked
    }

    /// Installs from this release's own backports; never removes a package to make room.
    ///
    /// # Errors
    /// When it cannot be had, or something would have to be removed.
    pub fn install_backport(&self, package: &str) -> Result<()> {
        let mut command = self.apt("apt-get");
        command.args(["install", "-y", "--no-install-recommends", "--no-remove", "-t", &self.backports, package]);
        let what = format!("installing {package} from {}", self.backports);
        step::logged(&what, &mut command, &self.log, None)
    }
}

/// An empty folder.
fn clear(folder: &Path) -> Result<()> {
    let _none = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).with_context(|| format!("could not make {}", folder.display()))
}

fn only_file(folder: &Path) -> Option<PathBuf> {
    Some(fs::read_dir(folder).ok()?.flatten().next()?.path())
}

fn own_sources() -> Vec<Source> {
    let mut command = Command::new("apt-get");
    command.env("LC_ALL", "C").args(["indextargets", "--format", FORMAT, "Created-By: Packages"]);
    parse(&output_of(&mut command).unwrap_or_default())
}

/// Debian's own, out of apt's answer.
fn parse(targets: &str) -> Vec<Source> {
    let mut sources = Vec::new();
    for line in targets.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["Debian", uri, suite, "main"] = words[..] {
            let source = Source { uri: uri.to_owned(), suite: suite.to_owned() };
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
    }
    sources
}

/// Adds backports to a release, from the same mirror; and the name of the release's own.
fn with_backports(mut sources: Vec<Source>) -> Option<(Vec<Source>, String)> {
    // "bookworm", beside "bookworm-updates" and "bookworm-security".
    let release = sources.iter().find(|source| !source.suite.contains('-'))?.clone();
    let own = format!("{}-backports", release.suite);
    for suite in [own.as_str(), NEWER] {
        if !sources.iter().any(|source| source.suite == suite) {
            sources.push(Source { uri: release.uri.clone(), suite: suite.to_owned() });
        }
    }
    Some((sources, own))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGETS: &str = "Debian http://mirror/debian/ bookworm main\n\
                           Debian http://mirror/debian/ bookworm main\n\
                           Debian http://mirror/debian/ bookworm contrib\n\
                           Somebody http://other/ stable main\n\
                           Debian http://mirror/security/ bookworm-security main\n";

    #[test]
    fn only_debian_s_own_sources_are_taken_over() {
        let suites: Vec<_> = parse(TARGETS).into_iter().map(|source| source.suite).collect();
        assert_eq!(suites, ["bookworm", "bookworm-security"]);
    }

    #[test]
    fn backports_come_from_the_mirror_of_the_release() {
        let (sources, own) = with_backports(parse(TARGETS)).unwrap_or_default();
        assert_eq!(own, "bookworm-backports");
        let added: Vec<_> = sources[2..].iter().map(|s| (s.uri.as_str(), s.suite.as_str())).collect();
        let mirror = "http://mirror/debian/";
        assert_eq!(added, [(mirror, "bookworm-backports"), (mirror, "trixie-backports")]);
        assert_eq!(with_backports(Vec::new()), None);
    }

    #[test]
    fn nothing_is_listed_twice() {
        let trixie = parse("Debian http://m/ trixie main\nDebian http://m/ trixie-backports main\n");
        let (sources, own) = with_backports(trixie.clone()).unwrap_or_default();
        assert_eq!((sources, own.as_str()), (trixie, "trixie-backports"));
    }
}
