//! The terminal changes hands between the collector and its command.

use std::fs::File;
use std::io::{PipeWriter, Write};

use libtest_mimic::Trial;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::support::{Helper, Lines, command, state, test, until};

pub fn tests() -> Vec<Trial> {
    vec![
        test("terminal::is_the_commands_from_its_start", is_the_commands_from_its_start),
        test("terminal::is_taken_back_from_one_that_cannot_start", is_taken_back_from_one_that_cannot_start),
        test("terminal::command_reads_from_it", command_reads_from_it),
        test("terminal::ctrl_c_is_the_commands", ctrl_c_is_the_commands),
        test("terminal::ctrl_z_stops_both", ctrl_z_stops_both),
        test("terminal::background_reader_waits_for_the_foreground", background_reader_waits_for_the_foreground),
        test("terminal::in_a_pipe_it_is_lent", in_a_pipe_it_is_lent),
        test("terminal::in_a_pipe_ctrl_z_is_passed_on", in_a_pipe_ctrl_z_is_passed_on),
        test("terminal::ctrl_z_stops_all_groups_once", ctrl_z_stops_all_groups_once),
    ]
}

/// A shell with a terminal, running a collector.
struct Session {
    keyboard: File,
    screen: Lines,
    shell: Helper,
    orders: PipeWriter,
}

impl Session {
    fn start(to: &str, command_line: &[&str]) -> Self {
        Self::supervise(to, &[&["--inspect", "--"], command_line].concat())
    }

    fn supervise(to: &str, args: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let (reader, orders) = std::io::pipe().unwrap();
        let args = [&["shell", &name, to], args].concat();
        let shell = Helper::start(command(&args).stdin(reader));
        let keyboard = File::from(master);
        Self { screen: Lines::of(keyboard.try_clone().unwrap()), keyboard, shell, orders }
    }

    fn script(to: &str, script: &str) -> Self {
        Self::start(to, &["sh", "-c", script])
    }

    fn keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    fn order(&mut self, order: &str) {
        writeln!(self.orders, "{order}").unwrap();
    }

    /// The collector's last word, and whose the terminal is.
    #[track_caller]
    fn assert_exited(&mut self, code: i32) {
        let exited = self.shell.err.expect("exited ");
        assert_eq!(exited, format!("Some({code}) ours=true"), "{:?}", self.shell.err.passed_over);
    }
}

/// Prints a process's group, and the one in its terminal's foreground.
const GROUPS: &str = "echo groups $(cut -d' ' -f5,8 /proc/$$/stat); exit 6";

fn is_the_commands_from_its_start() {
    let mut session = Session::script("screen", GROUPS);
    let groups = session.screen.expect("groups ");
    let (own, foreground) = groups.split_once(' ').unwrap();
    assert_eq!(own, foreground);
    assert_eq!(own, session.shell.err.expect("pid "));
    assert_eq!(session.shell.err.expect("terminal "), "ours=true", "when it has ended, and before it is reaped");
    session.assert_exited(6);
}

fn is_taken_back_from_one_that_cannot_start() {
    let mut session = Session::start("screen", &["no-such-command-anywhere"]);
    session.assert_exited(127);
}

/// Reads a line and says it.
const READER: &str = "echo ready; read line; echo \"got $line\"; exit 7";

fn command_reads_from_it() {
    let mut session = Session::script("screen", READER);
    session.screen.expect("ready");
    session.keys("hello\n");
    session.screen.expect("got hello");
    session.assert_exited(7);
}

fn ctrl_c_is_the_commands() {
    let mut session =
        Session::script("screen", "trap 'echo; echo got it; exit 8' INT; echo ready; while :; do sleep 0.01; done");
    session.screen.expect("ready");
    // Twice would kill, did the collector get it too.
    session.keys("\x03");
    session.screen.expect("got it");
    session.assert_exited(8);
}

fn ctrl_z_stops_both() {
    let mut session = Session::script("screen", READER);
    session.screen.expect("ready");
    let pid: u32 = session.shell.err.number("pid ");
    session.keys("\x1a");
    assert_eq!(session.shell.err.expect("stopped "), format!("{} ours=true", libc::SIGTSTP));
    assert_eq!(state(pid), Some('T'));
    session.order("fg");
    session.keys("again\n");
    session.screen.expect("got again");
    session.assert_exited(7);
}

fn background_reader_waits_for_the_foreground() {
    let mut session = Session::script("screen", READER);
    session.screen.expect("ready");
    session.keys("\x1a");
    session.shell.err.expect("stopped ");
    session.order("bg");
    // It goes on, reads, and is stopped for it; and so are we.
    assert_eq!(session.shell.err.expect("stopped "), format!("{} ours=false", libc::SIGTTIN));
    session.order("fg");
    session.keys("at last\n");
    session.screen.expect("got at last");
    session.assert_exited(7);
}

fn in_a_pipe_it_is_lent() {
    let mut session = Session::script("pipe", &format!("echo groups $(cut -d' ' -f5,8 /proc/$$/stat); {READER}"));
    let groups = session.shell.err.expect("groups ");
    let (own, foreground) = groups.split_once(' ').unwrap();
    assert_ne!(own, foreground, "it stays with the pipeline");
    session.keys("lent\n");
    session.shell.err.expect("got lent");
    session.assert_exited(7);
}

fn in_a_pipe_ctrl_z_is_passed_on() {
    // Without a fork: a shell whose vforked child is stopped before its exec hangs unstopped.
    let mut session = Session::script("pipe", "echo ready; exec sleep 1000");
    let pid: u32 = session.shell.err.number("pid ");
    session.shell.err.expect("ready");
    session.keys("\x1a");
    assert_eq!(session.shell.err.expect("stopped "), format!("{} ours=true", libc::SIGTSTP));
    assert_eq!(state(pid), Some('T'));
    session.order("fg");
    until("it goes on", || state(pid) != Some('T'));
    session.keys("\x03");
    session.assert_exited(130);
}

fn ctrl_z_stops_all_groups_once() {
    let script = "echo ready; exec sleep 1000";
    let mut session = Session::supervise("screen", &["--group", script, "--group", script, "--"]);
    session.screen.expect("ready");
    session.screen.expect("ready");
    let pids: [u32; 2] = ["pid 0", "pid 1"].map(|pid| session.shell.err.number(pid));
    // Twice: each time it is one stop of the job, however many groups are in it.
    for _ in 0..2 {
        session.keys("\x1a");
        assert_eq!(session.shell.err.expect("stopped "), format!("{} ours=true", libc::SIGTSTP));
        until("both are stopped", || pids.iter().all(|&pid| state(pid) == Some('T')));
        session.order("fg");
        until("both go on", || pids.iter().all(|&pid| state(pid) == Some('S')));
    }
    session.keys("\x03");
    session.assert_exited(130);
}
