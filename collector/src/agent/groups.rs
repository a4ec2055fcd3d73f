//! Several commands side by side: `collector run --group NAME=CMD …`.

use std::ffi::OsString;

use super::{
    config::Group,
    target::{exit_code, reason},
};
use crate::{
    record::{self, EndReason, GroupEnd, Measured, Target},
    workload::{DEFAULT_GRACE, Groups, SpawnError, Spec, Workload},
};

/// The commands that run.
pub struct Side {
    names: Vec<String>,
    groups: Groups,
}

/// One of the commands could not be started, so none is to run.
#[derive(Debug, thiserror::Error)]
#[error("group {name}")]
pub struct NotStarted {
    name: String,
    source: SpawnError,
    /// What became of each.
    pub ends: Vec<GroupEnd>,
}

/// The record's word for it.
pub fn describe(groups: &[Group], user: Option<&str>) -> Target {
    let group = |group: &Group| record::Group {
        name: group.name.clone(),
        command: group.command.to_string_lossy().into_owned(),
    };
    Target::Groups { groups: groups.iter().map(group).collect(), user: user.map(str::to_owned) }
}

impl Side {
    /// Starts one after the other, `spec` with the arguments of each. `begin` is called
    /// before each, with its place in the order given.
    ///
    /// # Errors
    ///
    /// [`NotStarted`] within, if one cannot be started; those before it are killed.
    pub fn start(groups: &[Group], spec: Spec, mut begin: impl FnMut(usize)) -> anyhow::Result<Self> {
        let mut side =
            Self { names: groups.iter().map(|group| group.name.clone()).collect(), groups: Groups::install()? };
        for (index, group) in groups.iter().enumerate() {
            begin(index);
            let argv = vec![OsString::from("sh"), OsString::from("-c"), group.command.clone()];
            if let Err(source) = side.groups.spawn(&Spec { argv, ..spec.clone() }) {
                return Err(side.not_started(index, source).into());
            }
        }
        Ok(side)
    }

    fn not_started(self, failed: usize, source: SpawnError) -> NotStarted {
        let name = self.names.get(failed).cloned().unwrap_or_default();
        let put_down = self.groups.put_down().unwrap_or_else(|error| {
            tracing::warn!("the groups before {name} could not be waited for: {error}");
            Vec::new()
        });
        let end = |(index, group): (usize, &String)| match put_down.get(index) {
            Some(&(pid, ended)) => end(group, reason(ended), Measured::Value(pid)),
            None => {
                let (reason, exit_code) = if index == failed {
                    (source.to_string(), source.exit_code())
                } else {
                    (format!("group {name} could not be started"), 125)
                };
                end(group, EndReason::NotStarted { reason, exit_code }, Measured::not("it was not started"))
            }
        };
        let ends = self.names.iter().enumerate().map(end).collect();
        NotStarted { name, source, ends }
    }

    /// Waits for the end of all. May be dropped half-way and called again. The reason is that
    /// of the group whose exit code is the run's.
    ///
    /// # Errors
    ///
    /// If the kernel does not let us wait.
    pub async fn ended(&mut self) -> anyhow::Result<EndReason> {
        self.groups.wait().await?;
        let ends = self.ends();
        let told = ends.iter().find(|end| end.exit_code != 0).or(ends.first());
        Ok(told.map_or(EndReason::Exited { code: 0 }, |end| end.reason.clone()))
    }

    /// How each ended; those that have not are cut.
    pub fn ends(&self) -> Vec<GroupEnd> {
        let of = |(name, member): (&String, &Workload)| {
            end(name, member.how_ended().map_or(EndReason::TimeCap, reason), Measured::Value(member.pid()))
        };
        self.names.iter().zip(self.groups.members()).map(of).collect()
    }

    /// Ends those that still run, first asking, then killing after a grace, and lets the
    /// kernel forget all.
    pub async fn done(mut self) {
        self.groups.terminate(DEFAULT_GRACE);
        let ended = match self.groups.wait().await {
            Ok(()) => self.groups.reap(),
            Err(error) => Err(error),
        };
        if let Err(error) = ended {
            tracing::warn!("the groups could not be waited for: {error}");
        }
    }
}

fn end(name: &str, reason: EndReason, root_pid: Measured<u32>) -> GroupEnd {
    GroupEnd { name: name.to_owned(), exit_code: exit_code(&reason, true), reason, root_pid }
}

/// The exit code of the collector: that of the first group whose own is not 0, or of how
/// the run ended where nothing was started or there are no groups.
pub fn run_exit_code(ends: &[GroupEnd], reason: &EndReason, command: bool) -> i32 {
    match reason {
        EndReason::NotStarted { exit_code, .. } => *exit_code,
        _ if ends.is_empty() => exit_code(reason, command),
        _ => ends.iter().map(|end| end.exit_code).find(|&code| code != 0).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(reasons: &[EndReason]) -> Vec<GroupEnd> {
        reasons.iter().map(|reason| end("x", reason.clone(), Measured::Value(1))).collect()
    }

    #[test]
    fn the_first_that_is_not_0_counts() {
        let exited = |code| EndReason::Exited { code };
        let code = |reasons: &[EndReason], run: EndReason| run_exit_code(&ends(reasons), &run, true);
        assert_eq!(code(&[exited(0), exited(0)], exited(0)), 0);
        assert_eq!(code(&[exited(0), exited(4), exited(3)], exited(4)), 4);
        assert_eq!(code(&[exited(0), EndReason::Signaled { signal: 9 }], exited(0)), 137);
        assert_eq!(code(&[exited(0), EndReason::TimeCap], EndReason::TimeCap), 124);
        assert_eq!(code(&[exited(3), EndReason::TimeCap], EndReason::TimeCap), 3);
        assert_eq!(code(&[], EndReason::TimeCap), 124);
        let not_started = EndReason::NotStarted { reason: String::new(), exit_code: 126 };
        assert_eq!(code(&[EndReason::Signaled { signal: 9 }, not_started.clone()], not_started), 126);
    }
}
