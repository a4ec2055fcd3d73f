//! What goes back to the host, over the second serial port.

use std::{
    fs::{self, File},
    io::Write as _,
    path::Path,
};

use anyhow::{Context as _, Result};
use rustix::termios::{OptionalActions, tcdrain, tcgetattr, tcsetattr};

use crate::vm::report;

/// The second serial port.
const PORT: &str = "/dev/ttyS1";

/// Sends the files in `results`, then the line that says how it ended, and waits until
/// all of it is out, as well as what the console has still to print.
///
/// # Errors
/// When the port cannot be written.
pub fn send(results: &Path, code: u8) -> Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(results).into_iter().flatten().flatten() {
        if entry.path().is_file() {
            let content = fs::read(entry.path()).with_context(|| format!("could not read {:?}", entry.path()))?;
            files.push((entry.file_name().to_string_lossy().into_owned(), content));
        }
    }
    // Which kernel it was, for whoever reads the outcome.
    files.push(("release".to_owned(), fs::read("/proc/sys/kernel/osrelease").unwrap_or_default()));
    files.sort();
    let mut port = File::options().read(true).write(true).open(PORT).with_context(|| format!("no {PORT}"))?;
    let mut settings = tcgetattr(&port).context("no settings of the port")?;
    // Otherwise a line feed would become two characters.
    settings.make_raw();
    tcsetattr(&port, OptionalActions::Now, &settings).context("could not set up the port")?;
    port.write_all(&report::encode(&files, code)).with_context(|| format!("could not write {PORT}"))?;
    tcdrain(&port).context("could not wait for the port")?;
    let _no_terminal = tcdrain(std::io::stdout());
    Ok(())
}
