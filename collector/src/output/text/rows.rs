//! The rows of a drawn histogram: its buckets, merged until they fit.

use collector_ebpf::bucket;

use crate::record::Hist;

/// More rows than these are hard to take in at a glance.
const MOST: usize = 20;

/// Powers of two that end a row, or how many rows there are in one: from fine to coarse.
const STEPS: [Step; 5] = [Step::Rows(4), Step::Rows(2), Step::Rows(1), Step::Octaves(2), Step::Octaves(4)];

#[derive(Clone, Copy)]
enum Step {
    /// Rows to an octave.
    Rows(u64),
    /// Octaves to a row.
    Octaves(usize),
}

/// One row: the waits of `[from, to)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Lowest value, nanoseconds.
    pub from: u64,
    /// Lowest value that is too long; none in the row of those beyond the last bucket.
    pub to: Option<u64>,
}

/// Ranges that cover all waits of `hists`, as fine as fits.
///
/// All edges are edges of buckets too, so that no count has to be split: at least
/// four buckets make a row, except below 64 ns, where a bucket is a nanosecond.
pub fn ranges(hists: &[&Hist]) -> Vec<Range> {
    let buckets = || hists.iter().flat_map(|hist| hist.counts.iter().map(|&(index, _)| index as usize));
    let mut ranges = match (buckets().min(), buckets().max()) {
        (Some(first), Some(last)) => between(bucket::lower(first), bucket::lower(last)),
        _ => Vec::new(),
    };
    if hists.iter().any(|hist| hist.overflow > 0) {
        ranges.push(Range { from: bucket::lower(bucket::BUCKETS), to: None });
    }
    ranges
}

fn between(first: u64, last: u64) -> Vec<Range> {
    let mut rows = Vec::new();
    for step in STEPS {
        let edges = edges(step);
        rows = edges
            .windows(2)
            .filter_map(|pair| match pair {
                &[from, to] => (first < to && last >= from).then_some(Range { from, to: Some(to) }),
                _ => None,
            })
            .collect();
        if rows.len() <= MOST {
            break;
        }
    }
    rows
}

/// Edges from 0 to the end of the last bucket, each once.
fn edges(step: Step) -> Vec<u64> {
    let mut edges = vec![0];
    match step {
        Step::Rows(rows) => {
            for octave in 0..bucket::MAX_BITS {
                edges.extend((0..rows).map(|part| (1 << octave) + (part << octave) / rows));
            }
        }
        Step::Octaves(octaves) => edges.extend((0..bucket::MAX_BITS).step_by(octaves).map(|octave| 1 << octave)),
    }
    edges.push(1 << bucket::MAX_BITS);
    edges.dedup();
    edges
}

/// Waits of `hist` in each of `ranges`.
pub fn counts(hist: &Hist, ranges: &[Range]) -> Vec<u64> {
    let mut counts = vec![0_u64; ranges.len()];
    for &(index, count) in &hist.counts {
        let value = bucket::lower(index as usize);
        let row = ranges.partition_point(|range| range.to.is_some_and(|to| to <= value));
        if let Some(sum) = counts.get_mut(row) {
            *sum = sum.saturating_add(count);
        }
    }
    if let (Some(sum), Some(Range { to: None, .. })) = (counts.last_mut(), ranges.last()) {
        *sum = sum.saturating_add(hist.overflow);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_edge_of_a_row_is_an_edge_of_a_bucket() {
        for step in STEPS {
            for edge in edges(step) {
                let index = bucket::index(edge);
                assert_eq!(bucket::lower(index), edge);
            }
        }
    }

    proptest! {
        #[test]
        fn rows_are_few_adjacent_and_hold_every_wait(mut hist in prop::collection::btree_map(0..bucket::BUCKETS as u32, 1_u64..1000, 0..200), overflow in 0_u64..3) {
            let hist = Hist { counts: std::mem::take(&mut hist).into_iter().collect(), overflow, ..Hist::default() };
            let ranges = ranges(&[&hist]);
            prop_assert!(ranges.len() <= MOST + 1);
            for pair in ranges.windows(2) {
                prop_assert!(pair[0].to.is_some_and(|to| to <= pair[1].from));
            }
            prop_assert_eq!(counts(&hist, &ranges).iter().sum::<u64>(), hist.n());
            if let (Some(first), Some(&(index, _))) = (ranges.first(), hist.counts.first()) {
                prop_assert!(first.from <= bucket::lower(index as usize));
            }
        }
    }
}
