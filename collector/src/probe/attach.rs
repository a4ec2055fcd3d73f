//! Loads the object and attaches its programs, with a verdict for each.

use std::path::Path;

use aya::{
    Btf, Ebpf, EbpfError, EbpfLoader,
    maps::MapError,
    programs::{BtfTracePoint, ProgramError, RawTracePoint},
};

use super::{
    layout::Layout,
    object,
    pids::PidTable,
    plan::{TRACEPOINTS, Tracepoint},
};
use crate::record::{Probe, ProbeKind, Verdict};

/// How one attempt at loading goes about it.
pub struct Attempt<'a> {
    /// Where the kernel's types are.
    pub btf: &'a Path,
    /// Whether the iterator over tasks is needed, see [`super::pids`].
    pub iterator: bool,
    /// Offsets for the programs.
    pub layout: &'a Layout,
    /// Which programs to use.
    pub kind: ProbeKind,
    /// Whether they stamp with `rq->clock`.
    pub rq_clock: bool,
    /// Entries of the task map: the kernel's `pid_max`.
    pub task_slots: u32,
    /// Why the better kind was refused, if this is the second attempt.
    pub fallback_reason: Option<&'a str>,
}

/// Why nothing can be measured.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// The program was built without its kernel object.
    #[error("{0}")]
    NoObject(&'static str),
    /// The object was refused as a whole: usually a map.
    #[error("the kernel refused the maps of the kernel programs: {}", chain(.0))]
    Load(#[source] Box<EbpfError>),
    /// The loader could not read the kernel's types.
    #[error("cannot read kernel type information from {path}: {reason}")]
    Types {
        /// The file.
        path: String,
        /// What the loader said.
        reason: String,
    },
    /// The kernel's pids cannot be learned.
    #[error("cannot learn the kernel's pids from within this pid namespace: {0}; run on the host instead")]
    Pids(String),
    /// The maps could not be given their first values.
    #[error("{0}")]
    Prepare(String),
    /// A program that nothing works without was refused.
    #[error("{tracepoint} could not be attached, {without}: {reason}")]
    Required {
        /// The tracepoint.
        tracepoint: &'static str,
        /// What is lost.
        without: &'static str,
        /// What the kernel said.
        reason: String,
        /// Whether it was a matter of rights.
        denied: bool,
    },
}

impl AttachError {
    /// Whether the kernel said that the caller may not.
    pub fn is_denied(&self) -> bool {
        match self {
            Self::NoObject(_) | Self::Prepare(_) | Self::Types { .. } | Self::Pids(_) => false,
            Self::Load(error) => denied(error.as_ref()),
            Self::Required { denied, .. } => *denied,
        }
    }

    /// Whether a program was refused, so that another kind may be taken.
    pub const fn is_refusal(&self) -> bool {
        matches!(self, Self::Required { .. })
    }
}

/// An error with what it came from, in one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    if let Some(ProgramError::LoadError { io_error, verifier_log }) = error.downcast_ref::<ProgramError>() {
        return match objection(&verifier_log.to_string()) {
            Some(objection) => format!("the kernel's verifier refused the program ({objection})"),
            None => io_error.to_string(),
        };
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text.replace('\n', "; ")
}

/// What the verifier did not like: the last line of its log before the statistics.
fn objection(log: &str) -> Option<&str> {
    const STATISTICS: [&str; 4] = ["verification time", "stack depth", "processed", "insns processed"];
    log.lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty() && !STATISTICS.iter().any(|start| line.starts_with(start)))
}

/// Whether somewhere below an error there is EPERM. Not EACCES: the verifier says
/// that of a program it does not like.
fn denied(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut current = Some(error);
    while let Some(cause) = current {
        let io = match cause.downcast_ref::<MapError>() {
            Some(MapError::SyscallError(call)) => Some(&call.io_error),
            _ => cause.downcast_ref::<std::io::Error>(),
        };
        if io.is_some_and(|io| io.raw_os_error() == Some(libc::EPERM)) {
            return true;
        }
        current = cause.source();
    }
    false
}

