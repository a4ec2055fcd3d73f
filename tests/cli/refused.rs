//! What means nothing: exit code 125 and one sentence that names it.

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
