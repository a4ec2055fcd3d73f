//! The JSON report.

use collector::output::{Exporter, Json, json};
use serde_json::Value;

use crate::{
    cases,
    schemas::faults_of_report,
    synthetic::{Run, launch},
};

fn document(run: &Run, cpu: Option<u32>) -> String {
    String::from_utf8(Json { cpu }.render(&run.loaded().report()).unwrap()).unwrap()
}

#[test]
fn reports_are_as_kept() {
    for (name, run) in cases::all() {
        if ["not_measured", "cut", "all", "groups"].contains(&name) {
            insta::assert_snapshot!(format!("{name}_json"), without_most_buckets(&document(&run, None)));
        }
    }
}

/// The first and the last bucket of each histogram: enough to see what they look like.
fn without_most_buckets(text: &str) -> String {
    let short = |line: &str| match (line.contains("\"buckets\": "), line.split_once("], "), line.rsplit_once(", [")) {
        (true, Some((first, _)), Some((_, last))) => format!("{first}], ..., [{last}"),
        _ => line.to_owned(),
    };
    text.lines().map(short).collect::<Vec<_>>().join("\n")
}

#[test]
fn documents_validate_and_read_back_as_they_were() {
    for (name, run) in cases::all() {
        let text = document(&run, None);
        assert!(text.starts_with('{') && text.ends_with("}\n"), "{name}: one document, nothing else");
        let value: Value = serde_json::from_str(&text).unwrap();
        let faults = faults_of_report(&value);
        assert!(faults.is_empty(), "{name}: {faults:?}");
        let back: json::model::Document = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_value(back).unwrap(), value, "{name}");
    }
}

#[test]
fn what_is_absent_says_why() {
    let value: Value = serde_json::from_str(&document(&cases::not_measured(), None)).unwrap();
    for pointer in ["/total/idle_ns", "/total/idle_share", "/cpus/0/idle_ns", "/open_waits", "/run/machine/model"] {
        let field = value.pointer(pointer).unwrap();
        assert!(field["not_measured"].is_string(), "{pointer}: {field}");
    }
    let idle: Value = serde_json::from_str(&document(&launch(1, 0), None)).unwrap();
    assert_eq!(idle["total"]["waits"]["all"]["p99_ns"]["not_measured"], "no samples");
    assert_eq!(idle["total"]["waits"]["all"]["n"], 0);
}

#[test]
fn one_cpu_can_be_listed() {
    let value: Value = serde_json::from_str(&document(&launch(4, 1), Some(2))).unwrap();
    assert_eq!(value["cpus"].as_array().unwrap().len(), 1);
    assert_eq!(value["cpus"][0]["cpu"], 2);
    let error = Json { cpu: Some(7) }.render(&launch(4, 1).loaded().report()).unwrap_err();
    assert_eq!(error.to_string(), "there is no CPU 7 in this record; it has 0-3");
}

#[test]
fn nothing_in_it_moves_a_terminal() {
    let run = cases::all().into_iter().find(|(name, _)| *name == "odd_names").unwrap().1;
    let text = document(&run, None);
    assert!(!text.chars().any(|c| c != '\n' && collector::record::printable::is_invisible(c)));
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["run"]["machine"]["hostname"], "host\u{9b}2J");
    assert_eq!(value["longest_waits"][0]["comm"], "\x1b[2Jcleared");
}
