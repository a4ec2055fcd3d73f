//! `collector`: run-queue latency, CPU by CPU, of a workload and of everything else.
//!
//! The flow goes one way: kernel programs -> `probe` -> `source` -> [`engine`] ->
//! [`record`] -> `output`. What comes after the record works without root, on any
//! machine, from a file.

pub mod agent;
pub mod check;
pub mod cli;
pub mod engine;
pub mod host;
pub mod load;
pub mod output;
pub mod probe;
pub mod record;
pub mod source;
pub mod workload;
