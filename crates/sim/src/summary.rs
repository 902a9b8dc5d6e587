//! What a run was like: for people in a few lines, for machines as JSON.

use alembert::Warning;
use alembert_model::run::{NEWTON_TOLERANCE, Run, Steps};
use alembert_model::{Model, Names, Said};
use serde_json::{Map, Value, json};

use crate::account::Account;
use crate::results;
use crate::sheet::Sheet;
use crate::simulate::{End, Trajectory};

/// The machine's summary of a run that is in memory.
pub fn json(model: &Model, run: &Run, trajectory: &Trajectory, results: &Sheet) -> Value {
    told(model, run, &Account::of(trajectory), &results.columns)
}

/// The machine's summary.
pub fn told(model: &Model, run: &Run, account: &Account, columns: &[String]) -> Value {
    let Account { summary, events, end, time, start, warnings, .. } = account;
    let stats = &summary.stats;
    let evaluations: Map<String, Value> =
        stats.evaluations.iter().map(|(name, count)| (name.to_owned(), json!(count))).collect();
    let parameters: Map<String, Value> =
        model.parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let (outcome, message) = match end {
        End::Reached => ("reached", None),
        End::Event(name) => ("event", Some(name.clone())),
        End::Interrupted => ("interrupted", None),
        End::Failed(failure) => ("failed", Some(failure.to_string())),
        End::Limited(reached) => ("limit", Some(reached.failure().to_string())),
    };
    let mut told = json!({
        "model": model.name,
        "scenario": model.scenario,
        "found": model.found.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<Map<String, Value>>(),
        "outcome": outcome,
        "partial": end.is_partial(),
        "message": message,
        "warnings": warnings.iter().map(warning).collect::<Vec<_>>(),
        "t_start": run.t_start,
        "t_end": run.t_end,
        "t_reached": account.reached,
        "method": run.method.name(),
        "steps_chosen": run.steps.to_string(),
        "tolerances": match run.steps {
            Steps::ByError { rtol, atol } => json!({ "rtol": rtol, "atol": atol }),
            Steps::Fixed { .. } => json!({ "newton": NEWTON_TOLERANCE }),
        },
        "typical_sizes": {
            "q": sizes(&summary.typical.q),
            "v": sizes(&summary.typical.v),
        },
        "parameters": parameters,
        "rows": account.rows,
        "columns": columns,
        "quantities": quantities(&model.shown_names()),
        "units": said(&model.names, |said| said.unit.as_ref()),
        "labels": said(&model.names, |said| said.label.as_ref()),
        "results": results::json(&account.results),
        "statistics": {
            "steps": stats.steps,
            "attempts": stats.attempts,
            "rejected": stats.rejected,
            "failed": stats.failed,
            "failed_because": {
                "diverged": stats.failures.diverged,
                "not_finite": stats.failures.not_finite,
                "singular": stats.failures.singular,
                "ratio": stats.failures.ratio,
            },
            "newton_iterations": stats.iterations,
            "linearizations": stats.linearizations,
            "factorisations": stats.factorisations,
            "solves": stats.solves,
            "fallbacks": stats.fallbacks,
            "switches": stats.switches,
            "slides": stats.slides,
            "slid_along": summary.slid.as_ref().map(|(name, t)| json!({ "formula": name, "t": t })),
            "rows_between_steps": stats.rows.between,
            "rows_landed_on": stats.rows.landed,
            "rows_coarse": stats.rows.coarse,
            "shortest_step": account.lengths.map(|(shortest, _)| shortest),
            "longest_step": account.lengths.map(|(_, longest)| longest),
            "evaluations": evaluations,
        },
        "largest_residuals": summary.residuals.iter().map(|largest| json!({
            "level": largest.level.to_string(),
            "residual": largest.residual,
            "constraint": largest.constraint,
            "t": largest.t,
        })).collect::<Vec<_>>(),
        "derived_errors": summary.derived.map(|derived| json!({
            "accelerations": derived.a,
            "multipliers": derived.multipliers,
            "accelerations_relative": derived.relative_a(),
            "multipliers_relative": derived.relative_multipliers(),
            "samples": derived.samples,
        })),
        "start": start.json(),
        "energy": summary.energy.map(|energy| json!({
            "start": energy.start,
            "kinetic": energy.kinetic,
            "potential": energy.potential,
            "dissipated": energy.dissipated,
            "input": energy.input,
            "drives": energy.drives,
            "taken_out_by_forces": energy.taken,
            "gained_at_events": energy.events,
            "largest_defect": energy.largest,
            "largest_defect_at": energy.largest_at,
            "turned_over": energy.turnover,
        })),
        "events": events.iter().map(|event| json!({
            "name": event.name, "t": event.t, "rising": event.rising,
        })).collect::<Vec<_>>(),
        "event_count": summary.events,
        "passages": account.passages,
        "wall_seconds": time,
    });
    match end {
        End::Failed(failure) => told["failure"] = failure.json(),
        End::Limited(reached) => {
            told["limit"] = json!(reached.name());
            told["failure"] = reached.failure().json();
        }
        _ => {}
    }
    told
}

