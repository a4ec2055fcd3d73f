//! The task map, mapped into this process.
//!
//! Mapped, because single bytes have to be written: an update of a whole entry
//! through `bpf(2)` would put an old stamp back over a new one. It is mapped in
//! pieces and unmapped again, so that it does not count as this program's memory.

use std::os::fd::BorrowedFd;

use collector_ebpf::runq::Task;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Entries mapped at a time: 1 MiB.
const PIECE: u64 = (1 << 20) / size_of::<Task>() as u64;

/// One entry that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The thread.
    pub pid: u32,
    /// Its entry.
    pub task: Task,
}

/// The task map.
pub struct TaskMap<'a> {
    fd: BorrowedFd<'a>,
    entries: u64,
}

impl<'a> TaskMap<'a> {
    /// A view of a map with `entries` entries.
    pub const fn new(fd: BorrowedFd<'a>, entries: u32) -> Self {
        Self { fd, entries: entries as u64 }
    }

    /// Gives a task a class.
    ///
    /// # Errors
    ///
    /// If the map cannot be mapped, or the pid lies beyond it.
    pub fn set_class(&self, pid: u32, class: u8) -> std::io::Result<()> {
        let pid = u64::from(pid);
        if pid >= self.entries {
            return Err(std::io::Error::other(format!("pid {pid} lies beyond the task map")));
        }
        self.piece(pid / PIECE, |tasks| {
            // SAFETY: the index is within the piece. Only this byte is written, and
            // the kernel programs write it only when the task is born or executes.
            unsafe { (&raw mut (*tasks.add((pid % PIECE) as usize)).class).write_volatile(class) }
        })
    }

    /// All entries that wait.
    ///
    /// # Errors
    ///
    /// If the map cannot be mapped.
    pub fn waiting(&self) -> std::io::Result<Vec<Waiting>> {
        let mut found = Vec::new();
        for piece in 0..self.entries.div_ceil(PIECE) {
            let first = piece * PIECE;
            let count = PIECE.min(self.entries - first);
            self.piece(piece, |tasks| {
                for i in 0..count {
                    // SAFETY: within the piece; an entry may change while it is
                    // read, which the caller has to expect.
                    let task = unsafe { tasks.add(i as usize).read_volatile() };
                    if task.start != 0 {
                        found.push(Waiting { pid: (first + i) as u32, task });
                    }
                }
            })?;
        }
        Ok(found)
    }

    fn piece<R>(&self, number: u64, work: impl FnOnce(*mut Task) -> R) -> std::io::Result<R> {
        let first = number * PIECE;
        let length = ((PIECE.min(self.entries - first) * size_of::<Task>() as u64) as usize)
            .next_multiple_of(rustix::param::page_size());
        // SAFETY: a new mapping where the kernel likes; nothing existing is touched.
        let address = unsafe {
            mmap(
                std::ptr::null_mut(),
                length,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                self.fd,
                first * size_of::<Task>() as u64,
            )
        }?;
        let result = work(address.cast::<Task>());
        // SAFETY: the mapping made above, no longer used.
        unsafe { munmap(address, length) }?;
        Ok(result)
    }
}
