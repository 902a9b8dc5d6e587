//! The `[run]` section.

use alembert::Advised;
use alembert::catalogue::{self, Allowed, Entry, METHODS, Parameter, Parameters, Value};
use alembert::method::BadMethod;
use toml::de::DeValue;

use super::tolerances::{by_variable, refuse_both};
use super::variables::Variables;
use crate::document::{Document, Entry as DocumentEntry};
use crate::format::{choices, owners};
use crate::run::{MethodChoice, Run, RunLimits, Steps};
use crate::scope::Scope;

/// The tolerance of a file that gives none.
const RTOL: f64 = 1e-6;

/// A number or a formula of parameters.
pub(super) fn number(document: &Document, scope: &mut Scope, entry: &DocumentEntry) -> Option<f64> {
    let formula = document.single(entry.value, entry.span, scope.mistakes)?;
    let node = scope.node(&formula.body, &mut Vec::new())?;
    let value = scope.graph.value(node).filter(|x| x.is_finite());
    if value.is_none() {
        let hint = Some("use numbers and parameters".to_owned());
        scope.mistakes.add(entry.span, format!("`{}` must be a finite constant", entry.key), hint);
    }
    value
}

/// A time of the section.
pub(crate) fn time(document: &Document, scope: &mut Scope, key: &str) -> Option<f64> {
    let entry = document.find("run", key)?;
    number(document, scope, &entry)
}

/// A number that must be positive.
fn positive(document: &Document, scope: &mut Scope, key: &str) -> Option<f64> {
    let entry = document.find("run", key)?;
    let value = number(document, scope, &entry)?;
    if value <= 0.0 {
        scope.mistakes.add(entry.span, format!("`{key}` must be positive, not {value}"), None);
        return None;
    }
    Some(value)
}

/// A whole number; none for "auto".
fn whole(document: &Document, scope: &mut Scope, key: &str) -> Option<usize> {
    let entry = document.find("run", key)?;
    if matches!(entry.value, DeValue::String(words) if words == "auto") {
        return None;
    }
    let value = number(document, scope, &entry)?;
    if value.fract() != 0.0 || !(1.0..100.0).contains(&value) {
        let message = format!("`{key}` must be a whole number or \"auto\", not {value}");
        scope.mistakes.add(entry.span, message, None);
        return None;
    }
    Some(value as usize)
}

