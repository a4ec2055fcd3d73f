//! What load to make.

use std::thread::available_parallelism;
use std::time::Duration;

/// The longest work and pause: a longer one would outlast any run.
const LONGEST_US: u64 = 60_000_000;

/// The most workers. Each takes four memory maps (two stacks, each with a guard), of
/// which a process has 65530 unless `vm.max_map_count` says otherwise: at 15402 threads
/// the standard library aborted the process.
const MOST_THREADS: usize = 10_000;

/// The longest run.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// The shortest interval: below, printing would be the load.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

/// What load to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Workers.
    pub threads: usize,
    /// How long, from when all workers have been started.
    pub duration: Duration,
    /// CPU time a worker computes for in a round, microseconds.
    pub work_us: u64,
    /// Pause between rounds, microseconds, from which a messenger wakes it; 0: none,
    /// the workers never stop computing.
    pub sleep_us: u64,
    /// CPUs to keep to: worker i on the one at i modulo their number, all else on any
    /// of them; `None`: wherever the process may run.
    pub pin: Option<Vec<u32>>,
    /// Time from one interval line to the next.
    pub interval: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            threads: Self::default_threads(None),
            duration: Duration::from_secs(5),
            work_us: 200,
            sleep_us: 500,
            pin: None,
            interval: Duration::from_secs(1),
        }
    }
}

/// Options that make no load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// No workers.
    #[error("a load needs at least one thread")]
    NoThreads,
    /// More than a process can have.
    #[error("a load can have 10000 threads at most: start several for more")]
    TooManyThreads,
    /// Nothing to do.
    #[error("with neither work nor sleep there is no load: give one of them more than 0 us")]
    Nothing,
    /// Out of range.
    #[error("work and sleep may be 60000000 us (a minute) at most")]
    TooLong,
    /// No time to do it in.
    #[error("the duration has to be more than 0, and a year at most")]
    Duration,
    /// Too little time between lines.
    #[error("the interval has to be 10 ms at least")]
    Interval,
    /// An empty list.
    #[error("the list of CPUs to pin to is empty: name at least one")]
    NoCpu,
}

impl Config {
    /// Two workers for each CPU there is to run on: those of `pin`, or those this
    /// process may use.
    pub fn default_threads(pin: Option<&[u32]>) -> usize {
        let cpus = pin.map_or_else(|| available_parallelism().map_or(1, usize::from), <[u32]>::len);
        2 * cpus.max(1)
    }

    /// Says what is wrong with these options.
    ///
    /// # Errors
    /// The first thing that is.
    pub fn check(&self) -> Result<(), ConfigError> {
        let first = [
            (self.threads == 0, ConfigError::NoThreads),
            (self.threads > MOST_THREADS, ConfigError::TooManyThreads),
            (self.work_us == 0 && self.sleep_us == 0, ConfigError::Nothing),
            (self.work_us > LONGEST_US || self.sleep_us > LONGEST_US, ConfigError::TooLong),
            (self.duration.is_zero() || self.duration > LONGEST, ConfigError::Duration),
            (self.interval < SHORTEST_INTERVAL, ConfigError::Interval),
            (self.pin.as_ref().is_some_and(Vec::is_empty), ConfigError::NoCpu),
        ]
        .into_iter()
        .find_map(|(wrong, error)| wrong.then_some(error));
        first.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut Config)) -> Result<(), ConfigError> {
        let mut config = Config::default();
        change(&mut config);
        config.check()
    }

    #[test]
    fn defaults_are_a_load() {
        assert_eq!(Config::default().check(), Ok(()));
        assert_eq!(Config::default_threads(Some(&[0, 3])), 4);
    }

    #[test]
    fn hogs_and_pure_wake_ups_are_loads() {
        assert_eq!(with(|config| config.sleep_us = 0), Ok(()));
        assert_eq!(with(|config| config.work_us = 0), Ok(()));
    }

    #[test]
    fn what_is_no_load_is_refused() {
        assert_eq!(with(|config| config.threads = 0), Err(ConfigError::NoThreads));
        assert_eq!(with(|config| config.threads = MOST_THREADS + 1), Err(ConfigError::TooManyThreads));
        assert_eq!(with(|config| (config.work_us, config.sleep_us) = (0, 0)), Err(ConfigError::Nothing));
        assert_eq!(with(|config| config.sleep_us = LONGEST_US + 1), Err(ConfigError::TooLong));
        assert_eq!(with(|config| config.duration = Duration::ZERO), Err(ConfigError::Duration));
        assert_eq!(with(|config| config.duration = Duration::MAX), Err(ConfigError::Duration));
        assert_eq!(with(|config| config.interval = Duration::from_millis(9)), Err(ConfigError::Interval));
        assert_eq!(with(|config| config.pin = Some(vec![])), Err(ConfigError::NoCpu));
    }
}
