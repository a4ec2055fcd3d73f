//! The lines that a load prints.

use std::fmt::Write;
use std::time::Duration;

use super::latency::Latencies;
use super::{Config, Summary};

/// The line of an interval that ended at `at`: `[ 1s ] rate: 5711 rounds/s, wake-up p50/p99: 12.3/88.1 us`.
pub(super) fn interval(at: Duration, took: Duration, rounds: u64, latencies: &Latencies) -> String {
    let mut line = format!("[ {}s ] rate: {:.0} rounds/s", seconds(at), rate(rounds, took));
    if let (Some(median), Some(tail)) = (latencies.quantile_us(0.5), latencies.quantile_us(0.99)) {
        // Writing to a string cannot fail.
        let _ = write!(line, ", wake-up p50/p99: {median:.1}/{tail:.1} us");
    }
    line
}

/// The block at the end.
pub(super) fn last(config: &Config, summary: &Summary) -> String {
    let cpu = summary.cpu.iter().sum::<Duration>();
    let least = summary.cpu.iter().min().copied().unwrap_or_default();
    let most = summary.cpu.iter().max().copied().unwrap_or_default();
    let mut block = format!(
        "load:    {} workers, {} us work, {} us sleep, {:.3} s\n\
         rounds:  {}\n\
         rate:    {:.1} rounds/s\n\
         cpu:     {:.3} s, a worker {:.3} to {:.3} s\n",
        config.threads,
        config.work_us,
        config.sleep_us,
        summary.elapsed.as_secs_f64(),
        summary.rounds,
        rate(summary.rounds, summary.elapsed),
        cpu.as_secs_f64(),
        least.as_secs_f64(),
        most.as_secs_f64(),
    );
    block += "wake-up:";
    let quantiles = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];
    for (name, quantile) in quantiles {
        if let Some(us) = summary.latencies.quantile_us(quantile) {
            let _ = write!(block, " {name} {us:.1} us,");
        }
    }
    let _ = match summary.latencies.count() {
        0 => writeln!(block, " none"),
        count => writeln!(block, " n {count}"),
    };
    block
}

/// Rounds a second.
fn rate(rounds: u64, took: Duration) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "2^53 rounds take centuries")]
    let rounds = rounds as f64;
    if took.is_zero() { 0.0 } else { rounds / took.as_secs_f64() }
}

/// Seconds to the millisecond, without the zeros: `1`, `0.5`.
fn seconds(time: Duration) -> String {
    let text = format!("{:.3}", time.as_secs_f64());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn seconds_are_short() {
        assert_eq!(seconds(SECOND * 10), "10");
        assert_eq!(seconds(SECOND / 2), "0.5");
        assert_eq!(seconds(Duration::ZERO), "0");
    }

    #[test]
    fn interval_lines() {
        let mut latencies = Latencies::new().unwrap();
        assert_eq!(interval(SECOND, SECOND, 5711, &latencies), "[ 1s ] rate: 5711 rounds/s");
        latencies.note(10_000);
        let line = interval(SECOND * 2, SECOND / 2, 100, &latencies);
        assert_eq!(line, "[ 2s ] rate: 200 rounds/s, wake-up p50/p99: 10.0/10.0 us");
    }

    #[test]
    fn the_last_block() {
        let config = Config { threads: 2, sleep_us: 0, ..Config::default() };
        let mut summary = Summary {
            elapsed: SECOND * 2,
            rounds: 30,
            cpu: vec![SECOND, SECOND / 2],
            latencies: Latencies::new().unwrap(),
        };
        let block = last(&config, &summary);
        assert_eq!(
            block,
            "load:    2 workers, 200 us work, 0 us sleep, 2.000 s\nrounds:  30\nrate:    15.0 rounds/s\n\
             cpu:     1.500 s, a worker 0.500 to 1.000 s\nwake-up: none\n"
        );
        summary.latencies.note(20_000);
        assert!(last(&config, &summary).ends_with(" p99.9 20.1 us, max 20.1 us, n 1\n"), "{}", last(&config, &summary));
    }
}
