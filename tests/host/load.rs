//! The load generator makes the load it says.

use std::ffi::OsString;
use std::fs;
use std::io::stdout;
use std::process::Stdio;
use std::time::{Duration, Instant};

use collector::load::{Config, run};
use libtest_mimic::{Completion, Failed, Trial};
use rustix::process::Signal;
use rustix::thread::CpuSet;

use super::helper::number;
use super::support::{Helper, command, first_cpu, kill, say, test, until};

pub fn tests() -> Vec<Trial> {
    vec![
        test("load::hogs_share_one_cpu", hogs_share_one_cpu),
        Trial::ignorable_test("load::workers_take_turns_on_the_cpus", workers_take_turns_on_the_cpus),
        test("load::workers_are_woken", workers_are_woken),
        test("load::signal_ends_it_with_its_figures", signal_ends_it_with_its_figures),
        test("load::closed_output_ends_it", closed_output_ends_it),
        test("load::bad_options_are_refused", bad_options_are_refused),
    ]
}

/// Arguments: threads, duration and interval in ms, work and sleep in us, CPUs (`0,1`) or `-`.
pub fn helper(args: impl Iterator<Item = OsString>) -> i32 {
    let args: Vec<_> = args.collect();
    let config = Config {
        threads: usize::try_from(number(&args[0])).unwrap(),
        duration: Duration::from_millis(number(&args[1])),
        interval: Duration::from_millis(number(&args[2])),
        work_us: number(&args[3]),
        sleep_us: number(&args[4]),
        pin: (args[5] != "-").then(|| args[5].to_str().unwrap().split(',').map(|cpu| cpu.parse().unwrap()).collect()),
    };
    match run(&config, &mut stdout()) {
        Ok(()) => 0,
        Err(error) => {
            say(&format!("error {error:#}"));
            125
        }
    }
}

fn start(args: [&str; 6]) -> Helper {
    Helper::start(&mut command(&[&["load"][..], &args].concat()))
}

/// Numbers in a line, in their order.
fn numbers(line: &str) -> Vec<f64> {
    line.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
}

/// The field of each thread whose name begins so.
fn threads(pid: u32, name: &str, field: &str) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    tasks
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("status")).ok())
        .filter(|status| status.starts_with(&format!("Name:\t{name}")))
        .map(|status| status.lines().find_map(|line| line.strip_prefix(field)).unwrap().trim().to_owned())
        .collect()
}

fn hogs_share_one_cpu() {
    let cpu = first_cpu();
    let mut load = start(["4", "1000", "500", "1000", "0", &cpu]);
    until("there are four hogs", || threads(load.pid(), "worker-", "Cpus_allowed_list:") == vec![cpu.clone(); 4]);
    assert_eq!(
        threads(load.pid(), "", "Cpus_allowed_list:"),
        vec![cpu.clone(); 5],
        "and one that prints, on that CPU too"
    );

    load.out.expect("[ 0.5s ] rate: ");
    load.out.expect("[ 1s ] rate: ");
    let elapsed = numbers(&load.out.expect("load:"))[3];
    let rounds: f64 = load.out.number("rounds:");
    let cpu = numbers(&load.out.expect("cpu:"));
    let [total, least, most] = cpu[..] else { panic!("{cpu:?}") };
    assert_eq!(load.out.expect("wake-up:"), "none");
    assert_eq!(load.code(), 0);

    // They stop one after another: each may have its slice in between.
    assert!(total <= elapsed + 0.1, "one CPU gives no more: {total} s of {elapsed} s");
    assert!(most - least <= 0.25 * total / 4.0, "equal shares: {least} to {most} s");
    // A round is a millisecond of CPU time: what each began and what was after the end is left over.
    let of_rounds = rounds * 0.001;
    assert!(of_rounds <= total + 0.001 && total - of_rounds <= 0.1, "{rounds} rounds, {total} s");
}

