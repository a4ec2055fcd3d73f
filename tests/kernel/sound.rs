//! What holds for every record, whatever was measured.

use std::path::Path;

use collector::{
    engine::summary::Summary,
    record::{Frame, Hist, Measured, Trailer, Verdict, read::Record},
};
use serde_json::Value;

/// The tool's own limit, bytes.
const MEMORY: u64 = 30 << 20;

/// A wait may end after the reading that closes the window was begun and be in it:
/// the maps are read in less than this. An emulated processor takes 20 times as long.
fn reading_ns() -> u64 {
    if is_emulated() { 20_000_000 } else { 1_000_000 }
}

/// Whether this is a guest of `cargo xtask vm`.
fn is_emulated() -> bool {
    std::env::var_os("COLLECTOR_GUEST").is_some()
}

/// Less wait time than this is no witness on an emulated processor: 0.1 ms more or less
/// was seen, between the readings at either end of a task's life.
const SHORT_NS: u64 = 20_000_000;

/// Fails if anything in a record cannot be.
#[track_caller]
pub fn check(bytes: &[u8], record: &Record, summary: &Summary) {
    lines_are_valid(bytes);
    frames_are_gapless(&record.frames);
    for probe in &record.header.probes {
        assert!(matches!(probe.verdict, Verdict::Attached { .. }), "{probe:?}");
    }
    counts_are_possible(summary);
    waits_are_possible(summary);
    for check in &summary.checks {
        let witness = check.values.value().map_or(0, |&(_, witness)| witness);
        let short = check.witness.contains("schedstat") && witness < SHORT_NS;
        // Idle time is compared where it is known to be little or all, and for long enough
        // (`reconcile`, `idle`): in a fifth of a second /proc/stat was seen to be off by
        // 100 ms either way.
        if check.cpu.is_some() || (is_emulated() && short) {
            continue;
        }
        assert_ne!(check.agrees(), Some(false), "{check:#?}");
    }
    if let Some(trailer) = &record.trailer {
        trailer_is_possible(trailer, summary);
    }
}

/// Every line validates against the schema that is written out for others.
#[track_caller]
fn lines_are_valid(bytes: &[u8]) {
    if is_emulated() {
        // It would take longer than the run, and no kernel has it write other lines.
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/record.schema.json");
    let schema = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    for line in bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        let value: Value = serde_json::from_slice(line).unwrap();
        let errors: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?} in {value}");
    }
}

#[track_caller]
fn frames_are_gapless(frames: &[Frame]) {
    for (number, frame) in (0..).zip(frames) {
        assert_eq!(frame.seq, number);
        assert!(frame.start_ns <= frame.end_ns, "frame {number}");
    }
    for pair in frames.windows(2) {
        assert_eq!(pair[0].end_ns, pair[1].start_ns, "between the frames {} and {}", pair[0].seq, pair[1].seq);
        assert!(pair[0].warmup || !pair[1].warmup, "a warm-up after the window was opened");
    }
}

#[track_caller]
fn counts_are_possible(summary: &Summary) {
    assert_eq!((summary.missing_frames, summary.counts.no_slot), (0, 0));
    for cpu in &summary.cpus {
        let counts = &cpu.counts;
        assert!(counts.involuntary <= counts.switches, "{counts:?}");
        assert!(counts.unknown_ns <= cpu.observed_ns + reading_ns(), "{counts:?}");
        assert!(counts.untraced > 0 || counts.unknown_ns == 0, "{counts:?}");
        let entered = cpu.waits.n() + counts.unseen + counts.backwards + counts.before_window;
        // One may be read between the end of its wait and its being counted.
        assert!(entered <= counts.switches + 1, "{entered} tasks switched in by {counts:?}");
        let observed = cpu.observed_ns + reading_ns();
        assert!(cpu.idle_ns.value().is_none_or(|&idle| idle <= observed), "{:?} of {observed} idle", cpu.idle_ns);
    }
    let (counts, waits) = (&summary.counts, summary.waits.n());
    // A task that ran when tracing began is not seen to start; a hundredth of a per cent
    // is what the reconciliation would not notice.
    let few = 64 + waits / 10_000;
    assert!(counts.unseen <= few, "{} of {waits} unseen", counts.unseen);
    assert!(counts.backwards <= few, "{} of {waits} backwards", counts.backwards);
}

