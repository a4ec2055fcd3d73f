//! Records in, reports out: no kernel, no root.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test that fails has to panic, and nobody reads its documentation"
)]

mod cases;
mod command;
mod fixtures;
mod json;
mod random;
mod reading;
mod schemas;
mod synthetic;
mod text;
mod writing;
