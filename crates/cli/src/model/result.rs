//! Tables of a run: `result` with one row for each time, `steps` with one for each step.

use std::fmt::Write;

use alembert::State;
use alembert_model::Model;

use super::simulate::Step;

/// Columns of numbers, the time first.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    pub columns: Vec<String>,
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
pub fn steps(steps: &[Step]) -> Sheet {
    let mut columns = vec!["t", "h", "residual_position", "residual_velocity", "residual_nonholonomic"];
    if steps.iter().any(|step| step.energy.is_some()) {
        columns.extend(["kinetic", "potential", "dissipated", "input", "events", "defect"]);
    }
    let rows = steps.iter().map(|Step { t, h, residuals, energy }| {
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
    /// Comma-separated, 17 digits: every number can be read back without loss.
    pub fn csv(&self) -> String {
        let mut text = self.columns.iter().map(|name| field(name)).collect::<Vec<_>>().join(",");
        text.push('\n');
        for row in &self.rows {
            for (i, value) in row.iter().enumerate() {
                // Writing to a string cannot fail.
                let _ = write!(text, "{}{value:.16e}", if i > 0 { "," } else { "" });
            }
            text.push('\n');
        }
        text
    }

    /// Reads what [`csv`](Self::csv) wrote.
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
        assert_eq!(Sheet::parse(&sheet.csv()).expect("readable"), sheet);
        assert_eq!(sheet.curve("x'"), Some(vec![(0.1, 5e-324), (f64::MAX, std::f64::consts::PI)]));
        assert!(Sheet::parse("t,x\n0,1\n0.1").is_none(), "a line that was cut off");
    }
}
