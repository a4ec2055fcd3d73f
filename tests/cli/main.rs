//! What can be typed, and what is answered: no root, no kernel programs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test that fails has to panic, and nobody reads its documentation"
)]

mod check;
mod help;
mod load;
mod output;
mod refused;
mod rights;
mod support;
