//! bpf-linker: finding one, telling its LLVM, building one.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};

use crate::{
    child::{cargo, other_compiler, output_of},
    paths::Paths,
    step,
    version::Version,
};

use super::{
    decide::{LINKER, LLVMS},
    facts::{Linker, Llvm},
    probe::in_path,
};

/// A folder of the cache: named after all that its content depends on.
fn home(paths: &Paths, llvm: u32) -> PathBuf {
    paths.cache.join(format!("bpf-linker-{LINKER}-llvm{llvm}"))
}

fn program(home: &Path) -> PathBuf {
    home.join("bin").join("bpf-linker")
}

/// The linkers that run: the cache's, then the one in PATH.
pub fn find(paths: &Paths) -> Vec<Linker> {
    let cached = LLVMS.into_iter().map(|llvm| (program(&home(paths, llvm)), Some(llvm)));
    let in_path = in_path("bpf-linker").into_iter().map(|path| (path, None));
    cached
        .chain(in_path)
        .filter_map(|(path, llvm)| {
            // One whose libLLVM was removed since does not get this far.
            let version = Version::within(&output_of(Command::new(&path).arg("--version"))?)?;
            let llvm = llvm.or_else(|| llvm_of(&path));
            Some(Linker { path, version, llvm })
        })
        .collect()
}

/// bpf-linker does not print which LLVM it holds. The library it loads tells,
/// or, in one that is linked statically, the name LLVM signs its bitcode with.
fn llvm_of(path: &Path) -> Option<u32> {
    let libraries = output_of(Command::new("ldd").arg(path)).unwrap_or_default();
    loaded_llvm(&libraries).or_else(|| signature(&fs::read(path).ok()?))
}

fn loaded_llvm(libraries: &str) -> Option<u32> {
    libraries.lines().find_map(|line| {
        let name = line.split_whitespace().next()?.strip_prefix("libLLVM")?;
        let number = name.trim_start_matches("-").trim_start_matches(".so.");
        leading_number(number.as_bytes())
    })
}

fn signature(binary: &[u8]) -> Option<u32> {
    const NAME: &[u8] = b"LLVM";
    binary.windows(NAME.len()).enumerate().find_map(|(at, w)| {
        let rest = (w == NAME).then(|| &binary[at + NAME.len()..])?;
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        // "LLVM22.1.8": a number that no version follows is something else.
        let dotted = rest.get(digits) == Some(&b'.') && rest.get(digits + 1).is_some_and(u8::is_ascii_digit);
        dotted.then(|| leading_number(rest)).flatten()
    })
}

fn leading_number(text: &[u8]) -> Option<u32> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    std::str::from_utf8(&text[..digits]).ok()?.parse().ok()
}

/// Builds the linker from source into the cache folder: whole, or not at all.
///
/// # Errors
/// When cargo fails; nothing is left in the folder then.
pub fn build(paths: &Paths, llvm: &Llvm) -> Result<()> {
    let home = home(paths, llvm.major);
    // Only one set-up at a time gets here, so whatever bears this name was
    // left by one that was interrupted.
    let partial = paths.cache.join(format!("bpf-linker-{LINKER}-llvm{}.partial", llvm.major));
    remove(&partial)?;
    let result = install(paths, llvm, &partial).and_then(|()| {
        let version = output_of(Command::new(program(&partial)).arg("--version"));
        ensure!(version.is_some(), "the bpf-linker just built does not run");
        remove(&partial.join("target"))?;
        remove(&home)?;
        fs::rename(&partial, &home).with_context(|| format!("could not put bpf-linker into {}", home.display()))
    });
    if result.is_err() {
        remove(&partial)?;
    }
    result
}

fn install(paths: &Paths, llvm: &Llvm, into: &Path) -> Result<()> {
    fs::create_dir_all(into).with_context(|| format!("could not make {}", into.display()))?;
    let mut command = other_compiler(cargo(), &paths.target);
    if let Some(toolchain) = std::env::var_os("RUSTUP_TOOLCHAIN") {
        // Built for the host: cargo's own compiler is the right one.
        command.env("RUSTUP_TOOLCHAIN", toolchain);
    }
    command
        .current_dir(&paths.cache)
        .env("LLVM_PREFIX", &llvm.prefix)
        // Its profile has debug information, which nobody here would read.
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
        .args(["install", "bpf-linker", "--locked"])
        .args(["--version", &LINKER.to_string()])
        .args(["--no-default-features", "--features"])
        .arg(format!("llvm-{}", llvm.major))
        .arg("--root")
        .arg(into)
        .arg("--target-dir")
        .arg(into.join("target"));
    let what = format!("building bpf-linker {LINKER} with LLVM {}, a minute or two", llvm.major);
    step::logged(&what, &mut command, &paths.log("bpf-linker"), None)
}

fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("could not remove {}", dir.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaded_library_tells_the_llvm() {
        let debian = "\tlinux-vdso.so.1 (0x1)\n\tlibLLVM.so.22.1 => /usr/lib/libLLVM.so.22.1 (0x2)";
        assert_eq!(loaded_llvm(debian), Some(22));
        assert_eq!(loaded_llvm("\tlibLLVM-21.so => /usr/lib64/libLLVM-21.so (0x2)"), Some(21));
        assert_eq!(loaded_llvm("\tlibc.so.6 => /lib/libc.so.6 (0x2)"), None);
    }

    #[test]
    fn a_static_linker_is_told_by_the_signature_of_its_llvm() {
        assert_eq!(signature(b"\0LLVM ERROR\0LLVM9\0LLVM23.1.0\0"), Some(23));
        assert_eq!(signature(b"LLVM"), None);
        assert_eq!(signature(b"LLVM22"), None);
    }
}
