//! What the collector itself uses.

use std::path::Path;

use rustix::time::{ClockId, clock_gettime};

use super::status::Status;
use crate::record::Measured;

/// CPU time of all threads of this process since it began, nanoseconds (`CLOCK_PROCESS_CPUTIME_ID`).
pub fn cpu_ns() -> Measured<u64> {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(time.tv_sec)
        .ok()
        .and_then(|seconds| seconds.checked_mul(1_000_000_000)?.checked_add(u64::try_from(time.tv_nsec).ok()?))
        .ok_or("the process's CPU clock shows no time that can be")
        .into()
}

/// Largest resident memory of this process so far, bytes (`VmHWM`; the kernel
/// counts in batches, so it may lag by some dozen pages a thread).
pub fn peak_memory_bytes(root: &Path) -> Measured<u64> {
    let status = match Status::read(root) {
        Ok(status) => status,
        Err(error) => return Measured::not(error.to_string()),
    };
    // The unit is written out and has always been kB, meaning 1024 bytes.
    status.number("VmHWM", 0, 10).map(|kib| kib.saturating_mul(1024)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::fixture::Fixture;

    #[test]
    fn cpu_time_grows_with_work() {
        let Measured::Value(before) = cpu_ns() else { unreachable!("the clock is there since Linux 2.6.12") };
        let mut x = 1u64;
        while cpu_ns().value().is_some_and(|&now| now < before + 1_000_000) {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        assert!(cpu_ns().value().is_some_and(|&now| now >= before + 1_000_000));
    }

    #[test]
    fn memory() {
        assert!(peak_memory_bytes(Path::new("/")).value().is_some_and(|&bytes| bytes > 100_000));
        let fixture = Fixture::new();
        assert!(peak_memory_bytes(fixture.root()).reason().is_some());
        fixture.file("proc/self/status", "VmHWM:\t    2000 kB\n");
        assert_eq!(peak_memory_bytes(fixture.root()), Measured::Value(2_048_000));
        fixture.file("proc/self/status", "Name:\tkthread\n");
        assert!(peak_memory_bytes(fixture.root()).reason().is_some());
    }
}
