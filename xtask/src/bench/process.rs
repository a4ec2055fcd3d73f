//! Processes that are gone, with all they started, when their guard is.

use std::{
    fs, io,
    os::unix::process::CommandExt as _,
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, set_parent_process_death_signal, waitid,
};

use super::interrupt;

/// How often a process that is waited for is looked at: 200 times a second is 0.1 %
/// of a CPU, and the figures do not come from here.
const TICK: Duration = Duration::from_millis(5);

/// A process in a group of its own.
pub struct Guarded {
    child: Child,
    name: String,
    ended: bool,
}

impl Guarded {
    /// Starts it. It and its group are killed when this is dropped, it alone when
    /// the bench itself is killed.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::null()).process_group(0);
        // SAFETY: prctl(2) is async-signal-safe.
        unsafe {
            command.pre_exec(|| set_parent_process_death_signal(Some(Signal::KILL)).map_err(io::Error::from));
        }
        let child = command.spawn().with_context(|| format!("could not start {name}"))?;
        Ok(Self { child, name, ended: false })
    }

    /// Its pid.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it prints, where that was asked for.
    pub const fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// What it says, where that was asked for.
    pub const fn stderr(&mut self) -> Option<std::process::ChildStderr> {
        self.child.stderr.take()
    }

    fn id(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Its exit status, once it has ended; what is left of its group ends with it.
    ///
    /// # Errors
    /// When it cannot be waited for.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        let failed = || format!("could not wait for {}", self.name);
        if !self.ended {
            let id = self.id().with_context(failed)?;
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if waitid(WaitId::Pid(id), look).with_context(failed)?.is_none() {
                return Ok(None);
            }
            // Before it is reaped: afterwards the number may be another group's.
            let _none_left = kill_process_group(id, Signal::KILL);
            self.ended = true;
        }
        self.child.wait().map(Some).with_context(failed)
    }

    /// Waits for its end, `None` when that took too long.
    ///
    /// # Errors
    /// When interrupted.
    pub fn wait(&mut self, limit: Duration) -> Result<Option<ExitStatus>> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.ended()? {
                return Ok(Some(status));
            }
            if start.elapsed() > limit {
                return Ok(None);
            }
            interrupt::check()?;
            thread::sleep(TICK);
        }
    }

    /// Ends it as Ctrl-C would, and by force if that does not help.
    ///
    /// # Errors
    /// When interrupted.
    pub fn interrupt(mut self, limit: Duration) -> Result<()> {
        if let Some(id) = self.id() {
            let _gone_already = kill_process(id, Signal::INT);
        }
        self.wait(limit).map(drop)
    }

    /// Its open files as the kernel names them, such as `anon_inode:bpf-prog`.
    pub fn files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(format!("/proc/{}/fd", self.pid())) else { return Vec::new() };
        entries
            .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
            .map(|target| target.to_string_lossy().into_owned())
            .collect()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        if let Some(id) = self.id() {
            let _gone_already = kill_process_group(id, Signal::KILL);
        }
        let _reaped = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use std::io::Read as _;

    #[test]
    fn a_grandchild_does_not_outlive_its_guard() {
        let mut command = Command::new("sh");
        command.args(["-c", "sh -c 'echo; exec sleep 60' & wait"]).stdout(Stdio::piped());
        let mut guarded = Guarded::start(&mut command).unwrap();
        let mut out = guarded.stdout().unwrap();
        let mut byte = [0];
        // The grandchild has written, so it exists.
        assert_eq!(out.read(&mut byte).unwrap(), 1);
        let start = Instant::now();
        drop(guarded);
        let mut rest = Vec::new();
        // The pipe ends when its last writer does.
        out.read_to_end(&mut rest).unwrap();
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_process_that_ignores_ctrl_c_is_ended_all_the_same() {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' INT; sleep 60"]);
        let guarded = Guarded::start(&mut command).unwrap();
        let pid = guarded.pid();
        guarded.interrupt(Duration::from_millis(200)).unwrap();
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    }

    #[test]
    fn a_program_that_is_not_there_is_said_by_name() {
        let error = Guarded::start(&mut Command::new("no-such-program-at-all")).err().unwrap();
        assert_eq!(error.to_string(), "could not start no-such-program-at-all");
    }
}
