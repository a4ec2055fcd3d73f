//! Loads with a known answer: what this binary does as a helper, `kernel --helper NAME …`.

use std::{
    collections::HashSet,
    ffi::CString,
    io::Read,
    os::unix::{ffi::OsStringExt, process::CommandExt},
    process::Command,
    sync::RwLock,
    thread,
    time::{Duration, Instant},
};

use rustix::{
    process::{Pid, WaitOptions, getpid, getppid, setsid, waitpid},
    thread::{CpuSet, sched_setaffinity},
    time::{ClockId, clock_gettime},
};

use super::machine;

/// Exit code of a helper that the machine does not let do its work.
pub const CANNOT: i32 = 75;

/// Plays the helper that is asked for, and does not return.
pub fn play(args: Vec<String>) -> ! {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().unwrap();
    match args.as_slice() {
        ["naps", n] => naps(number(n)),
        ["crew", threads, n] => crew(number(threads), number(n)),
        ["daemon", n] => daemon(number(n)),
        ["rounds", threads, n] => rounds(number(threads), number(n)),
        ["spin", cpu, ms] => spin(number(cpu), Duration::from_millis(number(ms))),
        ["gate", fifo, command @ ..] => gate(fifo, command),
        ["storm"] => storm(),
        ["threads", processes, n] => processes_of_threads(number(processes), number(n)),
        ["thread-id"] => thread_id(),
        ["cookie"] => cookie(),
        _ => panic!("no helper {args:?}"),
    }
    std::process::exit(0)
}

/// Sleeps so many times: as many wake-ups, and as many waits.
fn naps(n: u64) {
    for _ in 0..n {
        thread::sleep(Duration::from_micros(300));
    }
}

/// The same in each of some threads.
fn crew(threads: u64, n: u64) {
    let crew: Vec<_> = (0..threads).map(|_| thread::spawn(move || naps(n))).collect();
    crew.into_iter().for_each(|one| one.join().unwrap());
}

/// So many threads, each of which computes and sleeps so many times: more of them than
/// can run. First come, first served (`SCHED_FIFO`): none is preempted, so every wait
/// begins with a wake-up.
fn rounds(threads: u64, n: u64) {
    let priority = libc::sched_param { sched_priority: 1 };
    // SAFETY: the parameters outlive the call.
    let set = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const priority) };
    assert_eq!(set, 0, "{}", std::io::Error::last_os_error());
    let round = || {
        let until = cpu_time() + Duration::from_micros(150);
        while cpu_time() < until {}
        thread::sleep(Duration::from_micros(300));
    };
    let crew: Vec<_> = (0..threads).map(|_| thread::spawn(move || (0..n).for_each(|_| round()))).collect();
    crew.into_iter().for_each(|one| one.join().unwrap());
}

/// CPU time of the calling thread.
fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap()
}

/// Has it done by a grandchild that has left for good: a session of its own, no parent.
fn daemon(n: u64) {
    let (mut end, held) = std::io::pipe().unwrap();
    let root = getpid();
    let Some(child) = fork() else {
        setsid().unwrap();
        let parent = getpid();
        if fork().is_none() {
            while getppid() == Some(parent) {
                thread::sleep(Duration::from_millis(1));
            }
            assert_ne!(getppid(), Some(root), "it was to be re-parented away from its grandparent");
            naps(n);
            println!("the grandchild is done");
        }
        leave();
    };
    drop(held);
    waitpid(Some(child), WaitOptions::empty()).unwrap();
    // Closed by the grandchild's death alone.
    end.read_to_end(&mut Vec::new()).unwrap();
}

/// Computes on one CPU for so much CPU time, with a short sleep each 10 ms of it.
fn spin(cpu: u64, time: Duration) {
    let mut one = CpuSet::new();
    one.set(usize::try_from(cpu).unwrap());
    sched_setaffinity(None, &one).unwrap();
    let mut pause_at = cpu_time();
    while cpu_time() < time {
        if cpu_time() >= pause_at {
            pause_at += Duration::from_millis(10);
            thread::sleep(Duration::from_micros(100));
        }
    }
}

/// Waits until a FIFO was opened and closed by somebody, then becomes the command.
fn gate(fifo: &str, command: &[&str]) {
    std::fs::read(fifo).unwrap();
    panic!("{}", Command::new(command[0]).args(&command[1..]).exec());
}

/// Says the cookie that this process has, or 0.
fn cookie() {
    let cookie = rustix::thread::core_scheduling_cookie(getpid(), rustix::thread::CoreSchedulingScope::Thread);
    println!("cookie {}", cookie.unwrap());
}

/// Forks until the pid space has been gone through and pids were used again.
fn storm() {
    let begin = Instant::now();
    let (mut seen, mut forks, mut used_again) = (HashSet::new(), 0_u32, 0);
    let mut first = None;
    while used_again < 500 {
        let Some(child) = fork() else { leave() };
        waitpid(Some(child), WaitOptions::empty()).unwrap();
        forks += 1;
        if !seen.insert(child) {
            first.get_or_insert(begin.elapsed());
            used_again += 1;
        }
        assert!(forks < 2 * machine::pid_max(), "no pid was used again");
    }
    println!("forks {forks}");
    println!("used again after {} ms", first.unwrap().as_millis());
}

/// So many processes of so many threads each, all at once.
fn processes_of_threads(processes: u64, n: u64) {
    for _ in 0..processes {
        if fork().is_none() {
            std::process::exit(threads(n));
        }
    }
    for _ in 0..processes {
        let (_, status) = waitpid(None, WaitOptions::empty()).unwrap().unwrap();
        if status.exit_status() != Some(0) {
            std::process::exit(CANNOT);
        }
    }
}

/// So many threads at once; then all of them wake and end. Returns the exit code.
fn threads(n: u64) -> i32 {
    let gate = RwLock::new(());
    let closed = gate.write().unwrap();
    let began = thread::scope(|scope| {
        for number in 0..n {
            let wait = || drop(gate.read());
            if let Err(error) = thread::Builder::new().stack_size(16 << 10).spawn_scoped(scope, wait) {
                drop(closed);
                return Err(format!("thread {number} of {n} cannot be started: {error}"));
            }
        }
        drop(closed);
        Ok(())
    });
    match began {
        Ok(()) => 0,
        Err(reason) => {
            println!("{reason}");
            CANNOT
        }
    }
}

/// Says the id of a thread, and keeps it until standard input is closed.
fn thread_id() {
    thread::spawn(|| {
        println!("thread {}", rustix::thread::gettid().as_raw_nonzero());
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    })
    .join()
    .unwrap();
}

/// The child's pid; none in the child. Only for helpers that have a single thread.
fn fork() -> Option<Pid> {
    // SAFETY: there is no other thread that could hold a lock in the child.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "{}", std::io::Error::last_os_error());
    Pid::from_raw(pid)
}

/// The end of a child, without the parent's clean-up.
fn leave() -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(0) }
}

/// Makes a FIFO.
pub fn make_fifo(path: &std::path::Path) {
    let path = CString::new(path.as_os_str().to_owned().into_vec()).unwrap();
    // SAFETY: the path is a string of C.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0, "{}", std::io::Error::last_os_error());
}

/// Opens a [`gate`]: returns when the helper is at it.
pub fn open_gate(fifo: &std::path::Path) {
    drop(std::fs::OpenOptions::new().write(true).open(fifo).unwrap());
}
