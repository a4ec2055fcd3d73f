//! Tables that are aligned on a terminal and rendered as such in Markdown.

/// A table.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// One with these headings.
    pub fn new(headings: &[&str]) -> Self {
        Self { rows: vec![headings.iter().map(|heading| (*heading).to_owned()).collect()] }
    }

    /// Adds a row. Cells that are missing are empty.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The whole, with a line feed at the end of each line. Columns of figures are
    /// aligned to the right.
    pub fn render(&self) -> String {
        let columns = self.rows.first().map_or(0, Vec::len);
        let cell = |row: &[String], column: usize| row.get(column).map_or("", String::as_str).replace('|', "\\|");
        let width = |column| self.rows.iter().map(|row| cell(row, column).chars().count()).max().unwrap_or(0).max(3);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let right: Vec<bool> = (0..columns).map(|column| self.is_numeric(column)).collect();
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            for (column, width) in widths.iter().enumerate() {
                let cell = cell(row, column);
                text.push_str(&if right[column] { format!("| {cell:>width$} ") } else { format!("| {cell:<width$} ") });
            }
            text.push_str("|\n");
            if number == 0 {
                for (width, right) in widths.iter().zip(&right) {
                    let dashes = "-".repeat(width - usize::from(*right));
                    text.push_str(&format!("| {dashes}{} ", if *right { ":" } else { "" }));
                }
                text.push_str("|\n");
            }
        }
        text
    }

    /// Whether most cells below the heading begin like a number.
    fn is_numeric(&self, column: usize) -> bool {
        let cells = self.rows.iter().skip(1).filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty());
        let (mut figures, mut words) = (0, 0);
        for cell in cells {
            let first = cell.trim_start_matches(['-', '+']).chars().next();
            if first.is_none_or(|first| first.is_ascii_digit()) { figures += 1 } else { words += 1 }
        }
        figures > words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_aligned_to_the_right() {
        let mut table = Table::new(&["what", "ns"]);
        table.row(vec!["empty".into(), "79".into()]);
        table.row(vec!["a|b".into(), "1007.5".into()]);
        table.row(vec!["none".into()]);
        let expected = "\
| what  |     ns |
| ----- | -----: |
| empty |     79 |
| a\\|b  | 1007.5 |
| none  |        |
";
        assert_eq!(table.render(), expected);
    }
}
