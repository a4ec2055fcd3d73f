//! What this binary does as a helper.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use collector::workload::{self, Ended, Groups, Spec, Workload, exit_code, spawn};
use rustix::process::{Gid, Uid, getpgrp};
use rustix::stdio::stdin;
use rustix::termios::tcgetpgrp;
use rustix::thread::{
    CpuSet, sched_getaffinity, sched_setaffinity, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use super::support::{say, state};
use super::{load, shell};

/// Plays the helper that is asked for, and does not return.
pub fn run(args: Vec<OsString>) -> ! {
    let mut args = args.into_iter();
    let name = args.next().unwrap_or_default();
    let code = match name.to_str() {
        Some("supervise") => supervise(args),
        Some("shell") => shell::run(args),
        Some("load") => load::helper(args),
        _ => panic!("no helper {}", name.display()),
    };
    std::process::exit(code)
}

/// Options of the collector that `supervise` plays.
#[derive(Default)]
struct Options {
    spec: Spec,
    /// End the workload as soon as this file is there.
    cap_when: Option<OsString>,
    grace: Duration,
    /// Shell commands to run side by side, instead of one command.
    groups: Vec<OsString>,
    /// Kill them as soon as this file is there.
    put_down_when: Option<OsString>,
    /// Drop the workload as soon as it runs.
    abandon: bool,
    /// Say what the zombie and the reaped look like.
    inspect: bool,
}

/// A collector without anything to collect.
fn supervise(args: impl Iterator<Item = OsString>) -> i32 {
    let options = parse(args);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if !options.groups.is_empty() {
        return runtime.block_on(side_by_side(options));
    }
    runtime.block_on(async {
        let mut workload = match spawn(&options.spec) {
            Ok(workload) => workload,
            Err(error) => {
                say(&format!("error {error}"));
                return error.exit_code();
            }
        };
        say(&format!("pid {}", workload.pid()));
        if options.abandon {
            return 0;
        }
        let ended = wait(&mut workload, &options).await;
        say(&format!("ended {ended:?}"));
        let pid = workload.pid();
        if options.inspect {
            let group = tcgetpgrp(stdin()).ok();
            say(&format!("terminal ours={}", group == Some(getpgrp())));
            say(&format!("zombie {:?}", state(pid)));
            say(&format!("delay {}", workload.root_run_delay_ns().unwrap()));
        }
        workload.reap().unwrap();
        if options.inspect {
            say(&format!("reaped {:?}", state(pid)));
        }
        exit_code(&ended)
    })
}

/// The same for several commands. Returns the first exit code that is not 0.
async fn side_by_side(options: Options) -> i32 {
    let mut groups = Groups::install().unwrap();
    for command in &options.groups {
        let argv = ["sh", "-c"].map(OsString::from).into_iter().chain([command.clone()]).collect();
        if let Err(error) = groups.spawn(&Spec { argv, ..options.spec.clone() }) {
            say(&format!("error {error}"));
            return error.exit_code();
        }
    }
    for (index, member) in groups.members().iter().enumerate() {
        say(&format!("pid {index} {}", member.pid()));
    }
    let is_there = |file: &Option<OsString>| file.as_ref().is_some_and(|file| Path::new(file).exists());
    let mut tick = tokio::time::interval(Duration::from_millis(3));
    loop {
        tokio::select! {
            all = groups.wait() => break all.unwrap(),
            _ = tick.tick() => {
                if is_there(&options.cap_when) {
                    groups.terminate(options.grace);
                }
                if is_there(&options.put_down_when) {
                    say(&format!("put down {:?}", groups.put_down().unwrap()));
                    return 0;
                }
            }
        }
    }
    let ended: Vec<Ended> = groups.members().iter().filter_map(Workload::how_ended).collect();
    say(&format!("ended {ended:?}"));
    groups.reap().unwrap();
    ended.iter().map(exit_code).find(|&code| code != 0).unwrap_or(0)
}

/// Waits as the collector does: dropping the wait again and again for other things.
async fn wait(workload: &mut Workload, options: &Options) -> Ended {
    let mut tick = tokio::time::interval(Duration::from_millis(3));
    loop {
        tokio::select! {
            ended = workload.wait() => return ended.unwrap(),
            _ = tick.tick() => {
                if options.cap_when.as_ref().is_some_and(|file| Path::new(file).exists()) {
                    workload.terminate(options.grace);
                }
            }
        }
    }
}

fn parse(mut args: impl Iterator<Item = OsString>) -> Options {
    let mut options = Options { grace: workload::DEFAULT_GRACE, ..Options::default() };
    while let Some(option) = args.next() {
        let mut value = || args.next().expect("the option's value");
        match option.to_str() {
            Some("--") => break,
            Some("--user") => options.spec.user = Some(value().into_string().unwrap()),
            Some("--env") => options.spec.extra_env.push((value(), value())),
            Some("--group") => options.groups.push(value()),
            Some("--put-down-when") => options.put_down_when = Some(value()),
            Some("--core-sched") => options.spec.core_sched = Some(value().to_str().unwrap().parse().unwrap()),
            Some("--cap-when") => options.cap_when = Some(value()),
            Some("--grace-ms") => options.grace = Duration::from_millis(number(&value())),
            Some("--abandon") => options.abandon = true,
            Some("--inspect") => options.inspect = true,
            // What the collector, or who started it, may have changed about itself.
            Some("--narrow-to") => {
                options.spec.affinity = Some(sched_getaffinity(None).unwrap());
                keep_to(number(&value()));
            }
            Some("--keep-to") => keep_to(number(&value())),
            Some("--impossible-cpus") => options.spec.affinity = Some(CpuSet::new()),
            Some("--block") => block(i32::try_from(number(&value())).unwrap()),
            Some("--ignore") => ignore(i32::try_from(number(&value())).unwrap()),
            Some("--in-group") => {
                set_thread_groups(&[Gid::from_raw(u32::try_from(number(&value())).unwrap())]).unwrap();
            }
            Some("--become") => become_user(u32::try_from(number(&value())).unwrap()),
            _ => panic!("no option {}", option.display()),
        }
    }
    options.spec.argv = args.collect();
    options
}

/// A number in an argument.
pub fn number(text: &OsStr) -> u64 {
    text.to_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("not a number: {}", text.display()))
}

fn keep_to(cpu: u64) {
    let mut one = CpuSet::new();
    one.set(usize::try_from(cpu).unwrap());
    sched_setaffinity(None, &one).unwrap();
}

fn block(signal: i32) {
    // SAFETY: the set is initialised before it is read.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, signal);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
    }
}

fn ignore(signal: i32) {
    // SAFETY: SIG_IGN runs no code of ours.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}

/// Only this thread, which is the only one.
fn become_user(id: u32) {
    let (gid, uid) = (Gid::from_raw(id), Uid::from_raw(id));
    set_thread_res_gid(gid, gid, gid).unwrap();
    set_thread_res_uid(uid, uid, uid).unwrap();
}
