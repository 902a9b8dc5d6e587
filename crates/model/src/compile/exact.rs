//! The `[exact]` section: what a file knows of the exact solution.
//!
//! ```text
//! v = q' where velocities are rates      w = the last three numbers of 2 p^-1 p' for a rotation p      a = v'
//! ```

use alembert::Guess;

use super::assignments::{Assigned, assignments};
use super::evaluation::Evaluation;
use super::variables::Variables;
use crate::document::Document;
use crate::graph::{Derivatives, Node};
use crate::model::Exact;
use crate::scope::{Scope, relative};
use crate::tape::{Layout, Tape};

/// What the file knows of the exact solution, by input.
pub(crate) fn read(document: &Document, variables: &Variables, scope: &mut Scope) -> Option<Vec<Option<Node>>> {
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

/// Completes the rates of an exact solution.
pub(crate) fn finish(
    mut known: Vec<Option<Node>>,
    guess: &Guess,
    layout: Layout,
    general_rate: bool,
    scope: &mut Scope,
) -> Exact {
    let one = scope.graph.constant(1.0);
    let mut derivatives = Derivatives::default();
    let mut rate = |node: Node, scope: &mut Scope| derivatives.along(&mut scope.graph, &[node], |_| Some(one)).pop();
    for turn in scope.graph.turns.clone() {
        let [Some(a), Some(b), Some(c), Some(d)] = [0, 1, 2, 3].map(|i| known[turn.p + i]) else { continue };
        let p = with_sign_of(&guess.q[turn.p - layout.q().start..], [a, b, c, d], guess.t, layout, scope);
        known[turn.p..turn.p + 4].copy_from_slice(&p.map(Some));
        if let [Some(a), Some(b), Some(c), Some(d)] = p.map(|p| rate(p, scope)) {
            let w = relative(&mut scope.graph, p, [a, b, c, d]);
            w.into_iter().enumerate().for_each(|(i, w)| known[turn.w + i] = known[turn.w + i].or(Some(w)));
        }
    }
    let mut steps: Vec<(usize, usize)> = Vec::new();
    if !general_rate {
        let numbers = layout.q().filter(|input| scope.graph.quaternion(*input).is_none());
        steps.extend(numbers.map(|input| (input, layout.v().start + scope.graph.column(layout, input))));
    }
    steps.extend(layout.v().zip(layout.a()));
    for (i, j) in steps {
        if let (Some(node), None) = (known[i], known[j]) {
            known[j] = rate(node, scope);
        }
    }
    let outputs: Vec<(usize, Node)> =
        known.iter().enumerate().filter_map(|(i, node)| node.map(|node| (i, node))).collect();
    let tape = Tape::new(&scope.graph, layout, &outputs, &mut scope.marks);
    Exact { tape, known: known.iter().map(Option::is_some).collect() }
}

/// Of the two quaternions of one rotation the one that the run starts from.
fn with_sign_of(given: &[f64], p: [Node; 4], t: f64, layout: Layout, scope: &mut Scope) -> [Node; 4] {
    let mut known = vec![f64::NAN; layout.len()];
    known[Layout::T] = t;
    let mut evaluation = Evaluation::new(&scope.graph, known, vec![None; layout.len()]);
    let product: f64 = p.iter().zip(given).map(|(p, given)| evaluation.value(*p).unwrap_or(0.0) * given).sum();
    if product < 0.0 { p.map(|p| scope.graph.neg(p)) } else { p }
}
