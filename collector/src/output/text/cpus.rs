//! The table with a row for each CPU.

use super::{
    Page,
    prose::{Notes, wrapped},
    style::Style,
    table::{Align, Table},
};
use crate::{
    engine::summary::CpuSummary,
    output::number::{decimals, micros, percent},
    record::{Hist, Measured},
};

/// Columns that are left out one by one where the table is too wide, and what they are called then.
const DISPENSABLE: [&str; 3] = ["p90", "mean", "p99.9"];

/// Durations of a histogram in the order of the columns, all or none.
fn durations(waits: &Hist) -> [Option<f64>; 6] {
    let percentile = |p: f64| waits.percentile(p).map(|ns| ns as f64);
    [
        waits.mean_ns(),
        percentile(50.0),
        percentile(90.0),
        percentile(99.0),
        percentile(99.9),
        waits.max().map(|ns| ns as f64),
    ]
}

const DURATIONS: [&str; 6] = ["mean", "p50", "p90", "p99", "p99.9", "max"];

/// One row to be.
struct Line<'a> {
    name: String,
    switches: u64,
    waits: &'a Hist,
    open: Measured<u64>,
    idle: Measured<f64>,
}

impl<'a> Line<'a> {
    fn of(cpu: &'a CpuSummary) -> Self {
        Self {
            name: cpu.cpu.to_string(),
            switches: cpu.counts.switches,
            waits: &cpu.waits,
            open: cpu.open.clone(),
            idle: cpu.idle_share(),
        }
    }

    fn of_all(page: &'a Page<'_>) -> Self {
        let summary = &page.report.summary;
        Self {
            name: "all".to_owned(),
            switches: summary.counts.switches,
            waits: &summary.waits,
            open: summary.open.clone().map(|open| open.count),
            idle: summary.idle_share(),
        }
    }
}

pub(super) fn lines(page: &Page<'_>) -> Vec<String> {
    let mut out = vec![page.heading(&format!("Run-queue latency by CPU, {}", page.terminal.us()))];
    let shown: Vec<&CpuSummary> = page.cpu.map_or_else(|| page.report.summary.cpus.iter().collect(), |cpu| vec![cpu]);
    if page.report.summary.cpus.is_empty() {
        out.push("no samples: there is no frame outside the warm-up".to_owned());
        return out;
    }
    let mut rows: Vec<Line<'_>> = shown.into_iter().map(Line::of).collect();
    rows.push(Line::of_all(page));

    let mut notes = Notes::default();
    let mut table = fill(&rows, &mut notes);
    let mut dropped = Vec::new();
    let mut gap = 2;
    if table.width(gap) > page.terminal.width {
        gap = 1;
    }
    for column in DISPENSABLE {
        if table.width(gap) > page.terminal.width {
            table.remove(column);
            dropped.push(column);
        }
    }
    if !dropped.is_empty() && table.width(2) <= page.terminal.width {
        gap = 2;
    }
    out.extend(table.lines(page.terminal, gap));
    out.extend(notes.lines(page.terminal));
    if !dropped.is_empty() {
        let text = format!("{} left out for want of room; --width 100 shows more", dropped.join(", "));
        out.extend(
            wrapped("", &text, page.terminal.width).into_iter().map(|line| Style::Dim.paint(&line, page.terminal)),
        );
    }
    out
}

fn fill(rows: &[Line<'_>], notes: &mut Notes) -> Table {
    let mut columns = vec!["CPU", "switches", "waits"];
    columns.extend(DURATIONS);
    columns.extend(["open", "idle %"]);
    let mut table = Table::new(columns.into_iter().map(|title| (title.to_owned(), Align::Right)));
    let all: Vec<[Option<f64>; 6]> = rows.iter().map(|row| durations(row.waits)).collect();
    let decimals: Vec<usize> =
        (0..DURATIONS.len()).map(|column| decimals(all.iter().filter_map(|row| row[column]))).collect();
    for (row, durations) in rows.iter().zip(&all) {
        let mut cells = vec![row.name.clone(), row.switches.to_string(), row.waits.n().to_string()];
        for (duration, &decimals) in durations.iter().zip(&decimals) {
            cells.push(duration.map_or_else(|| notes.no_samples(), |ns| micros(ns, decimals)));
        }
        cells.push(notes.cell(&row.open, u64::to_string));
        cells.push(notes.cell(&row.idle, |&share| percent(share, 1)));
        table.styled(cells, if row.name == "all" { Style::Bold } else { Style::Plain }, None);
    }
    table
}
