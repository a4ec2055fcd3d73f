//! Files that are read while they are written.

use std::{fs, io, path::Path};

use anyhow::{Context as _, Result};

/// Gives `path` this content: all at once, and only if it is another one, so
/// that cargo, which goes by the time of change, rebuilds nothing for nothing.
/// Tells whether it wrote.
///
/// # Errors
/// When the folder cannot be written.
pub fn replace_if_changed(path: &Path, content: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(false);
    }
    write_whole(path, content).with_context(|| format!("could not write {}", path.display()))?;
    Ok(true)
}

fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.partial", std::process::id()));
    let partial = path.with_file_name(name);
    fs::write(&partial, content)?;
    fs::rename(&partial, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_an_equal_file_alone() -> Result<()> {
        let dir = std::env::temp_dir().join(format!("xtask-files-{}", std::process::id()));
        let file = dir.join("object");
        assert!(replace_if_changed(&file, b"one")?);
        let written = fs::metadata(&file)?.modified()?;
        assert!(!replace_if_changed(&file, b"one")?);
        assert_eq!(fs::metadata(&file)?.modified()?, written);
        assert!(replace_if_changed(&file, b"two")?);
        assert_eq!(fs::read(&file)?, b"two");
        assert_eq!(fs::read_dir(&dir)?.count(), 1, "a partial file was left");
        fs::remove_dir_all(&dir)?;
        Ok(())
    }
}
