//! Values of variables by name, as `[initial]`, `[exact]` and `set` of events give them.
//!
//! ```text
//! x = 1           x = "2*l"           x = [1, 2, 3]        x = "i^2 for i in 1..N"
//! R = [1, 0, 0, 0]                    a unit quaternion, scalar part first
//! R = "rotation([0, 0, 1], 0.3)"      a rotation about an axis by an angle, or a product of such
//! "R.omega" = [0, 0, 50]              a triple, in the axes of the body;  "R.omega.z" = 50
//! ```

use std::collections::HashSet;

use toml::de::DeValue;

use crate::document::{Document, Entry};
use crate::format;
use crate::graph::Node;
use crate::scope::{Scope, Slot, Value};
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
        if belongs_to_start(entry, scope) {
            continue;
        }
        let Some(slots) = scope.target(&target, entry.key, entry.key_span) else { continue };
        for (input, node) in values(document, entry, &slots, scope) {
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

/// How a value of a kind is written.
fn written(slot: Slot, key: &str) -> Option<String> {
    match slot {
        Slot::One(_) => None,
        Slot::Triple(_) => Some(format!("write \"{key}\" = [0, 0, 50], in the axes of the body")),
        Slot::Turn(_) => Some(format!(
            "write {key} = [1, 0, 0, 0], a unit quaternion with its scalar part first, or {key} = \"rotation([0, 0, 1], 0.3)\""
        )),
    }
}

/// The values of one entry, for the slots it speaks of.
fn values(document: &Document, entry: &Entry, slots: &[(i64, Slot)], scope: &mut Scope) -> Vec<(usize, Node)> {
    let Some((_, first)) = slots.first() else { return Vec::new() };
    if let (DeValue::Table(_), Slot::Turn(_)) = (entry.value, first) {
        let hint = format!("write \"{0}.omega\" = …, and {0} = … beside it", entry.key);
        let message = format!("a part of `{}` stands in quotes", entry.key);
        scope.mistakes.add(entry.key_span, message, Some(hint));
        return Vec::new();
    }
    if let DeValue::Array(_) = entry.value {
        return listed(document, entry, slots, *first, scope).unwrap_or_default();
    }
    let mut found = Vec::new();
    let Some(formula) = document.formula(entry.value, entry.span, scope.mistakes) else { return found };
    let repeated = !formula.clauses.is_empty();
    for instance in scope.instances(&formula) {
        let Some(value) = scope.instance_value(&instance) else { return found };
        if let (Value::Triple(nodes), false, [(_, Slot::One(x)), (_, Slot::One(y)), (_, Slot::One(z))]) =
            (value, repeated, slots)
        {
            return [*x, *y, *z].into_iter().zip(nodes).collect();
        }
        if !repeated {
            for (_, slot) in slots {
                let Some(parts) = fitted(value, *slot, entry, instance.body.span, scope) else { return found };
                found.extend(parts);
            }
            return found;
        }
        let index = instance.indices.last().map_or(0, |(_, value)| *value);
        match slots.binary_search_by_key(&index, |(known, _)| *known) {
            Ok(at) => match fitted(value, slots[at].1, entry, instance.body.span, scope) {
                Some(parts) => found.extend(parts),
                None => return found,
            },
            Err(_) => {
                scope.mistakes.add(entry.span, format!("`{}[{index}]` does not exist", entry.key), None);
                return found;
            }
        }
    }
    found
}

/// The values of a list: one for each slot, or the numbers of one triple or quaternion, which is that of all.
fn listed(
    document: &Document,
    entry: &Entry,
    slots: &[(i64, Slot)],
    first: Slot,
    scope: &mut Scope,
) -> Option<Vec<(usize, Node)>> {
    let items = document.items(entry, scope.mistakes)?;
    let instances: Vec<_> = items.iter().flat_map(|item| scope.instances(&item.formula)).collect();
    let numbers = match first {
        Slot::One(_) => None,
        Slot::Triple(_) => Some(3),
        Slot::Turn(_) => Some(4),
    };
    if instances.len() != slots.len() && Some(instances.len()) != numbers {
        let message = format!("{} values for {} entries of `{}`", instances.len(), slots.len(), entry.key);
        scope.mistakes.add(entry.span, message, written(first, entry.key));
        return None;
    }
    let values: Vec<Option<Value>> = instances.iter().map(|instance| scope.instance_value(instance)).collect();
    let together: Option<Vec<Node>> = values
        .iter()
        .map(|value| match value {
            Some(Value::Number(node)) => Some(*node),
            _ => None,
        })
        .collect();
    let mut found = Vec::new();
    if let Some(together) = together.filter(|all| Some(all.len()) == numbers) {
        for (_, slot) in slots {
            found.extend(inputs(*slot, scope).into_iter().zip(together.iter().copied()));
        }
        return Some(found);
    }
    for ((value, instance), (_, slot)) in values.into_iter().zip(&instances).zip(slots) {
        if let Some(value) = value {
            found.extend(fitted(value, *slot, entry, instance.body.span, scope).unwrap_or_default());
        }
    }
    Some(found)
}

/// The inputs of a slot.
fn inputs(slot: Slot, scope: &Scope) -> Vec<usize> {
    match slot {
        Slot::One(input) => vec![input],
        Slot::Triple(inputs) => inputs.to_vec(),
        Slot::Turn(turn) => (0..4).map(|i| scope.graph.turns[turn].p + i).collect(),
    }
}

/// A value as those of the inputs of a slot; says if it is of another kind.
fn fitted(value: Value, slot: Slot, entry: &Entry, span: Span, scope: &mut Scope) -> Option<Vec<(usize, Node)>> {
    let nodes = match (slot, value) {
        (Slot::One(_), value) => vec![scope.number(value, span)?],
        (Slot::Triple(_), Value::Triple(nodes)) => nodes.to_vec(),
        (Slot::Turn(_), Value::Rotation(rotation)) => scope.quaternion(rotation).to_vec(),
        (slot, value) => {
            let kind = if matches!(slot, Slot::Turn(_)) { "a rotation" } else { "a triple" };
            let message = format!("`{}` is {kind}, and this is {}", entry.key, value.kind());
            scope.mistakes.add(span, message, written(slot, entry.key));
            return None;
        }
    };
    Some(inputs(slot, scope).into_iter().zip(nodes).collect())
}
