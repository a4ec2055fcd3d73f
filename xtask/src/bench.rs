//! `cargo xtask bench`: what watching the scheduler costs, ours and others'.
//!
//! Two passes over the same load. In the first the kernel takes the run time of the
//! BPF programs, which by itself costs two clock reads a run; in the second it does
//! not, and the time of the load tells. Contenders take turns within a round, in
//! another order each round, so that what disturbs the machine disturbs all of them.

mod active;
mod args;
mod clock;
mod contender;
mod interrupt;
mod kernel;
mod load;
mod machine;
mod noise;
mod ours;
mod own;
mod probe;
mod process;
mod programs;
mod report;
mod rounds;
mod script;
mod stats;
mod targets;
mod wide;

use std::{fs, path::Path, process::ExitCode, time::Duration};

use anyhow::{Context as _, Result, bail};

use crate::{build, cli::BuildArgs, document, paths::Paths, setup::probe as look, step};

pub use args::BenchArgs;
use contender::Contender;
use load::Load;
use noise::Noise;
use rounds::{Entrant, Results};
use targets::Verdicts;

/// How long each load runs while the clocks are compared, seconds.
const CLOCK_SECONDS: u32 = 20;

/// The subcommand.
///
/// # Errors
/// When nothing can be measured at all; a contender that does not work is a row.
pub fn command(paths: &Paths, args: &BenchArgs) -> Result<ExitCode> {
    if !look::is_root() {
        bail!("the bench loads kernel programs and starts other tracers: run it as root");
    }
    for (program, package) in [("perf", "linux-perf"), ("taskset", "util-linux")] {
        if look::in_path(program).is_none() {
            bail!("the load is `perf bench`, pinned by `taskset`: install {package} for {program}");
        }
    }
    build::everything(paths, &BuildArgs::default())?;
    interrupt::watch();
    let scratch = paths.target.join("bench");
    fs::create_dir_all(&scratch).with_context(|| format!("could not make {}", scratch.display()))?;
    let mut noise = Noise::new(Duration::from_secs(args.wait.into()));
    let (part, text) = if args.clock {
        let seconds = if args.quick { 2 } else { CLOCK_SECONDS };
        let compared = clock::compare(paths, seconds, &mut noise)?;
        ("clock", format!("{}.\n\n{compared}", machine::describe()))
    } else {
        ("cost", costs(paths, args, &scratch, &mut noise)?)
    };
    println!("{text}");
    let document = paths.root.join("docs").join("overhead.md");
    if args.is_whole() {
        document::replace(&document, "bench", part, &text)?;
        step::say(format_args!("wrote {}", document.display()));
    } else {
        step::say(format_args!("this was not the whole bench: {} is left as it was", document.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// All of it but the clocks.
fn costs(paths: &Paths, args: &BenchArgs, scratch: &Path, noise: &mut Noise) -> Result<String> {
    let mut entrants = vec![Entrant::nothing(Contender::Nothing), Entrant::nothing(Contender::Again)];
    for watcher in args.watchers() {
        step::say(format_args!("trying {}", watcher.what()));
        entrants.push(Entrant::try_out(watcher, watcher.starts(paths, scratch))?);
    }
    let mut verdicts = Verdicts::default();
    let (mut tables, mut programs) = (String::new(), String::new());
    for load in args.loads() {
        let results = one_load(args, load, &mut entrants, noise)?;
        tables.push_str(&report::load(&results, &entrants));
        programs.push_str(&report::programs(&results));
        report::verdicts(&results, &entrants, name(load), &mut verdicts);
    }
    step::say("measuring what the collector itself takes");
    let own = own::figures(paths, scratch, args.quick, &mut verdicts)?;
    Ok(format!(
        "{}. {}\n\n{}\n{tables}{}\n{own}{programs}",
        machine::describe(),
        noise.describe(),
        "Ratios and slowdowns are medians of the ratios within each round, in parentheses the interval between two \
         ranks that holds the true median with at least 95 % probability (sign test; none below 6 rounds).\n",
        verdicts.table().render(),
    ))
}

fn one_load(args: &BenchArgs, load: Load, entrants: &mut [Entrant], noise: &mut Noise) -> Result<Results> {
    let sized = load.sized(args.seconds(), machine::last_cpu()?)?;
    let mut results = Results::new(sized);
    let line = sized.line();
    step::say(format_args!("{line}: run time of the programs, {} rounds", args.rounds()));
    rounds::cost(entrants, args.rounds(), &mut results, noise)?;
    step::say(format_args!("{line}: slowdown, {} rounds", args.rounds()));
    rounds::slowdown(entrants, args.rounds(), &mut results, noise)?;
    Ok(results)
}

const fn name(load: Load) -> &'static str {
    match load {
        Load::Pipe => "pipe",
        Load::Messaging => "messaging",
    }
}
