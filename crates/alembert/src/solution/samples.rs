//! The inside of a step as values at Chebyshev's points of the second kind, from which the polynomial through them is evaluated:
//!
//! ```text
//! theta_j = (1 - cos(pi j/d))/2,   j = 0 .. d          d the degree of the polynomials that the samples are of
//! P(theta) = sum_j w_j z_j/(theta - theta_j) / sum_j w_j/(theta - theta_j),   w = 1/2, -1, 1, ..., ± 1/2      (barycentric)
//! z = (x, v),   x the increments from the start of the step: q = q0 o x
//! ```
//!
//! Polynomials of degree d are reproduced to rounding, whichever method they come from: what is kept of a step does not depend on
//! what the method itself remembers. The ends are not kept twice.

use crate::equations::Equations;
use crate::state::State;

/// Values of x and v at the inner points, one point after the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Samples {
    degree: usize,
    values: Vec<f64>,
}

/// The place of the point of this number.
fn place(degree: usize, j: usize) -> f64 {
    (0.5 * std::f64::consts::PI * j as f64 / degree as f64).sin().powi(2)
}

impl Samples {
    /// Takes samples between two times of a curve that starts at `from`.
    pub fn take(
        equations: &Equations,
        degree: usize,
        from: &State,
        t_end: f64,
        mut curve: impl FnMut(f64, &mut State),
    ) -> Samples {
        let (nx, n) = (equations.tangent(), from.v.len());
        let mut values = vec![0.0; (degree.max(1) - 1) * (nx + n)];
        let mut state = from.clone();
        for (j, point) in values.chunks_exact_mut((nx + n).max(1)).enumerate() {
            curve(from.t + place(degree, j + 1) * (t_end - from.t), &mut state);
            let (x, v) = point.split_at_mut(nx);
            equations.space().difference(&from.q, &state.q, x);
            v.copy_from_slice(&state.v);
        }
        Samples { degree, values }
    }

    /// Whether they are of cubics, which have given slopes at both ends.
    pub fn is_cubic(&self) -> bool {
        self.degree <= 3
    }

    /// Writes q and v at a time between the ends; accelerations and multipliers are on the straight line, as guesses.
    pub fn write(&self, equations: &Equations, [from, to]: [&State; 2], t: f64, out: &mut State) {
        let theta = (t - from.t) / (to.t - from.t);
        let (nx, n, d) = (equations.tangent(), from.v.len(), self.degree);
        let mut whole = vec![0.0; nx];
        equations.space().difference(&from.q, &to.q, &mut whole);
        let weight = |j: usize| {
            let half = if j == 0 || j == d { 0.5 } else { 1.0 };
            (if j.is_multiple_of(2) { half } else { -half }) / (theta - place(d, j))
        };
        // At a point itself its value is the answer, and the weights are infinite.
        let at = (0..=d).find(|j| theta == place(d, *j));
        let weights: Vec<f64> = match at {
            Some(at) => (0..=d).map(|j| f64::from(u8::from(j == at))).collect(),
            None => (0..=d).map(weight).collect(),
        };
        let sum: f64 = weights.iter().sum();
        let inner = |j: usize, i: usize| self.values[(j - 1) * (nx + n) + i];
        let blend = |i: usize, start: f64, end: f64| {
            let inside: f64 = (1..d).map(|j| weights[j] * inner(j, i)).sum();
            (weights[0] * start + inside + weights[d] * end) / sum
        };
        let x: Vec<f64> = (0..nx).map(|i| blend(i, 0.0, whole[i])).collect();
        equations.advance(&from.q, &x, &mut out.q);
        for i in 0..n {
            out.v[i] = blend(nx + i, from.v[i], to.v[i]);
        }
        guess([from, to], theta, out);
        out.t = t;
    }
}

/// Accelerations and multipliers on the straight line between the ends.
fn guess([from, to]: [&State; 2], theta: f64, out: &mut State) {
    for (out, from, to) in
        [(&mut out.a, &from.a, &to.a), (&mut out.lambda, &from.lambda, &to.lambda), (&mut out.psi, &from.psi, &to.psi)]
    {
        for ((out, from), to) in out.iter_mut().zip(from).zip(to) {
            *out = from + theta * (to - from);
        }
    }
}
