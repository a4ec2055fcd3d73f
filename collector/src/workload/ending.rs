//! How far the ending of a workload's group has come.

use std::future::pending;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

/// How often members that outlive the command are looked at while they are ending.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How long a killed group may take to vanish: only a member stuck in the kernel takes
/// that long, and waiting for it would not help.
const KILLED_GRACE: Duration = Duration::from_secs(1);

/// How far ending the group has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Nobody asked us to.
    No,
    /// SIGTERM was sent; SIGKILL follows then.
    Asked(Instant),
    /// SIGKILL was sent; no waiting beyond this.
    Killed(Instant),
}

impl Ending {
    /// SIGTERM is sent now.
    pub(super) fn asked(now: Instant, grace: Duration) -> Self {
        // A grace beyond what the clock can count is one for ever, or near it.
        Self::Asked(now.checked_add(grace).unwrap_or(now + Duration::from_secs(u64::from(u32::MAX))))
    }

    /// SIGKILL is sent now.
    pub(super) fn killed(now: Instant) -> Self {
        Self::Killed(now + KILLED_GRACE)
    }

    /// Whether the grace is over.
    pub(super) fn kill_is_due(self, now: Instant) -> bool {
        matches!(self, Self::Asked(kill_at) if now >= kill_at)
    }

    /// Whether members that outlive the command are waited for.
    pub(super) fn waits_for_others(self, now: Instant) -> bool {
        match self {
            Self::No => false,
            Self::Asked(_) => true,
            Self::Killed(until) => now < until,
        }
    }

    /// Sleeps until something is to be looked at again that no signal tells of.
    pub(super) async fn next_look(self, command_ended: bool) {
        match self {
            _ if command_ended => sleep(LOOK_EVERY).await,
            Self::Asked(kill_at) => sleep_until(kill_at).await,
            Self::No | Self::Killed(_) => pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_grace_is_given_and_no_more() {
        let now = Instant::now();
        let asked = Ending::asked(now, SECOND);
        assert!(!asked.kill_is_due(now) && asked.waits_for_others(now));
        assert!(asked.kill_is_due(now + SECOND) && asked.waits_for_others(now + SECOND));
        assert!(!Ending::asked(now, Duration::MAX).kill_is_due(now + SECOND));
    }

    #[test]
    fn the_killed_are_not_waited_for_for_ever() {
        let now = Instant::now();
        let killed = Ending::killed(now);
        assert!(killed.waits_for_others(now) && !killed.waits_for_others(now + KILLED_GRACE));
        assert!(!killed.kill_is_due(now + KILLED_GRACE));
    }

    #[test]
    fn nobody_is_waited_for_unasked() {
        let now = Instant::now();
        assert!(!Ending::No.waits_for_others(now) && !Ending::No.kill_is_due(now));
    }
}
