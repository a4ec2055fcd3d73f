//! A figure, or the reason why there is none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A measured value, or `{"not_measured": "why"}`. Absence is never 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Measured<T> {
    // First, so that it is tried first when read.
    /// Why there is none, in words for a person.
    NotMeasured(
        #[serde(with = "absent")]
        #[schemars(with = "absent::Absent")]
        String,
    ),
    /// The value.
    Value(T),
}

/// How a reason is written.
mod absent {
    use super::{Deserialize, JsonSchema, Serialize};
    use serde::{Deserializer, Serializer};

    /// No value, and why not.
    #[derive(Serialize, Deserialize, JsonSchema)]
    pub struct Absent {
        /// Why there is none, in words for a person.
        not_measured: String,
    }

    pub fn serialize<S: Serializer>(reason: &str, serializer: S) -> Result<S::Ok, S::Error> {
        Absent { not_measured: reason.to_owned() }.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        Absent::deserialize(deserializer).map(|absent| absent.not_measured)
    }
}

impl<T> Measured<T> {
    /// Not measured, for this reason.
    pub fn not(reason: impl Into<String>) -> Self {
        Self::NotMeasured(reason.into())
    }

    /// The value, if there is one.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::NotMeasured(_) => None,
        }
    }

    /// Why there is no value, if there is none.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Value(_) => None,
            Self::NotMeasured(reason) => Some(reason),
        }
    }

    /// The value, or the reason as an error.
    pub fn into_result(self) -> Result<T, String> {
        match self {
            Self::Value(value) => Ok(value),
            Self::NotMeasured(reason) => Err(reason),
        }
    }

    /// Applies a function to the value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Measured<U> {
        match self {
            Self::Value(value) => Measured::Value(f(value)),
            Self::NotMeasured(reason) => Measured::NotMeasured(reason),
        }
    }

    /// Both values combined, or the first reason why not.
    pub fn zip<U>(self, other: Measured<U>) -> Measured<(T, U)> {
        match (self, other) {
            (Self::Value(a), Measured::Value(b)) => Measured::Value((a, b)),
            (Self::NotMeasured(reason), _) | (_, Measured::NotMeasured(reason)) => Measured::NotMeasured(reason),
        }
    }
}

impl<T, E: std::fmt::Display> From<Result<T, E>> for Measured<T> {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(value) => Self::Value(value),
            Err(error) => Self::NotMeasured(error.to_string()),
        }
    }
}