/// A warning for machines. Numbers that are not finite are null in JSON; the message has them.
pub fn warning(warning: &Warning) -> Value {
    json!({
        "kind": warning.concern.name(),
        "message": warning.to_string(),
        "subject": warning.subject,
        "value": warning.value,
        "limit": warning.limit,
        "t": warning.t,
    })
}

/// A kind of names.
type Part = fn(&mut Names) -> &mut Vec<String>;

/// The columns by what they are.
const QUANTITIES: [(&str, Part); 7] = [
    ("coordinates", |names| &mut names.q),
    ("velocities", |names| &mut names.v),
    ("states", |names| &mut names.states),
    ("accelerations", |names| &mut names.a),
    ("multipliers", |names| &mut names.lambda),
    ("nonholonomic_multipliers", |names| &mut names.psi),
    ("outputs", |names| &mut names.outputs),
];

fn quantities(names: &Names) -> Value {
    let mut names = names.clone();
    let object: Map<String, Value> =
        QUANTITIES.iter().map(|(key, part)| ((*key).to_owned(), json!(part(&mut names)))).collect();
    object.into()
}

/// Units or labels of columns.
fn said(names: &Names, part: fn(&Said) -> Option<&String>) -> Value {
    let found = names.said.iter().filter_map(|said| Some((said.column.clone(), json!(part(said)?))));
    found.collect::<Map<String, Value>>().into()
}

/// The names in a summary, for figures; none if it is not one.
pub fn names(summary: &Value) -> Option<Names> {
    let mut names = Names::default();
    for (key, part) in QUANTITIES {
        let quantities = summary["quantities"].as_object()?;
        // Summaries from before there were states have none.
        let Some(listed) = quantities.get(key) else { continue };
        let listed = listed.as_array()?;
        *part(&mut names) = listed.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?;
    }
    let words = |key: &str| summary[key].as_object().cloned().unwrap_or_default();
    let (units, labels) = (words("units"), words("labels"));
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    for column in names.outputs.clone() {
        let (unit, label) = (text(units.get(&column)), text(labels.get(&column)));
        if unit.is_some() || label.is_some() {
            names.said.push(Said { column, unit, label });
        }
    }
    Some(names)
}

/// The person's summary.
pub fn words(model: &Model, run: &Run, account: &Account) -> String {
    let Account { summary, events, end, time, start, .. } = account;
    let at = account.reached.unwrap_or(run.t_start);
    let mut text = match end {
        End::Reached => format!("{}: reached t = {at}", model.name),
        End::Event(name) => format!("{}: ended by `{name}` at t = {at}", model.name),
        End::Interrupted => format!("{}: interrupted at t = {at} of {}; results are partial", model.name, run.t_end),
        End::Failed(message) => {
            format!("{}: stopped at t = {at} of {}; results are partial\n{message}", model.name, run.t_end)
        }
        End::Limited(reached) => {
            let told = reached.failure();
            format!("{}: stopped at t = {at} of {}; results are partial\n{told}", model.name, run.t_end)
        }
    };
    text += &format!("\n  {} with {}, {time:.2} s\n", run.method.name(), run.steps);
    for line in start.lines() {
        text += &format!("  {line}\n");
    }
    for absorbed in model.closed.iter().flat_map(|closed| &closed.absorbed) {
        text += &format!("  assembled: {absorbed}\n");
    }
    for (name, value) in &model.found {
        text += &format!("  found {name} = {value}\n");
    }
    let start = &start.report;
    if !start.redundant.is_empty() {
        let left = start.positions.residual_after.max(start.velocities.residual_after);
        text += &format!(
            "  {} redundant constraints accepted, which agree to {left:.1e} at the start\n",
            start.redundant.len()
        );
    }
    if account.passages > 0 {
        let several = if account.passages == 1 { "" } else { "s" };
        text +=
            &format!("  passed {} singular configuration{several}, without reactions in between\n", account.passages);
    }
    for event in events.iter().take(10) {
        text += &format!("  {}\n", event.words);
    }
    if summary.events > 10 {
        text += &format!("  and {} more events\n", summary.events - 10);
    }
    for outcome in &account.results {
        text += &format!("  {}\n", outcome.words());
    }
    for line in summary.to_string().lines() {
        text += &format!("  {line}\n");
    }
    text
}

/// Sizes by name.
fn sizes(named: &[(String, f64)]) -> Value {
    named.iter().map(|(name, size)| (name.clone(), json!(size))).collect::<serde_json::Map<_, _>>().into()
}
