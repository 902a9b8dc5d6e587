//! The `[run]` section.

use toml::de::DeValue;

use crate::document::{Document, Entry};
use crate::format::{FORMS, MASS_MATRICES, METHODS, STARTS};
use crate::run::{Method, Parameters, Run, Steps};
use crate::scope::Scope;

/// Tolerance where a file gives none.
const RTOL: f64 = 1e-6;

/// Keys that belong to one method or two.
const BELONGS: &[(&str, &[&str])] = &[
    ("alpha", &["hht"]),
    ("b", &["hht"]),
    ("form", &["hht"]),
    ("rho_infinity", &["soi2"]),
    ("alpha_m", &["soi2"]),
    ("alpha_f", &["soi2"]),
    ("beta", &["soi2"]),
    ("gamma", &["soi2"]),
    ("mass_matrix", &["soi2"]),
    ("start", &["soi2", "hht", "bdf"]),
    ("step_change", &["soi2", "hht"]),
    ("largest_ratio", &["soi2", "hht"]),
    ("stages", &["radau"]),
    ("projection", &["radau"]),
    ("order", &["bdf"]),
];

/// A number or a formula of parameters.
pub(super) fn number(document: &Document, scope: &mut Scope, entry: &Entry) -> Option<f64> {
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

pub(crate) fn read(document: &Document, t_start: f64, scope: &mut Scope) -> Option<Run> {
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
    let method = choice(scope, "method", METHODS).unwrap_or("radau");
    let plain = |scope: &mut Scope, key| find(key).and_then(|entry| number(document, scope, &entry));
    let flag = |scope: &mut Scope, key| find(key).and_then(|entry| document.flag(&entry, scope.mistakes));
    let parameters = Parameters {
        alpha: plain(scope, "alpha"),
        b: plain(scope, "b"),
        form: choice(scope, "form", FORMS),
        rho_infinity: plain(scope, "rho_infinity"),
        alpha_m: plain(scope, "alpha_m"),
        alpha_f: plain(scope, "alpha_f"),
        beta: plain(scope, "beta"),
        gamma: plain(scope, "gamma"),
        start: choice(scope, "start", STARTS),
        mass_matrix: choice(scope, "mass_matrix", MASS_MATRICES),
        step_change: flag(scope, "step_change"),
        largest_ratio: plain(scope, "largest_ratio"),
        stages: whole(document, scope, "stages"),
        projection: flag(scope, "projection"),
        order: whole(document, scope, "order"),
    };
    check_keys(document, method, &parameters, scope);
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
    let [land_on, jumps_at] = ["land_on", "jumps_at"].map(|key| times(document, scope, key));
    let steps = steps?;
    let built = Method::new(method, &parameters).and_then(|method| method.scheme(&steps).map(|_| method));
    match built {
        Ok(method) => Some(Run {
            t_start,
            t_end: t_end?,
            method,
            parameters,
            steps,
            output_every,
            h_max,
            land_on: land_on?,
            jumps_at: jumps_at?,
        }),
        Err(bad) => {
            let words = bad.to_string();
            let (message, hint) = words.split_once("\nhint: ").map_or((words.as_str(), None), |(m, h)| (m, Some(h)));
            let named = BELONGS.iter().find(|(key, _)| message.starts_with(key) && find(key).is_some());
            let span = named.and_then(|(key, _)| find(key)).or(find("method")).map(|entry| entry.span);
            scope.mistakes.add(span, message.to_owned(), hint.map(str::to_owned));
            None
        }
    }
}

/// Parameters of other methods are mistakes, not noise.
fn check_keys(document: &Document, method: &str, parameters: &Parameters, scope: &mut Scope) {
    for entry in document.section("run") {
        let owners = BELONGS.iter().find(|(key, _)| *key == entry.key).map(|(_, owners)| *owners);
        if let Some(owners) = owners.filter(|owners| !owners.contains(&method)) {
            let hint = Some(format!("it belongs to {}", owners.join(" and ")));
            scope.mistakes.add(entry.key_span, format!("`{}` is not a parameter of {method}", entry.key), hint);
        }
    }
    if let (Some(start), Some(entry)) = (parameters.start, document.find("run", "start")) {
        let of_bdf = matches!(start, "consistent" | "plain");
        if of_bdf != (method == "bdf") && method != "radau" {
            let hint = if method == "bdf" { "consistent, plain" } else { "a0, implicit, twice, jerk" };
            let message = format!("\"{start}\" is not a start of {method}");
            scope.mistakes.add(entry.span, message, Some(format!("it may be {hint}")));
        }
    }
    let four = [parameters.alpha_m, parameters.alpha_f, parameters.beta, parameters.gamma];
    let given = four.iter().filter(|x| x.is_some()).count();
    if given > 0 && (given < 4 || parameters.rho_infinity.is_some()) {
        let span = ["alpha_m", "alpha_f", "beta", "gamma"].iter().find_map(|key| document.find("run", key));
        let hint = Some("give all four of alpha_m, alpha_f, beta, gamma, or rho_infinity alone".to_owned());
        scope.mistakes.add(
            span.map(|entry| entry.key_span),
            "the coefficients of soi2 are not complete".to_owned(),
            hint,
        );
    }
}

fn steps(document: &Document, scope: &mut Scope) -> Option<Steps> {
    let find = |key| document.find("run", key);
    let (rtol, atol, h) =
        (positive(document, scope, "rtol"), positive(document, scope, "atol"), positive(document, scope, "h"));
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
