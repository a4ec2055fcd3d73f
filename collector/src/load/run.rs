//! A load from its start to its end.

use std::io::Write;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, Scope, scope};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::latency::Latencies;
use super::messenger::{self, Pause, WORKERS_EACH};
use super::spin::Spin;
use super::stop::Stop;
use super::worker::{Slot, Worker};
use super::{Config, pin, report};

/// Enough for a thread that calls nothing deep, and little for thousands of them.
const STACK: usize = 128 * 1024;

/// What a load did.
#[derive(Clone, Debug)]
pub struct Summary {
    /// From when all workers were started to when they were stopped.
    pub elapsed: Duration,
    /// Rounds done by all workers.
    pub rounds: u64,
    /// CPU time of each worker.
    pub cpu: Vec<Duration>,
    pub(super) latencies: Latencies,
}

impl Summary {
    /// Wake-ups whose latency was measured.
    pub fn wake_ups(&self) -> u64 {
        self.latencies.count()
    }

    /// The latency below which this share (0 to 1) of wake-ups lies, microseconds;
    /// `None` when there were none.
    pub fn wake_up_us(&self, quantile: f64) -> Option<f64> {
        self.latencies.quantile_us(quantile)
    }
}

/// Makes the load; prints a line an interval, and a block at the end, to `out`. Ends
/// early on SIGINT and SIGTERM, which is no error.
///
/// # Errors
/// Bad options; threads that cannot be started or pinned; an `out` that cannot be
/// written to.
pub fn run(config: &Config, out: &mut dyn Write) -> anyhow::Result<()> {
    let summary = measure(config, out)?;
    out.write_all(report::last(config, &summary).as_bytes())?;
    Ok(out.flush()?)
}

/// As [`run`], without the block at the end. The calling thread keeps to the pinned
/// CPUs afterwards.
///
/// # Errors
/// As [`run`].
pub fn measure(config: &Config, out: &mut dyn Write) -> anyhow::Result<Summary> {
    config.check()?;
    let slots = (0..config.threads).map(|_| Slot::new()).collect::<anyhow::Result<Vec<_>>>()?;
    let stop = Stop::new();
    if let Some(cpus) = &config.pin {
        pin::keep_to(&pin::mask(cpus)?)?;
    }
    let spin = Spin::calibrate();
    let stopped = AtomicBool::new(false);
    let gate = RwLock::new(());
    let mut summary = scope(|scope| {
        let crew = Crew { scope, config, stopped: &stopped, gate: &gate, spin };
        let closed = gate.write();
        let started = crew.start(&slots);
        let begin = Instant::now();
        drop(closed);
        let watched = started.and_then(|()| watch(config, &slots, begin, &stop, &stopped, out));
        // Also when that failed, or the scope would never end.
        stopped.store(true, Relaxed);
        watched
    })?;
    // Now that nobody adds to them.
    summary.rounds = rounds(&slots);
    summary.latencies.add(&latencies(&slots)?)?;
    summary.cpu = slots.iter().map(|slot| Duration::from_nanos(slot.cpu.load(Relaxed))).collect();
    Ok(summary)
}

/// The threads of a load.
struct Crew<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    config: &'env Config,
    stopped: &'env AtomicBool,
    /// Closed (locked) until all are there: none has a lead.
    gate: &'env RwLock<()>,
    spin: Spin,
}

impl<'env> Crew<'_, 'env> {
    fn start(&self, slots: &'env [Slot]) -> anyhow::Result<()> {
        let mut cpus = self.config.pin.iter().flatten().cycle();
        for (number, some) in slots.chunks(WORKERS_EACH).enumerate() {
            let messenger = (self.config.sleep_us > 0).then(|| self.messenger(number)).transpose()?;
            for (index, slot) in some.iter().enumerate() {
                let pause = messenger.clone().map(|messenger| (self.config.sleep_us * 1000, messenger));
                let worker =
                    Worker { slot, work: self.config.work_us * 1000, pause, spin: self.spin, stop: self.stopped };
                self.worker(number * WORKERS_EACH + index, cpus.next(), worker)?;
            }
        }
        Ok(())
    }

    fn messenger(&self, number: usize) -> anyhow::Result<Sender<Pause<'env>>> {
        let (sender, pauses) = channel();
        let stopped = self.stopped;
        let carry = move || messenger::carry(&pauses, stopped);
        Self::builder(format!("messenger-{number}"))
            .spawn_scoped(self.scope, carry)
            .context("a messenger thread cannot be started")?;
        Ok(sender)
    }

    fn worker(&self, number: usize, cpu: Option<&u32>, worker: Worker<'env>) -> anyhow::Result<()> {
        let cpu = cpu.map(|&cpu| pin::mask(&[cpu])).transpose()?;
        let gate = self.gate;
        let work = move || {
            // `mask` has seen to it that this works; a CPU that went offline since lets
            // the worker run elsewhere, as the kernel itself does then.
            let _ = cpu.map(|cpu| pin::keep_to(&cpu));
            drop(gate.read());
            worker.work();
        };
        Self::builder(format!("worker-{number}"))
            .spawn_scoped(self.scope, work)
            .with_context(|| format!("worker thread {} of {} cannot be started", number + 1, self.config.threads))?;
        Ok(())
    }

    fn builder(name: String) -> Builder {
        Builder::new().name(name).stack_size(STACK)
    }
}

/// Prints the intervals until it is time to stop, and has the workers stop then.
/// Returns how long that was, and the latencies of the intervals.
fn watch(
    config: &Config,
    slots: &[Slot],
    begin: Instant,
    stop: &Stop,
    stopped: &AtomicBool,
    out: &mut dyn Write,
) -> anyhow::Result<Summary> {
    let mut sum = Summary { elapsed: Duration::ZERO, rounds: 0, cpu: Vec::new(), latencies: Latencies::new()? };
    for due in (1..).map(|number| config.interval.saturating_mul(number)) {
        let signalled = stop.comes_before(begin + due.min(config.duration))?;
        let (elapsed, rounds) = (begin.elapsed(), rounds(slots));
        let is_last = signalled || due >= config.duration;
        // Before anything that takes time: what is done in it is not to be counted.
        stopped.store(is_last, Relaxed);
        let interval = latencies(slots)?;
        if !signalled && due <= config.duration {
            writeln!(out, "{}", report::interval(due, elapsed - sum.elapsed, rounds - sum.rounds, &interval))?;
            out.flush()?;
        }
        sum.latencies.add(&interval)?;
        (sum.elapsed, sum.rounds) = (elapsed, rounds);
        if is_last {
            break;
        }
    }
    Ok(sum)
}

fn rounds(slots: &[Slot]) -> u64 {
    slots.iter().map(|slot| slot.rounds.load(Relaxed)).sum()
}

/// The latencies since the last call.
fn latencies(slots: &[Slot]) -> anyhow::Result<Latencies> {
    let mut all = Latencies::new()?;
    for slot in slots {
        all.add(&slot.take_latencies(Latencies::new()?))?;
    }
    Ok(all)
}
