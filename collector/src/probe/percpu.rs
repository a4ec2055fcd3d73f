//! Reads a per-CPU map value for all CPUs in one system call.

use std::os::fd::{AsRawFd, BorrowedFd};

use collector_ebpf::abi::Cpu;

/// `BPF_MAP_LOOKUP_ELEM` (`bpf(2)`).
const LOOKUP: libc::c_long = 1;

/// The part of `union bpf_attr` that element commands use.
#[repr(C)]
struct ElementCommand {
    map_fd: u32,
    _pad: u32,
    key: u64,
    value: u64,
    flags: u64,
}

/// A buffer for one value a possible CPU, filled again and again.
pub struct Values {
    buffer: Vec<Cpu>,
}

impl Values {
    /// Room for `cpus` possible CPUs.
    pub fn new(cpus: usize) -> Self {
        // SAFETY: `Cpu` consists of integers only, for which zeros are valid.
        let zero: Cpu = unsafe { std::mem::zeroed() };
        Self { buffer: vec![zero; cpus] }
    }

    /// Reads entry 0 of `map` for every possible CPU, in the order of their numbers.
    ///
    /// # Errors
    ///
    /// What `bpf(2)` returned.
    pub fn read(&mut self, map: BorrowedFd<'_>) -> std::io::Result<&[Cpu]> {
        let key = 0u32;
        let command = ElementCommand {
            map_fd: map.as_raw_fd().cast_unsigned(),
            _pad: 0,
            key: (&raw const key).addr() as u64,
            value: self.buffer.as_mut_ptr().addr() as u64,
            flags: 0,
        };
        // SAFETY: the kernel writes one value, rounded up to 8 bytes, a possible
        // CPU; the buffer has that many values of a size divisible by 8.
        let result = unsafe { libc::syscall(libc::SYS_bpf, LOOKUP, &raw const command, size_of::<ElementCommand>()) };
        if result < 0 {
            return Err(std::io::Error::last_os_error());
        }
        Ok(&self.buffer)
    }
}
