//! Every kernel and layout of CPUs that the guest's tests are run on.

use std::{fs, path::PathBuf, time::Duration};

use anyhow::Result;

use super::{
    Guest, INITRAMFS, Run, TEST_LOG, TESTS,
    args::{SMP, VmArgs},
    bundle::Bundle,
    kernel::Kernel,
    prepare, provided,
    suite::{Outcome, Tests},
    test_command,
};
use crate::{build, cli::BuildArgs, document, paths::Paths, step, table::Table};

/// One guest of the matrix.
struct Cell {
    kernel: &'static str,
    smp: &'static str,
    append: Option<&'static str>,
}

const fn cell(kernel: &'static str, smp: &'static str, append: Option<&'static str>) -> Cell {
    Cell { kernel, smp, append }
}

/// With core scheduling, every layout; Debian's kernels, the usual one.
const CELLS: [Cell; 7] = [
    cell("core", SMP, None),
    cell("core", "2,sockets=1,cores=1,threads=2", None),
    cell("core", "4,sockets=1,cores=1,threads=4", None),
    cell("core", SMP, Some("maxcpus=2")),
    cell("6.1", SMP, None),
    cell("6.12", SMP, None),
    cell("newest", SMP, None),
];

/// What came of one.
enum Verdict {
    /// The tests came to their end.
    Tested(Tests),
    /// The guest did not, and why.
    Broken(String),
    /// There is no such kernel here, and why.
    NotHad(String),
}

/// A row of the table.
struct Row {
    cell: &'static Cell,
    /// `uname -r` in the guest.
    release: String,
    verdict: Verdict,
    took: Duration,
}

/// Runs all of it, prints the table, and brings docs/kernels.md up to date where all of
/// it passed with nothing left out by a filter. Tells whether all passed.
///
/// # Errors
/// When nothing can be run at all, or the kernel with core scheduling cannot be had; a
/// kernel of Debian's that cannot be had is a row.
pub fn run(paths: &Paths, args: &VmArgs) -> Result<bool> {
    let _alone = prepare(paths)?;
    let mut images: Vec<(&str, Result<PathBuf, String>)> = Vec::new();
    for Cell { kernel, .. } in &CELLS {
        if !images.iter().any(|(name, _)| name == kernel) {
            let image = Kernel::named(kernel).and_then(|kernel| provided(&kernel, paths));
            images.push((kernel, image.map_err(|error| format!("{error:#}"))));
        }
    }
    build::everything(paths, &BuildArgs::default())?;
    let mut bundle = Bundle::new(paths)?;
    let command = test_command(&mut bundle, paths, TESTS, args.filter.as_deref())?;
    let mut rows = Vec::new();
    for cell in &CELLS {
        let Some((_, image)) = images.iter().find(|(name, _)| *name == cell.kernel) else { continue };
        let row = match image {
            Err(reason) => {
                Row { cell, release: String::new(), verdict: Verdict::NotHad(reason.clone()), took: Duration::ZERO }
            }
            Ok(image) => {
                let guest = Guest {
                    name: cell.kernel.to_owned(),
                    image: image.clone(),
                    smp: cell.smp.to_owned(),
                    append: cell.append.map(str::to_owned),
                    accel: args.accel,
                    schedstats: !args.no_schedstats,
                    limit: Duration::from_secs(args.limit.get().into()),
                };
                one(cell, &guest.run(paths, &mut bundle, command.clone(), false)?)
            }
        };
        step::say(row.line());
        rows.push(row);
    }
    println!("{}", table(&rows));
    let passed = rows.iter().all(Row::passed);
    let document = paths.root.join("docs").join("kernels.md");
    if passed && args.filter.is_none() && rows.iter().all(|row| !matches!(row.verdict, Verdict::NotHad(_))) {
        document::replace(&document, "vm", "kernels", &format!("{}\n{}", table(&rows), by_test(&rows)))?;
        step::say(format_args!("wrote {}", document.display()));
    } else {
        step::say(format_args!("not the whole matrix, or not passed: {} is left as it was", document.display()));
    }
    Ok(passed)
}

fn one(cell: &'static Cell, run: &Run) -> Row {
    let log = run.file(TEST_LOG);
    let verdict = match (&run.booted.code, Tests::parse(&log)) {
        (Err(reason), _) => Verdict::Broken(reason.clone()),
        (Ok(code), None) => Verdict::Broken(format!("the tests said nothing of how they ended (exit code {code})")),
        (Ok(0), Some(tests)) if tests.failed() == 0 => Verdict::Tested(tests),
        (Ok(1..), Some(tests)) if tests.failed() > 0 => Verdict::Tested(tests),
        (Ok(code), Some(tests)) => Verdict::Broken(format!("{} tests failed, and exit code {code}", tests.failed())),
    };
    let release = run.file("release").trim().to_owned();
    let row = Row { cell, release, verdict, took: run.booted.took };
    if row.passed() {
        let _gone = fs::remove_file(run.folder.join(INITRAMFS));
    } else {
        eprint!("{log}");
        step::say(format_args!("its console and files are in {}", run.folder.display()));
    }
    row
}

