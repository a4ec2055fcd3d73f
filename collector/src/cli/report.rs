//! `collector report`.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use clap::{Parser, builder::RangedU64ValueParser};

use super::run::Format;
use crate::{
    output::{Exporter, Json, Loaded, Terminal, Text},
    record::read::Reader,
};

/// Print the report of a record
///
/// The same as at the end of `collector run`, without root, on any machine. A record
/// that was cut gives a report of what there is of it, and says so.
#[derive(Debug, Parser)]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// The record, as `collector run -o FILE.jsonl` wrote it; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Show the waits that ended on this CPU only
    #[arg(long, value_name = "N")]
    cpu: Option<u32>,
    /// Columns of the text, 72 to 160 [default: the terminal's, 100 in a pipe or file]
    #[arg(long, value_name = "COLUMNS", value_parser = RangedU64ValueParser::<usize>::new().range(72..=160))]
    width: Option<usize>,
}

/// Prints the report to standard output. A reader that closes the pipe early has
/// seen enough: that is success.
///
/// # Errors
///
/// One sentence, if the record cannot be read or the report not be written.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let loaded = Loaded::read(Reader::open(&args.file)?)?;
    let mut stdout = io::stdout().lock();
    let exporter: Box<dyn Exporter> = match args.format {
        Format::Json => Box::new(Json { cpu: args.cpu }),
        Format::Text => {
            let terminal = Terminal::of(&stdout);
            let terminal = args.width.map_or(terminal, |width| terminal.with_width(width));
            Box::new(Text { terminal, cpu: args.cpu })
        }
    };
    let bytes = exporter.render(&loaded.report())?;
    match stdout.write_all(&bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(anyhow::anyhow!("the report cannot be written to standard output: {error}")),
        Ok(()) => Ok(()),
    }
}
