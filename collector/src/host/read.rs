//! Small files of `/proc` and `/sys`, and what is wrong with them in words.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
    str::FromStr,
};

use thiserror::Error;

/// No file that is read here comes near this: `/proc/cpuinfo` of 8192 CPUs has 12 MB.
const LARGEST: u64 = 64 << 20;
/// Longest quotation of a file in a message, characters.
const QUOTED: usize = 40;

/// Why a file gave no value.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It is not there.
    #[error("{0} does not exist")]
    Missing(PathBuf),
    /// It may not be read.
    #[error("{0} may not be read")]
    Denied(PathBuf),
    /// Reading failed.
    #[error("{path} cannot be read: {source}")]
    Failed {
        /// The file.
        path: PathBuf,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// It is empty.
    #[error("{0} is empty")]
    Empty(PathBuf),
    /// It holds something else.
    #[error("{path}: {problem}")]
    Unexpected {
        /// The file.
        path: PathBuf,
        /// What is wrong, in words for a person.
        problem: String,
    },
}

impl ReadError {
    fn new(path: PathBuf, source: std::io::Error) -> Self {
        match source.kind() {
            // A path through a file (ENOTDIR) is as absent as one that ends early.
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::Missing(path),
            ErrorKind::PermissionDenied => Self::Denied(path),
            _ => Self::Failed { path, source },
        }
    }

    /// The file holds something else than it should.
    pub(crate) fn unexpected(root: &Path, path: &str, problem: impl ToString) -> Self {
        Self::Unexpected { path: root.join(path), problem: problem.to_string() }
    }

    /// Whether the file is not there, as opposed to there and of no use.
    pub const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing(_))
    }
}

/// The bytes of the file `path` (relative) under `root`.
///
/// # Errors
/// Where it cannot be read, or is larger than anything that is read here.
pub fn bytes(root: &Path, path: &str) -> Result<Vec<u8>, ReadError> {
    let full = root.join(path);
    let mut bytes = Vec::new();
    match File::open(&full).and_then(|file| file.take(LARGEST).read_to_end(&mut bytes)) {
        Err(error) => Err(ReadError::new(full, error)),
        // Cut text would be read as if it were all there is.
        Ok(read) if read as u64 == LARGEST => {
            Err(ReadError::unexpected(root, path, format_args!("{LARGEST} bytes or more were not expected")))
        }
        Ok(_) => Ok(bytes),
    }
}

/// The text of the file; bytes that are not UTF-8 are replaced.
///
/// # Errors
/// As [`bytes`].
pub fn text(root: &Path, path: &str) -> Result<String, ReadError> {
    Ok(String::from_utf8_lossy(&bytes(root, path)?).into_owned())
}

/// The text without white space at its ends.
///
/// # Errors
/// Where it cannot be read, or nothing is left.
pub fn word(root: &Path, path: &str) -> Result<String, ReadError> {
    let text = text(root, path)?;
    match text.trim() {
        "" => Err(ReadError::Empty(root.join(path))),
        word => Ok(word.to_owned()),
    }
}

/// The whole text parsed, white space at its ends apart.
///
/// # Errors
/// Where it cannot be read, is empty or does not parse.
pub fn parsed<T: FromStr>(root: &Path, path: &str) -> Result<T, ReadError> {
    let word = word(root, path)?;
    word.parse().map_err(|_| ReadError::unexpected(root, path, format_args!("`{}` was not expected", quote(&word))))
}

/// The target of a symbolic link, which need not exist (those in `/proc/PID/ns` do not).
///
/// # Errors
/// Where it cannot be read.
pub fn link(root: &Path, path: &str) -> Result<String, ReadError> {
    let full = root.join(path);
    match std::fs::read_link(&full) {
        Ok(target) => Ok(target.to_string_lossy().into_owned()),
        Err(error) => Err(ReadError::new(full, error)),
    }
}

/// The inode in `kind:[inode]`, the target of a link in `/proc/PID/ns`.
///
/// # Errors
/// Where the link cannot be read or looks different.
pub fn namespace(root: &Path, kind: &str) -> Result<u64, ReadError> {
    let path = format!("proc/self/ns/{kind}");
    let target = link(root, &path)?;
    target
        .strip_prefix(kind)
        .and_then(|rest| rest.strip_prefix(":[")?.strip_suffix(']')?.parse().ok())
        .ok_or_else(|| ReadError::unexpected(root, &path, format_args!("`{}` was not expected", quote(&target))))
}

/// The beginning of `text`, fit for a line of a message.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted: String = text.chars().take(QUOTED).flat_map(char::escape_debug).collect();
    if text.chars().nth(QUOTED).is_some() {
        quoted.push('…');
    }
    quoted
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use crate::host::fixture::Fixture;

    #[test]
    fn each_fault_has_its_words() {
        let fixture = Fixture::new();
        fixture.file("sys/empty", "\n").bytes("sys/garbage", &[0xff, 0, b'x', b'\n']).file("sys/five", " 5 \n");
        let root = fixture.root();
        let said = |path: &str| parsed::<u32>(root, path).map_err(|e| e.to_string().replace(&fixture.prefix(), "/"));
        assert_eq!(said("sys/five"), Ok(5));
        assert_eq!(said("sys/none"), Err("/sys/none does not exist".to_owned()));
        assert_eq!(said("sys/five/below"), Err("/sys/five/below does not exist".to_owned()));
        assert_eq!(said("sys/empty"), Err("/sys/empty is empty".to_owned()));
        assert_eq!(said("sys/garbage"), Err("/sys/garbage: `\u{fffd}\\0x` was not expected".to_owned()));
        assert!(said("sys").unwrap_err().starts_with("/sys cannot be read: "));
    }

    #[test]
    fn namespaces() {
        let fixture = Fixture::new();
        fixture.link("proc/self/ns/pid", "pid:[4026531836]").link("proc/self/ns/user", "mnt:[1]");
        assert_eq!(namespace(fixture.root(), "pid").unwrap(), 0xEFFF_FFFC);
        assert!(namespace(fixture.root(), "user").is_err());
        assert!(namespace(fixture.root(), "net").unwrap_err().is_missing());
    }

    #[test]
    fn quotations_are_short_and_printable() {
        assert_eq!(quote("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
        assert_eq!(quote(&"é".repeat(100)).chars().count(), QUOTED + 1);
    }
}
