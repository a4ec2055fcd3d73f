//! Which CPUs share the last level of cache.

use std::{collections::HashMap, path::Path};

use super::{CpuList, ReadError, read};
use crate::record::Measured;

/// No processor comes near so many caches seen by one CPU; a bound against a tree that goes on.
const CACHES: u32 = 32;

/// A last-level cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Llc {
    /// Its level, usually 3.
    pub level: u32,
    /// The online CPUs that share it.
    pub cpus: CpuList,
}

/// The highest cache of `cpu` that holds data (`cache/index*` of the CPU:
/// Documentation/ABI/testing/sysfs-devices-system-cpu).
fn read_one(root: &Path, cpu: u32) -> Result<Llc, ReadError> {
    let folder = format!("sys/devices/system/cpu/cpu{cpu}/cache");
    let mut best: Option<(u32, String)> = None;
    for index in 0..CACHES {
        let cache = format!("{folder}/index{index}");
        let level = match read::parsed::<u32>(root, &format!("{cache}/level")) {
            Ok(level) => level,
            Err(error) if error.is_missing() && index > 0 => break,
            Err(error) => return Err(error),
        };
        let kind = read::word(root, &format!("{cache}/type"))?;
        if kind != "Instruction" && best.as_ref().is_none_or(|(highest, _)| level >= *highest) {
            best = Some((level, cache));
        }
    }
    let (level, cache) = best.ok_or_else(|| ReadError::unexpected(root, &folder, "no cache for data"))?;
    let path = format!("{cache}/shared_cpu_list");
    let cpus: CpuList =
        read::text(root, &path)?.parse().map_err(|problem| ReadError::unexpected(root, &path, problem))?;
    if !cpus.contains(cpu) {
        return Err(ReadError::unexpected(root, &path, format_args!("CPU {cpu} is not in `{cpus}`")));
    }
    Ok(Llc { level, cpus })
}

/// Last-level caches by CPU. What one CPU says is taken for all that share its cache:
/// with 1024 CPUs this is some dozen files instead of ten thousand.
pub(super) fn read_all(root: &Path, online: &CpuList) -> HashMap<u32, Measured<Llc>> {
    let mut caches: HashMap<u32, Measured<Llc>> = HashMap::new();
    for cpu in online.iter() {
        if caches.contains_key(&cpu) {
            continue;
        }
        let llc: Measured<Llc> = read_one(root, cpu).into();
        if let Measured::Value(shared) = &llc {
            for other in shared.cpus.iter() {
                caches.entry(other).or_insert_with(|| llc.clone());
            }
        }
        caches.insert(cpu, llc);
    }
    caches
}
