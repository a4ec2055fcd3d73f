//! Several commands side by side, each with a process group of its own.

use std::future::{Future, poll_fn};
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use rustix::process::Signal;

use super::signals::Signals;
use super::spawn::{Place, spawn_as};
use super::supervise::Workload;
use super::{Ended, SpawnError, Spec, job};

/// Commands that run side by side. None of them has our stdin, which is `/dev/null` to
/// them, or the terminal; our stdout and stderr are everybody's.
///
/// Dropped before [`Groups::reap`], it kills them.
pub struct Groups {
    members: Vec<Workload>,
    signals: Signals,
    stops: Signals,
}

impl Groups {
    /// No command yet. From here on the collector's own SIGINT, SIGTERM, SIGHUP, SIGQUIT and
    /// SIGTSTP are caught, before the first command runs: what is sent between the first
    /// and the last is for all of them. Needs a tokio runtime with I/O and time.
    ///
    /// # Errors
    /// When the handlers cannot be installed.
    pub fn install() -> io::Result<Self> {
        Ok(Self { members: Vec::new(), signals: Signals::install()?, stops: Signals::of(&[Signal::TSTP])? })
    }

    /// Starts one more; see [`super::spawn`].
    ///
    /// # Errors
    /// [`SpawnError`]. Those that run already go on.
    pub fn spawn(&mut self, spec: &Spec) -> Result<(), SpawnError> {
        self.members.push(spawn_as(spec, Place::Aside)?);
        Ok(())
    }

    /// The commands, in the order they were started.
    pub fn members(&self) -> &[Workload] {
        &self.members
    }

    /// Waits until all commands have ended, and leaves them zombies. To be called as
    /// [`Workload::wait`] is, and it does the same for each: a signal goes to the group
    /// of every command that has not ended by itself.
    ///
    /// # Errors
    /// When the kernel does not let us wait, or `/proc` cannot be read.
    pub async fn wait(&mut self) -> io::Result<()> {
        let Self { members, signals, stops } = self;
        loop {
            tokio::select! {
                all = all_ended(members) => return all,
                signal = signals.next() => {
                    members.iter_mut().filter(|member| !member.is_let_go()).for_each(|member| member.pass(signal));
                }
                _ = stops.next() => stop_all(members),
            }
        }
    }

    /// Asks all that have not ended to end; see [`Workload::terminate`].
    pub fn terminate(&mut self, grace: Duration) {
        self.members.iter_mut().filter(|member| !member.has_ended()).for_each(|member| member.terminate(grace));
    }

    /// Kills all, and says how each ended, with its pid.
    ///
    /// # Errors
    /// When the kernel does not let us wait.
    pub fn put_down(self) -> io::Result<Vec<(u32, Ended)>> {
        self.members.into_iter().map(|member| Ok((member.pid(), member.put_down()?))).collect()
    }

    /// Lets the kernel forget them; see [`Workload::reap`].
    ///
    /// # Errors
    /// When the kernel does not let us wait.
    pub fn reap(self) -> io::Result<()> {
        self.members.into_iter().try_for_each(Workload::reap)
    }
}

/// Waits for all at once: each passes time limits on by itself while it is waited for.
async fn all_ended(members: &mut [Workload]) -> io::Result<()> {
    let mut waits: Vec<Pin<Box<dyn Future<Output = io::Result<Ended>> + '_>>> =
        members.iter_mut().map(|member| Box::pin(member.wait()) as _).collect();
    poll_fn(|context| {
        let mut failed = None;
        waits.retain_mut(|wait| match wait.as_mut().poll(context) {
            Poll::Pending => true,
            Poll::Ready(ended) => {
                failed = ended.err().or(failed.take());
                false
            }
        });
        match failed {
            Some(error) => Poll::Ready(Err(error)),
            None if waits.is_empty() => Poll::Ready(Ok(())),
            None => Poll::Pending,
        }
    })
    .await
}

/// Ctrl-Z: stops all, then us, so that the shell above sees one job stopped; all go on
/// when we do. Nothing where no shell could resume us.
fn stop_all(members: &[Workload]) {
    if job::is_orphaned(Path::new("/proc")) {
        return;
    }
    let running = || members.iter().filter(|member| !member.has_ended());
    running().for_each(|member| member.send(Signal::TSTP));
    job::stop_own_group(Signal::TSTP);
    running().for_each(|member| member.send(Signal::CONT));
}
