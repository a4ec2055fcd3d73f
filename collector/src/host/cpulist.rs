//! Sets of CPUs, written as the kernel writes them.

use std::{fmt, str::FromStr};

use thiserror::Error;

use super::read::quote;

/// CPU numbers are below this: the largest `NR_CPUS` that a kernel can be
/// configured for (x86 with MAXSMP, powerpc). It bounds what a typing error
/// such as `0-4294967295` can cost.
pub const LIMIT: u32 = 8192;

/// A set of CPU numbers, in ascending order, each once.
///
/// The text form is the kernel's "list format" (`bitmap_parselist()` and `%*pbl`):
/// numbers and ranges between commas or white space, `0-1,4,8-15`; a range may have
/// a pattern, `first-last:used/group`, which takes the first `used` CPUs of
/// each `group`: `8-15:2/4` is `8-9,12-13`. The empty set is the empty text.
/// The kernel's words `all` and `N` depend on the machine and are refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CpuList(Vec<u32>);

/// What is wrong with the text of a CPU list.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CpuListError {
    /// Neither a number nor a range.
    #[error("`{0}` is neither a CPU nor a range of CPUs; a list looks like 0-3,8,10-14:1/2")]
    Syntax(String),
    /// A range whose end lies before its beginning.
    #[error("`{0}` ends before it begins")]
    Backwards(String),
    /// A pattern that cannot be.
    #[error("in `{0}` more CPUs are used than are in a group")]
    Pattern(String),
    /// A number that no CPU can have.
    #[error("`{0}` names a CPU above {last}, the last that Linux can have", last = LIMIT - 1)]
    Beyond(String),
}

/// A number of any length; those that do not fit are as large as can be, and so
/// beyond the limit. No sign: `u32::from_str` would take `+1`.
fn number(text: &str) -> Option<u32> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().unwrap_or(u32::MAX))
}

/// Marks the CPUs of one part in `set`, which grows up to [`LIMIT`].
fn mark(part: &str, set: &mut Vec<bool>) -> Result<(), CpuListError> {
    let syntax = || CpuListError::Syntax(quote(part));
    let (range, pattern) = match part.split_once(':') {
        Some((range, pattern)) => (range, Some(pattern)),
        None => (part, None),
    };
    let (first, last) = match (range.split_once('-'), pattern) {
        (Some((first, last)), _) => (first, last),
        (None, None) => (range, range),
        // The kernel takes a pattern after a range only.
        (None, Some(_)) => return Err(syntax()),
    };
    let first = number(first).ok_or_else(syntax)?;
    let last = number(last).ok_or_else(syntax)?;
    let (used, group) = match pattern {
        Some(pattern) => {
            let (used, group) = pattern.split_once('/').ok_or_else(syntax)?;
            (number(used).ok_or_else(syntax)?, number(group).ok_or_else(syntax)?)
        }
        None => (1, 1),
    };
    if first > last {
        return Err(CpuListError::Backwards(quote(part)));
    }
    if group == 0 || used > group {
        return Err(CpuListError::Pattern(quote(part)));
    }
    if last >= LIMIT {
        return Err(CpuListError::Beyond(quote(part)));
    }
    if set.len() <= last as usize {
        set.resize(last as usize + 1, false);
    }
    for places in set[first as usize..=last as usize].chunks_mut(group as usize) {
        places.iter_mut().take(used as usize).for_each(|place| *place = true);
    }
    Ok(())
}

impl FromStr for CpuList {
    type Err = CpuListError;

    fn from_str(text: &str) -> Result<Self, CpuListError> {
        let mut set = Vec::new();
        for part in text.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|part| !part.is_empty()) {
            mark(part, &mut set)?;
        }
        Ok((0..LIMIT).zip(set).filter_map(|(cpu, there)| there.then_some(cpu)).collect())
    }
}

impl fmt::Display for CpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for run in self.0.chunk_by(|a, b| a + 1 == *b) {
            match run {
                [] => {}
                [one] => write!(f, "{comma}{one}")?,
                [first, .., last] => write!(f, "{comma}{first}-{last}")?,
            }
            comma = ",";
        }
        Ok(())
    }
}

impl FromIterator<u32> for CpuList {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> Self {
        let mut cpus: Vec<u32> = cpus.into_iter().collect();
        cpus.sort_unstable();
        cpus.dedup();
        Self(cpus)
    }
}

impl CpuList {
    /// The CPUs in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + '_ {
        self.0.iter().copied()
    }

    /// How many CPUs, which says nothing about their numbers.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lowest number.
    pub fn first(&self) -> Option<u32> {
        self.0.first().copied()
    }

    /// The highest number.
    pub fn last(&self) -> Option<u32> {
        self.0.last().copied()
    }

    /// Whether `cpu` is in it.
    pub fn contains(&self, cpu: u32) -> bool {
        self.0.binary_search(&cpu).is_ok()
    }

    /// Those that are not in `other`.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self(self.iter().filter(|&cpu| !other.contains(cpu)).collect())
    }
}

#[cfg(test)]
mod tests;
