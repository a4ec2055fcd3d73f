//! Version numbers, as far as they are compared here.

use std::{fmt, str::FromStr};

/// `major.minor.patch`; whatever follows is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// The first word of `text` that is a version.
    pub fn within(text: &str) -> Option<Self> {
        text.split_whitespace().find_map(|word| word.parse().ok())
    }
}

impl FromStr for Version {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        // Debian: "1:22.1.8-1~deb12u1" and "1.96.0+dfsg1-1~deb12u2".
        let text = text.split_once(':').map_or(text, |(_epoch, rest)| rest);
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let mut numbers = text[..end].split('.').map(|n| n.parse().map_err(drop));
        let major = numbers.next().ok_or(())??;
        // One number alone is not a version: it may be any word of a sentence.
        let minor = numbers.next().ok_or(())??;
        let patch = numbers.next().unwrap_or(Ok(0))?;
        Ok(Self(major, minor, patch))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(major, minor, patch) = self;
        write!(f, "{major}.{minor}.{patch}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_tools_and_packages_print() {
        let cases = [
            ("rustc 1.96.0 (ac68faa20 2026-05-25)", Version(1, 96, 0)),
            ("rustc 1.97.0-nightly (e50aa6fba)", Version(1, 97, 0)),
            ("1:22.1.8-1~deb12u1", Version(22, 1, 8)),
            ("1.96.0+dfsg1-1~deb12u2", Version(1, 96, 0)),
            ("bpf-linker 0.13.0", Version(0, 13, 0)),
            ("LLVM version: 22.1", Version(22, 1, 0)),
        ];
        for (text, version) in cases {
            assert_eq!(Version::within(text), Some(version), "{text}");
        }
        assert_eq!(Version::within("no version 7 here"), None);
    }

    #[test]
    fn orders_by_number() {
        assert!(Version(1, 100, 0) > Version(1, 95, 3));
    }
}
