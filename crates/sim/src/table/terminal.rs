//! The table a person reads: right-aligned columns, each as wide as it needs to be.

use super::{Cell, Format, Table, Value};

/// Between two columns.
const GAP: &str = "  ";

impl Table {
    /// Headings and rows, every line indented by one gap.
    pub fn terminal(&self) -> String {
        let columns: Vec<(Format, Vec<String>)> =
            self.filled().into_iter().map(|j| (self.columns[j].format, self.column(j))).collect();
        let mut text = String::new();
        for i in 0..=self.rows.len() {
            let mut line = String::new();
            for (format, column) in &columns {
                let width = column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
                line += &match format {
                    Format::Words => format!("{GAP}{:<width$}", column[i]),
                    _ => format!("{GAP}{:>width$}", column[i]),
                };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    /// Heading and cells.
    fn column(&self, j: usize) -> Vec<String> {
        let column = &self.columns[j];
        let cells = self.rows.iter().map(|row| shown(column.format, &row[j]));
        std::iter::once(column.heading.to_owned()).chain(cells).collect()
    }
}

fn shown(format: Format, cell: &Cell) -> String {
    match (cell, format) {
        (None, _) => String::new(),
        (Some(Value::Flag(flag)), _) => if *flag { "yes" } else { "no" }.to_owned(),
        // A message of several lines would break the table.
        (Some(Value::Words(words)), _) => words.split_whitespace().collect::<Vec<_>>().join(" "),
        (Some(Value::Number(value)), Format::Count | Format::Words) => format!("{value:.0}"),
        (Some(Value::Number(value)), Format::Step) => format!("{value:.4e}"),
        (Some(Value::Number(value)), Format::Size) => format!("{value:.3e}"),
        (Some(Value::Number(value)), Format::Ratio) => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn columns_are_aligned_and_empty_ones_left_out() {
        let mut table = crate::table::example();
        table.rows[1][3] = crate::table::cell(2.0);
        table.rows[1][5] = None;
        assert_eq!(
            table.terminal(),
            "          h  steps          q     q\n  1.0000e-1     10   3.333e-1\n  5.0000e-2     20  1.000e-20  2.00\n"
        );
    }
}
