//! `--group NAME=CMD`.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
};

use anyhow::bail;

use crate::agent::Group;

/// The most groups of a run.
const MOST: usize = 8;
/// The longest name.
const LONGEST: usize = 32;

/// What was typed, in the same order.
///
/// # Errors
///
/// One sentence on what is wrong.
pub fn parse(typed: &[OsString]) -> anyhow::Result<Vec<Group>> {
    if typed.len() > MOST {
        bail!("{} groups are given, and {MOST} are the most: run fewer side by side", typed.len());
    }
    let groups = typed.iter().map(|text| one(text)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut names = BTreeSet::new();
    if let Some(twice) = groups.iter().find(|group| !names.insert(&group.name)) {
        bail!("--group {} is given twice: give each group a name of its own", twice.name);
    }
    Ok(groups)
}

fn one(text: &OsStr) -> anyhow::Result<Group> {
    let shown = || format!("--group {:?}", text.to_string_lossy());
    let Some(equals) = text.as_bytes().iter().position(|&byte| byte == b'=') else {
        bail!("{}: give a name and a shell command, as in --group na='sysbench cpu run'", shown());
    };
    let (name, command) = text.as_bytes().split_at(equals);
    let command = OsStr::from_bytes(command.get(1..).unwrap_or_default());
    let name = match std::str::from_utf8(name) {
        Ok(name) if is_name(name) => name.to_owned(),
        _ => bail!("{}: a name is 1 to {LONGEST} of the characters A-Z a-z 0-9 _ . -", shown()),
    };
    if command.to_string_lossy().trim().is_empty() {
        bail!("{}: there is no command after the =", shown());
    }
    Ok(Group { name, command: command.to_owned() })
}

fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=LONGEST).contains(&name.len()) && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(typed: &[&str]) -> Result<Vec<Group>, String> {
        let typed: Vec<OsString> = typed.iter().map(OsString::from).collect();
        parse(&typed).map_err(|error| error.to_string())
    }

    #[test]
    fn the_first_equals_sign_ends_the_name() {
        let group = |name: &str, command: &str| Group { name: name.into(), command: command.into() };
        assert_eq!(parsed(&["na=a=1 b", "x.y-z_0= c"]), Ok(vec![group("na", "a=1 b"), group("x.y-z_0", " c")]));
        assert_eq!(parsed(&[]), Ok(Vec::new()));
    }

    #[test]
    fn nonsense_is_refused() {
        let says = |typed: &[&str], part: &str| parsed(typed).is_err_and(|error| error.contains(part));
        assert!(says(&["na"], "--group \"na\": give a name and"));
        for text in ["=x", "a b=x", "a\n=x", "ä=x", &format!("{}=x", "n".repeat(33))] {
            assert!(says(&[text], "a name is"), "{text}");
        }
        assert!(says(&["na="], "no command") && says(&["na= \t"], "no command"));
        assert!(says(&["a=x", "b=y", "a=z"], "--group a is given twice"));
        let many: Vec<String> = (0..9).map(|n| format!("g{n}=x")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(parsed(&many[..8]).is_ok() && says(&many, "9 groups"));
    }
}
