//! Kernel pids of tasks that are known by the pids of a namespace.

use std::{collections::HashMap, io::Read, time::Duration};

use aya::{
    Btf, Ebpf,
    programs::{Iter, iter::IterLink},
};

/// Pids as this process's namespace sees them, and as the kernel numbers them.
pub struct PidTable(Option<HashMap<u32, u32>>);

impl PidTable {
    /// For the initial namespace, in which both are the same.
    pub const fn same() -> Self {
        Self(None)
    }

    /// Loads the iterator program.
    ///
    /// # Errors
    ///
    /// In words, if the kernel has no such iterators (before 5.8) or refuses it.
    pub fn load(ebpf: &mut Ebpf, btf: &Btf) -> Result<(), String> {
        iterator(ebpf)?.load("task", btf).map_err(|error| error.to_string())
    }

    /// Reads the table through the iterator program, which has to be loaded.
    ///
    /// # Errors
    ///
    /// In words, if it cannot be read.
    pub fn read(ebpf: &mut Ebpf) -> Result<Self, String> {
        let program = iterator(ebpf)?;
        let link = program.attach().map_err(|error| error.to_string())?;
        let link: IterLink = program.take_link(link).map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        let mut file = link.into_file().map_err(|error| error.to_string())?;
        loop {
            match file.read_to_end(&mut bytes) {
                Ok(_) => break,
                // The iterator gives the CPU back now and then by EAGAIN (bpf_seq_read).
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    std::thread::sleep(Duration::from_millis(1))
                }
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(Self(Some(pairs(&bytes).map(|(kernel, namespace)| (namespace, kernel)).collect())))
    }

    /// The kernel's pid of a task; `None` if there is no such task.
    pub fn kernel(&self, pid: u32) -> Option<u32> {
        match &self.0 {
            None => Some(pid),
            Some(table) => table.get(&pid).copied(),
        }
    }

    /// Pids by the kernel's, for the way back; `None` where both are the same.
    pub fn namespace(&self) -> Option<HashMap<u32, u32>> {
        self.0.as_ref().map(|table| table.iter().map(|(&namespace, &kernel)| (kernel, namespace)).collect())
    }
}

fn iterator(ebpf: &mut Ebpf) -> Result<&mut Iter, String> {
    ebpf.program_mut("task_pids")
        .ok_or("the kernel object has no iterator over tasks")?
        .try_into()
        .map_err(|error: aya::programs::ProgramError| error.to_string())
}

/// The pairs of [`collector_ebpf::abi::PidPair`] in what the iterator wrote.
fn pairs(bytes: &[u8]) -> impl Iterator<Item = (u32, u32)> + '_ {
    bytes.chunks_exact(8).map(|pair| {
        let number = |at: usize| u32::from_ne_bytes([pair[at], pair[at + 1], pair[at + 2], pair[at + 3]]);
        (number(0), number(4))
    })
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn pairs_are_taken_apart_and_a_rest_is_left() {
        let bytes: Vec<u8> = [7u32, 1, 9, 2].iter().flat_map(|n| n.to_ne_bytes()).chain([1, 2]).collect();
        assert_eq!(pairs(&bytes).collect::<Vec<_>>(), [(7, 1), (9, 2)]);
    }
}
