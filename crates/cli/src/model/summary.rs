//! What a run was like: for people in a few lines, for machines as JSON.

use alembert_model::Model;
use alembert_model::run::Run;
use serde_json::{Map, Value, json};

use super::result::Results;
use super::simulate::{End, Trajectory};

/// Largest deviation of the energy from its start, and its start.
fn energy_balance(results: &Results) -> Option<(f64, f64)> {
    let energy = results.energy.as_ref()?;
    let first = *energy.first()?;
    Some((first, energy.iter().fold(0.0, |worst: f64, now| worst.max((now - first).abs()))))
}

/// The machine's summary.
pub fn json(model: &Model, run: &Run, trajectory: &Trajectory, results: &Results) -> Value {
    let Trajectory { stats, steps, end, time, start, .. } = trajectory;
    let evaluations: Map<String, Value> =
        stats.evaluations.iter().map(|(name, count)| (name.to_owned(), json!(count))).collect();
    let parameters: Map<String, Value> =
        model.parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let shortest = steps.iter().map(|step| step.h).fold(f64::INFINITY, f64::min);
    let longest = steps.iter().map(|step| step.h).fold(0.0, f64::max);
    let (outcome, message) = match end {
        End::Reached => ("reached", None),
        End::Interrupted => ("interrupted", None),
        End::Failed(message) => ("failed", Some(message)),
    };
    json!({
        "model": model.name,
        "outcome": outcome,
        "partial": *end != End::Reached,
        "message": message,
        "t_start": run.t_start,
        "t_end": run.t_end,
        "t_reached": trajectory.states.last().map(|state| state.t),
        "method": run.method.name(),
        "steps_chosen": run.steps.to_string(),
        "parameters": parameters,
        "rows": results.rows.len(),
        "columns": results.columns,
        "statistics": {
            "steps": stats.steps,
            "rejected": stats.rejected,
            "failed": stats.failed,
            "newton_iterations": stats.iterations,
            "linearizations": stats.linearizations,
            "factorisations": stats.factorisations,
            "solves": stats.solves,
            "shortest_step": if steps.is_empty() { Value::Null } else { json!(shortest) },
            "longest_step": if steps.is_empty() { Value::Null } else { json!(longest) },
            "evaluations": evaluations,
        },
        "largest_residuals": {
            "position": stats.residuals.position,
            "velocity": stats.residuals.velocity,
            "nonholonomic": stats.residuals.nonholonomic,
        },
        "start": {
            "position_residual_given": start.positions.residual_before,
            "position_moved": start.positions.moved,
            "velocity_residual_given": start.velocities.residual_before,
            "velocity_moved": start.velocities.moved,
        },
        "energy": energy_balance(results).map(|(first, change)| json!({ "at_start": first, "largest_change": change })),
        "events": [],
        "wall_seconds": time,
    })
}

/// The person's summary.
pub fn words(model: &Model, run: &Run, trajectory: &Trajectory, results: &Results) -> String {
    let Trajectory { stats, end, time, start, .. } = trajectory;
    let at = trajectory.states.last().map_or(run.t_start, |state| state.t);
    let mut text = match end {
        End::Reached => format!("{}: reached t = {at}", model.name),
        End::Interrupted => format!("{}: interrupted at t = {at} of {}; results are partial", model.name, run.t_end),
        End::Failed(message) => {
            format!("{}: stopped at t = {at} of {}; results are partial\n{message}", model.name, run.t_end)
        }
    };
    text += &format!(
        "\n  {} with {}: {} steps, {} rejected, {} failed, {:.2} s\n",
        run.method.name(),
        run.steps,
        stats.steps,
        stats.rejected,
        stats.failed,
        time
    );
    let moved = start.positions.moved.max(start.velocities.moved);
    if moved > 1e-12 {
        text += &format!("  the start was not on the constraints and was moved by {moved:.2e}; see `alembert init`\n");
    }
    text += &format!(
        "  largest residuals: position {:.1e}, velocity {:.1e}, nonholonomic {:.1e}\n",
        stats.residuals.position, stats.residuals.velocity, stats.residuals.nonholonomic
    );
    if let Some((first, change)) = energy_balance(results) {
        text += &format!("  energy {first:.6} at the start, largest change {change:.1e}\n");
    }
    text
}
