//! The loop.

use std::{io::Write, path::Path};

use anyhow::Context as _;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until};

use super::{
    affinity,
    config::{Config, TargetConfig},
    frames::Frames,
    groups,
    progress::Progress,
    say::say,
    session::{ROOT, Session},
    sinks::Sinks,
    target::{self, Running},
};
use crate::{
    engine::build::SummaryBuilder,
    output::{self, Report, Terminal},
    record::{EndReason, Frame, Header, Measured, Target},
    workload,
};

/// Everything that takes frames.
struct Takers {
    sinks: Sinks,
    progress: Progress,
    summary: SummaryBuilder,
    last: Option<Frame>,
}

impl Takers {
    fn take(&mut self, frame: Frame) {
        self.sinks.frame(&frame);
        self.progress.frame(&frame);
        self.summary.add(&frame);
        self.last = Some(frame);
    }
}

/// Runs, and returns the exit code.
///
/// # Errors
///
/// One sentence, if nothing could be measured.
pub async fn run(config: &Config) -> anyhow::Result<i32> {
    let root = Path::new(ROOT);
    ignore_file_size_limit();
    if let TargetConfig::Launch { argv, user } = &config.target
        && let Err(error) = workload::precheck(argv, user.as_deref())
    {
        // Nothing is begun, so nothing is lost: an older record stays.
        say(format_args!("{error}"));
        return Ok(error.exit_code());
    }
    let target_of_record = target::describe(root, &config.target)?;
    if let Some(cookie) = config.core_sched {
        cookie.check()?;
    }
    let sinks = Sinks::open(&config.sinks)?;
    let affinity = affinity::current().ok();
    if let Some(cpus) = &config.agent_cpus {
        affinity::keep_on(cpus)?;
    }
    let mut session = Session::attach(config)?;
    let header = session.header(config, target_of_record)?;
    let mut takers =
        Takers { sinks, progress: Progress::new(config.duration), summary: SummaryBuilder::new(), last: None };
    takers.sinks.begin(&header);
    let signals = target::signals(&config.target)?;
    if let TargetConfig::Pid(pid) = config.target {
        target::mark_tree(root, session.tracer(), pid)?;
    }

    let mut frames = Frames::begin(session.open()?);
    // Whoever waits for this line may act on it: the window is open.
    say(ready(&header, &session));
    let mut warming = !config.warmup.is_zero();
    let is_command = config.target.is_command();
    let (reason, run_delay, ends, running) = match target::start(root, config, &mut session, affinity, signals) {
        Err(error) if is_command => {
            say(format_args!("{error:#}"));
            let ends = error.downcast_ref::<groups::NotStarted>().map(|error| error.ends.clone()).unwrap_or_default();
            (target::not_started(&error), Measured::not("the command could not be started"), ends, None)
        }
        Err(error) => return Err(error),
        Ok(mut running) => {
            let reason = watch(config, &mut session, &mut frames, &mut takers, &mut running, &mut warming).await?;
            (reason, running.root_run_delay_ns(root), running.group_ends(), Some(running))
        }
    };
    let now = session.read()?;
    let last = session.frame(&mut frames, now, warming);
    let exit_code = groups::run_exit_code(&ends, &reason, is_command);
    let mut trailer = session.trailer(&frames, &last, reason, exit_code, run_delay);
    trailer.groups = ends;
    takers.take(last);
    // Detached before anything else costs time.
    drop(session);
    if let Some(running) = running {
        running.done().await;
        workload::restore_default();
    }
    takers.progress.finish();
    let summary = takers.summary.finish(&header, Some(&trailer));
    let report = Report { header: &header, summary: &summary, trailer: Some(&trailer) };
    let written = takers.sinks.end(&trailer, &report);
    print(config, &report, is_command)?;
    Ok(if written || exit_code != 0 { exit_code } else { 125 })
}

/// A file that may not grow (`RLIMIT_FSIZE`) is a failed write like any other, which is
/// told, and not this program's death.
fn ignore_file_size_limit() {
    // SAFETY: SIG_IGN runs no code of ours; the command gets the default back.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Takes frames until the target ends.
async fn watch(
    config: &Config,
    session: &mut Session,
    frames: &mut Frames,
    takers: &mut Takers,
    running: &mut Running,
    warming: &mut bool,
) -> anyhow::Result<EndReason> {
    let began = Instant::now();
    let warm = began + config.warmup;
    let mut ticks = interval_at(began + config.interval, config.interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let cap = config.duration.map(|duration| began + duration);
    loop {
        tokio::select! {
            ended = running.ended() => return ended,
            () = until(cap) => return Ok(EndReason::TimeCap),
            () = until((*warming).then_some(warm)) => {
                let opened = session.open()?;
                let frame = session.frame(frames, opened, true);
                takers.take(frame);
                *warming = false;
                ticks.reset();
            }
            _ = ticks.tick() => {
                let now = session.read()?;
                session.refresh_pids();
                let frame = session.frame(frames, now, *warming);
                takers.take(frame);
            }
        };
    }
}

/// Sleeps until then, or for ever.
async fn until(then: Option<Instant>) {
    match then {
        Some(then) => sleep_until(then).await,
        None => std::future::pending().await,
    }
}

/// The line that says that tracing has begun.
fn ready(header: &Header, session: &Session) -> String {
    let cpus = session.topology().online.len();
    let what = match &header.target {
        Target::Launch { argv, .. } => {
            format!("starting {}", crate::record::printable::printable(&argv.join(" "), true))
        }
        Target::Groups { groups, .. } => {
            let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
            format!("starting {} side by side", names.join(", "))
        }
        Target::Pid { pid, .. } => format!("watching process {pid}"),
        Target::All => "watching everything".to_owned(),
    };
    format!("ready, tracing {cpus} CPU{}; {what}", if cpus == 1 { "" } else { "s" })
}

/// Prints the report: to stderr beside a command, whose stdout is its own, else to stdout.
fn print(config: &Config, report: &Report<'_>, is_command: bool) -> anyhow::Result<()> {
    let result = if is_command {
        let terminal = Terminal::of(&std::io::stderr());
        let bytes = output::render(config.format, report, Some(&terminal))?;
        std::io::stderr().write_all(&bytes)
    } else {
        let terminal = Terminal::of(&std::io::stdout());
        let bytes = output::render(config.format, report, Some(&terminal))?;
        std::io::stdout().write_all(&bytes)
    };
    match result {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot print the report"),
    }
}
