//! Long steps: announced, logged, timed.

use std::{
    fmt::Display,
    fs,
    io::{self, IsTerminal as _, Write as _},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow};

use crate::child::outcome;

/// How often a running step is looked at.
const TICK: Duration = Duration::from_millis(100);

/// How many of the log's last lines are shown after a failure: enough for a
/// compiler error, few enough to leave our own sentence on the screen.
const TAIL: usize = 15;

/// One line of ours on stderr.
pub fn say(line: impl Display) {
    eprintln!("xtask: {line}");
}

/// Runs a command with its output in a log file, and says how it goes.
///
/// # Errors
/// One sentence: what failed and where its log is; the log's end is shown.
pub fn logged(what: &str, command: &mut Command, log: &Path, limit: Option<Duration>) -> Result<()> {
    say(format_args!("{what} (log: {})", log.display()));
    let start = Instant::now();
    let status = spawn(command, log)
        .and_then(|child| wait(child, start, limit))
        .with_context(|| format!("{what}: could not run {:?}", command.get_program()))?;
    let took = start.elapsed().as_secs_f32();
    let trouble = match status {
        Some(status) if status.success() => {
            say(format_args!("{what}: done in {took:.0} s"));
            return Ok(());
        }
        Some(status) => format!("failed ({})", outcome(status)),
        None => format!("was stopped, as it did not end within {took:.0} s"),
    };
    show_tail(log);
    Err(anyhow!("{what} {trouble}; its log is {}", log.display()))
}

fn spawn(command: &mut Command, log: &Path) -> io::Result<Child> {
    if let Some(dir) = log.parent() {
        fs::create_dir_all(dir)?;
    }
    let mut file = fs::File::create(log)?;
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    writeln!(file, "$ {}", line.join(" "))?;
    let errors = file.try_clone()?;
    command.stdin(Stdio::null()).stdout(file).stderr(errors).spawn()
}

/// `None` when the time was up.
fn wait(mut child: Child, start: Instant, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
    let terminal = io::stderr().is_terminal();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if limit.is_some_and(|limit| start.elapsed() > limit) {
            child.kill()?;
            child.wait()?;
            break None;
        }
        if terminal {
            // Overwritten in place; a log file gets no such line.
            eprint!("\r\x1b[Kxtask: ... {} s", start.elapsed().as_secs());
        }
        thread::sleep(TICK);
    };
    if terminal {
        eprint!("\r\x1b[K");
    }
    Ok(status)
}

fn show_tail(log: &Path) {
    let text = fs::read(log).unwrap_or_default();
    for line in tail(&String::from_utf8_lossy(&text), TAIL) {
        eprintln!("    {line}");
    }
}

/// The last `count` lines that are not blank.
pub fn tail(text: &str, count: usize) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(count)..].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("xtask-step-{}-{name}.log", std::process::id()))
    }

    #[test]
    fn a_failure_names_the_step_and_its_log() {
        let log = scratch("false");
        let error = logged("the step", &mut Command::new("false"), &log, None).err().map(|error| error.to_string());
        let expected = format!("the step failed (exit code 1); its log is {}", log.display());
        assert_eq!(error, Some(expected));
        assert!(fs::remove_file(log).is_ok());
    }

    #[test]
    fn a_step_that_hangs_is_stopped() {
        let log = scratch("sleep");
        let limit = Some(Duration::from_millis(150));
        let start = Instant::now();
        let result = logged("sleep", Command::new("sleep").arg("60"), &log, limit);
        assert!(result.is_err());
        assert!(start.elapsed() < Duration::from_secs(30));
        assert!(fs::remove_file(log).is_ok());
    }

    #[test]
    fn the_tail_skips_blank_lines() {
        assert_eq!(tail("a\n\nb\nc\n", 2), ["b", "c"]);
        assert_eq!(tail("a", 9), ["a"]);
    }
}
