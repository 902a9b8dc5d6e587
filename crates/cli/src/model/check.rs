//! `alembert check`: what a model is, in words, without running it.

use std::io::{self, Write};

use alembert::{ConstrainedSystem, Point, check_derivatives};
use alembert_model::Model;
use clap::Args;
use serde_json::{Value, json};

use super::Source;
use super::simulate::start;
use crate::failure::{Failure, Status};

/// Options of `alembert check`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub source: Source,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Looks at a model.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let model = arguments.source.load()?;
    let (good, words) = state(&model);
    let mut stdout = io::stdout().lock();
    if arguments.json {
        writeln!(stdout, "{:#}", json(&model, good, &words))?;
    } else {
        writeln!(stdout, "{}{words}", sizes(&model))?;
    }
    Ok(if good { Status::Agrees } else { Status::Disagrees })
}

fn json(model: &Model, good: bool, words: &str) -> Value {
    let (dims, names) = (model.system.dims(), &model.names);
    json!({
        "model": model.name,
        "good": good,
        "coordinates": names.q,
        "velocities": names.v,
        "holonomic": names.holonomic,
        "nonholonomic": names.nonholonomic,
        "events": model.events.iter().map(|event| &event.name).collect::<Vec<_>>(),
        "degrees_of_freedom": if good { json!(dims.v.saturating_sub(dims.constraints())) } else { Value::Null },
        "findings": words.lines().collect::<Vec<_>>(),
    })
}

fn sizes(model: &Model) -> String {
    let dims = model.system.dims();
    let list = |names: &[String]| {
        let shown: Vec<&str> = names.iter().take(10).map(String::as_str).collect();
        format!("{}{}", shown.join(", "), if names.len() > 10 { ", …" } else { "" })
    };
    let mut text = format!("{}\n", model.name);
    text += &format!("  coordinates    {:4}  {}\n", dims.q, list(&model.names.q));
    text += &format!("  velocities     {:4}  {}\n", dims.v, list(&model.names.v));
    if dims.lambda > 0 {
        text += &format!("  holonomic      {:4}  {}\n", dims.lambda, list(&model.names.holonomic));
    }
    if dims.psi > 0 {
        text += &format!("  nonholonomic   {:4}  {}\n", dims.psi, list(&model.names.nonholonomic));
    }
    if !model.events.is_empty() {
        let names: Vec<String> = model.events.iter().map(|event| event.name.clone()).collect();
        text += &format!("  events         {:4}  {}\n", names.len(), list(&names));
    }
    text + &format!("  residual       {:4}  instructions\n", model.system.residual_length())
}

/// Rank, start and derivatives.
fn state(model: &Model) -> (bool, String) {
    let dims = model.system.dims();
    let (begin, report) = match start(model) {
        Ok(found) => found,
        Err(failure) => {
            let hint = failure.hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
            return (false, format!("start: {}{hint}", failure.message));
        }
    };
    let mut text = format!(
        "degrees of freedom: {} ({} velocities, {} independent constraints)\n",
        dims.v.saturating_sub(dims.constraints()),
        dims.v,
        dims.constraints()
    );
    text += match dims.constraints() {
        0 => "constraints: none\n".to_owned(),
        1 => "constraints: the only one has full rank at the start\n".to_owned(),
        many => format!("constraints: rank {many} of {many} at the start, none is redundant\n"),
    }
    .as_str();
    let moved = report.positions.moved.max(report.velocities.moved);
    text += &if moved < 1e-12 {
        "start: on the constraints as given\n".to_owned()
    } else {
        format!(
            "start: not on the constraints as given (residuals {:.2e} of positions, {:.2e} of velocities); moved by {:.2e}, see `alembert init`\n",
            report.positions.residual_before, report.velocities.residual_before, moved
        )
    };
    // Off the start a little: zero velocities hide errors.
    let off = |x: &[f64], size: f64| -> Vec<f64> {
        x.iter().enumerate().map(|(i, x)| x + size * (1.0 + x.abs()) * (1.3 * i as f64 + 0.7).sin()).collect()
    };
    let (q, v) = (off(&begin.q, 1e-4), off(&begin.v, 0.1));
    let (lambda, psi) = (off(&begin.lambda, 0.1), off(&begin.psi, 0.1));
    let at = Point { t: begin.t, q: &q, v: &v, lambda: &lambda, psi: &psi };
    match check_derivatives(&model.system, at) {
        Ok(report) => {
            text += &format!("derivatives: {report}");
            (report.is_ok(), text)
        }
        Err(error) => (true, text + &format!("derivatives: not checked, {error} near the start")),
    }
}
