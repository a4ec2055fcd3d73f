//! The report for a program: one JSON document.

mod build;
mod layout;
pub mod model;

use schemars::{Schema, schema_for};

use super::{Exporter, Report};
use crate::record::printable::is_invisible;

/// One JSON document, nothing before or after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json {
    /// The only CPU to list, if it is to be one.
    pub cpu: Option<u32>,
}

impl Exporter for Json {
    fn render(&self, report: &Report<'_>) -> anyhow::Result<Vec<u8>> {
        if let Some(cpu) = self.cpu {
            report.cpu(cpu)?;
        }
        let text = String::from_utf8(layout::laid_out(&build::document(report, self.cpu))?)?;
        let mut safe = escaped(&text);
        safe.push('\n');
        Ok(safe.into_bytes())
    }
}

/// The schema of the document. `docs/report.schema.json` is this, written out.
pub fn schema() -> Schema {
    schema_for!(model::Document)
}

/// Escapes what a terminal might act on and JSON lets pass: DEL, the upper control
/// characters, marks that reorder text. Outside strings there is nothing of the kind
/// but the line breaks between values.
fn escaped(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && is_invisible(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(c);
        }
    }
    safe
}
