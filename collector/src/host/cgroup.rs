//! Where the second version of control groups is mounted.

use std::path::{Path, PathBuf};

use super::read;
use crate::record::Measured;

/// A mounted cgroup v2 hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cgroup2 {
    /// Mount point as this process sees it: `/sys/fs/cgroup`, or, beside version 1,
    /// often `/sys/fs/cgroup/unified`.
    pub mount: PathBuf,
    /// Whether `cpu` is among its controllers; version 1 may hold it instead.
    pub cpu: Measured<bool>,
}

/// The bytes of a path in mountinfo, where white space and `\` are written `\ooo`
/// (`mangle()`, fs/proc_namespace.c).
fn unescape(text: &str) -> String {
    let (mut out, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, tail @ ..] = rest {
        let octal = tail.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) if *first == b'\\' => {
                out.push(byte);
                rest = &tail[3..];
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The mount point, where `line` of mountinfo (proc_pid_mountinfo(5)) is a cgroup2 file system.
fn mount_point(line: &str) -> Option<PathBuf> {
    // Any number of optional fields ends with a dash of its own.
    let (mount, file_system) = line.split_once(" - ")?;
    let is_cgroup2 = file_system.split(' ').next() == Some("cgroup2");
    is_cgroup2.then(|| mount.split(' ').nth(4).map(|path| PathBuf::from(unescape(path)))).flatten()
}

/// The first cgroup v2 mount in `/proc/self/mountinfo`.
pub fn find(root: &Path) -> Measured<Cgroup2> {
    let mounts = match read::text(root, "proc/self/mountinfo") {
        Ok(mounts) => mounts,
        Err(error) => return Measured::not(error.to_string()),
    };
    let Some(mount) = mounts.lines().find_map(mount_point) else {
        return Measured::not("no cgroup v2 file system is mounted");
    };
    let controllers = mount.join("cgroup.controllers");
    let relative = controllers.strip_prefix("/").unwrap_or(&controllers).to_string_lossy();
    let cpu = read::text(root, &relative).map(|all| all.split_ascii_whitespace().any(|name| name == "cpu")).into();
    Measured::Value(Cgroup2 { mount, cpu })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::fixture::Fixture;

    fn at(mount: &str, cpu: bool) -> Measured<Cgroup2> {
        Measured::Value(Cgroup2 { mount: mount.into(), cpu: Measured::Value(cpu) })
    }

    #[test]
    fn unified() {
        let fixture = Fixture::new();
        fixture
            .file(
                "proc/self/mountinfo",
                "22 27 0:21 / /proc rw shared:5 - proc proc rw\n\
                 35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 master:2 - cgroup2 cgroup2 rw,nsdelegate\n",
            )
            .file("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory\n");
        assert_eq!(find(fixture.root()), at("/sys/fs/cgroup", true));
    }

    #[test]
    fn hybrid() {
        let fixture = Fixture::new();
        fixture
            .file(
                "proc/self/mountinfo",
                "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                 41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
            )
            .file("sys/fs/cgroup/unified/cgroup.controllers", "cpuset\n");
        assert_eq!(find(fixture.root()), at("/sys/fs/cgroup/unified", false));
    }

    #[test]
    fn odd_mounts() {
        let fixture = Fixture::new();
        assert!(find(fixture.root()).reason().is_some_and(|reason| reason.ends_with("mountinfo does not exist")));
        fixture.file("proc/self/mountinfo", "garbage\n - cgroup2\n\n1 2 3 / - cgroup2 x\n");
        assert_eq!(find(fixture.root()).reason(), Some("no cgroup v2 file system is mounted"));
        fixture.file("proc/self/mountinfo", "1 2 0:3 / /mnt/my\\040groups rw - cgroup2 none rw\n");
        assert!(
            find(fixture.root())
                .value()
                .is_some_and(|found| found.mount == Path::new("/mnt/my groups") && found.cpu.reason().is_some())
        );
        assert_eq!(unescape("a\\134b\\0\\999é"), "a\\b\\0\\999é");
    }
}
