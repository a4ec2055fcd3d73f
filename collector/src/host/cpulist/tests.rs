#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::{collection::btree_set, prelude::*};

use super::*;

fn cpus(text: &str) -> Vec<u32> {
    text.parse::<CpuList>().unwrap().iter().collect()
}

fn error(text: &str) -> String {
    text.parse::<CpuList>().unwrap_err().to_string()
}

#[test]
fn holes_and_ranges() {
    assert_eq!(cpus("0-1,4,8-10\n"), [0, 1, 4, 8, 9, 10]);
    assert_eq!("0-11,16-27".parse::<CpuList>().unwrap().len(), 24);
    assert_eq!(cpus("3,1,2,2,0-1"), [0, 1, 2, 3]);
    assert_eq!(cpus(" 0 2\t4\n"), [0, 2, 4]);
    assert_eq!(cpus("007"), [7]);
}

#[test]
fn empty_lists() {
    for text in ["", "\n", " ", ",", "  \n"] {
        let list: CpuList = text.parse().unwrap();
        assert!(list.is_empty());
        assert_eq!((list.first(), list.last(), list.to_string()), (None, None, String::new()));
    }
}

#[test]
fn patterns_take_the_first_of_each_group() {
    assert_eq!(cpus("8-15:2/4"), [8, 9, 12, 13]);
    assert_eq!(cpus("9-38:4/10"), [9, 10, 11, 12, 19, 20, 21, 22, 29, 30, 31, 32]);
    assert_eq!(cpus("0-4:1/2"), [0, 2, 4]);
    assert_eq!(cpus("0-3:4/4"), [0, 1, 2, 3]);
    assert_eq!(cpus("0-3:2/4294967295"), [0, 1]);
    assert_eq!("0-1023:2/256".parse::<CpuList>().unwrap().to_string(), "0-1,256-257,512-513,768-769");
}

#[test]
fn more_than_1024_cpus() {
    let list: CpuList = "0-8191".parse().unwrap();
    assert_eq!((list.len(), list.last()), (8192, Some(8191)));
    assert_eq!(list.to_string(), "0-8191");
}

#[test]
fn errors_name_the_bad_part() {
    assert_eq!(error("0-1,x3,4"), "`x3` is neither a CPU nor a range of CPUs; a list looks like 0-3,8,10-14:1/2");
    assert_eq!(error("0,5-3"), "`5-3` ends before it begins");
    assert_eq!(error("0-9:3/2"), "in `0-9:3/2` more CPUs are used than are in a group");
    assert_eq!(error("0-9:0/0"), "in `0-9:0/0` more CPUs are used than are in a group");
    for beyond in ["0-4294967295", "8192", "99999999999999999999999"] {
        assert_eq!(error(beyond), format!("`{beyond}` names a CPU above 8191, the last that Linux can have"));
    }
    for syntax in
        ["-1", "1-", "-", "+1", "1--2", "1-2-3", "5:1/2", "0-3:1", "0-3:/2", "0-3:1/2/3", "all", "N", "0x1", "1;2"]
    {
        assert!(error(syntax).starts_with(&format!("`{syntax}` is neither")), "{syntax}: {}", error(syntax));
    }
}

#[test]
fn a_long_bad_part_is_cut() {
    assert!(error(&"z".repeat(1 << 20)).chars().count() < 150);
}

#[test]
fn sets() {
    let (present, online): (CpuList, CpuList) = ("0-7".parse().unwrap(), "0-3,6".parse().unwrap());
    assert_eq!(present.without(&online).to_string(), "4-5,7");
    assert!(online.contains(6) && !online.contains(5));
}

proptest! {
    #[test]
    fn round_trip(set in btree_set(0..LIMIT, 0..200)) {
        let list: CpuList = set.iter().copied().collect();
        prop_assert_eq!(list.iter().collect::<Vec<_>>(), set.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(list.to_string().parse::<CpuList>().unwrap(), list);
    }

    #[test]
    fn a_pattern_is_what_its_definition_says(first in 0..300u32, len in 0..300u32, group in 1..40u32,
                                               used in 0..40u32) {
        prop_assume!(used <= group);
        let last = first + len;
        let expected: Vec<u32> = (first..=last).filter(|cpu| (cpu - first) % group < used).collect();
        prop_assert_eq!(cpus(&format!("{first}-{last}:{used}/{group}")), expected);
    }

    #[test]
    fn any_text_is_a_bounded_list_or_an_error(text in "[0-9,:/ \\-\nxN]{0,40}") {
        if let Ok(list) = text.parse::<CpuList>() {
            prop_assert!(list.len() <= LIMIT as usize);
            prop_assert_eq!(list.to_string().parse::<CpuList>().unwrap(), list);
        }
    }
}
