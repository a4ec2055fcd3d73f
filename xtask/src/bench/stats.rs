//! Medians, rank intervals, and the order of a round.

/// What a median's interval covers at least.
const CONFIDENCE: f64 = 0.95;

/// A median with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The median.
    pub median: f64,
    /// Between which two of the sorted values the true median lies; `None` where
    /// there are too few values to say.
    pub interval: Option<(f64, f64)>,
    /// How many values there were.
    pub n: usize,
}

/// The median of `values` and the narrowest pair of ranks, counted inwards from
/// both ends, that encloses the true median with at least 95 % probability,
/// whatever the distribution (sign test). `None` without values.
pub fn summary(values: &[f64]) -> Option<Summary> {
    let sorted = sorted(values);
    let n = sorted.len();
    let middle = sorted.get(n / 2)?;
    let median = if n % 2 == 1 { *middle } else { (sorted[n / 2 - 1] + middle) / 2.0 };
    let interval = rank(n).map(|rank| (sorted[rank], sorted[n - 1 - rank]));
    Some(Summary { median, interval, n })
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// How many values to leave out at each end: the largest number for which that many
/// or fewer heads in `n` throws of a coin, or that many or fewer tails, are less
/// likely than 5 %.
fn rank(n: usize) -> Option<usize> {
    let mut term = 0.5f64.powi(i32::try_from(n).ok()?);
    let mut tail = 0.0;
    let mut best = None;
    for k in 0..n / 2 {
        tail += term;
        if 1.0 - 2.0 * tail < CONFIDENCE {
            break;
        }
        best = Some(k);
        term *= (n - k) as f64 / (k + 1) as f64;
    }
    best
}

/// The numbers below `n` in an order of their own for each round, the same in every
/// run: whatever a contender leaves behind (caches, dirty pages) falls on each other
/// one about as often.
pub fn order(n: usize, round: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut state = round as u64;
    for last in (1..n).rev() {
        let other = usize::try_from(split_mix(&mut state) % (last as u64 + 1)).unwrap_or(0);
        order.swap(last, other);
    }
    order
}

/// SplitMix64 (Steele, Lea, Flood 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let median = |values: &[f64]| summary(values).map(|summary| summary.median);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[f64::NAN, 7.0]), Some(7.0));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn ranks_are_those_of_the_table_of_the_sign_test() {
        // n = 5 covers 93.75 % at most; 6 covers 96.9 % with all values.
        assert_eq!(rank(5), None);
        assert_eq!(rank(6), Some(0));
        assert_eq!(rank(8), Some(0));
        assert_eq!(rank(9), Some(1));
        assert_eq!(rank(11), Some(1));
        assert_eq!(rank(12), Some(2));
        assert_eq!(rank(20), Some(5));
    }

    #[test]
    fn one_value_beyond_the_ranks_does_not_widen_the_interval() {
        let values = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 99.0];
        assert_eq!(summary(&values).and_then(|summary| summary.interval), Some((1.1, 1.9)));
        assert_eq!(summary(&values[..3]).and_then(|summary| summary.interval), None);
    }

    #[test]
    fn each_round_has_everybody_once_and_its_own_order() {
        for round in 0..20 {
            let mut order = order(8, round);
            order.sort_unstable();
            assert_eq!(order, (0..8).collect::<Vec<_>>());
        }
        assert_ne!(order(8, 0), order(8, 1));
        assert_eq!(order(8, 3), order(8, 3));
    }

    #[test]
    fn everybody_comes_first_now_and_then() {
        let mut first = [0; 8];
        for round in 0..400 {
            first[order(8, round)[0]] += 1;
        }
        assert!(first.iter().all(|&n| (25..=75).contains(&n)), "{first:?}");
    }
}
