//! The records whose reports are kept beside the tests.

use collector::record::{EndReason, Group, GroupEnd, Hist, Measured, OpenWaits, Probe, Target, Verdict, WaitsByClass};

use crate::synthetic::{Numbers, Run, cpu_frame, frame, hist, launch, long_wait};

/// All of them by name.
pub fn all() -> Vec<(&'static str, Run)> {
    let all = [
        ("launch_2_cpus", launch(2, 5)),
        ("smt_2_cores", smt()),
        ("empty_window", empty_window()),
        ("not_measured", not_measured()),
        ("cut", launch(2, 3).cut()),
        ("huge_values", huge_values()),
        ("odd_names", odd_names()),
        ("pid", pid()),
        ("all", whole_machine()),
        ("warmup", warmup()),
        ("idle", idle()),
        ("not_started", not_started()),
        ("groups", groups()),
    ];
    let mut all: Vec<(&str, Run)> = all.map(|(name, run)| (name, run.settled())).to_vec();
    all.push(("untrusted", untrusted()));
    all
}

/// Two cores of two threads, one CPU of which a task never waited for.
fn smt() -> Run {
    let mut run = launch(4, 2);
    for frame in &mut run.frames {
        frame.cpus[3].waits = WaitsByClass::default();
    }
    run
}

/// A warm-up that was longer than the run.
fn empty_window() -> Run {
    let mut run = launch(2, 2);
    run.header.options.warmup_ms = 5000;
    for frame in &mut run.frames {
        frame.warmup = true;
    }
    if let Some(trailer) = &mut run.trailer {
        trailer.longest.clear();
        trailer.open = Measured::Value(OpenWaits { count: 0, by_cpu: vec![], longest: vec![] });
    }
    run
}

/// Everything that can be absent is.
pub fn not_measured() -> Run {
    fn absent<T>() -> Measured<T> {
        Measured::not("/proc is not mounted")
    }
    let mut run = launch(2, 2);
    run.header.machine.model = absent();
    run.header.machine.smt = absent();
    for place in &mut run.header.machine.topology {
        place.package = absent();
        place.core = absent();
        place.node = absent();
        place.siblings = absent();
    }
    for frame in &mut run.frames {
        frame.proc_ctxt = absent();
        frame.own.cpu_ns = absent();
        for cpu in &mut frame.cpus {
            cpu.idle_ns = Measured::not("the CPU raised its first event in this interval");
            cpu.proc_idle_ns = absent();
        }
    }
    if let Some(trailer) = &mut run.trailer {
        trailer.open = Measured::not("the task map could not be read");
        trailer.root_run_delay_ns = absent();
        let quality = &mut trailer.quality;
        quality.recursion_misses = absent();
        quality.dropped_events = absent();
        quality.programs = Measured::not("run-time statistics were off; --program-time switches them on");
        quality.own_cpu_ns = absent();
        quality.peak_memory_bytes = absent();
        for wait in &mut trailer.longest {
            wait.ran_comm = absent();
            wait.ran_ns = Measured::not("more switches than are remembered");
        }
    }
    run
}

/// Waits of 3 ns and of half an hour.
fn huge_values() -> Run {
    let mut numbers = Numbers(7);
    let minute = 60_000_000_000;
    let waits = WaitsByClass {
        workload: hist(&[3, 3, 900, 30_000_000_000, 18 * minute, 31 * minute]),
        others: hist(&[0, 1, 70_000, 40 * minute]),
        collector: Hist::default(),
    };
    let mut run = launch(2, 0);
    let mut one = cpu_frame(0, waits, &mut numbers);
    one.switches = 9_000_000_000;
    let mut long = frame(0, vec![one, cpu_frame(1, WaitsByClass::default(), &mut numbers)]);
    long.end_ns = long.start_ns + 60 * minute;
    long.proc_ctxt = Measured::Value(9_000_000_100);
    run.frames = vec![long];
    if let Some(trailer) = &mut run.trailer {
        trailer.longest = (0..3).map(|rank| long_wait(rank, 2)).collect();
        for wait in &mut trailer.longest {
            wait.wait_ns = 31 * minute;
            wait.end_ns += 40 * minute;
        }
    }
    run
}

/// Names that would move the cursor, end the line, or read backwards.
fn odd_names() -> Run {
    let mut run = launch(2, 1);
    run.header.target = Target::Launch {
        argv: ["sh", "-c", "printf '\x1b[31m' & wait", "a b", "", "it's", "\u{202e}gnp.exe", "naïve", "tab\there"]
            .map(str::to_owned)
            .to_vec(),
        user: Some("nobody\x07".into()),
    };
    run.header.machine.hostname = "host\u{9b}2J".into();
    let names =
        ["\x1b[2Jcleared", "two\nlines", "日本語", "\u{202e}drawkcab", "(sd-pam)", "a\u{200b}b", "é\u{fffd}\\", ""];
    if let Some(trailer) = &mut run.trailer {
        for (wait, name) in trailer.longest.iter_mut().zip(names.iter().cycle()) {
            wait.comm = (*name).to_owned();
            wait.ran_comm = Measured::Value((*name).to_owned());
            wait.last_comm = (*name).to_owned();
        }
        if let Measured::Value(open) = &mut trailer.open {
            open.longest[0].comm = Measured::Value("\x1b]0;title\x07".into());
        }
    }
    run
}

