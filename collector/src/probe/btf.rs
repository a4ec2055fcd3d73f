//! Reads structure offsets and tracepoint arguments from the kernel's BTF.
//!
//! Rust has no CO-RE relocations; offsets are resolved here and handed to the
//! programs as read-only globals.

use std::{
    fs::File,
    os::fd::{AsRawFd, OwnedFd},
    path::Path,
};

use btf_rs::{Backend, Btf, BtfType, Type};
use rustix::fs::{MemfdFlags, memfd_create};

/// A field of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Bytes from the start of the structure.
    pub offset: u64,
    /// Its size in bytes; 0 where the type has none.
    pub size: u64,
}

/// Why a kernel's BTF could not be used.
#[derive(Debug, thiserror::Error)]
pub enum BtfError {
    /// The file is missing or not BTF.
    #[error(
        "cannot read kernel type information from {path}: {error}; it needs a kernel with CONFIG_DEBUG_INFO_BTF, or --btf with a file that matches this kernel"
    )]
    Unreadable {
        /// The file.
        path: String,
        /// What the parser said.
        error: btf_rs::Error,
    },
    /// A structure or field that every supported kernel has is missing.
    #[error("the kernel's type information has no {0}: this kernel is not supported")]
    Missing(String),
}

/// The kernel's types.
pub struct KernelTypes {
    btf: Btf,
}

impl KernelTypes {
    /// Parses a BTF file, usually `/sys/kernel/btf/vmlinux`.
    ///
    /// # Errors
    ///
    /// [`BtfError::Unreadable`].
    pub fn read(path: &Path) -> Result<Self, BtfError> {
        let unreadable = |error| BtfError::Unreadable { path: path.display().to_string(), error };
        // Parsed in place: 2 ms and 1 MB, where parsing all of it took 300 ms and 40 MB.
        // The kernel's own file can be mapped since 6.16; before, a copy of it.
        let mapped = Btf::from_file_with_backend(path, Backend::Mmap);
        let btf =
            mapped.or_else(|_| copied(path).and_then(|copy| Btf::from_file_with_backend(copy.path(), Backend::Mmap)));
        Ok(Self { btf: btf.map_err(unreadable)? })
    }

    /// A field reached by names from a structure, as in `task_struct.se.cfs_rq`;
    /// anonymous structures and unions on the way are looked into. `None` if this
    /// kernel does not have it.
    pub fn field(&self, structure: &str, path: &[&str]) -> Option<Field> {
        let mut types = self.btf.resolve_types_by_name(structure).ok()?.into_iter();
        let mut current = types.find_map(|ty| match ty {
            Type::Struct(s) if !s.members.is_empty() => Some(s),
            _ => None,
        })?;
        let mut bits = 0u64;
        for (depth, name) in path.iter().enumerate() {
            let (offset, ty) = self.member(&current, name)?;
            bits += offset;
            if depth + 1 == path.len() {
                return Some(Field { offset: bits / 8, size: self.size(&ty) });
            }
            current = match ty {
                Type::Struct(s) | Type::Union(s) => s,
                _ => return None,
            };
        }
        None
    }

    /// The size of a structure in bytes; `None` if this kernel does not have it.
    pub fn structure_size(&self, structure: &str) -> Option<u64> {
        self.btf.resolve_types_by_name(structure).ok()?.iter().find_map(|ty| match ty {
            Type::Struct(s) => Some(s.size() as u64),
            _ => None,
        })
    }

    /// Bit offset and type of a member, anonymous members searched as well.
    fn member(&self, structure: &btf_rs::Struct, name: &str) -> Option<(u64, Type)> {
        for member in &structure.members {
            let member_name = self.btf.resolve_name(member).unwrap_or_default();
            let offset = u64::from(member.bit_offset());
            if member_name == name {
                return Some((offset, self.stripped(member)?));
            }
            if member_name.is_empty()
                && let Some(Type::Struct(inner) | Type::Union(inner)) = self.stripped(member)
                && let Some((within, ty)) = self.member(&inner, name)
            {
                return Some((offset + within, ty));
            }
        }
        None
    }

