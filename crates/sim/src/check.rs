//! What a model is, in words and as JSON, without running it.

use alembert::initial::{Dependence, InitialError};
use alembert::{ConsistentState, ConstrainedSystem, Dims, Point, check_derivatives};
use alembert_mechanism::{Blamed, Diagnosis, Mechanism, Nature};
use alembert_model::Model;
use serde_json::{Value, json};

use crate::start::{Beginning, NoStart, attempt};

/// How many of the accepted redundant constraints are told one by one.
const LISTED: usize = 10;

/// For machines.
pub fn json(model: &Model, findings: &Findings) -> Value {
    let names = &model.names;
    let Findings { good, rank, redundant, words, diagnosis } = findings;
    let follows = |Dependence { row, on, .. }: &Dependence| {
        let on: Vec<Value> = on.iter().map(|(name, factor)| json!({ "constraint": name, "factor": factor })).collect();
        json!({ "constraint": row, "follows_from": on })
    };
    json!({
        "model": model.name,
        "good": good,
        "coordinates": names.q,
        "velocities": names.v,
        "states": names.states,
        "holonomic": names.holonomic,
        "nonholonomic": names.nonholonomic,
        "events": model.events.iter().map(|event| &event.name).collect::<Vec<_>>(),
        "degrees_of_freedom": rank.filter(|_| *good).map(|rank| names.v.len().saturating_sub(rank)),
        "redundant": redundant.iter().map(follows).collect::<Vec<_>>(),
        "mechanism": diagnosis.as_ref().map(described),
        "findings": words.lines().collect::<Vec<_>>(),
    })
}

/// A diagnosis for machines.
fn described(diagnosis: &Diagnosis) -> Value {
    let redundant = diagnosis.redundancies.iter().map(|redundant| {
        let blamed = redundant.blamed.iter().map(|Blamed { joint, directions, follows_from, instead }| {
            json!({ "joint": joint, "directions": directions, "follows_from": follows_from, "instead": instead })
        });
        let nature = match redundant.nature {
            Nature::Everywhere => "everywhere",
            Nature::OnlyHere => "only here",
            Nature::Shaky => "shaky",
        };
        json!({
            "count": redundant.count,
            "nature": nature,
            "joints": redundant.joints,
            "blamed": blamed.collect::<Vec<_>>(),
        })
    });
    json!({
        "bodies": diagnosis.bodies,
        "joints": diagnosis.joints,
        "constraints": diagnosis.constraints,
        "count": diagnosis.count(),
        "mobility": diagnosis.mobility,
        "named_by": diagnosis.named,
        "idle": diagnosis.idle,
        "welded": diagnosis.welded,
        "redundant": redundant.collect::<Vec<_>>(),
        "reactions_not_unique": diagnosis.not_unique,
    })
}

/// How large the model is, and what its variables are called.
pub fn sizes(model: &Model) -> String {
    let dims = model.system.dims();
    let mut text = format!("{}\n", model.name);
    if let Some(mechanism) = model.system.mechanism() {
        let bodies: Vec<String> = mechanism.bodies().map(|(_, name)| name.to_owned()).collect();
        let joints: Vec<String> = mechanism.joints().map(|(_, name, kind)| format!("{name} ({kind})")).collect();
        text += &format!("  bodies         {:4}  {}\n", bodies.len(), list(&bodies));
        text += &format!("  joints         {:4}  {}\n", joints.len(), list(&joints));
        text += &format!(
            "  coordinates    {:4}\n  constraints    {:4}\n",
            dims.v - model.names.states.len(),
            dims.constraints()
        );
        text += &states(model);
    } else {
        text += &variables(model, dims);
    }
    if !model.events.is_empty() {
        let names: Vec<String> = model.events.iter().map(|event| event.name.clone()).collect();
        text += &format!("  events         {:4}  {}\n", names.len(), list(&names));
    }
    match model.system.residual_length() {
        0 => text,
        length => text + &format!("  residual       {length:4}  instructions\n"),
    }
}

