//! Takes the kernel object in, which `cargo xtask build` makes beforehand.
//!
//! Without one everything still compiles, with an empty object that the program
//! refuses by name: whoever works on reports needs no BPF compiler.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Names the object to take.
const OBJECT: &str = "COLLECTOR_BPF_OBJECT";

/// Set to 1, no object is taken, wherever one may be.
const SKIP: &str = "COLLECTOR_BPF_SKIP";

fn main() {
    for variable in [OBJECT, SKIP, "CARGO_TARGET_DIR"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    match embed() {
        Ok(description) => println!("cargo::rustc-env=COLLECTOR_BPF_BUILD={description}"),
        Err(message) => println!("cargo::error={message}"),
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
        // Only the variables can change that.
        println!("cargo::warning={SKIP}=1: this collector cannot watch anything");
        return Ok(None);
    }
    if let Some(path) = env::var_os(OBJECT).filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        watch(&path);
        let built = path.with_extension("json");
        if built.is_file() {
            watch(&built);
        }
        return Ok(Some(path));
    }
    let dir = target_dir()?.join("bpf");
    let path = dir.join("sched.o");
    make(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    watch(&dir);
    if path.is_file() {
        return Ok(Some(path));
    }
    println!(
        "cargo::warning=no kernel object at {}: this collector cannot watch anything; \
         `cargo xtask build` makes one",
        path.display()
    );
    Ok(None)
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

/// The folder the object appears in is watched, not the object: cargo takes a
/// path that does not exist for changed at every build. A folder made just now
/// would still count as changed after this run, so it gets an old date.
fn make(dir: &Path) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(dir)?;
    fs::File::open(dir)?.set_modified(SystemTime::UNIX_EPOCH)
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
