//! The text report.

use collector::output::{Exporter, Terminal, Text};
use unicode_width::UnicodeWidthStr;

use crate::{
    cases,
    synthetic::{Run, launch},
};

const WIDE: Terminal = Terminal { width: 100, unicode: true, color: false };

fn text(run: &Run, terminal: Terminal, cpu: Option<u32>) -> String {
    String::from_utf8(Text { terminal, cpu }.render(&run.loaded().report()).unwrap()).unwrap()
}

#[test]
fn reports_are_as_kept() {
    for (name, run) in cases::all() {
        insta::assert_snapshot!(format!("{name}_100"), text(&run, WIDE, None));
    }
}

#[test]
fn a_narrow_terminal_gets_a_narrow_report() {
    let narrow = Terminal { width: 80, ..WIDE };
    for (name, run) in cases::all() {
        let text = text(&run, narrow, None);
        if name == "launch_2_cpus" || name == "not_measured" || name == "untrusted" {
            insta::assert_snapshot!(format!("{name}_80"), text);
        }
    }
}

#[test]
fn one_cpu_can_be_shown() {
    insta::assert_snapshot!("one_cpu_100", text(&cases::all()[1].1, WIDE, Some(2)));
}

#[test]
fn an_unknown_cpu_is_answered_with_those_there_are() {
    let render = |run: &Run| {
        let loaded = run.loaded();
        Text { terminal: WIDE, cpu: Some(9) }.render(&loaded.report()).unwrap_err().to_string()
    };
    assert_eq!(render(&launch(4, 1)), "there is no CPU 9 in this record; it has 0-3");
    assert_eq!(render(&launch(4, 0)), "there is no CPU 9 in this record, which has no frame outside the warm-up");
}

#[test]
fn without_utf8_all_is_ascii() {
    let ascii = Terminal { unicode: false, ..WIDE };
    for (name, run) in cases::all() {
        let text = text(&run, ascii, None);
        assert!(text.is_ascii(), "{name}: {text}");
    }
    insta::assert_snapshot!("odd_names_ascii_100", text(&cases::all()[6].1, ascii, None));
}

#[test]
fn three_hundred_cpus_have_three_hundred_rows() {
    let text = text(&launch(300, 1), WIDE, None);
    let first_words: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("Run-queue latency by CPU"))
        .skip(2)
        .map_while(|line| line.split_whitespace().next())
        .collect();
    let expected: Vec<String> = (0..300).map(|cpu: u32| cpu.to_string()).chain(["all".to_owned()]).collect();
    assert_eq!(first_words, expected);
    assert!(text.lines().all(|line| line.width() <= 100), "{text}");
}

#[test]
fn no_line_is_wider_than_the_terminal_but_one_that_cannot_be_narrower() {
    for (name, run) in cases::all() {
        for width in [80, 100, 120, 160] {
            let text = text(&run, Terminal { width, ..WIDE }, None);
            for line in text.lines() {
                assert!(line.width() <= width, "{name} at {width}: {line:?}");
            }
        }
    }
}

#[test]
fn nothing_reaches_the_terminal_raw() {
    for (name, run) in cases::all() {
        let text = text(&run, WIDE, None);
        assert!(!text.chars().any(|c| c != '\n' && collector::record::printable::is_invisible(c)), "{name}");
    }
}

#[test]
fn colour_changes_nothing_but_colours() {
    for (name, run) in cases::all() {
        let plain = text(&run, WIDE, None);
        let colored = text(&run, Terminal { color: true, ..WIDE }, None);
        let mut stripped = String::new();
        let mut rest = colored.as_str();
        while let Some((before, after)) = rest.split_once("\x1b[") {
            stripped.push_str(before);
            rest = after.split_once('m').unwrap().1;
        }
        stripped.push_str(rest);
        // Blanks after a coloured bar are the only difference.
        let trimmed: Vec<&str> = stripped.lines().map(str::trim_end).collect();
        assert_eq!(trimmed, plain.lines().collect::<Vec<_>>(), "{name}");
        assert_ne!(colored, plain, "{name}");
    }
}
