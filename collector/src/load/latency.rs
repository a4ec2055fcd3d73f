//! Wake-up latencies, nanoseconds.

use hdrhistogram::Histogram;

/// Two digits, counts of 32 bits, and no longer than the longest: 7 KiB up to a
/// millisecond. Each of thousands of workers has its own.
const DIGITS: u8 = 2;

/// Longer ones count as this long.
const LONGEST_NS: u64 = 60_000_000_000;

/// A collection of latencies.
#[derive(Clone, Debug)]
pub(super) struct Latencies(Histogram<u32>);

impl Latencies {
    /// None yet.
    pub(super) fn new() -> anyhow::Result<Self> {
        Ok(Self(Histogram::new(DIGITS)?))
    }

    /// Notes one.
    pub(super) fn note(&mut self, ns: u64) {
        // Cannot fail: the histogram grows, and up to a minute it takes 34 doublings.
        let _ = self.0.record(ns.min(LONGEST_NS));
    }

    /// Notes all of these too.
    pub(super) fn add(&mut self, other: &Self) -> anyhow::Result<()> {
        Ok(self.0.add(&other.0)?)
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
        let longest = all.quantile_us(1.0).unwrap();
        assert!((60e6..61e6).contains(&longest), "{longest}");
    }
}
