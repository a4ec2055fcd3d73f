//! The record's JSON Schema, made from the types themselves.

use schemars::{Schema, schema_for};

use super::Line;

/// The schema of one line of a record. `docs/record.schema.json` is this, written out.
pub fn schema() -> Schema {
    schema_for!(Line)
}
