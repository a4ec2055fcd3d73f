//! Made-up machines for tests: a directory with the files that are read.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{fs, os::unix::fs::symlink, path::Path};

/// A directory tree in place of `/`; it goes away with the value.
pub struct Fixture(tempfile::TempDir);

impl Fixture {
    /// An empty tree: a container without `/proc` and `/sys`.
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        self.0.path()
    }

    /// The beginning of every path in it, as it shows in messages.
    pub fn prefix(&self) -> String {
        format!("{}/", self.root().display())
    }

    /// Writes a file.
    pub fn bytes(&self, path: &str, bytes: &[u8]) -> &Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    /// Writes a file.
    pub fn file(&self, path: &str, text: &str) -> &Self {
        self.bytes(path, text.as_bytes())
    }

    /// Makes a symbolic link.
    pub fn link(&self, path: &str, target: &str) -> &Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    /// Removes a file or a folder.
    pub fn remove(&self, path: &str) -> &Self {
        let path = self.root().join(path);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        self
    }

    /// The three lists of CPUs.
    pub fn lists(&self, possible: &str, present: &str, online: &str) -> &Self {
        let file = |name: &str, text: &str| {
            self.file(&format!("sys/devices/system/cpu/{name}"), &format!("{text}\n"));
        };
        file("possible", possible);
        file("present", present);
        file("online", online);
        self
    }

    /// The topology folder of one CPU.
    pub fn cpu(&self, cpu: u32, package: i32, core: i32, siblings: &str) -> &Self {
        let folder = format!("sys/devices/system/cpu/cpu{cpu}/topology");
        self.file(&format!("{folder}/physical_package_id"), &format!("{package}\n"))
            .file(&format!("{folder}/core_id"), &format!("{core}\n"))
            .file(&format!("{folder}/core_cpus_list"), &format!("{siblings}\n"))
    }

    /// One cache of a CPU.
    pub fn cache(&self, cpu: u32, index: u32, level: u32, kind: &str, shared: &str) -> &Self {
        let folder = format!("sys/devices/system/cpu/cpu{cpu}/cache/index{index}");
        self.file(&format!("{folder}/level"), &format!("{level}\n"))
            .file(&format!("{folder}/type"), &format!("{kind}\n"))
            .file(&format!("{folder}/shared_cpu_list"), &format!("{shared}\n"))
    }

    /// NUMA nodes and their CPUs.
    pub fn nodes(&self, online: &str, nodes: &[(u32, &str)]) -> &Self {
        self.file("sys/devices/system/node/online", &format!("{online}\n"));
        for (node, cpus) in nodes {
            self.file(&format!("sys/devices/system/node/node{node}/cpulist"), &format!("{cpus}\n"));
        }
        self
    }

    /// A machine with all CPUs online: `cores` cores of `threads` siblings with
    /// neighbouring numbers, one package, one node, one L3 cache.
    pub fn smt(cores: u32, threads: u32, control: &str) -> Self {
        let fixture = Self::new();
        let all = format!("0-{}", cores * threads - 1);
        fixture.lists(&all, &all, &all).nodes("0", &[(0, &all)]);
        fixture.file("sys/devices/system/cpu/smt/control", &format!("{control}\n"));
        for cpu in 0..cores * threads {
            let first = cpu / threads * threads;
            let siblings = if threads == 1 { cpu.to_string() } else { format!("{first}-{}", first + threads - 1) };
            fixture.cpu(cpu, 0, (cpu / threads) as i32, &siblings);
            fixture.cache(cpu, 0, 1, "Data", &siblings).cache(cpu, 1, 3, "Unified", &all);
        }
        fixture
    }
}
