//! The record of a run: JSON Lines, one header, a frame an interval, one trailer.
//!
//! Everything a report shows is in the record; nothing that is not in it is in a
//! report. Counts in a frame are those of that frame; the total of a run is the
//! sum of its frames.

mod check;
mod error;
mod frame;
mod header;
mod measured;
pub mod printable;
pub mod read;
pub mod schema;
mod trailer;
pub mod write;

pub use error::{Fault, ReadError};
pub use frame::{CpuFrame, Frame, Hist, LongWait, OwnCost, TaskClass, WaitsByClass};
pub use header::{
    ClockChoice, ClockKind, CpuPlace, Group, Header, HistogramParameters, Machine, MapMemory, Options, Probe,
    ProbeKind, Target, Tool, Verdict,
};
pub use measured::Measured;
pub use trailer::{EndReason, GroupEnd, OpenWait, OpenWaits, ProgramCost, Quality, Totals, Trailer};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the record's schema. It grows when a reader of the old one would
/// misunderstand the new one; fields that are only added leave it alone.
pub const SCHEMA_VERSION: u32 = 1;

/// One line of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Line {
    /// The first line.
    Header(Box<Header>),
    /// One interval.
    Frame(Box<Frame>),
    /// The last line; missing in a record that was cut.
    Trailer(Box<Trailer>),
}
