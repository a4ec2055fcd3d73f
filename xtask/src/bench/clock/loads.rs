//! What runs while the clocks are compared.

use std::{
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;

use crate::{
    bench::{
        interrupt,
        load::{Load, Sized},
        machine,
        process::Guarded,
    },
    paths::Paths,
};

/// How often the loads are looked at.
const TICK: Duration = Duration::from_millis(20);

/// A load, or several at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    /// `perf bench sched pipe` on one CPU.
    Pipe,
    /// `perf bench sched messaging`.
    Messaging,
    /// `collector load`: CPUs go idle and come back thousands of times a second.
    Sleepers,
    /// All of them and two tasks that only compute.
    Mixed,
}

impl Mix {
    /// All, from the plainest on.
    pub const ALL: [Self; 4] = [Self::Pipe, Self::Messaging, Self::Sleepers, Self::Mixed];

    /// Its name.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Pipe => "pipe (both tasks on one CPU)",
            Self::Messaging => "messaging",
            Self::Sleepers => "sleepers (collector load: idle CPUs woken all the time)",
            Self::Mixed => "all of these and two tasks that only compute",
        }
    }

    /// Runs it for so long, each part again as soon as it ends.
    ///
    /// # Errors
    /// When a part cannot be started, or when interrupted.
    pub fn run(self, paths: &Paths, seconds: u32) -> Result<()> {
        let cpu = machine::last_cpu()?;
        let perf = |load, loops| move || Sized { load, loops, cpu }.start();
        let sleepers = || collector_load(paths, &["--sleep-us", "300"]);
        let spinners = || collector_load(paths, &["--sleep-us", "0", "--threads", "2"]);
        let (pipe, messaging) = (perf(Load::Pipe, 10_000_000), perf(Load::Messaging, 1_000));
        let parts: Vec<&dyn Fn() -> Result<Guarded>> = match self {
            Self::Pipe => vec![&pipe],
            Self::Messaging => vec![&messaging],
            Self::Sleepers => vec![&sleepers],
            Self::Mixed => vec![&pipe, &messaging, &sleepers, &spinners],
        };
        let end = Instant::now() + Duration::from_secs(u64::from(seconds));
        let mut running = parts.iter().map(|start| start()).collect::<Result<Vec<_>>>()?;
        while Instant::now() < end {
            interrupt::check()?;
            for (part, start) in running.iter_mut().zip(&parts) {
                if part.ended()?.is_some() {
                    *part = start()?;
                }
            }
            thread::sleep(TICK);
        }
        Ok(())
    }
}

fn collector_load(paths: &Paths, options: &[&str]) -> Result<Guarded> {
    let mut command = Command::new(paths.collector());
    command.args(["load", "--duration", "3600s"]).args(options).stdout(Stdio::null()).stderr(Stdio::null());
    Guarded::start(&mut command)
}
