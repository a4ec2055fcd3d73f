//! Starting the command.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, geteuid, getpid, getuid};
use tokio::signal::unix::{SignalKind, signal};

use super::child::{Child, Identity, Step};
use super::image::Image;
use super::resolve;
use super::signals::Signals;
use super::supervise::Workload;
use super::terminal::Terminal;
use super::user::{self, User};
use super::{Cookie, SpawnError, Spec};

/// Starts the command, and returns when it runs.
///
/// It leads its own process group, has our stdin, stdout and stderr, an empty signal
/// mask, and the terminal if that was ours to give. It is sent SIGKILL should the
/// calling thread end, so call this on the main thread. (A program that gains rights
/// when it is executed escapes from that, and its children are not covered: prctl(2).)
///
/// From here on the collector's own SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP are
/// caught, to be passed on by [`Workload::wait`]. Needs a tokio runtime with I/O and time.
///
/// # Errors
/// [`SpawnError`], which has the exit code that fits.
pub fn spawn(spec: &Spec) -> Result<Workload, SpawnError> {
    spawn_as(spec, Place::Alone)
}

/// Whether a command has us to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It has our stdin and our terminal, and passes on what we are sent.
    Alone,
    /// One of several, see [`super::Groups`].
    Aside,
}

/// The same, for a command in this place.
pub(super) fn spawn_as(spec: &Spec, place: Place) -> Result<Workload, SpawnError> {
    let command = spec.argv.first().ok_or(SpawnError::NoCommand)?;
    let failed = |step| move |source| SpawnError::Other { command: command.display().to_string(), step, source };

    let Found { user, environment, files } = find(command, spec.user.as_deref(), &spec.extra_env)?;
    let image = Image::new(files.clone(), spec.argv.clone(), environment)
        .map_err(|error| failed("passing its arguments and environment")(io::Error::from(error)))?;

    // Before the fork: from its first moment on nothing may be lost, neither a signal
    // that is to be passed on nor the child's end.
    let caught = match place {
        Place::Alone => Signals::install().and_then(|signals| Ok((signals, Signals::of(&[Signal::TSTP])?))),
        Place::Aside => Ok((Signals::none(), Signals::none())),
    };
    let (signals, stops) = caught.map_err(failed("catching signals"))?;
    let child_events = signal(SignalKind::child()).map_err(failed("catching signals"))?;
    let mut terminal = match place {
        Place::Alone => Terminal::open(),
        Place::Aside => Terminal::none(),
    };

    let child = Child {
        parent: getpid(),
        takes_terminal: terminal.to_be_given(),
        affinity: spec.affinity,
        core_sched: spec.core_sched,
        identity: user.filter(must_change).map(|user| Identity { uid: user.uid, gid: user.gid, groups: user.groups }),
        image,
    };
    // `Command` is the fork and the way back for an error; the child execs by itself.
    let mut process = Command::new(command);
    if place == Place::Aside {
        process.stdin(Stdio::null());
    }
    // SAFETY: `become_command` only makes system calls, on memory laid out above.
    unsafe { process.pre_exec(move || Err(child.become_command())) };
    match process.spawn() {
        Ok(child) => {
            let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            let pid = pid.ok_or_else(|| failed("reading its pid")(io::Error::other("the pid is out of range")))?;
            terminal.was_given();
            Ok(Workload::new(child, pid, place, signals, stops, child_events, terminal))
        }
        Err(error) => {
            terminal.was_given();
            terminal.take();
            Err(refused(command, &files, spec.user.as_deref(), spec.core_sched, error))
        }
    }
}

/// Tells without starting anything that a command cannot be started: there is no file
/// of its name anywhere, or no such user.
///
/// # Errors
/// [`SpawnError`], which has the exit code that fits.
pub fn precheck(argv: &[OsString], user: Option<&str>) -> Result<(), SpawnError> {
    let command = argv.first().ok_or(SpawnError::NoCommand)?;
    let Found { files, .. } = find(command, user, &[])?;
    let is_there =
        |file: &PathBuf| !matches!(file.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound);
    if files.iter().any(is_there) { Ok(()) } else { Err(resolve::refusal(command, &files, libc::ENOENT)) }
}