/// Attached to a running process, until Ctrl-C.
fn pid() -> Run {
    let mut run = launch(2, 2);
    run.header.target = Target::Pid { pid: 4_200, argv: vec!["postgres".into(), "-D".into(), "/srv/db".into()] };
    if let Some(trailer) = &mut run.trailer {
        trailer.reason = EndReason::Interrupted { signal: 2 };
        trailer.exit_code = 130;
    }
    run
}

/// No workload, ended by the time cap.
fn whole_machine() -> Run {
    let mut run = launch(2, 2);
    run.header.target = Target::All;
    run.header.options.duration_ms = Some(2000);
    for frame in &mut run.frames {
        for cpu in &mut frame.cpus {
            cpu.waits.others.merge(&std::mem::take(&mut cpu.waits.workload));
            cpu.workload_forks = 0;
        }
    }
    if let Some(trailer) = &mut run.trailer {
        trailer.reason = EndReason::TimeCap;
        for wait in &mut trailer.longest {
            wait.class = collector::record::TaskClass::Others;
        }
        if let Measured::Value(open) = &mut trailer.open {
            open.longest[0].class = collector::record::TaskClass::Others;
        }
        trailer.root_run_delay_ns = Measured::not("there is no workload");
    }
    run
}

/// A second of warm-up, in which the longest waits were.
fn warmup() -> Run {
    let mut run = launch(2, 3);
    run.header.options.warmup_ms = 1000;
    run.frames[0].warmup = true;
    run
}

/// Much is wrong: a probe is missing, waits were thrown away, witnesses disagree.
fn untrusted() -> Run {
    let mut run = launch(4, 3);
    run.header.probes.push(Probe {
        tracepoint: "sched_process_exit".into(),
        verdict: Verdict::Missing { reason: "the kernel has no tracepoint of this name".into() },
    });
    run.frames.remove(1);
    for frame in &mut run.frames {
        frame.proc_ctxt = Measured::Value(1_000_000);
        frame.cpus[1].backwards = 12;
        frame.cpus[2].unseen = 5_000;
        frame.cpus[1].proc_idle_ns = Measured::Value(1_000_000_000);
        frame.cpus[2].proc_idle_ns = Measured::Value(0);
        frame.cpus[3].proc_idle_ns = Measured::not("the CPU went offline");
    }
    if let Some(trailer) = &mut run.trailer {
        trailer.reason = EndReason::Signaled { signal: 9 };
        trailer.exit_code = 137;
        trailer.quality.recursion_misses = Measured::Value(31);
        trailer.quality.cpus_changed = "3".into();
    }
    run
}

/// Nothing happened at all, and all of it was measured.
fn idle() -> Run {
    let mut run = launch(2, 2);
    for frame in &mut run.frames {
        for cpu in &mut frame.cpus {
            cpu.waits = WaitsByClass::default();
            cpu.switches = 0;
            cpu.involuntary = 0;
            cpu.migrated = 0;
            cpu.idle_ns = Measured::Value(1_000_000_000);
            cpu.proc_idle_ns = Measured::Value(1_000_000_000);
        }
        frame.proc_ctxt = Measured::Value(0);
        frame.longest.clear();
    }
    if let Some(trailer) = &mut run.trailer {
        trailer.longest.clear();
        trailer.open = Measured::Value(OpenWaits { count: 0, by_cpu: vec![], longest: vec![] });
    }
    run
}

/// The command was not found.
fn not_started() -> Run {
    let mut run = launch(2, 0);
    if let Some(trailer) = &mut run.trailer {
        trailer.reason = EndReason::NotStarted { reason: "perf: command not found".into(), exit_code: 127 };
        trailer.exit_code = 127;
        trailer.longest.clear();
        trailer.open = Measured::Value(OpenWaits { count: 0, by_cpu: vec![], longest: vec![] });
    }
    run
}

/// Two commands side by side with a cookie each, one of which was cut by the time cap.
fn groups() -> Run {
    let mut run = launch(4, 2);
    let group = |name: &str, command: &str| Group { name: name.into(), command: command.into() };
    run.header.target = Target::Groups {
        groups: vec![group("na", "sysbench cpu --threads=2 run"), group("avx", "printf '\x1b[31m'; openssl speed")],
        user: Some("nobody".into()),
    };
    run.header.options.core_sched = Some("new".into());
    run.header.options.duration_ms = Some(2000);
    if let Some(trailer) = &mut run.trailer {
        let end = |name: &str, reason, exit_code, pid| GroupEnd {
            name: name.into(),
            reason,
            exit_code,
            root_pid: Measured::Value(pid),
        };
        trailer.reason = EndReason::TimeCap;
        trailer.exit_code = 124;
        trailer.groups =
            vec![end("na", EndReason::Exited { code: 0 }, 0, 4_200), end("avx", EndReason::TimeCap, 124, 4_201)];
        trailer.root_run_delay_ns = Measured::not("several commands were launched");
    }
    run
}
