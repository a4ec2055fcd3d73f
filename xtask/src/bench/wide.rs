//! How long reading the maps would take on a machine with many more CPUs.
//!
//! One read copies a value for each possible CPU. Reading a map of as many entries
//! as it takes to come to the same number of values moves the same bytes, from
//! memory that no cache of one CPU holds, with more system calls than the one.

use std::{
    os::fd::{AsFd as _, AsRawFd as _, BorrowedFd},
    path::Path,
    time::Instant,
};

use anyhow::{Context as _, Result};
use aya::maps::Map;
use collector_ebpf::abi::{self, Cpu};

use super::{kernel, machine, stats};

/// The machine to extrapolate to.
pub const CPUS: usize = 256;

/// Repetitions; the first ones fault the pages in.
const REPEATS: usize = 21;

/// `BPF_MAP_LOOKUP_ELEM` (`bpf(2)`).
const LOOKUP: libc::c_long = 1;

/// The part of `union bpf_attr` that element commands use.
#[repr(C)]
struct Lookup {
    map_fd: u32,
    _pad: u32,
    key: u64,
    value: u64,
    flags: u64,
}

/// What was measured.
#[derive(Clone, Copy, Debug)]
pub struct Wide {
    /// System calls for a reading.
    pub calls: usize,
    /// Values that they copied.
    pub values: usize,
    /// Median time, seconds.
    pub seconds: f64,
}

/// Measures it.
///
/// # Errors
/// When the kernel refuses the map or a read.
pub fn measure(object: &Path) -> Result<Wide> {
    let possible = machine::possible_cpus()?.max(1);
    let entries = CPUS.div_ceil(possible);
    let size = u32::try_from(entries)?;
    let ebpf = kernel::load(object, &[], &[(abi::CPUS, size)])?;
    let Some(Map::PerCpuArray(map)) = ebpf.map(abi::CPUS) else {
        anyhow::bail!("the kernel object has no per-CPU array {}", abi::CPUS)
    };
    let values = entries * possible;
    let mut buffer = vec![0u64; values * size_of::<Cpu>() / 8];
    let each = possible * size_of::<Cpu>() / 8;
    let mut times = Vec::new();
    for _ in 0..REPEATS {
        let start = Instant::now();
        for (key, values) in (0..size).zip(buffer.chunks_exact_mut(each)) {
            lookup(map.fd().as_fd(), key, values).context("reading a map")?;
        }
        times.push(start.elapsed().as_secs_f64());
    }
    let seconds = stats::summary(&times).context("nothing was measured")?.median;
    Ok(Wide { calls: entries, values, seconds })
}

/// Reads one entry for all possible CPUs. `values` has room for them.
fn lookup(map: BorrowedFd<'_>, key: u32, values: &mut [u64]) -> std::io::Result<()> {
    let command = Lookup {
        map_fd: map.as_raw_fd().cast_unsigned(),
        _pad: 0,
        key: (&raw const key).addr() as u64,
        value: values.as_mut_ptr().addr() as u64,
        flags: 0,
    };
    // SAFETY: the kernel writes a value, of a size divisible by 8, for each possible
    // CPU; the caller's slice has that many.
    let result = unsafe { libc::syscall(libc::SYS_bpf, LOOKUP, &raw const command, size_of::<Lookup>()) };
    if result < 0 {
        return Err(std::io::Error::last_os_error());
    }
    Ok(())
}
