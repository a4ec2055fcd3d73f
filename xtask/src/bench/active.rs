//! Contenders at work: started, known to be attached, ended.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow, bail};
use aya::Ebpf;

use super::{contender::Watcher, interrupt, kernel, process::Guarded, script};
use crate::{paths::Paths, setup::probe::in_path};

/// bpftrace compiles for a second on a quiet machine.
const START_LIMIT: Duration = Duration::from_secs(60);

/// perf writes up what it recorded.
const STOP_LIMIT: Duration = Duration::from_secs(20);

/// A tracer that opened no program and no event for so long has opened all.
const STABLE: Duration = Duration::from_millis(300);

/// How long the machine may settle after a contender has gone.
const SETTLE: Duration = Duration::from_millis(50);

/// Where tracefs is.
const TRACEFS: &str = "/sys/kernel/tracing";

/// A contender at work; it is gone when this is dropped.
pub enum Active {
    /// In this process; its programs are detached when it is dropped.
    Kernel(#[expect(dead_code, reason = "held, not used")] Box<Ebpf>),
    /// In one of its own, with the file it writes.
    Process(Box<Guarded>, Receiver<String>, Option<Scratch>),
}

/// A file that goes with its guard.
pub struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _not_written = fs::remove_file(&self.0);
    }
}

/// How a contender is started.
#[derive(Clone, Debug)]
pub enum Start {
    /// The empty programs of this object.
    Kernel(PathBuf),
    /// The collector, which says when it is ready.
    Collector(Vec<String>),
    /// A tracer that does not say so.
    Tracer {
        /// Program and arguments.
        words: Vec<String>,
        /// Whether it needs tracefs.
        tracefs: bool,
        /// The file it writes.
        output: Option<PathBuf>,
    },
}

impl Watcher {
    /// The ways to start it, the best first, each with what is to be said of it.
    ///
    /// # Errors
    /// When it is not installed.
    pub fn starts(self, paths: &Paths, scratch: &Path) -> Result<Vec<(Start, Option<String>)>> {
        let missing = |program: &str| {
            let package = self.package().map(|name| format!(" (package {name})")).unwrap_or_default();
            anyhow!("{program} is not installed{package}")
        };
        let find = |program: &str| in_path(program).ok_or_else(|| missing(program));
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let collector = |more: &[&str]| {
            let mut words = vec![text(&paths.collector())];
            words.extend(["run", "--all"].iter().chain(more).map(|word| (*word).to_owned()));
            Start::Collector(words)
        };
        Ok(match self {
            Self::Empty => vec![(Start::Kernel(paths.object()), None)],
            Self::Ours => vec![(collector(&[]), None)],
            Self::OursMonotonic => vec![(collector(&["--clock", "monotonic"]), None)],
            Self::Runqlat => {
                let words = vec![text(&find("runqlat")?)];
                vec![(Start::Tracer { words, tracefs: false, output: None }, None)]
            }
            Self::Bpftrace => {
                let bpftrace = text(&find("bpftrace")?);
                let shipped = find("runqlat.bt")?;
                let start = |words| Start::Tracer { words, tracefs: true, output: None };
                let mut starts = vec![(start(vec![bpftrace.clone(), text(&shipped)]), None)];
                if let Ok(source) = fs::read_to_string(&shipped) {
                    let note = "without its #include of a kernel header, which it could not read here";
                    let words = vec![bpftrace, "-e".to_owned(), script::without_header(&source)];
                    starts.push((start(words), Some(note.to_owned())));
                }
                starts
            }
            Self::Perf => {
                let output = scratch.join("perf.data");
                let words = vec![text(&find("perf")?), "sched".into(), "record".into(), "-o".into(), text(&output)];
                vec![(Start::Tracer { words, tracefs: true, output: Some(output) }, None)]
            }
        })
    }
}

