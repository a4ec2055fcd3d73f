//! `kill -9` of the collector: what becomes of everything else.

use std::{collections::BTreeSet, fs, process::Command};

use collector::{
    engine::summary::Summary,
    record::read::{Record, read},
};
use libtest_mimic::Trial;
use rustix::process::Signal;

use super::{
    harness::{COLLECTOR, Run, Running},
    needs::test,
    process::{Process, is_dead, kill, until},
    sound,
};

pub fn tests() -> Vec<Trial> {
    vec![
        test("killed::workload_dies_and_record_reads", &[], workload_dies_and_record_reads),
        test("killed::nothing_is_left_in_the_kernel", &[], nothing_is_left_in_the_kernel),
        test("killed::nothing_is_left_after_a_normal_end", &[], nothing_is_left_after_a_normal_end),
    ]
}

fn started(script: &str) -> (Running, u32) {
    let running = Run::new(&["--interval", "50ms"], &["sh", "-c", script]).start();
    let pid = running.process.out.expect("pid ").parse().unwrap();
    (running, pid)
}

fn workload_dies_and_record_reads() {
    let (mut running, workload) = started("echo pid $$; exec sleep 1000");
    until("some frames are written", || {
        fs::read(&running.record).is_ok_and(|bytes| bytes.iter().filter(|&&byte| byte == b'\n').count() > 4)
    });
    kill(running.process.pid(), Signal::KILL);
    assert_eq!(running.process.code(), 137);
    until("the workload dies", || is_dead(workload));

    let record: Record = read(&running.record).unwrap();
    assert!(record.trailer.is_none() && record.frames.len() >= 4, "{} frames", record.frames.len());
    let summary = Summary::new(&record.header, &record.frames, None);
    sound::check(&fs::read(&running.record).unwrap(), &record, &summary);
    assert!(summary.cut && summary.waits.n() > 0);

    let mut report = Process::start(Command::new(COLLECTOR).arg("report").arg(&running.record));
    let text = report.out.rest();
    assert_eq!(report.code(), 0, "{}", report.err.rest());
    assert!(text.contains("the record has no end"), "{text}");
}

/// Ids of kernel objects: programs, maps, links.
type Ids = [BTreeSet<u32>; 3];

/// Those that a process has descriptors of.
fn held_by(pid: u32) -> Ids {
    let mut ids = Ids::default();
    for entry in fs::read_dir(format!("/proc/{pid}/fdinfo")).unwrap().flatten() {
        // Gone where it was closed meanwhile.
        let info = fs::read_to_string(entry.path()).unwrap_or_default();
        for line in info.lines() {
            let Some((field, value)) = line.split_once(":\t") else { continue };
            let Some(kind) = ["prog_id", "map_id", "link_id"].iter().position(|&id| id == field) else { continue };
            ids[kind].insert(value.trim().parse().unwrap());
        }
    }
    ids
}

/// All that are in the kernel, whoever's.
fn in_the_kernel() -> Ids {
    // One that went away meanwhile cannot be looked at.
    let programs = aya::programs::loaded_programs().flatten().map(|program| program.id());
    let maps = aya::maps::loaded_maps().flatten().map(|map| map.id());
    let links = aya::programs::loaded_links().flatten().map(|link| link.id());
    [programs.collect(), maps.collect(), links.collect()]
}

fn left_of(ids: &Ids) -> bool {
    in_the_kernel().iter().zip(ids).any(|(there, ours)| !there.is_disjoint(ours))
}

#[track_caller]
fn ids_of(running: &Running) -> Ids {
    let ids = held_by(running.process.pid());
    let all = in_the_kernel();
    assert!(ids[0].len() >= 6 && ids[1].len() >= 3 && ids[2].len() >= 6, "{ids:?}");
    assert!(ids.iter().zip(&all).all(|(ours, there)| ours.is_subset(there)), "{ids:?} of {all:?}");
    ids
}

fn nothing_is_left_in_the_kernel() {
    let (mut running, _) = started("echo pid $$; exec sleep 1000");
    let ids = ids_of(&running);
    kill(running.process.pid(), Signal::KILL);
    assert_eq!(running.process.code(), 137);
    // Freed after a grace period of RCU.
    until("its programs, maps and links are gone", || !left_of(&ids));
}

/// Also with a daemon of the workload's left over: descriptors are not inherited.
fn nothing_is_left_after_a_normal_end() {
    let (running, daemon) = started("setsid sleep 1000 >&- 2>&- & echo pid $!; read line < /dev/null; sleep .2");
    let ids = ids_of(&running);
    assert_eq!(running.finish().code, 0);
    assert!(!is_dead(daemon), "it was left alone");
    assert_eq!(held_by(daemon), Ids::default());
    until("its programs, maps and links are gone", || !left_of(&ids));
    kill(daemon, Signal::KILL);
}
