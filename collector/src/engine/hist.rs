//! Arithmetic on histograms of waits.

use collector_ebpf::bucket;

use crate::record::Hist;

/// The percentiles that reports print by default.
pub const PERCENTILES: [f64; 5] = [50.0, 90.0, 95.0, 99.0, 99.9];

impl Hist {
    /// How many waits. This and all sums stop at the largest number instead of
    /// starting again from 0: a record may come from anywhere.
    pub fn n(&self) -> u64 {
        self.counts.iter().fold(self.overflow, |n, &(_, count)| n.saturating_add(count))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.overflow == 0 && self.counts.is_empty()
    }

    /// Mean, nanoseconds; none for an empty histogram.
    pub fn mean_ns(&self) -> Option<f64> {
        let n = self.n();
        (n != 0).then(|| self.sum_ns as f64 / n as f64)
    }

    /// Shortest, nanoseconds; none for an empty histogram.
    pub fn min(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.min_ns)
    }

    /// Longest, nanoseconds; none for an empty histogram.
    pub fn max(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.max_ns)
    }

    /// The smallest value that at least `percent` of the waits do not exceed
    /// (nearest rank), taken at the upper edge of its bucket and clamped to
    /// `[min, max]`, so the error is at most a bucket's width (3.1 %). None for an
    /// empty histogram. `percent` is clamped to `[0, 100]`.
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        let n = self.n();
        if n == 0 {
            return None;
        }
        let rank = ((percent.clamp(0.0, 100.0) / 100.0 * n as f64).ceil() as u64).clamp(1, n);
        let mut seen = 0_u64;
        for &(index, count) in &self.counts {
            seen = seen.saturating_add(count);
            if seen >= rank {
                // Not `clamp`, which panics where a record's minimum exceeds its maximum.
                return Some(bucket::upper(index as usize).max(self.min_ns).min(self.max_ns));
            }
        }
        Some(self.max_ns)
    }

    /// Adds the waits of another histogram.
    pub fn merge(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            self.clone_from(other);
            return;
        }
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.overflow = self.overflow.saturating_add(other.overflow);
        self.counts = merged(&self.counts, &other.counts);
    }

    /// Both together.
    pub fn sum_of<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.merge(part);
        }
        all
    }
}

fn merged(a: &[(u32, u64)], b: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let mut out = Vec::with_capacity(a.len().max(b.len()));
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (Some(&(i, m)), Some(&(j, n))) if i == j => {
                out.push((i, m.saturating_add(n)));
                a.next();
                b.next();
            }
            (Some(&(i, m)), Some(&(j, _))) if i < j => {
                out.push((i, m));
                a.next();
            }
            (Some(&pair), None) => {
                out.push(pair);
                a.next();
            }
            (_, Some(&pair)) => {
                out.push(pair);
                b.next();
            }
            (None, None) => return out,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Hist {
        let mut counts = std::collections::BTreeMap::new();
        let mut overflow = 0;
        for &v in values {
            match bucket::index(v) {
                bucket::BUCKETS => overflow += 1,
                i => *counts.entry(i as u32).or_insert(0) += 1,
            }
        }
        Hist {
            sum_ns: values.iter().sum(),
            min_ns: values.iter().copied().min().unwrap_or(0),
            max_ns: values.iter().copied().max().unwrap_or(0),
            overflow,
            counts: counts.into_iter().collect(),
        }
    }

    #[test]
    fn an_empty_histogram_has_no_figures() {
        let empty = Hist::default();
        assert_eq!((empty.n(), empty.mean_ns(), empty.min(), empty.max()), (0, None, None, None));
        assert_eq!(empty.percentile(50.0), None);
    }

    proptest! {
        #[test]
        fn percentiles_are_those_of_the_sorted_values(mut values in prop::collection::vec(0u64..(1 << 41), 1..200), percent in 0.0f64..=100.0) {
            let hist = of(&values);
            values.sort_unstable();
            let rank = ((percent / 100.0 * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let exact = values[rank - 1];
            let got = hist.percentile(percent).unwrap();
            prop_assert!(got >= exact, "{got} below {exact}");
            prop_assert!(got <= *values.last().unwrap());
            if exact < (1 << 40) {
                prop_assert!(got as f64 <= exact as f64 * (1.0 + 1.0 / 32.0));
            }
        }

        #[test]
        fn merging_is_concatenation(a in prop::collection::vec(0u64..(1 << 41), 0..60), b in prop::collection::vec(0u64..(1 << 41), 0..60)) {
            let mut both = of(&a);
            both.merge(&of(&b));
            let all: Vec<u64> = a.iter().chain(&b).copied().collect();
            prop_assert_eq!(both, of(&all));
        }
    }
}
