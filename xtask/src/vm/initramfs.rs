//! The guest's root: a cpio archive in the "newc" format, which the kernel unpacks.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use cpio::newc::{Builder, ModeFileType, trailer};

/// What a name in the archive stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Folder,
    /// A file of the host.
    Copy(PathBuf),
    Content(Vec<u8>),
    Link(PathBuf),
    /// A character device.
    Device(u32, u32),
}

/// An archive that is to be.
#[derive(Debug, Default)]
pub struct Initramfs {
    nodes: BTreeMap<PathBuf, Node>,
}

impl Initramfs {
    /// One with what the kernel itself needs: the console, and the mount points.
    pub fn new() -> Self {
        let mut new = Self::default();
        // Opened before the first process could mount anything.
        new.put(Path::new("/dev/console"), Node::Device(5, 1));
        for folder in ["/proc", "/sys", "/tmp", "/root"] {
            new.put(Path::new(folder), Node::Folder);
        }
        new
    }

    /// A file of the host, with its permission to be run.
    pub fn copy(&mut self, from: &Path, to: &Path) {
        self.put(to, Node::Copy(from.to_owned()));
    }

    /// A file with this content.
    pub fn write(&mut self, to: &Path, content: impl Into<Vec<u8>>) {
        self.put(to, Node::Content(content.into()));
    }

    /// A folder.
    pub fn folder(&mut self, path: &Path) {
        self.put(path, Node::Folder);
    }

    /// A symbolic link.
    pub fn link(&mut self, path: &Path, target: &Path) {
        self.put(path, Node::Link(target.to_owned()));
    }

    /// The later of two of the same name stays, but nothing replaces a folder.
    fn put(&mut self, path: &Path, node: Node) {
        for parent in path.ancestors().skip(1).filter(|parent| parent.parent().is_some()) {
            self.nodes.insert(parent.to_owned(), Node::Folder);
        }
        if self.nodes.get(path) != Some(&Node::Folder) {
            self.nodes.insert(path.to_owned(), node);
        }
    }

    /// Writes it.
    ///
    /// # Errors
    /// When a file cannot be read, or the archive not written.
    pub fn save(&self, to: &Path) -> Result<()> {
        let failed = || format!("could not write {}", to.display());
        let mut archive = BufWriter::new(File::create(to).with_context(failed)?);
        self.pack(&mut archive)?;
        archive.flush().with_context(failed)
    }

    fn pack(&self, mut to: impl Write) -> Result<()> {
        // Parents sort before what is in them, as the kernel makes no folders by itself.
        for (number, (path, node)) in (1..).zip(&self.nodes) {
            entry(number, path, node, &mut to).with_context(|| format!("could not pack {}", path.display()))?;
        }
        trailer(to).context("could not close the archive")?;
        Ok(())
    }
}

fn entry(number: u32, path: &Path, node: &Node, to: impl Write) -> io::Result<()> {
    let name = path.strip_prefix("/").unwrap_or(path).to_str().ok_or(io::ErrorKind::InvalidFilename)?;
    let entry = Builder::new(name).ino(number).nlink(1).mode(0o755);
    let (entry, content) = match node {
        Node::Folder => (entry.set_mode_file_type(ModeFileType::Directory), Vec::new()),
        Node::Copy(from) => (entry.set_mode_file_type(ModeFileType::Regular), fs::read(from)?),
        Node::Content(content) => (entry.mode(0o644).set_mode_file_type(ModeFileType::Regular), content.clone()),
        Node::Link(target) => {
            let target = target.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
            (entry.mode(0o777).set_mode_file_type(ModeFileType::Symlink), target.as_bytes().to_vec())
        }
        Node::Device(major, minor) => {
            let device = entry.mode(0o600).set_mode_file_type(ModeFileType::Char);
            (device.rdev_major(*major).rdev_minor(*minor), Vec::new())
        }
    };
    let size = u32::try_from(content.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    let mut writer = entry.write(to, size);
    writer.write_all(&content)?;
    writer.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpio::newc::Reader;
    use std::io::Read as _;

    /// Name, mode, device and content.
    type Unpacked = (String, u32, (u32, u32), Vec<u8>);

    fn unpacked(archive: &[u8]) -> Result<Vec<Unpacked>> {
        let (mut entries, mut rest) = (Vec::new(), archive);
        loop {
            let mut reader = Reader::new(rest)?;
            if reader.entry().is_trailer() {
                return Ok(entries);
            }
            let mut content = Vec::new();
            reader.read_to_end(&mut content)?;
            let entry = reader.entry();
            let device = (entry.rdev_major(), entry.rdev_minor());
            entries.push((entry.name().to_owned(), entry.mode(), device, content));
            rest = reader.finish()?;
        }
    }

    #[test]
    fn holds_what_was_put_in_parents_first() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let program = dir.path().join("p");
        fs::write(&program, b"program")?;
        let mut initramfs = Initramfs::new();
        initramfs.copy(&program, Path::new("/usr/lib/deep/p"));
        initramfs.write(Path::new("/etc/passwd"), "root");
        initramfs.link(Path::new("/bin/q"), Path::new("/usr/lib/deep/p"));
        let mut archive = Vec::new();
        initramfs.pack(&mut archive)?;
        let entries = unpacked(&archive)?;
        let find = |name: &str| entries.iter().find(|entry| entry.0 == name).cloned();
        let expected = |name: &str, mode, content: &[u8]| Some((name.to_owned(), mode, (0, 0), content.to_vec()));
        assert_eq!(find("usr/lib/deep/p"), expected("usr/lib/deep/p", 0o100_755, b"program"));
        assert_eq!(find("etc/passwd"), expected("etc/passwd", 0o100_644, b"root"));
        assert_eq!(find("bin/q"), expected("bin/q", 0o120_777, b"/usr/lib/deep/p"));
        assert_eq!(find("dev/console"), Some(("dev/console".to_owned(), 0o020_600, (5, 1), Vec::new())));
        assert_eq!(find("usr/lib"), expected("usr/lib", 0o040_755, b""));
        for (index, (name, ..)) in entries.iter().enumerate() {
            if let Some((parent, _)) = name.rsplit_once('/') {
                assert!(entries[..index].iter().any(|entry| entry.0 == parent), "{name} comes before its parent");
            }
        }
        Ok(())
    }

    #[test]
    fn a_folder_stays_a_folder() -> Result<()> {
        let mut initramfs = Initramfs::new();
        initramfs.write(Path::new("/dev"), "not this");
        let mut archive = Vec::new();
        initramfs.pack(&mut archive)?;
        assert!(unpacked(&archive)?.iter().any(|entry| entry.0 == "dev" && entry.1 == 0o040_755));
        Ok(())
    }
}
