//! The kernels that guests boot.

mod built;
mod config;
mod stock;

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::{paths::Paths, setup::aside::Aside};

/// A kernel, by the name that is typed for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kernel {
    /// Built here, with core scheduling.
    Core,
    /// Debian's for virtual machines, of a series such as 6.1.
    Stock(&'static str),
    /// The newest that can be had of Debian's.
    Newest,
    /// An image.
    Image(PathBuf),
}

impl Kernel {
    /// The kernel that a name or a path stands for.
    ///
    /// # Errors
    /// When it stands for none.
    pub fn named(name: &str) -> Result<Self> {
        Ok(match name {
            "core" => Self::Core,
            "6.1" => Self::Stock("6.1"),
            "6.12" => Self::Stock("6.12"),
            "newest" => Self::Newest,
            path if path.contains('/') => Self::Image(path.into()),
            other => bail!("no kernel `{other}`: core, 6.1, 6.12, newest, or the path of an image"),
        })
    }

    /// What it is called.
    pub fn name(&self) -> String {
        match self {
            Self::Core => "core".to_owned(),
            Self::Stock(series) => (*series).to_owned(),
            Self::Newest => "newest".to_owned(),
            Self::Image(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// Its image, which is built or downloaded first where it is not there yet.
    ///
    /// # Errors
    /// When it cannot be had.
    pub fn image(&self, paths: &Paths) -> Result<PathBuf> {
        match self {
            Self::Core => built::image(paths),
            Self::Stock(series) => stock::image(paths, &Aside::new(paths), Some(series)),
            Self::Newest => stock::image(paths, &Aside::new(paths), None),
            Self::Image(path) if path.is_file() => Ok(std::path::absolute(path)?),
            Self::Image(path) => bail!("there is no kernel {}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths() -> Result<()> {
        for name in ["core", "6.1", "6.12", "newest"] {
            assert_eq!(Kernel::named(name)?.name(), name);
        }
        assert_eq!(Kernel::named("./bzImage")?, Kernel::Image("./bzImage".into()));
        assert!(Kernel::named("6.13").is_err());
        Ok(())
    }
}
