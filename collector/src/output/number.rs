//! Numbers as text.

use super::Terminal;

/// A duration by itself: three significant digits and the unit that suits them.
pub fn duration(ns: f64, terminal: Terminal) -> String {
    let units = [(1.0, "ns"), (1e3, terminal.us()), (1e6, "ms"), (1e9, "s")];
    // 999.6 of a unit would round to 1000: that is 1.00 of the next.
    let (scale, unit) = *units.iter().find(|(scale, _)| ns / scale < 999.5).unwrap_or(&units[3]);
    let value = ns / scale;
    let decimals = match value {
        _ if unit == "ns" => 0,
        value if value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$} {unit}")
}

/// Decimals that show the smallest of a column of durations with three significant
/// digits in microseconds; never more than nanoseconds have.
pub fn decimals(column: impl IntoIterator<Item = f64>) -> usize {
    let smallest = column.into_iter().filter(|&ns| ns > 0.0).fold(f64::INFINITY, f64::min);
    match smallest {
        ns if ns >= 99_950.0 => 0,
        ns if ns >= 9_995.0 => 1,
        ns if ns >= 999.5 => 2,
        _ => 3,
    }
}

/// A duration in microseconds, without the unit.
pub fn micros(ns: f64, decimals: usize) -> String {
    format!("{:.decimals$}", ns / 1e3)
}

/// A duration in microseconds with decimals of its own, for columns that are
/// aligned at the decimal point.
pub fn micros_alone(ns: f64) -> String {
    micros(ns, decimals([ns]))
}

/// A share as a percentage, without the sign.
pub fn percent(share: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", share * 100.0);
    // Not "-0.0".
    if text.starts_with('-') && text.bytes().all(|b| matches!(b, b'-' | b'0' | b'.')) {
        text[1..].to_owned()
    } else {
        text
    }
}

/// A difference as a percentage with its sign, without the percent sign. What is
/// too small for two decimals is not shown as none.
pub fn difference(share: f64) -> String {
    match percent(share, 2) {
        text if text == "0.00" && share != 0.0 => "<0.01".to_owned(),
        text if text == "0.00" || share < 0.0 => text,
        text => format!("+{text}"),
    }
}

/// An amount of memory.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        0..=1023 => format!("{bytes} B"),
        1024..=1_048_575 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

/// A number of things, with the noun in its form for one or for many.
pub fn count(n: u64, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMINAL: Terminal = Terminal { width: 80, unicode: false, color: false };

    #[test]
    fn durations_have_three_digits_and_change_units_where_they_round() {
        let all = [0.0, 3.0, 999.0, 999.6, 1234.0, 45_678.0, 999_499.0, 999_600.0, 3e10, 1.1e12];
        let text: Vec<String> = all.iter().map(|&ns| duration(ns, TERMINAL)).collect();
        assert_eq!(
            text,
            ["0 ns", "3 ns", "999 ns", "1.00 us", "1.23 us", "45.7 us", "999 us", "1.00 ms", "30.0 s", "1100 s"]
        );
    }

    #[test]
    fn a_column_has_the_decimals_of_its_smallest_value() {
        assert_eq!(decimals([3.0, 3e10]), 3);
        assert_eq!(decimals([1_000.0, 5_000.0]), 2);
        assert_eq!(decimals([0.0, 200_000.0]), 0);
        assert_eq!((micros(3.0, 3), micros(3e10, 3)), ("0.003".to_owned(), "30000000.000".to_owned()));
    }

    #[test]
    fn differences_have_a_sign_unless_they_are_none() {
        assert_eq!(
            [0.0, 0.000_01, -0.000_01, 0.012, -0.012].map(difference),
            ["0.00", "<0.01", "<0.01", "+1.20", "-1.20"]
        );
    }
}
