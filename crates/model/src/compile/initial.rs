//! The `[initial]` and `[exact]` sections: values of variables by name.

use std::collections::HashSet;

use alembert::Guess;
use toml::de::DeValue;

use super::evaluation::{Evaluation, Unknown};
use super::states::Role;
use super::variables::Variables;
use crate::document::{Document, Entry};
use crate::format;
use crate::formula::Kind;
use crate::graph::Node;
use crate::scope::{Items, Scope, Value};
use crate::text::Span;

/// A value for a variable.
pub(crate) struct Assigned {
    pub input: usize,
    pub node: Node,
    pub span: Span,
}

/// Reads assignments to variables; vectors take one value for all entries, a list, or a formula with `for`.
pub(crate) fn assignments(document: &Document, entries: &[Entry], scope: &mut Scope) -> Vec<Assigned> {
    let mut found: Vec<Assigned> = Vec::new();
    let mut given = HashSet::new();
    for entry in entries {
        let Some(target) = document.target(entry, scope.mistakes) else { continue };
        let Kind::Name { name, index, primes } = &target.kind else { continue };
        if belongs_to_start(entry, scope) {
            continue;
        }
        let Some(items) = scope.variable(name, *primes, entry.key_span) else { continue };
        let inputs: Vec<(i64, usize)> = match (items, index) {
            (Items::One(input), None) => vec![(0, input)],
            (Items::One(_), Some(_)) => {
                scope.mistakes.add(entry.key_span, format!("`{name}` is not a vector"), None);
                continue;
            }
            (Items::Many(items), None) => items.into_iter().collect(),
            (Items::Many(items), Some(index)) => {
                let Some(index) = scope.integer(index, &mut Vec::new()) else { continue };
                match items.get(&index).map(|input| (index, *input)) {
                    Some(pair) => vec![pair],
                    None => {
                        let (first, last) = (items.keys().next(), items.keys().next_back());
                        let hint =
                            first.zip(last).map(|(first, last)| format!("its indices run from {first} to {last}"));
                        scope.mistakes.add(entry.key_span, format!("`{}` does not exist", entry.key), hint);
                        continue;
                    }
                }
            }
        };
        for (input, node) in values(document, entry, &inputs, scope) {
            if !given.insert(input) {
                let hint =
                    "keep one of the two; entries of a vector have a formula, as \"if(i == 1, 0.1, 0) for i in 1..N\"";
                scope.mistakes.add(entry.key_span, format!("`{}` is given twice", entry.key), Some(hint.to_owned()));
            }
            found.push(Assigned { input, node, span: entry.span });
        }
    }
    found
}

/// Whether a key is one of `[start]` and no variable; says so.
fn belongs_to_start(entry: &Entry, scope: &mut Scope) -> bool {
    let is_key = format::find("start").is_some_and(|section| section.keys.iter().any(|key| key.name == entry.key));
    let misplaced = is_key && !scope.is_variable(entry.key);
    if misplaced {
        let hint = format!("write {} = … under [start]; the keys here are names of variables", entry.key);
        scope.mistakes.add(entry.key_span, format!("`{}` is not a variable", entry.key), Some(hint));
    }
    misplaced
}

/// The values of one entry, for the inputs it speaks of.
fn values(document: &Document, entry: &Entry, inputs: &[(i64, usize)], scope: &mut Scope) -> Vec<(usize, Node)> {
    let mut found = Vec::new();
    if let DeValue::Array(_) = entry.value {
        let Some(items) = document.items(entry, scope.mistakes) else { return found };
        let instances: Vec<_> = items.iter().flat_map(|item| scope.instances(&item.formula)).collect();
        if instances.len() != inputs.len() {
            let message = format!("{} values for {} entries of `{}`", instances.len(), inputs.len(), entry.key);
            scope.mistakes.add(entry.span, message, None);
            return found;
        }
        for (instance, (_, input)) in instances.iter().zip(inputs) {
            found.extend(scope.instance(instance).map(|node| (*input, node)));
        }
        return found;
    }
    let Some(formula) = document.formula(entry.value, entry.span, scope.mistakes) else { return found };
    let repeated = !formula.clauses.is_empty();
    for instance in scope.instances(&formula) {
        let Some(value) = scope.instance_value(&instance) else { return found };
        if let (Value::Triple(nodes), false, 3) = (value, repeated, inputs.len()) {
            return inputs.iter().zip(nodes).map(|((_, input), node)| (*input, node)).collect();
        }
        let Some(node) = scope.number(value, instance.body.span) else { return found };
        if !repeated {
            return inputs.iter().map(|(_, input)| (*input, node)).collect();
        }
        let index = instance.indices.last().map_or(0, |(_, value)| *value);
        match inputs.binary_search_by_key(&index, |(known, _)| *known) {
            Ok(at) => found.push((inputs[at].1, node)),
            Err(_) => {
                scope.mistakes.add(entry.span, format!("`{}[{index}]` does not exist", entry.key), None);
                return found;
            }
        }
    }
    found
}

