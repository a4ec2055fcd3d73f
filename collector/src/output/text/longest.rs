//! The longest waits, and who ran meanwhile.

use super::{
    Page, class_name,
    prose::{Notes, wrapped},
    style::Style,
    table::{Align, Table},
};
use crate::{
    output::number::{count, decimals, micros, percent},
    record::{LongWait, Measured},
};

/// How many are shown.
const MOST: usize = 10;

pub(super) fn lines(page: &Page<'_>) -> Vec<String> {
    let summary = &page.report.summary;
    let here = |wait: &&LongWait| page.cpu.is_none_or(|cpu| cpu.cpu == wait.cpu);
    let (inside, outside): (Vec<&LongWait>, Vec<&LongWait>) =
        summary.longest.iter().filter(here).partition(|wait| wait.end_ns >= summary.start_ns);
    let shown: Vec<&LongWait> = inside.into_iter().take(MOST).collect();
    let mut out = vec![page.heading(&match (shown.len(), page.cpu) {
        (0, None) => "The longest waits".to_owned(),
        (1, None) => "The longest wait".to_owned(),
        (n, None) => format!("The {n} longest waits"),
        (_, Some(cpu)) => format!("The longest waits of the machine, those that ended on CPU {}", cpu.cpu),
    })];
    if !outside.is_empty() {
        // They were longer, so that there may be others of the window that they pushed out.
        let text = format!("{} of the warm-up left out", count(outside.len() as u64, "longer wait", "longer waits"));
        out.push(Style::Dim.paint(&text, page.terminal));
    }
    if shown.is_empty() {
        out.push(if summary.waits.is_empty() { "no samples" } else { "none" }.to_owned());
        return out;
    }

    let mut notes = Notes::default();
    let mut table = table(page, &shown, &mut notes, true);
    let gap = if table.width(2) > page.terminal.width { 1 } else { 2 };
    if table.width(gap) > page.terminal.width {
        table.remove("share %");
    }
    if table.width(gap) > page.terminal.width {
        table = self::table(page, &shown, &mut notes, false);
        out.extend(table.lines(page.terminal, 2));
    } else {
        out.extend(table.lines(page.terminal, gap));
    }
    out.extend(notes.lines(page.terminal));
    let legend = "from: start of the wait since the window was opened; ran meanwhile: the task that ran longest on \
                  that CPU during the wait";
    out.extend(wrapped("", legend, page.terminal.width).iter().map(|line| Style::Dim.paint(line, page.terminal)));
    out
}

/// With a line a wait, or with what ran meanwhile on a second one.
fn table(page: &Page<'_>, waits: &[&LongWait], notes: &mut Notes, wide: bool) -> Table {
    let us = page.terminal.us();
    let mut columns = vec![
        (format!("wait {us}"), Align::Right),
        ("task".to_owned(), Align::Left),
        ("class".to_owned(), Align::Left),
        ("CPU".to_owned(), Align::Left),
        ("from s".to_owned(), Align::Right),
    ];
    if wide {
        columns.extend([
            ("ran meanwhile".to_owned(), Align::Left),
            (format!("for {us}"), Align::Right),
            ("share %".to_owned(), Align::Right),
        ]);
    }
    let mut table = Table::new(columns);
    let waited = decimals(waits.iter().map(|wait| wait.wait_ns as f64));
    let ran = decimals(waits.iter().filter_map(|wait| wait.ran_ns.value().map(|&ns| ns as f64)));
    for wait in waits {
        let begin = wait.end_ns.saturating_sub(wait.wait_ns).saturating_sub(page.report.summary.start_ns);
        let mut cells = vec![
            micros(wait.wait_ns as f64, waited),
            page.task(&wait.comm, wait.pid),
            class_name(wait.class).to_owned(),
            place(wait, page),
            format!("{:.3}", begin as f64 / 1e9),
        ];
        let who = who(wait, page, notes);
        let how_long = notes.cell(&wait.ran_ns, |&ns| micros(ns as f64, ran));
        let share = notes.cell(&wait.ran_ns, |&ns| share(ns, wait.wait_ns));
        let below = if wide {
            cells.extend([who, how_long, share]);
            None
        } else {
            let unit = if wait.ran_ns.value().is_some() { format!(" {us} ({share} %)") } else { String::new() };
            Some(format!("    ran meanwhile: {who} for {how_long}{unit}"))
        };
        table.styled(cells, Style::Plain, below);
    }
    table
}

/// The CPU, and where the wait began if that was another.
fn place(wait: &LongWait, page: &Page<'_>) -> String {
    let arrow = if page.terminal.unicode { "→" } else { ">" };
    if wait.from_cpu == wait.cpu { wait.cpu.to_string() } else { format!("{}{arrow}{}", wait.from_cpu, wait.cpu) }
}

/// The task that ran longest, or the one that ran last where that is all there is to know.
fn who(wait: &LongWait, page: &Page<'_>, notes: &mut Notes) -> String {
    match (&wait.ran_ns, &wait.ran_comm) {
        (Measured::NotMeasured(_), _) => format!("last {}", page.task(&wait.last_comm, wait.last_pid)),
        (Measured::Value(_), Measured::Value(comm)) => page.task(comm, wait.ran_pid),
        (Measured::Value(_), Measured::NotMeasured(reason)) => format!("{}[{}]", notes.mark(reason), wait.ran_pid),
    }
}

fn share(ran_ns: u64, wait_ns: u64) -> String {
    if wait_ns == 0 { "100".to_owned() } else { percent((ran_ns as f64 / wait_ns as f64).min(1.0), 0) }
}
