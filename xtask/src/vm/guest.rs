//! The first process of the guest: this program too, started by the guest's kernel.
//!
//! It mounts what a program expects to find, runs the one program of its [`Job`], sends
//! the outcome to the host over the second serial port, and ends the machine. The last
//! line that it sends is `RC=n`; without that line, whatever else came, the guest has
//! failed.

mod mounts;
mod power;
mod report;

use std::{
    env, fs,
    io::{self, Read, Write as _},
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Command, ExitStatus, Stdio},
    thread::{self, JoinHandle},
};

use anyhow::{Context as _, Result};
use rustix::process::{WaitOptions, wait};

use super::job::{JOB, Job, RESULTS};

/// What `RC=` says when the program could not be run, as env(1) has it.
const NOT_STARTED: u8 = 125;

/// Whether this process is a guest's first. The number alone would not do: in a
/// container, `cargo xtask` may be the first process as well.
pub fn is_init() -> bool {
    std::process::id() == 1 && env::args_os().next().is_some_and(|name| name == "/init")
}

/// Does the job and ends the machine.
pub fn init() -> ! {
    let code = work().unwrap_or_else(|error| {
        eprintln!("guest: {error:#}");
        NOT_STARTED
    });
    if let Err(error) = report::send(Path::new(RESULTS), code) {
        // Without a report the host takes the guest for failed, and shows this.
        eprintln!("guest: could not report: {error:#}");
    }
    power::off(code)
}

fn work() -> Result<u8> {
    mounts::mount_all()?;
    let job = fs::read(JOB).with_context(|| format!("could not read {JOB}"))?;
    let job: Job = serde_json::from_slice(&job).with_context(|| format!("{JOB} is no job"))?;
    if job.schedstats {
        // A kernel without them has no such file.
        let _absent = fs::write("/proc/sys/kernel/sched_schedstats", "1");
    }
    run(&job)
}

fn run(job: &Job) -> Result<u8> {
    let (program, arguments) = job.command.split_first().context("the job has no command")?;
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs([("PATH", "/bin"), ("HOME", "/tmp")])
        .envs(&job.environment)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("could not run {program}"))?;
    let streams = [child.stdout.take().map(relay), child.stderr.take().map(relay)];
    let status = reap(child.id())?;
    // Whoever is left holds the streams open.
    let _none_left = kill_everybody();
    for stream in streams.into_iter().flatten() {
        let _printed = stream.join();
    }
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}

/// To the console, line by line, so that two streams do not mix within one.
fn relay(mut from: impl Read + Send + 'static) -> JoinHandle<()> {
    thread::spawn(move || {
        let (mut piece, mut line) = ([0; 4096], Vec::new());
        while let Ok(count @ 1..) = from.read(&mut piece) {
            line.extend_from_slice(&piece[..count]);
            if let Some(end) = line.iter().rposition(|&byte| byte == b'\n') {
                print(&line[..=end]);
                line.drain(..=end);
            }
        }
        if !line.is_empty() {
            line.push(b'\n');
            print(&line);
        }
    })
}

fn print(lines: &[u8]) {
    let mut console = io::stdout().lock();
    let _written = console.write_all(lines).and_then(|()| console.flush());
}

/// Waits for one child, and for every orphan that became ours meanwhile.
fn reap(pid: u32) -> Result<ExitStatus> {
    loop {
        let (ended, status) = wait(WaitOptions::empty()).context("could not wait")?.context("nobody to wait for")?;
        if ended.as_raw_nonzero().get().unsigned_abs() == pid {
            return Ok(ExitStatus::from_raw(status.as_raw()));
        }
    }
}

fn kill_everybody() -> io::Result<()> {
    // SAFETY: -1 is everybody but the first process, which is this one.
    match unsafe { libc::kill(-1, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
