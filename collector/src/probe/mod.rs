//! The kernel side as seen from user space. Nothing after the record uses this.

pub mod attach;
pub mod btf;
pub mod cost;
pub mod layout;
pub mod object;
pub mod percpu;
pub mod pids;
pub mod plan;
pub mod tasks;
pub mod tracer;

pub use tracer::{ClockWish, Config, Tracer, TracerError};
