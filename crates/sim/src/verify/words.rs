//! A certificate as words and as JSON.

use alembert_model::Model;
use alembert_model::run::{Run, Steps};
use serde_json::{Value, json};

use super::Certificate;
use super::track::{Errors, QUANTITIES};
use super::verdict::{MOST_TOLERANCES, short};

/// What a person reads.
pub fn words(model: &Model, run: &Run, found: &Certificate) -> String {
    let Certificate { ladder, origin, second, uncertainty, orders, bars, own_bars, doubts, .. } = found;
    let mut text = format!(
        "{}, {} to t = {}\nlargest errors at the times of its rows, against {origin}\n",
        model.name,
        run.method.name(),
        run.t_end
    );
    let present: Vec<usize> = (0..5).filter(|&i| bars[i].is_some() || own_bars[i].is_some()).collect();
    let told = |values: &Errors, sign: &str| -> String {
        let told = present.iter().filter_map(|&i| Some(format!("{} {sign}{:.1e}", QUANTITIES[i], values[i]?)));
        told.collect::<Vec<_>>().join(", ")
    };
    if let Some(second) = second {
        text += &format!("(it differs from {second} by {})\n", told(uncertainty, ""));
    }
    let line = |heading: &str, count: &str, values: &Errors, missing: &str, shown: fn(f64) -> String| {
        let cells = present.iter().map(|&i| values[i].map_or_else(|| missing.to_owned(), shown));
        let cells: String = cells.map(|cell| format!("  {cell:>10}")).collect();
        format!("  {heading:34}  {count:>8}{cells}\n")
    };
    text += &format!("\n  {:34}  {:>8}", "steps", "count");
    text += &present.iter().map(|&i| format!("  {:>10}", QUANTITIES[i])).collect::<String>();
    text += "\n";
    for (k, rung) in ladder.rungs.iter().enumerate() {
        let count = rung.count.to_string();
        let own = if k == ladder.result && k > 0 { "  <- the result" } else { "" };
        let cells = line(&rung.steps.to_string(), &count, &rung.errors, "", |error| format!("{error:.2e}"));
        text += &format!("{}{own}\n", cells.trim_end());
    }
    if orders.iter().any(Option::is_some) {
        text += &line("observed order", "", orders, "rounding", |order| format!("{order:.2}"));
    }
    text += "\n";
    if doubts.is_empty() {
        text += &format!("converges; error bars of the result: {}\n", told(bars, "± "));
    } else {
        text += "not certified: do not trust this result\n";
        text += &doubts.iter().map(|doubt| format!("  - {doubt}\n")).collect::<String>();
        if found.is_derived() {
            text += "positions and velocities are certified; tolerances do not govern a, lambda and psi: a smaller one helps\n";
        }
        if let Some(until) = found.until {
            text += &format!("up to t = {until:.4} its errors are within {MOST_TOLERANCES} tolerances\n");
        }
        text += &format!("error bars of the result, for what they are worth: {}\n", told(bars, "± "));
    }
    if let (Some(tolerance), Steps::ByError { rtol, atol }) = (found.measure.tolerance, &run.steps) {
        let counts =
            present.iter().filter_map(|&i| Some(format!("{} {}", QUANTITIES[i], short(bars[i]? / tolerance[i]))));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let one = atol.map_or_else(|| format!("{:e} size", 2.0 * rtol), |atol| format!("{atol:e} + {rtol:e} size"));
        text += &format!("in tolerances ({one}): {counts}; up to {MOST_TOLERANCES} are certified\n");
    }
    if let Some(instants) = found.instants {
        text += &format!("events: {}, their times ± {instants:.1e}\n", ladder.judged().track.count());
    }
    text += &format!("from the ladder alone: {}\n", told(own_bars, "± "));
    text += &found.notes.iter().map(|note| format!("note: {note}\n")).collect::<String>();
    text
}

/// What a machine reads.
pub fn json(model: &Model, run: &Run, found: &Certificate) -> Value {
    let named = |values: &Errors| -> Value {
        let members = QUANTITIES.iter().zip(values);
        members.map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<serde_json::Map<_, _>>().into()
    };
    let tolerance = found.measure.tolerance;
    let counts: Errors = std::array::from_fn(|i| Some(found.bars[i]? / tolerance?[i]));
    json!({
        "model": model.name,
        "method": run.method.name(),
        "t_end": run.t_end,
        "reference": found.origin,
        "second_reference": found.second,
        "reference_uncertainty": named(&found.uncertainty),
        "ladder": found.ladder.rungs.iter().enumerate().map(|(k, rung)| json!({
            "steps_chosen": rung.steps.to_string(), "steps": rung.count, "error": named(&rung.errors),
            "is_result": k == found.ladder.result,
        })).collect::<Vec<_>>(),
        "observed_order": named(&found.orders),
        "error_bars": named(&found.bars),
        "error_bars_in_tolerances": named(&counts),
        "certified": QUANTITIES.iter().enumerate().filter(|(i, _)| found.bars[*i].is_some()).map(|(i, name)| {
            ((*name).to_owned(), json!(found.is_certified(i)))
        }).collect::<serde_json::Map<_, _>>(),
        "error_bars_of_the_ladder": named(&found.own_bars),
        "error_bar_of_event_times": found.instants,
        "trusted": found.doubts.is_empty(),
        "trusted_until": found.until,
        "doubts": found.doubts,
        "notes": found.notes,
    })
}
