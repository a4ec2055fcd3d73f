//! The contract between the kernel programs and the agent.
//!
//! Everything here is `no_std`, does no I/O and is compiled twice: into the
//! kernel object and into the agent. What the kernel computes, it computes with
//! the functions of this crate, so that the same arithmetic is tested on the
//! host, by property tests against a brute-force model.
#![no_std]

#[cfg(test)]
extern crate std;

pub mod abi;
pub mod bucket;
pub mod clock;
pub mod cpu;
pub mod proof;
pub mod recent;
pub mod runq;
pub mod top;
