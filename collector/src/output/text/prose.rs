//! Lines of words: wrapped, quoted, with notes at their foot.

use unicode_width::UnicodeWidthStr;

use crate::{
    output::Terminal,
    record::{
        Measured,
        printable::{is_invisible, printable},
    },
};

/// Breaks `text` between words into lines of at most `width`; the first begins with
/// `label`, the others with as many spaces. A longer word keeps a line of its own.
pub fn wrapped(label: &str, text: &str, width: usize) -> Vec<String> {
    hanging(label, text, width, label.width())
}

/// The same with `indent` spaces before all lines but the first.
pub fn hanging(label: &str, text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = label.to_owned();
    let mut empty = true;
    for word in words(text) {
        if !empty && line.width() + 1 + word.width() > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(&word);
        empty = false;
    }
    lines.push(line);
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines
}

/// The words, numbers together with their units: `-33.3 %`, `41 ms`, `CPU 1`.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let is_unit = matches!(word.trim_end_matches([',', ';', ')']), "%" | "ns" | "us" | "µs" | "ms" | "s" | "MiB");
        let glued = words
            .last_mut()
            .filter(|last| last.as_str() == "CPU" || (is_unit && last.ends_with(|c: char| c.is_ascii_digit())));
        match glued {
            Some(last) => {
                last.push(' ');
                last.push_str(word);
            }
            None => words.push(word.to_owned()),
        }
    }
    words
}

/// A command as it could be typed into a shell.
pub fn command(argv: &[String], terminal: Terminal) -> String {
    argv.iter().map(|argument| quoted(argument, terminal)).collect::<Vec<_>>().join(" ")
}

fn quoted(argument: &str, terminal: Terminal) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c) || (!c.is_ascii() && terminal.unicode);
    let unsafe_here = |c: char| is_invisible(c) || !(terminal.unicode || c.is_ascii());
    if argument.chars().any(unsafe_here) {
        // bash and zsh take $'…' back.
        let escape = |c: char| match c {
            '\\' | '\'' => format!("\\{c}"),
            '\n' => "\\n".to_owned(),
            '\t' => "\\t".to_owned(),
            c if c.is_ascii_control() => format!("\\x{:02x}", u32::from(c)),
            c if unsafe_here(c) => format!("\\U{:08x}", u32::from(c)),
            c => c.to_string(),
        };
        return format!("$'{}'", argument.chars().map(escape).collect::<String>());
    }
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

/// A value in words, or why there is none.
pub fn told<T>(measured: &Measured<T>, tell: impl FnOnce(&T) -> String, terminal: Terminal) -> String {
    match measured {
        Measured::Value(value) => tell(value),
        Measured::NotMeasured(reason) => format!("not measured ({})", printable(reason, terminal.unicode)),
    }
}

/// Notes at the foot of a table: why a cell has no value.
#[derive(Default)]
pub struct Notes {
    reasons: Vec<String>,
    no_samples: bool,
}

impl Notes {
    /// The mark that stands in for a value that was not measured.
    pub fn mark(&mut self, reason: &str) -> String {
        let index = self.reasons.iter().position(|known| known == reason).unwrap_or_else(|| {
            self.reasons.push(reason.to_owned());
            self.reasons.len() - 1
        });
        format!("({})", index + 1)
    }

    /// The value of a cell, or the mark.
    pub fn cell<T>(&mut self, measured: &Measured<T>, tell: impl FnOnce(&T) -> String) -> String {
        match measured {
            Measured::Value(value) => tell(value),
            Measured::NotMeasured(reason) => self.mark(reason),
        }
    }

    /// The mark that stands in for a figure of an empty histogram.
    pub fn no_samples(&mut self) -> String {
        self.no_samples = true;
        "-".to_owned()
    }

    /// The lines below the table.
    pub fn lines(&self, terminal: Terminal) -> Vec<String> {
        let mut lines = Vec::new();
        if self.no_samples {
            lines.push("  - no samples".to_owned());
        }
        for (index, reason) in self.reasons.iter().enumerate() {
            let reason = format!("not measured: {}", printable(reason, terminal.unicode));
            lines.extend(wrapped(&format!("({}) ", index + 1), &reason, terminal.width));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMINAL: Terminal = Terminal { width: 80, unicode: true, color: false };

    #[test]
    fn lines_break_between_words_below_the_first() {
        assert_eq!(wrapped("a  ", "one two three", 10), ["a  one two", "   three"]);
        assert_eq!(wrapped("a  ", "", 10), ["a"]);
        assert_eq!(wrapped("", "off by 3.5 %, on CPU 1", 12), ["off by", "3.5 %, on", "CPU 1"]);
        assert_eq!(hanging("a: ", "one two", 7, 1), ["a: one", " two"]);
        assert_eq!(wrapped("", "a-very-long-word b", 5), ["a-very-long-word", "b"]);
    }

    #[test]
    fn commands_can_be_typed_again() {
        let argv = ["sh", "-c", "a & b; echo 'x'", "", "a\x1b[1m\u{202e}", "ça"].map(str::to_owned);
        assert_eq!(command(&argv, TERMINAL), r"sh -c 'a & b; echo '\''x'\''' '' $'a\x1b[1m\U0000202e' ça");
        assert!(command(&argv, Terminal { unicode: false, ..TERMINAL }).ends_with(r"$'\U000000e7a'"));
    }

    #[test]
    fn equal_reasons_share_a_note() {
        let mut notes = Notes::default();
        assert_eq!([notes.mark("x"), notes.mark("y"), notes.mark("x")], ["(1)", "(2)", "(1)"]);
        assert_eq!(notes.lines(TERMINAL), ["(1) not measured: x", "(2) not measured: y"]);
    }
}
