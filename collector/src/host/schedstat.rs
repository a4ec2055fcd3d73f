//! `/proc/PID/schedstat`: how long the kernel says a thread waited.

use std::path::Path;

use super::read;
use crate::record::Measured;

/// Time that the thread `pid` waited on run queues since it was created, nanoseconds:
/// the second field (`proc_pid_schedstat()` in fs/proc/base.c).
///
/// `pid` is a process, for its first thread, or a thread. Not measured where it is
/// gone, or where the kernel keeps no such times: without `CONFIG_SCHED_INFO` there is
/// no file, and with delay accounting off it reads `0 0 0`.
pub fn run_delay_ns(root: &Path, pid: u32) -> Measured<u64> {
    match read::text(root, &format!("proc/{pid}/schedstat")) {
        Ok(text) => parse(&text),
        Err(error) => Measured::not(error.to_string()),
    }
}

/// The fields: time on a CPU, time waiting (both nanoseconds), times it was given a CPU.
fn parse(text: &str) -> Measured<u64> {
    let mut fields = text.split_ascii_whitespace().map(str::parse::<u64>);
    match (fields.next(), fields.next(), fields.next()) {
        (Some(Ok(0)), Some(Ok(0)), Some(Ok(0))) => {
            Measured::not("the kernel keeps no wait times, or the thread has not run")
        }
        (Some(Ok(_)), Some(Ok(waited)), Some(Ok(_))) => Measured::Value(waited),
        _ => Measured::not(format!("`{}` in schedstat was not expected", read::quote(text.trim()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        assert_eq!(parse("94057 64300 2\n"), Measured::Value(64300));
        assert_eq!(parse("94057 0 1\n"), Measured::Value(0));
        for text in ["0 0 0\n", "", "1 2", "1 -2 3", "a b c", "18446744073709551616 1 1"] {
            assert!(parse(text).reason().is_some(), "{text}");
        }
    }

    #[test]
    fn the_live_machine() {
        let root = Path::new("/");
        assert!(run_delay_ns(root, std::process::id()).value().is_some());
        // Above the largest pid_max, so there is no such process.
        assert!(run_delay_ns(root, u32::MAX).reason().is_some_and(|reason| reason.ends_with("does not exist")));
    }
}
