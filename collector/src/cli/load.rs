//! `collector load`.

use std::time::Duration;

use clap::Parser;

use super::duration;
use crate::{
    host::cpulist::CpuList,
    load::{self, Config},
};

/// Generate a small load with a known answer
///
/// Workers compute and sleep, messengers wake them. It prints a line a second and a
/// final rate. With --sleep-us 0 workers only compute: n of them pinned on one CPU wait
/// (n-1) time slices for each of their own.
#[derive(Debug, Parser)]
pub struct Args {
    /// Number of workers [default: twice the CPUs]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// How long to run
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration::positive)]
    duration: Duration,
    /// CPU time of a round, microseconds
    #[arg(long, value_name = "US", default_value_t = 200)]
    work_us: u64,
    /// Sleep between rounds, microseconds; 0 never sleeps
    #[arg(long, value_name = "US", default_value_t = 500)]
    sleep_us: u64,
    /// Run on these CPUs only, as in 0-3,8
    #[arg(long, value_name = "LIST")]
    pin: Option<CpuList>,
    /// Length of the interval between lines
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration::interval)]
    interval: Duration,
}

/// Runs the load.
///
/// # Errors
///
/// One sentence on an option that makes no sense.
pub fn run(args: Args) -> anyhow::Result<()> {
    if args.pin.as_ref().is_some_and(CpuList::is_empty) {
        anyhow::bail!("--pin names no CPU: give at least one");
    }
    let pin: Option<Vec<u32>> = args.pin.map(|cpus| cpus.iter().collect());
    let config = Config {
        threads: args.threads.unwrap_or_else(|| Config::default_threads(pin.as_deref())),
        duration: args.duration,
        work_us: args.work_us,
        sleep_us: args.sleep_us,
        pin,
        interval: args.interval,
    };
    load::run(&config, &mut std::io::stdout())
}
