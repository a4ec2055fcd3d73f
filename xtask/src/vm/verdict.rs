//! Whether a guest succeeded: two witnesses, which must agree.
//!
//! QEMU's exit status says that the guest's first process came to its end, the report's
//! last line how. A guest that panics, stalls, or is ended has neither, and so has one
//! that QEMU did not even start: silence is failure.

use super::report::Report;

/// How QEMU came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With an exit status.
    Status(i32),
    /// By a signal.
    Signal(i32),
    /// It did not within so many seconds.
    TimeUp(u64),
}

/// What is written to the exit device: it has seven bits to spare for a code.
pub const fn exit_byte(code: u8) -> u8 {
    if code > 0x7f { 0x7f } else { code }
}

/// The status with which QEMU then exits; always odd, so never that of a QEMU that
/// ended by itself.
pub const fn exit_status(code: u8) -> i32 {
    ((exit_byte(code) as i32) << 1) | 1
}

/// The exit code of the program in the guest, or why there is none.
///
/// # Errors
/// One sentence, when the guest did not come to its end.
pub fn code(ended: Ended, report: &Report) -> Result<u8, String> {
    match (ended, report.code) {
        (Ended::Status(status), Some(code)) if status == exit_status(code) => Ok(code),
        (Ended::Status(status), Some(code)) => {
            Err(format!("the guest reported RC={code}, but QEMU exited with {status} and not {}", exit_status(code)))
        }
        (Ended::Status(status), None) if status & 1 == 0 => {
            Err(format!("the guest stopped without a word (QEMU exited with {status}): a panic, or a power-off"))
        }
        (Ended::Status(status), None) => Err(format!("the guest never reported (QEMU exited with {status})")),
        (Ended::Signal(signal), _) => Err(format!("QEMU was killed by signal {signal}")),
        (Ended::TimeUp(seconds), _) => Err(format!("the guest did not end within {seconds} s and was stopped")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(code: Option<u8>) -> Report {
        Report { code, ..Report::default() }
    }

    #[test]
    fn both_witnesses_make_a_code() {
        assert_eq!(code(Ended::Status(1), &report(Some(0))), Ok(0));
        assert_eq!(code(Ended::Status(203), &report(Some(101))), Ok(101));
        // More than fits beside the bit that QEMU adds.
        for big in [127, 128, 137, 255] {
            assert_eq!(code(Ended::Status(255), &report(Some(big))), Ok(big));
        }
    }

    #[test]
    fn silence_is_failure() {
        for ended in [Ended::Status(0), Ended::Status(1), Ended::Signal(9), Ended::TimeUp(60)] {
            assert!(code(ended, &report(None)).is_err(), "{ended:?}");
        }
    }

    #[test]
    fn a_report_alone_is_not_enough() {
        for ended in [Ended::Status(0), Ended::Status(3), Ended::Signal(11), Ended::TimeUp(60)] {
            assert!(code(ended, &report(Some(0))).is_err(), "{ended:?}");
        }
    }
}
