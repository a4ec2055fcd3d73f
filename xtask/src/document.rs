//! The generated parts of documents.

use std::{fs, path::Path};

use anyhow::{Context as _, Result};

use crate::files;

/// Puts `content` between the marks of part `name`, which `cargo xtask BY` writes; what
/// people wrote around them stays.
///
/// # Errors
/// When the file or its marks are missing.
pub fn replace(path: &Path, by: &str, name: &str, content: &str) -> Result<()> {
    let text = fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))?;
    let text = spliced(&text, by, name, content)
        .with_context(|| format!("{} has no line {}", path.display(), begin(by, name)))?;
    files::replace_if_changed(path, text.as_bytes()).map(drop)
}

fn begin(by: &str, name: &str) -> String {
    format!("<!-- begin {name}: written by cargo xtask {by} -->")
}

fn spliced(text: &str, by: &str, name: &str, content: &str) -> Option<String> {
    let begin = begin(by, name);
    let end = format!("<!-- end {name} -->");
    let (before, rest) = text.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n\n{}\n\n{end}{after}", content.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let text =
            "# Cost\n\nBy hand.\n\n<!-- begin a: written by cargo xtask bench -->\nold\n<!-- end a -->\n\nMore.\n";
        let expected =
            "# Cost\n\nBy hand.\n\n<!-- begin a: written by cargo xtask bench -->\n\nnew\n\n<!-- end a -->\n\nMore.\n";
        assert_eq!(spliced(text, "bench", "a", "new\n").as_deref(), Some(expected));
        assert_eq!(spliced(expected, "bench", "a", "new").as_deref(), Some(expected));
        assert_eq!(spliced(text, "bench", "b", "new"), None);
    }
}
