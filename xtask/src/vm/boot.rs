//! One boot: QEMU from start to end, its console, and what the guest sent.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Write as _},
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use rustix::process::{Signal, set_parent_process_death_signal};

use super::{
    qemu::{Machine, QEMU},
    report::{self, Report},
    verdict::{self, Ended},
};
use crate::step;

/// How often QEMU is looked at.
const TICK: Duration = Duration::from_millis(50);

/// How many of the console's last lines are shown where it is all there is to go by.
const TAIL: usize = 25;

/// How a boot is done.
pub struct Boot<'a> {
    /// What is booted.
    pub machine: &'a Machine,
    /// Where the console is kept.
    pub console: PathBuf,
    /// Stopped after this time of the host.
    pub limit: Duration,
    /// Whether the console is shown while it is written.
    pub show: bool,
}

/// What came of a boot.
pub struct Booted {
    /// Exit code of the program in the guest, or why there is none.
    pub code: Result<u8, String>,
    /// What the guest sent.
    pub report: Report,
    /// How long it took, in time of the host.
    pub took: Duration,
}

impl Boot<'_> {
    /// Boots, and waits for the end.
    ///
    /// # Errors
    /// When QEMU cannot be started; a guest that fails is a result.
    pub fn run(&self) -> Result<Booted> {
        // What an earlier boot left must not pass for this one's.
        let _none = fs::remove_file(&self.machine.report);
        let begin = Instant::now();
        let mut child = self.start()?;
        let console = File::create(&self.console).with_context(|| format!("could not write {:?}", self.console))?;
        let readers = [
            child.stdout.take().map(|out| relay(out, &console, self.show)),
            child.stderr.take().map(|err| relay(err, &console, self.show)),
        ];
        let ended = self.wait(&mut child, begin).context("could not wait for QEMU")?;
        for reader in readers.into_iter().flatten() {
            let _printed = reader?.join();
        }
        let report = report::decode(&fs::read(&self.machine.report).unwrap_or_default());
        let code = verdict::code(ended, &report);
        if code.is_err() && !self.show {
            self.show_tail();
        }
        Ok(Booted { code, report, took: begin.elapsed() })
    }

    fn start(&self) -> Result<Child> {
        let mut command = Command::new(QEMU);
        command.args(self.machine.arguments()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // SAFETY: prctl(2) is async-signal-safe.
        unsafe {
            // No guest is left behind when this program is killed.
            command.pre_exec(|| set_parent_process_death_signal(Some(Signal::KILL)).map_err(io::Error::from));
        }
        command.spawn().with_context(|| format!("could not start {QEMU}"))
    }

    fn wait(&self, child: &mut Child, begin: Instant) -> io::Result<Ended> {
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(ended(status));
            }
            if begin.elapsed() > self.limit {
                child.kill()?;
                child.wait()?;
                return Ok(Ended::TimeUp(self.limit.as_secs()));
            }
            thread::sleep(TICK);
        }
    }

    /// The last lines of the console.
    pub fn show_tail(&self) {
        step::say(format_args!("the end of the console ({}):", self.console.display()));
        show_end(&self.console);
    }
}

fn show_end(log: &Path) {
    let text = fs::read(log).unwrap_or_default();
    for line in step::tail(&String::from_utf8_lossy(&text), TAIL) {
        eprintln!("    {line}");
    }
}

fn ended(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Status(code),
        (None, signal) => Ended::Signal(signal.unwrap_or_default()),
    }
}

/// Into the log, and onto the terminal where that is wanted.
fn relay(from: impl Read + Send + 'static, log: &File, show: bool) -> Result<thread::JoinHandle<()>> {
    let mut log = log.try_clone().context("could not write the console's log")?;
    Ok(thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        while let Ok(1..) = from.read_until(b'\n', &mut line) {
            // A serial console ends its lines with both.
            line.retain(|&byte| byte != b'\r');
            let _written = log.write_all(&line);
            if show {
                let _shown = io::stdout().write_all(&line);
            }
            line.clear();
        }
    }))
}
