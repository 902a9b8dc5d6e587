//! Tables of a run: `result` with one row for each time, `steps` with one for each step.

use std::io::{self, Write};

use alembert::{Guess, State};
use alembert_model::{Model, Names};

use crate::disk::Borrowed;
use crate::npz::{Npz, Rows};
use crate::parquet;
use crate::simulate::{StepRow, Trajectory};
use crate::sink::{Csv, Head, Sink};

/// Columns of numbers, the time first.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Their names.
    pub columns: Vec<String>,
    /// As many numbers a row as there are columns.
    pub rows: Vec<Vec<f64>>,
}

/// Time, coordinates, velocities, accelerations, multipliers, outputs.
pub fn results(model: &Model, states: &[State]) -> Sheet {
    let mut outputs = Vec::new();
    let rows = states.iter().map(|state| {
        let mut row = Vec::new();
        row_into(model, state, &mut outputs, &mut row);
        row
    });
    Sheet { columns: columns(model), rows: rows.collect() }
}

/// Names of the columns of a result.
pub fn columns(model: &Model) -> Vec<String> {
    std::iter::once("t".to_owned()).chain(model.shown_names().columns()).collect()
}

/// One row of a result; `outputs` is room.
pub fn row_into(model: &Model, state: &State, outputs: &mut Vec<f64>, row: &mut Vec<f64>) {
    outputs.clear();
    outputs.resize(model.names.outputs.len(), 0.0);
    model.outputs_into(state, outputs);
    let State { t, q, v, a, lambda, psi } = state;
    row.clear();
    row.push(*t);
    // States stand behind the velocities in v. Their integrals are behind q and are nobody's business, nor are their rates.
    let (q, a) = (&q[..model.names.q.len()], &a[..model.names.a.len()]);
    [q, v, a, lambda, psi, outputs].into_iter().for_each(|part| row.extend(part));
    if let Some(mask) = model.mask() {
        let mut kept = mask.iter();
        row.retain(|_| kept.next().copied().unwrap_or(true));
    }
}

/// What each step was like: its length and residuals and, where the model is made of energies, their balance.
pub fn steps(steps: &[StepRow]) -> Sheet {
    let columns = step_columns(steps.iter().any(|step| step.energy.is_some()));
    let rows = steps.iter().map(step_row).collect();
    Sheet { columns, rows }
}

/// Whether a model is made of energies.
pub fn has_energy(model: &Model) -> bool {
    let Guess { t, q, v, .. } = &model.guess;
    model.system.energy(*t, q, v).is_some()
}

/// Names of the columns of a table of steps.
pub fn step_columns(energies: bool) -> Vec<String> {
    let mut columns = vec!["t", "h", "residual_position", "residual_velocity", "residual_nonholonomic"];
    if energies {
        columns.extend(["kinetic", "potential", "dissipated", "input", "events", "defect"]);
    }
    columns.into_iter().map(str::to_owned).collect()
}

/// A row of it.
pub fn step_row(StepRow { t, h, residuals, energy }: &StepRow) -> Vec<f64> {
    let mut row = vec![*t, *h, residuals.position, residuals.velocity, residuals.nonholonomic];
    if let Some(energy) = energy {
        row.extend([energy.kinetic, energy.potential, energy.dissipated, energy.input, energy.events]);
        row.push(energy.defect());
    }
    row
}

