//! The table of a run: time, coordinates, velocities, accelerations, multipliers, outputs.

use std::fmt::Write;

use alembert::State;
use alembert_model::Model;

/// Columns and rows.
pub struct Results {
    /// "t" first.
    pub columns: Vec<String>,
    pub rows: Vec<Vec<f64>>,
    /// Kinetic plus potential energy of each row, where the model is made of them.
    pub energy: Option<Vec<f64>>,
}

impl Results {
    pub fn new(model: &Model, states: &[State]) -> Results {
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
        let rows = rows.collect();
        let energy = states.iter().map(|state| model.energy(state)).collect();
        Results { columns, rows, energy }
    }

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
    pub fn parse(text: &str) -> Option<Results> {
        let mut lines = text.lines();
        let columns: Vec<String> = lines.next()?.split(',').map(|name| name.trim_matches('"').to_owned()).collect();
        let rows: Vec<Vec<f64>> = lines
            .map(|line| line.split(',').map(|value| value.parse().ok()).collect::<Option<Vec<f64>>>())
            .collect::<Option<_>>()?;
        rows.iter().all(|row| row.len() == columns.len()).then_some(Results { columns, rows, energy: None })
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
        let results = Results { columns: ["t", "x", "x'"].map(str::to_owned).to_vec(), rows, energy: None };
        let back = Results::parse(&results.csv()).expect("readable");
        assert_eq!((back.columns, back.rows), (results.columns, results.rows));
    }
}
