//! Whether cores run more than one thread at a time, and who decides.

use std::{convert::Infallible, fmt, path::Path, str::FromStr};

use super::read;
use crate::record::Measured;

/// `/sys/devices/system/cpu/smt/control` (Documentation/ABI/testing/sysfs-devices-system-cpu).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SmtControl {
    /// On.
    On,
    /// Off, and can be switched on.
    Off,
    /// Off until the next boot.
    ForceOff,
    /// The processor has no SMT, or the firmware (a hypervisor) hides it.
    NotSupported,
    /// The kernel cannot switch it for this architecture; the processor may have it.
    NotImplemented,
    /// So many threads of each core are on (powerpc, since 6.6).
    Threads(u32),
    /// A word of a later kernel.
    Other(String),
}

impl FromStr for SmtControl {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Infallible> {
        Ok(match word {
            "on" => Self::On,
            "off" => Self::Off,
            "forceoff" => Self::ForceOff,
            "notsupported" => Self::NotSupported,
            "notimplemented" => Self::NotImplemented,
            other => other.parse().map_or_else(|_| Self::Other(other.to_owned()), Self::Threads),
        })
    }
}

impl fmt::Display for SmtControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::On => "on",
            Self::Off => "off",
            Self::ForceOff => "forceoff",
            Self::NotSupported => "notsupported",
            Self::NotImplemented => "notimplemented",
            Self::Threads(threads) => return threads.fmt(f),
            Self::Other(word) => word,
        })
    }
}

/// The state of SMT; not measured where the kernel has no such file (before 4.19,
/// or without `CONFIG_HOTPLUG_SMT` and `CONFIG_SMP`).
pub fn control(root: &Path) -> Measured<SmtControl> {
    read::parsed(root, "sys/devices/system/cpu/smt/control").into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use crate::host::fixture::Fixture;

    #[test]
    fn words_survive_the_round_trip() {
        for word in ["on", "off", "forceoff", "notsupported", "notimplemented", "4", "undecided"] {
            let control: SmtControl = word.parse().unwrap();
            assert_eq!(control.to_string(), word);
            assert_eq!(matches!(control, SmtControl::Other(_)), word == "undecided");
        }
    }

    #[test]
    fn without_the_file_nothing_is_said() {
        let fixture = Fixture::new();
        assert!(control(fixture.root()).reason().is_some());
        fixture.file("sys/devices/system/cpu/smt/control", "forceoff\n");
        assert_eq!(control(fixture.root()), Measured::Value(SmtControl::ForceOff));
    }
}
