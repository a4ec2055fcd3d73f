//! `-o`: what cannot be written is known before anything is run.

use std::{fs, path::Path};

use crate::support::{Answer, answer};

/// Asks for a command that would leave a mark.
fn run_with_output(output: &Path, mark: &Path) -> Answer {
    let words = ["run".as_ref(), "-o".as_ref(), output.as_os_str(), "--".as_ref(), "touch".as_ref(), mark.as_os_str()];
    answer(&words)
}

#[test]
fn a_file_that_cannot_be_written() {
    let dir = tempfile::tempdir().unwrap();
    let mark = dir.path().join("mark");
    for name in ["r.jsonl", "r.json", "r.txt"] {
        let file = dir.path().join("no-such-folder").join(name);
        let answer = run_with_output(&file, &mark);
        let said = answer.refusal();
        assert!(said.contains(file.to_str().unwrap()), "{said}");
        assert!(said.contains("cannot write"), "{said}");
    }
    let answer = run_with_output(dir.path(), &mark);
    assert!(answer.refusal().contains("directory"), "{answer:?}");
    assert!(!mark.exists(), "the command was run");
}

#[test]
fn an_unknown_format() {
    let dir = tempfile::tempdir().unwrap();
    let mark = dir.path().join("mark");
    let file = dir.path().join("r.xyz");
    let answer = run_with_output(&file, &mark);
    let said = answer.refusal();
    assert!(said.contains("r.xyz") && said.contains(".jsonl"), "{said}");
    assert!(!mark.exists() && !file.exists());
}

#[test]
fn what_was_there_is_kept_where_nothing_is_run() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["r.jsonl", "r.json", "r.txt"] {
        let (there, new) = (dir.path().join(name), dir.path().join(format!("new-{name}")));
        fs::write(&there, "precious\n").unwrap();
        for file in [&there, &new] {
            let words = ["run", "--btf", "no-such-file", "-o", file.to_str().unwrap(), "--", "true"];
            answer(&words).refusal();
        }
        assert_eq!(fs::read_to_string(&there).unwrap(), "precious\n", "{name}");
        assert!(!new.exists(), "an empty {name} was left behind");
    }
}
