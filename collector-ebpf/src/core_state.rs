//! What the hardware threads of one core do, in one word.
//!
//! Siblings change at the same time, on different CPUs. One 64-bit word a core holds
//! the state of each of them and the time of the last change; whoever replaces the
//! word by compare-and-swap credits the time since that change to what the old word
//! says. So every nanosecond is credited once, to a state that was true for all
//! siblings at once, and nobody takes a lock.

/// The most siblings a core may have.
pub const SLOTS: usize = 8;

/// Bits of the word that hold states; the rest is the time.
const STATE_BITS: u32 = 2 * SLOTS as u32;

/// What one sibling does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// Not seen yet, or offline.
    Unknown = 0,
    /// Runs a task other than idle.
    Busy = 1,
    /// Idle, and no runnable task is kept from running here.
    Idle = 2,
    /// Idle although a runnable task is queued here, for a sibling's cookie.
    Forced = 3,
}

impl State {
    #[inline(always)]
    const fn of(bits: u64) -> Self {
        match bits & 3 {
            1 => Self::Busy,
            2 => Self::Idle,
            3 => Self::Forced,
            _ => Self::Unknown,
        }
    }
}

/// What a core does as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Pair {
    /// All siblings are busy.
    AllBusy = 0,
    /// Some are busy, the others idle with nothing to run.
    SiblingIdle = 1,
    /// Some are busy, and at least one is idle by force.
    Forced = 2,
    /// All are idle.
    AllIdle = 3,
    /// Of one at least it is not known.
    Unknown = 4,
}

/// How many kinds of [`Pair`] there are.
pub const PAIRS: usize = 5;

/// Beside busy siblings, what one sibling loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Loss {
    /// Idle beside a busy sibling, with nothing to run.
    SiblingIdle = 0,
    /// Idle by force.
    Forced = 1,
}

/// How many kinds of [`Loss`] there are.
pub const LOSSES: usize = 2;

/// States of all siblings and the time of the last change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word(pub u64);

impl Word {
    /// Of a core of which nothing is known up to `now`.
    #[inline(always)]
    pub const fn begin(now: u64) -> Self {
        Self(now << STATE_BITS)
    }

    /// The state of one sibling.
    #[inline(always)]
    pub const fn state(self, slot: usize) -> State {
        State::of(self.0 >> (2 * (slot & (SLOTS - 1))))
    }

    /// The same with another state of one sibling, at the same time.
    #[inline(always)]
    #[must_use]
    pub const fn with(self, slot: usize, state: State) -> Self {
        let shift = 2 * (slot & (SLOTS - 1));
        Self(self.0 & !(3 << shift) | (state as u64) << shift)
    }

    /// The same at `now`; where `now` lies before the word's time (clocks of two CPUs
    /// differ by nanoseconds), the time stays.
    #[inline(always)]
    #[must_use]
    pub const fn at(self, now: u64) -> Self {
        if self.since(now) == 0 {
            return self;
        }
        Self(self.0 & ((1 << STATE_BITS) - 1) | now << STATE_BITS)
    }

    /// Nanoseconds from the word's time to `now`, 0 where that lies before it. The time
    /// has 48 bits: a core without any change for 39 hours would be taken for one that
    /// goes backwards.
    #[inline(always)]
    pub const fn since(self, now: u64) -> u64 {
        let passed = (now << STATE_BITS).wrapping_sub(self.0 & !((1 << STATE_BITS) - 1));
        if passed >> 63 != 0 { 0 } else { passed >> STATE_BITS }
    }

    /// Whether no sibling was seen yet.
    #[inline(always)]
    pub const fn is_new(self) -> bool {
        self.0 == 0
    }

    /// How many of `n` siblings are in this state.
    #[inline(always)]
    pub const fn count(self, n: usize, state: State) -> usize {
        let (mut slot, mut count) = (0, 0);
        while slot < SLOTS {
            if slot < n && self.state(slot) as u8 == state as u8 {
                count += 1;
            }
            slot += 1;
        }
        count
    }

    /// What the core does as a whole.
    #[inline(always)]
    pub const fn pair(self, n: usize) -> Pair {
        let busy = self.count(n, State::Busy);
        if self.count(n, State::Unknown) > 0 {
            Pair::Unknown
        } else if busy == n {
            Pair::AllBusy
        } else if busy == 0 {
            Pair::AllIdle
        } else if self.count(n, State::Forced) > 0 {
            Pair::Forced
        } else {
            Pair::SiblingIdle
        }
    }

