use collector::probe::*;
fn main() {
    let t0 = std::time::Instant::now();
    let raw = std::env::args().any(|a| a == "raw");
    let clock = if std::env::args().any(|a| a == "mono") { ClockWish::Monotonic } else { ClockWish::Auto };
    let mut t = Tracer::attach(&Config {
        btf: "/sys/kernel/btf/vmlinux".into(),
        clock,
        clock_doubt: None,
        raw,
        run_time: true,
        task_slots: 32768,
        pid_namespace: std::env::args().any(|a| a == "ns"),
        possible: vec![0, 1],
    })
    .unwrap_or_else(|e| {
        eprintln!("{e:#?}");
        let mut s: Option<&dyn std::error::Error> = Some(&e);
        while let Some(x) = s {
            eprintln!(
                "== {}",
                x.to_string().chars().rev().take(3000).collect::<String>().chars().rev().collect::<String>()
            );
            s = x.source();
        }
        std::process::exit(1)
    });
    eprintln!("attached in {:?} {:?}", t0.elapsed(), t.clock());
    for p in t.probes() {
        eprintln!("{p:?}");
    }
    eprintln!("self {:?}", t.pids().map(|p| p.kernel(std::process::id())));
    let a = t.open().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    let b = t.read().unwrap();
    for (i, (n, c)) in b.cpus.iter().enumerate() {
        let f = collector::engine::delta::cpu_frame(*n, &a, &a.cpus[i].1, &b, c).unwrap();
        eprintln!(
            "{} sw={} inv={} idle={:?} unseen={} bw={} back={} others n={} mean={:?} p50={:?} p99={:?} max={:?}",
            n,
            f.switches,
            f.involuntary,
            f.idle_ns,
            f.unseen,
            f.before_window,
            f.backwards,
            f.waits.others.n(),
            f.waits.others.mean_ns(),
            f.waits.others.percentile(50.),
            f.waits.others.percentile(99.),
            f.waits.others.max()
        );
    }
    for w in collector::engine::delta::longest(&b, 5) {
        eprintln!("{w:?}");
    }
    let c = t.counters();
    eprintln!("{c:?} ns/run {}", c.cost.ns as f64 / c.cost.runs as f64);
    eprintln!("{:?}", t.tasks().unwrap().waiting().unwrap().len());
}
