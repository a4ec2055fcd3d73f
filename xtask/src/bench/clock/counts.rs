//! What the programs counted.

use anyhow::{Context as _, Result};
use aya::{Ebpf, Pod};
use collector_ebpf::{
    bucket,
    proof::{self, CASES, Case, DISCARDED_SLOT, DISTRIBUTION_SLOTS, Distribution, Figure, SLOTS, Worst, figure_slot},
};

use crate::bench::kernel;

/// [`Worst`], as aya wants it.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct WorstValue(Worst);

// SAFETY: integers only in a repr(C) struct, 3 x 8 + 16 + 2 x 4 bytes: no padding.
unsafe impl Pod for WorstValue {}

/// Counters of all CPUs together.
pub struct Counts {
    slots: Vec<u64>,
    worst: Vec<Worst>,
}

/// What was counted of one case.
#[derive(Clone, Copy, Debug)]
pub struct OfCase {
    /// Which.
    pub case: Case,
    /// Waits.
    pub waits: u64,
    /// Sum of the signed differences, nanoseconds.
    pub sum: i64,
    /// Waits longer by the monotonic clock by more than the limit.
    pub longer: u64,
    /// Waits shorter.
    pub shorter: u64,
    /// The one that differs most.
    pub worst: Worst,
}

impl Counts {
    /// Reads them.
    ///
    /// # Errors
    /// When a map cannot be read.
    pub fn read(ebpf: &Ebpf) -> Result<Self> {
        let map = kernel::per_cpu_array::<u64>(ebpf, proof::COUNTS)?;
        let mut slots = Vec::with_capacity(SLOTS);
        for slot in 0..u32::try_from(SLOTS)? {
            let values = map.get(&slot, 0).context("reading a counter")?;
            slots.push(values.iter().fold(0u64, |sum, value| sum.wrapping_add(*value)));
        }
        let map = kernel::per_cpu_array::<WorstValue>(ebpf, proof::WORST)?;
        let mut worst = Vec::with_capacity(CASES);
        for case in 0..u32::try_from(CASES)? {
            let values = map.get(&case, 0).context("reading a worst wait")?;
            worst.push(values.iter().map(|value| value.0).max_by_key(|worst| worst.ns).unwrap_or_default());
        }
        Ok(Self { slots, worst })
    }

    /// The cases that came up.
    pub fn cases(&self) -> Vec<OfCase> {
        let of = |number: usize| {
            let slot = |figure| self.slots[figure_slot(number, figure)];
            OfCase {
                case: Case::of(number),
                waits: slot(Figure::Waits),
                sum: slot(Figure::Sum).cast_signed(),
                longer: slot(Figure::Longer),
                shorter: slot(Figure::Shorter),
                worst: self.worst[number],
            }
        };
        (0..CASES).map(of).filter(|case| case.waits > 0).collect()
    }

    /// Waits that one of the clocks would have discarded.
    pub fn discarded(&self) -> u64 {
        self.slots[DISCARDED_SLOT]
    }

    /// A distribution.
    pub fn distribution(&self, of: Distribution) -> &[u64] {
        let first = of as usize * DISTRIBUTION_SLOTS;
        &self.slots[first..first + DISTRIBUTION_SLOTS]
    }

    /// Distribution of the differences, whatever their sign; those that are equal
    /// are in neither of the two and count as 0.
    pub fn differences(&self) -> Vec<u64> {
        let (longer, shorter) = (self.distribution(Distribution::Longer), self.distribution(Distribution::Shorter));
        let mut sum: Vec<u64> = longer.iter().zip(shorter).map(|(a, b)| a + b).collect();
        let waits: u64 = self.distribution(Distribution::Monotonic).iter().sum();
        sum[0] += waits.saturating_sub(sum.iter().sum());
        sum
    }

    #[cfg(test)]
    pub const fn of(slots: Vec<u64>, worst: Vec<Worst>) -> Self {
        Self { slots, worst }
    }
}

/// The upper end of the bucket in which the share `at` of a distribution is reached;
/// `None` for an empty one.
pub fn percentile(distribution: &[u64], at: f64) -> Option<u64> {
    let total: u64 = distribution.iter().sum();
    let rank = ((total as f64 * at).ceil() as u64).max(1);
    let mut seen = 0;
    for (bucket, count) in distribution.iter().enumerate() {
        seen += count;
        if total > 0 && seen >= rank {
            return Some(bucket::upper(bucket));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use collector_ebpf::proof::bucket_slot;

    #[test]
    fn percentiles_are_upper_ends_of_buckets() {
        let mut distribution = vec![0; DISTRIBUTION_SLOTS];
        distribution[bucket::index(10)] = 90;
        distribution[bucket::index(1000)] = 10;
        assert_eq!(percentile(&distribution, 0.5), Some(10));
        assert_eq!(percentile(&distribution, 0.9), Some(10));
        assert!(percentile(&distribution, 0.99).is_some_and(|p99| (1000..1032).contains(&p99)));
        assert_eq!(percentile(&[0; 4], 0.5), None);
    }

    #[test]
    fn equal_waits_differ_by_nothing() {
        let mut slots = vec![0; SLOTS];
        slots[bucket_slot(Distribution::Monotonic, 500)] = 10;
        slots[bucket_slot(Distribution::Longer, 20)] = 3;
        slots[bucket_slot(Distribution::Shorter, 20)] = 1;
        let differences = Counts::of(slots, Vec::new()).differences();
        assert_eq!((differences[0], differences[20]), (6, 4));
    }
}
