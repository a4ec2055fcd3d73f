//! What can be typed.

use clap::Args;

use super::{contender::Watcher, load::Load};

/// Options of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Rounds of each measurement; in each, everybody has a turn
    #[arg(long, value_name = "N", default_value = "11", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub rounds: u16,
    /// Three short rounds: to see whether it works, not for figures
    #[arg(long, conflicts_with = "rounds")]
    pub quick: bool,
    /// Only this load
    #[arg(long, value_name = "LOAD")]
    pub load: Option<Load>,
    /// Only these contenders
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub only: Vec<Watcher>,
    /// Compare the scheduler's clock with the monotonic one instead
    #[arg(long, conflicts_with_all = ["rounds", "load", "only"])]
    pub clock: bool,
    /// How long, in all, to wait for other processes to leave the CPUs alone, and to
    /// take again what they disturbed
    #[arg(long, value_name = "SECONDS", default_value = "120")]
    pub wait: u16,
}

impl BenchArgs {
    /// How many rounds.
    pub const fn rounds(&self) -> usize {
        if self.quick { 3 } else { self.rounds as usize }
    }

    /// How long a load runs with nothing attached, seconds.
    pub const fn seconds(&self) -> f64 {
        if self.quick { 0.2 } else { 1.0 }
    }

    /// The loads.
    pub fn loads(&self) -> Vec<Load> {
        self.load.map_or_else(|| vec![Load::Pipe, Load::Messaging], |load| vec![load])
    }

    /// The contenders, in the order of the table.
    pub fn watchers(&self) -> Vec<Watcher> {
        let wanted = |watcher: &Watcher| self.only.is_empty() || self.only.contains(watcher);
        Watcher::ALL.into_iter().filter(wanted).collect()
    }

    /// Whether the figures are all there and worth keeping.
    pub const fn is_whole(&self) -> bool {
        !self.quick && self.load.is_none() && self.only.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Cli {
        #[command(flatten)]
        args: BenchArgs,
    }

    fn args(words: &[&str]) -> Option<BenchArgs> {
        Cli::try_parse_from([&["bench"], words].concat()).ok().map(|cli| cli.args)
    }

    #[test]
    fn only_a_whole_run_is_kept() {
        let whole = |words: &[&str]| args(words).map(|args| args.is_whole());
        assert_eq!(whole(&[]), Some(true));
        assert_eq!(whole(&["--rounds", "21"]), Some(true));
        assert_eq!(whole(&["--quick"]), Some(false));
        assert_eq!(whole(&["--load", "pipe"]), Some(false));
        assert_eq!(whole(&["--only", "ours,empty"]), Some(false));
        assert_eq!(whole(&["--clock", "--only", "ours"]), None);
    }

    #[test]
    fn contenders_keep_the_order_of_the_table() {
        let watchers = args(&["--only", "runqlat,ours-monotonic,empty"]).map(|args| args.watchers());
        assert_eq!(watchers, Some(vec![Watcher::Empty, Watcher::OursMonotonic, Watcher::Runqlat]));
    }
}
