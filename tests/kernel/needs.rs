//! What a test needs of the machine, and why it is ignored where that is not there.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use collector::host::core_sched::CoreScheduling;
use libtest_mimic::{Completion, Failed, Trial};
use rustix::process::geteuid;

/// Something that a test needs.
#[derive(Clone, Copy)]
pub enum Need {
    /// To load kernel programs. Not that ours load: where they do not, tests fail.
    Tracing,
    /// A program in the path.
    Program(&'static str),
    /// A file or directory.
    File(&'static str),
    /// A user.
    User(&'static str),
    /// So many CPUs to run on.
    Cpus(usize),
    /// A pid space that can be gone through in a test.
    PidMax(u32),
    /// Core-scheduling cookies.
    CoreScheduling,
}

/// A test that fails by panicking.
pub fn test(name: &str, needs: &'static [Need], body: fn()) -> Trial {
    test_or_ignored(name, needs, move || {
        body();
        Completion::Completed
    })
}

/// The same, of which only the run tells whether it could be done.
pub fn test_or_ignored(
    name: &str,
    needs: &'static [Need],
    body: impl FnOnce() -> Completion + Send + 'static,
) -> Trial {
    Trial::ignorable_test(name, move || match [Need::Tracing].iter().chain(needs).find_map(|need| need.lacks()) {
        Some(reason) => Ok(Completion::ignored_with(reason)),
        None => Ok::<_, Failed>(body()),
    })
}

impl Need {
    /// Why it is not there.
    fn lacks(self) -> Option<String> {
        match self {
            Self::Tracing => {
                static LACKS: OnceLock<Option<String>> = OnceLock::new();
                LACKS.get_or_init(cannot_trace).clone()
            }
            Self::Program(name) => in_path(name).is_none().then(|| format!("{name} is not installed")),
            Self::File(path) => (!Path::new(path).exists()).then(|| format!("there is no {path}")),
            Self::User(name) => {
                let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
                let known = users.lines().any(|line| line.split(':').next() == Some(name));
                (!known).then(|| format!("there is no user {name}"))
            }
            Self::Cpus(needed) => {
                let found = super::machine::own_cpus().len();
                (found < needed).then(|| format!("takes {needed} CPUs, there is {found}"))
            }
            Self::PidMax(most) => {
                let found = super::machine::pid_max();
                (found > most).then(|| format!("kernel.pid_max is {found}: too many pids to go through"))
            }
            Self::CoreScheduling => match CoreScheduling::ask() {
                CoreScheduling::Available { .. } => None,
                cannot => Some(cannot.to_string()),
            },
        }
    }
}

/// The file that a command would be.
pub fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn cannot_trace() -> Option<String> {
    if !geteuid().is_root() {
        return Some("kernel programs take root".to_owned());
    }
    if let Err(reason) = collector::probe::object::bytes() {
        return Some(reason.to_owned());
    }
    if let Some(reason) = Need::File("/sys/kernel/btf/vmlinux").lacks() {
        return Some(format!("the kernel has no BTF: {reason}"));
    }
    may_not_use_bpf().map(|error| format!("the kernel lets nobody use bpf(2) here: {error}"))
}

/// Makes the smallest map there is, in plain system calls.
fn may_not_use_bpf() -> Option<std::io::Error> {
    /// The head of `union bpf_attr`, as `BPF_MAP_CREATE` reads it.
    #[repr(C)]
    struct MapCreate {
        kind: u32,
        key_size: u32,
        value_size: u32,
        entries: u32,
    }
    const BPF_MAP_CREATE: libc::c_long = 0;
    const BPF_MAP_TYPE_ARRAY: u32 = 2;
    let map = MapCreate { kind: BPF_MAP_TYPE_ARRAY, key_size: 4, value_size: 8, entries: 1 };
    // SAFETY: the kernel reads as many bytes as it is told there are.
    let fd = unsafe { libc::syscall(libc::SYS_bpf, BPF_MAP_CREATE, &raw const map, size_of::<MapCreate>()) };
    let error = std::io::Error::last_os_error();
    if fd < 0 {
        return Some(error);
    }
    // SAFETY: the descriptor was opened above and is nobody else's.
    unsafe { libc::close(i32::try_from(fd).unwrap()) };
    None
}
