//! Watching a process that is not ours.

use std::time::Duration;

use collector::workload::{Watched, watch};
use libtest_mimic::Trial;
use rustix::process::Signal;
use tokio::time::timeout;

use super::support::{DEADLINE, Doomed, Helper, kill, test};

pub fn tests() -> Vec<Trial> {
    vec![test("watch::until_its_end", until_its_end), test("watch::thread_is_refused", thread_is_refused)]
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn until_its_end() {
    let mut helper = Helper::script("exec sleep 1000");
    let sleeper = Doomed(helper.err.number("pid "));
    block_on(async {
        let watched = Watched::open(sleeper.0).unwrap();
        for _ in 0..3 {
            let early = timeout(Duration::from_millis(5), watched.ended()).await;
            assert!(early.is_err(), "it has not ended");
        }
        kill(sleeper.0, Signal::KILL);
        timeout(DEADLINE, watched.ended()).await.unwrap().unwrap();
        // Reaped by now or not, and again.
        timeout(DEADLINE, watched.ended()).await.unwrap().unwrap();
        assert_eq!(helper.code(), 137);
        timeout(DEADLINE, watch(sleeper.0)).await.unwrap().unwrap();
    });
}

fn thread_is_refused() {
    // The tests' own threads: this one does not lead the process.
    let tid = rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs();
    assert_ne!(tid, std::process::id());
    block_on(async {
        let error = Watched::open(tid).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), format!("{tid} is a thread of process {0}: give {0}", std::process::id()));
        assert!(watch(0).await.is_ok(), "there is no process 0");
    });
}
