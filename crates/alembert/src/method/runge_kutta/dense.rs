//! States between nodes, by Hermite's polynomials through the latest nodes.

use crate::method::interpolation::osculating;
use crate::state::State;

/// Nodes to interpolate: the start and the end of the last step, then earlier ones.
pub(super) struct Nodes<'a> {
    pub states: [&'a State; 4],
    /// q' at the nodes; empty where q' = v.
    pub rates: [&'a [f64]; 4],
    /// How many nodes there are.
    pub known: usize,
    /// How many of them q, v, a use where q' = v.
    pub high: usize,
}

impl Nodes<'_> {
    /// q, v, a from one polynomial with (q, v, a) at `high` nodes; under a general rate q from (q, q') and v, a from
    /// (v, a) at all; multipliers from their values at all.
    pub fn interpolate(&self, t: f64, out: &mut State) {
        let Nodes { states, rates, known, high } = *self;
        let times = states.map(|state| state.t);
        let (all, times_high) = (&times[..known], &times[..high]);
        out.t = t;
        if rates[0].is_empty() {
            for i in 0..out.q.len() {
                let values = states.map(|s| [s.q[i], s.v[i], s.a[i]]);
                [out.q[i], out.v[i], out.a[i]] = osculating(times_high, &values[..high], t);
            }
        } else {
            for i in 0..out.q.len() {
                let values = [0, 1, 2, 3].map(|k| [states[k].q[i], rates[k][i]]);
                out.q[i] = osculating(all, &values[..known], t)[0];
            }
            for i in 0..out.v.len() {
                let values = states.map(|s| [s.v[i], s.a[i]]);
                [out.v[i], out.a[i], _] = osculating(all, &values[..known], t);
            }
        }
        for i in 0..out.lambda.len() {
            out.lambda[i] = osculating(all, &states.map(|s| [s.lambda[i]])[..known], t)[0];
        }
        for i in 0..out.psi.len() {
            out.psi[i] = osculating(all, &states.map(|s| [s.psi[i]])[..known], t)[0];
        }
    }
}
