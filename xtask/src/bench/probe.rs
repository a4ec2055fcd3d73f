//! Where fields lie in the running kernel, found by the collector's own two files:
//! the clocks are compared by what the collector would do.

#[path = "../../../collector/src/probe/btf.rs"]
#[allow(dead_code, reason = "the agent reads more of it")]
pub mod btf;
#[path = "../../../collector/src/probe/layout.rs"]
#[allow(dead_code, reason = "the agent reads more of it")]
pub mod layout;

pub use btf::KernelTypes;
pub use layout::Layout;
