//! A table of results, of any shape: the writers (terminal, JSON lines, CSV) know nothing of what is in it.

mod csv;
mod json;
mod terminal;

/// One entry; none where the quantity does not exist.
pub type Cell = Option<Value>;

/// What an entry can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// Words.
    Words(String),
}

impl Value {
    /// Whether it can be written to a file: NaN and infinity are no values there.
    fn is_finite(&self) -> bool {
        !matches!(self, Value::Number(number) if !number.is_finite())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Number(number)
    }
}

/// Counters stay below 2^53, where every whole number is a float.
impl From<u64> for Value {
    fn from(count: u64) -> Value {
        Value::Number(count as f64)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        Value::Flag(flag)
    }
}

impl From<&str> for Value {
    fn from(words: &str) -> Value {
        Value::Words(words.to_owned())
    }
}

/// A cell with something in it.
pub fn cell(value: impl Into<Value>) -> Cell {
    Some(value.into())
}

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
    /// Names, yes and no: aligned to the left.
    Words,
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
    /// How its cells are written.
    pub format: Format,
}

/// Rows under columns.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// As many cells a row as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

impl Column {
    /// A column of its own.
    pub fn new(name: &'static str, heading: &'static str, format: Format) -> Column {
        Column { group: None, name, heading, format }
    }

    /// The same column as a member of a group.
    pub fn within(self, group: &'static str) -> Column {
        Column { group: Some(group), ..self }
    }
}

impl Table {
    /// Positions of the columns with something in them; people do not want to see the others.
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
            vec![cell(0.1), cell(10u64), cell(1.0 / 3.0), None, None, None],
            vec![cell(0.05), cell(20u64), cell(1e-20), cell(f64::INFINITY), None, cell(f64::NAN)],
        ],
    }
}
