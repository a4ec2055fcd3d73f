//! Whether this process may load and attach the kernel programs.

use std::ffi::OsString;

/// Bits of a capability set, as in linux/capability.h.
const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;

/// What matters of the calling process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// Its effective capabilities.
    pub effective: u64,
}

impl Caller {
    /// Reads /proc/self/status.
    pub fn parse(status: &str) -> Self {
        let effective = status
            .lines()
            .find_map(|line| line.strip_prefix("CapEff:"))
            .and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok())
            .unwrap_or(0);
        Self { effective }
    }

    fn has(self, capability: u32) -> bool {
        self.effective >> capability & 1 == 1
    }
}

/// How the collector is to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// As it is.
    Directly,
    /// Through sudo.
    Sudo,
    /// Not at all, for want of these.
    Not(String),
}

/// Decides. CAP_SYS_ADMIN stands in for both: the kernel takes it so, and root
/// in a container may have it or neither, so the user id tells nothing.
pub fn how(caller: Caller, sudo: bool) -> How {
    if caller.has(CAP_SYS_ADMIN) {
        return How::Directly;
    }
    let missing: Vec<&str> = [(CAP_BPF, "CAP_BPF"), (CAP_PERFMON, "CAP_PERFMON")]
        .into_iter()
        .filter(|(capability, _)| !caller.has(*capability))
        .map(|(_, name)| name)
        .collect();
    match (missing.is_empty(), sudo) {
        (true, _) => How::Directly,
        (false, true) => How::Sudo,
        (false, false) => How::Not(missing.join(" and ")),
    }
}

/// The command as it can be typed into a shell again, with its dashes.
pub fn retyped(command: &[OsString]) -> String {
    if command.is_empty() {
        return String::new();
    }
    let words = command.iter().map(|word| quoted(&word.to_string_lossy()));
    format!(" -- {}", words.collect::<Vec<_>>().join(" "))
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(capabilities: &[u32]) -> Caller {
        let effective = capabilities.iter().fold(0, |set, bit| set | 1 << bit);
        Caller { effective }
    }

    #[test]
    fn both_capabilities_or_the_old_one_suffice() {
        assert_eq!(how(caller(&[CAP_BPF, CAP_PERFMON]), false), How::Directly);
        assert_eq!(how(caller(&[CAP_SYS_ADMIN]), false), How::Directly);
        // With the rights at hand, sudo has nothing to add.
        assert_eq!(how(caller(&[CAP_SYS_ADMIN]), true), How::Directly);
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(how(caller(&[]), false), How::Not("CAP_BPF and CAP_PERFMON".into()));
        assert_eq!(how(caller(&[CAP_BPF]), false), How::Not("CAP_PERFMON".into()));
        assert_eq!(how(caller(&[]), true), How::Sudo);
    }

    #[test]
    fn reads_the_effective_set() {
        let status = "CapPrm:\t000001ffffffffff\nCapEff:\t000000c000000000\n";
        let caller = Caller::parse(status);
        assert!(caller.has(CAP_BPF) && caller.has(CAP_PERFMON));
        assert!(!caller.has(CAP_SYS_ADMIN));
        assert_eq!(Caller::parse("Name:\tx\n").effective, 0);
    }

    #[test]
    fn the_command_can_be_typed_again() {
        let words = ["sh", "-c", "echo it's"].map(OsString::from);
        assert_eq!(retyped(&words), r" -- sh -c 'echo it'\''s'");
        assert_eq!(retyped(&[]), "");
    }
}
