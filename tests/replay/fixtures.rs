//! Records in tests/fixtures, from this and from earlier versions: all of them have
//! to be readable for ever.

use std::path::{Path, PathBuf};

use collector::{
    output::{Format, Loaded, render},
    record::read::Reader,
};

use crate::{schemas::assert_valid, synthetic::launch};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures")
}

fn records() -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut records: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    records.sort();
    records
}

#[test]
fn all_of_them_read_and_validate() {
    let records = records();
    assert!(!records.is_empty(), "no record in {}", folder().display());
    for path in records {
        let name = path.display().to_string();
        assert_valid(&name, &std::fs::read(&path).unwrap());
        let loaded = Loaded::read(Reader::open(&path).unwrap()).unwrap_or_else(|error| panic!("{error}"));
        for format in [Format::Text, Format::Json] {
            assert!(!render(format, &loaded.report(), None).unwrap().is_empty(), "{name}");
        }
    }
}

/// The first version's, kept as it was written: a field that is renamed breaks this.
#[test]
fn the_synthetic_record_is_as_it_was() {
    let path = folder().join("synthetic-v1.jsonl");
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        launch(2, 2).write(&path);
    }
    let record = collector::record::read::read(&path).unwrap();
    let now = launch(2, 2);
    assert_eq!((record.header, record.frames, record.trailer), (now.header, now.frames, now.trailer));
}