impl Row {
    /// Whether nothing failed. A kernel of Debian's that could not be had has not; ours is
    /// what the matrix is for.
    fn passed(&self) -> bool {
        match &self.verdict {
            Verdict::Tested(tests) => tests.failed() == 0 && tests.passed() > 0,
            Verdict::Broken(_) => false,
            Verdict::NotHad(_) => self.cell.kernel != "core",
        }
    }

    fn machine(&self) -> String {
        self.cell.append.map_or_else(|| self.cell.smp.to_owned(), |append| format!("{}, {append}", self.cell.smp))
    }

    /// One line that says how it ended.
    fn line(&self) -> String {
        let head = format!("guest {} ({})", self.cell.kernel, self.machine());
        match &self.verdict {
            Verdict::Tested(tests) => format!(
                "{head}: {} passed, {} failed, {} ignored in {:.0} s",
                tests.passed(),
                tests.failed(),
                tests.ignored(),
                self.took.as_secs_f32()
            ),
            Verdict::Broken(reason) => format!("{head}: FAILED: {reason}"),
            Verdict::NotHad(reason) => format!("{head}: not run: {reason}"),
        }
    }
}

fn table(rows: &[Row]) -> String {
    let mut table = Table::new(&["kernel", "release", "CPUs", "passed", "failed", "ignored", "seconds"]);
    for row in rows {
        let mut cells = vec![row.cell.kernel.to_owned(), row.release.clone(), row.machine()];
        match &row.verdict {
            Verdict::Tested(tests) => {
                let counts = [tests.passed(), tests.failed(), tests.ignored()];
                cells.extend(counts.iter().map(usize::to_string));
                cells.push(format!("{:.0}", row.took.as_secs_f32()));
            }
            Verdict::Broken(reason) => cells.push(format!("FAILED: {reason}")),
            Verdict::NotHad(reason) => cells.push(format!("not run: {reason}")),
        }
        table.row(cells);
    }
    table.render()
}

/// A row a test, a column a guest; then why some were not done.
fn by_test(rows: &[Row]) -> String {
    let tested: Vec<&Tests> = rows
        .iter()
        .filter_map(|row| match &row.verdict {
            Verdict::Tested(tests) => Some(tests),
            _ => None,
        })
        .collect();
    let heads: Vec<String> = (1..=tested.len()).map(|number| number.to_string()).collect();
    let mut headings = vec!["test"];
    headings.extend(heads.iter().map(String::as_str));
    let mut table = Table::new(&headings);
    let mut reasons: Vec<&str> = Vec::new();
    for name in tested.first().into_iter().flat_map(|tests| &tests.0).map(|test| &test.name) {
        let mut cells = vec![name.clone()];
        for tests in &tested {
            let outcome = tests.0.iter().find(|test| test.name == *name).map(|test| &test.outcome);
            cells.push(match outcome {
                None => String::new(),
                Some(Outcome::Passed) => "yes".to_owned(),
                Some(Outcome::Failed) => "FAILED".to_owned(),
                Some(Outcome::Ignored(reason)) => {
                    let known = reasons.iter().position(|known| known == reason);
                    let place = known.unwrap_or_else(|| {
                        reasons.push(reason);
                        reasons.len() - 1
                    });
                    format!("({})", letter(place))
                }
            });
        }
        table.row(cells);
    }
    let mut text = format!("By test; the columns are the rows of the table above.\n\n{}", table.render());
    for (place, reason) in reasons.iter().enumerate() {
        text.push_str(&format!("\n({}) not done: {reason}  ", letter(place)));
    }
    text
}

fn letter(place: usize) -> char {
    char::from(b'a' + u8::try_from(place % 26).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cell: &'static Cell, log: &str) -> Row {
        let verdict = Tests::parse(log).map_or_else(|| Verdict::Broken("silence".to_owned()), Verdict::Tested);
        Row { cell, release: "6.12.1".to_owned(), verdict, took: Duration::from_secs(7) }
    }

    const GOOD: &str = "test a ... ok\ntest b ... ignored (no SMT)\n\
                        test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n";
    const BAD: &str = "test a ... FAILED\ntest b ... ok\n\
                       test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
    const NONE: &str = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out\n";

    #[test]
    fn silence_and_no_test_are_failures() {
        assert!(row(&CELLS[0], GOOD).passed());
        for log in [BAD, NONE, ""] {
            assert!(!row(&CELLS[0], log).passed(), "{log}");
        }
    }

    #[test]
    fn a_line_says_how_it_ended() {
        let line = row(&CELLS[3], GOOD).line();
        let machine = "4,sockets=1,cores=2,threads=2, maxcpus=2";
        assert_eq!(line, format!("guest core ({machine}): 1 passed, 0 failed, 1 ignored in 7 s"));
    }

    #[test]
    fn reasons_stand_once() {
        let text = by_test(&[row(&CELLS[0], GOOD), row(&CELLS[1], GOOD), row(&CELLS[2], BAD)]);
        assert!(text.contains("| a    | yes | yes | FAILED |"), "{text}");
        assert!(text.contains("| b    | (a) | (a) | yes    |"), "{text}");
        assert_eq!(text.matches("no SMT").count(), 1, "{text}");
    }
}
