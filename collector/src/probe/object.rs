//! The kernel object that was built into this program.

use aya::include_bytes_aligned;

static OBJECT: &[u8] = include_bytes_aligned!(concat!(env!("OUT_DIR"), "/sched.o"));

/// How the kernel object was built; `none` if it was not.
pub const BUILD: &str = env!("COLLECTOR_BPF_BUILD");

/// The kernel object.
///
/// # Errors
///
/// A sentence that says how to build one, if this program was built without.
pub fn bytes() -> Result<&'static [u8], &'static str> {
    if OBJECT.is_empty() {
        return Err("this program was built without its kernel object; build it with `cargo xtask build`");
    }
    Ok(OBJECT)
}
