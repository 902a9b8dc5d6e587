//! The `[results]` section: numbers that a whole run comes to.

use toml::de::DeValue;

use super::{Checked, run};
use crate::document::{Document, Entry, entries, kind};
use crate::formula::{Expr, Kind};
use crate::graph::Node;
use crate::measure::Made;
use crate::model::Names;
use crate::scope::Scope;

/// A result whose formula is still a node.
pub(crate) struct Draft {
    pub name: String,
    pub made: Made,
    pub from: Option<f64>,
    pub to: Option<f64>,
    pub unit: Option<String>,
    pub label: Option<String>,
    pub node: Node,
}

/// Words that say what is made of a formula.
const MADE: [&str; 7] = ["max", "min", "mean", "rms", "integral", "value", "count"];
const KEYS: [&str; 14] =
    ["max", "min", "mean", "rms", "integral", "value", "count", "at", "event", "which", "from", "to", "unit", "label"];

/// Reads the section; `names` are those of the columns, which results must not have, `events` those of the events.
pub(crate) fn read(
    document: &Document,
    (names, events): (&Names, &[String]),
    scope: &mut Scope,
    checked: &mut Vec<Checked>,
) -> Vec<Draft> {
    let columns = names.columns();
    let mut found = Vec::new();
    for entry in document.section("results") {
        if !document.named(entry, scope.mistakes) {
            continue;
        }
        if columns.iter().any(|column| column == entry.key) {
            let hint = "choose another name: both are columns of `sweep`".to_owned();
            scope.mistakes.add(entry.key_span, format!("`{}` is a column already", entry.key), Some(hint));
        }
        let DeValue::Table(table) = entry.value else {
            let message = format!("a result must be a table, found {}", kind(entry.value));
            let hint = format!("write {} = {{ max = \"…\" }}; there are also {}", entry.key, MADE[1..].join(", "));
            scope.mistakes.add(entry.span, message, Some(hint));
            continue;
        };
        found.extend(result(document, entry, &entries(table), (names, events), scope, checked));
    }
    found
}

/// What is said of a result that is made of one column, where the file says nothing: the unit of the column, and its label with what is
/// made of it.
fn inherited(names: &Names, body: &Entry, formula: &Expr) -> (Option<String>, Option<String>) {
    let Kind::Name { name, index: None, primes: 0 } = &formula.kind else { return (None, None) };
    let Some(said) = names.said_of(name) else { return (None, None) };
    let words = match body.key {
        "max" => "largest ",
        "min" => "smallest ",
        "mean" => "mean ",
        "rms" => "rms of ",
        "integral" => "integral of ",
        _ => "",
    };
    let unit = said.unit.as_ref().map(|unit| if body.key == "integral" { format!("{unit} s") } else { unit.clone() });
    (unit, said.label.as_ref().map(|label| format!("{words}{label}")))
}

fn result(
    document: &Document,
    entry: &Entry,
    keys: &[Entry],
    (names, events): (&Names, &[String]),
    scope: &mut Scope,
    checked: &mut Vec<Checked>,
) -> Option<Draft> {
    let find = |key: &str| keys.iter().find(|entry| entry.key == key);
    for unknown in keys.iter().filter(|entry| !KEYS.contains(&entry.key)) {
        scope.mistakes.unknown(unknown.key_span, "key of a result", unknown.key, KEYS);
    }
    let words = |key: &str, scope: &mut Scope| find(key).and_then(|entry| document.words(entry, scope.mistakes));
    let (unit, label) = (words("unit", scope), words("label", scope));
    let made: Vec<&Entry> = keys.iter().filter(|entry| MADE.contains(&entry.key)).collect();
    let [body] = made[..] else {
        let message = format!(
            "the result `{}` {} what is made of it",
            entry.key,
            if made.is_empty() { "does not say" } else { "says twice" }
        );
        let hint = format!("write one of {}", MADE.join(", "));
        scope.mistakes.add(entry.span, message, Some(hint));
        return None;
    };
    let number = |key: &str, scope: &mut Scope| find(key).and_then(|entry| run::number(document, scope, entry));
    let (from, to, at) = (number("from", scope), number("to", scope), number("at", scope));
    if let (Some(from), Some(to), Some(entry)) = (from, to, find("to"))
        && to <= from
    {
        scope.mistakes.add(
            entry.span,
            format!("`to` = {to} is not after `from` = {from}"),
            Some("choose a later one".to_owned()),
        );
    }
    let misplaced: &[&str] = if body.key == "value" { &["from", "to"] } else { &["at", "event", "which"] };
    for entry in misplaced.iter().filter_map(|key| find(key)) {
        let message = format!("`{}` is not for `{}`", entry.key, body.key);
        let hint = if body.key == "value" { "leave it out" } else { "it belongs to `value`" };
        scope.mistakes.add(entry.key_span, message, Some(hint.to_owned()));
    }
    let event = |entry: &Entry, scope: &mut Scope| -> Option<usize> {
        let name = document.words(entry, scope.mistakes)?;
        let index = events.iter().position(|event| *event == name);
        if index.is_none() {
            scope.mistakes.unknown_of(entry.span, "event", &name, events);
        }
        index
    };
    if body.key == "count" {
        let made = Made::Count { index: event(body, scope)? };
        let node = scope.graph.constant(0.0);
        return Some(Draft { name: entry.key.to_owned(), made, from, to, unit, label, node });
    }
    let formula = document.single(body.value, body.span, scope.mistakes)?;
    let (known_unit, known_label) = inherited(names, body, &formula.body);
    let (unit, label) = (unit.or(known_unit), label.or(known_label));
    let node = scope.node(&formula.body, &mut Vec::new())?;
    checked.push(Checked { what: format!("the result `{}`", entry.key), span: body.span, node });
    let made = match body.key {
        "max" => Made::Max,
        "min" => Made::Min,
        "mean" => Made::Mean,
        "rms" => Made::Rms,
        "integral" => Made::Integral,
        _ => match (find("event"), at) {
            (Some(entry), None) => {
                Made::Event { index: event(entry, scope)?, which: which(document, find("which"), scope)? }
            }
            (Some(entry), Some(_)) => {
                let hint = "keep one of the two".to_owned();
                scope.mistakes.add(entry.key_span, "both a time and an event are given".to_owned(), Some(hint));
                return None;
            }
            (None, Some(t)) => Made::At(t),
            (None, None) => Made::Last,
        },
    };
    Some(Draft { name: entry.key.to_owned(), made, from, to, unit, label, node })
}

/// Which occurrence of an event: the first if nothing is said.
fn which(document: &Document, entry: Option<&Entry>, scope: &mut Scope) -> Option<Option<u64>> {
    let Some(entry) = entry else { return Some(Some(1)) };
    if let DeValue::String(word) = entry.value {
        match &**word {
            "first" => return Some(Some(1)),
            "last" => return Some(None),
            _ => {}
        }
    }
    let value = run::number(document, scope, entry)?;
    if value.fract() != 0.0 || !(1.0..1e15).contains(&value) {
        let hint = "it may be \"first\", \"last\", or a number from 1 on".to_owned();
        scope.mistakes.add(entry.span, format!("`which` is {value}"), Some(hint));
        return None;
    }
    Some(Some(value as u64))
}
