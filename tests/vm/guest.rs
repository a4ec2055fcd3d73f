//! The guest that the tests run in, as whoever booted it described it.

use std::{env, fs, sync::OnceLock};

use collector::host::{CpuList, topology::Topology};
use libtest_mimic::{Completion, Trial};

use super::needs::test_or_ignored;

/// A guest.
#[derive(Debug)]
pub struct Guest {
    /// The name of its kernel: `core` is the one with core scheduling.
    pub kernel: String,
    /// CPUs that it could have.
    pub cpus: u32,
    /// Cores in all packages.
    pub cores: u32,
    /// Threads of each core.
    pub threads: u32,
    /// CPUs that were brought up, where not all were.
    pub max_cpus: Option<u32>,
}

impl Guest {
    /// The one that this runs in.
    pub fn here() -> Option<&'static Self> {
        static HERE: OnceLock<Option<Guest>> = OnceLock::new();
        HERE.get_or_init(|| {
            let kernel = env::var("COLLECTOR_GUEST").ok()?;
            let smp = env::var("COLLECTOR_GUEST_SMP").expect("the guest's CPUs");
            let append = env::var("COLLECTOR_GUEST_APPEND").unwrap_or_default();
            let part = |name: &str| number(smp.split(','), name).unwrap_or(1);
            let cpus = smp.split(',').next().unwrap().parse().expect("a number of CPUs");
            let max_cpus = number(append.split(' '), "maxcpus");
            Some(Self { kernel, cpus, cores: part("sockets") * part("cores"), threads: part("threads"), max_cpus })
        })
        .as_ref()
    }

    /// Whether its kernel has core scheduling.
    pub fn has_core_scheduling(&self) -> bool {
        self.kernel == "core"
    }

    /// How many CPUs run, while no test has taken one away.
    pub fn online(&self) -> u32 {
        self.max_cpus.unwrap_or(self.cpus)
    }

    /// Whether some core runs more than one thread. With fewer CPUs than there could be,
    /// kernels differ in which they bring up: one of each core first, or by number.
    pub fn has_smt(&self) -> bool {
        if self.max_cpus.is_some() { topology().threads_per_core().value() > Some(&1) } else { self.threads > 1 }
    }
}

/// The number in `NAME=NUMBER`.
fn number<'a>(mut words: impl Iterator<Item = &'a str>, name: &str) -> Option<u32> {
    words.find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

/// A test that is ignored outside of a guest. What it returns says whether this guest
/// could show it.
pub fn test(name: &'static str, body: fn(&Guest) -> Completion) -> Trial {
    test_or_ignored(name, &[], move || {
        let Some(guest) = Guest::here() else {
            return Completion::ignored_with("not in a virtual machine: run `cargo xtask vm`");
        };
        // On the console, so that a guest that hangs says where.
        println!("-- {name}");
        body(guest)
    })
}

/// The CPUs as they are now.
pub fn topology() -> Topology {
    Topology::read("/".as_ref()).unwrap()
}

/// The CPUs that run now.
pub fn online() -> CpuList {
    topology().online
}

/// A setting of the kernel's that goes back to what it was.
pub struct Setting {
    path: String,
    before: String,
}

impl Setting {
    /// Writes it.
    #[track_caller]
    pub fn new(path: impl Into<String>, value: &str) -> Self {
        let path = path.into();
        let before = fs::read_to_string(&path).unwrap().trim().to_owned();
        fs::write(&path, value).unwrap_or_else(|error| panic!("{value} to {path}: {error}"));
        Self { path, before }
    }
}

impl Drop for Setting {
    fn drop(&mut self) {
        fs::write(&self.path, &self.before).unwrap();
    }
}
