//! How a command ended, and the exit code that says so.

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this exit status, 0 to 255.
    Exited(i32),
    /// By this signal, as a raw number.
    Signaled(i32),
}

/// The exit code a shell would give: the command's own, or 128 + the signal's number.
pub const fn exit_code(ended: &Ended) -> i32 {
    match *ended {
        Ended::Exited(code) => code,
        Ended::Signaled(signal) => 128 + signal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_shells() {
        assert_eq!(exit_code(&Ended::Exited(0)), 0);
        assert_eq!(exit_code(&Ended::Exited(255)), 255);
        assert_eq!(exit_code(&Ended::Signaled(9)), 137);
        assert_eq!(exit_code(&Ended::Signaled(15)), 143);
    }
}
