//! Which CPUs there are, and which of them share a core, a cache, a node, a package.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};

use super::{
    CpuList, ReadError,
    llc::{self, Llc},
    read,
    smt::{self, SmtControl},
};
use crate::record::{CpuPlace, Measured};

const CPU: &str = "sys/devices/system/cpu";
const NODE: &str = "sys/devices/system/node";

/// The CPUs of a machine at one moment.
///
/// An offline CPU has no place, and its siblings' lists leave it out: read again
/// after a change, and keep what was read before for what was measured before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// CPUs that the kernel set memory aside for; per-CPU maps have a value for each.
    pub possible: CpuList,
    /// CPUs that are plugged in.
    pub present: CpuList,
    /// CPUs that run.
    pub online: CpuList,
    /// State of SMT.
    pub smt: Measured<SmtControl>,
    /// A place for each online CPU, in ascending order of number.
    pub cpus: Vec<Cpu>,
}

/// The place of one online CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// Its number.
    pub cpu: u32,
    /// Physical package; numbers may have holes.
    pub package: Measured<u32>,
    /// The hardware's number of the core. Unique within a package at best (within a
    /// die on some): tell cores apart by [`Cpu::siblings`].
    pub core: Measured<u32>,
    /// NUMA node; numbers may have holes.
    pub node: Measured<u32>,
    /// Last-level cache.
    pub llc: Measured<Llc>,
    /// The online CPUs of its core, itself among them.
    pub siblings: Measured<CpuList>,
}

/// A CPU list in a file; an empty file is an empty list.
fn list(root: &Path, path: &str) -> Result<CpuList, ReadError> {
    read::text(root, path)?.parse().map_err(|problem| ReadError::unexpected(root, path, problem))
}

/// A number of the hardware's; the kernel writes -1 where it does not know it.
fn id(root: &Path, cpu: u32, name: &str) -> Measured<u32> {
    let path = format!("{CPU}/cpu{cpu}/topology/{name}");
    match read::parsed::<i64>(root, &path) {
        Ok(-1) => Measured::not(format!("the kernel does not know the {name} of CPU {cpu}")),
        Ok(id) => u32::try_from(id).map_err(|_| format!("{name} of CPU {cpu} is {id}")).into(),
        Err(error) => Measured::not(error.to_string()),
    }
}

fn siblings(root: &Path, cpu: u32) -> Measured<CpuList> {
    let file = |name: &str| list(root, &format!("{CPU}/cpu{cpu}/topology/{name}"));
    // The new name is there since 5.3, the old one is deprecated.
    let list = match file("core_cpus_list") {
        Err(error) if error.is_missing() => file("thread_siblings_list"),
        other => other,
    };
    match list {
        Ok(list) if list.contains(cpu) => Measured::Value(list),
        Ok(list) => Measured::not(format!("the siblings of CPU {cpu} are given as `{list}`, without itself")),
        Err(error) => Measured::not(error.to_string()),
    }
}

/// NUMA node by CPU, and why there is none for the others.
fn nodes(root: &Path) -> (HashMap<u32, u32>, Option<String>) {
    let nodes = match list(root, &format!("{NODE}/online")) {
        Ok(nodes) => nodes,
        Err(error) => return (HashMap::new(), Some(error.to_string())),
    };
    let (mut by_cpu, mut problem) = (HashMap::new(), None);
    for node in nodes.iter() {
        match list(root, &format!("{NODE}/node{node}/cpulist")) {
            Ok(cpus) => by_cpu.extend(cpus.iter().map(|cpu| (cpu, node))),
            Err(error) => problem = Some(error.to_string()),
        }
    }
    (by_cpu, problem)
}

impl Topology {
    /// Reads the machine under `root`.
    ///
    /// # Errors
    /// Where one of the lists of possible, present and online CPUs cannot be read:
    /// every kernel has them, and per-CPU maps cannot be read without.
    pub fn read(root: &Path) -> Result<Self, ReadError> {
        let possible = list(root, &format!("{CPU}/possible"))?;
        let present = list(root, &format!("{CPU}/present"))?;
        let online_path = format!("{CPU}/online");
        let online = list(root, &online_path)?;
        if online.is_empty() {
            return Err(ReadError::Empty(root.join(online_path)));
        }
        let (nodes, no_node) = nodes(root);
        let mut caches = llc::read_all(root, &online);
        let cpus = online.iter().map(|cpu| Cpu {
            cpu,
            package: id(root, cpu, "physical_package_id"),
            core: id(root, cpu, "core_id"),
            node: nodes.get(&cpu).map_or_else(
                || Measured::not(no_node.clone().unwrap_or_else(|| format!("no NUMA node lists CPU {cpu}"))),
                |&node| Measured::Value(node),
            ),
            llc: caches.remove(&cpu).unwrap_or_else(|| Measured::not("not looked for")),
            siblings: siblings(root, cpu),
        });
        let cpus = cpus.collect();
        Ok(Self { possible, present, online, smt: smt::control(root), cpus })
    }

    /// The cores that are known, each as the list of its online CPUs.
    pub fn cores(&self) -> BTreeSet<&CpuList> {
        self.cpus.iter().filter_map(|cpu| cpu.siblings.value()).collect()
    }

    /// The last-level caches that are known, each as the list of its online CPUs.
    pub fn caches(&self) -> BTreeSet<&CpuList> {
        self.cpus.iter().filter_map(|cpu| cpu.llc.value()).map(|llc| &llc.cpus).collect()
    }

    /// The packages that are known.
    pub fn packages(&self) -> BTreeSet<u32> {
        self.cpus.iter().filter_map(|cpu| cpu.package.value().copied()).collect()
    }

    /// The NUMA nodes with online CPUs that are known.
    pub fn nodes(&self) -> BTreeSet<u32> {
        self.cpus.iter().filter_map(|cpu| cpu.node.value().copied()).collect()
    }

    /// The most CPUs that a core runs at this moment: 1 without SMT. Not measured
    /// where the siblings of any CPU are not known.
    pub fn threads_per_core(&self) -> Measured<usize> {
        self.cpus
            .iter()
            .map(|cpu| cpu.siblings.clone().map(|siblings| siblings.len()))
            .fold(Measured::Value(0), |most, next| most.zip(next).map(|(a, b)| a.max(b)))
    }

    /// The places as a record keeps them.
    pub fn places(&self) -> Vec<CpuPlace> {
        self.cpus
            .iter()
            .map(|cpu| CpuPlace {
                cpu: cpu.cpu,
                package: cpu.package.clone(),
                core: cpu.core.clone(),
                node: cpu.node.clone(),
                siblings: cpu.siblings.clone().map(|siblings| siblings.to_string()),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
