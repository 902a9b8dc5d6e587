//! Polynomials between the ends of steps.

use crate::equations::Equations;
use crate::state::State;

/// q from (q,v), v from (v,a) by cubics; a and the multipliers linearly. Rotations follow a cubic in the chart around
/// the earlier end, with x' = T^-1 v.
pub(crate) fn cubic(equations: &Equations, from: &State, to: &State, t: f64, out: &mut State) {
    let h = to.t - from.t;
    let s = (t - from.t) / h;
    if equations.space().is_flat() {
        hermite([&from.q, &to.q], [&from.v, &to.v], h, s, &mut out.q);
    } else {
        // Two vectors of the result serve as room until they are written.
        let (space, x, rate) = (equations.space(), &mut out.v, &mut out.a);
        space.difference(&from.q, &to.q, x);
        space.chart_rate(x, &to.v, rate);
        let [blend, left, right] = weights(h, s);
        for (x, (rate, v)) in x.iter_mut().zip(rate.iter().zip(&from.v)) {
            *x = blend * *x + left * v + right * rate;
        }
        space.advance(&from.q, x, &mut out.q);
    }
    hermite([&from.v, &to.v], [&from.a, &to.a], h, s, &mut out.v);
    out.t = t;
    for (out, from, to) in
        [(&mut out.a, &from.a, &to.a), (&mut out.lambda, &from.lambda, &to.lambda), (&mut out.psi, &from.psi, &to.psi)]
    {
        for ((out, from), to) in out.iter_mut().zip(from).zip(to) {
            *out = from + s * (to - from);
        }
    }
}

fn hermite(x: [&[f64]; 2], slope: [&[f64]; 2], h: f64, s: f64, out: &mut [f64]) {
    let [blend, left, right] = weights(h, s);
    for (i, out) in out.iter_mut().enumerate() {
        *out = x[0][i] + blend * (x[1][i] - x[0][i]) + left * slope[0][i] + right * slope[1][i];
    }
}

/// Weights of the change and of the slopes at both ends.
fn weights(h: f64, s: f64) -> [f64; 3] {
    [s * s * (3.0 - 2.0 * s), h * s * (1.0 - s) * (1.0 - s), -h * s * s * (1.0 - s)]
}

/// Most values that [`osculating`] takes.
const MOST: usize = 12;

/// Derivatives 0, 1, 2 at `t` of the polynomial with given `values[node][derivative]` at each node: Newton's divided
/// differences with every node repeated. At most 12 values in all.
pub(super) fn osculating<const D: usize>(nodes: &[f64], values: &[[f64; D]], t: f64) -> [f64; 3] {
    let count = nodes.len() * D;
    let at = |i: usize| nodes[i / D];
    let mut table = [0.0_f64; MOST];
    let mut coefficients = [0.0_f64; MOST];
    for i in 0..count {
        table[i] = values[i / D][0];
    }
    coefficients[0] = table[0];
    let mut factorial = 1.0;
    for k in 1..count {
        factorial *= k as f64;
        for i in 0..count - k {
            table[i] = if i / D == (i + k) / D {
                values[i / D][k] / factorial
            } else {
                (table[i + 1] - table[i]) / (at(i + k) - at(i))
            };
        }
        coefficients[k] = table[0];
    }
    // Horner for the value and two derivatives.
    let (mut value, mut first, mut half_second) = (0.0, 0.0, 0.0);
    for k in (0..count).rev() {
        let d = t - at(k);
        half_second = half_second * d + first;
        first = first * d + value;
        value = value * d + coefficients[k];
    }
    [value, first, 2.0 * half_second]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_reproduced() {
        let polynomial = |t: f64| [t.powi(8) - t.powi(3), 8.0 * t.powi(7) - 3.0 * t * t, 56.0 * t.powi(6) - 6.0 * t];
        let nodes = [0.5, 0.9, 1.2];
        let values = nodes.map(polynomial);
        for t in [0.5, 0.7, 1.0, 1.2] {
            for (x, y) in osculating(&nodes, &values, t).into_iter().zip(polynomial(t)) {
                assert!((x - y).abs() < 1e-10, "{x} {y}");
            }
        }
    }
}
