//! What means nothing: exit code 125 and one sentence that names it.

use collector::workload::Cookie;

use crate::support::answer;

#[track_caller]
fn is_refused(args: &[&str], names: &str) {
    let answer = answer(args);
    let said = answer.refusal();
    assert!(said.contains(names), "{args:?}: {said}");
}

#[test]
fn unknown_words() {
    is_refused(&["run", "--format", "xml", "--all"], "'xml'");
    is_refused(&["run", "--format", "xml", "--all"], "text, json");
    is_refused(&["run", "--no-such-option", "--", "true"], "--no-such-option");
    is_refused(&["run", "--intervall", "1s", "--", "true"], "--interval");
    is_refused(&["no-such-command"], "no-such-command");
    is_refused(&["report", "--format", "xml", "r.jsonl"], "'xml'");
    is_refused(&["check", "--xml"], "--xml");
    is_refused(&["load", "now"], "'now'");
}

#[test]
fn one_target_is_needed() {
    is_refused(&["run"], "--pid");
    is_refused(&["run", "--all", "--", "true"], "--all");
    is_refused(&["run", "--pid", "1", "--", "true"], "--pid");
    is_refused(&["run", "--pid", "1", "--all"], "--pid");
    is_refused(&["run", "--user", "nobody", "--all"], "--user");
    // Options of the command's are not taken for ours.
    is_refused(&["run", "true"], "true");
}

#[test]
fn lengths_of_time() {
    is_refused(&["run", "--all", "--interval", "1ms"], "10ms");
    is_refused(&["run", "--all", "--interval", "often"], "often");
    is_refused(&["run", "--all", "--duration", "-1"], "-1 is no length of time");
    is_refused(&["run", "--all", "--duration", "300000000000y"], "365 days");
    is_refused(&["run", "--warmup", "18446744073709551615s", "--", "true"], "365 days");
    is_refused(&["run", "--all", "--duration", "0"], "--duration");
    is_refused(&["run", "--all", "--duration=-1"], "-1");
    is_refused(&["run", "--all", "--warmup", "2s", "--duration", "1s"], "--warmup");
    is_refused(&["run", "--all", "--warmup", "1s", "--duration", "1s"], "--warmup");
}

#[test]
fn cpus_and_pids() {
    is_refused(&["run", "--all", "--agent-cpus", "0-"], "--agent-cpus");
    is_refused(&["run", "--all", "--agent-cpus", "4000"], "--agent-cpus");
    is_refused(&["run", "--pid", "self"], "'self'");
    // Above the largest pid that there can be.
    is_refused(&["run", "--pid", "4194305"], "no process 4194305");
}

#[test]
fn groups() {
    is_refused(&["run", "--group", "a=true", "--", "true"], "--group");
    is_refused(&["run", "--group", "a=true", "--pid", "1"], "--group");
    is_refused(&["run", "--group", "a=true", "--all"], "--group");
    is_refused(&["run", "--group", "a=true", "--group", "a=false"], "--group a is given twice");
    is_refused(&["run", "--group", "true"], "give a name and a shell command");
    is_refused(&["run", "--group", "=true"], "a name is 1 to 32");
    is_refused(&["run", "--group", "a b=true"], "\"a b=true\"");
    is_refused(&["run", "--group", &format!("{}=true", "n".repeat(33))], "a name is 1 to 32");
    is_refused(&["run", "--group", "a="], "no command");
    let nine: Vec<String> = (0..9).map(|n| format!("--group=g{n}=true")).collect();
    is_refused(&[&["run"][..], &nine.iter().map(String::as_str).collect::<Vec<_>>()].concat(), "8 are the most");
}

#[test]
fn cookies() {
    for words in ["old", "pid:", "pid:0", "pid:self", "1"] {
        is_refused(&["run", "--core-sched", words, "--", "true"], "pid:4711");
    }
    is_refused(&["run", "--core-sched", "new", "--all"], "--core-sched goes with a command");
    is_refused(&["run", "--core-sched", "new", "--pid", "1"], "--core-sched goes with a command");
}

/// Before a file is replaced, a program attached, or the line said that tracing has begun.
#[test]
fn a_cookie_that_cannot_be_had() {
    let dir = tempfile::tempdir().unwrap();
    let [file, mark] = ["run.jsonl", "mark"].map(|name| dir.path().join(name).into_os_string().into_string().unwrap());
    std::fs::write(&file, "precious").unwrap();
    let nobody = "pid:2147483647";
    let says = Cookie::check(nobody.parse().unwrap()).unwrap_err().to_string();
    is_refused(&["run", "-o", &file, "--core-sched", nobody, "--", "touch", &mark], &says);
    let group = format!("a=touch {mark}");
    is_refused(&["run", "-o", &file, "--core-sched", nobody, "--group", &group], &says);
    if let Err(error) = Cookie::New.check() {
        is_refused(&["run", "-o", &file, "--core-sched", "new", "--", "touch", &mark], &error.to_string());
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
    assert!(!std::path::Path::new(&mark).exists());
}
