//! The `[start]` section.

use alembert::Guess;
use alembert_mechanism::CoordinateId;
use toml::de::DeValue;

use super::Checked;
use super::variables::Variables;
use crate::document::{Document, Entry, entries};
use crate::graph::Node;
use crate::scope::{Scope, Slot};
use crate::start::Start;
use crate::text::Span;

/// Reads the section; `given` says which variables have values under `[initial]`.
pub(crate) fn read(
    document: &Document,
    variables: &Variables,
    (guess, given): (&Guess, &[bool]),
    scope: &mut Scope,
) -> Option<Start> {
    let layout = variables.layout;
    let rough_v = scope.mechanism.as_ref().map(|mechanism| mechanism.rough_velocities().collect()).unwrap_or_default();
    let mut start = Start { given_v: given[layout.v()].to_vec(), rough_v, ..Start::default() };
    if let Some(mechanism) = &scope.mechanism {
        let called = |id: CoordinateId, joint: &str| format!("{}' of `{joint}`", id.name());
        start.held_speeds = mechanism.held_speeds().map(|(id, joint, speed)| (id, called(id, joint), speed)).collect();
    }
    let find = |key| document.find("start", key);
    if let Some(entry) = find("equilibrium") {
        start.equilibrium = document.flag(&entry, scope.mistakes)?;
        if start.equilibrium && layout.states > 0 {
            let message = "static equilibrium is not looked for where there are states, discrete variables or inputs";
            let hint = "give the start by its values under [initial]".to_owned();
            scope.mistakes.add(entry.key_span, message.to_owned(), Some(hint));
        } else if let Some(moving) = guess.v.iter().position(|v| *v != 0.0).filter(|_| start.equilibrium) {
            let name = variables.name(layout.v().start + moving);
            let hint = "leave out its initial value, or `equilibrium`".to_owned();
            scope.mistakes.add(entry.key_span, format!("`{name}` is zero in static equilibrium"), Some(hint));
        }
    }
    let Some(entry) = find("fixed") else { return Some(start) };
    if start.equilibrium {
        let hint = "hold what is meant to stay by a constraint, or leave out one of the two".to_owned();
        scope.mistakes.add(entry.key_span, "in static equilibrium nothing is fixed".to_owned(), Some(hint));
    }
    for (named, span) in named(document, &entry, variables, scope)? {
        match named {
            Named::Coordinate(column) => start.fixed_q.push(column),
            Named::Velocity(column) => start.fixed_v.push(column),
            Named::Other(input) => {
                let message = format!("`{}` cannot be fixed", variables.name(input));
                scope.mistakes.add(span, message, Some("coordinates and velocities can be".to_owned()));
            }
        }
    }
    for fixed in [&mut start.fixed_q, &mut start.fixed_v] {
        fixed.sort_unstable();
        fixed.dedup();
    }
    Some(start)
}

/// A condition whose formula is still a node.
pub(crate) struct Condition {
    pub parameter: String,
    pub text: String,
    pub node: Node,
}

/// Reads `find`: formulas that are zero at the start, by the parameter that each of them is for.
pub(crate) fn conditions(document: &Document, scope: &mut Scope, checked: &mut Vec<Checked>) -> Vec<Condition> {
    let mut found = Vec::new();
    let Some(entry) = document.find("start", "find") else { return found };
    let DeValue::Table(table) = entry.value else {
        let hint = "write find = { l = \"x - 0.3\" }: l is found so that x is 0.3 at the start".to_owned();
        scope.mistakes.add(entry.span, "`find` must be a table".to_owned(), Some(hint));
        return found;
    };
    for entry in entries(table) {
        let stem = entry.key.split('[').next().unwrap_or_default();
        if !scope.parameters().contains(&stem) {
            let known: Vec<String> = scope.parameters().into_iter().map(str::to_owned).collect();
            scope.mistakes.unknown_of(entry.key_span, "parameter", entry.key, &known);
            continue;
        }
        let difference = difference(entry.value);
        let value = difference.as_ref().unwrap_or(entry.value);
        let Some(formula) = document.single(value, entry.span, scope.mistakes) else { continue };
        let Some(node) = scope.node(&formula.body, &mut Vec::new()) else { continue };
        if scope.graph.value(node).is_some() {
            let hint = "it must contain a variable".to_owned();
            scope.mistakes.add(
                entry.span,
                format!("the condition for `{}` is the same at every start", entry.key),
                Some(hint),
            );
            continue;
        }
        let text = match entry.value {
            DeValue::String(text) => text.to_string(),
            _ => String::new(),
        };
        checked.push(Checked { what: format!("the condition for `{}`", entry.key), span: entry.span, node });
        found.push(Condition { parameter: entry.key.to_owned(), text, node });
    }
    found
}

