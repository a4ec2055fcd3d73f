//! A process whose output is read as it comes, and that is waited for with a deadline.

use std::{
    io::Read,
    os::unix::process::ExitStatusExt,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

/// Far more than anything takes, even on a machine that is building something else.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// How often something is looked at that tells nobody when it changes.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Waits until it is so.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < DEADLINE, "waited in vain until {what}");
        thread::sleep(LOOK_EVERY);
    }
}

/// Sends a signal.
pub fn kill(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
}

/// Whether a process runs no more. Who reaps an orphan, and when, is not our business.
pub fn is_dead(pid: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .ok()
        .and_then(|line| line.rsplit_once(") ")?.1.chars().next());
    matches!(state, None | Some('Z' | 'X'))
}

/// What a stream has brought so far, and whether it has ended.
#[derive(Default)]
struct SoFar {
    bytes: Vec<u8>,
    ended: bool,
}

/// A stream that a thread reads.
#[derive(Clone, Default)]
pub struct Stream {
    so_far: Arc<(Mutex<SoFar>, Condvar)>,
}

impl Stream {
    fn of(mut from: impl Read + Send + 'static) -> Self {
        let stream = Self::default();
        let ours = stream.clone();
        thread::spawn(move || {
            let mut piece = [0; 8192];
            loop {
                let read = from.read(&mut piece).unwrap_or(0);
                let mut so_far = ours.so_far.0.lock().unwrap_or_else(PoisonError::into_inner);
                so_far.bytes.extend_from_slice(&piece[..read]);
                so_far.ended = read == 0;
                ours.so_far.1.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        stream
    }

    /// Waits until it holds this text, and returns what comes after it in that line.
    #[track_caller]
    pub fn expect(&self, text: &str) -> String {
        let whole = self.wait(|so_far| so_far.ended || line_with(&so_far.bytes, text).is_some());
        let line = line_with(whole.as_bytes(), text);
        line.unwrap_or_else(|| panic!("no line with `{text}`, but: {whole}"))
    }

    /// All of it, once it is closed.
    #[track_caller]
    pub fn rest(&self) -> String {
        self.wait(|so_far| so_far.ended)
    }

    #[track_caller]
    fn wait(&self, is_enough: impl Fn(&SoFar) -> bool) -> String {
        let guard = self.so_far.0.lock().unwrap();
        let (guard, timeout) = self.so_far.1.wait_timeout_while(guard, DEADLINE, |so_far| !is_enough(so_far)).unwrap();
        let text = String::from_utf8_lossy(&guard.bytes).into_owned();
        drop(guard);
        assert!(!timeout.timed_out(), "waited in vain for output, there is only: {text}");
        text
    }
}

/// What follows `text` in the first whole line that holds it.
fn line_with(bytes: &[u8], text: &str) -> Option<String> {
    let all = String::from_utf8_lossy(bytes);
    let (_, rest) = all.split_once(text)?;
    rest.split_once('\n').map(|(line, _)| line.trim().to_owned())
}

/// A running process. Killed when the test is done with it.
pub struct Process {
    child: Child,
    /// Its standard output.
    pub out: Stream,
    /// Its standard error.
    pub err: Stream,
}

impl Process {
    /// Starts it.
    pub fn start(command: &mut Command) -> Self {
        let program = command.get_program().to_owned();
        let started = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = started.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let (out, err) = (Stream::of(child.stdout.take().unwrap()), Stream::of(child.stderr.take().unwrap()));
        Self { child, out, err }
    }

    /// Its pid.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its standard input, if that was piped.
    pub fn stdin(&mut self) -> std::process::ChildStdin {
        self.child.stdin.take().expect("a piped standard input")
    }

    /// Waits for its end; 128 + n where signal n killed it, as a shell has it.
    #[track_caller]
    pub fn code(&mut self) -> i32 {
        let mut status: Option<ExitStatus> = None;
        until("the process ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        let status = status.unwrap();
        status.code().unwrap_or_else(|| 128 + status.signal().unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