/// As whom, with what and from where a command is started.
struct Found {
    user: Option<User>,
    environment: Vec<(OsString, OsString)>,
    /// The files it may be, see [`resolve::candidates`].
    files: Vec<PathBuf>,
}

fn find(command: &OsStr, user: Option<&str>, extra: &[(OsString, OsString)]) -> Result<Found, SpawnError> {
    let user = user.map(|name| find_user(name, command)).transpose()?;
    let environment = environment(env::vars_os(), user.as_ref(), extra);
    let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    let files = resolve::candidates(command, path);
    Ok(Found { user, environment, files })
}

fn find_user(name: &str, command: &OsStr) -> Result<User, SpawnError> {
    user::lookup(name)
        .map_err(|source| SpawnError::Other {
            command: command.display().to_string(),
            step: "looking the user up",
            source,
        })?
        .ok_or_else(|| SpawnError::UnknownUser { user: name.to_owned() })
}

/// Whether becoming this user takes anything. Root may carry groups that root's
/// entry does not have; another user cannot change them and need not.
fn must_change(user: &User) -> bool {
    geteuid().is_root() || user.uid != geteuid() || user.uid != getuid()
}

/// Later assignments replace earlier ones.
fn environment(
    inherited: impl Iterator<Item = (OsString, OsString)>,
    user: Option<&User>,
    extra: &[(OsString, OsString)],
) -> Vec<(OsString, OsString)> {
    let mut all: Vec<_> = inherited.collect();
    for (name, value) in user.map(User::environment).unwrap_or_default().iter().chain(extra) {
        all.retain(|(present, _)| present != name);
        all.push((name.clone(), value.clone()));
    }
    all
}

fn refused(
    command: &OsStr,
    files: &[PathBuf],
    user: Option<&str>,
    core_sched: Option<Cookie>,
    error: io::Error,
) -> SpawnError {
    let step = error.raw_os_error().and_then(Step::decode);
    if let (Some((Step::Cookie, errno)), Some(cookie)) = (step, core_sched) {
        return cookie.refusal(Errno::from_raw_os_error(errno)).into();
    }
    match (step, user) {
        (Some((Step::Exec, errno)), _) => resolve::refusal(command, files, errno),
        (Some((Step::User, errno)), Some(user)) => {
            SpawnError::UserDenied { user: user.to_owned(), source: io::Error::from_raw_os_error(errno) }
        }
        (Some((step, errno)), _) => SpawnError::Other {
            command: command.display().to_string(),
            step: step.name(),
            source: io::Error::from_raw_os_error(errno),
        },
        (None, _) => {
            SpawnError::Other { command: command.display().to_string(), step: "starting a process", source: error }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_assignments_win() {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let all = environment([pair("A", "1"), pair("B", "2")].into_iter(), None, &[pair("A", "3"), pair("C", "4")]);
        assert_eq!(all, [pair("B", "2"), pair("A", "3"), pair("C", "4")]);
    }

    #[test]
    fn a_failed_step_is_named() {
        let cookie = Some(Cookie::New);
        let error = |raw| refused(OsStr::new("x"), &[], Some("bob"), cookie, io::Error::from_raw_os_error(raw));
        assert_eq!(error((3 << 16) | libc::EPERM).exit_code(), 125);
        assert!(error((3 << 16) | libc::EPERM).to_string().contains("as `bob`"));
        assert!(error((2 << 16) | libc::EINVAL).to_string().contains("its CPUs"));
        assert_eq!(error((5 << 16) | libc::ENOENT).exit_code(), 127);
        assert!(matches!(error((6 << 16) | libc::ENODEV), SpawnError::Cookie(_)));
        assert!(error(libc::EAGAIN).to_string().contains("starting a process"));
    }
}
