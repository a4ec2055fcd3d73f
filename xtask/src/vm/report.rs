//! What the guest sends back: files, and one agreed line at the end.
//!
//! Each file is `FILE LENGTH NAME`, a line feed, the bytes, a line feed; the last line is
//! `RC=n`. The length comes first, so that a file may hold anything.

/// A guest's report.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// Exit code of the program; `None` when the report breaks off before it.
    pub code: Option<u8>,
}

/// The bytes of a report.
pub fn encode(files: &[(String, Vec<u8>)], code: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in files {
        bytes.extend_from_slice(format!("FILE {} {name}\n", content.len()).as_bytes());
        bytes.extend_from_slice(content);
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(format!("RC={code}\n").as_bytes());
    bytes
}

/// Reads as much of a report as there is.
pub fn decode(mut bytes: &[u8]) -> Report {
    let mut report = Report::default();
    while let Some((line, rest)) = line(bytes) {
        if let Some(code) = line.strip_prefix("RC=") {
            // Nothing may follow: what does is not from `encode`.
            report.code = code.parse().ok().filter(|_| rest.is_empty());
            break;
        }
        let Some((length, name)) = line.strip_prefix("FILE ").and_then(|line| line.split_once(' ')) else { break };
        let Some((content, rest)) = length.parse().ok().and_then(|length| rest.split_at_checked(length)) else { break };
        report.files.push((name.to_owned(), content.to_vec()));
        let Some(rest) = rest.strip_prefix(b"\n") else { break };
        bytes = rest;
    }
    report
}

/// The first line, without its line feed, and what follows.
fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    Some((str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_as_it_was_sent() {
        let files = vec![("a b".to_owned(), b"RC=0\nFILE 3 x\n\0".to_vec()), ("empty".to_owned(), Vec::new())];
        assert_eq!(decode(&encode(&files, 7)), Report { files, code: Some(7) });
    }

    #[test]
    fn a_report_that_breaks_off_has_no_code() {
        let whole = encode(&[("a".to_owned(), b"12345".to_vec())], 0);
        for length in 0..whole.len() {
            assert_eq!(decode(&whole[..length]).code, None, "{length} bytes");
        }
        assert_eq!(decode(b"RC=0\nmore\n").code, None);
        assert_eq!(decode(b"RC=256\n").code, None);
        assert_eq!(decode(b"junk\nRC=0\n").code, None);
    }
}