pub(crate) fn read(document: &Document, variables: &Variables, t_start: f64, scope: &mut Scope) -> Option<Run> {
    let find = |key| document.find("run", key);
    let t_end = match find("t_end") {
        Some(entry) => number(document, scope, &entry).filter(|t_end| {
            if *t_end <= t_start {
                let message = format!("`t_end` = {t_end} is not after the start at {t_start}");
                scope.mistakes.add(entry.span, message, None);
            }
            *t_end > t_start
        }),
        None => {
            let hint = Some("write t_end = 10.0 under [run]".to_owned());
            scope.mistakes.add(None, "the end time is missing".to_owned(), hint);
            None
        }
    };
    let choice = |scope: &mut Scope, key, known| {
        let entry = find(key)?;
        document.choice(&entry, known, scope.mistakes)
    };
    let entry = choice(scope, "method", choices("method")).and_then(catalogue::find).unwrap_or(&METHODS[0]);
    let mut parameters = Parameters::default();
    for Parameter { name, allowed, .. } in entry.parameters {
        let Some(given) = find(name) else { continue };
        let value = match allowed {
            Allowed::Number => number(document, scope, &given).map(Value::Number),
            Allowed::WholeOrAuto => whole(document, scope, name).map(Value::Whole),
            Allowed::Flag => document.flag(&given, scope.mistakes).map(Value::Flag),
            Allowed::Choice(words) => word(document, scope, &given, entry, words).map(Value::Word),
        };
        if let Some(value) = value {
            parameters = parameters.with(name, value);
        }
    }
    check_keys(document, entry, scope);
    let steps = steps(document, scope);
    let output_every = positive(document, scope, "output_every");
    let h_max = positive(document, scope, "h_max");
    if let (Some(entry), Some(_)) = (find("h_max"), find("h")) {
        let hint = Some("keep one of the two".to_owned());
        scope.mistakes.add(
            entry.key_span,
            "`h_max` is for steps that a tolerance chooses, and `h` is given".to_owned(),
            hint,
        );
    }
    let h_min = positive(document, scope, "h_min");
    if let (Some(entry), Some(h_min)) = (find("h_min"), h_min) {
        if find("h").is_some() {
            let message = "`h_min` is for steps that a tolerance chooses, and `h` is given".to_owned();
            scope.mistakes.add(entry.key_span, message, Some("keep one of the two".to_owned()));
        } else if let Some(h_max) = h_max.filter(|h_max| *h_max < h_min) {
            scope.mistakes.add(
                entry.span,
                format!("`h_min` = {h_min} is larger than `h_max` = {h_max}"),
                Some("leave out one of the two".to_owned()),
            );
        }
    }
    let [land_on, jumps_at, t_eval] = ["land_on", "jumps_at", "t_eval"].map(|key| times(document, scope, key));
    let t_eval = t_eval.map(|times| rows_at(document, times, (t_start, t_end), scope));
    let [atols, scales] = ["atol", "scale"].map(|key| by_variable(document, variables, key, scope));
    refuse_both(document, variables, (&atols, &scales), scope);
    let limits = RunLimits {
        steps: count(document, scope, "max_steps"),
        rows: count(document, scope, "max_rows"),
        seconds: positive(document, scope, "max_seconds"),
    };
    let smooth = find("smooth").and_then(|entry| document.flag(&entry, scope.mistakes)).unwrap_or(false);
    let steps = steps?;
    let built = MethodChoice::new(entry.name, &parameters).and_then(|method| method.scheme(&steps).map(|_| method));
    match built {
        Ok(method) => Some(Run {
            t_start,
            t_end: t_end?,
            method,
            steps,
            output_every,
            h_max,
            h_min,
            t_eval: t_eval?,
            atols,
            scales,
            limits,
            land_on: land_on?,
            jumps_at: jumps_at?,
            smooth,
        }),
        Err(bad) => {
            let blamed = match &bad {
                // Of keys that belong together, the first that is present counts.
                BadMethod::Incomplete { parameters, .. } => {
                    parameters.iter().find_map(|name| find(name)).map(|entry| entry.key_span)
                }
                bad => bad.parameter().and_then(find).map(|entry| entry.span),
            };
            let span = blamed.or(find("method").map(|entry| entry.span));
            scope.mistakes.add(span, bad.message(), bad.hint());
            None
        }
    }
}

/// Parameters of other methods are mistakes, and are not ignored.
fn check_keys(document: &Document, method: &Entry, scope: &mut Scope) {
    for entry in document.section("run") {
        let owners: Vec<&str> = owners(entry.key).iter().map(|(owner, _)| owner.name).collect();
        if !owners.is_empty() && !owners.contains(&method.name) {
            let hint = Some(format!("it belongs to {}", owners.join(" and ")));
            let message = format!("`{}` is not a parameter of {}", entry.key, method.name);
            scope.mistakes.add(entry.key_span, message, hint);
        }
    }
}

/// A word of a method; one that only other methods know is told as such.
fn word(
    document: &Document,
    scope: &mut Scope,
    entry: &DocumentEntry,
    method: &Entry,
    words: &'static [&'static str],
) -> Option<&'static str> {
    let word = document.choice(entry, choices(entry.key), scope.mistakes)?;
    if !words.contains(&word) {
        let message = format!("\"{word}\" is not a {} of {}", entry.key, method.name);
        scope.mistakes.add(entry.span, message, Some(format!("it may be {}", words.join(", "))));
        return None;
    }
    Some(word)
}

