//! `collector load`.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use crate::support::{answer, command};

#[test]
fn nonsense_is_refused() {
    let cases: [(&[&str], &str); 10] = [
        (&["--threads", "0"], "thread"),
        (&["--threads", "many"], "'many'"),
        (&["--work-us", "0", "--sleep-us", "0"], "no load"),
        (&["--work-us", "60000001"], "60000000"),
        (&["--sleep-us=-1"], "-1"),
        (&["--duration", "0"], "--duration"),
        (&["--interval", "1ms"], "10ms"),
        (&["--pin", ""], "--pin"),
        (&["--pin", "3-1"], "3-1"),
        (&["--pin", "1000000"], "1000000"),
    ];
    for (options, names) in cases {
        let answer = answer(&[&["load"], options].concat());
        let said = answer.refusal();
        assert!(said.contains(names), "{options:?}: {said}");
    }
}

#[test]
fn a_line_an_interval_and_a_rate() {
    let answer = answer(&["load", "--threads", "2", "--duration", "300ms", "--interval", "100ms"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let intervals = answer.stdout.lines().filter(|line| line.starts_with("[ ")).count();
    assert_eq!(intervals, 3, "{}", answer.stdout);
    assert!(answer.stdout.lines().any(|line| line.starts_with("rate:") && line.ends_with(" rounds/s")), "{answer:?}");
}

#[test]
fn a_reader_that_leaves_is_success() {
    let mut load = command();
    load.args(["load", "--threads", "1", "--duration", "100s", "--interval", "10ms"]);
    let mut load = load.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(load.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = load.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
    assert!(first.starts_with("[ 0.01s ]"), "{first}");
}
