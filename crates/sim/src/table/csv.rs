//! Comma-separated values: a line of names, then 17 significant digits, which give every bit back.

use super::{Cell, Column, Format, Table, Value};

impl Table {
    /// The whole file. Columns without a single value are left out, missing values are empty.
    pub fn csv(&self) -> String {
        let columns = self.filled();
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let mut text = line(columns.iter().map(|&j| name(&self.columns[j])).collect());
        for row in &self.rows {
            text += &line(columns.iter().map(|&j| value(self.columns[j].format, &row[j])).collect());
        }
        text
    }
}

fn name(column: &Column) -> String {
    match column.group {
        Some(group) => format!("{group}_{}", column.name),
        None => column.name.to_owned(),
    }
}

fn value(format: Format, cell: &Cell) -> String {
    match (cell.as_ref().filter(|value| value.is_finite()), format) {
        (None, _) => String::new(),
        (Some(Value::Number(value)), Format::Count) => format!("{value:.0}"),
        (Some(Value::Number(value)), _) => format!("{value:.16e}"),
        (Some(Value::Flag(flag)), _) => flag.to_string(),
        (Some(Value::Words(words)), _) => quoted(words),
    }
}

/// Words as they are, in quotes where they hold a separator, a quote or the end of a line.
fn quoted(words: &str) -> String {
    if words.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", words.replace('"', "\"\""))
    } else {
        words.to_owned()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_bit_comes_back() {
        let text = crate::table::example().csv();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "h,steps,error_q,order_q,order_psi");
        assert_eq!(lines[1], "1.0000000000000001e-1,10,3.3333333333333331e-1,,");
        let cells: Vec<&str> = lines[2].split(',').collect();
        assert_eq!(cells[2].parse(), Ok(1e-20));
        assert_eq!(cells[3], "", "infinity is no value");
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn words_with_separators_are_quoted() {
        assert_eq!(super::quoted("Radau IIA"), "Radau IIA");
        assert_eq!(super::quoted("a, \"b\"\nc"), "\"a, \"\"b\"\"\nc\"");
    }
}
