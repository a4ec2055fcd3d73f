//! The measured command: started, watched, passed its signals, and ended.
//!
//! The order that nothing of the command is missed in is the caller's: attach the
//! kernel programs first, then [`spawn`]. What follows is one loop around
//! [`Workload::wait`] or [`Groups::wait`], which also passes signals on, follows job control and keeps
//! the deadline of [`Workload::terminate`].

mod child;
mod cookie;
mod ended;
mod ending;
mod error;
mod group;
mod groups;
mod image;
mod job;
mod procfs;
mod resolve;
pub(crate) mod sigmask;
mod signals;
mod spawn;
mod spec;
mod supervise;
mod terminal;
mod tree;
mod user;
mod watch;

pub use cookie::{Cookie, CookieError};
pub use ended::{Ended, exit_code};
pub use error::SpawnError;
pub use groups::Groups;
pub use signals::{Signals, restore_default};
pub use spawn::{precheck, spawn};
pub use spec::Spec;
pub use supervise::{DEFAULT_GRACE, Workload};
pub use tree::{TreeError, command_line, tree};
pub use watch::{Watched, watch};
