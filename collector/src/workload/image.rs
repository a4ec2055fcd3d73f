//! Everything `execve` is given, laid out before the fork: the child must not allocate.
//!
//! Not `Command`'s own exec, because that is `execvp`, and what it does with a file
//! the kernel refuses depends on the C library (glibc hands it to `/bin/sh`, musl does
//! not). What is measured is to be what was asked for, with every build alike.

use std::ffi::{CString, NulError, OsString, c_char};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::resolve::searches_on;

/// A program to become: files to try, arguments, environment.
pub(super) struct Image {
    files: Vec<CString>,
    /// Pointers into `_strings`, then a null.
    argv: Vec<*const c_char>,
    /// Likewise.
    envp: Vec<*const c_char>,
    _strings: Vec<CString>,
}

// SAFETY: the pointers lead into heap strings that this value owns and never changes.
unsafe impl Send for Image {}
// SAFETY: as above; nothing is written through them.
unsafe impl Sync for Image {}

impl Image {
    /// Lays it out.
    ///
    /// # Errors
    /// A string with a NUL byte in it cannot be handed to a program.
    pub(super) fn new(
        files: Vec<PathBuf>,
        argv: Vec<OsString>,
        environment: Vec<(OsString, OsString)>,
    ) -> Result<Self, NulError> {
        let c_string = |string: OsString| CString::new(string.into_vec());
        let files = files.into_iter().map(|file| c_string(file.into_os_string())).collect::<Result<_, _>>()?;
        let mut strings = argv.into_iter().map(c_string).collect::<Result<Vec<_>, _>>()?;
        let arguments = strings.len();
        for (mut assignment, value) in environment {
            assignment.push("=");
            assignment.push(value);
            strings.push(c_string(assignment)?);
        }
        let pointers = |strings: &[CString]| {
            strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect::<Vec<_>>()
        };
        let (argv, envp) = strings.split_at(arguments);
        Ok(Self { files, argv: pointers(argv), envp: pointers(envp), _strings: strings })
    }

    /// Becomes the first file that runs; returns the error number if none does: of a
    /// single file its own, of several that of one without permission, else ENOENT.
    /// Async-signal-safe.
    pub(super) fn exec(&self) -> i32 {
        let mut answer = libc::ENOENT;
        for file in &self.files {
            // SAFETY: a NUL-terminated path, and two null-terminated arrays of
            // NUL-terminated strings that live as long as `self`.
            unsafe { libc::execve(file.as_ptr(), self.argv.as_ptr(), self.envp.as_ptr()) };
            let errno = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL);
            if !searches_on(errno) || self.files.len() == 1 {
                return errno;
            }
            if errno == libc::EACCES {
                answer = errno;
            }
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_end_with_null() {
        let image = Image::new(vec!["/x".into()], vec!["x".into(), "y".into()], vec![("A".into(), "1".into())]);
        assert!(image.is_ok_and(|image| {
            image.argv.len() == 3
                && image.envp.len() == 2
                && image.argv.last().is_some_and(|last| last.is_null())
                && image.envp.last().is_some_and(|last| last.is_null())
        }));
    }

    #[test]
    fn a_nul_byte_is_refused() {
        assert!(Image::new(vec!["/x".into()], vec!["x\0y".into()], vec![]).is_err());
        assert!(Image::new(vec!["/x".into()], vec!["x".into()], vec![("A".into(), "\0".into())]).is_err());
    }

    #[test]
    fn nothing_to_try_is_not_found() {
        let image = Image::new(vec![], vec![], vec![]);
        assert_eq!(image.map(|image| image.exec()), Ok(libc::ENOENT));
    }
}
