//! What the terminal, file or pipe that text goes to can show.

use std::{env, io::IsTerminal, os::fd::AsFd};

/// Columns of what is no terminal.
const NO_TERMINAL: usize = 100;
/// Columns of a terminal that does not say.
const SILENT_TERMINAL: usize = 80;
/// Below this, lines are left to the terminal to break.
const NARROWEST: usize = 72;
/// Above this, bars only get harder to compare.
const WIDEST: usize = 160;

/// How text is to terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Columns.
    pub width: usize,
    /// Whether characters beyond ASCII may be used.
    pub unicode: bool,
    /// Whether colours may be used.
    pub color: bool,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { width: NO_TERMINAL, unicode: true, color: false }
    }
}

impl Terminal {
    /// For `stream`, from the terminal it may be and from the environment: `LC_ALL`,
    /// `LC_CTYPE`, `LANG`, `NO_COLOR`, `TERM`.
    pub fn of(stream: &(impl AsFd + IsTerminal)) -> Self {
        let terminal = stream.is_terminal();
        let columns = if terminal { columns(stream).unwrap_or(SILENT_TERMINAL) } else { NO_TERMINAL };
        let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        Self {
            width: columns.clamp(NARROWEST, WIDEST),
            unicode: is_utf8(&locale()),
            color: terminal && !set("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb"),
        }
    }

    /// The same with this many columns.
    pub fn with_width(self, width: usize) -> Self {
        Self { width: width.clamp(NARROWEST, WIDEST), ..self }
    }

    /// The sign for microseconds.
    pub const fn us(&self) -> &'static str {
        if self.unicode { "µs" } else { "us" }
    }
}

fn columns(stream: &impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    (size.ws_col > 0).then_some(size.ws_col.into())
}

/// The locale that decides about characters: the first of these that is not empty, as in setlocale(3).
fn locale() -> String {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| env::var(name).ok())
        .find(|value| !value.is_empty())
        .unwrap_or_default()
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::is_utf8;

    #[test]
    fn the_locale_tells_whether_it_is_utf8() {
        assert!(is_utf8("C.UTF-8") && is_utf8("de_CH.utf8") && is_utf8("en_US.UTF-8@euro"));
        assert!(!is_utf8("C") && !is_utf8("POSIX") && !is_utf8("") && !is_utf8("de_CH.ISO-8859-1"));
    }
}
