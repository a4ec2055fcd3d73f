//! The tables of one load.

use super::{
    contender::{Contender, Watcher},
    rounds::{Entrant, Results, ratios},
    stats::{Summary, summary},
    targets::{self, Verdicts},
};

use crate::table::Table;

/// What a table is about, the table, and the notes below it.
pub fn load(results: &Results, entrants: &[Entrant]) -> String {
    let mut table = Table::new(&[
        "attached",
        "ns a switch",
        "x empty",
        "x runqlat",
        "slowdown (CPU time)",
        "slowdown (wall clock)",
    ]);
    let mut notes = String::new();
    for entrant in entrants {
        let who = entrant.contender;
        table.row(vec![
            who.what().to_owned(),
            cell(cost(results, who), 0),
            cell(cost_ratio(results, who, Watcher::Empty), 2),
            cell(cost_ratio(results, who, Watcher::Runqlat), 2),
            cell(time_ratio(&results.cpu, who), 3),
            cell(time_ratio(&results.wall, who), 2),
        ]);
        for (what, note) in [("not run", &entrant.failure), ("ran", &entrant.note)] {
            if let Some(note) = note {
                notes.push_str(&format!("* {}: {what}: {}\n", who.what(), note.replace('\n', " ")));
            }
        }
        if who == Contender::Watcher(Watcher::Perf) && entrant.failure.is_none() {
            notes.push_str("* perf sched record: has no BPF programs whose run time the kernel could take\n");
        }
    }
    if !notes.is_empty() {
        notes.push('\n');
    }
    let rounds = results.cpu.values().chain(results.cost.values()).map(Vec::len).max().unwrap_or(0);
    format!("### `{}`, {rounds} rounds\n\n{}\n{notes}", results.sized.line(), table.render())
}

/// Which programs the time goes to.
pub fn programs(results: &Results) -> String {
    let mut table = Table::new(&["attached", "program", "runs a switch", "ns a run", "ns a switch"]);
    for (who, programs) in &results.programs {
        let switches = results.switches.get(who).copied().unwrap_or(0).max(1) as f64;
        for (name, runs) in programs.iter().filter(|(_, runs)| runs.count > 0) {
            table.row(vec![
                who.what().to_owned(),
                name.clone(),
                format!("{:.3}", runs.count as f64 / switches),
                format!("{:.0}", runs.ns as f64 / runs.count as f64),
                format!("{:.1}", runs.ns as f64 / switches),
            ]);
        }
    }
    format!("### `{}`, program by program\n\n{}\n", results.sized.line(), table.render())
}

/// The targets that one load answers.
pub fn verdicts(results: &Results, entrants: &[Entrant], name: &str, verdicts: &mut Verdicts) {
    let ours = Contender::Watcher(Watcher::Ours);
    let reason = |other: Watcher| {
        let failure = |who| entrants.iter().find(|entrant| entrant.contender == who)?.failure.clone();
        failure(ours)
            .or_else(|| failure(Contender::Watcher(other)))
            .unwrap_or_else(|| "not part of this run".to_owned())
    };
    let ratio = |to| cost_ratio(results, ours, to).map(|summary| summary.median).ok_or_else(|| reason(to));
    verdicts.add(format!("ns a switch, x empty, {name}"), targets::OF_EMPTY, ratio(Watcher::Empty), "");
    verdicts.add(format!("ns a switch, x runqlat, {name}"), targets::OF_RUNQLAT, ratio(Watcher::Runqlat), "");
    if name == "pipe" {
        let slowdown = time_ratio(&results.cpu, ours).map(|summary| summary.median);
        verdicts.add("slowdown, pipe", targets::SLOWDOWN, slowdown.ok_or_else(|| reason(Watcher::Ours)), "");
    }
}

fn cost(results: &Results, who: Contender) -> Option<Summary> {
    summary(results.cost.get(&who)?)
}

fn cost_ratio(results: &Results, who: Contender, to: Watcher) -> Option<Summary> {
    summary(&ratios(results.cost.get(&who), results.cost.get(&Contender::Watcher(to))))
}

fn time_ratio(times: &std::collections::BTreeMap<Contender, Vec<f64>>, who: Contender) -> Option<Summary> {
    if who == Contender::Nothing {
        return None;
    }
    summary(&ratios(times.get(&who), times.get(&Contender::Nothing)))
}

/// A median with its interval, where there is one.
fn cell(summary: Option<Summary>, digits: usize) -> String {
    match summary {
        None => String::new(),
        Some(Summary { median, interval: None, .. }) => format!("{median:.digits$}"),
        Some(Summary { median, interval: Some((low, high)), .. }) => {
            format!("{median:.digits$} ({low:.digits$}-{high:.digits$})")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::load::{Load, Sized};

    fn sample() -> (Results, Vec<Entrant>) {
        let mut results = Results::new(Sized { load: Load::Pipe, loops: 9, cpu: 1 });
        let watcher = Contender::Watcher;
        results.cost.insert(watcher(Watcher::Empty), vec![80.0, 82.0, 81.0]);
        results.cost.insert(watcher(Watcher::Ours), vec![160.0, 164.0, 200.0]);
        results.cpu.insert(Contender::Nothing, vec![1.0, 2.0, 1.0]);
        results.cpu.insert(Contender::Again, vec![1.0, 2.0, 1.01]);
        results.cpu.insert(watcher(Watcher::Ours), vec![1.1, 2.2, 1.3]);
        let failed =
            Entrant { failure: Some("runqlat is not installed".into()), ..Entrant::nothing(watcher(Watcher::Runqlat)) };
        let others = [Contender::Nothing, Contender::Again, watcher(Watcher::Empty), watcher(Watcher::Ours)];
        let entrants = others.into_iter().map(Entrant::nothing).chain([failed]).collect();
        (results, entrants)
    }

    #[test]
    fn a_table_has_a_row_for_everybody_and_a_reason_for_those_that_failed() {
        let (results, entrants) = sample();
        let text = load(&results, &entrants);
        assert!(text.starts_with("### `taskset -c 1 perf bench sched pipe -l 9`, 3 rounds\n"), "{text}");
        let row = |name: &str| text.lines().find(|line| line.starts_with(&format!("| {name} "))).unwrap_or_default();
        let cells = |name| row(name).split('|').map(str::trim).collect::<Vec<_>>();
        assert_eq!(cells("collector"), ["", "collector", "164", "2.00", "", "1.100", "", ""]);
        assert_eq!(cells("nothing, once more"), ["", "nothing, once more", "", "", "", "1.000", "", ""]);
        assert!(text.contains("* runqlat (libbpf-tools): not run: runqlat is not installed\n"), "{text}");
    }

    #[test]
    fn what_was_not_measured_is_not_a_verdict() {
        let (results, entrants) = sample();
        let mut all = Verdicts::default();
        verdicts(&results, &entrants, "pipe", &mut all);
        let table = all.table().render();
        assert!(table.contains("runqlat is not installed | not measured"), "{table}");
        assert_eq!(table.matches("| met ").count(), 2, "{table}");
    }

    #[test]
    fn intervals_are_shown_where_there_are_any() {
        let summary = Summary { median: 1.2345, interval: Some((1.2, 1.3)), n: 11 };
        assert_eq!(cell(Some(summary), 2), "1.23 (1.20-1.30)");
        assert_eq!(cell(Some(Summary { interval: None, ..summary }), 3), "1.234");
        assert_eq!(cell(None, 3), "");
    }
}
