//! `alembert init`: the consistent start, and what was changed to get there.

use std::io::{self, Write};

use alembert_model::Model;
use clap::Args;
use serde_json::{Map, Value, json};

use alembert_sim::simulate::start;

use super::Source;

use crate::failure::{Failure, Status};
use crate::words;

/// Options of `alembert init`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub source: Source,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// A variable, its value as given (none for what follows) and its consistent value.
type Row = (String, Option<f64>, f64);

/// Shows the start.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let model = arguments.source.load()?;
    let (state, begun) = start(&model)?;
    let report = &begun.report;
    let rows = rows(&model, &state);
    let mut stdout = io::stdout().lock();
    if arguments.json {
        let values: Map<String, Value> = rows.iter().map(|(name, _, now)| (name.clone(), json!(now))).collect();
        let changed: Vec<&str> = rows.iter().filter(|row| is_changed(row)).map(|(name, ..)| name.as_str()).collect();
        let found: Map<String, Value> = model.found.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let told = json!({ "t": state.t, "values": values, "changed": changed, "start": begun.json(), "found": found });
        writeln!(stdout, "{told:#}")?;
        return Ok(Status::Agrees);
    }
    writeln!(stdout, "{}: start at t = {}", model.name, state.t)?;
    let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).max(8);
    writeln!(stdout, "  {:width$}  {:>24}  {:>24}", "variable", "given", "consistent")?;
    for row in &rows {
        let (name, given, now) = row;
        let given = given.map_or_else(|| "follows".to_owned(), |given| format!("{given:.15e}"));
        let mark = if is_changed(row) { "  changed" } else { "" };
        writeln!(stdout, "  {name:width$}  {given:>24}  {now:>24.15e}{mark}")?;
    }
    for (level, repair) in [("position", &report.positions), ("velocity", &report.velocities)] {
        writeln!(
            stdout,
            "{level} level: largest residual {:.1e} as given, {:.1e} now; moved by {:.2e}",
            repair.residual_before, repair.residual_after, repair.moved
        )?;
    }
    for line in begun.lines() {
        writeln!(stdout, "{line}")?;
    }
    for (name, value) in &model.found {
        writeln!(stdout, "found {name} = {value}")?;
    }
    for warning in begun.warnings() {
        words::insist(format_args!("warning: {warning}\n"));
    }
    Ok(Status::Agrees)
}

fn is_changed((_, given, now): &Row) -> bool {
    given.is_some_and(|given| (given - now).abs() > 1e-12 * (1.0 + given.abs()))
}

fn rows(model: &Model, state: &alembert::State) -> Vec<Row> {
    let (names, guess) = (&model.names, &model.guess);
    let mut rows = Vec::new();
    for (names, given, now) in [
        (&names.q, Some(&guess.q), &state.q),
        (&[names.v.as_slice(), &names.states].concat(), Some(&guess.v), &state.v),
        (&names.a, None, &state.a),
        (&names.lambda, None, &state.lambda),
        (&names.psi, None, &state.psi),
    ] {
        for (i, (name, now)) in names.iter().zip(now).enumerate() {
            rows.push((name.clone(), given.map(|given| given[i]), *now));
        }
    }
    rows
}
