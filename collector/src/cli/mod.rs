//! What can be typed. Each command turns it into what is meant.

pub mod check;
