//! Starting helpers, reading what they say, and waiting with a deadline.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write, stderr};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::{Completion, Failed, Trial};
use rustix::process::{Pid, Signal, geteuid, kill_process};

/// Far more than anything takes, even on a machine that is building something else.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// A test that fails by panicking.
pub fn test(name: &str, body: fn()) -> Trial {
    Trial::test(name, move || {
        body();
        Ok(())
    })
}

/// A test that only root can do.
pub fn root_test(name: &str, body: fn()) -> Trial {
    Trial::ignorable_test(name, move || {
        if !geteuid().is_root() {
            return Ok(Completion::ignored_with("changing the user takes root"));
        }
        body();
        Ok::<_, Failed>(Completion::Completed)
    })
}

/// Waits until it is so.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < DEADLINE, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// The state letter of a process; `None` when there is none.
pub fn state(pid: u32) -> Option<char> {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    line.rsplit_once(") ")?.1.chars().next()
}

/// Whether a process runs no more. Who reaps an orphan, and when, is not our business.
pub fn is_dead(pid: u32) -> bool {
    matches!(state(pid), None | Some('Z' | 'X'))
}

/// The first CPU this process may run on.
pub fn first_cpu() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    list.trim().split([',', '-']).next().unwrap().to_owned()
}

/// Sends a signal.
pub fn kill(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
}

/// A process that is killed when the test is done with it, also by failing.
pub struct Doomed(pub u32);

impl Drop for Doomed {
    fn drop(&mut self) {
        if let Some(pid) = Pid::from_raw(self.0.cast_signed()) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Lines that are read as they come.
pub struct Lines {
    lines: Receiver<String>,
    /// Read, and not what was asked for so far: two processes write in any order.
    pub passed_over: Vec<String>,
}

impl Lines {
    /// Reads them from here, in a thread of its own.
    pub fn of(from: impl Read + Send + 'static) -> Self {
        let (sender, lines) = channel();
        thread::spawn(move || {
            // A pty whose other side is closed gives an error instead of an end.
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                if sender.send(line.trim_end_matches('\r').to_owned()).is_err() {
                    break;
                }
            }
        });
        Self { lines, passed_over: Vec::new() }
    }

    /// The first line, of those not taken yet, that begins with this; without it.
    #[track_caller]
    pub fn expect(&mut self, prefix: &str) -> String {
        let found = self.passed_over.iter().position(|line| line.starts_with(prefix));
        let line = found.map(|at| self.passed_over.remove(at)).unwrap_or_else(|| self.read_up_to(prefix));
        line[prefix.len()..].trim().to_owned()
    }

    #[track_caller]
    fn read_up_to(&mut self, prefix: &str) -> String {
        loop {
            match self.lines.recv_timeout(DEADLINE) {
                Ok(line) if line.starts_with(prefix) => return line,
                Ok(line) => self.passed_over.push(line),
                Err(RecvTimeoutError::Timeout) => panic!("no line `{prefix}…` in time, but {:?}", self.passed_over),
                Err(RecvTimeoutError::Disconnected) => panic!("no line `{prefix}…`, but {:?}", self.passed_over),
            }
        }
    }

    /// The next line that begins with this, as a number after it.
    #[track_caller]
    pub fn number<N: std::str::FromStr<Err: std::fmt::Debug>>(&mut self, prefix: &str) -> N {
        let rest = self.expect(prefix);
        rest.parse().unwrap_or_else(|error| panic!("`{prefix}` is followed by `{rest}`: {error:?}"))
    }

    /// All that is left, until it is closed.
    pub fn rest(&mut self) -> Vec<String> {
        let mut rest = std::mem::take(&mut self.passed_over);
        loop {
            match self.lines.recv_timeout(DEADLINE) {
                Ok(line) => rest.push(line),
                Err(RecvTimeoutError::Disconnected) => return rest,
                Err(RecvTimeoutError::Timeout) => panic!("not closed in time after {rest:?}"),
            }
        }
    }
}

/// The command for a helper, with signals as a shell would start it with: this
/// process may have been started with some ignored.
pub fn command(args: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("--helper").args(args).stdin(Stdio::null());
    // SAFETY: only system calls, on no memory of ours.
    unsafe {
        command.pre_exec(|| {
            for signal in RESET {
                libc::signal(signal.as_raw(), libc::SIG_DFL);
            }
            Ok(())
        })
    };
    command
}

/// Signals that a helper gets at their default action.
const RESET: [Signal; 6] = [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM, Signal::TSTP, Signal::PIPE];

/// How `/proc/PID/status` writes that these signals are ignored, and those besides
/// that this process was started with ignored.
pub fn ignored(signals: &[Signal]) -> String {
    let bit = |signal: &Signal| 1_u64 << (signal.as_raw() - 1);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let own = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
    let reset: u64 = RESET.iter().map(bit).sum();
    let asked: u64 = signals.iter().map(bit).sum();
    format!("{:016x}", u64::from_str_radix(own, 16).unwrap() & !reset | asked)
}

/// Writes a line to stderr in one go, unlike `eprintln!`: others write there too.
pub fn say(line: &str) {
    stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// A running helper. Killed when the test is done with it.
pub struct Helper {
    child: Child,
    /// Its stdout, which is its command's too.
    pub out: Lines,
    /// Likewise.
    pub err: Lines,
}

impl Helper {
    /// Starts one.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (Lines::of(child.stdout.take().unwrap()), Lines::of(child.stderr.take().unwrap()));
        Self { child, out, err }
    }

    /// A collector that runs these arguments: options, `--`, command.
    pub fn supervise(args: &[impl AsRef<OsStr>]) -> Self {
        let args: Vec<_> = [OsStr::new("supervise")].into_iter().chain(args.iter().map(AsRef::as_ref)).collect();
        Self::start(&mut command(&args))
    }

    /// A collector that runs this shell script.
    pub fn script(script: &str) -> Self {
        Self::supervise(&["--", "sh", "-c", script])
    }

    /// Its pid.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end.
    pub fn status(&mut self) -> ExitStatus {
        let mut status = None;
        until("the helper ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    /// Waits for its end; its exit code.
    pub fn code(&mut self) -> i32 {
        let status = self.status();
        status.code().unwrap_or_else(|| panic!("the helper ended with {status}"))
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
