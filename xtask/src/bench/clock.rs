//! `cargo xtask bench --clock`: the scheduler's clock against the monotonic one.
//!
//! The programs take both stamps at the same events; what they counted is read when
//! the load is over.

mod counts;
mod loads;
mod show;

use std::path::Path;

use anyhow::Result;
use collector_ebpf::proof;

use super::{interrupt, kernel, machine, noise::Noise};
use crate::{paths::Paths, step};

use counts::Counts;
use loads::Mix;

/// Enough pids for any machine that runs a bench; 40 bytes each.
const MOST_TASKS: u32 = 1 << 20;

/// Compares the clocks under several loads, and tells what came out.
///
/// # Errors
/// When the kernel refuses the programs, or when interrupted.
pub fn compare(paths: &Paths, seconds: u32, noise: &mut Noise) -> Result<String> {
    let mut text = String::new();
    for mix in Mix::ALL {
        interrupt::check()?;
        noise.wait()?;
        step::say(format_args!("clocks under {} for {seconds} s", mix.what()));
        let (counts, stolen) = under(paths, mix, seconds)?;
        text.push_str(&show::section(mix.what(), &counts, stolen));
    }
    Ok(text)
}

/// Attaches anew for each load, so that its counts are its own. Also tells what the
/// hypervisor took meanwhile, in CPUs.
fn under(paths: &Paths, mix: Mix, seconds: u32) -> Result<(Counts, f64)> {
    let sizes = [
        (proof::TASKS, pids().min(MOST_TASKS)),
        (proof::COUNTS, u32::try_from(proof::SLOTS)?),
        (proof::WORST, u32::try_from(proof::CASES)?),
        (proof::STOPPED, u32::try_from(machine::possible_cpus()?)?),
    ];
    let ebpf = kernel::proof(&paths.object(), &sizes)?;
    let watch = machine::Watch::begin()?;
    mix.run(paths, seconds)?;
    let (_, shares) = watch.end(0.0)?;
    Ok((Counts::read(&ebpf)?, shares.stolen))
}

/// How many pids the kernel gives out.
fn pids() -> u32 {
    let text = std::fs::read_to_string(Path::new("/proc/sys/kernel/pid_max")).unwrap_or_default();
    text.trim().parse().unwrap_or(1 << 15)
}
