//! What the kernel says of a loaded program: `/proc/self/fdinfo`.

use std::{
    fs,
    os::fd::{AsFd, AsRawFd},
};

use aya::Ebpf;

use crate::record::{Measured, ProgramCost};

/// The counters of all programs together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Times a program was not run because it was running already on that CPU.
    pub recursion_misses: Measured<u64>,
    /// Runs and run time; 0 runs where run-time statistics are off.
    pub cost: ProgramCost,
}

/// Reads the counters of all loaded programs.
pub fn counters(ebpf: &Ebpf) -> Counters {
    let mut cost = ProgramCost { runs: 0, ns: 0 };
    let mut misses = Measured::Value(0);
    for (_, program) in ebpf.programs() {
        let Ok(fd) = program.fd() else { continue };
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", fd.as_fd().as_raw_fd())).unwrap_or_default();
        cost.runs += field(&info, "run_cnt").unwrap_or(0);
        cost.ns += field(&info, "run_time_ns").unwrap_or(0);
        // Since 5.12, kernel commit 9ed9e9ba2337.
        let of_this = field(&info, "recursion_misses")
            .map_or_else(|| Measured::not("this kernel does not count them"), Measured::Value);
        misses = misses.zip(of_this).map(|(a, b)| a + b);
    }
    Counters { recursion_misses: misses, cost }
}

fn field(info: &str, name: &str) -> Option<u64> {
    info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let info = "pos:\t0\nrun_time_ns:\t1200\nrun_cnt:\t3\nrecursion_misses:\t0\n";
        assert_eq!(field(info, "run_cnt"), Some(3));
        assert_eq!(field(info, "run_time_ns"), Some(1200));
        assert_eq!(field(info, "run"), None);
    }
}
