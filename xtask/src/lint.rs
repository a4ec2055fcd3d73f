//! `cargo xtask lint`: what no test sees.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, bail};

use crate::{build, child, paths::Paths, step};

/// A file longer than this holds more than one idea.
const LONGEST: usize = 500;

/// The subcommand. Does every check, also after one has failed.
///
/// # Errors
/// When a check fails.
pub fn command(paths: &Paths) -> Result<ExitCode> {
    let failed: Vec<anyhow::Error> =
        [formatting(paths), clippy(paths), lengths(paths)].into_iter().filter_map(Result::err).collect();
    for error in &failed {
        step::say(format_args!("{error:#}"));
    }
    if !failed.is_empty() {
        bail!("{} of 3 checks failed", failed.len());
    }
    step::say("formatting, clippy and file lengths are fine");
    Ok(ExitCode::SUCCESS)
}

fn formatting(paths: &Paths) -> Result<()> {
    let mut cargo = build::host_cargo(paths);
    cargo.args(["fmt", "--all", "--", "--check"]);
    child::shown(&mut cargo, "the check of formatting", "run `cargo fmt --all`")
}

fn clippy(paths: &Paths) -> Result<()> {
    let mut cargo = build::host_cargo(paths);
    // Lints need no kernel object, and must not wait for one.
    cargo
        .env_remove("COLLECTOR_BPF_OBJECT")
        .args(["clippy", "--workspace", "--all-targets", "--locked"])
        .args(["--", "-D", "warnings"]);
    child::shown(&mut cargo, "clippy", "mend what it names")
}

fn lengths(paths: &Paths) -> Result<()> {
    let mut files = Vec::new();
    rust_files(&paths.root, &mut files).with_context(|| format!("could not read {}", paths.root.display()))?;
    let long: Vec<String> = files
        .into_iter()
        .filter(|(_, lines)| *lines > LONGEST)
        .map(|(path, lines)| {
            let path = path.strip_prefix(&paths.root).unwrap_or(&path);
            format!("{} ({lines} lines)", path.display())
        })
        .collect();
    if !long.is_empty() {
        bail!(
            "the check of file lengths failed: no .rs file has more than {LONGEST} lines, \
             but {}; split it by ideas",
            long.join(", ")
        );
    }
    Ok(())
}

/// Every Rust file with its number of lines, but for hidden folders and those
/// that bear cargo's mark of a build folder.
fn rust_files(dir: &Path, files: &mut Vec<(PathBuf, usize)>) -> io::Result<()> {
    if dir.join("CACHEDIR.TAG").exists() {
        return Ok(());
    }
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            rust_files(&path, files)?;
        } else if name.ends_with(".rs") {
            let lines = fs::read_to_string(&path)?.lines().count();
            files.push((path, lines));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_rust_files_outside_build_folders() -> io::Result<()> {
        let root = std::env::temp_dir().join(format!("xtask-lint-{}", std::process::id()));
        for file in ["src/a.rs", "src/a.txt", "out/CACHEDIR.TAG", "out/b.rs", ".hidden/c.rs"] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap_or(&root))?;
            fs::write(path, "1\n2\n3\n")?;
        }
        let mut files = Vec::new();
        rust_files(&root, &mut files)?;
        fs::remove_dir_all(&root)?;
        assert_eq!(files, [(root.join("src/a.rs"), 3)]);
        Ok(())
    }
}
