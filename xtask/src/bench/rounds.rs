//! The rounds: in each, everybody has a turn at the same load.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};

use super::{
    active::{Active, Start},
    contender::{Contender, Watcher},
    interrupt,
    load::Sized,
    machine::Shares,
    noise::Noise,
    programs::{self, Runs},
    stats,
};

/// A contender that takes part, or the reason why not.
pub struct Entrant {
    /// Who.
    pub contender: Contender,
    /// How it is started; `None` for nothing.
    pub start: Option<Start>,
    /// What is to be said of it.
    pub note: Option<String>,
    /// Why it does not take part, or no longer.
    pub failure: Option<String>,
}

/// All figures of one load.
pub struct Results {
    /// The load.
    pub sized: Sized,
    /// Nanoseconds a switch by round.
    pub cost: BTreeMap<Contender, Vec<f64>>,
    /// Runs and run time by the program's name, all rounds together.
    pub programs: BTreeMap<Contender, BTreeMap<String, Runs>>,
    /// Switches, all rounds together.
    pub switches: BTreeMap<Contender, u64>,
    /// CPU time of the load by round, seconds.
    pub cpu: BTreeMap<Contender, Vec<f64>>,
    /// What a clock on the wall shows, by round, seconds.
    pub wall: BTreeMap<Contender, Vec<f64>>,
}

impl Results {
    /// None yet.
    pub const fn new(sized: Sized) -> Self {
        Self {
            sized,
            cost: BTreeMap::new(),
            programs: BTreeMap::new(),
            switches: BTreeMap::new(),
            cpu: BTreeMap::new(),
            wall: BTreeMap::new(),
        }
    }
}

impl Entrant {
    /// Nothing, under one of its names.
    pub const fn nothing(contender: Contender) -> Self {
        Self { contender, start: None, note: None, failure: None }
    }

    /// Takes the first of the ways to start that works.
    ///
    /// # Errors
    /// When interrupted.
    pub fn try_out(watcher: Watcher, starts: Result<Vec<(Start, Option<String>)>>) -> Result<Self> {
        let contender = Contender::Watcher(watcher);
        let mut failures = Vec::new();
        match starts {
            Err(error) => failures.push(format!("{error:#}")),
            Ok(starts) => {
                for (start, note) in starts {
                    match start.start().and_then(Active::stop) {
                        Ok(()) => return Ok(Self { contender, start: Some(start), note, failure: None }),
                        Err(error) => failures.push(format!("{error:#}")),
                    }
                    interrupt::check()?;
                }
            }
        }
        failures.dedup();
        Ok(Self { contender, start: None, note: None, failure: Some(failures.join("; then: ")) })
    }

    const fn takes_part(&self) -> bool {
        self.failure.is_none()
    }

    /// Whether it consists of BPF programs.
    const fn has_programs(&self) -> bool {
        matches!(self.contender, Contender::Watcher(watcher) if watcher.has_programs())
    }
}

/// What one turn found.
struct Turn<T> {
    shares: Shares,
    /// Whether another process loaded or unloaded programs.
    strangers: bool,
    found: T,
}

