//! The user a command is to run as, resolved before the fork: the C library's user
//! database takes locks and opens files, which a forked child must not.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::process::{Gid, Uid};

/// A user of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct User {
    /// Name, as the database writes it.
    pub(super) name: OsString,
    /// User id.
    pub(super) uid: Uid,
    /// Primary group.
    pub(super) gid: Gid,
    /// All groups, the primary one among them.
    pub(super) groups: Vec<Gid>,
    /// Home directory.
    pub(super) home: OsString,
    /// Login shell.
    pub(super) shell: OsString,
}

impl User {
    /// What `su` and `sudo -u` set for this user.
    pub(super) fn environment(&self) -> Vec<(OsString, OsString)> {
        // An empty shell field means the Bourne shell: passwd(5).
        let shell = if self.shell.is_empty() { OsString::from("/bin/sh") } else { self.shell.clone() };
        [("HOME", self.home.clone()), ("USER", self.name.clone()), ("LOGNAME", self.name.clone()), ("SHELL", shell)]
            .map(|(name, value)| (OsString::from(name), value))
            .into()
    }
}

/// Looks a name up; `None`: there is no such user.
pub(super) fn lookup(name: &str) -> io::Result<Option<User>> {
    let Ok(name) = CString::new(name) else { return Ok(None) };
    let mut buffer = vec![0_u8; 1024];
    loop {
        let mut entry = MaybeUninit::<libc::passwd>::uninit();
        let mut found = std::ptr::null_mut();
        // SAFETY: the name is NUL-terminated, and the buffer's length is passed with it.
        let error = unsafe {
            libc::getpwnam_r(
                name.as_ptr(),
                entry.as_mut_ptr(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                &raw mut found,
            )
        };
        match error {
            libc::ERANGE => buffer.resize(buffer.len() * 2, 0),
            // The C library may answer "no such user" with an error: getpwnam(3).
            0 | libc::ENOENT | libc::ESRCH if found.is_null() => return Ok(None),
            0 => {
                // SAFETY: a non-null result says that the entry is filled in.
                let entry = unsafe { entry.assume_init() };
                return from_entry(&entry).map(Some);
            }
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Copies an entry out of the buffer that it points into.
fn from_entry(entry: &libc::passwd) -> io::Result<User> {
    let copy = |field: *const libc::c_char| {
        if field.is_null() {
            return CString::default();
        }
        // SAFETY: a field of a passwd entry is a NUL-terminated string in the buffer of `lookup`.
        unsafe { CStr::from_ptr(field) }.to_owned()
    };
    let name = copy(entry.pw_name);
    let groups = groups(&name, entry.pw_gid)?;
    let text = |field: CString| OsString::from_vec(field.into_bytes());
    Ok(User {
        uid: Uid::from_raw(entry.pw_uid),
        gid: Gid::from_raw(entry.pw_gid),
        groups,
        home: text(copy(entry.pw_dir)),
        shell: text(copy(entry.pw_shell)),
        name: OsStr::from_bytes(name.as_bytes()).to_owned(),
    })
}

/// All groups of a user, as `initgroups` would set them.
fn groups(name: &CStr, primary: libc::gid_t) -> io::Result<Vec<Gid>> {
    // NGROUPS_MAX of Linux; a list that is longer could not be set either.
    const MOST: usize = 65_536;
    let mut list: Vec<libc::gid_t> = vec![0; 64];
    while list.len() <= MOST {
        let mut count = libc::c_int::try_from(list.len()).map_err(io::Error::other)?;
        // SAFETY: the name is NUL-terminated, and `count` is the list's length.
        let result = unsafe { libc::getgrouplist(name.as_ptr(), primary, list.as_mut_ptr(), &raw mut count) };
        if result >= 0 {
            let count = usize::try_from(count).map_err(io::Error::other)?;
            return Ok(list.into_iter().take(count).map(Gid::from_raw).collect());
        }
        list.resize(list.len() * 2, 0);
    }
    Err(io::Error::other("the user is in more groups than Linux can set"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn root_is_found_with_its_environment() {
        let root = lookup("root").unwrap().unwrap();
        assert!(root.uid.is_root());
        assert!(root.groups.contains(&root.gid));
        let names: Vec<_> = root.environment().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["HOME", "USER", "LOGNAME", "SHELL"]);
    }

    #[test]
    fn an_unknown_name_is_none() {
        assert_eq!(lookup("no-such-user-of-any-machine").unwrap(), None);
        assert_eq!(lookup("a\0b").unwrap(), None);
    }
}
