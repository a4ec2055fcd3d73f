#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::prelude::*;

use super::*;
use crate::host::fixture::Fixture;

const HZ: NonZeroU64 = USER_HZ;
const TEXT: &str = "\
cpu  50583 0 7290 208779 2190 0 570 247 0 0
cpu0 24318 0 3083 106933 161 0 260 122 0 0
cpu3 26264 0 4207 101845 2029 0 309 124 0 0
intr 584796 0 0 1
ctxt 1029276
btime 1764547000
softirq 21 0 3
";

fn parse(text: &str) -> ProcStat {
    ProcStat::parse(text, HZ)
}

#[test]
fn idle_and_switches_with_a_hole_in_the_cpus() {
    let stat = parse(TEXT);
    assert_eq!(stat.ctxt, Measured::Value(1_029_276));
    let expected = [(0, 1_070_940_000_000), (3, 1_038_740_000_000)].map(|(cpu, ns)| (cpu, Measured::Value(ns)));
    assert_eq!(stat.idle_ns, expected.into());
}

#[test]
fn ticks_of_another_length() {
    let stat = ProcStat::parse("cpu0 1 2 3 3 0", NonZeroU64::new(1024).unwrap());
    assert_eq!(stat.idle_ns[&0], Measured::Value(2_929_687));
}

#[test]
fn old_and_new_field_counts_and_big_numbers() {
    let stat = parse(
        "cpu0 1 1 1 7\ncpu1 1 1 1 7 3\ncpu2 1 1 1 7 3 1 1 1 1 1 99 99\ncpu3 1 1\n\
         cpu4\ncpu5 0 0 0 18446744073 709551615\n",
    );
    let ns = |cpu: u32| stat.idle_ns[&cpu].value().copied();
    assert_eq!((ns(0), ns(1), ns(2)), (Some(70_000_000), Some(100_000_000), Some(100_000_000)));
    assert_eq!((ns(3), ns(4)), (None, None));
    assert_eq!(ns(5), Some((18_446_744_073 + 709_551_615) * 10_000_000));
    let huge = parse(&format!("cpu0 0 0 0 {0} {0}\nctxt {0}\n", u64::MAX));
    assert_eq!(huge.ctxt, Measured::Value(u64::MAX));
    assert!(huge.idle_ns[&0].reason().unwrap().contains("cannot be"));
}

#[test]
fn absence_is_not_zero() {
    let stat = parse("cpu0 1 1 1 -7 3\ncpu-1 1 1 1 1\ncpux 1 1 1 1\nctxt many\n");
    assert_eq!(stat.idle_ns.keys().copied().collect::<Vec<_>>(), [0]);
    assert_eq!(stat.idle_ns[&0].reason().unwrap(), "`-7` in /proc/stat is not a number of ticks");
    assert_eq!(stat.ctxt.reason().unwrap(), "`ctxt` in /proc/stat is not a number");
    assert_eq!(parse("").ctxt.reason().unwrap(), "/proc/stat has no line `ctxt`");
    assert!(ProcStat::read(Fixture::new().root()).unwrap_err().is_missing());
}

#[test]
fn growth_is_checked() {
    let (earlier, later) =
        (parse(TEXT), parse("cpu0 0 0 0 106934 162\ncpu1 0 0 0 5 5\ncpu3 0 0 0 101846 2027\nctxt 1029279\n"));
    assert_eq!(later.ctxt_since(&earlier), Measured::Value(3));
    assert_eq!(
        earlier.ctxt_since(&later).reason().unwrap(),
        "the count of context switches in /proc/stat went backwards"
    );
    assert_eq!(later.idle_ns_since(&earlier, 0), Measured::Value(20_000_000));
    assert_eq!(later.idle_ns_since(&earlier, 3).reason().unwrap(), "idle time of CPU 3 in /proc/stat went backwards");
    let absent = "no idle time of CPU 1 in /proc/stat, the CPU was offline";
    assert_eq!(later.idle_ns_since(&earlier, 1).reason().unwrap(), absent);
    assert_eq!(earlier.idle_ns_since(&later, 1).reason().unwrap(), absent);
}

#[test]
fn the_live_machine() {
    let root = Path::new("/");
    let earlier = ProcStat::read(root).unwrap();
    let online = crate::host::topology::Topology::read(root).unwrap().online;
    let later = ProcStat::read(root).unwrap();
    assert!(later.ctxt_since(&earlier).value().is_some());
    assert!(online.iter().all(|cpu| earlier.idle_ns.get(&cpu).is_some_and(|idle| idle.value().is_some())));
}

proptest! {
    #[test]
    fn never_panics(text in "(cpu|ctxt|[0-9]{1,25}|[ \n\\-x]){0,60}", other in "\\PC*", hz in 1..2000u64) {
        let hz = NonZeroU64::new(hz).unwrap();
        let (a, b) = (ProcStat::parse(&text, hz), ProcStat::parse(&other, hz));
        let _ = (a.ctxt_since(&b), a.idle_ns_since(&b, 0));
    }

    #[test]
    fn idle_is_what_was_written(cpu in 0..9000u32, idle in 0..1u64 << 39, iowait in 0..1u64 << 39,
                                more in "( [0-9]{1,9}){0,6}") {
        let stat = parse(&format!("cpu{cpu} 1 2 3 {idle} {iowait}{more}\n"));
        prop_assert_eq!(&stat.idle_ns[&cpu], &Measured::Value((idle + iowait) * 10_000_000));
    }
}
