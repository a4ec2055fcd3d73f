//! Signs that this is a container, for better advice; nothing is decided by them.

use std::path::Path;

use super::read;

/// Parts of cgroup paths that container managers leave.
const CGROUPS: [&str; 6] = ["docker", "kubepods", "libpod", "containerd", "crio", "lxc"];

/// What says that this is a container; none where nothing does, which proves nothing.
pub fn hint(root: &Path) -> Option<String> {
    // Written by systemd for containers of every manager that follows its interface.
    if let Ok(manager) = read::word(root, "run/systemd/container") {
        return Some(read::quote(&manager));
    }
    for (file, manager) in [(".dockerenv", "docker"), ("run/.containerenv", "podman")] {
        if root.join(file).exists() {
            return Some(manager.to_owned());
        }
    }
    let cgroup = read::text(root, "proc/self/cgroup").unwrap_or_default();
    CGROUPS.into_iter().find(|name| cgroup.contains(name)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::fixture::Fixture;

    #[test]
    fn signs() {
        let fixture = Fixture::new();
        assert_eq!(hint(fixture.root()), None);
        fixture.file("proc/self/cgroup", "0::/user.slice\n");
        assert_eq!(hint(fixture.root()), None);
        fixture.file("proc/self/cgroup", "0::/kubepods/besteffort/pod1\n");
        assert_eq!(hint(fixture.root()).as_deref(), Some("kubepods"));
        fixture.file(".dockerenv", "");
        assert_eq!(hint(fixture.root()).as_deref(), Some("docker"));
        fixture.file("run/systemd/container", "systemd-nspawn\n");
        assert_eq!(hint(fixture.root()).as_deref(), Some("systemd-nspawn"));
    }
}