impl Attempt<'_> {
    /// Loads and attaches.
    ///
    /// # Errors
    ///
    /// [`AttachError`]; a program that is not required and fails is a verdict instead.
    pub fn run(
        &self,
        prepare: impl Fn(&mut Ebpf) -> Result<(), AttachError>,
    ) -> Result<(Ebpf, Vec<Probe>), AttachError> {
        let mut ebpf = self.load()?;
        prepare(&mut ebpf)?;
        // Parsed after loading, see there.
        let btf = Btf::parse_file(self.btf, aya::Endianness::default())
            .map_err(|error| AttachError::Types { path: self.btf.display().to_string(), reason: chain(&error) })?;
        if self.iterator {
            PidTable::load(&mut ebpf, &btf).map_err(AttachError::Pids)?;
        }
        let mut probes = Vec::new();
        for tracepoint in &TRACEPOINTS {
            let verdict = match self.attach(&mut ebpf, &btf, tracepoint) {
                Ok(()) => {
                    Verdict::Attached { kind: self.kind, fallback_reason: self.fallback_reason.map(str::to_owned) }
                }
                Err(error) if tracepoint.required => {
                    return Err(AttachError::Required {
                        tracepoint: tracepoint.name,
                        without: tracepoint.without,
                        denied: denied(&error),
                        reason: chain(&error),
                    });
                }
                Err(error) => Verdict::Missing { reason: format!("{}; {}", chain(&error), tracepoint.without) },
            };
            probes.push(Probe { tracepoint: tracepoint.name.to_owned(), verdict });
        }
        Ok((ebpf, probes))
    }

    fn load(&self) -> Result<Ebpf, AttachError> {
        let object = object::bytes().map_err(AttachError::NoObject)?;
        // A new loader parses the kernel's types by itself, 20 MB, for relocations
        // that Rust programs do not have; dropped here, before they are parsed again
        // for attaching, so that both are never in memory at once.
        let mut loader = EbpfLoader::new();
        loader.btf(None).map_max_entries(collector_ebpf::abi::TASKS, self.task_slots);
        let rq_clock = u16::from(self.rq_clock);
        for (name, value) in self.layout.globals() {
            loader.override_global(name, value, true);
        }
        loader.override_global("USE_RQ_CLOCK", &rq_clock, true);
        loader.load(object).map_err(|error| AttachError::Load(Box::new(error)))
    }

    fn attach(&self, ebpf: &mut Ebpf, btf: &Btf, tracepoint: &Tracepoint) -> Result<(), ProgramError> {
        let name = match self.kind {
            ProbeKind::BtfTracepoint => tracepoint.name,
            ProbeKind::RawTracepoint => tracepoint.raw_program,
        };
        let program = ebpf.program_mut(name).ok_or(ProgramError::NotLoaded)?;
        match self.kind {
            ProbeKind::BtfTracepoint => {
                let program: &mut BtfTracePoint = program.try_into()?;
                program.load(tracepoint.name, btf)?;
                program.attach()?;
            }
            ProbeKind::RawTracepoint => {
                let program: &mut RawTracePoint = program.try_into()?;
                program.load()?;
                program.attach(tracepoint.name)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::objection;

    #[test]
    fn the_verifier_s_objection_is_the_last_line_that_is_not_statistics() {
        let log = "0: R1=ctx()\n21: (79) r9 = *(u64 *)(r2 +0)\ndereference of modified ctx ptr R2 off=16 disallowed\nverification time 317 usec\nstack depth 56\nprocessed 13 insns (limit 1000000) max_states_per_insn 0\n";
        assert_eq!(objection(log), Some("dereference of modified ctx ptr R2 off=16 disallowed"));
        assert_eq!(objection(""), None);
    }
}