/// The start as the file gives it. Formulas may use other initial values.
/// Says which variables it gives, too.
pub(crate) fn guess(document: &Document, variables: &Variables, t: f64, scope: &mut Scope) -> (Guess, Vec<bool>) {
    let layout = variables.layout;
    let entries = document.section("initial");
    let assigned = assignments(document, entries, scope);
    let mut values = vec![f64::NAN; layout.len()];
    let mut given = vec![false; layout.len()];
    for assigned in &assigned {
        let slot = assigned.input.checked_sub(layout.states().start).filter(|slot| *slot < layout.states);
        if slot.is_some_and(|slot| variables.states.role(slot) != Role::State) {
            let name = variables.name(assigned.input);
            let hint = format!("change the value of `{name}` where it is declared");
            let message = format!("`{name}` has its value under [discrete] or [inputs]");
            scope.mistakes.add(assigned.span, message, Some(hint));
        }
        if layout.a().contains(&assigned.input) {
            let hint = Some("accelerations follow from the equations".to_owned());
            scope.mistakes.add(assigned.span, "accelerations cannot be given".to_owned(), hint);
        }
        given[assigned.input] = true;
    }
    for input in layout.v().start..layout.len() {
        if !given[input] {
            values[input] = 0.0;
        }
    }
    for (slot, input) in layout.states().enumerate() {
        if !given[input] {
            values[input] = variables.states.value(slot);
        }
    }
    // Integrals of states.
    let bodies = layout.q().end - layout.states;
    values[bodies..layout.q().end].fill(0.0);
    values[0] = t;
    let missing = layout.q().take_while(|input| *input < bodies).filter(|input| !given[*input]);
    let missing: Vec<String> = missing.map(|input| variables.name(input)).collect();
    if !missing.is_empty() && scope.mistakes.is_empty() {
        let shown = missing.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let more = if missing.len() > 5 { ", …" } else { "" };
        let hint = Some("give every coordinate a value under [initial]".to_owned());
        scope.mistakes.add(None, format!("no initial value of {shown}{more}"), hint);
    }
    let mut by_input = vec![None; layout.len()];
    for assigned in &assigned {
        by_input[assigned.input] = Some(assigned.node);
    }
    let mut evaluation = Evaluation::new(&scope.graph, values.clone(), by_input);
    for Assigned { input, node, span } in &assigned {
        match evaluation.value(*node) {
            Ok(value) => {
                if !value.is_finite() {
                    let message = format!("the initial value of `{}` is {value}", variables.name(*input));
                    scope.mistakes.add(*span, message, None);
                }
                values[*input] = if value.is_finite() { value } else { 0.0 };
            }
            Err(Unknown::Circular) if missing.is_empty() => {
                let message = format!("the initial value of `{}` depends on itself", variables.name(*input));
                scope.mistakes.add(*span, message, None);
            }
            Err(_) => {}
        }
    }
    let part = |range: std::ops::Range<usize>| values[range].to_vec();
    let [q, v, lambda, psi] = [layout.q(), layout.v(), layout.lambda(), layout.psi()].map(part);
    (Guess { t, q, v, lambda, psi }, given)
}

/// What the file knows of the exact solution, by input.
pub(crate) fn exact(document: &Document, variables: &Variables, scope: &mut Scope) -> Option<Vec<Option<Node>>> {
    let entries = document.section("exact");
    if entries.is_empty() {
        return None;
    }
    let mut known = vec![None; variables.layout.len()];
    for Assigned { input, node, span } in assignments(document, entries, scope) {
        let others = scope.graph.inputs(node, &mut scope.marks).into_iter().find(|input| *input > 0);
        if let Some(other) = others {
            let message = format!("an exact solution must not depend on `{}`", variables.name(other));
            scope.mistakes.add(span, message, Some("it may contain t and parameters".to_owned()));
        }
        known[input] = Some(node);
    }
    Some(known)
}
