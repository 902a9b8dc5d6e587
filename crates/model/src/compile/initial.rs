//! The `[initial]` section: values of variables at the start.

use std::collections::HashMap;

use alembert::Guess;

use super::assignments::{Assigned, assignments};
use super::evaluation::{Evaluation, Unknown};
use super::states::Role;
use super::variables::Variables;
use crate::document::Document;
use crate::scope::Scope;
use crate::text::Span;

/// Lengths of quaternions that differ from 1 by more are not taken for roundings of 1.
const UNIT: f64 = 1e-3;

/// The start as the file gives it. Formulas may use other initial values.
/// Says which variables it gives, too.
/// Bodies start where they were drawn.
pub(crate) fn guess(
    document: &Document,
    variables: &Variables,
    (t, drawn): (f64, Option<Guess>),
    scope: &mut Scope,
) -> (Guess, Vec<bool>) {
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
    let drawn = drawn.unwrap_or(Guess::new(t, Vec::new(), Vec::new()));
    for (range, own) in [(layout.q(), &drawn.q), (layout.v(), &drawn.v)] {
        values[range.start..range.start + own.len()].copy_from_slice(own);
    }
    let missing = layout.q().skip(drawn.q.len()).take_while(|input| *input < bodies).filter(|input| !given[*input]);
    // A rotation is missing as a whole.
    let missing = missing.filter(|input| scope.graph.quaternion(*input).is_none_or(|(_, i)| i == 0));
    let missing: Vec<String> = missing.map(|input| variables.owner(input, &scope.graph)).collect();
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
    normalise(variables, &assigned, &mut values, scope);
    let part = |range: std::ops::Range<usize>| values[range].to_vec();
    let [q, v, lambda, psi] = [layout.q(), layout.v(), layout.lambda(), layout.psi()].map(part);
    (Guess { t, q, v, lambda, psi }, given)
}

/// Gives quaternions their length 1, from which they may differ by roundings; says where it is more.
fn normalise(variables: &Variables, assigned: &[Assigned], values: &mut [f64], scope: &mut Scope) {
    let spans: HashMap<usize, Span> = assigned.iter().map(|assigned| (assigned.input, assigned.span)).collect();
    for turn in scope.graph.turns.clone() {
        let p = &mut values[turn.p..turn.p + 4];
        let length = p.iter().map(|p| p * p).sum::<f64>().sqrt();
        let span = spans.get(&turn.p).copied();
        if span.is_none() || !length.is_finite() {
            continue;
        }
        if (length - 1.0).abs() > UNIT {
            let name = variables.owner(turn.p, &scope.graph);
            let message = format!("the quaternion of `{name}` has length {length}, not 1");
            let hint = format!(
                "a unit quaternion is (cos(angle/2), axis*sin(angle/2)); write {name} = \"rotation([0, 0, 1], 0.3)\" for an axis and an angle"
            );
            scope.mistakes.add(span, message, Some(hint));
            continue;
        }
        p.iter_mut().for_each(|p| *p /= length);
    }
}
