//! Names of tasks that ran while another waited.

use std::{collections::HashMap, path::Path};

use crate::{
    host::read,
    record::{LongWait, Measured},
};

/// Names learned so far. They are read as soon as a pid turns up, since the task
/// may be gone at the end.
#[derive(Default)]
pub struct Names {
    known: HashMap<u32, Option<String>>,
}

impl Names {
    /// Fills in the names that the kernel side did not note. `namespace` translates
    /// the kernel's pids where `/proc` shows others.
    pub fn fill(&mut self, root: &Path, waits: &mut [LongWait], namespace: Option<&HashMap<u32, u32>>) {
        for wait in waits {
            if wait.ran_ns.value().is_none() || wait.ran_comm.value().is_some() {
                continue;
            }
            let name = self.known.entry(wait.ran_pid).or_insert_with(|| comm(root, wait.ran_pid, namespace));
            if let Some(name) = name {
                wait.ran_comm = Measured::Value(name.clone());
            }
        }
    }
}

/// The name of a task by the kernel's pid, if it still lives.
pub fn comm(root: &Path, pid: u32, namespace: Option<&HashMap<u32, u32>>) -> Option<String> {
    let pid = match namespace {
        Some(namespace) => *namespace.get(&pid)?,
        None => pid,
    };
    read::text(root, &format!("proc/{pid}/comm")).ok().map(|name| name.trim_end_matches('\n').to_owned())
}