/// Runs `rounds` rounds of one kind; each turn's failure ends that contender's part.
/// A turn that was disturbed is taken again, as long as there is patience.
fn rounds<T>(
    entrants: &mut [Entrant],
    rounds: usize,
    noise: &mut Noise,
    takes_part: impl Fn(&Entrant) -> bool,
    turn: impl Fn(&Entrant) -> Result<Turn<T>>,
    mut keep: impl FnMut(Contender, T),
) -> Result<()> {
    for round in 0..rounds {
        for at in stats::order(entrants.len(), round) {
            let entrant = &mut entrants[at];
            if !entrant.takes_part() || !takes_part(entrant) {
                continue;
            }
            loop {
                noise.wait()?;
                match turn(entrant) {
                    Ok(turn) => {
                        if noise.accepts(turn.shares, turn.strangers) {
                            keep(entrant.contender, turn.found);
                            break;
                        }
                    }
                    Err(error) => {
                        interrupt::check()?;
                        if entrant.start.is_none() {
                            return Err(error);
                        }
                        entrant.failure = Some(format!("{error:#} (in round {})", round + 1));
                        break;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Takes the run time of programs.
///
/// # Errors
/// When the kernel keeps no statistics, or when interrupted.
pub fn cost(entrants: &mut [Entrant], count: usize, results: &mut Results, noise: &mut Noise) -> Result<()> {
    let _on = programs::statistics()?;
    let sized = results.sized;
    let turn = |entrant: &Entrant| {
        let active = entrant.start.as_ref().context("nothing has no programs")?.start()?;
        let pid = active.pid();
        let before = (programs::loaded(), programs::of(pid));
        let sample = sized.run(active.user_side())?;
        let after = (programs::loaded(), programs::of(pid));
        let names = programs::names();
        active.stop()?;
        let runs = programs::since(&before.1, &after.1);
        if sample.switches == 0 || runs.values().all(|runs| runs.count == 0) {
            bail!("none of its {} programs ran", runs.len());
        }
        let named = |(id, runs)| (names.get(&id).cloned().unwrap_or_else(|| "?".to_owned()), runs);
        let found = (sample.switches, runs.into_iter().map(named).collect::<Vec<_>>());
        Ok(Turn { shares: sample.shares, strangers: before.0 != after.0, found })
    };
    rounds(entrants, count, noise, Entrant::has_programs, turn, |who, (switches, runs)| {
        let ns: u64 = runs.iter().map(|(_, runs)| runs.ns).sum();
        results.cost.entry(who).or_default().push(ns as f64 / switches as f64);
        *results.switches.entry(who).or_default() += switches;
        let programs = results.programs.entry(who).or_default();
        for (name, runs) in runs {
            let sum = programs.entry(name).or_default();
            sum.count += runs.count;
            sum.ns += runs.ns;
        }
    })
}

/// Takes the time of the load.
///
/// # Errors
/// When the load does not run with nothing attached, or when interrupted.
pub fn slowdown(entrants: &mut [Entrant], count: usize, results: &mut Results, noise: &mut Noise) -> Result<()> {
    let sized = results.sized;
    let turn = |entrant: &Entrant| {
        let active = entrant.start.as_ref().map(Start::start).transpose()?;
        let before = programs::loaded();
        let sample = sized.run(active.as_ref().map_or(0, Active::user_side))?;
        let strangers = before != programs::loaded();
        if let Some(active) = active {
            active.stop()?;
        }
        Ok(Turn { shares: sample.shares, strangers, found: sample })
    };
    rounds(
        entrants,
        count,
        noise,
        |_| true,
        turn,
        |who, sample| {
            results.cpu.entry(who).or_default().push(sample.cpu);
            results.wall.entry(who).or_default().push(sample.wall);
        },
    )
}

/// Ratios round by round: what disturbs a whole round falls out. A contender that
/// failed has the first rounds only.
pub fn ratios(of: Option<&Vec<f64>>, to: Option<&Vec<f64>>) -> Vec<f64> {
    let (Some(of), Some(to)) = (of, to) else { return Vec::new() };
    of.iter().zip(to).map(|(of, to)| of / to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_within_a_round() {
        let of = vec![2.0, 9.0];
        let to = vec![1.0, 3.0, 7.0];
        assert_eq!(ratios(Some(&of), Some(&to)), [2.0, 3.0]);
        assert!(ratios(Some(&of), None).is_empty());
    }

    #[test]
    fn what_cannot_be_started_has_a_reason() -> Result<()> {
        let missing = Entrant::try_out(Watcher::Perf, Err(anyhow::anyhow!("perf is not installed")))?;
        assert_eq!(missing.failure.as_deref(), Some("perf is not installed"));
        let start = |said: &str| Start::Collector(["sh", "-c", said].map(str::to_owned).to_vec());
        let failing = vec![(start("echo first >&2; exit 1"), None), (start("echo second >&2; exit 1"), None)];
        let failed = Entrant::try_out(Watcher::Ours, Ok(failing))?;
        assert_eq!(failed.failure.as_deref(), Some("first; then: second"));
        let second = vec![
            (start("echo first >&2; exit 1"), None),
            (start("echo ready >&2; exec sleep 9"), Some("the second way".to_owned())),
        ];
        let entrant = Entrant::try_out(Watcher::Ours, Ok(second))?;
        assert_eq!((entrant.failure, entrant.note.as_deref()), (None, Some("the second way")));
        Ok(())
    }
}
