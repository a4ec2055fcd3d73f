//! Own figures beside their witnesses.

use super::{
    Page,
    prose::Notes,
    style::Style,
    table::{Align, Table},
};
use crate::{
    engine::reconcile::{Check, Unit},
    output::number::{count, difference, percent},
};

/// What stands in one row.
struct Line<'a> {
    check: &'a Check,
    what: String,
    witness: String,
}

pub(super) fn lines(page: &Page<'_>) -> Vec<String> {
    let mut notes = Notes::default();
    let mut table = Table::new([
        ("Reconciliation".to_owned(), Align::Left),
        ("own".to_owned(), Align::Right),
        ("witness".to_owned(), Align::Right),
        ("difference".to_owned(), Align::Right),
        ("allowed".to_owned(), Align::Right),
        ("verdict".to_owned(), Align::Left),
    ]);
    let mut points = false;
    let lines = condensed(&page.report.summary.checks);
    for (index, line) in lines.iter().enumerate() {
        let check = line.check;
        let unit = if check.cpu.is_some() { " pt" } else { " %" };
        points |= check.cpu.is_some() && check.difference.value().is_some();
        let (verdict, style) = match check.agrees() {
            Some(true) => ("agrees", Style::Plain),
            Some(false) => ("DIFFERS", Style::Bad),
            None => ("unknown", Style::Plain),
        };
        let pair = |notes: &mut Notes, pick: fn(&(u64, u64)) -> u64| {
            notes.cell(&check.values, |values| figure(pick(values), check.unit))
        };
        let own = pair(&mut notes, |values| values.0);
        let witness = pair(&mut notes, |values| values.1);
        let cells = [
            line.what.clone(),
            own,
            witness,
            notes.cell(&check.difference, |&share| format!("{}{unit}", difference(share))),
            format!("{}{unit}", percent(check.tolerance, 2)),
            verdict.to_owned(),
        ];
        // Once below rows that have the same.
        let next = lines.get(index + 1).map(|line| &line.witness);
        let below = (next != Some(&line.witness)).then(|| Style::Dim.paint(&line.witness, page.terminal));
        table.styled(cells, style, below);
    }
    let gap = if table.width(2) > page.terminal.width { 1 } else { 2 };
    if table.width(gap) > page.terminal.width {
        table.remove("allowed");
    }
    let mut out = table.lines(page.terminal, gap);
    if let Some(first) = out.first_mut() {
        *first = first.replacen("Reconciliation", &page.heading("Reconciliation"), 1);
    }
    out.extend(notes.lines(page.terminal));
    if points {
        out.push(Style::Dim.paint("pt: points, per cent of one CPU", page.terminal));
    }
    out
}

fn figure(value: u64, unit: Unit) -> String {
    match unit {
        Unit::Count => value.to_string(),
        Unit::Nanoseconds => format!("{:.1}", value as f64 / 1e6),
    }
}

/// All checks, those of single CPUs condensed: each that is off, else the one that
/// is closest to it, and one for those that could not be made.
fn condensed(checks: &[Check]) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut told = false;
    for check in checks {
        if check.cpu.is_none() {
            lines.push(Line::of(check, check.what.clone(), ""));
        } else if !told {
            // All at the place of the first.
            told = true;
            lines.extend(of_cpus(checks.iter().filter(|check| check.cpu.is_some()).collect()));
        }
    }
    lines
}

fn of_cpus(checks: Vec<&Check>) -> Vec<Line<'_>> {
    let (compared, absent): (Vec<&Check>, Vec<&Check>) =
        checks.into_iter().partition(|check| check.difference.value().is_some());
    let off: Vec<&Check> = compared.iter().copied().filter(|check| check.agrees() == Some(false)).collect();
    let size = |check: &Check| check.difference.value().map_or(0.0, |share| share.abs());
    let mut lines: Vec<Line<'_>> = if off.is_empty() {
        let worst = compared.iter().copied().max_by(|a, b| size(a).total_cmp(&size(b)));
        let remark = format!("; the worst of {}", count(compared.len() as u64, "CPU", "CPUs"));
        worst.map(|check| Line::of(check, check.what.clone(), &remark)).into_iter().collect()
    } else {
        let remark = format!("; {} of {} CPUs differ", off.len(), compared.len());
        off.into_iter().map(|check| Line::of(check, check.what.clone(), &remark)).collect()
    };
    // A row for each reason.
    let mut absent = absent;
    while let Some(&first) = absent.first() {
        let same = |check: &&Check| check.difference.reason() == first.difference.reason();
        let what = match absent.iter().copied().filter(|check| same(check)).count() {
            1 => first.what.clone(),
            n => format!("idle time of {n} CPUs"),
        };
        lines.push(Line::of(first, what, ""));
        absent.retain(|check| !same(check));
    }
    lines
}

impl<'a> Line<'a> {
    fn of(check: &'a Check, what: String, remark: &str) -> Self {
        let unit = match check.unit {
            Unit::Count => "",
            Unit::Nanoseconds => ", ms",
        };
        Self { check, what: format!("{what}{unit}"), witness: format!("  against {}{remark}", check.witness) }
    }
}
