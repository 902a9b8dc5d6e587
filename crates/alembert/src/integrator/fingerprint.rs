//! What tells one system from another: its values at a few points off the present state.
//!
//! ```text
//! t_k = t + s_k,   q_k = q o d_k,   v_k = v + e_k:      M x, f, r, g, k, q' there
//! ```
//!
//! A checkpoint is of use only to the system that wrote it, and another parameter shows in these values. On the constraints g and
//! k would be nothing but rounding, so the points lie off them. Values are compared to twelve digits, because another compiler
//! may round otherwise. A parameter that acts only elsewhere (a force that sets in later, a stop that is not reached) does not
//! show. A system that can tell all its parameters does so by [`fingerprint`](crate::Description::fingerprint).

use crate::equations::Equations;
use crate::linear::Pattern;
use crate::state::State;
use crate::system::{At, Quantity, Supplied};

/// Times of the points after the present one.
const LATER: [f64; 3] = [0.0, 0.37, 41.0];
/// How far the points are from the state, relative to 1 + |x|.
const OFF: f64 = 0.05;

/// Names and values.
pub(super) fn fingerprint(equations: &Equations, state: &State) -> Vec<(&'static str, Vec<f64>)> {
    let (system, dims) = (equations.system(), equations.dims());
    let generic = |i: usize, k: usize| (1.3 * i as f64 + 0.9 * k as f64 + 0.7).sin();
    let moved = |x: &[f64], k: usize| -> Vec<f64> {
        x.iter().enumerate().map(|(i, x)| x + OFF * (1.0 + x.abs()) * generic(i, k)).collect()
    };
    let description = system.description();
    let top = match &description.patterns {
        Some(patterns) => &patterns.top,
        None => &Pattern::dense(dims.v, dims.v),
    };
    let mut found = vec![("rotations", description.rotations.iter().map(|first| *first as f64).collect())];
    for (k, later) in LATER.into_iter().enumerate() {
        let t = state.t + later;
        let mut q = state.q.clone();
        let dx: Vec<f64> = (0..equations.tangent()).map(|i| OFF * generic(i, k)).collect();
        equations.advance(&state.q, &dx, &mut q);
        let v = moved(&state.v, k);
        let mu = |count: usize, first: usize| -> Vec<f64> { (0..count).map(|i| generic(i + first, k)).collect() };
        let (lambda, psi) = (mu(dims.lambda, 3), mu(dims.psi, 5));
        let zeros = |count: usize| vec![0.0; count];

        let at = At { t, q: &q, v: &v, lambda: &lambda, psi: &psi, ..At::default() };
        let mut of = |name: &'static str, quantity: Quantity, count: usize| {
            let mut values = zeros(count);
            if system.ask(quantity, &at, &mut values) == Supplied::Yes {
                found.push((name, values));
            }
        };
        of("mass matrix", Quantity::Mass, top.len());
        of("force", Quantity::Force, dims.v);
        of("holonomic", Quantity::Holonomic, dims.lambda);
        of("nonholonomic", Quantity::Nonholonomic, dims.psi);
        of("reaction", Quantity::Reaction, dims.v);
        of("rate", Quantity::Rate, dims.q);
        if let Some((_, mass)) = found.iter_mut().rev().find(|(name, _)| *name == "mass matrix") {
            let mut product = zeros(dims.v);
            top.multiply(mass, &mu(dims.v, 7), &mut product);
            *mass = product;
        }
    }
    found
}
