//! The configuration of the guest's own kernel.

/// What the guest and its tests cannot do without. An option whose dependencies are not
/// met is dropped without a word when a configuration is completed, so it is looked at
/// afterwards.
const NEEDED: [&str; 16] = [
    "ACPI",
    "BLK_DEV_INITRD",
    "BPF_EVENTS",
    "BPF_SYSCALL",
    "CGROUP_SCHED",
    "DEBUG_INFO_BTF",
    "DEVTMPFS",
    "FAIR_GROUP_SCHED",
    "HOTPLUG_CPU",
    "NET",
    "SCHEDSTATS",
    "SCHED_CORE",
    "SCHED_SMT",
    "SERIAL_8250_CONSOLE",
    "SMP",
    "X86_IOPL_IOPERM",
];

/// Those that a complete configuration lacks.
pub fn lacking(config: &str) -> Vec<&'static str> {
    let on = |option: &str| config.lines().any(|line| line.strip_prefix("CONFIG_") == Some(&format!("{option}=y")));
    NEEDED.into_iter().filter(|option| !on(option)).collect()
}

/// The lines of a fragment that mean something; its remarks may change without a new
/// kernel.
pub fn settings(fragment: &str) -> impl Iterator<Item = &str> {
    fragment
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("CONFIG_") || (line.starts_with("# CONFIG_") && line.ends_with(" is not set")))
}

/// A short name for all that a kernel is made of.
pub fn key(parts: &[&str]) -> String {
    // FNV-1a: the same on every machine and with every compiler, unlike std's.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut eat = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    for part in parts {
        part.bytes().for_each(&mut eat);
        // Between two parts, so that ["ab", "c"] is not ["a", "bc"].
        eat(0);
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAGMENT: &str = include_str!("../../../../tests/vm/guest-kernel.config");

    #[test]
    fn the_fragment_asks_for_all_that_is_needed() {
        assert_eq!(lacking(FRAGMENT), Vec::<&str>::new());
    }

    #[test]
    fn an_option_that_did_not_stick_is_named() {
        let config = FRAGMENT.replace("CONFIG_SCHED_CORE=y", "# CONFIG_SCHED_CORE is not set");
        assert_eq!(lacking(&config), ["SCHED_CORE"]);
        assert_eq!(lacking(&FRAGMENT.replace("CONFIG_NET=y", "CONFIG_NET=m")), ["NET"]);
    }

    #[test]
    fn remarks_are_no_settings() {
        let fragment = "# --- base\nCONFIG_SMP=y\n\n# CONFIG_VT is not set\n# CONFIG_X: why\n";
        assert_eq!(settings(fragment).collect::<Vec<_>>(), ["CONFIG_SMP=y", "# CONFIG_VT is not set"]);
    }

    #[test]
    fn the_key_depends_on_every_part() {
        assert_eq!(key(&["a"]), key(&["a"]));
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a", "1"]), key(&["a", "2"]));
    }
}
