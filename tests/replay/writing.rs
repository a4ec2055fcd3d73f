//! The writer: before the run, while it goes, and when the disk is full.

use std::{
    io::{self, Write},
    path::Path,
    sync::{Arc, Mutex},
};

use collector::record::{read::read, write::Writer};

use crate::synthetic::launch;

#[test]
fn every_line_can_be_read_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let run = launch(2, 3);
    let mut writer = Writer::create(&path).unwrap();
    writer.begin(run.header.clone()).unwrap();
    for (index, frame) in run.frames.iter().enumerate() {
        writer.frame(frame.clone()).unwrap();
        let so_far = read(&path).unwrap();
        assert_eq!((so_far.frames.len(), so_far.trailer), (index + 1, None));
    }
    writer.end(run.trailer.clone().unwrap()).unwrap();
    assert_eq!(read(&path).unwrap().trailer, run.trailer);
}

#[test]
fn a_file_is_kept_until_the_run_begins() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    launch(2, 3).write(&path);
    let before = std::fs::read(&path).unwrap();

    drop(Writer::create(&path).unwrap());
    assert_eq!(std::fs::read(&path).unwrap(), before, "the run did not begin");

    let mut writer = Writer::create(&path).unwrap();
    writer.begin(launch(1, 0).header).unwrap();
    drop(writer);
    let record = read(&path).unwrap();
    assert_eq!((record.frames.len(), record.header.machine.online.as_str()), (0, "0-0"), "nothing old is left");
}

#[test]
fn a_file_made_for_a_run_that_did_not_begin_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let writer = Writer::create(&path).unwrap();
    assert!(path.exists());
    drop(writer);
    assert!(!path.exists());
}

#[test]
fn a_wrong_path_says_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let fault = |path: &Path| Writer::create(path).err().unwrap().to_string();
    let here = fault(directory.path());
    assert!(here.contains("directory") && here.ends_with("run.jsonl"), "{here}");
    let nowhere = fault(&directory.path().join("no/r.jsonl"));
    assert!(nowhere.contains("make the directory") && nowhere.contains("/no first"), "{nowhere}");
}

#[test]
fn a_link_to_nothing_makes_its_target() {
    let directory = tempfile::tempdir().unwrap();
    let (link, target) = (directory.path().join("link"), directory.path().join("target"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    launch(1, 1).write(&link);
    assert_eq!(read(&target).unwrap().frames.len(), 1);
}

/// Takes so many bytes and then no more.
#[derive(Clone)]
struct Full {
    taken: Arc<Mutex<Vec<u8>>>,
    room: usize,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut taken = self.taken.lock().unwrap();
        let free = self.room - taken.len();
        if free == 0 {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        let some = bytes.len().min(free);
        taken.extend(&bytes[..some]);
        Ok(some)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told_once_and_what_was_written_reads() {
    let run = launch(1, 4);
    let second_frame = run.bytes().split_inclusive(|&byte| byte == b'\n').take(2).map(<[u8]>::len).sum::<usize>() + 9;
    let full = Full { taken: Arc::default(), room: second_frame };
    let mut writer = Writer::to(full.clone(), "r.jsonl");
    writer.begin(run.header.clone()).unwrap();
    let told: Vec<String> = run
        .frames
        .iter()
        .filter_map(|frame| writer.frame(frame.clone()).err())
        .map(|error| error.to_string())
        .collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("the record in r.jsonl ends here, after 2 lines: no storage space"), "{told:?}");
    assert!(writer.end(run.trailer.unwrap()).is_ok());
    assert!(writer.failed());
    let loaded = crate::synthetic::loaded(full.taken.lock().unwrap().clone());
    assert!(loaded.report().summary.cut);
    assert_eq!(loaded.report().summary.frames, 1);
}

#[test]
fn a_device_without_room_is_told_once() {
    let path = Path::new("/dev/full");
    let run = launch(1, 1);
    let mut writer = Writer::create(path).unwrap();
    let fault = writer.begin(run.header).unwrap_err().to_string();
    assert!(fault.contains("after 0 lines") && fault.contains("the run goes on without it"), "{fault}");
    assert!(writer.frame(run.frames[0].clone()).is_ok());
}
