//! The histogram, drawn.

use unicode_width::UnicodeWidthStr;

use super::{
    Page, class_name,
    rows::{self, Range},
    style::Style,
};
use crate::{
    output::{
        Terminal,
        number::{duration, percent},
    },
    record::{Hist, TaskClass},
};

/// Width of `100.0`.
const SHARE: usize = 5;
/// Between columns.
const GAP: &str = "  ";

/// What is drawn of one class, beside the others.
struct Panel {
    name: &'static str,
    style: Style,
    counts: Vec<u64>,
    digits: usize,
}

impl Panel {
    fn new(class: TaskClass, hist: &Hist, ranges: &[Range]) -> Self {
        let counts = rows::counts(hist, ranges);
        let name = class_name(class);
        let most = counts.iter().max().map_or(0, |count| count.to_string().len());
        let style = if class == TaskClass::Workload { Style::Workload } else { Style::Others };
        Self { name, style, counts, digits: most.max(name.len()) }
    }

    /// Columns beside those of the bar.
    fn fixed(&self) -> usize {
        GAP.len() + self.digits + GAP.len() + SHARE + GAP.len()
    }

    fn heading(&self, width: usize) -> String {
        let heading = format!("{GAP}{:>digits$}{GAP}cum %{GAP}", self.name, digits = self.digits);
        format!("{heading}{}", " ".repeat(width))
    }

    fn row(&self, index: usize, width: usize, terminal: Terminal) -> String {
        let total = sum(&self.counts);
        let count = self.counts.get(index).copied().unwrap_or(0);
        let so_far = sum(self.counts.get(..=index).unwrap_or_default());
        let most = self.counts.iter().copied().max().unwrap_or(0);
        let bar = bar(count, most, width, terminal.unicode);
        let blank = " ".repeat(width.saturating_sub(bar.width()));
        let cumulative = cumulative(so_far, total);
        let bar = self.style.paint(&bar, terminal);
        format!("{GAP}{count:>digits$}{GAP}{cumulative:>SHARE$}{GAP}{bar}{blank}", digits = self.digits)
    }
}

fn sum(counts: &[u64]) -> u64 {
    counts.iter().fold(0, |sum: u64, &count| sum.saturating_add(count))
}

/// The share so far; 100 and 0 only where it is all and none.
fn cumulative(so_far: u64, total: u64) -> String {
    if so_far == total {
        return "100.0".to_owned();
    }
    match percent(so_far as f64 / total as f64, 1) {
        text if text == "100.0" => "99.9".to_owned(),
        text if text == "0.0" && so_far > 0 => "<0.1".to_owned(),
        text => text,
    }
}

/// A bar of at most `width` columns; whatever is not 0 can be seen.
fn bar(count: u64, most: u64, width: usize, unicode: bool) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if count == 0 || most == 0 {
        return String::new();
    }
    let length = count as f64 / most as f64 * width as f64;
    if !unicode {
        let whole = length.round() as usize;
        return if whole == 0 { ".".to_owned() } else { "#".repeat(whole.min(width)) };
    }
    let eighths = ((length * 8.0).round() as usize).clamp(1, width.max(1) * 8);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

fn label(range: &Range, terminal: Terminal) -> (String, String) {
    let from = duration(range.from as f64, terminal);
    match range.to {
        Some(to) => (from, format!("to {:>7}", duration(to as f64, terminal))),
        None => (from, "and more".to_owned()),
    }
}

pub(super) fn lines(page: &Page<'_>) -> Vec<String> {
    let (_, by_class) = page.waits();
    let classes: Vec<(TaskClass, &Hist)> = page
        .classes()
        .iter()
        .filter(|&&class| class != TaskClass::Collector)
        .map(|&class| (class, by_class.of(class)))
        .collect();
    let mut out = vec![page.heading(&format!("Distribution of run-queue latency, {}", page.place()))];
    let drawn: Vec<(TaskClass, &Hist)> = classes.iter().copied().filter(|(_, hist)| !hist.is_empty()).collect();
    let all: Vec<&Hist> = drawn.iter().map(|&(_, hist)| hist).collect();
    let ranges = rows::ranges(&all);
    let panels: Vec<Panel> = drawn.iter().map(|&(class, hist)| Panel::new(class, hist, &ranges)).collect();
    out.push(sizes(page, &classes));
    if panels.is_empty() {
        return out;
    }

    let labels: Vec<(String, String)> = ranges.iter().map(|range| label(range, page.terminal)).collect();
    let (left, right) = labels.iter().fold((0, 0), |(l, r), (from, to)| (l.max(from.width()), r.max(to.width())));
    let range_width = left + 1 + right;
    let fixed: usize = panels.iter().map(Panel::fixed).sum();
    let width = (page.terminal.width.saturating_sub(range_width + fixed) / panels.len()).max(4);

    let mut head = format!("{:<range_width$}", "latency");
    for panel in &panels {
        head.push_str(&panel.heading(width));
    }
    out.push(Style::Dim.paint(head.trim_end(), page.terminal));
    for (index, (from, to)) in labels.iter().enumerate() {
        let pad = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.width()));
        let mut line = format!("{}{from} {to}{}", pad(from, left), pad(to, right));
        for panel in &panels {
            line.push_str(&panel.row(index, width, page.terminal));
        }
        line.truncate(line.trim_end().len());
        out.push(line);
    }
    out
}

/// How many waits there are, drawn or not.
fn sizes(page: &Page<'_>, classes: &[(TaskClass, &Hist)]) -> String {
    let size = |(class, hist): &(TaskClass, &Hist)| match hist.n() {
        0 => format!("{}: no samples", class_name(*class)),
        n => format!("{}: n = {n}", class_name(*class)),
    };
    let mut sizes: Vec<String> = classes.iter().map(size).collect();
    match page.waits().1.of(TaskClass::Collector).n() {
        0 => {}
        n => sizes.push(format!("not drawn: the collector's own {n}")),
    }
    sizes.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fill_the_width_and_show_the_least() {
        assert_eq!(bar(8, 8, 4, true), "████");
        assert_eq!(bar(5, 8, 4, true), "██▌");
        assert_eq!(bar(1, u64::MAX, 4, true), "▏");
        assert_eq!(
            (bar(8, 8, 4, false), bar(1, 100, 4, false), bar(0, 8, 4, false)),
            ("####".into(), ".".into(), "".into())
        );
    }

    #[test]
    fn a_cumulative_share_is_whole_only_when_it_is() {
        assert_eq!(cumulative(10_000, 10_000), "100.0");
        assert_eq!(
            (cumulative(9_999, 10_000), cumulative(1, 10_000), cumulative(0, 10_000)),
            ("99.9".into(), "<0.1".into(), "0.0".into())
        );
    }
}
