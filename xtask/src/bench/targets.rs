//! Where the collector has to stand.

use crate::table::Table;

/// Times the empty programs, a switch.
pub const OF_EMPTY: f64 = 2.5;
/// Times bcc's runqlat, a switch.
pub const OF_RUNQLAT: f64 = 0.40;
/// Slowdown of `perf bench sched pipe`.
pub const SLOWDOWN: f64 = 1.15;
/// Reading all maps on a machine of 256 CPUs, milliseconds a frame.
pub const READ_MS: f64 = 5.0;
/// CPU time at frames of a second, percent of one CPU.
pub const CPU_PERCENT: f64 = 1.0;
/// Peak memory of the process, megabytes.
pub const MEMORY_MB: f64 = 30.0;
/// From start to the command's exec, milliseconds.
pub const START_MS: f64 = 500.0;

/// Targets with what was measured.
#[derive(Default)]
pub struct Verdicts {
    rows: Vec<(String, f64, Result<f64, String>, &'static str)>,
}

impl Verdicts {
    /// Adds one: at most `limit`.
    pub fn add(&mut self, what: impl Into<String>, limit: f64, measured: Result<f64, String>, unit: &'static str) {
        self.rows.push((what.into(), limit, measured, unit));
    }

    /// A row each.
    pub fn table(&self) -> Table {
        let mut table = Table::new(&["target", "at most", "measured", "verdict"]);
        for (what, limit, measured, unit) in &self.rows {
            let (figure, verdict) = match measured {
                Ok(figure) if figure <= limit => (format!("{figure:.2}{unit}"), "met"),
                Ok(figure) => (format!("{figure:.2}{unit}"), "NOT met"),
                Err(reason) => (reason.clone(), "not measured"),
            };
            table.row(vec![what.clone(), format!("{limit:.2}{unit}"), figure, verdict.to_owned()]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_met_or_not_or_not_measured() {
        let mut verdicts = Verdicts::default();
        verdicts.add("a", 2.5, Ok(2.5), "");
        verdicts.add("b", 2.5, Ok(2.51), " ms");
        verdicts.add("c", 1.0, Err("runqlat is not installed".into()), "");
        let table = verdicts.table().render();
        let lines: Vec<&str> = table.lines().skip(2).collect();
        assert!(lines[0].ends_with("| met          |"), "{table}");
        assert!(lines[1].contains("2.51 ms") && lines[1].ends_with("| NOT met      |"), "{table}");
        assert!(lines[2].contains("not installed") && lines[2].ends_with("| not measured |"), "{table}");
    }
}
