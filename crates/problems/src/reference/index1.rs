//! The underlying ODE of a constrained system: accelerations and multipliers from the equations of motion together
//! with the twice (once) differentiated holonomic (nonholonomic) constraints.

use std::cell::RefCell;
use std::ops::Range;

use alembert::{Answer, At, ConstrainedSystem, Dims, Point, Quantity, State, Supplied, Workspace};

use super::ReferenceFailure;
use crate::linear;
use crate::problem::Start;

const NEWTON_ITERATIONS: usize = 30;
/// A third correction of this size, relative to the configuration, does not belong to a convergent projection.
const UNSETTLED: f64 = 1e-6;

pub(super) struct Index1<'s> {
    system: &'s dyn ConstrainedSystem,
    workspace: RefCell<Workspace>,
    dims: Dims,
    general: bool,
    /// The last multipliers (lambda, psi): the start of the next Newton iteration, which keeps the branch.
    mu: Vec<f64>,
}

/// a, mu at one point.
struct Solution {
    a: Vec<f64>,
    mu: Vec<f64>,
}

impl<'s> Index1<'s> {
    pub(super) fn new(system: &'s dyn ConstrainedSystem, start: &Start) -> Self {
        let dims = system.dims();
        let general = system.description().has_general_rate();
        let workspace = RefCell::new(system.workspace());
        Index1 { system, workspace, dims, general, mu: [start.lambda.as_slice(), &start.psi].concat() }
    }

    /// y' for y = (q, v).
    pub(super) fn rhs(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), ReferenceFailure> {
        let (q, v) = y.split_at(self.dims.q);
        let (q_dot, v_dot) = out.split_at_mut(self.dims.q);
        let rate = self.rate(t, q, v);
        self.turn(q, &rate, q_dot);
        let Solution { a, mu } = self.solve(t, q, v)?;
        v_dot.copy_from_slice(&a);
        self.mu = mu;
        Ok(())
    }

    /// Where q holds quaternions: one entry more than v for each.
    fn quaternions(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.system.description().rotations.iter().enumerate().map(|(k, first)| first + k..first + k + 4)
    }

