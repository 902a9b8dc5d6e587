//! Tables of a run: `result` with one row for each time, `steps` with one for each step.

use std::io::{self, Write};

use alembert::State;
use alembert_model::Model;

use crate::failure::Failure;
use crate::npz::{self, Npz};
use crate::parquet;
use crate::simulate::{StepRow, Trajectory};

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
    let mut columns = vec!["t".to_owned()];
    columns.extend(model.columns().into_iter().map(str::to_owned));
    let mut outputs = vec![0.0; model.names.outputs.len()];
    let rows = states.iter().map(|state| {
        outputs.fill(0.0);
        model.outputs_into(state, &mut outputs);
        let State { t, q, v, a, lambda, psi } = state;
        let parts = [q, v, a, lambda, psi, &outputs];
        std::iter::once(*t).chain(parts.into_iter().flatten().copied()).collect()
    });
    Sheet { columns, rows: rows.collect() }
}

/// What each step was like: its length and residuals and, where the model is made of energies, their balance.
pub fn steps(steps: &[StepRow]) -> Sheet {
    let mut columns = vec!["t", "h", "residual_position", "residual_velocity", "residual_nonholonomic"];
    if steps.iter().any(|step| step.energy.is_some()) {
        columns.extend(["kinetic", "potential", "dissipated", "input", "events", "defect"]);
    }
    let rows = steps.iter().map(|StepRow { t, h, residuals, energy }| {
        let mut row = vec![*t, *h, residuals.position, residuals.velocity, residuals.nonholonomic];
        if let Some(energy) = energy {
            row.extend([energy.kinetic, energy.potential, energy.dissipated, energy.input, energy.events]);
            row.push(energy.defect());
        }
        row
    });
    Sheet { columns: columns.into_iter().map(str::to_owned).collect(), rows: rows.collect() }
}

impl Sheet {
    /// Writes comma-separated text, 17 digits: every number can be read back without loss.
    ///
    /// # Errors
    /// If `out` does not take it.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.columns.iter().map(|name| field(name)).collect::<Vec<_>>().join(","))?;
        for row in &self.rows {
            for (i, value) in row.iter().enumerate() {
                write!(out, "{}{value:.16e}", if i > 0 { "," } else { "" })?;
            }
            writeln!(out)?;
        }
        Ok(())
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
        let columns: Vec<String> = lines.next()?.split(',').map(|name| name.trim_matches('"').to_owned()).collect();
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

/// Refuses a result that NumPy's archive cannot hold.
///
/// # Errors
/// If it is larger than 4 GB.
pub fn check_npz(results: &Sheet) -> Result<(), Failure> {
    if npz::holds(8 * (results.rows.len() * (results.columns.len() + 1)) as u64) {
        return Ok(());
    }
    Err(Failure::work("the result is too large for result.npz, which holds at most 4 GB")
        .with_hint("choose --format parquet, or fewer rows with --output-every"))
}

/// Writes NumPy's archive: one array for each kind of quantity, and the names of their columns.
///
/// # Errors
/// If `out` does not take it.
pub fn write_npz(model: &Model, trajectory: &Trajectory, results: &Sheet, out: &mut dyn Write) -> io::Result<()> {
    let names = &model.names;
    let mut npz = Npz::new(out);
    let column = |first: usize, width: usize| -> Vec<f64> {
        results.rows.iter().flat_map(|row| row[first..first + width].iter().copied()).collect()
    };
    npz.numbers("t", &column(0, 1), None)?;
    let mut first = 1;
    for (name, columns) in [
        ("q", &names.q),
        ("v", &names.v),
        ("a", &names.a),
        ("lambda", &names.lambda),
        ("psi", &names.psi),
        ("outputs", &names.outputs),
    ] {
        if columns.is_empty() {
            continue;
        }
        npz.numbers(name, &column(first, columns.len()), Some(columns.len()))?;
        npz.words(&format!("{name}_names"), columns)?;
        first += columns.len();
    }
    let energy: Option<Vec<f64>> = trajectory.states.iter().map(|state| model.energy(state)).collect();
    if let Some(energy) = energy {
        npz.numbers("energy", &energy, None)?;
    }
    npz.finish()
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
