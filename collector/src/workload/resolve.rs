//! Where a command is looked for, and why what was found would not run.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::error::SpawnError;

/// What execvp(3) searches when there is no `PATH`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The files a command may be, in the order they are tried: itself when it contains a
/// `/`, else one in each directory of `PATH`, an empty one of which is the current.
pub(super) fn candidates(command: &OsStr, path: Option<&OsStr>) -> Vec<PathBuf> {
    if command.is_empty() {
        return Vec::new();
    }
    if is_path(command) {
        return vec![command.into()];
    }
    let path = path.unwrap_or_else(|| OsStr::new(DEFAULT_PATH));
    path.as_bytes()
        .split(|&byte| byte == b':')
        .map(|directory| Path::new(if directory.is_empty() { OsStr::new(".") } else { OsStr::from_bytes(directory) }))
        .map(|directory| directory.join(command))
        .collect()
}

/// Whether it is not to be searched for.
fn is_path(command: &OsStr) -> bool {
    command.as_bytes().contains(&b'/')
}

/// Whether the search goes on after this answer of the kernel: execvp(3).
pub(super) const fn searches_on(errno: i32) -> bool {
    matches!(
        errno,
        libc::ENOENT
            | libc::ENOTDIR
            | libc::EACCES
            | libc::ENODEV
            | libc::ESTALE
            | libc::ETIMEDOUT
            | libc::ENAMETOOLONG
    )
}

/// Turns the kernel's last word on a command into a sentence.
pub(super) fn refusal(command: &OsStr, candidates: &[PathBuf], errno: i32) -> SpawnError {
    let present = candidates.iter().find(|path| path.symlink_metadata().is_ok());
    let path = present.map_or_else(|| command.display().to_string(), |path| path.display().to_string());
    let reason = match (errno, present) {
        // A directory of PATH that the user may not enter says nothing about the command.
        (libc::EACCES, None) if !is_path(command) => return not_found(command),
        (libc::ENOENT, None) => return not_found(command),
        (libc::ENOENT, Some(_)) => {
            "the interpreter it asks for (its `#!` line, or its dynamic loader) does not exist".to_owned()
        }
        (libc::ENOEXEC, _) => {
            "it is neither a program for this machine nor a script that begins with `#!`; for a shell script, add \
             `#!/bin/sh` as its first line or run `sh` with it"
                .to_owned()
        }
        (libc::EACCES, _) => denied(Path::new(&path)),
        _ => io::Error::from_raw_os_error(errno).to_string(),
    };
    SpawnError::NotExecutable { path, reason }
}

fn not_found(command: &OsStr) -> SpawnError {
    let advice = if is_path(command) {
        "there is no such file"
    } else {
        "no directory of PATH has it: check the spelling, install it, or give its path"
    };
    SpawnError::NotFound { command: command.display().to_string(), advice }
}

/// Why a file that is there is denied.
fn denied(path: &Path) -> String {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => "it is a directory".to_owned(),
        Ok(meta) if !meta.is_file() => "it is not a regular file".to_owned(),
        Ok(meta) if meta.permissions().mode() & 0o111 == 0 => {
            format!("it is not marked executable: `chmod +x {}`", path.display())
        }
        _ => "permission denied: the user may not execute it, may not enter a directory above it, or its file system \
              is mounted noexec"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str, path: Option<&str>) -> Vec<PathBuf> {
        candidates(OsStr::new(command), path.map(OsStr::new))
    }

    #[test]
    fn a_path_is_taken_as_it_is() {
        assert_eq!(of("./x", Some("/a:/b")), [PathBuf::from("./x")]);
        assert_eq!(of("d/x", None), [PathBuf::from("d/x")]);
    }

    #[test]
    fn a_name_is_searched_in_order() {
        assert_eq!(of("x", Some("/a:/b")), [PathBuf::from("/a/x"), PathBuf::from("/b/x")]);
        assert_eq!(of("x", Some("/a:")), [PathBuf::from("/a/x"), PathBuf::from("./x")]);
        assert_eq!(of("x", None), [PathBuf::from("/bin/x"), PathBuf::from("/usr/bin/x")]);
    }

    #[test]
    fn no_name_is_nowhere() {
        assert!(of("", Some("/a")).is_empty());
        assert_eq!(refusal(OsStr::new(""), &[], libc::ENOENT).exit_code(), 127);
    }

    #[test]
    fn the_code_follows_the_answer() {
        let code =
            |command: &str, errno| refusal(OsStr::new(command), &of(command, Some("/nowhere")), errno).exit_code();
        for errno in [libc::ENOEXEC, libc::E2BIG, libc::ELOOP, libc::ETXTBSY] {
            assert_eq!((code("x", errno), code("/nowhere/x", errno)), (126, 126), "{errno}");
        }
        assert_eq!((code("x", libc::ENOENT), code("/nowhere/x", libc::ENOENT)), (127, 127));
        // In PATH, a directory that may not be entered is no reason.
        assert_eq!((code("x", libc::EACCES), code("/nowhere/x", libc::EACCES)), (127, 126));
    }
}
