//! The schemas that are written out in docs/ are those of the types, and what is
//! written validates against them.

use std::{
    path::{Path, PathBuf},
    sync::LazyLock,
};

use collector::{output::json, record::schema};
use jsonschema::Validator;
use serde_json::Value;

use crate::cases;

/// Set to write the files anew.
const UPDATE: &str = "UPDATE_SCHEMA";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

fn is_written_out(name: &str, schema: &schemars::Schema) {
    let path = docs().join(name);
    let text = serde_json::to_string_pretty(schema.as_value()).unwrap() + "\n";
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/{name} is not the schema of the types; {UPDATE}=1 cargo test writes it anew");
}

#[test]
fn the_schema_of_records_is_written_out() {
    is_written_out("record.schema.json", &schema::schema());
}

#[test]
fn the_schema_of_reports_is_written_out() {
    is_written_out("report.schema.json", &json::schema());
}

/// Of the lines of records.
static RECORD: LazyLock<Validator> = LazyLock::new(|| jsonschema::validator_for(schema::schema().as_value()).unwrap());
/// Of JSON reports.
static REPORT: LazyLock<Validator> = LazyLock::new(|| jsonschema::validator_for(json::schema().as_value()).unwrap());

fn faults(schema: &Validator, value: &Value) -> Vec<String> {
    schema.iter_errors(value).map(|error| error.to_string()).collect()
}

/// What is wrong with a JSON report.
pub fn faults_of_report(value: &Value) -> Vec<String> {
    faults(&REPORT, value)
}

/// Checks the lines of a file against the schema.
pub fn assert_valid(name: &str, bytes: &[u8]) {
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')).filter(|(_, line)| !line.is_empty()) {
        let value: Value = serde_json::from_slice(line).unwrap();
        let faults = faults(&RECORD, &value);
        assert!(faults.is_empty(), "{name}, line {number}: {faults:?}");
    }
}

#[test]
fn every_line_of_a_record_validates() {
    for (name, run) in cases::all() {
        assert_valid(name, &run.bytes());
    }
}

#[test]
fn a_line_that_lacks_a_field_does_not_validate() {
    let schema = &*RECORD;
    let mut value = serde_json::to_value(&cases::not_measured().lines()[1]).unwrap();
    assert!(schema.is_valid(&value));
    value["surprise"] = Value::Null;
    assert!(schema.is_valid(&value), "fields that a later version adds are no fault");
    value.as_object_mut().unwrap().remove("seq");
    assert!(!schema.is_valid(&value));
}
