//! The load generator: the embedded default workload, with a known answer.
//!
//! Workers compute for a fixed amount of CPU time a round and then wait; messengers
//! wake each when its pause is over, and the worker sees how long that took. With a
//! pause of 0 there are no messengers, and the workers are pure hogs. Plain threads:
//! a runtime's own would be in the way of what is measured.

mod clock;
mod config;
mod latency;
mod messenger;
mod pin;
mod report;
mod run;
mod spin;
mod stop;
mod worker;

pub use config::{Config, ConfigError};
pub use run::{Summary, measure, run};
