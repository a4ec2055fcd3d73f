//! Core-scheduling cookies, where there are any; and what is said where there are none.

use collector::host::core_sched::CoreScheduling;
use collector::workload::{Cookie, CookieError};
use libtest_mimic::{Completion, Failed, Trial};
use rustix::process::{Pid, geteuid};
use rustix::thread::{CoreSchedulingScope, core_scheduling_cookie};

use super::support::{Doomed, Helper, root_test, test};

pub fn tests() -> Vec<Trial> {
    vec![
        test("cookies::nothing_runs_where_there_are_none", nothing_runs_where_there_are_none),
        cookie_test("cookies::tree_has_one_of_its_own", tree_has_one_of_its_own),
        cookie_test("cookies::groups_have_one_each", groups_have_one_each),
        cookie_test("cookies::running_process_shares_its_own", running_process_shares_its_own),
        root_cookie_test("cookies::another_user_keeps_it", another_user_keeps_it),
        root_cookie_test("cookies::others_are_not_permitted", others_are_not_permitted),
        cookie_test("cookies::nobody_has_none_to_share", nobody_has_none_to_share),
    ]
}

/// A test that takes core scheduling.
fn cookie_test(name: &str, body: fn()) -> Trial {
    Trial::ignorable_test(name, move || match CoreScheduling::ask() {
        CoreScheduling::Available { .. } => {
            body();
            Ok::<_, Failed>(Completion::Completed)
        }
        cannot => Ok(Completion::ignored_with(cannot.to_string())),
    })
}

/// The same, of which only root can be somebody else.
fn root_cookie_test(name: &str, body: fn()) -> Trial {
    if geteuid().is_root() { cookie_test(name, body) } else { root_test(name, body) }
}

/// Also a machine that has them, asked for the cookie of nobody.
fn nothing_runs_where_there_are_none() {
    let nobody = "pid:2147483647";
    let before = Cookie::check(nobody.parse().unwrap()).unwrap_err().to_string();
    for options in [&["--", "echo", "ran"][..], &["--group", "echo ran", "--"]] {
        let args = [&["--core-sched", nobody], options].concat();
        let mut helper = Helper::supervise(&args);
        assert_eq!(helper.err.expect("error "), before, "as the check beforehand says");
        assert_eq!(helper.code(), 125);
        assert!(helper.out.rest().is_empty());
    }
    if let cannot @ (CoreScheduling::NoSmt | CoreScheduling::NotBuilt) = CoreScheduling::ask() {
        assert!(before.starts_with(&cannot.to_string()), "{before}");
        assert_eq!(Cookie::New.check(), Err(CookieError::Unsupported(cannot)));
    }
}

fn cookie(pid: u32) -> u64 {
    core_scheduling_cookie(Pid::from_raw(pid.cast_signed()).unwrap(), CoreSchedulingScope::Thread).unwrap()
}

/// Says the pid of a grandchild that waits for ever.
const GRANDCHILD: &str = "sh -c 'echo $$; exec sleep 1000'; exit 99";

fn tree_has_one_of_its_own() {
    let mut helper = Helper::supervise(&["--core-sched", "new", "--", "sh", "-c", GRANDCHILD]);
    let grandchild = Doomed(helper.out.number(""));
    let own = cookie(helper.err.number("pid "));
    assert_ne!(own, 0);
    assert_eq!(cookie(grandchild.0), own);
    assert_eq!(cookie(helper.pid()), cookie(std::process::id()), "the collector has what it had");
}

fn groups_have_one_each() {
    let mut helper = Helper::supervise(&["--core-sched", "new", "--group", GRANDCHILD, "--group", GRANDCHILD, "--"]);
    let grandchildren = [(); 2].map(|()| Doomed(helper.out.number("")));
    let pids: [u32; 2] = ["pid 0", "pid 1"].map(|pid| helper.err.number(pid));
    let own = pids.map(cookie);
    assert!(own[0] != 0 && own[1] != 0 && own[0] != own[1], "{own:?}");
    let mut inherited = grandchildren.each_ref().map(|grandchild| cookie(grandchild.0));
    if inherited[0] != own[0] {
        inherited.swap(0, 1);
    }
    assert_eq!(inherited, own);
    assert_eq!(cookie(helper.pid()), cookie(std::process::id()), "the collector has what it had");
}

/// One that runs with a cookie, and its pid.
fn cookied() -> (Helper, u32) {
    let mut helper = Helper::supervise(&["--core-sched", "new", "--", "sh", "-c", "echo $$; exec sleep 1000"]);
    let pid = helper.out.number("");
    (helper, pid)
}

fn running_process_shares_its_own() {
    let (_helper, pid) = cookied();
    let shared = format!("pid:{pid}");
    let mut sharer = Helper::supervise(&["--core-sched", &shared, "--", "sh", "-c", GRANDCHILD]);
    let grandchild = Doomed(sharer.out.number(""));
    assert_eq!([cookie(sharer.err.number("pid ")), cookie(grandchild.0)], [cookie(pid); 2]);
    assert_eq!(cookie(sharer.pid()), cookie(std::process::id()), "the collector has what it had");
}

/// The cookie of a process that this user could not look at.
fn another_user_keeps_it() {
    let (_helper, pid) = cookied();
    let shared = format!("pid:{pid}");
    let script = "echo $$; exec sleep 1000";
    let mut sharer = Helper::supervise(&["--core-sched", &shared, "--user", "nobody", "--", "sh", "-c", script]);
    let other = Doomed(sharer.out.number(""));
    assert_eq!(cookie(other.0), cookie(pid));
}

fn others_are_not_permitted() {
    let (_helper, pid) = cookied();
    let mut helper = Helper::supervise(&["--become", "65534", "--core-sched", &format!("pid:{pid}"), "--", "true"]);
    assert!(helper.err.expect("error ").starts_with("no permission to share"));
    assert_eq!(helper.code(), 125);
}

fn nobody_has_none_to_share() {
    let of = |pid: u32| format!("pid:{pid}").parse::<Cookie>().unwrap().check();
    assert_eq!(of(2_147_483_647), Err(CookieError::NoProcess(2_147_483_647)));
    let helper = Helper::script("exec sleep 1000");
    let answer = of(helper.pid());
    match cookie(helper.pid()) {
        0 => assert_eq!(answer, Err(CookieError::NoCookie(helper.pid().cast_signed()))),
        _ => assert_eq!(answer, Ok(())),
    }
}
