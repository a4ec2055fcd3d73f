//! The processor's name, which every architecture writes differently.

use std::{collections::BTreeSet, path::Path};

use super::read;
use crate::record::Measured;

/// Keys of `/proc/cpuinfo` that hold a name, best first: x86 and loongarch, mips,
/// powerpc and sparc, riscv, 32-bit arm, s390, boards with a device tree.
const KEYS: [&str; 7] = ["model name", "cpu model", "cpu", "uarch", "processor 0", "hardware", "model"];

/// The model of the processor, from `/proc/cpuinfo`; several names where cores differ.
pub fn model(root: &Path) -> Measured<String> {
    match read::text(root, "proc/cpuinfo") {
        Ok(text) => parse(&text),
        Err(error) => Measured::not(error.to_string()),
    }
}

/// The distinct values of `key`, in order of the alphabet.
fn values<'a>(text: &'a str, key: &str) -> BTreeSet<&'a str> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case(key))
        .map(|(_, value)| value.trim())
        .filter(|value| !value.is_empty())
        .collect()
}

fn joined(values: BTreeSet<&str>) -> String {
    values.into_iter().collect::<Vec<_>>().join(", ")
}

fn parse(text: &str) -> Measured<String> {
    // arm64 has numbers only, for names there are lists outside the kernel.
    let implementers = values(text, "CPU implementer");
    let named = KEYS.iter().map(|key| values(text, key)).find(|values| !values.is_empty());
    match named {
        Some(names) => Measured::Value(joined(names)),
        None if !implementers.is_empty() => {
            Measured::Value(format!("implementer {}, part {}", joined(implementers), joined(values(text, "CPU part"))))
        }
        None => Measured::not("/proc/cpuinfo names no processor"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(text: &str) -> String {
        parse(text).value().cloned().unwrap_or_default()
    }

    #[test]
    fn architectures() {
        let x86 = "processor\t: 0\ncpu family\t: 23\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n\n\
                   processor\t: 1\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n";
        assert_eq!(model(x86), "AMD EPYC");
        let arm64 = "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n\n\
                     processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n";
        assert_eq!(model(arm64), "implementer 0x41, part 0xd05, 0xd0c");
        let power = "processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 2.3GHz\n\nmodel\t\t: 8335-GTH\n";
        assert_eq!(model(power), "POWER9, altivec supported");
        let s390 = "vendor_id       : IBM/S390\nprocessor 0: version = 00,  identification = 0A, machine = 3931\n";
        assert_eq!(model(s390), "version = 00,  identification = 0A, machine = 3931");
        assert_eq!(model("processor\t: 0\nhart\t: 2\nuarch\t\t: sifive,u74-mc\n"), "sifive,u74-mc");
        assert_eq!(model("Model Name\t\t: Loongson-3A5000\n"), "Loongson-3A5000");
    }

    #[test]
    fn nothing_to_find() {
        for text in ["", "\n\n", "processor : 0\n", "model name :\n", ":::\n\u{fffd}"] {
            assert!(parse(text).reason().is_some(), "{text:?}");
        }
    }

    #[test]
    fn the_live_machine() {
        assert!(super::model(Path::new("/")).value().is_some_and(|model| !model.is_empty()));
    }
}
