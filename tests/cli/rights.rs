//! A kernel that does not let us, or that cannot.

use std::{fs, os::unix::fs::PermissionsExt, os::unix::process::CommandExt, path::Path, process::Command};

use assert_cmd::cargo::cargo_bin;
use tempfile::TempDir;

use crate::support::{Answer, answer, of};

/// `nobody`, nearly everywhere; without rights in any case.
const NOBODY: u32 = 65_534;

/// A copy of the program where anybody may run it, and a folder where anybody may write.
struct Copied {
    dir: TempDir,
}

impl Copied {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
        fs::copy(cargo_bin!("collector"), dir.path().join("collector")).unwrap();
        Self { dir }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The program as somebody without rights.
    fn without_rights(&self) -> Command {
        let mut command = of(self.path().join("collector"));
        if rustix::process::geteuid().is_root() {
            // Also takes root's groups away.
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }
}

#[test]
fn without_type_information() {
    let said = answer(&["run", "--btf", "no-such-file", "--", "true"]);
    let said = said.refusal();
    assert!(said.contains("no-such-file") && said.contains("--btf"), "{said}");

    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("foreign");
    for bytes in [&b""[..], b"hello\n", &[0; 4096]] {
        fs::write(&file, bytes).unwrap();
        let said = answer(&["run", "--btf", file.to_str().unwrap(), "--", "true"]);
        assert!(said.refusal().contains("foreign"), "{said:?}");
    }
}

#[test]
fn without_rights() {
    let copied = Copied::new();
    let mark = copied.path().join("mark");
    let answer: Answer =
        copied.without_rights().args(["run", "--", "touch", mark.to_str().unwrap()]).output().unwrap().into();
    let said = answer.refusal();
    match collector::probe::object::bytes() {
        Ok(_) => assert!(said.contains("root") && said.contains("CAP_BPF"), "{said}"),
        Err(reason) => assert!(said.contains(reason), "{said}"),
    }
    assert!(!mark.exists(), "the command was run");
}

#[test]
fn check_without_rights_says_what_is_missing() {
    let copied = Copied::new();
    let answer: Answer = copied.without_rights().args(["check", "--json"]).output().unwrap().into();
    assert_eq!((answer.code, answer.stderr.as_str()), (1, ""));
    let items: Vec<collector::check::Item> = serde_json::from_str(&answer.stdout).unwrap();
    let rights = items.iter().find(|item| item.name == "rights").unwrap();
    assert_eq!(rights.status, collector::check::Status::Missing, "{rights:?}");
    assert!(rights.remedy.as_ref().is_some_and(|remedy| remedy.contains("root")), "{rights:?}");
}
