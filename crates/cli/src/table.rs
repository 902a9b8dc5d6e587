//! A table of results, of any shape: the writers (terminal, JSON lines, CSV) know nothing of what is in it.

mod csv;
mod json;
mod terminal;

/// One entry; none where the quantity does not exist.
pub type Cell = Option<f64>;

/// How a column is read by a person. Files always carry every digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Whole numbers.
    Count,
    /// Five digits: step sizes, times.
    Step,
    /// Four digits with an exponent: errors, residuals.
    Size,
    /// Two decimals: observed orders, ratios.
    Ratio,
}

/// A column of a [`Table`].
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// What it belongs to, as "error": a JSON object of that name, a prefix in CSV.
    pub group: Option<&'static str>,
    /// Its name in files.
    pub name: &'static str,
    /// Its heading on the terminal.
    pub heading: &'static str,
    pub format: Format,
}

/// Rows under columns.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub columns: Vec<Column>,
    /// As many cells a row as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Positions of the columns with something in them: a person does not want to see the others.
    fn filled(&self) -> Vec<usize> {
        (0..self.columns.len()).filter(|&j| self.rows.iter().any(|row| row[j].is_some())).collect()
    }
}

#[cfg(test)]
pub(crate) fn example() -> Table {
    let column = |group, name, format| Column { group, name, heading: name, format };
    Table {
        columns: vec![
            column(None, "h", Format::Step),
            column(None, "steps", Format::Count),
            column(Some("error"), "q", Format::Size),
            column(Some("order"), "q", Format::Ratio),
            column(Some("error"), "psi", Format::Size),
            column(Some("order"), "psi", Format::Ratio),
        ],
        rows: vec![
            vec![Some(0.1), Some(10.0), Some(1.0 / 3.0), None, None, None],
            vec![Some(0.05), Some(20.0), Some(1e-20), Some(f64::INFINITY), None, Some(f64::NAN)],
        ],
    }
}
