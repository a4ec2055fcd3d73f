//! What the collector itself takes: CPU time, memory, time to read its maps, time
//! before the command starts.

use std::{
    fs,
    io::Read as _,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::{load::Sized, process::Guarded, stats};
use crate::paths::Paths;

/// Longer than any of these runs takes.
const LIMIT: Duration = Duration::from_secs(120);

/// What a record says of the collector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Own {
    /// CPU time from the first frame on, as a share of one CPU.
    pub share: f64,
    /// Time to read all maps, a frame, nanoseconds.
    pub read_ns: Vec<f64>,
    /// Peak resident memory, bytes.
    pub peak: u64,
    /// Memory of the kernel's maps, bytes.
    pub kernel: Vec<(String, u64)>,
}

/// Runs `collector run --all` for `seconds`, with the default frames of a second, and
/// over and over `load` beside it, where there is one.
///
/// # Errors
/// When it fails, or when interrupted.
pub fn run(paths: &Paths, scratch: &Path, seconds: u32, load: Option<&Sized>) -> Result<Own> {
    let record = scratch.join("own.jsonl");
    let mut command = Command::new(paths.collector());
    command.args(["run", "--all", "--duration", &format!("{seconds}s"), "-o"]).arg(&record);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut collector = Guarded::start(&mut command)?;
    while let Some(load) = load
        && collector.ended()?.is_none()
    {
        load.run(collector.pid())?;
    }
    // 124: the time cap was reached, as it was meant to.
    let status = collector.wait(LIMIT)?.context("collector did not end at its time cap")?;
    let text = fs::read_to_string(&record);
    let _written_or_not = fs::remove_file(&record);
    parse(&text?).with_context(|| format!("no figures in its record ({})", crate::child::outcome(status)))
}

fn parse(record: &str) -> Result<Own> {
    let mut own = Own::default();
    let (mut used, mut wall) = (0.0, 0.0);
    for line in record.lines() {
        let line: Value = serde_json::from_str(line)?;
        let number = |pointer: &str| line.pointer(pointer).and_then(Value::as_u64);
        match line["type"].as_str() {
            Some("header") => {
                let maps = line["kernel_memory"].as_array().map_or(&[][..], Vec::as_slice);
                own.kernel = maps
                    .iter()
                    .filter_map(|map| Some((map["map"].as_str()?.to_owned(), map["bytes"].as_u64()?)))
                    .collect();
            }
            Some("frame") => {
                own.read_ns.extend(number("/own/read_ns").map(|ns| ns as f64));
                if let (Some(cpu), Some(start), Some(end)) =
                    (number("/own/cpu_ns"), number("/start_ns"), number("/end_ns"))
                {
                    used += cpu as f64;
                    wall += end.saturating_sub(start) as f64;
                }
            }
            Some("trailer") => own.peak = number("/quality/peak_memory_bytes").unwrap_or(0),
            _ => {}
        }
    }
    if wall == 0.0 || own.read_ns.is_empty() {
        bail!("the record has no frames");
    }
    own.share = used / wall;
    Ok(own)
}

/// Seconds from just before the collector is started to what the command it runs
/// sees as the time; `date` itself needs a millisecond of it.
///
/// # Errors
/// When it fails, or when interrupted.
pub fn start_times(paths: &Paths, count: usize) -> Result<Vec<f64>> {
    (0..count)
        .map(|_| {
            let mut command = Command::new(paths.collector());
            command.args(["run", "--", "date", "+%s.%N"]).stdout(Stdio::piped()).stderr(Stdio::null());
            let before = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64();
            let mut collector = Guarded::start(&mut command)?;
            let status = collector.wait(LIMIT)?.context("collector hangs")?;
            let mut text = String::new();
            if let Some(mut stdout) = collector.stdout() {
                stdout.read_to_string(&mut text)?;
            }
            let began: f64 = text.trim().parse().with_context(|| crate::child::outcome(status))?;
            Ok(began - before)
        })
        .collect()
}

/// Median and spread in milliseconds.
pub fn milliseconds(seconds: &[f64]) -> String {
    let Some(summary) = stats::summary(seconds) else { return "not measured".to_owned() };
    let ms = |value: f64| value * 1e3;
    let least = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let most = seconds.iter().copied().fold(0.0, f64::max);
    format!("{:.0} ms (median of {}; {:.0} to {:.0})", ms(summary.median), summary.n, ms(least), ms(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_says_what_its_maker_took() -> Result<()> {
        let record = r#"{"type":"header","kernel_memory":[{"map":"tasks","bytes":524288}]}
{"type":"frame","start_ns":1000,"end_ns":2000,"own":{"cpu_ns":10,"read_ns":70}}
{"type":"frame","start_ns":2000,"end_ns":3000,"own":{"cpu_ns":{"not_measured":"why"},"read_ns":90}}
{"type":"frame","start_ns":3000,"end_ns":4000,"own":{"cpu_ns":30,"read_ns":80}}
{"type":"trailer","quality":{"peak_memory_bytes":9000000}}
"#;
        let expected = Own {
            share: 0.02,
            read_ns: vec![70.0, 90.0, 80.0],
            peak: 9_000_000,
            kernel: vec![("tasks".to_owned(), 524_288)],
        };
        assert_eq!(parse(record)?, expected);
        assert!(parse("{\"type\":\"header\"}\n").is_err());
        Ok(())
    }

    #[test]
    fn times_are_told_with_their_spread() {
        assert_eq!(milliseconds(&[0.021, 0.019, 0.035]), "21 ms (median of 3; 19 to 35)");
        assert_eq!(milliseconds(&[]), "not measured");
    }
}
