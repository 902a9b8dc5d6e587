//! What to think of a run, in words: how it ended, what holds, what is to be doubted.

use alembert_picture::page::{Level, Point, State, Verdict};
use serde_json::Value;

/// Of the summary of a run.
pub fn verdict(summary: &Value) -> Verdict {
    let warnings = summary["warnings"].as_array().map_or(&[][..], Vec::as_slice);
    let outcome = summary["outcome"].as_str().unwrap_or_default();
    let state = match outcome {
        "failed" => State::Failed,
        _ if summary["partial"] == true => State::Partial,
        _ if warnings.is_empty() => State::Good,
        _ => State::Doubt,
    };
    let mut points = Vec::new();
    if let Some(message) = summary["message"].as_str().filter(|_| state != State::Good) {
        points.push(point(Level::Bad, message));
    }
    points.extend(warnings.iter().filter_map(|warning| Some(point(Level::Doubt, warning["message"].as_str()?))));
    points.extend(constraints(summary));
    points.extend(energy(summary));
    points.extend(derived(summary));
    points.extend(work(summary));
    points.extend(start(summary));
    points.push(point(
        Level::Note,
        "these are the checks that a run makes of itself; `alembert verify` compares with references and gives error bars",
    ));
    Verdict { state, headline: headline(summary, state, warnings.len()), points }
}

fn point(level: Level, text: impl Into<String>) -> Point {
    Point { level, text: text.into() }
}

fn headline(summary: &Value, state: State, doubts: usize) -> String {
    let said = |key: &str| summary[key].as_str().unwrap_or_default();
    let time = |key: &str| summary[key].as_f64().map_or("?".to_owned(), short);
    let how = format!("by {} with {}", said("method"), said("steps_chosen"));
    let span = format!("from t = {} to t = {}", time("t_start"), time("t_reached"));
    let end = match (said("outcome"), summary["message"].as_str()) {
        ("event", Some(name)) => format!(", where `{name}` ended it"),
        _ => String::new(),
    };
    match state {
        State::Good => format!("Solved {span}{end}, {how}: everything that was checked is as it should be"),
        State::Doubt if doubts == 1 => format!("Solved {span}{end}, {how}, with one thing to doubt"),
        State::Doubt => format!("Solved {span}{end}, {how}, with {doubts} things to doubt"),
        State::Failed => {
            format!("Stopped at t = {} of {}, {how}: the result is partial", time("t_reached"), time("t_end"))
        }
        State::Partial => {
            format!("Ended at t = {} of {}, {how}: the result is partial", time("t_reached"), time("t_end"))
        }
    }
}

/// A number as people write it.
pub fn short(value: f64) -> String {
    let text = format!("{value}");
    if text.len() <= 8 { text } else { format!("{value:.5}").trim_end_matches('0').trim_end_matches('.').to_owned() }
}

fn constraints(summary: &Value) -> Option<Point> {
    let listed = summary["largest_residuals"].as_array().filter(|listed| !listed.is_empty())?;
    let told: Vec<String> = listed
        .iter()
        .filter_map(|largest| {
            let (level, constraint) = (largest["level"].as_str()?, largest["constraint"].as_str()?);
            Some(format!("{:.1e} at the {level} level ({constraint})", largest["residual"].as_f64()?))
        })
        .collect();
    // What is too large is a warning already.
    let warned = concerns(summary, "residual");
    let level = if warned { Level::Doubt } else { Level::Good };
    Some(point(level, format!("constraints are violated by at most {}", told.join(", "))))
}

fn concerns(summary: &Value, kind: &str) -> bool {
    summary["warnings"].as_array().is_some_and(|warnings| warnings.iter().any(|warning| warning["kind"] == kind))
}

fn energy(summary: &Value) -> Option<Point> {
    let energy = &summary["energy"];
    let (defect, at) = (energy["largest_defect"].as_f64()?, energy["largest_defect_at"].as_f64()?);
    let turned = energy["turned_over"].as_f64()?;
    let level = if concerns(summary, "energy") { Level::Doubt } else { Level::Good };
    Some(point(
        level,
        format!("the energy balance is off by at most {defect:.1e} (t = {}) of {turned:.3e} turned over", short(at)),
    ))
}

fn derived(summary: &Value) -> Option<Point> {
    let derived = &summary["derived_errors"];
    let (a, multipliers) = (derived["accelerations_relative"].as_f64()?, derived["multipliers_relative"].as_f64());
    let reactions = multipliers.map_or(String::new(), |error| format!(", reactions to {error:.0e}"));
    let level = if concerns(summary, "derived") { Level::Doubt } else { Level::Good };
    Some(point(level, format!("accelerations are good to about {a:.0e} of their largest value{reactions}")))
}

fn work(summary: &Value) -> Option<Point> {
    let counts = &summary["statistics"];
    let (steps, attempts) = (counts["steps"].as_u64()?, counts["attempts"].as_u64()?);
    let lengths = match (counts["shortest_step"].as_f64(), counts["longest_step"].as_f64()) {
        (Some(shortest), Some(longest)) => format!(" of {shortest:.2e} to {longest:.2e}"),
        _ => String::new(),
    };
    let again = attempts.saturating_sub(steps);
    Some(point(
        Level::Note,
        format!("{steps} steps{lengths}, {again} attempts made again; every step that counts has converged"),
    ))
}

fn start(summary: &Value) -> Option<Point> {
    let start = &summary["start"];
    let redundant = start["redundant"].as_array().map_or(0, Vec::len);
    if redundant > 0 {
        let text =
            format!("{redundant} redundant constraints accepted: reactions that are not unique are the smallest ones");
        return Some(point(Level::Note, text));
    }
    let moved = start["position_moved"].as_f64().filter(|moved| *moved > 1e-9)?;
    Some(point(Level::Note, format!("the start was moved by {moved:.2e} onto the constraints")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_verdict_is_as_good_as_its_run() {
        let mut summary = json!({
            "outcome": "reached", "partial": false, "warnings": [], "t_start": 0.0, "t_end": 2.0, "t_reached": 2.0,
            "method": "radau", "steps_chosen": "rtol = 1e-9", "message": null,
        });
        let good = verdict(&summary);
        assert_eq!(good.state, State::Good);
        assert!(
            good.headline.starts_with("Solved from t = 0 to t = 2, by radau with rtol = 1e-9"),
            "{}",
            good.headline
        );
        summary["warnings"] = json!([{ "kind": "energy", "message": "the balance is off" }]);
        let doubted = verdict(&summary);
        assert_eq!((doubted.state, doubted.points[0].level), (State::Doubt, Level::Doubt));
        summary["outcome"] = json!("failed");
        summary["partial"] = json!(true);
        summary["message"] = json!("no step converged");
        let failed = verdict(&summary);
        assert_eq!(failed.state, State::Failed);
        assert_eq!(failed.points[0], Point { level: Level::Bad, text: "no step converged".to_owned() });
        // Files of others may hold anything.
        assert_eq!(verdict(&Value::Null).state, State::Good);
    }
}
