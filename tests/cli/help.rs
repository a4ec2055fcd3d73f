//! The help of every command, as golden files.

use crate::support::answer;

/// Those that the program itself lists.
fn commands() -> Vec<String> {
    let help = answer(&["--help"]).stdout;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let list = list.split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.map(|line| line.split_ascii_whitespace().next().unwrap().to_owned()).filter(|name| name != "help").collect()
}

#[track_caller]
fn help(args: &[&str]) -> String {
    let answer = answer(args);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    // Trailing blanks would be lost in the golden file.
    answer.stdout.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[test]
fn of_the_program() {
    insta::assert_snapshot!("collector", help(&["--help"]));
    assert_eq!(commands(), ["run", "report", "check", "load"]);
}

#[test]
fn of_every_command() {
    for command in commands() {
        let long = help(&[&command, "--help"]);
        insta::assert_snapshot!(command.clone(), long);
        assert_eq!(help(&["help", &command]), long);
        let short = help(&[&command, "-h"]);
        assert!(short.lines().count() <= long.lines().count(), "{command} -h is not the longer one");
    }
}

#[test]
fn version() {
    for args in [&["--version"][..], &["-V"], &["run", "--version"]] {
        let answer = answer(args);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
        let (name, number) = answer.stdout.trim_end().rsplit_once(' ').unwrap();
        assert!(name.starts_with("collector"), "{name}");
        assert_eq!(number, env!("CARGO_PKG_VERSION"));
    }
}
