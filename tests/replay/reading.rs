//! Files that are cut, damaged, or no records.

use std::io::Cursor;

use collector::record::{
    SCHEMA_VERSION,
    read::{Reader, Record, read},
};

use crate::synthetic::{Run, launch};

fn fault(bytes: impl Into<Vec<u8>>) -> String {
    let mut reader = match Reader::new(Cursor::new(bytes.into()), "r.jsonl") {
        Ok(reader) => reader,
        Err(error) => return error.to_string(),
    };
    loop {
        match reader.frame() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("read without a fault"),
            Err(error) => {
                assert!(reader.frame().is_ok_and(|frame| frame.is_none()), "a fault is told once");
                return error.to_string();
            }
        }
    }
}

fn whole(bytes: Vec<u8>) -> Record {
    let mut reader = Reader::new(Cursor::new(bytes), "r.jsonl").unwrap();
    let mut frames = Vec::new();
    while let Some(frame) = reader.frame().unwrap() {
        frames.push(frame);
    }
    let (header, trailer) = reader.into_ends();
    Record { header, frames, trailer }
}

fn lines(run: &Run) -> Vec<String> {
    String::from_utf8(run.bytes()).unwrap().lines().map(|line| format!("{line}\n")).collect()
}

#[test]
fn what_was_written_is_read() {
    let run = launch(3, 4);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    run.write(&path);
    let record = read(&path).unwrap();
    assert_eq!(Run { header: record.header, frames: record.frames, trailer: record.trailer }, run);
}

#[test]
fn a_record_cut_anywhere_keeps_its_complete_frames() {
    let mut run = launch(1, 3);
    for frame in &mut run.frames {
        // Short lines, because each byte is a cut.
        frame.cpus[0].waits = collector::record::WaitsByClass::default();
    }
    let bytes = run.bytes();
    let header = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let ends: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] == b'\n').collect();
    for cut in header + 1..bytes.len() {
        let record = whole(bytes[..cut].to_vec());
        // A line that lacks nothing but its line break is complete.
        let complete = ends[1..].iter().filter(|&&end| cut >= end).count().min(3);
        assert_eq!(record.frames, run.frames[..complete], "cut at {cut}");
        assert_eq!(record.trailer.is_some(), cut == bytes.len() - 1, "cut at {cut}");
    }
    for cut in 1..header {
        assert!(fault(&bytes[..cut]).contains("cut within its first line"), "cut at {cut}: {}", fault(&bytes[..cut]));
    }
}

#[test]
fn zeros_at_the_end_are_a_cut() {
    let run = launch(1, 2).cut();
    let mut bytes = run.bytes();
    bytes.extend([0; 4096]);
    assert_eq!(whole(bytes).frames, run.frames);
}

#[test]
fn blank_lines_carriage_returns_and_new_fields_are_no_fault() {
    let run = launch(1, 2);
    let text = String::from_utf8(run.bytes()).unwrap();
    let other = text.replace('\n', "\r\n\n").replace("{\"type\":\"frame\",", "{\"type\":\"frame\",\"new\":[{}],");
    assert_ne!(text, other);
    assert_eq!(whole(other.into_bytes()).frames, run.frames);
}

#[test]
fn foreign_files_get_one_sentence() {
    let all = [
        ("", "r.jsonl: the file is empty"),
        ("\n\n", "r.jsonl: the file is empty"),
        ("hello\n", "r.jsonl: not a collector record: line 1 is not JSON;"),
        ("{]\n", "r.jsonl: not a collector record: line 1 is not JSON: key must be a string in column 2;"),
        ("{\"a\":1}\n", "r.jsonl: not a collector record: line 1 is JSON, but not the header of a record;"),
        ("[1]\n", "r.jsonl: not a collector record: line 1 is not JSON;"),
        ("{\n  \"format\": \"collector-report\"\n}\n", "r.jsonl: not a collector record: line 1 is not JSON:"),
        ("\x7fELF\0\0", "r.jsonl: not a collector record: line 1 is binary;"),
        ("\x1f", "r.jsonl: not a collector record: line 1 is not JSON;"),
    ];
    for (bytes, expected) in all {
        let fault = fault(bytes);
        assert!(fault.starts_with(expected), "{bytes:?}: {fault}");
        assert!(!fault.contains('\n'), "{fault}");
    }
    assert!(fault(b"\x1f\x8b\x08rest".to_vec()).starts_with("r.jsonl: this is a gzip archive; decompress it"));
    assert!(fault(b"\x28\xb5\x2f\xfdrest".to_vec()).contains("zstd"));
}

