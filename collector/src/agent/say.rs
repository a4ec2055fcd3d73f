//! Words for a person, on stderr.

use std::{
    fmt::Display,
    io::{self, Write},
};

/// Says a line. Nobody may be left to read it (`2>&1 | head`), which must neither end
/// a run nor change its exit code, as `eprintln!` would by panicking.
pub fn say(line: impl Display) {
    // In one piece: the command may be writing there too.
    let _ = io::stderr().write_all(format!("collector: {line}\n").as_bytes());
}
