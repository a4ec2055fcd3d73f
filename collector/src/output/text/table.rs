//! Columns of text, aligned by spaces alone, so that they can be copied and cut.

use unicode_width::UnicodeWidthStr;

use super::style::Style;
use crate::output::Terminal;

/// How the cells of a column are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers with the same decimals.
    Right,
    /// Numbers with different decimals.
    Point,
}

/// A table with a line of headings.
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Row>,
}

struct Row {
    cells: Vec<String>,
    style: Style,
    below: Option<String>,
}

impl Table {
    /// With these headings.
    pub fn new(columns: impl IntoIterator<Item = (String, Align)>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row, a cell a column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.styled(cells, Style::Plain, None);
    }

    /// Adds a row in a style, with a line below that may be longer than the table is wide.
    pub fn styled(&mut self, cells: impl IntoIterator<Item = String>, style: Style, below: Option<String>) {
        self.rows.push(Row { cells: cells.into_iter().collect(), style, below });
    }

    /// Takes a column out; nothing happens if there is none of that heading.
    pub fn remove(&mut self, heading: &str) {
        if let Some(index) = self.columns.iter().position(|(title, _)| title == heading) {
            self.columns.remove(index);
            for row in &mut self.rows {
                if index < row.cells.len() {
                    row.cells.remove(index);
                }
            }
        }
    }

    /// Columns of the terminal that it takes with `gap` spaces between columns.
    pub fn width(&self, gap: usize) -> usize {
        let gaps = gap * self.columns.len().saturating_sub(1);
        self.shapes().iter().map(Shape::width).sum::<usize>() + gaps
    }

    /// The lines, `gap` spaces between columns, nothing after the last cell.
    pub fn lines(&self, terminal: Terminal, gap: usize) -> Vec<String> {
        let shapes = self.shapes();
        let headings: Vec<String> = self.columns.iter().map(|(title, _)| title.clone()).collect();
        let mut lines = vec![Style::Dim.paint(&line(&headings, &shapes, gap, true), terminal)];
        for row in &self.rows {
            lines.push(row.style.paint(&line(&row.cells, &shapes, gap, false), terminal));
            lines.extend(row.below.clone());
        }
        lines
    }

    fn shapes(&self) -> Vec<Shape> {
        let shape = |(index, (title, align)): (usize, &(String, Align))| {
            let mut shape = Shape { align: *align, whole: 0, fraction: 0, least: title.width() };
            for cell in self.rows.iter().filter_map(|row| row.cells.get(index)) {
                let (whole, fraction) = shape.split(cell);
                shape.whole = shape.whole.max(whole);
                shape.fraction = shape.fraction.max(fraction);
            }
            shape
        };
        self.columns.iter().enumerate().map(shape).collect()
    }
}

/// What a column takes.
struct Shape {
    align: Align,
    /// Before the decimal point.
    whole: usize,
    /// The point and what follows it.
    fraction: usize,
    least: usize,
}

impl Shape {
    fn width(&self) -> usize {
        self.least.max(self.whole + self.fraction)
    }

    /// Widths before and from the decimal point on. Words have none.
    fn split(&self, cell: &str) -> (usize, usize) {
        let number = self.align == Align::Point && cell.starts_with(|c: char| c.is_ascii_digit());
        match cell.find('.').filter(|_| number) {
            Some(point) => (point, cell.len() - point),
            None => (cell.width(), 0),
        }
    }

    /// Spaces before and after a cell.
    fn padding(&self, cell: &str, heading: bool) -> (usize, usize) {
        let free = self.width().saturating_sub(cell.width());
        match self.align {
            Align::Left => (0, free),
            Align::Point if !heading => {
                let after = self.fraction - self.split(cell).1.min(self.fraction);
                (free.saturating_sub(after), after.min(free))
            }
            Align::Right | Align::Point => (free, 0),
        }
    }
}

fn line(cells: &[String], shapes: &[Shape], gap: usize, heading: bool) -> String {
    let mut line = String::new();
    for (index, (cell, shape)) in cells.iter().zip(shapes).enumerate() {
        let (before, after) = shape.padding(cell, heading);
        let gap = if index == 0 { 0 } else { gap };
        line.push_str(&" ".repeat(gap + before));
        line.push_str(cell);
        line.push_str(&" ".repeat(after));
    }
    line.truncate(line.trim_end().len());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_nothing_trails() {
        let terminal = Terminal { width: 80, unicode: true, color: false };
        let mut table =
            Table::new([("name".into(), Align::Left), ("n".into(), Align::Right), ("time".into(), Align::Point)]);
        table.row(["a".into(), "1".into(), "1.25".into()]);
        table.row(["日本".into(), "12345".into(), "1200".into()]);
        table.row(["".into(), "".into(), "-".into()]);
        assert_eq!(
            table.lines(terminal, 2),
            ["name      n     time", "a         1     1.25", "日本  12345  1200", "                -"]
        );
        assert_eq!(table.width(2), 20);
    }
}
