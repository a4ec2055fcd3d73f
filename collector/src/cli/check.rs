//! `collector check`.

use std::{io::Write, path::Path};

use crate::{
    check::{self, Facts},
    record::Probe,
};

/// Say what this machine can and cannot do, with a remedy for what it cannot
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Print an array of objects with name, status, found, remedy and required
    #[arg(long)]
    pub json: bool,
}

/// Looks at the machine, prints what was found to `out` and gives the exit code: 0
/// where `run` will work, else 1. `probes` is what became of loading and attaching
/// the kernel programs, or why that was not even tried.
///
/// # Errors
/// Where `out` cannot be written.
pub fn run(args: &Args, probes: &Result<Vec<Probe>, String>, out: &mut impl Write) -> anyhow::Result<u8> {
    let items = check::items(&Facts::gather(Path::new("/")), probes);
    let text = if args.json { check::json(&items)? } else { check::text(&items) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(u8::from(!check::works(&items)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn the_live_machine_without_programs() {
        let refused = Err("Operation not permitted".to_owned());
        let mut out = Vec::new();
        assert_eq!(run(&Args { json: false }, &refused, &mut out).unwrap(), 1);
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with('\n') && text.contains("Operation not permitted"), "{text}");
        let mut out = Vec::new();
        assert_eq!(run(&Args { json: true }, &refused, &mut out).unwrap(), 1);
        assert_eq!(serde_json::from_slice::<Vec<check::Item>>(&out).unwrap().len(), 11);
    }
}
