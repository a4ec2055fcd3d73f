//! Takes the kernel object in, which `cargo xtask build` makes beforehand.
//!
//! Without one everything still compiles, with an empty object that the program
//! refuses by name: whoever works on reports needs no BPF compiler.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Names the object to take.
const OBJECT: &str = "COLLECTOR_BPF_OBJECT";

/// Set to 1, no object is taken, wherever one may be.
const SKIP: &str = "COLLECTOR_BPF_SKIP";

fn main() -> ExitCode {
    for variable in [OBJECT, SKIP, "CARGO_TARGET_DIR"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    match embed() {
        Ok(description) => {
            println!("cargo::rustc-env=COLLECTOR_BPF_BUILD={description}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            println!("cargo::error={message}");
            ExitCode::FAILURE
        }
    }
}

/// Writes `$OUT_DIR/sched.o` and tells how it was built.
fn embed() -> Result<String, String> {
    let out = PathBuf::from(variable("OUT_DIR")?).join("sched.o");
    let source = source()?;
    let (bytes, description) = match &source {
        Some(path) => {
            let bytes = fs::read(path).map_err(|error| format!("the kernel object {}: {error}", path.display()))?;
            (bytes, description(path))
        }
        None => (Vec::new(), "none".to_owned()),
    };
    fs::write(&out, bytes).map_err(|error| format!("{}: {error}", out.display()))?;
    Ok(description)
}

/// The object to take, having told cargo what to watch.
fn source() -> Result<Option<PathBuf>, String> {
    if env::var_os(SKIP).is_some_and(|value| value == "1") {
        // Nothing but the variables can change that.
        println!("cargo::rerun-if-changed=build.rs");
        println!("cargo::warning={SKIP}=1: this collector cannot watch anything");
        return Ok(None);
    }
    if let Some(path) = env::var_os(OBJECT).filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        watch(&path);
        return Ok(Some(path));
    }
    let dir = target_dir()?.join("bpf");
    let path = dir.join("sched.o");
    if path.is_file() {
        watch(&path);
        return Ok(Some(path));
    }
    // Cargo takes a watched path that does not exist for changed every time.
    // The folder can be watched instead: the object appears in it.
    fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    println!("cargo::rerun-if-changed={}", dir.display());
    println!(
        "cargo::warning=no kernel object at {}: this collector cannot watch anything; \
         `cargo xtask build` makes one",
        path.display()
    );
    Ok(None)
}

fn watch(object: &Path) {
    println!("cargo::rerun-if-changed={}", object.display());
    let built = object.with_extension("json");
    if built.is_file() {
        println!("cargo::rerun-if-changed={}", built.display());
    }
}

/// The workspace's target folder, where `cargo xtask build` puts the object.
fn target_dir() -> Result<PathBuf, String> {
    let package = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let root = package.parent().unwrap_or(&package);
    let dir = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Ok(root.join(dir))
}

/// The `summary` beside the object. It is one line, written without quotes or
/// escapes, so that a JSON parser need not be compiled for this alone.
fn description(object: &Path) -> String {
    fs::read_to_string(object.with_extension("json"))
        .ok()
        .and_then(|json| {
            let (_, rest) = json.split_once("\"summary\":")?;
            rest.split('"').nth(1).map(str::to_owned)
        })
        .unwrap_or_else(|| "unknown".to_owned())
}

fn variable(name: &str) -> Result<std::ffi::OsString, String> {
    env::var_os(name).ok_or_else(|| format!("cargo did not set {name}"))
}
