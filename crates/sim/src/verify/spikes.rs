//! Forces that a run may have stepped over. No stage sees a pulse of 0.1 ms inside a step of 10 ms, and then no error estimate sees it
//! either.
//!
//! ```text
//! F(t) = f(t, q(t), v(t)) and the biases of the constraints, q(t) and v(t) cubic between the rows of the run
//! r = F - P        P of degree 16 through Chebyshev's nodes of each step
//! ```
//!
//! F is sampled at 200 000 times of the span. Where steps resolve F, r is far below the tolerance; where the impulse of r in
//! a step would change velocities by more than a part of it, the times of the largest r are returned. References land on
//! them: what the run has missed then shows as its error.

use alembert::{At, ConstrainedSystem, Dims, Quantity, State, Supplied};
use alembert_model::Model;

use super::track::thinned;

/// Samples of the whole span; fewer for systems with more than 20 velocities.
const SAMPLES: usize = 200_000;
/// Degree of the polynomial on a step.
const DEGREE: usize = 16;
/// A step with fewer samples than this resolves whatever they would show.
const FEW: usize = 8;
/// The largest number of times to land on, for each step and in all.
const FOR_A_STEP: usize = 24;
const MOST: usize = 2000;

/// The times, in order, at which forces are not what the steps suggest. `allowed` is a change of a velocity that is small.
pub fn spikes(model: &Model, states: &[State], steps: &[(f64, f64)], allowed: f64) -> Vec<f64> {
    let (Some(first), Some(last)) = (states.first(), states.last()) else { return Vec::new() };
    let span = last.t - first.t;
    let mut probe = Probe::new(model, states);
    let samples = SAMPLES.min(20 * SAMPLES / probe.dims.v.max(1)).max(1000);
    let apart = span / samples as f64;
    let mut found: Vec<(f64, Vec<f64>)> = Vec::new();
    for &(end, h) in steps {
        let count = (h / apart).ceil() as usize;
        if count >= FEW {
            found.extend(probe.step(end - h, h, count, allowed));
        }
    }
    found.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut times: Vec<f64> = found.into_iter().flat_map(|(_, times)| times).take(MOST).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Evaluates F along the rows of a run.
struct Probe<'a> {
    model: &'a Model,
    states: &'a [State],
    dims: Dims,
    /// Whether q' = v, so that q is cubic between rows.
    plain: bool,
    mass: Vec<f64>,
}

impl<'a> Probe<'a> {
    fn new(model: &'a Model, states: &'a [State]) -> Self {
        let dims = model.system.dims();
        let first = &states[0];
        let mut rate = vec![0.0; dims.q];
        let general =
            model.system.ask(Quantity::Rate, &At::new(first.t, &first.q, &first.v), &mut rate) == Supplied::Yes;
        let plain = !general && dims.q == dims.v;
        // With patterns the diagonal is not at hand; masses of 1 are then as good a guess as any.
        let mut mass = vec![1.0; dims.v];
        if model.system.description().patterns.is_none() {
            let mut matrix = vec![0.0; dims.v * dims.v];
            let _ = model.system.ask(Quantity::Mass, &At::new(first.t, &first.q, &[]), &mut matrix);
            for (i, mass) in mass.iter_mut().enumerate() {
                *mass = if matrix[i * dims.v + i] > 0.0 { matrix[i * dims.v + i] } else { 1.0 };
            }
        }
        Probe { model, states, dims, plain, mass }
    }

    /// q and v at a time.
    fn state(&self, t: f64, q: &mut [f64], v: &mut [f64]) {
        let to = self.states.partition_point(|state| state.t <= t).clamp(1, self.states.len() - 1);
        let (x, y) = (&self.states[to - 1], &self.states[to]);
        let h = y.t - x.t;
        let s = if h > 0.0 { ((t - x.t) / h).clamp(0.0, 1.0) } else { 1.0 };
        let cubic = |out: &mut [f64], x0: &[f64], r0: &[f64], x1: &[f64], r1: &[f64]| {
            for (i, out) in out.iter_mut().enumerate() {
                let (rest, d) = (1.0 - s, x1[i] - x0[i]);
                *out = x0[i] + s * s * (1.0 + 2.0 * rest) * d + h * s * rest * (rest * r0[i] - s * r1[i]);
            }
        };
        cubic(v, &x.v, &x.a, &y.v, &y.a);
        if self.plain {
            cubic(q, &x.q, &x.v, &y.q, &y.v);
        } else {
            for (i, q) in q.iter_mut().enumerate() {
                *q = (1.0 - s) * x.q[i] + s * y.q[i];
            }
        }
    }