/// The first of some names.
fn list(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(10).map(String::as_str).collect();
    format!("{}{}", shown.join(", "), if names.len() > 10 { ", …" } else { "" })
}

fn states(model: &Model) -> String {
    match model.names.states.len() {
        0 => String::new(),
        count => format!("  states         {count:4}  {}\n", list(&model.names.states)),
    }
}

/// What a model of equations is made of.
fn variables(model: &Model, dims: Dims) -> String {
    let mut text = String::new();
    text += &format!("  coordinates    {:4}  {}\n", model.names.q.len(), list(&model.names.q));
    text += &format!("  velocities     {:4}  {}\n", model.names.v.len(), list(&model.names.v));
    text += &states(model);
    if dims.lambda > 0 {
        text += &format!("  holonomic      {:4}  {}\n", dims.lambda, list(&model.names.holonomic));
    }
    if dims.psi > 0 {
        text += &format!("  nonholonomic   {:4}  {}\n", dims.psi, list(&model.names.nonholonomic));
    }
    text
}

/// What there is to say.
pub struct Findings {
    /// Whether it can be run.
    pub good: bool,
    /// Independent constraints, where that is known.
    pub rank: Option<usize>,
    /// All constraints that follow from others, accepted or not.
    pub redundant: Vec<Dependence>,
    /// Line by line.
    pub words: String,
    /// Of a mechanism.
    pub diagnosis: Option<Diagnosis>,
}

/// Looks at a model: rank, start and derivatives.
pub fn check(model: &Model) -> Findings {
    let constraints = model.system.dims().constraints();
    let (found, rank, redundant) = match attempt(model) {
        Ok((state, begun)) => {
            let (rank, redundant) = (begun.report.rank, begun.report.redundant.clone());
            (Ok((state, begun)), Some(rank), redundant)
        }
        Err(error) => {
            let hint = error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
            let told = format!("{}{hint}", error.message());
            match error {
                NoStart::Initial(InitialError::Redundant { rows }, _) => {
                    (Err(told), Some(constraints.saturating_sub(rows.len())), rows)
                }
                _ => (Err(told), None, Vec::new()),
            }
        }
    };
    let (good, derivatives) = derivatives(model, &found);
    let accepted = if found.is_ok() { accepted(&redundant) } else { String::new() };
    let notes = model.notes.iter().map(|(note, hint)| format!("\nnote: {note}\nhint: {hint}"));
    let notes: String = notes.collect();
    let diagnosis = model.system.mechanism().filter(|_| found.is_ok()).map(Mechanism::diagnose);
    let freedom = match &diagnosis {
        Some(diagnosis) => mechanism(model, diagnosis) + &beside(model, rank),
        None => freedom(model, rank) + &accepted,
    };
    let words = format!("{freedom}{}{derivatives}{notes}", begin(model, &found));
    Findings { good: good && found.is_ok(), rank, redundant, words, diagnosis }
}

/// What a mechanical engineer would write down.
fn mechanism(model: &Model, diagnosis: &Diagnosis) -> String {
    let mut words: String = diagnosis.lines().iter().map(|line| format!("{line}\n")).collect();
    if let Some(closed) = &model.closed {
        words += &match closed.moved {
            moved if moved > 0.0 => {
                // Three digits of a metre say nothing of a watch.
                let told = if moved < 5e-4 { format!("{moved:.2e}") } else { format!("{moved:.3}") };
                format!("assembled: the farthest point moved by {told} m from where it was drawn\n")
            }
            _ => "assembled as drawn\n".to_owned(),
        };
        words.extend(closed.absorbed.iter().map(|absorbed| format!("    {absorbed}\n")));
    }
    words
}