impl Sheet {
    /// Writes comma-separated text: every number with the fewest digits that read back to the same bits.
    ///
    /// # Errors
    /// If `out` does not take it.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut csv = Csv::new(Borrowed(out));
        csv.begin(&Head { columns: self.columns.clone(), ..Head::default() })?;
        self.rows.iter().try_for_each(|row| csv.row(row))?;
        csv.end()
    }

    /// Writes Apache Parquet, uncompressed.
    ///
    /// # Errors
    /// If `out` does not take it.
    pub fn write_parquet(&self, out: &mut dyn Write) -> io::Result<()> {
        parquet::write(&self.columns, &self.rows, out)
    }

    /// Reads what [`write_csv`](Self::write_csv) wrote.
    pub fn parse(text: &str) -> Option<Sheet> {
        let mut lines = text.lines();
        let columns = names(lines.next()?);
        // Names of ours have no control characters, which would not come back as they were.
        if columns.iter().any(|name| name.chars().any(char::is_control)) {
            return None;
        }
        let rows: Vec<Vec<f64>> = lines
            .map(|line| line.split(',').map(|value| value.parse().ok()).collect::<Option<Vec<f64>>>())
            .collect::<Option<_>>()?;
        rows.iter().all(|row| row.len() == columns.len()).then_some(Sheet { columns, rows })
    }

    /// The points of a column over time; none if there is no such column.
    pub fn curve(&self, name: &str) -> Option<Vec<(f64, f64)>> {
        let index = self.columns.iter().position(|column| column == name)?;
        Some(self.rows.iter().map(|row| (row[0], row[index])).collect())
    }
}

/// Writes NumPy's archive: one array for each kind of quantity, and the names of their columns.
///
/// # Errors
/// If `out` does not take it.
pub fn write_npz(model: &Model, trajectory: &Trajectory, results: &Sheet, out: &mut dyn Write) -> io::Result<()> {
    let energies = trajectory.states.iter().all(|state| model.energy(state).is_some());
    let mut rows = |look: &mut dyn FnMut(&[f64]) -> io::Result<()>| {
        trajectory.states.iter().zip(&results.rows).try_for_each(|(state, row)| {
            let energy = model.energy(state).unwrap_or(f64::NAN);
            look(&[&row[..], &[energy][..]].concat())
        })
    };
    npz_of(&model.shown_names(), results.rows.len() as u64, energies, &mut rows, out)
}

/// The same from rows that are elsewhere, with the energy behind the columns of each.
///
/// # Errors
/// If rows cannot be read, or `out` does not take them.
pub fn npz_of(names: &Names, count: u64, energies: bool, rows: Rows, out: &mut dyn Write) -> io::Result<()> {
    let mut npz = Npz::new(out);
    let mut part = |npz: &mut Npz, name: &str, first: usize, width: Option<usize>| {
        let last = first + width.unwrap_or(1);
        npz.matrix(name, count, width, &mut |look| rows(&mut |row| look(&row[first..last])))
    };
    part(&mut npz, "t", 0, None)?;
    let mut first = 1;
    for (name, columns) in [
        ("q", &names.q),
        ("v", &names.v),
        ("states", &names.states),
        ("a", &names.a),
        ("lambda", &names.lambda),
        ("psi", &names.psi),
        ("outputs", &names.outputs),
    ] {
        if columns.is_empty() {
            continue;
        }
        part(&mut npz, name, first, Some(columns.len()))?;
        npz.words(&format!("{name}_names"), columns)?;
        first += columns.len();
    }
    if energies {
        part(&mut npz, "energy", first, None)?;
    }
    npz.finish()
}

/// The names in the first line of a table; names with commas stand in quotes, quotes in them twice.
pub fn names(line: &str) -> Vec<String> {
    let (mut names, mut quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let last = names.len() - 1;
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => names[last].extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => names.push(String::new()),
            letter => names[last].push(letter),
        }
    }
    names
}

/// Names with commas or quotes need quotes.
pub fn field(name: &str) -> String {
    if name.contains([',', '"', '\n']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_a_file() {
        let rows = vec![vec![0.1, -1.0 / 3.0, 5e-324], vec![f64::MAX, 0.0, std::f64::consts::PI]];
        let sheet = Sheet { columns: ["t", "x", "x'"].map(str::to_owned).to_vec(), rows };
        let mut text = Vec::new();
        sheet.write_csv(&mut text).expect("memory takes it");
        assert_eq!(Sheet::parse(&String::from_utf8_lossy(&text)).expect("readable"), sheet);
        assert_eq!(sheet.curve("x'"), Some(vec![(0.1, 5e-324), (f64::MAX, std::f64::consts::PI)]));
        assert!(Sheet::parse("t,x\n0,1\n0.1").is_none(), "a line that was cut off");
    }
}
