//! Text from other programs, made safe for a terminal.

use std::fmt::Write as _;

/// `text` with everything escaped that a terminal would act on instead of showing:
/// control characters (a task may call itself `\x1b[2J`), and the invisible ones
/// that reorder or hide text. With `unicode` off everything beyond ASCII is too.
pub fn printable(text: &str, unicode: bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("\\n"),
            '\t' => safe.push_str("\\t"),
            '\r' => safe.push_str("\\r"),
            // Writing to a `String` cannot fail.
            c if u32::from(c) < 0x100 && c.is_control() => _ = write!(safe, "\\x{:02x}", u32::from(c)),
            c if is_invisible(c) || !(unicode || c.is_ascii()) => _ = write!(safe, "\\u{{{:x}}}", u32::from(c)),
            c => safe.push(c),
        }
    }
    safe
}

/// Characters that show nothing and change what is shown around them: control
/// characters, line separators, bidirectional marks and overrides, joiners, tags.
pub fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_acts_on_is_spelled_out() {
        assert_eq!(printable("a\x1b[2Jb\nc\u{9b}d\u{202e}e", true), "a\\x1b[2Jb\\nc\\x9bd\\u{202e}e");
        assert_eq!(printable("caché", true), "caché");
        assert_eq!(printable("caché", false), "cach\\u{e9}");
    }

    proptest! {
        #[test]
        fn nothing_invisible_is_left(text in any::<String>(), unicode in any::<bool>()) {
            let safe = printable(&text, unicode);
            prop_assert!(!safe.chars().any(is_invisible));
            prop_assert!(unicode || safe.is_ascii());
        }
    }
}
