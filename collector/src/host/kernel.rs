//! The kernel: its name, its build, and what of it is switched on.

use std::path::Path;

use super::{ReadError, read};
use crate::record::Measured;

/// Where the kernel shows its own type information.
pub const BTF: &str = "sys/kernel/btf/vmlinux";
/// First two bytes of it, in the machine's order (`BTF_MAGIC`, include/uapi/linux/btf.h).
const BTF_MAGIC: u16 = 0xEB9F;

/// The running kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// `uname -r`.
    pub release: String,
    /// `uname -m`.
    pub arch: String,
}

impl Kernel {
    /// Asks the kernel.
    pub fn running() -> Self {
        let name = rustix::system::uname();
        Self {
            release: name.release().to_string_lossy().into_owned(),
            arch: name.machine().to_string_lossy().into_owned(),
        }
    }

    /// What `/boot/config-RELEASE` says of `option` (`CONFIG_…`): `y`, `m`, `n` or a
    /// text. For explanations only: the file may be missing, or another build's.
    pub fn config(&self, root: &Path, option: &str) -> Measured<String> {
        let path = format!("boot/config-{}", self.release);
        match read::text(root, &path) {
            Ok(text) => config_value(&text, option).ok_or_else(|| format!("/{path} does not mention {option}")).into(),
            Err(error) => Measured::not(error.to_string()),
        }
    }
}

/// The value of `option` in a kernel configuration: `OPTION=value` or `# OPTION is not set`.
fn config_value(text: &str, option: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let set = line.strip_prefix(option).and_then(|rest| rest.strip_prefix('='));
        let unset = line.strip_prefix("# ").and_then(|rest| rest.strip_prefix(option));
        match (set, unset) {
            (Some(value), _) => Some(value.trim_matches('"').to_owned()),
            (None, Some(" is not set")) => Some("n".to_owned()),
            _ => None,
        }
    })
}

/// Size of the kernel's type information, bytes.
///
/// # Errors
/// Where it is missing, unreadable, or something else.
pub fn btf_bytes(root: &Path) -> Result<u64, ReadError> {
    let bytes = read::bytes(root, BTF)?;
    match bytes.first_chunk() {
        Some(magic) if u16::from_ne_bytes(*magic) == BTF_MAGIC => Ok(bytes.len() as u64),
        _ => Err(ReadError::unexpected(root, BTF, "this is no BTF")),
    }
}

/// `kernel.sched_schedstats` (Documentation/admin-guide/sysctl/kernel.rst).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedstats {
    /// Counting.
    On,
    /// Not counting; can be switched on.
    Off,
    /// The kernel was built without `CONFIG_SCHEDSTATS`.
    Absent,
    /// Not known, and why.
    Unknown(String),
}

/// Whether scheduler statistics are on.
pub fn schedstats(root: &Path) -> Schedstats {
    let path = "proc/sys/kernel/sched_schedstats";
    match read::parsed::<u32>(root, path) {
        Ok(0) => Schedstats::Off,
        Ok(_) => Schedstats::On,
        // Without /proc/sys nothing is known of the build.
        Err(error) if error.is_missing() && root.join("proc/sys/kernel").is_dir() => Schedstats::Absent,
        Err(error) => Schedstats::Unknown(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::fixture::Fixture;

    #[test]
    fn configuration() {
        let text = "CONFIG_BPF=y\n# CONFIG_BPF_JIT is not set\nCONFIG_HZ=250\nCONFIG_CC=\"gcc\"\nCONFIG_BPFX=m\n";
        let value = |option| config_value(text, option);
        assert_eq!(value("CONFIG_BPF").as_deref(), Some("y"));
        assert_eq!(value("CONFIG_BPF_JIT").as_deref(), Some("n"));
        assert_eq!((value("CONFIG_HZ").as_deref(), value("CONFIG_CC").as_deref()), (Some("250"), Some("gcc")));
        assert_eq!((value("CONFIG_B"), value("CONFIG_SCHED_CORE")), (None, None));
        let (fixture, kernel) = (Fixture::new(), Kernel { release: "6.1.0".into(), arch: "x86_64".into() });
        assert!(kernel.config(fixture.root(), "CONFIG_BPF").reason().is_some());
        fixture.file("boot/config-6.1.0", text);
        assert_eq!(kernel.config(fixture.root(), "CONFIG_BPF"), Measured::Value("y".to_owned()));
        assert_eq!(
            kernel.config(fixture.root(), "CONFIG_X").reason(),
            Some("/boot/config-6.1.0 does not mention CONFIG_X")
        );
    }

    #[test]
    fn type_information() {
        let fixture = Fixture::new();
        assert!(btf_bytes(fixture.root()).is_err_and(|error| error.is_missing()));
        for garbage in [&b""[..], b"\x9f", b"garbage"] {
            fixture.bytes(BTF, garbage);
            assert!(btf_bytes(fixture.root()).is_err_and(|error| error.to_string().ends_with("this is no BTF")));
        }
        let mut bytes = BTF_MAGIC.to_ne_bytes().to_vec();
        bytes.extend([1, 0, 24]);
        fixture.bytes(BTF, &bytes);
        assert!(btf_bytes(fixture.root()).is_ok_and(|size| size == 5));
    }

    #[test]
    fn statistics() {
        let fixture = Fixture::new();
        let path = "proc/sys/kernel/sched_schedstats";
        assert!(matches!(schedstats(fixture.root()), Schedstats::Unknown(_)));
        fixture.file(path, "0\n");
        assert_eq!(schedstats(fixture.root()), Schedstats::Off);
        fixture.file(path, "1\n");
        assert_eq!(schedstats(fixture.root()), Schedstats::On);
        fixture.file(path, "x\n");
        assert!(matches!(schedstats(fixture.root()), Schedstats::Unknown(_)));
        fixture.remove(path);
        assert_eq!(schedstats(fixture.root()), Schedstats::Absent);
    }
}
