//! The pid namespace: whether pids mean here what they mean to the kernel.

use std::path::Path;

use super::{ReadError, read};
use crate::record::Measured;

/// Inode of the first pid namespace (`PROC_PID_INIT_INO`, include/linux/proc_ns.h).
const INITIAL: u64 = 0xEFFF_FFFC;

/// Inode of this process's pid namespace.
///
/// # Errors
/// Where `/proc/self/ns/pid` cannot be read.
pub fn inode(root: &Path) -> Result<u64, ReadError> {
    read::namespace(root, "pid")
}

/// Whether this is the machine's first pid namespace. In another one the kernel's pids,
/// as kernel programs see them, differ from those that the caller types and sees.
pub fn is_initial(root: &Path) -> Measured<bool> {
    inode(root).map(|inode| inode == INITIAL).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::fixture::Fixture;

    #[test]
    fn first_and_others() {
        let fixture = Fixture::new();
        assert!(is_initial(fixture.root()).reason().is_some());
        fixture.link("proc/self/ns/pid", "pid:[4026531836]");
        assert_eq!(is_initial(fixture.root()), Measured::Value(true));
        fixture.remove("proc/self/ns/pid").link("proc/self/ns/pid", "pid:[4026532771]");
        assert_eq!(is_initial(fixture.root()), Measured::Value(false));
    }

    #[test]
    fn the_live_machine() {
        assert!(is_initial(Path::new("/")).value().is_some());
    }
}
