//! Who the workload runs as, and where the collector runs.

use std::{
    fs,
    process::{Command, Stdio},
};

use collector::record::Target;
use libtest_mimic::Trial;

use super::{
    harness::{COLLECTOR, Run, run},
    machine::last_cpu,
    needs::{Need, test},
    process::{Process, kill},
};

pub fn tests() -> Vec<Trial> {
    vec![
        test("placement::another_user", &[Need::User("nobody")], another_user),
        test("placement::an_unknown_user", &[], an_unknown_user),
        test("placement::collector_keeps_to_its_cpus", &[Need::Cpus(2)], collector_keeps_to_its_cpus),
    ]
}

fn another_user() {
    let outcome = run(&["--user", "nobody"], &["sh", "-c", "id -un; grep CapEff /proc/self/status"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let (user, rights) = outcome.stdout.split_once('\n').unwrap();
    assert_eq!(user, "nobody");
    assert_eq!(rights.trim_start_matches("CapEff:").trim(), "0000000000000000");
    let Target::Launch { user, .. } = outcome.record.header.target else { panic!("a command was launched") };
    assert_eq!(user.as_deref(), Some("nobody"));
    assert!(outcome.summary.by_class.workload.n() > 0);
}

fn an_unknown_user() {
    let mut collector = Command::new(COLLECTOR);
    let mut run = Process::start(collector.args(["run", "--user", "no-such-user", "--", "true"]).stdin(Stdio::null()));
    let said = run.err.rest();
    assert_eq!(run.code(), 125, "{said}");
    assert!(said.contains("no-such-user") && said.lines().count() == 1, "{said}");
}

/// The value of `Cpus_allowed_list` in a file of `/proc`.
fn allowed(path: impl AsRef<std::path::Path>) -> String {
    let status = fs::read_to_string(path).unwrap();
    status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim().to_owned()
}

fn collector_keeps_to_its_cpus() {
    let cpu = last_cpu();
    let script = "grep Cpus_allowed_list: /proc/self/status; exec sleep 1000";
    let running = Run::new(&["--agent-cpus", &cpu.to_string(), "--interval", "20ms"], &["sh", "-c", script]).start();
    let pid = running.process.pid();
    let of_child = running.process.out.expect("Cpus_allowed_list:");
    for thread in fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten() {
        assert_eq!(allowed(thread.path().join("status")), cpu.to_string());
    }
    assert_eq!(of_child, allowed("/proc/self/status"), "the command may run where the collector was started");
    super::process::until("there are some frames", || {
        fs::read(&running.record).is_ok_and(|bytes| bytes.iter().filter(|&&byte| byte == b'\n').count() > 5)
    });
    kill(pid, rustix::process::Signal::TERM);
    let outcome = running.finish();
    assert_eq!(outcome.record.header.options.agent_cpus, Some(cpu.to_string()));
    for of_cpu in &outcome.summary.cpus {
        let n = of_cpu.by_class.collector.n();
        assert_eq!(n > 0, of_cpu.cpu == cpu, "{n} waits of the collector on CPU {}", of_cpu.cpu);
    }
}
