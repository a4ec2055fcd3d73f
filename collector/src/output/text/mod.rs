//! The report for a person.

mod chart;
mod classes;
mod cpus;
mod head;
mod longest;
mod open;
mod prose;
mod quality;
mod reconcile;
mod rows;
mod style;
mod table;

use super::{Exporter, Report, Terminal};
use crate::{
    engine::summary::{ClassWaits, CpuSummary},
    record::{Hist, Target, TaskClass, printable::printable},
};
use style::Style;

/// Text of at most `terminal.width` columns, as far as tables can be made to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// What it is shown on.
    pub terminal: Terminal,
    /// The only CPU to show, if it is to be one.
    pub cpu: Option<u32>,
}

impl Exporter for Text {
    fn render(&self, report: &Report<'_>) -> anyhow::Result<Vec<u8>> {
        let cpu = self.cpu.map(|cpu| report.cpu(cpu)).transpose()?;
        let page = Page { report: *report, terminal: self.terminal, cpu };
        let sections = [
            head::lines(&page),
            cpus::lines(&page),
            classes::lines(&page),
            chart::lines(&page),
            longest::lines(&page),
            open::lines(&page),
            quality::lines(&page),
            reconcile::lines(&page),
        ];
        let mut text = String::new();
        for section in sections.iter().filter(|section| !section.is_empty()) {
            if !text.is_empty() {
                text.push('\n');
            }
            for line in section {
                text.push_str(line);
                text.push('\n');
            }
        }
        Ok(text.into_bytes())
    }
}

/// What every section needs.
struct Page<'a> {
    report: Report<'a>,
    terminal: Terminal,
    cpu: Option<&'a CpuSummary>,
}

impl Page<'_> {
    fn heading(&self, text: &str) -> String {
        Style::Bold.paint(text, self.terminal)
    }

    /// Text from another program.
    fn safe(&self, text: &str) -> String {
        printable(text, self.terminal.unicode)
    }

    /// A thread by name and number; 0 is the idle task.
    fn task(&self, comm: &str, pid: u32) -> String {
        if pid == 0 { "idle".to_owned() } else { format!("{}[{pid}]", self.safe(comm)) }
    }

    /// Where the figures are from.
    fn place(&self) -> String {
        self.cpu.map_or_else(|| "all CPUs".to_owned(), |cpu| format!("CPU {}", cpu.cpu))
    }

    /// The waits that distribution and classes are about.
    fn waits(&self) -> (&Hist, &ClassWaits) {
        let summary = &self.report.summary;
        self.cpu.map_or((&summary.waits, &summary.by_class), |cpu| (&cpu.waits, &cpu.by_class))
    }

    /// The classes that there are in this run.
    const fn classes(&self) -> &'static [TaskClass] {
        match self.report.header.target {
            Target::All => &[TaskClass::Others, TaskClass::Collector],
            Target::Launch { .. } | Target::Groups { .. } | Target::Pid { .. } => {
                &[TaskClass::Workload, TaskClass::Others, TaskClass::Collector]
            }
        }
    }
}

/// What a class is called.
const fn class_name(class: TaskClass) -> &'static str {
    match class {
        TaskClass::Workload => "workload",
        TaskClass::Others => "others",
        TaskClass::Collector => "collector",
    }
}