#[test]
fn a_frame_first_is_no_record() {
    let fault = fault(lines(&launch(1, 1))[1..].concat());
    assert!(fault.contains("line 1 is JSON, but not the header of a record"), "{fault}");
}

#[test]
fn a_later_schema_is_named() {
    let next = format!("\"schema\":{}", SCHEMA_VERSION + 1);
    let text = lines(&launch(1, 1)).concat().replace(&format!("\"schema\":{SCHEMA_VERSION}"), &next);
    // Whatever else is different in it.
    let text = text.replace("\"version\":\"0.1.0\"", "\"version\":\"9.0.0\"").replace("\"hostname\"", "\"host\"");
    let fault = fault(text);
    assert_eq!(
        fault,
        "r.jsonl: the record has schema version 2 (written by collector 9.0.0), this collector reads up to version 1; \
         read it with collector 9.0.0"
    );
}

#[test]
fn other_buckets_are_refused() {
    let text = lines(&launch(1, 1)).concat().replace("\"sub_bits\":5", "\"sub_bits\":4");
    let fault = fault(text);
    assert!(fault.contains("other buckets") && fault.contains("of 4 bits"), "{fault}");
}

#[test]
fn a_damaged_line_in_the_middle_is_named() {
    let mut damaged = lines(&launch(1, 3));
    damaged[2] = damaged[2].replace("\"seq\":1", "\"seq\":x");
    let fault_there = fault(damaged.concat());
    assert!(
        fault_there.starts_with("r.jsonl: line 3 is damaged (is not JSON: expected value in column "),
        "{fault_there}"
    );
    assert!(fault_there.ends_with("`head -n 2 FILE | collector report -`"), "{fault_there}");

    let mut missing = lines(&launch(1, 3));
    missing[2] = missing[2].replace("\"seq\":1,", "");
    assert!(fault(missing.concat()).contains("line 3 is damaged (missing field `seq`)"));

    let mut unknown = lines(&launch(1, 3));
    unknown[2] = unknown[2].replace("\"type\":\"frame\"", "\"type\":\"\x1b[2J\"").replace('\x1b', "\\u001b");
    let fault_there = fault(unknown.concat());
    assert!(fault_there.contains("line 3 is damaged (unknown variant `\\x1b[2J`"), "{fault_there}");
}

#[test]
fn buckets_that_do_not_exist_are_damage() {
    let mut run = launch(1, 2);
    run.frames[1].cpus[0].waits.workload.counts.push((1152, 1));
    assert!(fault(run.bytes()).contains("line 3 is damaged (CPU 0: there is no bucket 1152, there are 1152)"));
    run.frames[1].cpus[0].waits.workload.counts = vec![(5, 1), (5, 1)];
    assert!(fault(run.bytes()).contains("CPU 0: bucket 5 is out of order"));
    run.frames[1].end_ns = 0;
    assert!(fault(run.bytes()).contains("the frame ends before it begins"));
}

#[test]
fn two_records_in_one_file_are_told_apart() {
    let twice = [launch(1, 1).bytes(), launch(1, 1).bytes()].concat();
    assert!(fault(twice).starts_with("r.jsonl: line 4 comes after the end of the record"));
    let cut_twice = [launch(1, 1).cut().bytes(), launch(1, 1).bytes()].concat();
    assert!(fault(cut_twice).starts_with("r.jsonl: line 3 comes after the end of the record"));
}

#[test]
fn paths_that_are_no_files_get_one_sentence() {
    let directory = tempfile::tempdir().unwrap();
    let fault = Reader::open(directory.path()).err().unwrap().to_string();
    assert!(fault.contains("this is a directory; give a file"), "{fault}");
    let fault = Reader::open(&directory.path().join("none")).err().unwrap().to_string();
    assert!(fault.contains("No such file") && fault.contains("give a file"), "{fault}");
}
