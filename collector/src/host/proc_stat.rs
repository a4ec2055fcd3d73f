//! `/proc/stat`: the kernel's own count of context switches and of idle time.

use std::{collections::BTreeMap, num::NonZeroU64, path::Path};

use super::{ReadError, read};
use crate::record::Measured;

const NS: u128 = 1_000_000_000;
/// USER_HZ where the kernel does not tell; it is 100 on every architecture that eBPF programs run on.
const USER_HZ: NonZeroU64 = NonZeroU64::MIN.saturating_add(99);

/// One reading of `/proc/stat` (`show_stat()` in fs/proc/stat.c; proc_stat(5)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcStat {
    /// Context switches of the whole machine since boot, idle task included.
    pub ctxt: Measured<u64>,
    /// Idle + iowait of each online CPU since boot, nanoseconds. The kernel cuts both
    /// down to whole ticks (10 ms), so a difference may be wrong by two ticks either way.
    /// An offline CPU has no line.
    pub idle_ns: BTreeMap<u32, Measured<u64>>,
}

/// Ticks a second in `/proc/stat`.
pub fn user_hz() -> NonZeroU64 {
    NonZeroU64::new(rustix::param::clock_ticks_per_second()).unwrap_or(USER_HZ)
}

/// Idle + iowait from the fields after `cpuN`: user, nice, system, idle, iowait, and
/// more since. Kernels that have no iowait book it as idle.
fn idle_ns(fields: &str, hz: NonZeroU64) -> Measured<u64> {
    let mut fields = fields.split_ascii_whitespace().skip(3).map(|field| {
        field.parse::<u64>().map_err(|_| format!("`{}` in /proc/stat is not a number of ticks", read::quote(field)))
    });
    let ticks = match (fields.next(), fields.next()) {
        (Some(Ok(idle)), None) => u128::from(idle),
        (Some(Ok(idle)), Some(Ok(iowait))) => u128::from(idle) + u128::from(iowait),
        (Some(Err(problem)), _) | (_, Some(Err(problem))) => return Measured::not(problem),
        (None, _) => return Measured::not("/proc/stat has no idle time"),
    };
    // At most 2^65 * 10^9: no overflow in 128 bits.
    u64::try_from(ticks * NS / u128::from(hz.get()))
        .map_err(|_| format!("an idle time of {ticks} ticks in /proc/stat cannot be"))
        .into()
}

/// What `later` has more than `earlier`, where both are there and time goes forwards.
fn growth(what: &str, earlier: Option<&Measured<u64>>, later: Option<&Measured<u64>>) -> Measured<u64> {
    match (earlier, later) {
        (Some(Measured::Value(earlier)), Some(Measured::Value(later))) => {
            later.checked_sub(*earlier).ok_or_else(|| format!("{what} in /proc/stat went backwards")).into()
        }
        (Some(Measured::NotMeasured(reason)), _) | (_, Some(Measured::NotMeasured(reason))) => {
            Measured::not(reason.clone())
        }
        (None, _) | (_, None) => Measured::not(format!("no {what} in /proc/stat, the CPU was offline")),
    }
}

impl ProcStat {
    /// Takes the text of `/proc/stat` apart. Lines of no interest, and such as look
    /// wrong, are passed over.
    pub fn parse(text: &str, hz: NonZeroU64) -> Self {
        let mut stat = Self { ctxt: Measured::not("/proc/stat has no line `ctxt`"), idle_ns: BTreeMap::new() };
        for line in text.lines() {
            let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
            // The line `cpu` without a number is the sum over all CPUs.
            if let Some(cpu) = key.strip_prefix("cpu").and_then(|number| number.parse().ok()) {
                stat.idle_ns.insert(cpu, idle_ns(rest, hz));
            } else if key == "ctxt" {
                stat.ctxt = rest.trim().parse().map_err(|_| "`ctxt` in /proc/stat is not a number").into();
            }
        }
        stat
    }

    /// Reads `/proc/stat` under `root`.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn read(root: &Path) -> Result<Self, ReadError> {
        Ok(Self::parse(&read::text(root, "proc/stat")?, user_hz()))
    }

    /// Context switches since `earlier`.
    pub fn ctxt_since(&self, earlier: &Self) -> Measured<u64> {
        growth("the count of context switches", Some(&earlier.ctxt), Some(&self.ctxt))
    }

    /// Idle + iowait of `cpu` since `earlier`, nanoseconds. Not measured where the CPU
    /// was offline at either reading, or where the sum went backwards, as iowait may
    /// (proc_stat(5)) and a CPU that was unplugged meanwhile does.
    pub fn idle_ns_since(&self, earlier: &Self, cpu: u32) -> Measured<u64> {
        let what = format!("idle time of CPU {cpu}");
        growth(&what, earlier.idle_ns.get(&cpu), self.idle_ns.get(&cpu))
    }
}

#[cfg(test)]
mod tests;
