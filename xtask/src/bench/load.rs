//! The loads: `perf bench sched pipe` and `perf bench sched messaging`.

use std::{
    io::Read as _,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum;

use super::{
    machine::{self, Shares, Watch},
    process::Guarded,
};

/// A load that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(180);

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Load {
    /// Two processes that pass a byte to and fro, both on one CPU
    Pipe,
    /// 100 senders and 100 receivers on all CPUs
    Messaging,
}

/// A load of a fixed amount of work.
#[derive(Clone, Copy, Debug)]
pub struct Sized {
    /// Which.
    pub load: Load,
    /// Its loops.
    pub loops: u64,
    /// The CPU that pipe runs on.
    pub cpu: u32,
}

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// How long it took, by its own clock, seconds.
    pub wall: f64,
    /// CPU time of the load's processes, seconds.
    pub cpu: f64,
    /// Context switches of the whole machine meanwhile.
    pub switches: u64,
    /// Who else used the CPUs.
    pub shares: Shares,
}

impl Load {
    /// Loops to begin with: a tenth of a second, more or less.
    const fn first_guess(self) -> u64 {
        match self {
            Self::Pipe => 20_000,
            Self::Messaging => 50,
        }
    }

    /// CPU time for each second that a run is to last: messaging keeps two CPUs busy,
    /// and a fifth of it goes into starting its 200 processes.
    const fn cpus(self) -> f64 {
        match self {
            Self::Pipe => 1.0,
            Self::Messaging => 2.0,
        }
    }

    /// Finds how many loops last about `seconds` with nothing attached, going by CPU
    /// time, which does not depend on who else is there.
    ///
    /// # Errors
    /// When perf does not run.
    pub fn sized(self, seconds: f64, cpu: u32) -> Result<Sized> {
        let small = Sized { load: self, loops: self.first_guess(), cpu };
        let large = Sized { loops: small.loops * 4, ..small };
        small.run(0)?;
        let (few, many) = (small.run(0)?.cpu, large.run(0)?.cpu);
        Ok(Sized { loops: loops(small.loops, few, many, seconds * self.cpus()), ..small })
    }
}

/// How many loops take `seconds`, when `few` of them take that long and four times
/// as many take `many` seconds: the start, which is no loop, is not mistaken for one.
fn loops(small: u64, few: f64, many: f64, seconds: f64) -> u64 {
    let each = ((many - few) / (small * 3) as f64).max(1e-9);
    let start = (few - each * small as f64).max(0.0);
    ((seconds - start) / each).clamp(small as f64, 1e8).round() as u64
}

impl Sized {
    /// As a shell would take it.
    pub fn line(&self) -> String {
        let mut words = vec![String::from("perf bench sched")];
        if self.load == Load::Pipe {
            words.insert(0, format!("taskset -c {}", self.cpu));
        }
        words.push(match self.load {
            Load::Pipe => format!("pipe -l {}", self.loops),
            Load::Messaging => format!("messaging -g 5 -l {}", self.loops),
        });
        words.join(" ")
    }

    /// Starts it.
    ///
    /// # Errors
    /// When perf is not there.
    pub fn start(&self) -> Result<Guarded> {
        let line = self.line();
        let mut words = line.split(' ');
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).stdout(Stdio::piped()).stderr(Stdio::null());
        Guarded::start(&mut command)
    }

    /// Runs it to its end, beside `contender` (0 for none).
    ///
    /// # Errors
    /// When it fails, or when interrupted.
    pub fn run(&self, contender: u32) -> Result<Sample> {
        let watch = Watch::begin()?;
        let of_contender = machine::cpu_time(contender);
        let of_children = machine::cpu_time_of_children();
        let mut perf = self.start()?;
        let status = perf.wait(LIMIT)?.with_context(|| format!("`{}` hangs", self.line()))?;
        let cpu = machine::cpu_time_of_children() - of_children;
        let known = cpu + machine::cpu_time(contender) - of_contender;
        let (switches, shares) = watch.end(known)?;
        let mut text = String::new();
        if let Some(mut stdout) = perf.stdout() {
            stdout.read_to_string(&mut text).context("could not read what perf printed")?;
        }
        if !status.success() {
            bail!("`{}` failed ({})", self.line(), crate::child::outcome(status));
        }
        let wall = total_time(&text).with_context(|| format!("`{}` printed no total time", self.line()))?;
        Ok(Sample { wall, cpu, switches, shares })
    }
}

/// `Total time` of perf bench, seconds.
fn total_time(text: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.trim().strip_prefix("Total time:"))?;
    let (number, unit) = rest.trim().split_once(' ')?;
    if unit.trim() != "[sec]" {
        return None;
    }
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_time_is_read_in_seconds() {
        let pipe = "# Running 'sched/pipe' benchmark:\n# Executed 200000 pipe operations between two processes\n\n     Total time: 1.965 [sec]\n\n       9.826155 usecs/op\n         101769 ops/sec\n";
        assert_eq!(total_time(pipe), Some(1.965));
        let messaging = "# 20 sender and receiver processes per group\n# 5 groups == 200 processes run\n\n     Total time: 0.079 [sec]\n";
        assert_eq!(total_time(messaging), Some(0.079));
        assert_eq!(total_time("     Total time: 79 [msec]\n"), None);
        assert_eq!(total_time(""), None);
    }

    #[test]
    fn the_start_is_not_mistaken_for_loops() {
        // 0.5 s to start, 1 ms a loop.
        assert_eq!(loops(100, 0.6, 0.9, 2.5), 2000);
        assert_eq!(loops(100, 0.6, 0.9, 0.1), 100);
        assert_eq!(loops(100, 0.6, 0.6, 2.5), 100_000_000);
    }

    #[test]
    fn only_pipe_is_pinned() {
        let line = |load| Sized { load, loops: 7, cpu: 3 }.line();
        assert_eq!(line(Load::Pipe), "taskset -c 3 perf bench sched pipe -l 7");
        assert_eq!(line(Load::Messaging), "perf bench sched messaging -g 5 -l 7");
    }
}
