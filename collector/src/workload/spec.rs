//! What to start.

use std::ffi::OsString;

use rustix::thread::CpuSet;

use super::Cookie;

/// The command to start, and what it gets back of what the collector changed for itself.
#[derive(Clone, Default)]
pub struct Spec {
    /// The command and its arguments. A command without a `/` is looked up in the
    /// child's `PATH`.
    pub argv: Vec<OsString>,
    /// Name of the user to run it as, from the user database; `None`: ours.
    pub user: Option<String>,
    /// The CPUs the command may run on, saved (`sched_getaffinity`) before the
    /// collector narrowed its own; `None`: inherited.
    pub affinity: Option<CpuSet>,
    /// The core-scheduling cookie; `None`: ours, if we have one.
    pub core_sched: Option<Cookie>,
    /// Variables set on top of the inherited environment and of those of `user`.
    pub extra_env: Vec<(OsString, OsString)>,
}

impl Spec {
    /// This command, as ourselves, on our CPUs, in our environment.
    pub fn new<S: Into<OsString>>(argv: impl IntoIterator<Item = S>) -> Self {
        Self { argv: argv.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}
