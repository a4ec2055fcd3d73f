//! One run: attach, open the window, start the workload, take frames, close the
//! window when it ends.

mod affinity;
mod config;
mod frames;
mod groups;
mod names;
mod open;
mod progress;
mod run;
mod say;
mod session;
mod sinks;
mod target;

pub use config::{Config, Group, TargetConfig};
pub use run::run;
pub use say::say;
pub use session::probes;
pub use sinks::Sink;
