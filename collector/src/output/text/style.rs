//! The few colours there are.

use crate::output::Terminal;

/// How a stretch of text looks where colours may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As everything else.
    Plain,
    /// A heading.
    Bold,
    /// What is read second.
    Dim,
    /// In order.
    Good,
    /// Not in order.
    Bad,
    /// The workload's bars.
    Workload,
    /// Everybody else's bars.
    Others,
}

impl Style {
    /// `text` in this style.
    pub fn paint(self, text: &str, terminal: Terminal) -> String {
        let code = match self {
            _ if !terminal.color || text.is_empty() => return text.to_owned(),
            Self::Plain => return text.to_owned(),
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Good => "32",
            Self::Bad => "1;31",
            Self::Workload => "36",
            Self::Others => "33",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}
