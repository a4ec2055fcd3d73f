//! Why a command could not be started.

use std::io;

use super::cookie::CookieError;

/// Why a command could not be started; the text says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The argument list is empty.
    #[error("no command was given: write it after `--`")]
    NoCommand,
    /// There is no such file, or none of that name in `PATH`.
    #[error("{command}: command not found; {advice}")]
    NotFound {
        /// As it was typed.
        command: String,
        /// What to check.
        advice: &'static str,
    },
    /// The file is there, and the kernel does not run it.
    #[error("{path}: cannot be executed: {reason}")]
    NotExecutable {
        /// The file that was tried.
        path: String,
        /// Why, and what to do.
        reason: String,
    },
    /// The user database has no such name.
    #[error("unknown user `{user}`: give the name of a user that `getent passwd` lists")]
    UnknownUser {
        /// As it was typed.
        user: String,
    },
    /// We may not become that user.
    #[error("cannot run the command as `{user}` ({source}): run the collector as root, or leave out the user")]
    UserDenied {
        /// As it was typed.
        user: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// It cannot have the core-scheduling cookie that it is to have.
    #[error(transparent)]
    Cookie(#[from] CookieError),
    /// Anything else.
    #[error("{command}: cannot be started: {step}: {source}")]
    Other {
        /// As it was typed.
        command: String,
        /// What was being done.
        step: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
}

impl SpawnError {
    /// The exit code that `env`, `timeout` and shells use: 127 not found, 126 cannot
    /// be executed, 125 a failure of the launcher's own.
    pub const fn exit_code(&self) -> i32 {
        match self {
            Self::NotFound { .. } => 127,
            Self::NotExecutable { .. } => 126,
            Self::NoCommand
            | Self::UnknownUser { .. }
            | Self::UserDenied { .. }
            | Self::Cookie(_)
            | Self::Other { .. } => 125,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_sentences() {
        let denied = || io::Error::from_raw_os_error(libc::EPERM);
        let not_found = SpawnError::NotFound { command: "x".into(), advice: "look" };
        let not_executable = SpawnError::NotExecutable { path: "./x".into(), reason: "because".into() };
        let user = SpawnError::UserDenied { user: "bob".into(), source: denied() };
        let other = SpawnError::Other { command: "x".into(), step: "fork", source: denied() };
        assert_eq!(not_found.exit_code(), 127);
        assert_eq!(not_executable.exit_code(), 126);
        for ours in [SpawnError::NoCommand, SpawnError::UnknownUser { user: "bob".into() }, user, other] {
            assert_eq!(ours.exit_code(), 125, "{ours}");
        }
        assert_eq!(not_found.to_string(), "x: command not found; look");
        assert_eq!(not_executable.to_string(), "./x: cannot be executed: because");
    }
}
