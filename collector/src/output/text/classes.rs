//! Totals of workload, others and collector, side by side.

use super::{
    Page, class_name,
    prose::Notes,
    table::{Align, Table},
};
use crate::{engine::hist::PERCENTILES, output::number::micros_alone, record::Hist};

pub(super) fn lines(page: &Page<'_>) -> Vec<String> {
    let (all, by_class) = page.waits();
    if all.is_empty() {
        return Vec::new();
    }
    let mut columns: Vec<(&str, &Hist)> =
        page.classes().iter().map(|&class| (class_name(class), by_class.of(class))).collect();
    columns.push(("all", all));

    let mut notes = Notes::default();
    let headings = columns.iter().map(|(name, _)| ((*name).to_owned(), Align::Point));
    let mut table = Table::new([(String::new(), Align::Left)].into_iter().chain(headings));
    table.row(["waits".to_owned()].into_iter().chain(columns.iter().map(|(_, hist)| hist.n().to_string())));
    let mut row = |name: &str, figure: &dyn Fn(&Hist) -> Option<f64>| {
        let cells: Vec<String> =
            columns.iter().map(|(_, hist)| figure(hist).map_or_else(|| notes.no_samples(), micros_alone)).collect();
        table.row([name.to_owned()].into_iter().chain(cells));
    };
    row("total", &|hist| hist.mean_ns().map(|_| hist.sum_ns as f64));
    row("mean", &Hist::mean_ns);
    row("min", &|hist| hist.min().map(|ns| ns as f64));
    for percent in PERCENTILES {
        row(&format!("p{percent}"), &|hist| hist.percentile(percent).map(|ns| ns as f64));
    }
    row("max", &|hist| hist.max().map(|ns| ns as f64));

    let mut out =
        vec![page.heading(&format!("Run-queue latency by class of task, {}, {}", page.place(), page.terminal.us()))];
    out.extend(table.lines(page.terminal, 3));
    out.extend(notes.lines(page.terminal));
    out
}
