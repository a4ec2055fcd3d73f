//! Lengths of time on the command line.

use std::time::Duration;

/// `500ms`, `1s`, `2m 30s`; a bare number is seconds, as for `timeout` and `sleep`.
///
/// # Errors
///
/// One sentence on what is wrong.
pub fn parse(text: &str) -> Result<Duration, String> {
    match any(text)? {
        long if long > LONGEST => Err("it can be 365 days at the most".to_owned()),
        duration => Ok(duration),
    }
}

/// Clocks can be asked for a moment that lies this far ahead.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

fn any(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds)
            .map_err(|_| format!("{text} is no length of time; give seconds, as 1.5, or a unit, as 500ms"));
    }
    humantime::parse_duration(text)
        .map_err(|_| format!("{text} is no length of time; give seconds, as 1.5, or a unit, as 500ms, 10s, 2m"))
}

/// The same, and not 0.
///
/// # Errors
///
/// One sentence on what is wrong.
pub fn positive(text: &str) -> Result<Duration, String> {
    match parse(text)? {
        Duration::ZERO => Err("it has to be longer than 0".to_owned()),
        duration => Ok(duration),
    }
}

/// A length of frames: not below 10 ms, where reading would cost more than is measured.
///
/// # Errors
///
/// One sentence on what is wrong.
pub fn interval(text: &str) -> Result<Duration, String> {
    let shortest = Duration::from_millis(10);
    match parse(text)? {
        short if short < shortest => Err("frames are 10ms at the least".to_owned()),
        duration => Ok(duration),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type_is_understood() {
        assert_eq!(parse("1s"), Ok(Duration::from_secs(1)));
        assert_eq!(parse("365d"), Ok(Duration::from_secs(31_536_000)));
        for long in ["366d", "18446744073709551615s", "300000000000y", "1e300", "31536001"] {
            assert!(parse(long).is_err(), "{long}");
        }
        assert_eq!(parse("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse("2"), Ok(Duration::from_secs(2)));
        assert_eq!(parse("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse("2m 30s"), Ok(Duration::from_secs(150)));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "-1", "1 parsec", "NaN", "inf", "1e300"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(positive("0").is_err());
        assert!(interval("1ms").is_err());
    }
}
