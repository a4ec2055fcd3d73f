//! Those that watch the scheduler.

use clap::ValueEnum;

/// Who is attached while a load runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contender {
    /// Nobody.
    Nothing,
    /// Nobody, once more: their difference is the noise.
    Again,
    /// One of those that can be typed.
    Watcher(Watcher),
}

/// Contenders that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Watcher {
    /// Programs that do nothing, on the same three tracepoints
    Empty,
    /// collector run --all
    Ours,
    /// The same with --clock monotonic
    OursMonotonic,
    /// bcc's runqlat, from libbpf-tools
    Runqlat,
    /// runqlat.bt, which comes with bpftrace
    Bpftrace,
    /// perf sched record
    Perf,
}

impl Watcher {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Empty, Self::Ours, Self::OursMonotonic, Self::Runqlat, Self::Bpftrace, Self::Perf];

    /// Whether it consists of BPF programs, so that the kernel takes their run time.
    pub const fn has_programs(self) -> bool {
        !matches!(self, Self::Perf)
    }

    /// What its name stands for.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Empty => "empty programs",
            Self::Ours => "collector",
            Self::OursMonotonic => "collector --clock monotonic",
            Self::Runqlat => "runqlat (libbpf-tools)",
            Self::Bpftrace => "runqlat.bt (bpftrace)",
            Self::Perf => "perf sched record",
        }
    }

    /// The Debian package it is in.
    pub const fn package(self) -> Option<&'static str> {
        match self {
            Self::Empty | Self::Ours | Self::OursMonotonic => None,
            Self::Runqlat => Some("libbpf-tools"),
            Self::Bpftrace => Some("bpftrace"),
            Self::Perf => Some("linux-perf"),
        }
    }
}

impl Contender {
    /// Its name in a table.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Again => "nothing, once more",
            Self::Watcher(watcher) => watcher.what(),
        }
    }
}
