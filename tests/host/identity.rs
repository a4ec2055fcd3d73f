//! Running the command as another user.

use std::process::Command;

use libtest_mimic::Trial;

use super::support::{Helper, root_test, test};

pub fn tests() -> Vec<Trial> {
    vec![
        root_test("identity::nobody_is_nobody", nobody_is_nobody),
        root_test("identity::nobody_has_no_capability", nobody_has_no_capability),
        root_test("identity::root_has_roots_groups", root_has_roots_groups),
        root_test("identity::ordinary_user_may_not_change", ordinary_user_may_not_change),
        root_test("identity::file_of_another_user_is_denied", file_of_another_user_is_denied),
        root_test("identity::closed_directory_of_path_is_passed_over", closed_directory_of_path_is_passed_over),
        test("identity::oneself_takes_no_rights", oneself_takes_no_rights),
    ]
}

/// What a command says, on one line.
fn says(command: &str, args: &[&str]) -> String {
    let output = Command::new(command).args(args).output().unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn nobody_is_nobody() {
    let script = "id -u; id -g; id -G; echo $USER:$LOGNAME:$HOME:$SHELL";
    let mut helper = Helper::supervise(&["--in-group", "12345", "--user", "nobody", "--", "sh", "-c", script]);
    let entry = says("getent", &["passwd", "nobody"]);
    let mut fields = entry.split(':').skip(5);
    let (home, shell) = (fields.next().unwrap(), fields.next().unwrap());
    assert_eq!(
        helper.out.rest(),
        [
            says("id", &["-u", "nobody"]),
            says("id", &["-g", "nobody"]),
            says("id", &["-G", "nobody"]),
            format!("nobody:nobody:{home}:{shell}"),
        ]
    );
    assert_eq!(helper.code(), 0);
}

fn nobody_has_no_capability() {
    let mut helper = Helper::supervise(&["--user", "nobody", "--", "cat", "/proc/self/status"]);
    let (uid, gid) = (says("id", &["-u", "nobody"]), says("id", &["-g", "nobody"]));
    assert_eq!(helper.out.expect("Uid:"), [&*uid; 4].join("\t"), "real, effective, saved, file system");
    assert_eq!(helper.out.expect("Gid:"), [&*gid; 4].join("\t"));
    for field in ["CapPrm:", "CapEff:", "CapAmb:"] {
        assert_eq!(helper.out.expect(field), "0000000000000000", "{field}");
    }
}

fn root_has_roots_groups() {
    let mut helper = Helper::supervise(&["--in-group", "12345", "--user", "root", "--", "id", "-G"]);
    assert_eq!(helper.out.expect(""), says("id", &["-G", "root"]));
}

fn ordinary_user_may_not_change() {
    let mut helper = Helper::supervise(&["--become", "65534", "--user", "root", "--", "true"]);
    let sentence = helper.err.expect("error ");
    assert!(sentence.contains("as `root`") && sentence.contains("run the collector as root"), "{sentence}");
    assert_eq!(helper.code(), 125);
}

fn file_of_another_user_is_denied() {
    let dir = tempfile::TempDir::new().unwrap();
    let tool = dir.path().join("tool");
    std::fs::write(&tool, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let mut helper = Helper::supervise(&["--user", "nobody", "--", tool.to_str().unwrap()]);
    let sentence = helper.err.expect("error ");
    assert!(sentence.contains("permission denied"), "{sentence}");
    assert_eq!(helper.code(), 126);
    assert_eq!(Helper::supervise(&["--", "chmod", "+x", tool.to_str().unwrap()]).code(), 0, "as ourselves it is not");
}

fn closed_directory_of_path_is_passed_over() {
    // Made for its owner alone.
    let dir = tempfile::TempDir::new().unwrap();
    let path = format!("{}:/usr/bin:/bin", dir.path().display());
    let args = ["--env", "PATH", &path, "--user", "nobody", "--"];
    let mut helper = Helper::supervise(&[&args[..], &["no-such-command-anywhere"]].concat());
    let sentence = helper.err.expect("error ");
    assert!(sentence.contains("command not found"), "{sentence}");
    assert_eq!(helper.code(), 127);
    assert_eq!(Helper::supervise(&[&args[..], &["true"]].concat()).code(), 0);
}

fn oneself_takes_no_rights() {
    let me = says("id", &["-un"]);
    let mut helper = Helper::supervise(&["--user", &me, "--", "id", "-un"]);
    assert_eq!(helper.out.expect(""), me);
    assert_eq!(helper.code(), 0);
}
