//! The running command: waiting for it, passing signals to it, ending it.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use tokio::signal::unix;
use tokio::time::Instant;

use super::ending::Ending;
use super::job::{self, OnStop};
use super::signals::{Pass, Passing, Signals};
use super::spawn::Place;
use super::terminal::Terminal;
use super::{Ended, group, procfs};

/// How long a workload that is asked to end has until it is killed.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(2);

const PROC: &str = "/proc";

/// A command that was started, and the process group that it leads.
///
/// Dropped before [`Workload::reap`], it kills the group.
pub struct Workload {
    child: Child,
    pid: Pid,
    place: Place,
    signals: Signals,
    stops: Signals,
    child_events: unix::Signal,
    terminal: Terminal,
    passing: Passing,
    ending: Ending,
    ended: Option<Ended>,
    reaped: bool,
}

impl Workload {
    pub(super) fn new(
        child: Child,
        pid: Pid,
        place: Place,
        signals: Signals,
        stops: Signals,
        child_events: unix::Signal,
        terminal: Terminal,
    ) -> Self {
        Self {
            child,
            pid,
            place,
            signals,
            stops,
            child_events,
            terminal,
            passing: Passing::default(),
            ending: Ending::No,
            ended: None,
            reaped: false,
        }
    }

    /// The command's pid, which is its process group's id too.
    pub const fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Waits until the command has ended, and leaves it a zombie: its figures can be
    /// read and its pid is nobody else's until [`Workload::reap`].
    ///
    /// Meanwhile it passes signals on, follows job control and ends a group that is to
    /// be ended; so call it all the time. It may be dropped half-way and called again.
    /// After [`Workload::terminate`] or a second Ctrl-C it waits for the group's other
    /// members too; otherwise those are left alone.
    ///
    /// # Errors
    /// When the kernel does not let us wait, or `/proc` cannot be read.
    pub async fn wait(&mut self) -> io::Result<Ended> {
        loop {
            // Here, since the caller may drop every wait below before it is over.
            if self.ending.kill_is_due(Instant::now()) {
                self.kill();
            }
            if let Some(ended) = self.look()?
                && !self.others_are_ending()?
            {
                return Ok(ended);
            }
            tokio::select! {
                _ = self.child_events.recv() => {}
                signal = self.signals.next() => self.pass(signal),
                signal = self.stops.next() => group::send(self.pid, signal),
                () = self.ending.next_look(self.ended.is_some()) => {}
            }
        }
    }

    /// Whether [`Workload::wait`] has seen the command end.
    pub const fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// How it ended, if [`Workload::wait`] has seen that.
    pub const fn how_ended(&self) -> Option<Ended> {
        self.ended
    }

    /// Whether the command has ended by itself: what it left behind is not ours.
    pub(super) fn is_let_go(&self) -> bool {
        self.has_ended() && self.ending == Ending::No
    }

    /// Sends a signal to the group.
    pub(super) fn send(&self, signal: Signal) {
        group::send(self.pid, signal);
    }

    /// Kills the group, and says how the command ended.
    pub(super) fn put_down(mut self) -> io::Result<Ended> {
        self.send(Signal::KILL);
        self.reaped = true;
        let status = self.child.wait()?;
        let signaled = || Ended::Signaled(status.signal().unwrap_or(libc::SIGKILL));
        Ok(status.code().map_or_else(signaled, Ended::Exited))
    }

    /// Asks the whole group to end, with SIGTERM, and has [`Workload::wait`] kill after
    /// `grace` what is left of it, also when that is not the command itself.
    pub fn terminate(&mut self, grace: Duration) {
        if self.ending != Ending::No {
            return;
        }
        self.passing.asked();
        self.ending = Ending::asked(Instant::now(), grace);
        group::send(self.pid, Signal::TERM);
        // A stopped member takes no signal but this one and SIGKILL.
        group::send(self.pid, Signal::CONT);
    }

    /// How long the command's main thread waited on run queues in all its life,
    /// nanoseconds, by the kernel's own account (`/proc/PID/schedstat`, second field).
    /// Between [`Workload::wait`] and [`Workload::reap`] it is final.
    ///
    /// # Errors
    /// When the kernel keeps no such account (`CONFIG_SCHED_INFO`).
    pub fn root_run_delay_ns(&self) -> io::Result<u64> {
        procfs::run_delay_ns(Path::new(PROC), self.pid())
    }

    /// Lets the kernel forget the command. One that still runs is killed first.
    ///
    /// # Errors
    /// When the kernel does not let us wait for it.
    pub fn reap(mut self) -> io::Result<()> {
        self.finish()
    }

    fn finish(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.reaped, true) {
            return Ok(());
        }
        if self.ended.is_none() {
            group::send(self.pid, Signal::KILL);
        }
        self.terminal.take();
        self.child.wait().map(|_| ())
    }

    /// Sees whether the command has ended, and follows its stops.
    fn look(&mut self) -> io::Result<Option<Ended>> {
        if self.ended.is_some() {
            return Ok(self.ended);
        }
        let both = WaitIdOptions::EXITED | WaitIdOptions::STOPPED;
        let Some(status) = waitid(WaitId::Pid(self.pid), both | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG)? else {
            return Ok(None);
        };
        if status.stopped() {
            // Taken, so that it is told once. Gone when it was resumed meanwhile; no child
            // that could be stopped (ECHILD) when it was killed, of which a signal tells.
            let taken = waitid(WaitId::Pid(self.pid), WaitIdOptions::STOPPED | WaitIdOptions::NOHANG);
            if let Some(signal) = taken.ok().flatten().and_then(|status| status.stopping_signal()) {
                self.follow_stop(signal);
            }
        } else {
            self.ended =
                status.exit_status().map(Ended::Exited).or_else(|| status.terminating_signal().map(Ended::Signaled));
            self.terminal.take();
        }
        Ok(self.ended)
    }

    fn follow_stop(&mut self, signal: i32) {
        if self.place == Place::Aside {
            return;
        }
        let ours = self.terminal.is_ours();
        match job::on_stop(signal, ours, job::is_orphaned(Path::new(PROC))) {
            OnStop::Leave => return,
            OnStop::Resume => {}
            OnStop::Lend => {
                if !self.terminal.give(self.pid) {
                    return;
                }
            }
            OnStop::StopToo(signal) => {
                let had_it = self.terminal.take();
                job::stop_own_group(signal);
                // Resumed. In the background (`bg`) the terminal is not ours to give.
                if had_it && self.terminal.is_ours() {
                    self.terminal.give(self.pid);
                }
            }
        }
        group::send(self.pid, Signal::CONT);
    }

    /// Passes on what we were sent; kills at the second request to end.
    pub(super) fn pass(&mut self, signal: Signal) {
        match self.passing.on(signal) {
            Pass::Kill => self.kill(),
            Pass::On(signal) => {
                group::send(self.pid, signal);
                if signal == Signal::TERM || signal == Signal::HUP {
                    group::send(self.pid, Signal::CONT);
                }
            }
        }
    }

    fn kill(&mut self) {
        group::send(self.pid, Signal::KILL);
        self.ending = Ending::killed(Instant::now());
    }

    /// Whether there are other members to wait for.
    fn others_are_ending(&self) -> io::Result<bool> {
        Ok(self.ending.waits_for_others(Instant::now()) && group::is_alive(Path::new(PROC), self.pid)?)
    }
}

impl Drop for Workload {
    fn drop(&mut self) {
        if let Err(error) = self.finish() {
            tracing::warn!("the workload could not be waited for: {error}");
        }
    }
}