fn steps(document: &Document, scope: &mut Scope) -> Option<Steps> {
    let find = |key| document.find("run", key);
    let by_variable = find("atol").is_some_and(|entry| entry.value.is_table());
    let atol = if by_variable { None } else { positive(document, scope, "atol") };
    let (rtol, h) = (positive(document, scope, "rtol"), positive(document, scope, "h"));
    let fractions = pattern(document, scope);
    match (find("h"), find("rtol").or(find("atol"))) {
        (Some(entry), Some(_)) => {
            let hint = Some("keep one of the two".to_owned());
            scope.mistakes.add(entry.key_span, "both a step size and a tolerance are given".to_owned(), hint);
            None
        }
        (Some(_), None) => Some(Steps::Fixed { h: h?, pattern: fractions? }),
        (None, _) => {
            if let Some(entry) = find("step_pattern") {
                let hint = Some("give a step size h".to_owned());
                scope.mistakes.add(entry.key_span, "`step_pattern` needs `h`".to_owned(), hint);
            }
            let rtol = rtol.unwrap_or(RTOL);
            Some(Steps::ByError { rtol, atol })
        }
    }
}

/// A number of things.
fn count(document: &Document, scope: &mut Scope, key: &str) -> Option<u64> {
    let entry = document.find("run", key)?;
    let value = number(document, scope, &entry)?;
    if value.fract() != 0.0 || !(1.0..1e15).contains(&value) {
        let hint = Some(format!("write {key} = 100000"));
        scope.mistakes.add(entry.span, format!("`{key}` must be a whole number from 1 on, not {value}"), hint);
        return None;
    }
    Some(value as u64)
}

/// Times of rows in increasing order, each once.
fn rows_at(
    document: &Document,
    mut times: Vec<f64>,
    (t_start, t_end): (f64, Option<f64>),
    scope: &mut Scope,
) -> Vec<f64> {
    let Some(entry) = document.find("run", "t_eval") else { return times };
    if let Some(other) = document.find("run", "output_every") {
        let hint = Some("keep one of the two".to_owned());
        scope.mistakes.add(other.key_span, "both `t_eval` and `output_every` are given".to_owned(), hint);
    }
    let outside = |t: &&f64| **t < t_start || t_end.is_some_and(|t_end| **t > t_end);
    if let (Some(t), Some(t_end)) = (times.iter().find(outside), t_end) {
        let message = format!("a row at {t} is not between the start at {t_start} and the end at {t_end}");
        scope.mistakes.add(entry.span, message, Some("leave it out, or choose another end".to_owned()));
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// A list of times; empty if there is none.
fn times(document: &Document, scope: &mut Scope, key: &str) -> Option<Vec<f64>> {
    let Some(entry) = document.find("run", key) else { return Some(Vec::new()) };
    let items = document.items(&entry, scope.mistakes)?;
    let mut times = Vec::new();
    for item in &items {
        let node = scope.node(&item.formula.body, &mut Vec::new())?;
        match scope.graph.value(node).filter(|x| x.is_finite()) {
            Some(time) => times.push(time),
            None => scope.mistakes.add(item.span, "a time must be a finite constant".to_owned(), None),
        }
    }
    (times.len() == items.len()).then_some(times)
}

fn pattern(document: &Document, scope: &mut Scope) -> Option<Vec<f64>> {
    let Some(entry) = document.find("run", "step_pattern") else { return Some(vec![1.0]) };
    let items = document.items(&entry, scope.mistakes)?;
    let mut fractions = Vec::new();
    for item in &items {
        let node = scope.node(&item.formula.body, &mut Vec::new())?;
        match scope.graph.value(node).filter(|x| x.is_finite() && *x > 0.0) {
            Some(fraction) => fractions.push(fraction),
            None => scope.mistakes.add(item.span, "a fraction must be a positive constant".to_owned(), None),
        }
    }
    if items.is_empty() {
        scope.mistakes.add(entry.span, "the pattern is empty".to_owned(), Some("write [\"1/3\", \"2/3\"]".to_owned()));
    }
    (!fractions.is_empty() && fractions.len() == items.len()).then_some(fractions)
}
