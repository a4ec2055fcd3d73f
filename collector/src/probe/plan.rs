//! What gets attached, and how badly it is needed.

/// One tracepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracepoint {
    /// Its name; also the name of the program for BTF tracepoints.
    pub name: &'static str,
    /// The program for raw tracepoints.
    pub raw_program: &'static str,
    /// Whether nothing can be measured without it.
    pub required: bool,
    /// What is lost without it.
    pub without: &'static str,
}

/// Tracepoints in the order they are attached: those that keep the task map in
/// order first, so that no wait is seen of a task that is not known, and the one
/// that ends waits before those that begin them, so that none is left open.
pub const TRACEPOINTS: [Tracepoint; 6] = [
    Tracepoint {
        name: "sched_process_fork",
        raw_program: "raw_sched_process_fork",
        required: false,
        without: "forks are not counted; children are recognised when they first wake",
    },
    Tracepoint {
        name: "sched_process_exec",
        raw_program: "raw_sched_process_exec",
        required: false,
        without: "programs executed are not counted",
    },
    Tracepoint {
        name: "sched_process_exit",
        raw_program: "raw_sched_process_exit",
        required: false,
        without: "deaths are not counted",
    },
    Tracepoint {
        name: "sched_switch",
        raw_program: "raw_sched_switch",
        required: true,
        without: "nothing is measured",
    },
    Tracepoint {
        name: "sched_wakeup_new",
        raw_program: "raw_sched_wakeup_new",
        required: true,
        without: "the first wait of each task is lost",
    },
    Tracepoint {
        name: "sched_wakeup",
        raw_program: "raw_sched_wakeup",
        required: true,
        without: "waits after a wake-up are lost",
    },
];
