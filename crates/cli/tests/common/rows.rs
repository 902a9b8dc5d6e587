//! The rows of a result.

/// A table of numbers by columns.
pub struct Rows {
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Rows {
    /// Reads comma-separated text.
    pub fn read(text: &str) -> Rows {
        let mut lines = text.lines();
        let columns = lines.next().expect("names of columns").split(',').map(str::to_owned).collect();
        let row = |line: &str| line.split(',').map(|number| number.parse().expect("a number")).collect();
        Rows { columns, rows: lines.map(row).collect() }
    }

    /// The times of all rows.
    pub fn times(&self) -> impl Iterator<Item = f64> {
        self.rows.iter().map(|row| row[0])
    }

    /// The value of a column in the first row of this time, which is met to rounding.
    pub fn at(&self, t: f64, column: &str) -> f64 {
        let column = self.columns.iter().position(|name| name == column).unwrap_or_else(|| panic!("no {column}"));
        let row = self.rows.iter().find(|row| (row[0] - t).abs() < 1e-12 * (1.0 + t.abs()));
        row.unwrap_or_else(|| panic!("no row at {t}"))[column]
    }
}
