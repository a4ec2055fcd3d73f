//! What this machine can and cannot do for `collector run`.
//!
//! [`Facts`] gathers, [`items`] judges, [`text`] and [`json`] show: only the first
//! looks at the machine.

mod facts;
mod item;
mod judge;
mod render;

pub use facts::Facts;
pub use item::{Item, Status};
pub use judge::items;
pub use render::{json, text};

/// Whether `collector run` will work: nothing that it requires is missing.
pub fn works(items: &[Item]) -> bool {
    missing(items).next().is_none()
}

/// What is required and missing.
fn missing(items: &[Item]) -> impl Iterator<Item = &Item> {
    items.iter().filter(|item| item.required && item.status == Status::Missing)
}

#[cfg(test)]
mod tests;
