//! Wake-up latencies, nanoseconds.

use hdrhistogram::Histogram;

/// Kept to two digits: 16 KiB up to a minute where three take 150, for each worker.
const DIGITS: u8 = 2;
const LONGEST_NS: u64 = 60_000_000_000;

/// A collection of latencies.
#[derive(Clone, Debug)]
pub(super) struct Latencies(Histogram<u64>);

impl Latencies {
    /// None yet.
    pub(super) fn new() -> anyhow::Result<Self> {
        Ok(Self(Histogram::new_with_bounds(1, LONGEST_NS, DIGITS)?))
    }

    /// Notes one; beyond a minute counts as a minute.
    pub(super) fn note(&mut self, ns: u64) {
        self.0.saturating_record(ns);
    }

    /// Notes all of these too.
    pub(super) fn add(&mut self, other: &Self) -> anyhow::Result<()> {
        Ok(self.0.add(&other.0)?)
    }

    /// Forgets them.
    pub(super) fn clear(&mut self) {
        self.0.reset();
    }

    /// How many.
    pub(super) fn count(&self) -> u64 {
        self.0.len()
    }

    /// The one below which this share (0 to 1) of them lies, microseconds; `None` of none.
    pub(super) fn quantile_us(&self, quantile: f64) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "two digits are exact")]
        (self.count() > 0).then(|| self.0.value_at_quantile(quantile) as f64 / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn quantiles_are_in_microseconds() {
        let mut latencies = Latencies::new().unwrap();
        assert_eq!(latencies.quantile_us(0.5), None);
        for us in 1..=100 {
            latencies.note(us * 1000);
        }
        let median = latencies.quantile_us(0.5).unwrap();
        assert!((median - 50.0).abs() <= 0.5, "{median}");
        assert!(latencies.quantile_us(1.0).unwrap() >= 100.0);
    }

    #[test]
    fn sums_and_the_too_long() {
        let (mut all, mut one) = (Latencies::new().unwrap(), Latencies::new().unwrap());
        one.note(u64::MAX);
        all.add(&one).unwrap();
        all.add(&one).unwrap();
        assert_eq!(all.count(), 2);
        all.clear();
        assert_eq!(all.count(), 0);
    }
}
