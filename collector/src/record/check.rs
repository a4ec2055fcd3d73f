//! Whether what was read can be what was written.

use serde::Deserialize as _;
use serde_json::Value;

use super::{Frame, Hist, HistogramParameters, SCHEMA_VERSION, error::Fault, printable::printable};

/// What every header begins with.
const HEADER: &[u8] = br#"{"type":"header""#;

/// First bytes of what people compress records with.
const ARCHIVES: [(&[u8], &str); 4] =
    [(b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"\xfd7zXZ", "xz"), (b"BZh", "bzip2")];

/// Tells from its first bytes whether a file can be a record.
pub(super) fn foreign(start: &[u8]) -> Result<(), Fault> {
    if start.is_empty() {
        return Err(Fault::Empty);
    }
    if let Some((_, name)) = ARCHIVES.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Err(Fault::Compressed(name));
    }
    match start.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => Ok(()),
        Some(_) if start.contains(&0) => Err(Fault::Foreign("is binary".to_owned())),
        Some(_) => Err(Fault::Foreign("is not JSON".to_owned())),
        None => Err(Fault::Empty),
    }
}

/// Whether a line that was cut can have been a header.
pub(super) fn may_be_header(line: &[u8]) -> bool {
    line.starts_with(HEADER) || HEADER.starts_with(line)
}

/// Whether a first line is a header that this version understands. Looks at single
/// fields, because of a later version's header no more than these can be relied on.
pub(super) fn header(line: &Value) -> Result<(), Fault> {
    let (Some("header"), Some(found)) = (line["type"].as_str(), line["schema"].as_u64()) else {
        return Err(Fault::Foreign("is JSON, but not the header of a record".to_owned()));
    };
    let tool = line["tool"]["version"]
        .as_str()
        .map_or_else(|| "a later collector".to_owned(), |version| format!("collector {}", printable(version, true)));
    if found > u64::from(SCHEMA_VERSION) {
        return Err(Fault::Newer { found, tool });
    }
    match HistogramParameters::deserialize(&line["histogram"]) {
        Ok(other) if other != HistogramParameters::current() => {
            let HistogramParameters { sub_bits, max_bits, buckets } = other;
            Err(Fault::Buckets { found: format!("{buckets}, of {sub_bits} bits, up to 2^{max_bits} ns"), tool })
        }
        _ => Ok(()),
    }
}

/// A JSON error in words, for a line of its own: without the `at line 1` that it ends with.
pub(super) fn sentence(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    let text = printable(text, true);
    if error.is_data() { text } else { format!("is not JSON: {text} in column {}", error.column()) }
}

/// What is wrong with a frame that is valid JSON of the right form.
pub(super) fn frame(frame: &Frame) -> Result<(), String> {
    if frame.end_ns < frame.start_ns {
        return Err("the frame ends before it begins".to_owned());
    }
    for cpu in &frame.cpus {
        for hist in [&cpu.waits.workload, &cpu.waits.others, &cpu.waits.collector] {
            histogram(hist).map_err(|what| format!("CPU {}: {what}", cpu.cpu))?;
        }
    }
    Ok(())
}

fn histogram(hist: &Hist) -> Result<(), String> {
    let buckets = HistogramParameters::current().buckets;
    let mut last = None;
    for &(index, _) in &hist.counts {
        if index >= buckets {
            return Err(format!("there is no bucket {index}, there are {buckets}"));
        }
        if last.is_some_and(|last| index <= last) {
            return Err(format!("bucket {index} is out of order"));
        }
        last = Some(index);
    }
    Ok(())
}
