//! What this machine is and what it allows.
//!
//! Functions that read files take `root`, the directory under which `proc` and
//! `sys` lie: `/` in use, a made-up tree in tests. What is missing becomes
//! [`crate::record::Measured::NotMeasured`] with the reason, never a number.

pub mod cgroup;
pub mod clock;
pub mod container;
pub mod core_sched;
pub mod cpuinfo;
pub mod cpulist;
pub mod kernel;
pub mod llc;
pub mod machine;
pub mod own;
pub mod pidns;
pub mod proc_stat;
pub mod read;
pub mod rights;
pub mod schedstat;
pub mod smt;
pub mod status;
pub mod topology;

pub use cpulist::CpuList;
pub use machine::machine;
pub use read::ReadError;

#[cfg(test)]
pub(crate) mod fixture;
