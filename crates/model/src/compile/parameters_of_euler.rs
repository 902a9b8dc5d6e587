//! Euler parameters written by hand: four coordinates whose squares add up to 1 by a constraint.
//!
//! Such a model works. But its mass matrix has to be regular for motions that the constraint forbids, it has two unknowns more for each body, and
//! errors grow; a coordinate `R : rotation` has none of that.
//!
//! Recognised by values, whatever the formula is: a constraint on four coordinates and nothing else that is zero at quaternions of length 1 and
//! not at those of length 2.

use super::evaluation::Evaluation;
use crate::graph::Node;
use crate::model::Names;
use crate::scope::Scope;
use crate::system::Parts;
use crate::tape::Layout;

/// Four numbers with squares that add up to 1, with and without signs and zeros.
const UNITS: [[f64; 4]; 6] = [
    [1.0, 0.0, 0.0, 0.0],
    [0.5, -0.5, 0.5, -0.5],
    [0.1, 0.7, -0.1, 0.7],
    [-0.2, 0.4, 0.4, 0.8],
    [0.6, 0.0, 0.0, -0.8],
    [0.0, 0.48, -0.36, 0.8],
];

/// Notes on the first of such constraints.
pub(crate) fn notes(parts: &Parts, layout: Layout, names: &Names, scope: &mut Scope) -> Vec<(String, String)> {
    for (constraint, name) in parts.holonomic.iter().zip(&names.holonomic) {
        let inputs = scope.graph.inputs(*constraint, &mut scope.marks);
        let on_coordinates = inputs.iter().all(|input| layout.q().contains(input));
        if inputs.len() != 4 || !on_coordinates || !is_unit_length(*constraint, &inputs, layout, scope) {
            continue;
        }
        let four: Vec<&str> = inputs.iter().map(|input| names.q[input - layout.q().start].as_str()).collect();
        let message = format!("constraint `{name}` makes {} a unit quaternion", four.join(", "));
        let hint = "declare a rotation in their place, coordinates = [\"R : rotation\"]: it keeps its length by itself, R*[a, b, c] turns body \
                    axes to space and R.omega is its angular velocity";
        return vec![(message, hint.to_owned())];
    }
    Vec::new()
}

fn is_unit_length(constraint: Node, inputs: &[usize], layout: Layout, scope: &Scope) -> bool {
    let value = |unit: &[f64; 4], length: f64| {
        let mut known = vec![f64::NAN; layout.len()];
        inputs.iter().zip(unit).for_each(|(input, x)| known[*input] = length * x);
        Evaluation::new(&scope.graph, known, vec![None; layout.len()]).value(constraint).unwrap_or(f64::NAN).abs()
    };
    UNITS.iter().all(|unit| value(unit, 1.0) <= 1e-9 * value(unit, 2.0))
}
