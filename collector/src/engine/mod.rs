//! From cumulative readings to frames, and from frames to a summary. Pure.

pub mod build;
pub mod delta;
pub mod hist;
pub mod quality;
pub mod reconcile;
pub mod summary;
mod totals;