#[track_caller]
fn waits_are_possible(summary: &Summary) {
    let window = summary.window_ns + reading_ns();
    let classes = |waits: &collector::engine::summary::ClassWaits| {
        [waits.workload.clone(), waits.others.clone(), waits.collector.clone()]
    };
    for cpu in &summary.cpus {
        classes(&cpu.by_class).iter().chain([&cpu.waits]).for_each(|hist| hist_is_possible(hist, window));
    }
    classes(&summary.by_class).iter().chain([&summary.waits]).for_each(|hist| hist_is_possible(hist, window));
    for pair in summary.longest.windows(2) {
        assert!(pair[0].wait_ns >= pair[1].wait_ns, "{pair:?}");
    }
    for wait in &summary.longest {
        assert_ne!(wait.pid, 0, "the idle task waits for nothing: {wait:?}");
        assert!(wait.wait_ns <= window, "longer than the window: {wait:?}");
        assert!(wait.ran_ns.value().is_none_or(|&ran| ran <= wait.wait_ns), "{wait:?}");
        let began = wait.end_ns - wait.wait_ns;
        let opened = summary.start_ns - reading_ns();
        assert!(began >= opened, "began {} ns before the window: {wait:?}", summary.start_ns - began);
        assert!(wait.end_ns <= opened + reading_ns() + window, "ended after the window: {wait:?}");
    }
    if let (Some(first), Some(longest)) = (summary.longest.first(), summary.waits.max()) {
        // The longest of an epoch's last moments may be known by its bucket only.
        let least = longest - longest / 16;
        assert!((least..=longest + longest / 16).contains(&first.wait_ns), "{longest} is not that of {first:?}");
    }
}

#[track_caller]
fn hist_is_possible(hist: &Hist, window: u64) {
    let n = hist.n();
    let percentiles = [50.0, 90.0, 95.0, 99.0, 99.9].map(|percent| hist.percentile(percent));
    if n == 0 {
        assert_eq!((percentiles, hist.sum_ns), ([None; 5], 0));
        return;
    }
    let (min, max) = (hist.min().unwrap(), hist.max().unwrap());
    assert!(max <= window, "{max} is longer than the window of {window}");
    assert_eq!(hist.overflow, 0);
    let ladder: Vec<u64> = [Some(min)].into_iter().chain(percentiles).chain([Some(max)]).flatten().collect();
    assert!(ladder.len() == 7 && ladder.is_sorted(), "{ladder:?}");
    assert!(hist.sum_ns >= min * n && hist.sum_ns <= max * n, "{n} waits of {min} to {max} come to {}", hist.sum_ns);
}

#[track_caller]
fn trailer_is_possible(trailer: &Trailer, summary: &Summary) {
    let totals = &trailer.totals;
    assert_eq!(
        (totals.switches, totals.waits, totals.wait_ns),
        (summary.counts.switches, summary.waits.n(), summary.waits.sum_ns),
        "the frames' sum and the total"
    );
    let open = trailer.open.value().expect("open waits are counted");
    let by_cpu: u64 = open.by_cpu.iter().map(|&(_, count)| count).sum();
    assert_eq!((by_cpu, open.longest.len() as u64), (open.count, open.count.min(10)));
    for wait in &open.longest {
        assert!(wait.pid != 0 && wait.waited_ns <= summary.window_ns, "{wait:?}");
    }
    assert_eq!(trailer.quality.recursion_misses, Measured::Value(0));
    let memory = trailer.quality.peak_memory_bytes.value().expect("the collector's memory is known");
    assert!((1..MEMORY).contains(memory), "{memory} bytes");
}
