//! First and last lines.

use collector::record::{
    ClockChoice, ClockKind, CpuPlace, EndReason, Header, HistogramParameters, LongWait, Machine, MapMemory, Measured,
    OpenWait, OpenWaits, Options, Probe, ProbeKind, ProgramCost, Quality, SCHEMA_VERSION, Target, TaskClass, Tool,
    Totals, Trailer, Verdict,
};

use super::{SECOND, START};

/// The `rank`th longest wait on a machine of `cpus` CPUs.
pub fn long_wait(rank: u64, cpus: u32) -> LongWait {
    let wait_ns = 12_345_678 / (rank + 1);
    let migrated = rank % 3 == 1;
    let cpu = (rank % u64::from(cpus)) as u32;
    LongWait {
        wait_ns,
        end_ns: START + SECOND / 3 * (rank + 1),
        cpu,
        from_cpu: if migrated { (cpu + 1) % cpus } else { cpu },
        pid: 4_200 + rank as u32,
        tgid: 4_200,
        comm: "sched-messaging".to_owned(),
        class: if rank % 4 == 3 { TaskClass::Others } else { TaskClass::Workload },
        ran_pid: if rank == 4 { 0 } else { 31 },
        ran_comm: match rank {
            4 => Measured::Value("idle".to_owned()),
            5 => Measured::not("the task was gone before its name was read"),
            _ => Measured::Value("kworker/0:1".to_owned()),
        },
        ran_ns: if rank == 6 {
            Measured::not("more switches than are remembered")
        } else {
            Measured::Value(wait_ns / 10 * 9)
        },
        last_pid: 77,
        last_comm: "ksoftirqd/0".to_owned(),
    }
}

pub fn header(cpus: u32) -> Header {
    let attached = |tracepoint: &str| Probe {
        tracepoint: tracepoint.to_owned(),
        verdict: Verdict::Attached { kind: ProbeKind::BtfTracepoint, fallback_reason: None },
    };
    let place = |cpu: u32| CpuPlace {
        cpu,
        package: Measured::Value(0),
        core: Measured::Value(cpu / 2),
        node: Measured::Value(0),
        siblings: Measured::Value(format!("{}-{}", cpu / 2 * 2, cpu / 2 * 2 + 1)),
    };
    let online = format!("0-{}", cpus - 1);
    Header {
        schema: SCHEMA_VERSION,
        tool: Tool { name: "collector".into(), version: "0.1.0".into(), kernel_object: "rustc 1.96, LLVM 22".into() },
        started: "2026-01-05T09:30:00Z".into(),
        started_ns: START,
        machine: Machine {
            hostname: "bench-1".into(),
            kernel: "6.12.30-amd64".into(),
            arch: "x86_64".into(),
            model: Measured::Value("Synthetic CPU @ 3.00GHz".into()),
            possible: online.clone(),
            present: online.clone(),
            online,
            smt: Measured::Value("on".into()),
            topology: (0..cpus).map(place).collect(),
        },
        target: Target::Launch {
            argv: ["perf", "bench", "sched", "messaging", "-g", "4"].map(str::to_owned).to_vec(),
            user: None,
        },
        options: Options { interval_ms: 1000, warmup_ms: 0, duration_ms: None, agent_cpus: None, core_sched: None },
        probes: ["sched_switch", "sched_wakeup", "sched_wakeup_new"].map(attached).to_vec(),
        clock: ClockChoice { kind: ClockKind::RunQueue, reason: "one clock source, stable".into() },
        histogram: HistogramParameters::current(),
        kernel_memory: vec![
            MapMemory { map: "CPUS".into(), bytes: 65_536 * u64::from(cpus) },
            MapMemory { map: "TASKS".into(), bytes: 1_310_720 },
        ],
    }
}

pub fn trailer(cpus: u32, ended_ns: u64) -> Trailer {
    Trailer {
        ended_ns,
        reason: EndReason::Exited { code: 0 },
        exit_code: 0,
        groups: Vec::new(),
        totals: Totals::default(),
        longest: (0..10).map(|rank| long_wait(rank, cpus)).collect(),
        open: Measured::Value(OpenWaits {
            count: 2,
            by_cpu: vec![(cpus - 1, 2)],
            longest: vec![OpenWait {
                waited_ns: 41_500,
                pid: 4_207,
                comm: Measured::Value("sched-messaging".into()),
                cpu: cpus - 1,
                class: TaskClass::Workload,
            }],
        }),
        root_run_delay_ns: Measured::not("the process was gone before it was read"),
        quality: Quality {
            recursion_misses: Measured::Value(0),
            dropped_events: Measured::Value(0),
            cpus_not_observed: String::new(),
            cpus_changed: String::new(),
            programs: Measured::Value(ProgramCost { runs: 12_000, ns: 1_176_000 }),
            own_cpu_ns: Measured::Value(31_000_000),
            peak_memory_bytes: Measured::Value(14_900_000),
        },
    }
}
