//! The report from the record is the report at the end of the run.

use std::{fs, process::Command};

use libtest_mimic::Trial;

use super::{
    harness::{COLLECTOR, Run, helper},
    needs::test,
    process::Process,
};

pub fn tests() -> Vec<Trial> {
    vec![test("report::from_the_record_is_that_of_the_run", &[], from_the_record_is_that_of_the_run)]
}

fn from_the_record_is_that_of_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let [text, json] = ["r.txt", "r.json"].map(|name| dir.path().join(name));
    let options = ["-o", text.to_str().unwrap(), "-o", json.to_str().unwrap()];
    let running = Run::new(&options, &helper(&["naps", "50"])).start();
    let record = running.record.clone();
    // Kept until the reports are made.
    let (mut process, _kept) = (running.process, running.dir);
    assert_eq!(process.code(), 0, "{}", process.err.rest());

    for (format, written) in [("text", text), ("json", json)] {
        let mut report = Process::start(Command::new(COLLECTOR).args(["report", "--format", format]).arg(&record));
        let again = report.out.rest();
        assert_eq!(report.code(), 0, "{}", report.err.rest());
        assert_eq!(again, fs::read_to_string(written).unwrap());
    }
    let said = process.err.rest();
    assert!(said.starts_with("collector: ready"), "{said}");
    assert!(said.contains("Reconciliation"), "{said}");
}
