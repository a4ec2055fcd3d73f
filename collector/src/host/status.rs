//! `/proc/self/status`: lines of a key and a value.

use std::path::Path;

use super::{ReadError, read};

const PATH: &str = "proc/self/status";

/// The text of `/proc/self/status` (`proc_pid_status()` in fs/proc/array.c).
#[derive(Clone, Debug)]
pub struct Status(String);

impl Status {
    /// Reads it under `root`.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn read(root: &Path) -> Result<Self, ReadError> {
        read::text(root, PATH).map(Self)
    }

    /// The value of `key`.
    ///
    /// # Errors
    /// In words, where the line is missing.
    pub fn field(&self, key: &str) -> Result<&str, String> {
        self.0
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))
            .map(str::trim)
            .ok_or_else(|| format!("/{PATH} has no line `{key}`"))
    }

    /// The `n`th word of the value of `key`, counted from 0, as a number to the base `radix`.
    ///
    /// # Errors
    /// In words, where it is missing or no such number.
    pub fn number(&self, key: &str, n: usize, radix: u32) -> Result<u64, String> {
        let value = self.field(key)?;
        let word = value.split_ascii_whitespace().nth(n).unwrap_or_default();
        u64::from_str_radix(word, radix)
            .map_err(|_| format!("`{key}: {}` in /{PATH} was not expected", read::quote(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let status =
            Status("Name:\tx\nUid:\t1000\t1001\t1\t1\nVmHWM:\t    1972 kB\nCapEff:\t000001fffeffffff\n".into());
        assert_eq!(status.number("Uid", 1, 10), Ok(1001));
        assert_eq!(status.number("VmHWM", 0, 10), Ok(1972));
        assert_eq!(status.number("CapEff", 0, 16), Ok(0x1ff_feff_ffff));
        assert_eq!(status.number("VmHWM", 1, 10), Err("`VmHWM: 1972 kB` in /proc/self/status was not expected".into()));
        assert_eq!(status.number("Vm", 0, 10), Err("/proc/self/status has no line `Vm`".into()));
        assert!(status.number("Uid", 9, 10).is_err());
    }
}
