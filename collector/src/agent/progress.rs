//! A line that shows the run going on: on a terminal only.

use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::record::{Frame, Hist};

/// The progress line.
pub struct Progress {
    bar: Option<ProgressBar>,
    began: Instant,
    total: Option<Duration>,
    waits: Hist,
}

impl Progress {
    /// For a run that lasts `total`, where that is known. Shows nothing unless stderr
    /// is a terminal.
    pub fn new(total: Option<Duration>) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(
                total.map(|total| total.as_millis() as u64),
                ProgressDrawTarget::stderr(),
            );
            let template = match total {
                Some(_) => "{wide_bar} {msg}",
                None => "{spinner} {msg}",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, began: Instant::now(), total, waits: Hist::default() }
    }

    /// Adds a frame.
    pub fn frame(&mut self, frame: &Frame) {
        let Some(bar) = &self.bar else { return };
        let mut switches = 0;
        for cpu in &frame.cpus {
            switches += cpu.switches;
            for waits in [&cpu.waits.workload, &cpu.waits.others, &cpu.waits.collector] {
                self.waits.merge(waits);
            }
        }
        let seconds = frame.end_ns.saturating_sub(frame.start_ns) as f64 / 1e9;
        let rate = if seconds > 0.0 { format!("{:.0}", switches as f64 / seconds) } else { "-".to_owned() };
        let p99 = self
            .waits
            .percentile(99.0)
            .map_or_else(|| "no waits yet".to_owned(), |ns| format!("p99 wait {:.1} us so far", ns as f64 / 1e3));
        let elapsed = self.began.elapsed();
        let warmup = if frame.warmup { " (warm-up)" } else { "" };
        bar.set_message(format!("{:.0} s{warmup}  {rate} switches/s  {p99}", elapsed.as_secs_f64()));
        match self.total {
            Some(_) => bar.set_position(elapsed.as_millis() as u64),
            None => bar.tick(),
        }
    }

    /// Takes the line away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
