//! The shared libraries that a program loads, so that programs of the host run in the
//! guest as they are, and nothing is built twice.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::{child, paths::Paths};

/// The libraries of a program, its interpreter among them; none for a static one.
///
/// # Errors
/// When a library is missing on the host.
pub fn of(program: &Path, paths: &Paths) -> Result<Vec<PathBuf>> {
    // It fails for what is not dynamic, which is an answer as well.
    let text = child::output_of(child::plain("ldd", &paths.target).arg(program)).unwrap_or_default();
    parse(&text).with_context(|| format!("{} does not run on this machine", program.display()))
}

fn parse(text: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for line in text.lines() {
        let (name, place) = line.split_once("=>").unwrap_or(("", line));
        let place = place.trim();
        if place.starts_with("not found") {
            anyhow::bail!("{} was not found", name.trim());
        }
        // The kernel's own (linux-vdso) has no file.
        if place.starts_with('/') {
            found.push(PathBuf::from(place.split(" (").next().unwrap_or(place)));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_files_and_the_interpreter() -> Result<()> {
        let text = "\tlinux-vdso.so.1 (0x00007ffe)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)\n\
                    \t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n";
        let expected = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"].map(PathBuf::from);
        assert_eq!(parse(text)?, expected);
        assert_eq!(parse("\tstatically linked\n")?, Vec::<PathBuf>::new());
        Ok(())
    }

    #[test]
    fn a_missing_library_is_named() {
        let error = parse("\tlibx.so.1 => not found\n").err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("libx.so.1 was not found"));
    }
}
