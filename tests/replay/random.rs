//! What holds for every record.

use collector::{
    engine::summary::Summary,
    output::{Exporter, Json, Report, Terminal, Text, json},
    record::{Frame, Hist, Measured, WaitsByClass},
};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

use crate::{
    schemas::faults_of_report,
    synthetic::{Numbers, Run, cpu_frame, frame, hist, launch},
};

fn waits() -> impl Strategy<Value = Hist> {
    // Evenly by order of magnitude, so that short and absurdly long waits both come up.
    let wait = (0_u32..43).prop_flat_map(|bits| 0_u64..1 << bits);
    prop::collection::vec(wait, 0..12).prop_map(|values| hist(&values))
}

fn maybe<T: std::fmt::Debug + Clone>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Measured<T>> {
    prop_oneof![4 => value.prop_map(Measured::Value), 1 => "[a-z \\PC]{0,20}".prop_map(Measured::NotMeasured)]
}

prop_compose! {
    fn cpu(number: u32)(
        workload in waits(), others in waits(), collector in waits(),
        idle in maybe(any::<u64>()), proc in maybe(any::<u64>()),
        counts in any::<[u64; 4]>(), seed in 1_u64..,
    ) -> collector::record::CpuFrame {
        let mut cpu = cpu_frame(number, WaitsByClass { workload, others, collector }, &mut Numbers(seed));
        cpu.idle_ns = idle;
        cpu.proc_idle_ns = proc;
        [cpu.switches, cpu.involuntary, cpu.unseen, cpu.migrated] = counts;
        cpu
    }
}

fn frames() -> impl Strategy<Value = Vec<Frame>> {
    let one = (1_u32..5).prop_flat_map(|cpus| (0..cpus).map(cpu).collect::<Vec<_>>());
    prop::collection::vec((one, any::<bool>(), maybe(any::<u64>())), 0..4).prop_map(|frames| {
        let number = |(seq, (cpus, warmup, proc_ctxt))| Frame { warmup, proc_ctxt, ..frame(seq, cpus) };
        (0..).zip(frames).map(number).collect()
    })
}

prop_compose! {
    fn runs()(frames in frames(), cut in any::<bool>(), comm in any::<String>(), open in maybe(Just(0))) -> Run {
        let mut run = Run { frames, ..launch(4, 1) };
        if let Some(trailer) = &mut run.trailer {
            trailer.longest[0].comm = comm;
            if let Measured::NotMeasured(reason) = open {
                trailer.open = Measured::NotMeasured(reason);
            }
        }
        if cut { run.cut() } else { run }
    }
}

fn summary(run: &Run) -> Summary {
    Summary::new(&run.header, &run.frames, run.trailer.as_ref())
}

fn report<'a>(run: &'a Run, summary: &'a Summary) -> Report<'a> {
    Report { header: &run.header, summary, trailer: run.trailer.as_ref() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn frames_add_up_to_the_total(run in runs()) {
        let summary = summary(&run);
        let all = || run.frames.iter().filter(|frame| !frame.warmup).flat_map(|frame| &frame.cpus);
        let parts = || all().flat_map(|cpu| [&cpu.waits.workload, &cpu.waits.others, &cpu.waits.collector]);
        prop_assert_eq!(summary.waits.n(), parts().map(Hist::n).sum::<u64>());
        prop_assert_eq!(summary.waits.sum_ns, parts().fold(0_u64, |sum, hist| sum.saturating_add(hist.sum_ns)));
        prop_assert_eq!(summary.waits.max(), parts().filter_map(Hist::max).max());
        prop_assert_eq!(summary.waits.min(), parts().filter_map(Hist::min).min());
        prop_assert_eq!(summary.counts.switches, all().fold(0_u64, |sum, cpu| sum.saturating_add(cpu.switches)));
        prop_assert_eq!(
            summary.by_class.workload.n() + summary.by_class.others.n() + summary.by_class.collector.n(),
            summary.waits.n()
        );
    }

    #[test]
    fn percentiles_lie_between_the_extremes_and_in_order(hist in waits()) {
        let mut last = hist.min();
        for percent in [0.0, 50.0, 90.0, 95.0, 99.0, 99.9, 100.0] {
            let value = hist.percentile(percent);
            prop_assert!(last <= value && value <= hist.max(), "p{}: {:?}", percent, value);
            last = value;
        }
    }

    #[test]
    fn text_has_no_nonsense_and_is_aligned(run in runs(), width in 80_usize..161, unicode in any::<bool>(), one in any::<bool>()) {
        let summary = summary(&run);
        let cpu = summary.cpus.first().map(|cpu| cpu.cpu).filter(|_| one);
        let terminal = Terminal { width, unicode, color: false };
        let text = Text { terminal, cpu }.render(&report(&run, &summary)).unwrap();
        let text = String::from_utf8(text).unwrap();
        for nonsense in ["NaN", "inf ", "inf\n", "-0.0 ", "  -0 "] {
            // Reasons are of the record, which may say what it likes.
            let figures = text.lines().filter(|line| !line.starts_with('(') && !line.contains("not measured"));
            prop_assert!(!figures.collect::<Vec<_>>().join("\n").contains(nonsense), "{}: {}", nonsense, text);
        }
        prop_assert!(unicode || text.is_ascii());
        prop_assert!(text.lines().all(|line| line == line.trim_end()), "{}", text);
        let rows: Vec<&str> = text
            .lines()
            .skip_while(|line| !line.starts_with("Run-queue latency by CPU"))
            .skip(1)
            .take_while(|line| line.split_whitespace().next().is_some_and(|word| word == "CPU" || word == "all" || word.parse::<u32>().is_ok()))
            .collect();
        prop_assert!(rows.is_empty() == summary.cpus.is_empty(), "{}", text);
        for row in &rows {
            prop_assert_eq!(row.width(), rows[0].width(), "{}", text);
        }
    }

    #[test]
    fn json_validates_and_reads_back(run in runs()) {
        let summary = summary(&run);
        let bytes = Json::default().render(&report(&run, &summary)).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let faults = faults_of_report(&value);
        prop_assert!(faults.is_empty(), "{:?}", faults);
        let back: json::model::Document = serde_json::from_slice(&bytes).unwrap();
        prop_assert_eq!(serde_json::to_value(back).unwrap(), value);
    }

    #[test]
    fn a_file_of_it_reads_as_it_was(run in runs()) {
        let loaded = run.loaded();
        let summary = summary(&run);
        prop_assert_eq!(loaded.report(), report(&run, &summary));
    }
}
