//! What tells one system from another: its values at a few points off the present state.
//!
//! ```text
//! t_k = t + s_k,   q_k = q o d_k,   v_k = v + e_k:      M x, f, r, g, k, q' there
//! ```
//!
//! A checkpoint is of use only to the system that wrote it, and a parameter is seen in these values. On the constraints g and k
//! would be rounding, so the points lie off them. Values are compared to twelve digits: another compiler may round otherwise.
//! A parameter that acts only elsewhere (a force that sets in later, a stop that is not reached) is not seen; systems that
//! know themselves say so by [`fingerprint`](crate::ConstrainedSystem::fingerprint).

use crate::equations::Equations;
use crate::linear::Pattern;
use crate::state::State;
use crate::system::{Point, Supplied};

/// Times of the points after the present one.
const LATER: [f64; 3] = [0.0, 0.37, 41.0];
/// How far the points are off, relative to 1 + |x|.
const OFF: f64 = 0.05;

/// Names and values.
pub(super) fn fingerprint(equations: &Equations, state: &State) -> Vec<(&'static str, Vec<f64>)> {
    let (system, dims) = (equations.system(), equations.dims());
    let generic = |i: usize, k: usize| (1.3 * i as f64 + 0.9 * k as f64 + 0.7).sin();
    let moved = |x: &[f64], k: usize| -> Vec<f64> {
        x.iter().enumerate().map(|(i, x)| x + OFF * (1.0 + x.abs()) * generic(i, k)).collect()
    };
    let top = system.patterns().map_or_else(|| Pattern::dense(dims.v, dims.v), |patterns| patterns.top);
    let mut found = vec![("rotations", system.rotations().iter().map(|first| *first as f64).collect())];
    for (k, later) in LATER.into_iter().enumerate() {
        let t = state.t + later;
        let mut q = state.q.clone();
        let dx: Vec<f64> = (0..equations.tangent()).map(|i| OFF * generic(i, k)).collect();
        equations.advance(&state.q, &dx, &mut q);
        let v = moved(&state.v, k);
        let mu = |count: usize, first: usize| -> Vec<f64> { (0..count).map(|i| generic(i + first, k)).collect() };
        let (lambda, psi) = (mu(dims.lambda, 3), mu(dims.psi, 5));
        let zeros = |count: usize| vec![0.0; count];

        let (mut mass, mut product) = (zeros(top.len()), zeros(dims.v));
        system.mass(t, &q, &mut mass);
        top.multiply(&mass, &mu(dims.v, 7), &mut product);
        let mut force = zeros(dims.v);
        system.force(t, &q, &v, &mut force);
        let (mut g, mut k) = (zeros(dims.lambda), zeros(dims.psi));
        system.holonomic(t, &q, &mut g);
        system.nonholonomic(t, &q, &v, &mut k);
        found.extend([("mass matrix", product), ("force", force), ("holonomic", g), ("nonholonomic", k)]);
        let mut r = zeros(dims.v);
        if system.reaction(Point { t, q: &q, v: &v, lambda: &lambda, psi: &psi }, &mut r) == Supplied::Yes {
            found.push(("reaction", r));
        }
        let mut rate = zeros(dims.q);
        if system.rate(t, &q, &v, &mut rate) == Supplied::Yes {
            found.push(("rate", rate));
        }
    }
    found
}