/// The variables in a list of names, with the places of the names; a vector stands for all of its entries.
pub(crate) fn named(
    document: &Document,
    entry: &Entry,
    variables: &Variables,
    scope: &mut Scope,
) -> Option<Vec<(Named, Span)>> {
    let DeValue::Array(array) = entry.value else {
        let hint = format!("write {} = [\"x\", \"x'\"]", entry.key);
        scope.mistakes.add(entry.span, format!("`{}` must be a list of names", entry.key), Some(hint));
        return None;
    };
    let mut found = Vec::new();
    for value in array.iter() {
        let span = Span::from(value.span());
        let DeValue::String(content) = value.get_ref() else {
            scope.mistakes.add(span, "a name must be a string".to_owned(), Some("put it in quotes".to_owned()));
            continue;
        };
        let name = Entry { key: content, key_span: span, value: value.get_ref(), span };
        found.extend(inputs(document, &name, variables, scope).into_iter().map(|input| (input, span)));
    }
    Some(found)
}

/// What a name stands for, by columns: derivatives by coordinates have one for each velocity that moves them, or, where velocities have formulas,
/// for each coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Coordinate(usize),
    Velocity(usize),
    /// Some other input.
    Other(usize),
}

/// The variables that a key names: `x`, `x'`, `x[3]`, all entries of a vector, the three turns of a rotation `R`, or `R.omega`.
pub(crate) fn inputs(document: &Document, entry: &Entry, variables: &Variables, scope: &mut Scope) -> Vec<Named> {
    let layout = variables.layout;
    let Some(target) = document.target(entry, scope.mistakes) else { return Vec::new() };
    let Some(slots) = scope.target(&target, entry.key, entry.key_span) else { return Vec::new() };
    let graph = &scope.graph;
    let one = |input: usize| match input {
        _ if layout.q().contains(&input) && variables.general => Named::Coordinate(input - layout.q().start),
        _ if layout.q().contains(&input) => Named::Coordinate(graph.column(layout, input)),
        _ if layout.v().contains(&input) => Named::Velocity(input - layout.v().start),
        _ => Named::Other(input),
    };
    let mut found = Vec::new();
    for (_, slot) in slots {
        match slot {
            Slot::One(input) => found.push(one(input)),
            Slot::Triple(inputs) => found.extend(inputs.map(one)),
            Slot::Turn(turn) => {
                let first = graph.turns[turn].w - layout.v().start;
                found.extend([first, first + 1, first + 2].map(Named::Coordinate));
            }
        }
    }
    found
}

/// An equation as the difference of its sides, each of which stays in its place for messages.
fn difference<'v>(value: &DeValue) -> Option<DeValue<'v>> {
    let DeValue::String(text) = value else { return None };
    let (left, right) = text.split_once("==").or_else(|| text.split_once('='))?;
    if left.ends_with(['<', '>', '!', '~']) || right.contains('=') {
        return None;
    }
    let right = right.strip_prefix(' ').filter(|_| !text.contains("==")).unwrap_or(right);
    Some(DeValue::String(format!("{left}-({right})").into()))
}