    /// What one sibling loses beside a busy one.
    #[inline(always)]
    pub const fn loss(self, n: usize, slot: usize) -> Option<Loss> {
        if self.count(n, State::Busy) == 0 {
            return None;
        }
        match self.state(slot) {
            State::Idle => Some(Loss::SiblingIdle),
            State::Forced => Some(Loss::Forced),
            State::Busy | State::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use proptest::prelude::*;

    fn state() -> impl Strategy<Value = State> {
        prop_oneof![Just(State::Busy), Just(State::Idle), Just(State::Forced)]
    }

    /// What the programs add up.
    #[derive(Debug, Default, PartialEq)]
    struct Account {
        pairs: [u64; PAIRS],
        losses: [[u64; LOSSES]; SLOTS],
    }

    impl Account {
        fn credit(&mut self, old: Word, n: usize, ns: u64) {
            self.pairs[old.pair(n) as usize] += ns;
            for slot in 0..n {
                if let Some(loss) = old.loss(n, slot) {
                    self.losses[slot][loss as usize] += ns;
                }
            }
        }
    }

    /// The truth of one nanosecond, from states in plain lists.
    fn told(states: &[State]) -> (Pair, Vec<Option<Loss>>) {
        let any = |state| states.contains(&state);
        let all = |wanted: &[State]| states.iter().all(|state| wanted.contains(state));
        let pair = if any(State::Unknown) {
            Pair::Unknown
        } else if all(&[State::Busy]) {
            Pair::AllBusy
        } else if all(&[State::Idle, State::Forced]) {
            Pair::AllIdle
        } else if any(State::Forced) {
            Pair::Forced
        } else {
            Pair::SiblingIdle
        };
        let loss = |state: &State| match state {
            State::Idle if any(State::Busy) => Some(Loss::SiblingIdle),
            State::Forced if any(State::Busy) => Some(Loss::Forced),
            _ => None,
        };
        (pair, states.iter().map(loss).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// 1, 2, 4 and 8 siblings, nanosecond by nanosecond.
        #[test]
        fn every_nanosecond_is_credited_once_and_rightly(
            exponent in 0u32..4,
            begin in 1u64..(1 << 50),
            changes in prop::collection::vec((0usize..SLOTS, state(), 0u64..50), 1..80),
        ) {
            let n = 1 << exponent;
            let (mut word, mut account, mut truth) = (Word::begin(begin), Account::default(), Account::default());
            let mut states = std::vec![State::Unknown; n];
            let mut now = begin;
            for (slot, state, ns) in changes {
                let slot = slot % n;
                for _ in 0..ns {
                    let (pair, losses) = told(&states);
                    truth.pairs[pair as usize] += 1;
                    for (slot, loss) in losses.into_iter().enumerate() {
                        if let Some(loss) = loss {
                            truth.losses[slot][loss as usize] += 1;
                        }
                    }
                }
                now += ns;
                account.credit(word, n, word.since(now));
                word = word.at(now).with(slot, state);
                states[slot] = state;
                prop_assert_eq!(word.state(slot), state);
            }
            prop_assert_eq!(&account, &truth);
            prop_assert_eq!(account.pairs.iter().sum::<u64>(), now - begin);
        }

        /// Whose clock lags credits nothing and takes nothing back: all time between the
        /// first change and the latest is credited once.
        #[test]
        fn clocks_that_differ_lose_no_time(
            begin in 1000u64..(1 << 50),
            changes in prop::collection::vec((0usize..2, state(), 0u64..50, 0u64..20), 1..80),
        ) {
            let mut word = Word::begin(begin);
            let (mut now, mut latest, mut credited) = (begin, begin, 0);
            for (slot, state, ns, lag) in changes {
                now += ns;
                let seen = now - lag;
                credited += word.since(seen);
                word = word.at(seen).with(slot, state);
                latest = latest.max(seen);
            }
            prop_assert_eq!(credited, latest - begin);
        }
    }

    #[test]
    fn a_lone_thread_loses_nothing() {
        let word = Word::default().with(0, State::Idle);
        assert_eq!((word.pair(1), word.loss(1, 0)), (Pair::AllIdle, None));
        assert_eq!(word.with(0, State::Busy).pair(1), Pair::AllBusy);
    }

    #[test]
    fn the_time_wraps() {
        let word = Word::begin((1 << 48) - 10).with(1, State::Busy);
        assert_eq!(word.since((1 << 48) + 5), 15);
        assert_eq!(word.at((1 << 48) + 5).state(1), State::Busy);
        assert!(!word.is_new() && Word::default().is_new());
    }
}
