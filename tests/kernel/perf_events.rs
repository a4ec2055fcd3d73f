//! Waits worked out from the events that perf recorded, as `perf script` prints them.

use std::collections::{HashMap, HashSet};

/// The fields to ask for.
pub const FIELDS: &str = "cpu,time,event,trace";

/// Waits, and how long they were in all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waits {
    pub n: u64,
    pub sum_ns: u64,
}

impl Waits {
    pub fn mean_ms(&self) -> f64 {
        self.sum_ns as f64 / self.n as f64 / 1e6
    }

    pub fn plus(self, other: Self) -> Self {
        Self { n: self.n + other.n, sum_ns: self.sum_ns + other.sum_ns }
    }

    fn add(&mut self, ns: u64) {
        *self = self.plus(Self { n: 1, sum_ns: ns });
    }
}

/// How a wait began.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Began {
    Woken,
    /// Preempted on the way out of the kernel: state `R`.
    Preempted,
    /// Preempted in the kernel: state `R+`.
    InKernel,
}

/// One task.
#[derive(Default)]
struct Task {
    /// The wait that is open.
    open: Option<(u64, Began)>,
    on_cpu: bool,
    all: Waits,
    in_kernel: Waits,
    not_told: u64,
}

/// What the events say of the tasks that at some time have one name.
pub struct Told {
    /// All their waits.
    pub all: Waits,
    /// Of these, those that began by preemption in the kernel.
    pub in_kernel: Waits,
    /// How often one of them left a CPU that, by the events, another task had: the
    /// switch in which it came, and the end of its wait, are not among the events.
    pub not_told: u64,
}

/// Reads the events for the tasks of this name.
pub fn told(script: &str, comm: &str) -> Told {
    let mut tasks: HashMap<u32, Task> = HashMap::new();
    let mut named = HashSet::new();
    let mut last_in: HashMap<&str, u32> = HashMap::new();
    for (cpu, ns, event, text) in script.lines().filter_map(split) {
        match event {
            "sched_switch" => {
                let Some((out, state, next)) = switch(text) else { continue };
                named.extend([out, next].iter().filter(|task| task.0 == comm).map(|task| task.1));
                let came = last_in.insert(cpu, next.1).is_none_or(|last| last == out.1);
                let prev = tasks.entry(out.1).or_default();
                prev.on_cpu = false;
                prev.not_told += u64::from(!came);
                prev.open = match state {
                    "R" => Some((ns, Began::Preempted)),
                    "R+" => Some((ns, Began::InKernel)),
                    _ => None,
                };
                let next = tasks.entry(next.1).or_default();
                next.on_cpu = true;
                if let Some((since, how)) = next.open.take() {
                    next.all.add(ns - since);
                    if how == Began::InKernel {
                        next.in_kernel.add(ns - since);
                    }
                }
            }
            "sched_wakeup" | "sched_wakeup_new" => {
                let Some(pid) = after(text, " pid=").and_then(|pid| pid.parse().ok()) else { continue };
                let task = tasks.entry(pid).or_default();
                if !task.on_cpu && task.open.is_none() {
                    task.open = Some((ns, Began::Woken));
                }
            }
            _ => {}
        }
    }
    let of = |part: fn(&Task) -> Waits| {
        let ours = tasks.iter().filter(|(pid, _)| named.contains(*pid));
        ours.fold(Waits::default(), |sum, (_, task)| sum.plus(part(task)))
    };
    let not_told = tasks.iter().filter(|(pid, _)| named.contains(*pid)).map(|(_, task)| task.not_told).sum();
    Told { all: of(|task| task.all), in_kernel: of(|task| task.in_kernel), not_told }
}

/// `[001]  7543.131833280:       sched:sched_switch: TEXT`
fn split(line: &str) -> Option<(&str, u64, &str, &str)> {
    let (cpu, rest) = line.trim_start().split_once(' ')?;
    let (time, rest) = rest.trim_start().split_once(": ")?;
    let (seconds, nanos) = time.split_once('.')?;
    let (event, text) = rest.trim_start().strip_prefix("sched:")?.split_once(": ")?;
    let ns = seconds.parse::<u64>().ok()? * 1_000_000_000 + nanos.parse::<u64>().ok()?;
    (nanos.len() == 9).then_some((cpu, ns, event, text))
}

/// A name and a pid.
type Named<'a> = (&'a str, u32);

/// Name and pid of who leaves, its state, and name and pid of who enters.
fn switch(text: &str) -> Option<(Named<'_>, &str, Named<'_>)> {
    let (out, next) = text.split_once(" ==> next_comm=")?;
    let (out, rest) = out.strip_prefix("prev_comm=")?.rsplit_once(" prev_pid=")?;
    let (next, pid) = next.rsplit_once(" next_pid=")?;
    let number = |text: &str| text.split(' ').next()?.parse().ok();
    Some(((out, number(rest)?), after(rest, " prev_state=")?, (next, number(pid)?)))
}

/// The word after this.
fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    text.rsplit_once(label)?.1.split(' ').next()
}
