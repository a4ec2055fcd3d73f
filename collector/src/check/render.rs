//! Items for people and for programs.

use super::{Item, missing};

/// Width of the longest status, `missing`.
const STATUS: usize = 7;

/// A line an item (`name  status  what was found`), its remedy on a line of its own
/// behind `->`, and a last line that says whether `collector run` will work. Findings
/// of several lines, such as the kernel's log of a refused program, stay in their column.
pub fn text(items: &[Item]) -> String {
    let name = items.iter().map(|item| item.name.len()).max().unwrap_or(0);
    let column = name + 2 + STATUS + 2;
    let mut out = String::new();
    for item in items {
        let mut lines = item.found.lines();
        let first = lines.next().unwrap_or_default();
        out.push_str(format!("{:name$}  {:STATUS$}  {first}", item.name, item.status.word()).trim_end());
        out.push('\n');
        for line in lines.map(str::to_owned).chain(item.remedy.iter().map(|remedy| format!("-> {remedy}"))) {
            out.push_str(format!("{:column$}{line}", "").trim_end());
            out.push('\n');
        }
    }
    let missing: Vec<&str> = missing(items).map(|item| item.name.as_str()).collect();
    if missing.is_empty() {
        out.push_str("`collector run` will work here\n");
    } else {
        out.push_str(&format!("`collector run` will not work here, it needs: {}\n", missing.join(", ")));
    }
    out
}

/// An array of [`Item`]s, ended by a newline.
///
/// # Errors
/// None that can be provoked: strings and enums always have a JSON form.
pub fn json(items: &[Item]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(items).map(|json| json + "\n")
}
