//! Two ways to read kernel memory at an address and an offset.

use aya_ebpf::helpers::bpf_probe_read_kernel;

/// How a program reads fields of kernel structures.
pub trait Access {
    /// Whether reading is cheap enough to follow pointers at every event.
    const DIRECT: bool;
    /// Reads a `T` at `base + offset`; a default where the memory is not there.
    ///
    /// # Safety
    /// `base` points to a kernel structure with a `T` at `offset`.
    unsafe fn read<T: Copy + Default>(base: *const u8, offset: u64) -> T;
}

/// Loads from pointers the verifier knows by their BTF type. The offset is a
/// read-only global, so the verifier knows its value and checks the access.
pub struct Direct;

impl Access for Direct {
    const DIRECT: bool = true;
    #[inline(always)]
    unsafe fn read<T: Copy + Default>(base: *const u8, offset: u64) -> T {
        // SAFETY: the caller names a field; a fault is handled by the kernel's
        // exception table and reads 0.
        unsafe { base.add(offset as usize).cast::<T>().read_volatile() }
    }
}

/// Copies through the helper, for raw tracepoints, whose arguments are plain numbers.
pub struct Probe;

impl Access for Probe {
    const DIRECT: bool = false;
    #[inline(always)]
    unsafe fn read<T: Copy + Default>(base: *const u8, offset: u64) -> T {
        // SAFETY: the helper checks the address and fails instead of faulting.
        unsafe { bpf_probe_read_kernel(base.add(offset as usize).cast::<T>()) }.unwrap_or_default()
    }
}
