//! What `/proc` says: switches, who used the CPUs, what machine this is.

use std::{fs, time::Instant};

use anyhow::{Context as _, Result};

/// Ticks a second in `/proc` (`USER_HZ`), the same on all architectures that Rust
/// and BPF share.
const TICKS: f64 = 100.0;

/// `/proc/stat` at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stat {
    /// Context switches since boot.
    pub switches: u64,
    /// CPU time used by anything, seconds.
    pub busy: f64,
    /// CPU time that the hypervisor gave to others, seconds.
    pub stolen: f64,
}

impl Stat {
    /// Reads it.
    ///
    /// # Errors
    /// When there is no `/proc`.
    pub fn read() -> Result<Self> {
        let text = fs::read_to_string("/proc/stat").context("/proc is not mounted")?;
        Self::parse(&text).context("/proc/stat has no lines `cpu` and `ctxt`")
    }

    fn parse(text: &str) -> Option<Self> {
        let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let ticks: Vec<f64> = line("cpu")?.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        // user nice system idle iowait irq softirq steal; guest time is within user.
        let [user, nice, system, _idle, _iowait, irq, softirq, steal, ..] = ticks[..] else { return None };
        Some(Self {
            switches: line("ctxt")?.trim().parse().ok()?,
            busy: (user + nice + system + irq + softirq) / TICKS,
            stolen: steal / TICKS,
        })
    }
}

/// CPU time of a process and its threads, seconds; 0 once it is gone.
pub fn cpu_time(pid: u32) -> f64 {
    fs::read_to_string(format!("/proc/{pid}/stat")).ok().and_then(|stat| parse_cpu_time(&stat)).unwrap_or(0.0)
}

fn parse_cpu_time(stat: &str) -> Option<f64> {
    // The name, in parentheses, may hold anything; the rest is numbers.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / TICKS)
}

/// Which CPU time of children that have ended and been waited for, seconds.
pub fn cpu_time_of_children() -> f64 {
    // SAFETY: an all-zero rusage is valid, and the kernel fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Notes who used the CPUs from now on.
pub struct Watch {
    began: Instant,
    stat: Stat,
    watcher: f64,
}

/// Who used the CPUs for some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Everything but the load and the contender, in CPUs.
    pub others: f64,
    /// The hypervisor's other guests, in CPUs.
    pub stolen: f64,
}

impl Watch {
    /// Begins.
    ///
    /// # Errors
    /// When there is no `/proc`.
    pub fn begin() -> Result<Self> {
        Ok(Self { began: Instant::now(), stat: Stat::read()?, watcher: cpu_time(std::process::id()) })
    }

    /// Ends. `known` is the CPU time of the load and the contender, seconds.
    ///
    /// # Errors
    /// When there is no `/proc`.
    pub fn end(&self, known: f64) -> Result<(u64, Shares)> {
        let now = Stat::read()?;
        let wall = self.began.elapsed().as_secs_f64();
        let own = cpu_time(std::process::id()) - self.watcher;
        let others = (now.busy - self.stat.busy - known - own) / wall;
        let shares = Shares { others: others.max(0.0), stolen: (now.stolen - self.stat.stolen) / wall };
        Ok((now.switches.wrapping_sub(self.stat.switches), shares))
    }
}

/// The machine in one line: kernel, CPUs, clock, nothing that names it.
pub fn describe() -> String {
    let read = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
    let info = read("/proc/cpuinfo");
    let models: Vec<&str> = info
        .lines()
        .filter_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, model)| model.trim()))
        .collect();
    let virtual_machine = info.lines().any(|line| line.starts_with("flags") && line.contains(" hypervisor"));
    format!(
        "Linux {}, {} CPUs{}{}, clocksource {}, BPF JIT {}",
        read("/proc/sys/kernel/osrelease"),
        cpus(&read("/sys/devices/system/cpu/online")).len(),
        models.first().map(|model| format!(" ({model})")).unwrap_or_default(),
        if virtual_machine { ", in a virtual machine" } else { "" },
        read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        if read("/proc/sys/net/core/bpf_jit_enable") == "0" { "off" } else { "on" },
    )
}

/// The last online CPU: the first one tends to take the interrupts.
///
/// # Errors
/// When the list of CPUs cannot be read.
pub fn last_cpu() -> Result<u32> {
    let online = fs::read_to_string("/sys/devices/system/cpu/online").context("/sys is not mounted")?;
    cpus(&online).last().copied().context("/sys/devices/system/cpu/online is empty")
}

/// How many CPUs the kernel keeps per-CPU values for.
///
/// # Errors
/// When the list of CPUs cannot be read.
pub fn possible_cpus() -> Result<usize> {
    let possible = fs::read_to_string("/sys/devices/system/cpu/possible").context("/sys is not mounted")?;
    Ok(cpus(&possible).len())
}

/// A CPU list such as `0-3,8`.
fn cpus(list: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse::<u32>().ok()?)
    };
    list.trim().split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_is_read_by_columns() {
        let text = "cpu  100 20 300 4000 50 6 7 80 9 0\ncpu0 1 2 3 4 5 6 7 8 9 0\nctxt 123456\nbtime 1\n";
        assert_eq!(Stat::parse(text), Some(Stat { switches: 123_456, busy: 4.33, stolen: 0.8 }));
        assert_eq!(Stat::parse("cpu  1 2 3\nctxt 1\n"), None);
    }

    #[test]
    fn the_name_of_a_process_may_hold_anything() {
        let stat = "7 (a) b 1 2) S 1 7 7 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 1 0";
        assert_eq!(parse_cpu_time(stat), Some(2.0));
        assert!(cpu_time(std::process::id()) >= 0.0);
    }

    #[test]
    fn cpu_lists() {
        assert_eq!(cpus("0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(cpus("\n"), [0u32; 0]);
    }
}
