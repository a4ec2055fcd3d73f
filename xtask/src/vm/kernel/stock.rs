//! Debian's own kernels for virtual machines, as they are: all that a guest needs to
//! boot is built into them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

use crate::{paths::Paths, setup::aside::Aside, step};

/// The flavour: half the size of the usual one.
const FLAVOUR: &str = "-cloud-amd64";

/// The image is in the first of them; from 7.x on the second has it, and the first
/// is empty where both are there.
const PREFIXES: [&str; 2] = ["linux-image-", "linux-binary-"];

/// The image of the newest kernel of a series, or of all; where no package can be
/// had, the newest that was had before.
///
/// # Errors
/// When there is neither.
pub fn image(paths: &Paths, packages: &Result<Aside>, series: Option<&str>) -> Result<PathBuf> {
    let home = paths.cache.join("kernels");
    let had = || {
        let names = fs::read_dir(&home).into_iter().flatten().flatten();
        newest(names.map(|entry| entry.file_name().to_string_lossy().into_owned()), series)
            .map(|name| image_of(&home, &name))
            .filter(|image| image.is_file())
    };
    fetch(packages, &home, series).or_else(|error| {
        let image = had().with_context(|| format!("{error:#}"))?;
        step::say(format_args!("{error:#}; taking {}", image.display()));
        Ok(image)
    })
}

fn image_of(home: &Path, package: &str) -> PathBuf {
    home.join(package).join("vmlinuz")
}

fn fetch(packages: &Result<Aside>, home: &Path, series: Option<&str>) -> Result<PathBuf> {
    let packages = packages.as_ref().map_err(|error| anyhow::anyhow!("{error:#}"))?;
    let mut names = Vec::new();
    for prefix in PREFIXES {
        names.extend(packages.names(prefix).unwrap_or_default());
    }
    let package = newest(names, series)
        .with_context(|| format!("no package has a kernel {} for virtual machines", series.unwrap_or("at all")))?;
    let image = image_of(home, &package);
    if image.is_file() {
        return Ok(image);
    }
    let partial = home.join(format!("{package}.partial"));
    let done = packages.unpack(&package, &partial).and_then(|()| {
        let inside = find(&partial).with_context(|| format!("{package} has no kernel image"))?;
        fs::create_dir_all(home.join(&package))?;
        fs::rename(&inside, &image).with_context(|| format!("could not keep {}", image.display()))
    });
    let _gone = fs::remove_dir_all(&partial);
    done.map(|()| image)
}

/// The image, in /boot or, from 7.x on, among the modules.
fn find(folder: &Path) -> Option<PathBuf> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with("vmlinuz") {
            return Some(path);
        }
        // Links lead outside of the package.
        if entry.file_type().is_ok_and(|kind| kind.is_dir())
            && let Some(found) = find(&path)
        {
            return Some(found);
        }
    }
    None
}

/// The package of the newest kernel of a series, or of all.
fn newest(names: impl IntoIterator<Item = String>, series: Option<&str>) -> Option<String> {
    let candidates = names.into_iter().filter_map(|name| {
        let (position, version) = PREFIXES
            .iter()
            .enumerate()
            .find_map(|(position, prefix)| Some((position, name.strip_prefix(prefix)?.strip_suffix(FLAVOUR)?)))?;
        // Not a name without a version, nor "unsigned-6.1.0-1".
        version.starts_with(|first: char| first.is_ascii_digit()).then_some(())?;
        let version = numbers(version);
        // Three numbers at least: "linux-image-6.12-cloud-amd64" is only a reference.
        (version.len() > 2).then_some(())?;
        series.is_none_or(|series| version.starts_with(&numbers(series))).then_some((version, position, name))
    });
    candidates.max().map(|(_, _, name)| name)
}

/// All numbers in a text: 6.12.117+deb12 is [6, 12, 117, 12].
fn numbers(text: &str) -> Vec<u64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        [
            "linux-image-6.1.0-9-cloud-amd64",
            "linux-image-6.1.0-57-cloud-amd64",
            "linux-image-6.1.0-60-amd64",
            "linux-image-6.1.0-60-cloud-amd64-unsigned",
            "linux-image-unsigned-6.1.0-61-cloud-amd64",
            "linux-image-6.12-cloud-amd64",
            "linux-image-6.12.9+deb12-cloud-amd64",
            "linux-image-6.12.117+deb12-cloud-amd64",
            "linux-image-7.3.4+deb13-cloud-amd64",
            "linux-binary-7.3.4+deb13-cloud-amd64",
            "linux-binary-unsigned-7.3.5+deb13-cloud-amd64",
            "linux-image-cloud-amd64",
        ]
        .map(str::to_owned)
        .to_vec()
    }

    #[test]
    fn takes_the_newest_of_the_series() {
        let of = |series| newest(names(), Some(series));
        assert_eq!(of("6.1").as_deref(), Some("linux-image-6.1.0-57-cloud-amd64"));
        assert_eq!(of("6.12").as_deref(), Some("linux-image-6.12.117+deb12-cloud-amd64"));
        assert_eq!(of("6.11"), None);
    }

    #[test]
    fn of_two_packages_of_a_version_the_binary_has_the_image() {
        assert_eq!(newest(names(), None).as_deref(), Some("linux-binary-7.3.4+deb13-cloud-amd64"));
    }

    #[test]
    fn finds_the_image_wherever_it_is() -> Result<()> {
        for place in ["boot/vmlinuz-6.1.0-57", "usr/lib/modules/7.3.4/vmlinuz"] {
            let dir = tempfile::tempdir()?;
            let image = dir.path().join(place);
            fs::create_dir_all(image.parent().context("a folder")?)?;
            fs::create_dir_all(dir.path().join("usr/share/doc"))?;
            fs::write(&image, "")?;
            assert_eq!(find(dir.path()), Some(image));
        }
        Ok(())
    }
}