    /// F, each entry divided by the mass it moves.
    fn force(&self, t: f64) -> Vec<f64> {
        let Dims { q: nq, v: n, lambda, psi } = self.dims;
        let (mut q, mut v) = (vec![0.0; nq], vec![0.0; n]);
        self.state(t, &mut q, &mut v);
        let mut out = vec![0.0; n + lambda + psi];
        let _ = self.model.system.ask(Quantity::Force, &At::new(t, &q, &v), &mut out[..n]);
        for (out, mass) in out.iter_mut().zip(&self.mass) {
            *out /= mass;
        }
        let system = &self.model.system;
        // Derivatives that are not supplied leave zeros, which are smooth.
        let _ = system.ask(Quantity::HolonomicBias, &At::new(t, &q, &v), &mut out[n..n + lambda]);
        let _ = system.ask(Quantity::NonholonomicBias, &At::new(t, &q, &v), &mut out[n + lambda..]);
        out
    }

    /// The impulse of r in a step and the times of its largest values, if it is above what is allowed.
    fn step(&mut self, t0: f64, h: f64, count: usize, allowed: f64) -> Option<(f64, Vec<f64>)> {
        // A step of few samples has a polynomial of a lower degree.
        let degree = DEGREE.min(count / 2);
        // Not at the very ends, where an event may have changed the state or a formula may be about to switch.
        let place =
            |j: usize| (0.5 - 0.5 * (std::f64::consts::PI * j as f64 / degree as f64).cos()).clamp(1e-9, 1.0 - 1e-9);
        let nodes: Vec<(f64, Vec<f64>)> = (0..=degree).map(|j| (place(j), self.force(t0 + h * place(j)))).collect();
        let entries = nodes[0].1.len();
        let (mut impulse, mut most) = (vec![0.0; entries], vec![0.0; entries]);
        let mut largest = vec![0.0_f64; count];
        let mut residuals = vec![0.0; count * entries];
        let size = nodes.iter().flat_map(|(_, force)| force).fold(0.0, |max: f64, f| max.max(f.abs()));
        for k in 0..count {
            let s = (k as f64 + 0.5) / count as f64;
            let force = self.force(t0 + h * s);
            for (i, force) in force.iter().enumerate() {
                let r = (force - barycentric(&nodes, s, i)).abs();
                // What is not finite is the integrator's business.
                let r = if r.is_finite() { r } else { 0.0 };
                impulse[i] += r * h / count as f64;
                most[i] = f64::max(most[i], r);
                residuals[k * entries + i] = r;
            }
        }
        let (worst, _) = impulse.iter().enumerate().max_by(|x, y| x.1.total_cmp(y.1))?;
        if impulse[worst] <= allowed || most[worst] <= 1e-9 * size {
            return None;
        }
        for (k, largest) in largest.iter_mut().enumerate() {
            *largest = residuals[k * entries + worst];
        }
        // The neighbours of large residuals belong to the spike: its feet.
        let tall = |k: usize| largest[k] > 0.1 * most[worst];
        let near = |k: &usize| (k.saturating_sub(1)..(k + 2).min(count)).any(tall);
        let times: Vec<f64> = (0..count).filter(near).map(|k| t0 + h * (k as f64 + 0.5) / count as f64).collect();
        Some((impulse[worst], thinned(&times, FOR_A_STEP)))
    }
}

/// The polynomial through Chebyshev's points of the second kind: weights 1/2, -1, 1, ..., 1/2 up to sign.
fn barycentric(nodes: &[(f64, Vec<f64>)], s: f64, entry: usize) -> f64 {
    let last = nodes.len() - 1;
    let (mut above, mut below) = (0.0, 0.0);
    for (j, (place, values)) in nodes.iter().enumerate() {
        if s == *place {
            return values[entry];
        }
        let half = if j == 0 || j == last { 0.5 } else { 1.0 };
        let weight = if j % 2 == 0 { half } else { -half } / (s - place);
        above += weight * values[entry];
        below += weight;
    }
    above / below
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(force: &str) -> Model {
        let text = format!(
            "format = 1\nname = \"cart\"\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [\"2\"]\n\
             force = [\"{force}\"]\n[initial]\nx = 0\n[run]\nt_end = 5\n"
        );
        Model::parse("cart.toml", &text, &[]).expect("a model")
    }

    fn rows(count: usize) -> (Vec<State>, Vec<(f64, f64)>) {
        let h = 5.0 / count as f64;
        let state =
            |k: usize| State { t: h * k as f64, q: vec![0.0], v: vec![0.0], a: vec![0.0], lambda: vec![], psi: vec![] };
        ((0..=count).map(state).collect(), (1..=count).map(|k| (h * k as f64, h)).collect())
    }

    #[test]
    fn a_pulse_between_the_steps_is_found_where_it_is() {
        let model = model("10*exp(-((t - 3.3456)/5e-5)^2) + sin(7*t)");
        for count in [5, 50, 500] {
            let (states, steps) = rows(count);
            let found = spikes(&model, &states, &steps, 1e-6);
            assert!(!found.is_empty() && found.iter().any(|t| (t - 3.3456).abs() < 5e-5), "{count}: {found:?}");
        }
    }

    #[test]
    fn what_the_steps_resolve_is_no_spike() {
        let model = model("10*sin(7*t) + exp(-t)");
        let (states, steps) = rows(40);
        assert_eq!(spikes(&model, &states, &steps, 1e-9), [0.0; 0]);
    }
}