fn workers_take_turns_on_the_cpus() -> Result<Completion, Failed> {
    let cpus = rustix::thread::sched_getaffinity(None).unwrap();
    let cpus: Vec<_> =
        (0..CpuSet::MAX_CPU).filter(|&cpu| cpus.is_set(cpu)).take(2).map(|cpu| cpu.to_string()).collect();
    if cpus.len() < 2 {
        return Ok(Completion::ignored_with("takes two CPUs"));
    }
    let mut load = start(["3", "1000000", "1000", "1000", "0", &cpus.join(",")]);
    let expected = [&cpus[0], &cpus[1], &cpus[0]];
    until("the hogs are where they belong", || {
        threads(load.pid(), "worker-", "Cpus_allowed_list:").iter().eq(expected)
    });
    kill(load.pid(), Signal::TERM);
    assert_eq!(load.code(), 0);
    Ok(Completion::Completed)
}

fn workers_are_woken() {
    let mut load = start(["2", "600", "200", "100", "500", "-"]);
    for (name, count) in [("worker-", 2), ("messenger-", 1)] {
        until("all threads have their names", || threads(load.pid(), name, "Name:").len() == count);
    }

    for at in ["0.2s", "0.4s", "0.6s"] {
        let line = load.out.expect(&format!("[ {at} ] rate: "));
        assert!(line.contains(" rounds/s, wake-up p50/p99: ") && line.ends_with(" us"), "{line}");
    }
    let elapsed = numbers(&load.out.expect("load:"))[3];
    let rounds: f64 = load.out.number("rounds:");
    let rate = numbers(&load.out.expect("rate:"))[0];
    let total = numbers(&load.out.expect("cpu:"))[0];
    let wake_ups = numbers(&load.out.expect("wake-up:"));
    let [p50, p90, p99, p999, max, count] = wake_ups[..] else { panic!("{wake_ups:?}") };
    assert_eq!(load.code(), 0);

    // The time is printed to a millisecond.
    assert!((rate * elapsed / rounds - 1.0).abs() <= 0.002, "{rate} of {rounds} in {elapsed} s");
    // A round takes 600 us at least, and each ends in a wake-up but for the last.
    assert!(rounds > 10.0 && rounds <= 2.0 * elapsed / 0.0006 + 2.0, "{rounds} rounds in {elapsed} s");
    assert!(count <= rounds && count >= rounds - 2.0, "{count} wake-ups, {rounds} rounds");
    assert!(0.0 < p50 && p50 <= p90 && p90 <= p99 && p99 <= p999 && p999 <= max, "{wake_ups:?}");
    // A round's 100 us contain its waking and being woken.
    let of_rounds = rounds * 0.0001;
    assert!(total >= of_rounds - 0.001 && total <= of_rounds * 1.5 + 0.01, "{rounds} rounds, {total} s");
}

fn signal_ends_it_with_its_figures() {
    for signal in [Signal::INT, Signal::TERM] {
        // Asleep for a minute, all of them.
        let mut load = start(["20", "1000000", "50", "10", "60000000", "-"]);
        load.out.expect("[ 0.05s ]");
        let begin = Instant::now();
        kill(load.pid(), signal);
        let rest = load.out.rest();
        assert!(rest.iter().any(|line| line.starts_with("rounds:")), "{rest:?}");
        assert_eq!(load.code(), 0);
        assert!(begin.elapsed() < Duration::from_secs(20));
    }
}

fn closed_output_ends_it() {
    let mut child = command(&["load", "2", "1000000", "10", "100", "500", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut status = None;
    until("it ends", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    assert_eq!(status.unwrap().code(), Some(125));
}

fn bad_options_are_refused() {
    for (args, part) in [
        (["0", "100", "50", "1", "1", "-"], "at least one thread"),
        (["1", "100", "50", "0", "0", "-"], "no load"),
        (["1", "100", "50", "1", "1", "1000000"], "CPU 1000000 is not one of those"),
    ] {
        let mut load = start(args);
        let sentence = load.err.expect("error ");
        assert!(sentence.contains(part), "{sentence}");
        assert_eq!(load.code(), 125);
    }
}
