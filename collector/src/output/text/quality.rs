//! Whether the record can be trusted, and what says otherwise.

use unicode_width::UnicodeWidthStr;

use super::{Page, prose::wrapped, style::Style};
use crate::{
    engine::quality::{Concern, Weight},
    output::number::count,
};

pub(super) fn lines(page: &Page<'_>) -> Vec<String> {
    let concerns = &page.report.summary.concerns;
    let mut out = vec![verdict(page, concerns)];
    for concern in concerns {
        let (word, style) = match concern.weight {
            Weight::Warning => ("warning", Style::Bad),
            Weight::Note => ("note", Style::Dim),
        };
        let mut lines = wrapped(&format!("  {word:<7}  "), &page.safe(&concern.what), page.terminal.width);
        if let Some(remedy) = &concern.remedy {
            let remedy = page.safe(remedy);
            let room = lines.last().map_or(0, |line| page.terminal.width.saturating_sub(line.width()));
            match lines.last_mut().filter(|_| remedy.width() + 2 <= room) {
                Some(last) => last.push_str(&format!("; {remedy}")),
                None => lines.extend(wrapped("           ", &remedy, page.terminal.width)),
            }
        }
        if let Some(first) = lines.first_mut() {
            *first = first.replacen(word, &style.paint(word, page.terminal), 1);
        }
        out.extend(lines);
    }
    out
}

/// One line. The reason is in it if it fits.
fn verdict(page: &Page<'_>, concerns: &[Concern]) -> String {
    let warnings: Vec<&Concern> = concerns.iter().filter(|concern| concern.weight == Weight::Warning).collect();
    let notes = (concerns.len() - warnings.len()) as u64;
    let label = page.heading("Quality:");
    let Some(first) = warnings.first() else {
        let good = Style::Good.paint("the record can be trusted", page.terminal);
        let notes = if notes > 0 { format!(", with {}", count(notes, "note", "notes")) } else { String::new() };
        return format!("{label} {good}{notes}");
    };
    let bad = Style::Bad.paint("the record cannot be trusted", page.terminal);
    let more = match warnings.len() as u64 - 1 {
        0 => String::new(),
        n => format!(" (and {})", count(n, "other warning", "other warnings")),
    };
    let why = format!("{}{more}", page.safe(&first.what));
    if "Quality: the record cannot be trusted: ".width() + why.width() <= page.terminal.width {
        format!("{label} {bad}: {why}")
    } else {
        format!("{label} {bad}, for {}", count(warnings.len() as u64, "reason", "reasons"))
    }
}