    /// The type something has, without typedefs and qualifiers.
    fn stripped(&self, of: &dyn BtfType) -> Option<Type> {
        let mut ty = self.btf.resolve_chained_type(of).ok()?;
        loop {
            ty = match &ty {
                Type::Typedef(inner) => self.btf.resolve_chained_type(inner).ok()?,
                Type::Volatile(inner) | Type::Const(inner) | Type::Restrict(inner) => {
                    self.btf.resolve_chained_type(inner).ok()?
                }
                Type::TypeTag(inner) => self.btf.resolve_chained_type(inner).ok()?,
                _ => return Some(ty),
            };
        }
    }

    fn size(&self, ty: &Type) -> u64 {
        match ty {
            Type::Int(int) => int.size() as u64,
            Type::Enum(e) => e.size() as u64,
            Type::Struct(s) | Type::Union(s) => s.size() as u64,
            Type::Ptr(_) => 8,
            Type::Array(array) => {
                let element = self.stripped(array).map_or(0, |ty| self.size(&ty));
                element * array.len() as u64
            }
            _ => 0,
        }
    }

    /// What a tracepoint passes, from `btf_trace_NAME`, the kernel's typedef of the
    /// probe function; `None` if there is no such tracepoint. Names of arguments are
    /// not in BTF, only their types.
    pub fn tracepoint(&self, name: &str) -> Option<Vec<Argument>> {
        let types = self.btf.resolve_types_by_name(&format!("btf_trace_{name}")).ok()?;
        let typedef = types.into_iter().find_map(|ty| match ty {
            Type::Typedef(typedef) => Some(typedef),
            _ => None,
        })?;
        let Type::Ptr(pointer) = self.btf.resolve_chained_type(&typedef).ok()? else { return None };
        let Type::FuncProto(function) = self.btf.resolve_chained_type(&pointer).ok()? else { return None };
        // The first parameter is the probe's own data pointer.
        Some(function.parameters.iter().skip(1).map(|parameter| self.argument(parameter)).collect())
    }

    fn argument(&self, parameter: &btf_rs::Parameter) -> Argument {
        match self.stripped(parameter) {
            Some(Type::Ptr(_)) => Argument::Pointer,
            Some(Type::Int(int)) if int.is_bool() || int.size() == 1 => Argument::Bool,
            Some(Type::Int(_) | Type::Enum(_)) => Argument::Number,
            _ => Argument::Other,
        }
    }
}

/// A copy of a file in memory, reached by a path for as long as it is kept.
struct Copied(OwnedFd);

impl Copied {
    fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.0.as_raw_fd())
    }
}

fn copied(path: &Path) -> Result<Copied, btf_rs::Error> {
    let mut from = File::open(path)?;
    let fd = memfd_create("btf", MemfdFlags::CLOEXEC).map_err(std::io::Error::from)?;
    let mut to = File::from(fd);
    std::io::copy(&mut from, &mut to)?;
    Ok(Copied(to.into()))
}

/// The kind of an argument of a tracepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A pointer.
    Pointer,
    /// A truth value.
    Bool,
    /// A number.
    Number,
    /// Anything else.
    Other,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn a_missing_file_is_said_with_a_remedy() {
        let error = KernelTypes::read(Path::new("/nowhere/vmlinux")).err().unwrap().to_string();
        assert!(error.contains("/nowhere/vmlinux") && error.contains("CONFIG_DEBUG_INFO_BTF"), "{error}");
    }

    #[test]
    fn a_file_that_is_not_btf_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"not type information").unwrap();
        assert!(KernelTypes::read(file.path()).is_err());
    }

    #[test]
    fn a_copy_reads_like_the_original() {
        let vmlinux = Path::new("/sys/kernel/btf/vmlinux");
        if !vmlinux.exists() {
            return;
        }
        let copy = copied(vmlinux).unwrap();
        let of_copy = KernelTypes::read(Path::new(&copy.path())).unwrap();
        let original = KernelTypes::read(vmlinux).unwrap();
        for path in [&["pid"][..], &["se", "cfs_rq"], &["on_cpu"]] {
            let field = original.field("task_struct", path).unwrap();
            assert_eq!(of_copy.field("task_struct", path), Some(field));
        }
        assert_eq!(original.field("task_struct", &["comm"]).unwrap().size, 16);
        assert_eq!(original.field("task_struct", &["no_such_field"]), None);
        assert_eq!(original.tracepoint("sched_wakeup"), Some(vec![Argument::Pointer]));
        assert_eq!(original.tracepoint("no_such_tracepoint"), None);
    }
}
