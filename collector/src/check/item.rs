//! One thing that is there, or is not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of it there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// All of it.
    Ok,
    /// Some of it: figures are fewer, dearer or harder to read, and those that are there are right.
    Limited,
    /// None of it.
    Missing,
}

impl Status {
    /// As it is printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Limited => "limited",
            Self::Missing => "missing",
        }
    }
}

/// One line of `collector check`. With `--json` there is an array of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// What was looked at.
    pub name: String,
    /// How much of it there is.
    pub status: Status,
    /// What was found, in words for a person.
    pub found: String,
    /// What to do about it, or why there is nothing to do; none where the status is `ok`.
    pub remedy: Option<String>,
    /// Whether `collector run` needs it: it will not work where this is true and the status is `missing`.
    pub required: bool,
}

/// What was found about an item, and the remedy where it is not all right: there is
/// no way to say that something is limited or missing without one.
pub(super) enum Finding {
    Ok(String),
    Limited(String, String),
    Missing(String, String),
}

impl Finding {
    pub(super) fn ok(found: impl Into<String>) -> Self {
        Self::Ok(found.into())
    }

    pub(super) fn limited(found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Limited(found.into(), remedy.into())
    }

    pub(super) fn missing(found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Missing(found.into(), remedy.into())
    }

    /// The item of this name that `run` needs.
    pub(super) fn required(self, name: &str) -> Item {
        self.item(name, true)
    }

    /// The item of this name that `run` can do without.
    pub(super) fn optional(self, name: &str) -> Item {
        self.item(name, false)
    }

    fn item(self, name: &str, required: bool) -> Item {
        let (status, found, remedy) = match self {
            Self::Ok(found) => (Status::Ok, found, None),
            Self::Limited(found, remedy) => (Status::Limited, found, Some(remedy)),
            Self::Missing(found, remedy) => (Status::Missing, found, Some(remedy)),
        };
        Item { name: name.to_owned(), status, found, remedy, required }
    }
}