/// The freedoms of everything, where a file has variables or constraints of its own beside its bodies.
fn beside(model: &Model, rank: Option<usize>) -> String {
    let (all, bodies) = (model.system.dims(), model.system.mechanism().map(|beneath| beneath.system().dims()));
    if bodies == Some(all) {
        String::new()
    } else {
        format!("with what the file says in formulas: {}", freedom(model, rank))
    }
}

type Found = Result<(ConsistentState, Beginning), String>;

fn freedom(model: &Model, rank: Option<usize>) -> String {
    let (velocities, constraints) = (model.names.v.len(), model.system.dims().constraints());
    let Some(rank) = rank else {
        return "degrees of freedom: not known, as the constraints cannot be met\n".to_owned();
    };
    let told = match constraints - rank {
        _ if constraints == 0 => "none".to_owned(),
        0 => format!("rank {rank} of {constraints} at the start, none is redundant"),
        redundant => format!("rank {rank} of {constraints} at the start, {redundant} redundant"),
    };
    format!(
        "degrees of freedom: {} ({velocities} velocities, {rank} independent constraints)\nconstraints: {told}\n",
        velocities.saturating_sub(rank)
    )
}

/// Redundant constraints that the model accepts, the first by name.
fn accepted(rows: &[Dependence]) -> String {
    let named = rows.iter().take(LISTED).map(|row| format!("accepted: {row}; the smallest multipliers are taken\n"));
    let more = rows.len().checked_sub(LISTED + 1).map(|more| format!("accepted: {} more, see --json\n", more + 1));
    named.chain(more).collect()
}

fn begin(model: &Model, found: &Found) -> String {
    let begun = match found {
        Ok((_, begun)) => begun,
        Err(words) => return format!("start: none is consistent: {words}\n"),
    };
    let report = &begun.report;
    let lines: String = begun.lines().iter().map(|line| format!("{line}\n")).collect();
    if begun.rest.is_none() && report.positions.moved.max(report.velocities.moved) < 1e-12 && begun.rough.is_empty() {
        return "start: on the constraints as given\n".to_owned();
    }
    if begun.rest.is_some() {
        return lines;
    }
    if model.system.mechanism().is_some() && report.positions.moved < 1e-12 {
        // Nobody writes the velocities of bodies that joints and drivers determine.
        return format!("start: velocities are set to what joints and drivers ask for\n{lines}");
    }
    format!(
        "start: not on the constraints as given (residuals {:.2e} of positions, {:.2e} of velocities)\n{lines}",
        report.positions.residual_before, report.velocities.residual_before,
    )
}

/// Derivatives near the start, or near the guess where there is none.
fn derivatives(model: &Model, found: &Found) -> (bool, String) {
    // A little off the start, because zero velocities hide errors.
    let off = |x: &[f64], size: f64| -> Vec<f64> {
        x.iter().enumerate().map(|(i, x)| x + size * (1.0 + x.abs()) * (1.3 * i as f64 + 0.7).sin()).collect()
    };
    let guess = &model.guess;
    let (q, v, lambda, psi) = match found {
        Ok((state, _)) => (&state.q, &state.v, &state.lambda, &state.psi),
        Err(_) => (&guess.q, &guess.v, &guess.lambda, &guess.psi),
    };
    let (mut q, v, lambda, psi) = (off(q, 1e-4), off(v, 0.1), off(lambda, 0.1), off(psi, 0.1));
    for (k, first) in model.system.description().rotations.iter().enumerate() {
        let p = &mut q[first + k..first + k + 4];
        let length = p.iter().map(|p| p * p).sum::<f64>().sqrt();
        p.iter_mut().for_each(|p| *p /= length);
    }
    match check_derivatives(&model.system, Point { t: guess.t, q: &q, v: &v, lambda: &lambda, psi: &psi }) {
        Ok(report) => (report.is_ok(), format!("derivatives: {report}")),
        Err(error) => (true, format!("derivatives: not checked, {error} near the start")),
    }
}
