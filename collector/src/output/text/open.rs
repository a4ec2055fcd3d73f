//! Waits that had not ended when the window was closed.

use super::{
    Page, class_name,
    prose::{hanging, told},
};
use crate::{
    output::number::duration,
    record::{Measured, OpenWait},
};

pub(super) fn lines(page: &Page<'_>) -> Vec<String> {
    let open = &page.report.summary.open;
    let (total, longest) = match (open, page.cpu) {
        (Measured::NotMeasured(_), _) => (None, None),
        (Measured::Value(open), None) => (Some(open.count), open.longest.first()),
        (Measured::Value(open), Some(cpu)) => {
            (cpu.open.value().copied(), open.longest.iter().find(|wait| wait.cpu == cpu.cpu))
        }
    };
    let place = page.cpu.map_or_else(String::new, |cpu| format!(" on CPU {}", cpu.cpu));
    let text = match (total, longest) {
        (None, _) => told(open, |_| String::new(), page.terminal),
        (Some(0), _) => "none".to_owned(),
        (Some(n), Some(wait)) => format!("{n}; {}", longest_of(wait, page)),
        (Some(n), None) => n.to_string(),
    };
    let label = format!("Waits open at the end{place}:");
    let mut lines = hanging(&format!("{label} "), &text, page.terminal.width, 2);
    if let Some(first) = lines.first_mut() {
        *first = first.replacen(&label, &page.heading(&label), 1);
    }
    lines
}

fn longest_of(wait: &OpenWait, page: &Page<'_>) -> String {
    let task = match &wait.comm {
        Measured::Value(comm) => page.task(comm, wait.pid),
        absent => format!("thread {}, name {}", wait.pid, told(absent, String::clone, page.terminal)),
    };
    format!(
        "the longest so far {}: {task} ({}) on CPU {}",
        duration(wait.waited_ns as f64, page.terminal),
        class_name(wait.class),
        wait.cpu
    )
}
