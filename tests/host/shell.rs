//! A helper that plays a shell with job control: it has a terminal, runs one collector
//! as a job in it, and does with it what its stdin says.

use std::ffi::OsString;
use std::io::{BufRead, stderr, stdin};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, WaitOptions, getpgrp, getpid, kill_process_group, setsid, waitpid};
use rustix::termios::{tcgetpgrp, tcsetpgrp};

use super::support::{self, say};

/// Arguments: the terminal; `screen` or `pipe`, where the job's stdout goes; then those
/// of `supervise`. Says on stderr `stopped SIGNAL ours=BOOL` and `exited CODE ours=BOOL`,
/// where `ours` says whether the terminal was the job's (the collector's) by then.
pub fn run(mut args: impl Iterator<Item = OsString>) -> i32 {
    let terminal = args.next().unwrap();
    let to_screen = args.next().unwrap() == "screen";
    setsid().unwrap();
    // The first terminal that a session leader opens becomes its session's.
    let tty = open(terminal, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).unwrap();
    // SAFETY: SIG_IGN runs no code of ours.
    unsafe { libc::signal(libc::SIGTTOU, libc::SIG_IGN) };

    let args: Vec<_> = [OsString::from("supervise")].into_iter().chain(args).collect();
    let mut command = support::command(&args);
    command.process_group(0).stdin(tty.try_clone().unwrap());
    command.stdout(if to_screen {
        Stdio::from(tty.try_clone().unwrap())
    } else {
        stderr().as_fd().try_clone_to_owned().unwrap().into()
    });
    // SAFETY: only system calls, on no memory of ours.
    unsafe {
        command.pre_exec(|| {
            tcsetpgrp(rustix::stdio::stdin(), getpid())?;
            libc::signal(libc::SIGTTOU, libc::SIG_DFL);
            Ok(())
        })
    };
    let job = Pid::from_raw(command.spawn().unwrap().id().cast_signed()).unwrap();

    let mut orders = stdin().lock().lines();
    loop {
        let (_, status) = waitpid(Some(job), WaitOptions::UNTRACED).unwrap().unwrap();
        let ours = tcgetpgrp(&tty).unwrap() == job;
        let Some(signal) = status.stopping_signal() else {
            say(&format!("exited {:?} ours={ours}", status.exit_status()));
            // With the session's leader goes what nobody has read from the terminal yet.
            orders.next();
            return 0;
        };
        tcsetpgrp(&tty, getpgrp()).unwrap();
        say(&format!("stopped {signal} ours={ours}"));
        if orders.next().unwrap().unwrap() == "fg" {
            tcsetpgrp(&tty, job).unwrap();
        }
        kill_process_group(job, Signal::CONT).unwrap();
    }
}
