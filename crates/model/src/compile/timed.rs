//! Events at given times: `at = "0.5"`, `at = [0.5, 1]`, `every = "0.1"`; and how often an event may happen: `once`, `times`.

use toml::de::DeValue;

use super::run::number;
use crate::clock::{Clock, MOST};
use crate::document::{Document, Entry};
use crate::scope::Scope;

/// The times of an event, if it has any; none with a mistake that was told.
pub(crate) fn clock(
    document: &Document,
    section: &[Entry],
    (t_start, t_end): (f64, f64),
    scope: &mut Scope,
) -> Result<Option<Clock>, ()> {
    let find = |key: &str| section.iter().find(|entry| entry.key == key);
    let (at, every) = (find("at"), find("every"));
    let Some(entry) = at.or(every) else { return Ok(None) };
    for key in ["formula", "direction", "jumps", if at.is_some() { "every" } else { "" }] {
        if let Some(other) = find(key) {
            let hint = Some("keep one of the two".to_owned());
            scope.mistakes.add(other.key_span, format!("both `{}` and `{key}` are given", entry.key), hint);
            return Err(());
        }
    }
    if let Some(every) = every {
        let every_value = number(document, scope, every).ok_or(())?;
        if every_value <= 0.0 {
            scope.mistakes.add(
                every.span,
                format!("`every` must be positive, not {every_value}"),
                Some("write every = \"0.1\"".to_owned()),
            );
            return Err(());
        }
        let clock = Clock::Every { from: t_start, every: every_value };
        // An end that is a mistake was told.
        if t_end.is_finite() && clock.count(t_end) > MOST as f64 {
            let hint = Some("choose a larger distance".to_owned());
            let message = format!("the event would happen {:.1e} times, more than {MOST}", clock.count(t_end));
            scope.mistakes.add(every.span, message, hint);
            return Err(());
        }
        return Ok(Some(clock));
    }
    let mut times = Vec::new();
    match entry.value {
        DeValue::Array(_) => {
            for item in document.items(entry, scope.mistakes).ok_or(())? {
                let node = scope.node(&item.formula.body, &mut Vec::new()).ok_or(())?;
                match scope.graph.value(node).filter(|t| t.is_finite()) {
                    Some(t) => times.push((t, item.span)),
                    None => scope.mistakes.add(item.span, "a time must be a finite constant".to_owned(), None),
                }
            }
        }
        _ => times.push((number(document, scope, entry).ok_or(())?, entry.span)),
    }
    for (t, span) in &times {
        if *t <= t_start {
            let hint = Some("choose later times".to_owned());
            scope.mistakes.add(*span, format!("the event at {t} is not after the start at {t_start}"), hint);
        }
    }
    let mut times: Vec<f64> = times.into_iter().map(|(t, _)| t).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    Ok(Some(Clock::Listed(times)))
}

/// How often an event may happen; none for any number.
pub(crate) fn most(document: &Document, section: &[Entry], scope: &mut Scope) -> Option<u64> {
    let find = |key: &str| section.iter().find(|entry| entry.key == key);
    if let Some(entry) = find("times") {
        if let Some(once) = find("once") {
            let hint = Some("keep one of the two".to_owned());
            scope.mistakes.add(once.key_span, "both `times` and `once` are given".to_owned(), hint);
        }
        let value = number(document, scope, entry)?;
        if value.fract() != 0.0 || !(1.0..1e15).contains(&value) {
            scope.mistakes.add(
                entry.span,
                format!("`times` must be a whole number from 1 on, not {value}"),
                Some("write times = 3, or once = true".to_owned()),
            );
            return None;
        }
        return Some(value as u64);
    }
    let once = find("once").and_then(|entry| document.flag(entry, scope.mistakes))?;
    once.then_some(1)
}
