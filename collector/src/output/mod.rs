//! Reports: what is in a record, for a person or for a program.
//!
//! A report is made from the record alone, so `collector run` and, later and
//! elsewhere, `collector report` print the same.

pub mod json;
mod number;
pub mod terminal;
pub mod text;

pub use json::Json;
pub use terminal::Terminal;
pub use text::Text;

use crate::{
    engine::{
        build::SummaryBuilder,
        summary::{CpuSummary, Summary},
    },
    host::cpulist::CpuList,
    record::{Header, ReadError, Trailer, read::Reader},
};

/// What a report is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report<'a> {
    /// What ran, on what.
    pub header: &'a Header,
    /// What it comes to.
    pub summary: &'a Summary,
    /// How it ended; none in a record that was cut.
    pub trailer: Option<&'a Trailer>,
}

impl<'a> Report<'a> {
    /// The CPU of that number, which must be one that the record knows.
    ///
    /// # Errors
    ///
    /// One sentence that says which CPUs there are.
    pub fn cpu(&self, number: u32) -> anyhow::Result<&'a CpuSummary> {
        let cpus = &self.summary.cpus;
        if let Some(cpu) = cpus.iter().find(|cpu| cpu.cpu == number) {
            return Ok(cpu);
        }
        if cpus.is_empty() {
            anyhow::bail!("there is no CPU {number} in this record, which has no frame outside the warm-up");
        }
        let there: CpuList = cpus.iter().map(|cpu| cpu.cpu).collect();
        anyhow::bail!("there is no CPU {number} in this record; it has {there}")
    }
}

/// A record, summed up.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    header: Header,
    summary: Summary,
    trailer: Option<Trailer>,
}

impl Loaded {
    /// Reads a record to its end. Frames are summed up as they come, none is kept.
    ///
    /// # Errors
    ///
    /// One sentence, where it cannot be read or is no record.
    pub fn read(mut reader: Reader) -> Result<Self, ReadError> {
        let mut builder = SummaryBuilder::new();
        while let Some(frame) = reader.frame()? {
            builder.add(&frame);
        }
        let (header, trailer) = reader.into_ends();
        let summary = builder.finish(&header, trailer.as_ref());
        Ok(Self { header, summary, trailer })
    }

    /// What a report is made of.
    pub const fn report(&self) -> Report<'_> {
        Report { header: &self.header, summary: &self.summary, trailer: self.trailer.as_ref() }
    }
}

/// The formats there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON document.
    Json,
}

/// The report in a format. `terminal` is the one it is shown on, none for a file.
///
/// # Errors
///
/// Where a value cannot be written in the format.
pub fn render(format: Format, report: &Report<'_>, terminal: Option<&Terminal>) -> anyhow::Result<Vec<u8>> {
    match format {
        Format::Text => Text { terminal: terminal.copied().unwrap_or_default(), cpu: None }.render(report),
        Format::Json => Json { cpu: None }.render(report),
    }
}

/// Turns a report into the bytes of a format.
pub trait Exporter {
    /// The whole document, line break at its end included.
    ///
    /// # Errors
    ///
    /// Where a value cannot be written in the format, or a part was asked for that the
    /// record has not.
    fn render(&self, report: &Report<'_>) -> anyhow::Result<Vec<u8>>;
}
