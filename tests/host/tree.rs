//! Process trees, made up and real.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;

use collector::workload::{TreeError, command_line, tree};
use libtest_mimic::Trial;
use rustix::thread::gettid;
use tempfile::TempDir;

use super::support::{Doomed, Helper, is_dead, test, until};

pub fn tests() -> Vec<Trial> {
    vec![
        test("tree::from_children_files", from_children_files),
        test("tree::from_parents", from_parents),
        test("tree::odd_names", odd_names),
        test("tree::thread_is_refused", thread_is_refused),
        test("tree::vanished", vanished),
        test("tree::of_a_shell_and_its_children", of_a_shell_and_its_children),
        test("tree::command_lines", command_lines),
    ]
}

fn write(root: &Path, file: &str, content: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// A process as /proc shows it.
fn process(root: &Path, pid: u32, parent: u32, name: &str, threads: &[u32]) {
    write(root, &format!("{pid}/status"), &format!("Name:\t{name}\nTgid:\t{pid}\nPid:\t{pid}\n"));
    write(root, &format!("{pid}/stat"), &format!("{pid} ({name}) S {parent} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9"));
    for tid in threads {
        write(root, &format!("{pid}/task/{tid}/comm"), name);
    }
}

/// 10 has threads 10 and 11 and children 20 and 30; 20 has child 21; 40 is a stranger.
fn fixture(name: &str) -> TempDir {
    let dir = TempDir::new().unwrap();
    process(dir.path(), 10, 1, name, &[10, 11]);
    process(dir.path(), 20, 10, name, &[20]);
    process(dir.path(), 21, 20, name, &[21, 22]);
    process(dir.path(), 30, 10, name, &[30]);
    process(dir.path(), 40, 1, name, &[40]);
    write(dir.path(), "uptime", "not a process");
    dir
}

fn found(root: &Path, pid: u32) -> Vec<u32> {
    tree(root, pid).unwrap().into_iter().collect()
}

fn from_parents() {
    let dir = fixture("x");
    assert_eq!(found(dir.path(), 10), [10, 11, 20, 21, 22, 30]);
    assert_eq!(found(dir.path(), 21), [21, 22]);
}

fn odd_names() {
    let dir = fixture("a) R 40 (b");
    assert_eq!(found(dir.path(), 10), [10, 11, 20, 21, 22, 30]);
}

fn from_children_files() {
    let dir = fixture("x");
    for (file, children) in [("10/task/10", "20 "), ("10/task/11", "30 99 "), ("20/task/20", "21 "), ("21/task/21", "")]
    {
        write(dir.path(), &format!("{file}/children"), children);
    }
    // That these are not what is read shows in their not being missed.
    for pid in [10, 20, 21, 30, 40] {
        fs::remove_file(dir.path().join(format!("{pid}/stat"))).unwrap();
    }
    // 99 has ended since, and 22 and 30 have no such file any more.
    assert_eq!(found(dir.path(), 10), [10, 11, 20, 21, 22, 30]);
}

fn thread_is_refused() {
    let dir = fixture("x");
    write(dir.path(), "11/status", "Name:\tx\nTgid:\t10\nPid:\t11\n");
    let error = tree(dir.path(), 11).unwrap_err();
    assert_eq!(error.to_string(), "11 is a thread of process 10: give 10");

    let (tell, told) = channel();
    let (end, ended) = channel::<()>();
    let thread = thread::spawn(move || {
        tell.send(gettid().as_raw_nonzero().get().unsigned_abs()).unwrap();
        let _ = ended.recv();
    });
    let id = told.recv().unwrap();
    let error = tree(Path::new("/proc"), id).unwrap_err();
    assert!(
        matches!(error, TreeError::NotLeader { tid, leader } if tid == id && leader == std::process::id()),
        "{error}"
    );
    assert!(tree(Path::new("/proc"), std::process::id()).unwrap().contains(&id));
    drop(end);
    thread.join().unwrap();
}

fn vanished() {
    let dir = fixture("x");
    assert!(matches!(tree(dir.path(), 99), Err(TreeError::NoProcess(99))));
    // Gone between the list of processes and the look at its threads.
    fs::remove_dir_all(dir.path().join("20/task")).unwrap();
    assert_eq!(found(dir.path(), 10), [10, 11, 30]);
    // And between the list and the look at its parent.
    fs::remove_file(dir.path().join("30/stat")).unwrap();
    assert_eq!(found(dir.path(), 10), [10, 11]);
    assert!(matches!(tree(&dir.path().join("nowhere"), 10), Err(TreeError::Proc(_))));
}

fn of_a_shell_and_its_children() {
    let mut helper = Helper::script("sleep 1000 & echo $!; sleep 1000 & echo $!; wait");
    let shell: u32 = helper.err.number("pid ");
    let members = [Doomed(shell), Doomed(helper.out.number("")), Doomed(helper.out.number(""))];
    let pids: BTreeSet<u32> = members.iter().map(|member| member.0).collect();
    assert_eq!(tree(Path::new("/proc"), shell).unwrap(), pids);
    let all = tree(Path::new("/proc"), helper.pid()).unwrap();
    assert!(all.is_superset(&pids) && all.contains(&helper.pid()) && !all.contains(&std::process::id()), "{all:?}");

    drop(members);
    until("they are dead", || is_dead(shell));
    helper.status();
    assert!(matches!(tree(Path::new("/proc"), shell), Err(TreeError::NoProcess(_))));
}

fn command_lines() {
    let dir = TempDir::new().unwrap();
    write(dir.path(), "5/cmdline", "sh\0-c\0\0two words\0");
    assert_eq!(command_line(dir.path(), 5).unwrap(), ["sh", "-c", "", "two words"]);
    write(dir.path(), "6/cmdline", "");
    write(dir.path(), "6/comm", "kworker/0:1\n");
    assert_eq!(command_line(dir.path(), 6).unwrap(), ["[kworker/0:1]"]);
    assert!(command_line(dir.path(), 7).is_err());
}