    /// dq/ds where q moves with dx/ds: the same numbers, and p (0, w)/2 for a quaternion p that turns with w.
    fn turn(&self, q: &[f64], dx: &[f64], out: &mut [f64]) {
        let (mut from, mut to) = (0, 0);
        for quaternion in self.quaternions() {
            let numbers = quaternion.start - to;
            out[to..quaternion.start].copy_from_slice(&dx[from..from + numbers]);
            let (p, w) = (&q[quaternion.clone()], &dx[from + numbers..from + numbers + 3]);
            out[quaternion.clone()].copy_from_slice(&[
                -0.5 * (p[1] * w[0] + p[2] * w[1] + p[3] * w[2]),
                0.5 * (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]),
                0.5 * (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]),
                0.5 * (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]),
            ]);
            (from, to) = (from + numbers + 3, quaternion.end);
        }
        out[to..].copy_from_slice(&dx[from..]);
    }

    /// The complete state at y = (q, v).
    pub(super) fn state(&mut self, t: f64, y: &[f64]) -> Result<State, ReferenceFailure> {
        let (q, v) = y.split_at(self.dims.q);
        let Solution { a, mu } = self.solve(t, q, v)?;
        let (lambda, psi) = mu.split_at(self.dims.lambda);
        Ok(State { t, q: q.to_vec(), v: v.to_vec(), a, lambda: lambda.to_vec(), psi: psi.to_vec() })
    }

    /// Moves q to g = 0 and v to g_t + G q' = 0, k = 0 by the smallest corrections in the metric of the mass matrix
    /// (for q under a general rate: the Euclidean one).
    pub(super) fn project(&self, t: f64, y: &mut [f64]) -> Result<(), ReferenceFailure> {
        let (q, v) = y.split_at_mut(self.dims.q);
        if self.dims.lambda > 0 {
            let columns = self.columns();
            let mut last = 0.0;
            for _ in 0..3 {
                let mut g = vec![0.0; self.dims.lambda];
                let _ = self.ask(Quantity::Holonomic, &At::new(t, q, &[]), &mut g);
                let metric = if self.general { identity(columns) } else { self.mass(t, q) };
                let dq = correction(&metric, &self.g_q(t, q)?, &g)
                    .ok_or(ReferenceFailure { t, reason: "holonomic constraints are redundant" })?;
                let mut moved = vec![0.0; q.len()];
                self.turn(q, &dq, &mut moved);
                last = moved.iter().fold(0.0, |max: f64, d| if d.is_nan() { f64::INFINITY } else { max.max(d.abs()) });
                for (q, d) in q.iter_mut().zip(moved) {
                    *q += d;
                }
            }
            // Newton's corrections that do not vanish: nearby there is no configuration on the constraints.
            let size = q.iter().fold(1.0, |max: f64, q| max.max(q.abs()));
            if last > UNSETTLED * size {
                return Err(ReferenceFailure { t, reason: "holonomic constraints cannot be met" });
            }
        }
        for p in self.quaternions() {
            let length = q[p.clone()].iter().map(|p| p * p).sum::<f64>().sqrt();
            q[p].iter_mut().for_each(|p| *p /= length);
        }
        if self.dims.constraints() > 0 {
            let metric = self.mass(t, q);
            for _ in 0..3 {
                let dv = correction(&metric, &self.constraint_v(t, q, v)?, &self.velocity_defect(t, q, v)?)
                    .ok_or(ReferenceFailure { t, reason: "velocity constraints are redundant" })?;
                for (v, d) in v.iter_mut().zip(dv) {
                    *v += d;
                }
            }
        }
        Ok(())
    }

    /// Newton's method on M a - f - r(mu) = 0, C a + b = 0. A standard reaction is linear: the second iteration only
    /// refines the rounding of the first.
    fn solve(&self, t: f64, q: &[f64], v: &[f64]) -> Result<Solution, ReferenceFailure> {
        let Dims { v: n, lambda: nl, psi: np, .. } = self.dims;
        let m = nl + np;
        let size = n + m;
        let mass = self.mass(t, q);
        let c = self.constraint_v(t, q, v)?;
        let mut force = vec![0.0; n];
        let _ = self.ask(Quantity::Force, &At::new(t, q, v), &mut force);
        let mut bias = vec![0.0; m];
        let (for_g, for_k) = bias.split_at_mut(nl);
        self.need(t, self.ask(Quantity::HolonomicBias, &At::new(t, q, v), for_g), nl)?;
        self.need(t, self.ask(Quantity::NonholonomicBias, &At::new(t, q, v), for_k), np)?;

        let (mut a, mut mu) = (vec![0.0; n], self.mu.clone());
        let mut last = f64::INFINITY;
        for _ in 0..NEWTON_ITERATIONS {
            let (lambda, psi) = mu.split_at(nl);
            let at = Point { t, q, v, lambda, psi };
            let mut r = vec![0.0; n];
            let mut r_mu = vec![0.0; n * m];
            if self.ask(Quantity::Reaction, &at.into(), &mut r) == Supplied::Yes {
                let (mut by_lambda, mut by_psi) = (vec![0.0; n * nl], vec![0.0; n * np]);
                self.need(t, self.ask(Quantity::ReactionLambda, &at.into(), &mut by_lambda), nl)?;
                self.need(t, self.ask(Quantity::ReactionPsi, &at.into(), &mut by_psi), np)?;
                for i in 0..n {
                    for (j, x) in by_lambda.chunks_exact(n).chain(by_psi.chunks_exact(n)).enumerate() {
                        r_mu[i * m + j] = x[i];
                    }
                }
            } else {
                for i in 0..n {
                    for j in 0..m {
                        r_mu[i * m + j] = -c[j * n + i];
                        r[i] -= c[j * n + i] * mu[j];
                    }
                }
            }
            let mut matrix = vec![0.0; size * size];
            let mut x = vec![0.0; size];
            for i in 0..n {
                matrix[i * size..i * size + n].copy_from_slice(&mass[i * n..(i + 1) * n]);
                for j in 0..m {
                    matrix[i * size + n + j] = -r_mu[i * m + j];
                }
                x[i] = force[i] + r[i] - (0..n).map(|j| mass[i * n + j] * a[j]).sum::<f64>();
            }
            for i in 0..m {
                matrix[(n + i) * size..(n + i) * size + n].copy_from_slice(&c[i * n..(i + 1) * n]);
                x[n + i] = -bias[i] - (0..n).map(|j| c[i * n + j] * a[j]).sum::<f64>();
            }
            if !linear::solve(&mut matrix, &mut x) {
                return Err(ReferenceFailure { t, reason: "the equations of motion are singular" });
            }
            let mut change = 0.0_f64;
            for (value, dx) in a.iter_mut().chain(mu.iter_mut()).zip(&x) {
                *value += dx;
                change = change.max(dx.abs() / (1.0 + value.abs()));
            }
            // Quadratic convergence has ended when corrections stop shrinking: what is left is rounding.
            if change <= 1e-15 || (change < 1e-9 && change >= last * 0.1) {
                return Ok(Solution { a, mu });
            }
            last = change;
        }
        Err(ReferenceFailure { t, reason: "no multipliers balance the equations of motion" })
    }

    /// A quantity that the system supplies.
    fn ask(&self, quantity: Quantity, at: &At, out: &mut [f64]) -> Supplied {
        if !self.system.description().supplied.has(quantity) {
            return Supplied::No;
        }
        out.fill(0.0);
        let mut wanted = [(quantity, out)];
        self.system.evaluate(at, &mut Answer::new(&mut wanted), &mut self.workspace.borrow_mut());
        Supplied::Yes
    }

    fn mass(&self, t: f64, q: &[f64]) -> Vec<f64> {
        let mut mass = vec![0.0; self.dims.v * self.dims.v];
        let _ = self.ask(Quantity::Mass, &At::new(t, q, &[]), &mut mass);
        mass
    }

    fn columns(&self) -> usize {
        if self.general { self.dims.q } else { self.dims.v }
    }

    fn rate(&self, t: f64, q: &[f64], v: &[f64]) -> Vec<f64> {
        if !self.general {
            return v.to_vec();
        }
        let mut rate = vec![0.0; self.dims.q];
        let _ = self.ask(Quantity::Rate, &At::new(t, q, v), &mut rate);
        rate
    }

    fn g_q(&self, t: f64, q: &[f64]) -> Result<Vec<f64>, ReferenceFailure> {
        let mut g_q = vec![0.0; self.dims.lambda * self.columns()];
        self.need(t, self.ask(Quantity::HolonomicQ, &At::new(t, q, &[]), &mut g_q), self.dims.lambda)?;
        Ok(g_q)
    }

    /// g_t + G q' and k.
    fn velocity_defect(&self, t: f64, q: &[f64], v: &[f64]) -> Result<Vec<f64>, ReferenceFailure> {
        let mut defect = vec![0.0; self.dims.constraints()];
        let (w, k) = defect.split_at_mut(self.dims.lambda);
        self.need(t, self.ask(Quantity::HolonomicT, &At::new(t, q, &[]), w), self.dims.lambda)?;
        let (g_q, rate) = (self.g_q(t, q)?, self.rate(t, q, v));
        for (w, row) in w.iter_mut().zip(g_q.chunks_exact(self.columns())) {
            *w += row.iter().zip(&rate).map(|(g, r)| g * r).sum::<f64>();
        }
        let _ = self.ask(Quantity::Nonholonomic, &At::new(t, q, v), k);
        Ok(defect)
    }

    /// C = [G U_v; K], with U_v the identity where q' = v.
    fn constraint_v(&self, t: f64, q: &[f64], v: &[f64]) -> Result<Vec<f64>, ReferenceFailure> {
        let Dims { q: nq, v: n, lambda, psi } = self.dims;
        let g_q = self.g_q(t, q)?;
        let mut c = if self.general {
            let mut u_v = vec![0.0; nq * n];
            self.need(t, self.ask(Quantity::RateV, &At::new(t, q, v), &mut u_v), nq)?;
            let mut w = vec![0.0; lambda * n];
            for (i, j, k) in (0..lambda).flat_map(|i| (0..n).flat_map(move |j| (0..nq).map(move |k| (i, j, k)))) {
                w[i * n + j] += g_q[i * nq + k] * u_v[k * n + j];
            }
            w
        } else {
            g_q
        };
        let mut k_v = vec![0.0; psi * n];
        self.need(t, self.ask(Quantity::NonholonomicV, &At::new(t, q, v), &mut k_v), psi)?;
        c.extend(k_v);
        Ok(c)
    }

    /// A derivative of `rows` rows must be there unless it is empty.
    fn need(&self, t: f64, supplied: Supplied, rows: usize) -> Result<(), ReferenceFailure> {
        if supplied == Supplied::Yes || rows == 0 {
            return Ok(());
        }
        Err(ReferenceFailure { t, reason: "the system supplies no exact derivatives" })
    }
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|k| if k % (n + 1) == 0 { 1.0 } else { 0.0 }).collect()
}

/// The smallest d with C d = -defect: A d + C^T nu = 0.
fn correction(metric: &[f64], c: &[f64], defect: &[f64]) -> Option<Vec<f64>> {
    let m = defect.len();
    let n = c.len() / m;
    let size = n + m;
    let mut matrix = vec![0.0; size * size];
    let mut x = vec![0.0; size];
    for i in 0..n {
        matrix[i * size..i * size + n].copy_from_slice(&metric[i * n..(i + 1) * n]);
    }
    for i in 0..m {
        x[n + i] = -defect[i];
        for j in 0..n {
            matrix[(n + i) * size + j] = c[i * n + j];
            matrix[j * size + n + i] = c[i * n + j];
        }
    }
    linear::solve(&mut matrix, &mut x).then(|| {
        x.truncate(n);
        x
    })
}