impl Start {
    /// Starts it and waits until it is attached.
    ///
    /// # Errors
    /// Why it is not.
    pub fn start(&self) -> Result<Active> {
        match self {
            Self::Kernel(object) => Ok(Active::Kernel(Box::new(kernel::empty(object)?))),
            Self::Collector(words) => {
                let (mut guarded, said) = spawn(command(words))?;
                ready_line(&mut guarded, &said)?;
                Ok(Active::Process(Box::new(guarded), said, None))
            }
            Self::Tracer { words, tracefs, output } => {
                let scratch = output.clone().map(Scratch);
                let bring_tracefs = *tracefs && !Path::new(TRACEFS).join("events").is_dir();
                let words = if bring_tracefs { &with_tracefs(words) } else { words };
                let (mut guarded, said) = spawn(command(words))?;
                all_open(&mut guarded, &said)?;
                Ok(Active::Process(Box::new(guarded), said, scratch))
            }
        }
    }
}

impl Active {
    /// The process that holds its programs.
    pub fn pid(&self) -> u32 {
        match self {
            Self::Kernel(_) => std::process::id(),
            Self::Process(guarded, ..) => guarded.pid(),
        }
    }

    /// The process whose CPU time is its own; 0 where it has none.
    pub fn user_side(&self) -> u32 {
        match self {
            Self::Kernel(_) => 0,
            Self::Process(guarded, ..) => guarded.pid(),
        }
    }

    /// Ends it, as a user would.
    ///
    /// # Errors
    /// When it ended by itself before, with the reason, or when interrupted.
    pub fn stop(self) -> Result<()> {
        if let Self::Process(mut guarded, said, _scratch) = self {
            if guarded.ended()?.is_some() {
                bail!("ended by itself: {}", last(&said));
            }
            guarded.interrupt(STOP_LIMIT)?;
        }
        thread::sleep(SETTLE);
        interrupt::check()
    }
}

fn command(words: &[String]) -> Command {
    let mut words = words.iter();
    let mut command = Command::new(words.next().map_or("", String::as_str));
    command.args(words).stdout(Stdio::null()).stderr(Stdio::piped());
    // Locales change what tools print, cargo's libraries are not theirs.
    command.env("LC_ALL", "C").env_remove("LD_LIBRARY_PATH");
    command.current_dir(env::temp_dir());
    command
}

/// In a mount namespace of its own, which is gone when the tracer is.
fn with_tracefs(words: &[String]) -> Vec<String> {
    let script = format!("mount -t tracefs tracefs {TRACEFS} && exec \"$@\"");
    let before = ["unshare", "--mount", "sh", "-c", script.as_str(), "sh"];
    before.iter().map(|word| (*word).to_owned()).chain(words.iter().cloned()).collect()
}

/// What it says on stderr goes into the channel, line by line.
fn spawn(mut command: Command) -> Result<(Guarded, Receiver<String>)> {
    let mut guarded = Guarded::start(&mut command)?;
    let stderr = guarded.stderr().context("stderr was not a pipe")?;
    let (sender, said) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Ok((guarded, said))
}

/// The last thing it said.
fn last(said: &Receiver<String>) -> String {
    let line = said.try_iter().filter(|line| !line.trim().is_empty()).last();
    line.map_or_else(|| "it said nothing".to_owned(), |line| line.trim().to_owned())
}

fn ready_line(guarded: &mut Guarded, said: &Receiver<String>) -> Result<()> {
    let start = Instant::now();
    let mut latest = String::new();
    while start.elapsed() < START_LIMIT {
        interrupt::check()?;
        match said.recv_timeout(Duration::from_millis(20)) {
            Ok(line) if line.contains("ready") => return Ok(()),
            Ok(line) => latest = line,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                guarded.wait(STOP_LIMIT)?;
                bail!("{latest}");
            }
        }
    }
    bail!("did not say that it is ready within {} s: {latest}", START_LIMIT.as_secs())
}

fn all_open(guarded: &mut Guarded, said: &Receiver<String>) -> Result<()> {
    let start = Instant::now();
    let mut open = 0;
    let mut since = start;
    while start.elapsed() < START_LIMIT {
        interrupt::check()?;
        if guarded.ended()?.is_some() {
            // The reader of stderr may be a moment behind.
            thread::sleep(SETTLE);
            bail!("{}", last(said));
        }
        let now =
            guarded.files().iter().filter(|file| file.contains("bpf-prog") || file.contains("perf_event")).count();
        if now != open {
            (open, since) = (now, Instant::now());
        }
        if open > 0 && since.elapsed() > STABLE {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
    bail!("attached nothing within {} s: {}", START_LIMIT.as_secs(), last(said))
}
