//! The calling thread's signal mask, and signals' actions. rustix keeps these to
//! itself (it leaves them to the C library, which has state about them), so libc.

use std::io;
use std::mem::MaybeUninit;

use rustix::process::Signal;

/// A set of these signals.
pub(crate) fn set(signals: &[Signal]) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset initialises the set it is given, and cannot fail.
    let mut set = unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        set.assume_init()
    };
    for signal in signals {
        // SAFETY: the set is initialised; a `Signal` is a valid signal number.
        unsafe { libc::sigaddset(&raw mut set, signal.as_raw()) };
    }
    set
}

/// Makes the calling thread's mask empty. Async-signal-safe.
pub(super) fn clear() {
    let empty = set(&[]);
    // SAFETY: a valid set is read, and the old mask is not asked for.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const empty, std::ptr::null_mut()) };
}

/// Signals that the calling thread has blocked until this is dropped.
pub(crate) struct Blocked {
    before: libc::sigset_t,
}

impl Blocked {
    /// Blocks these signals in the calling thread. Async-signal-safe.
    pub(crate) fn new(signals: &[Signal]) -> Self {
        let blocked = set(signals);
        let mut before = set(&[]);
        // SAFETY: both sets are initialised and outlive the call.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const blocked, &raw mut before) };
        Self { before }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        // SAFETY: the set was filled in by the kernel in `new`.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut()) };
    }
}

/// What is done on this signal.
pub(super) fn action(signal: Signal) -> io::Result<libc::sigaction> {
    let mut action = MaybeUninit::uninit();
    // SAFETY: nothing is set; the kernel's answer goes to memory of the right type.
    let result = unsafe { libc::sigaction(signal.as_raw(), std::ptr::null(), action.as_mut_ptr()) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: sigaction succeeded, so it filled it in.
    Ok(unsafe { action.assume_init() })
}

/// Gives a signal its default action. Async-signal-safe.
pub(super) fn set_default(signal: Signal) {
    // SAFETY: SIG_DFL runs no code of ours, and a `Signal` is a valid signal number.
    unsafe { libc::signal(signal.as_raw(), libc::SIG_DFL) };
}

/// Runs `f` with this signal at its default action.
pub(super) fn with_default<T>(signal: Signal, f: impl FnOnce() -> T) -> io::Result<T> {
    let before = action(signal)?;
    set_default(signal);
    let result = f();
    // SAFETY: the action is the one that was in force before.
    unsafe { libc::sigaction(signal.as_raw(), &raw const before, std::ptr::null_mut()) };
    Ok(result)
}
