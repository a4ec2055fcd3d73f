//! Log-linear histogram buckets: one bucket function for both sides.
//!
//! Values below 2 x [`SUB`] have a bucket each; above, every octave is cut into
//! [`SUB`] equal buckets, so a bucket is at most 1/32 (3.1 %) of its lower bound
//! wide. This is the layout of HdrHistogram (Gil Tene) with 5 bits of precision,
//! without its configurable parts.

/// Bits of precision within an octave.
pub const SUB_BITS: u32 = 5;

/// Buckets to an octave.
pub const SUB: u64 = 1 << SUB_BITS;

/// Values of 2^`MAX_BITS` (18.3 minutes in nanoseconds) and more overflow.
pub const MAX_BITS: u32 = 40;

/// How many buckets there are, the overflow not among them.
pub const BUCKETS: usize = ((MAX_BITS - SUB_BITS + 1) as usize) << SUB_BITS;

/// Position of the highest set bit, 0 for 0.
///
/// Written as a binary search: the BPF instruction set has no count of leading
/// zeros, and the compiler's replacement is twice as long.
#[inline(always)]
const fn log2(mut v: u64) -> u32 {
    let mut bit = 0;
    if v >> 32 != 0 {
        v >>= 32;
        bit += 32;
    }
    if v >> 16 != 0 {
        v >>= 16;
        bit += 16;
    }
    if v >> 8 != 0 {
        v >>= 8;
        bit += 8;
    }
    if v >> 4 != 0 {
        v >>= 4;
        bit += 4;
    }
    if v >> 2 != 0 {
        v >>= 2;
        bit += 2;
    }
    bit + (v >> 1) as u32
}

/// The bucket `value` falls into, or [`BUCKETS`] when it overflows.
#[inline(always)]
pub const fn index(value: u64) -> usize {
    if value < SUB {
        return value as usize;
    }
    let bit = log2(value);
    if bit >= MAX_BITS {
        return BUCKETS;
    }
    let shift = bit - SUB_BITS;
    ((shift as usize) << SUB_BITS) + (value >> shift) as usize
}

/// The smallest value of bucket `index`; 2^[`MAX_BITS`] for the overflow.
pub const fn lower(index: usize) -> u64 {
    if index >= BUCKETS {
        return 1 << MAX_BITS;
    }
    let octave = index >> SUB_BITS;
    if octave < 2 {
        return index as u64;
    }
    let shift = octave as u32 - 1;
    (SUB + (index as u64 & (SUB - 1))) << shift
}

/// The largest value of bucket `index`; `u64::MAX` for the overflow.
pub const fn upper(index: usize) -> u64 {
    if index >= BUCKETS {
        return u64::MAX;
    }
    lower(index + 1) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_values_are_exact() {
        for v in 0..2 * SUB {
            assert_eq!(lower(index(v)), v);
            assert_eq!(upper(index(v)), v);
        }
    }

    #[test]
    fn buckets_are_adjacent_and_cover_everything() {
        assert_eq!(lower(0), 0);
        for i in 0..BUCKETS {
            assert_eq!(index(lower(i)), i, "lower bound of {i}");
            assert_eq!(index(upper(i)), i, "upper bound of {i}");
            assert_eq!(upper(i) + 1, lower(i + 1), "gap after {i}");
        }
        assert_eq!(index(1 << MAX_BITS), BUCKETS);
        assert_eq!(index(u64::MAX), BUCKETS);
    }

    #[test]
    fn powers_of_two_start_a_bucket() {
        for bit in 0..MAX_BITS {
            let v = 1u64 << bit;
            assert_eq!(lower(index(v)), v, "2^{bit}");
        }
    }

    proptest! {
        #[test]
        fn log2_is_the_highest_bit(v in 1u64..) {
            prop_assert_eq!(log2(v), 63 - v.leading_zeros());
        }

        #[test]
        fn a_value_lies_in_its_bucket(v in 0u64..(1 << MAX_BITS)) {
            let i = index(v);
            prop_assert!(lower(i) <= v && v <= upper(i));
            let width = upper(i) - lower(i);
            prop_assert!(width as f64 <= lower(i) as f64 / SUB as f64);
        }

        #[test]
        fn order_is_kept(a in any::<u64>(), b in any::<u64>()) {
            prop_assert_eq!(a <= b || index(a) >= index(b), true);
        }
    }
}
