//! The equations of one extended HHT step, solved in two halves with matrices of size n + m.
//!
//! Two reaction nodes with weights p_j in q (times h^2/2) and s_j in v (times h) cover the forms:
//! full and predicted p = (1-b, b), s = (1/2, 1/2); midpoint p = (1, 0), s = (0, 1). With
//! `dq = beta h^2 x`, `dv = h (gamma x + y)`, `k_j = s_j - gamma p_j/(2 beta)`, `pi = p_0 dL0 + p_1 dL1`,
//! `nu = k_0 dL0 + k_1 dL1`, `W = [p_0 p_1; k_0 k_1]^-1`, Newton's method splits:
//!
//! ```text
//! velocity  [M1 -r_l; G] (y ; nu) = ( -k_1 (beta h^2 S_r x + e) + k_0 (C0 - r_l) dL0 ; -gamma (c - c~) - beta h Gamma x )
//! position  [A -col; G] (x ; c_m/(2 beta) pi) = ( -R_a - c_m p_1/(2 beta) e - h D y0 + c_m p_0/(2 beta) W01 (C0 - r_l) nu0 ; -c~ )
//!
//! A   = c_m M1 + gamma h D + beta h^2 (S + c_m p_1/(2 beta) S_r - D Y)
//! col = r_l + p_0 W00 (C0 - r_l) - (2 beta h/c_m) D Y_p
//! [M1 -r_l; G] (Y, Y_p) = ( h k_1 S_r, k_0 W00 (C0 - r_l) ; Gamma, 0 )
//! ```
//!
//! c_m = 1/(1+alpha), S = d/dq (M a^ - f) at a^ = c_m (a1 + alpha A0), S_r = d/dq (M R1 - r), D = -f_v, C0 = M1 M0^-1
//! r_l(0), e = M1 R1 - r(t1,q1,L1) (full form only; elsewhere R1 is explicit, S_r = 0, e = 0). y0, nu0: x = dL0 = 0.
//! With p_1 = 0 this is Newton's method exactly; otherwise a term of size h |v| is dropped.
//!
//! The index-2 form has one node in both q and v and one level of constraints:
//!
//! ```text
//! [c_m M1 + gamma h D + beta h^2 S   -col; K + (beta h/gamma) k_q   Z] (u ; dL) = ( -gamma R_a ; -k/h )
//! col = (c_m M1 - h^2 (gamma/2 - beta) S) B,   Z = h (1/2 - beta/gamma) k_q B,   B = M^-1 r_mu at the node
//! dv = h u,   dR = B dL,   da1 = (u - dR)/gamma
//! ```

use super::nodes::Node;
use super::{Form, HhtAlpha};
use crate::acceleration::AccelerationLevel;
use crate::equations::Equations;
use crate::linear::{Bordered, Kkt};
use crate::method::{StepFailure, multiply};
use crate::newton::NonlinearProblem;
use crate::state::State;
use crate::system::{Dims, Point};
use crate::tolerance::Tolerance;

/// |k_1| below which dR1 cannot be had from y.
const K1_FLOOR: f64 = 0.02;

/// Iterate, blocks and factors of a step.
pub(super) struct Step {
    weights: Weights,
    form: Form,
    dims: Dims,
    h: f64,
    factored_h: Option<f64>,
    position: Kkt,
    /// First and second reaction; M0 is factored in the first, M1 in the second where its R is implicit and k_1 small.
    nodes: [Node; 2],
    /// A0 and a0.
    applied: Vec<f64>,
    a0: Vec<f64>,
    predictor: Iterate,
    iterate: Iterate,
    at: Evaluated,
    blocks: Blocks,
    rhs: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    pi: Vec<f64>,
    nu: Vec<f64>,
    /// dL0 and dL1, dR0 and dR1.
    dl: [Vec<f64>; 2],
    dr: [Vec<f64>; 2],
    /// Whether `at` belongs to the iterate: q1 and v1, and everything.
    placed: bool,
    evaluated: bool,
}

#[derive(Clone, Copy)]
struct Weights {
    alpha: f64,
    beta: f64,
    gamma: f64,
    c_m: f64,
    p: [f64; 2],
    s: [f64; 2],
    k: [f64; 2],
    w: [[f64; 2]; 2],
}

#[derive(Clone)]
struct Iterate {
    a: Vec<f64>,
    l: [Vec<f64>; 2],
    r1: Vec<f64>,
}

impl Iterate {
    fn assign(&mut self, other: &Iterate) {
        self.a.copy_from_slice(&other.a);
        self.r1.copy_from_slice(&other.r1);
        for (l, other) in self.l.iter_mut().zip(&other.l) {
            l.copy_from_slice(other);
        }
    }
}

/// Values at the iterate.
struct Evaluated {
    dx: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    /// dx and v of the iterate before.
    dx_before: Vec<f64>,
    v_before: Vec<f64>,
    mass: Vec<f64>,
    force: Vec<f64>,
    c_v: Vec<f64>,
    /// a^ = c_m (a1 + alpha A0).
    a_hat: Vec<f64>,
    /// R_a and e.
    residual: Vec<f64>,
    e: Vec<f64>,
    /// c~ and c (index 2: k/h in the first).
    position: Vec<f64>,
    velocity: Vec<f64>,
}

/// Blocks of Newton's matrix.
struct Blocks {
    mass: Vec<f64>,
    damping: Vec<f64>,
    stiffness: Vec<f64>,
    /// S_r.
    reaction_q: Vec<f64>,
    /// Y, then D Y.
    y: Vec<f64>,
    damping_y: Vec<f64>,
    /// Gamma, or k_q.
    rows_q: Vec<f64>,
    c_v: Vec<f64>,
    /// r_l, C0 - r_l, Y_p, col; n by m.
    r_l: Vec<f64>,
    lag: Vec<f64>,
    y_p: Vec<f64>,
    border: Vec<f64>,
    corner: Vec<f64>,
    damped: bool,
}

impl Weights {
    fn new(scheme: HhtAlpha) -> Self {
        let HhtAlpha { alpha, b, form, .. } = scheme;
        let (beta, gamma) = ((1.0 - alpha).powi(2) / 4.0, 0.5 - alpha);
        let (p, s) = match form {
            Form::Full | Form::Predicted => ([1.0 - b, b], [0.5, 0.5]),
            Form::Midpoint => ([1.0, 0.0], [0.0, 1.0]),
            Form::Index2 => ([0.0, 1.0], [0.0, 1.0]),
        };
        let k = [0, 1].map(|j| s[j] - gamma * p[j] / (2.0 * beta));
        let det = p[0] * k[1] - p[1] * k[0];
        let w = [[k[1] / det, -p[1] / det], [-k[0] / det, p[0] / det]];
        Weights { alpha, beta, gamma, c_m: 1.0 / (1.0 + alpha), p, s, k, w }
    }
}

impl Step {
    pub fn new(scheme: HhtAlpha, equations: &Equations) -> Self {
        let dims = equations.dims();
        let (n, m) = (dims.v, dims.constraints());
        let zeros = |len: usize| vec![0.0; len];
        let iterate = Iterate { a: zeros(n), l: [zeros(m), zeros(m)], r1: zeros(n) };
        Step {
            weights: Weights::new(scheme),
            form: scheme.form,
            dims,
            h: 0.0,
            factored_h: None,
            position: Kkt::new(n, m),
            nodes: [Node::new(equations), Node::new(equations)],
            applied: zeros(n),
            a0: zeros(n),
            predictor: iterate.clone(),
            iterate,
            at: Evaluated {
                dx: zeros(n),
                q: zeros(dims.q),
                v: zeros(n),
                dx_before: zeros(n),
                v_before: zeros(n),
                mass: zeros(n * n),
                force: zeros(n),
                c_v: zeros(m * n),
                a_hat: zeros(n),
                residual: zeros(n),
                e: zeros(n),
                position: zeros(m),
                velocity: zeros(m),
            },
            blocks: Blocks {
                mass: zeros(n * n),
                damping: zeros(n * n),
                stiffness: zeros(n * n),
                reaction_q: zeros(n * n),
                y: zeros(n * n),
                damping_y: zeros(n * n),
                rows_q: zeros(m * n),
                c_v: zeros(m * n),
                r_l: zeros(n * m),
                lag: zeros(n * m),
                y_p: zeros(n * m),
                border: zeros(n * m),
                corner: zeros(m * m),
                damped: false,
            },
            rhs: zeros(n + m),
            x: zeros(n),
            y: zeros(n),
            pi: zeros(m),
            nu: zeros(m),
            dl: [zeros(m), zeros(m)],
            dr: [zeros(n), zeros(n)],
            placed: false,
            evaluated: false,
        }
    }

    pub fn forget(&mut self) {
        self.factored_h = None;
    }

    /// Whether there are factors for the present h. Y and the border depend on h, so another h needs a linearisation.
    pub fn is_linearized(&self) -> bool {
        self.factored_h.is_some_and(|factored| (self.h - factored).abs() <= 1e-9 * self.h.abs())
    }

    pub fn linear_work(&self) -> (u64, u64) {
        let kkts = [&self.position, &self.nodes[0].mass, &self.nodes[1].mass];
        (kkts.iter().map(|k| k.factorisations).sum(), kkts.iter().map(|k| k.solves).sum())
    }

    /// Whether R1 is an unknown of its own: it depends on the new position.
    fn implicit_node(&self) -> bool {
        self.form == Form::Full && self.dims.lambda > 0
    }

    /// Places the nodes of a step and computes A0 = M0^-1 f0.
    pub fn begin(
        &mut self,
        equations: &mut Equations,
        now: &State,
        mass: &[f64],
        force: &[f64],
        h: f64,
    ) -> Result<(), StepFailure> {
        self.h = h;
        let [first, second] = &mut self.nodes;
        first.t = now.t;
        first.q.copy_from_slice(&now.q);
        first.v.copy_from_slice(&now.v);
        first.factor(mass)?;
        self.applied.copy_from_slice(force);
        first.mass.solve(&mut self.applied);
        if self.dims.constraints() == 0 {
            return Ok(());
        }
        first.constrain(equations)?;
        let s = match self.form {
            Form::Full => return Ok(()),
            Form::Predicted => h,
            Form::Midpoint | Form::Index2 => 0.5 * h,
        };
        for (dx, v) in self.at.dx.iter_mut().zip(&now.v) {
            *dx = s * v;
        }
        equations.advance(&now.q, &self.at.dx, &mut second.q);
        second.t = now.t + s;
        second.v.copy_from_slice(&now.v);
        equations.mass(second.t, &second.q, &mut self.at.mass)?;
        second.factor(&self.at.mass)?;
        second.constrain(equations)
    }

    /// M^-1 f for another place. Uses the first node's room, so it comes before `begin`.
    pub fn applied_acceleration(&mut self, mass: &[f64], force: &[f64], out: &mut [f64]) -> Result<(), StepFailure> {
        let [first, _] = &mut self.nodes;
        first.factor(mass)?;
        out.copy_from_slice(force);
        first.mass.solve(out);
        Ok(())
    }

    /// Sets a0 from A0, entry by entry.
    pub fn start_from(&mut self, a0: impl Fn(f64, usize) -> f64) {
        for (i, (to, applied)) in self.a0.iter_mut().zip(&self.applied).enumerate() {
            *to = a0(*applied, i);
        }
    }

    /// Predictor: a1 = a0, both multipliers the last mean.
    pub fn predict(&mut self, equations: &mut Equations, mu: &[f64]) -> Result<(), StepFailure> {
        self.predictor.a.copy_from_slice(&self.a0);
        self.at.v.copy_from_slice(&self.nodes[0].v);
        for l in &mut self.predictor.l {
            l.copy_from_slice(mu);
        }
        if self.implicit_node() {
            self.nodes[0].react(equations, mu)?;
            self.predictor.r1.copy_from_slice(&self.nodes[0].acceleration);
        }
        self.iterate.assign(&self.predictor);
        self.placed = false;
        self.evaluated = false;
        Ok(())
    }

    pub fn problem<'a, 's>(
        &'a mut self,
        equations: &'a mut Equations<'s>,
        level: &'a mut AccelerationLevel,
        now: &'a State,
        tolerance: &'a Tolerance,
    ) -> Problem<'a, 's> {
        Problem { step: self, equations, level, now, tolerance }
    }

    /// q1, v1 into `next`, a1, and the multiplier at the middle of the step.
    pub fn solution(&self, next: &mut State, a: &mut [f64], mu: &mut [f64]) {
        next.q.copy_from_slice(&self.at.q);
        next.v.copy_from_slice(&self.at.v);
        a.copy_from_slice(&self.iterate.a);
        let [l0, l1] = &self.iterate.l;
        for (mu, (l0, l1)) in mu.iter_mut().zip(l0.iter().zip(l1)) {
            *mu = match self.form {
                Form::Full | Form::Predicted => 0.5 * (l0 + l1),
                Form::Midpoint | Form::Index2 => *l1,
            };
        }
        let (lambda, psi) = mu.split_at(next.lambda.len());
        next.lambda.copy_from_slice(lambda);
        next.psi.copy_from_slice(psi);
    }
}

/// A step bound to its equations.
pub(super) struct Problem<'a, 's> {
    step: &'a mut Step,
    equations: &'a mut Equations<'s>,
    level: &'a mut AccelerationLevel,
    now: &'a State,
    tolerance: &'a Tolerance,
}

impl Problem<'_, '_> {
    /// Reactions, q1 and v1 of the iterate.
    fn place(&mut self) -> Result<(), StepFailure> {
        if self.step.placed {
            return Ok(());
        }
        let implicit = self.step.implicit_node();
        let Step { weights, form, dims, h, nodes, a0, iterate, at, .. } = &mut *self.step;
        let Weights { beta, gamma, p, s, .. } = *weights;
        let (h, now) = (*h, self.now);
        let [first, second] = nodes;
        if dims.constraints() > 0 {
            if *form == Form::Index2 {
                // The middle velocity follows the iterate.
                for (mid, (v0, v1)) in second.v.iter_mut().zip(now.v.iter().zip(&at.v)) {
                    *mid = 0.5 * (v0 + v1);
                }
                second.constrain(self.equations)?;
            } else {
                first.react(self.equations, &iterate.l[0])?;
            }
            if implicit {
                second.acceleration.copy_from_slice(&iterate.r1);
            } else {
                second.react(self.equations, &iterate.l[1])?;
            }
        }
        for i in 0..at.dx.len() {
            let (r0, r1) = (first.acceleration[i], second.acceleration[i]);
            let position = (0.5 - beta) * a0[i] + beta * iterate.a[i] + 0.5 * (p[0] * r0 + p[1] * r1);
            let velocity = (1.0 - gamma) * a0[i] + gamma * iterate.a[i] + s[0] * r0 + s[1] * r1;
            at.dx[i] = h * (now.v[i] + h * position);
            at.v[i] = now.v[i] + h * velocity;
        }
        self.equations.advance(&now.q, &at.dx, &mut at.q);
        self.step.placed = true;
        Ok(())
    }

    /// Residuals at the iterate.
    fn evaluate(&mut self) -> Result<(), StepFailure> {
        if self.step.evaluated {
            return Ok(());
        }
        self.place()?;
        let implicit = self.step.implicit_node();
        let Step { weights, form, dims, h, nodes, applied, iterate, at, x, evaluated, .. } = &mut *self.step;
        *evaluated = true;
        let Weights { alpha, beta, gamma, c_m, .. } = *weights;
        let Dims { v: n, lambda: nl, .. } = *dims;
        let (t, h) = (self.now.t + *h, *h);
        let equations = &mut *self.equations;
        equations.mass(t, &at.q, &mut at.mass)?;
        equations.force(t, &at.q, &at.v, &mut at.force)?;
        for ((a_hat, a), applied) in at.a_hat.iter_mut().zip(&iterate.a).zip(&*applied) {
            *a_hat = c_m * (a + alpha * applied);
        }
        multiply(&at.mass, &at.a_hat, &mut at.residual);
        for (residual, f) in at.residual.iter_mut().zip(&at.force) {
            *residual -= f;
        }
        if *form == Form::Index2 {
            equations.nonholonomic(t, &at.q, &at.v, &mut at.position)?;
            at.position.iter_mut().for_each(|c| *c /= h);
            return Ok(());
        }
        let (w_v, k_v) = at.c_v.split_at_mut(nl * n);
        equations.holonomic_q(t, &at.q, w_v)?;
        equations.holonomic(t, &at.q, &mut at.position)?;
        at.position.iter_mut().for_each(|c| *c /= beta * h * h);
        equations.velocity(t, &at.q, &at.v, w_v, &mut at.velocity)?;
        at.velocity.iter_mut().for_each(|c| *c /= gamma * h);
        if implicit {
            let point = Point { t, q: &at.q, v: &at.v, lambda: &iterate.l[1], psi: &[] };
            equations.reaction(point, w_v, k_v, x)?;
            multiply(&at.mass, &nodes[1].acceleration, &mut at.e);
            for (e, r) in at.e.iter_mut().zip(&*x) {
                *e -= r;
            }
        }
        Ok(())
    }

    /// M1, D, S at the iterate; the rest depends on the form.
    fn evaluate_blocks(&mut self) -> Result<(), StepFailure> {
        let Step { dims, h, at, blocks, nodes, iterate, form, .. } = &mut *self.step;
        let t = self.now.t + *h;
        let Dims { v: n, lambda: nl, .. } = *dims;
        let equations = &mut *self.equations;
        blocks.mass.copy_from_slice(&at.mass);
        // S = M_q a^ - f_q, D = -f_v.
        equations.mass_q(t, &at.q, &at.a_hat, &mut blocks.stiffness)?;
        equations.force_q(t, &at.q, &at.v, &mut blocks.damping)?;
        subtract(&mut blocks.stiffness, &blocks.damping);
        equations.force_v(t, &at.q, &at.v, &mut blocks.damping)?;
        blocks.damping.iter_mut().for_each(|d| *d = -*d);
        blocks.damped = blocks.damping.iter().any(|d| *d != 0.0);
        if dims.constraints() == 0 {
            return Ok(());
        }
        if *form == Form::Index2 {
            equations.nonholonomic_v(t, &at.q, &at.v, &mut blocks.c_v)?;
            equations.nonholonomic_q(t, &at.q, &at.v, &mut blocks.rows_q)?;
            return nodes[1].respond(equations, &iterate.l[1]);
        }
        equations.holonomic_q(t, &at.q, &mut blocks.c_v[..nl * n])?;
        equations.velocity_q(t, &at.q, &at.v, &mut blocks.rows_q)?;
        nodes[0].respond(equations, &iterate.l[0])
    }

    /// r_l, C0 - r_l and S_r of the two-node forms.
    fn evaluate_reaction_blocks(&mut self) -> Result<(), StepFailure> {
        let implicit = self.step.implicit_node();
        let Step { weights, dims, h, at, blocks, nodes, iterate, .. } = &mut *self.step;
        let m = dims.constraints();
        let t = self.now.t + *h;
        let equations = &mut *self.equations;
        let [first, second] = nodes;
        if implicit {
            let point = Point { t, q: &at.q, v: &at.v, lambda: &iterate.l[1], psi: &[] };
            equations.reaction_mu(point, &blocks.c_v, &[], &mut blocks.r_l)?;
            // S_r = M_q R1 - r_q.
            equations.mass_q(t, &at.q, &second.acceleration, &mut blocks.reaction_q)?;
            equations.reaction_q(point, &mut blocks.y)?;
            subtract(&mut blocks.reaction_q, &blocks.y);
            if weights.k[1].abs() < K1_FLOOR {
                second.factor(&at.mass)?;
            }
        } else {
            second.respond(equations, &iterate.l[1])?;
            product(&blocks.mass, &second.response, m, &mut blocks.r_l);
        }
        product(&blocks.mass, &first.response, m, &mut blocks.lag);
        subtract(&mut blocks.lag, &blocks.r_l);
        Ok(())
    }

    /// D Y and D Y_p, by solves with the velocity half's factors.
    fn couple_damping(&mut self) {
        let Step { weights, dims, h, blocks, rhs, .. } = &mut *self.step;
        let Weights { k, w, .. } = *weights;
        let (n, m) = (dims.v, dims.constraints());
        for j in 0..n + m {
            rhs.fill(0.0);
            if j < n {
                for i in 0..n {
                    rhs[i] = *h * k[1] * blocks.reaction_q[i * n + j];
                }
                for i in 0..m {
                    rhs[n + i] = blocks.rows_q[i * n + j];
                }
            } else {
                for i in 0..n {
                    rhs[i] = k[0] * w[0][0] * blocks.lag[i * m + j - n];
                }
            }
            self.level.kkt.solve(rhs);
            for i in 0..n {
                let row = &blocks.damping[i * n..(i + 1) * n];
                let value = row.iter().zip(&rhs[..n]).map(|(d, y)| d * y).sum();
                if j < n {
                    blocks.damping_y[i * n + j] = value;
                } else {
                    blocks.y_p[i * m + j - n] = value;
                }
            }
        }
    }

    fn linearize_index2(&mut self) -> Result<(), StepFailure> {
        let Step { weights, dims, h, blocks, nodes, position, .. } = &mut *self.step;
        let Weights { beta, gamma, c_m, .. } = *weights;
        let (h, m) = (*h, dims.constraints());
        let response = &nodes[1].response;
        product(&blocks.mass, response, m, &mut blocks.border);
        product(&blocks.stiffness, response, m, &mut blocks.lag);
        for (border, lag) in blocks.border.iter_mut().zip(&blocks.lag) {
            *border = c_m * *border - h * h * (0.5 * gamma - beta) * lag;
        }
        product(&blocks.rows_q, response, m, &mut blocks.corner);
        blocks.corner.iter_mut().for_each(|z| *z *= h * (0.5 - beta / gamma));
        position.factor(Bordered {
            top: &[(c_m, &blocks.mass), (gamma * h, &blocks.damping), (beta * h * h, &blocks.stiffness)],
            border: &blocks.border,
            rows: &[(1.0, &blocks.c_v), (beta * h / gamma, &blocks.rows_q)],
            corner: Some(&blocks.corner),
        })?;
        Ok(())
    }

    fn linearize_halves(&mut self) -> Result<(), StepFailure> {
        if self.step.dims.constraints() > 0 {
            self.evaluate_reaction_blocks()?;
            let blocks = &self.step.blocks;
            self.level.kkt.factor(Bordered {
                top: &[(1.0, &blocks.mass)],
                border: &blocks.r_l,
                rows: &[(1.0, &blocks.c_v)],
                corner: None,
            })?;
            if blocks.damped {
                self.couple_damping();
            }
        }
        let implicit = self.step.implicit_node();
        let Step { weights, h, blocks, position, .. } = &mut *self.step;
        let Weights { beta, gamma, c_m, p, w, .. } = *weights;
        let h = *h;
        let damped = if blocks.damped { 1.0 } else { 0.0 };
        for (i, border) in blocks.border.iter_mut().enumerate() {
            *border = blocks.r_l[i] + p[0] * w[0][0] * blocks.lag[i] - damped * 2.0 * beta * h / c_m * blocks.y_p[i];
        }
        let reaction = if implicit { 0.5 * c_m * p[1] * h * h } else { 0.0 };
        position.factor(Bordered {
            top: &[
                (c_m, &blocks.mass),
                (gamma * h, &blocks.damping),
                (beta * h * h, &blocks.stiffness),
                (reaction, &blocks.reaction_q),
                (-beta * h * h * damped, &blocks.damping_y),
            ],
            border: &blocks.border,
            rows: &[(1.0, &blocks.c_v)],
            corner: None,
        })?;
        Ok(())
    }

    fn iterate_index2(&mut self) {
        let Step { weights, dims, nodes, position, rhs, iterate, at, x, .. } = &mut *self.step;
        let (n, gamma) = (dims.v, weights.gamma);
        for (rhs, r) in rhs.iter_mut().zip(&at.residual) {
            *rhs = -gamma * r;
        }
        for (rhs, c) in rhs[n..].iter_mut().zip(&at.position) {
            *rhs = -c;
        }
        position.solve(rhs);
        let (u, dl) = rhs.split_at(n);
        multiply(&nodes[1].response, dl, x);
        for i in 0..n {
            iterate.a[i] += (u[i] - x[i]) / gamma;
        }
        for (l, d) in iterate.l[1].iter_mut().zip(dl) {
            *l += d;
        }
    }

    /// Solves the velocity half for the present x and dL0, or for zero; leaves y and nu.
    fn velocity_half(&mut self, with_x: bool) {
        let implicit = self.step.implicit_node();
        let Step { weights, dims, h, blocks, rhs, at, x, y, nu, dl, .. } = &mut *self.step;
        let Weights { beta, gamma, k, .. } = *weights;
        let (n, m, h) = (dims.v, dims.constraints(), *h);
        rhs[..n].fill(0.0);
        if implicit {
            for (rhs, e) in rhs.iter_mut().zip(&at.e) {
                *rhs = -k[1] * e;
            }
        }
        for i in 0..m {
            rhs[n + i] = -gamma * (at.velocity[i] - at.position[i]);
        }
        if with_x {
            let row = |matrix: &[f64], i: usize, x: &[f64]| -> f64 {
                matrix[i * x.len()..(i + 1) * x.len()].iter().zip(x).map(|(a, x)| a * x).sum()
            };
            for i in 0..n {
                if implicit {
                    rhs[i] -= k[1] * beta * h * h * row(&blocks.reaction_q, i, x);
                }
                rhs[i] += k[0] * row(&blocks.lag, i, &dl[0]);
            }
            for i in 0..m {
                rhs[n + i] -= beta * h * row(&blocks.rows_q, i, x);
            }
        }
        self.level.kkt.solve(rhs);
        y.copy_from_slice(&rhs[..n]);
        nu.copy_from_slice(&rhs[n..]);
    }

    /// One correction of the two-node forms; leaves x (and y in `y`).
    fn iterate_halves(&mut self) {
        let constrained = self.step.dims.constraints() > 0;
        let implicit = self.step.implicit_node();
        if constrained {
            self.velocity_half(false);
        }
        {
            let Step { weights, dims, h, blocks, rhs, at, x, y, pi, nu, dl, position, .. } = &mut *self.step;
            let Weights { beta, c_m, p, w, .. } = *weights;
            let (n, m) = (dims.v, dims.constraints());
            let half = c_m / (2.0 * beta);
            for i in 0..n {
                rhs[i] = -at.residual[i];
            }
            if constrained {
                for i in 0..n {
                    let lag: f64 = blocks.lag[i * m..(i + 1) * m].iter().zip(&*nu).map(|(b, nu)| b * nu).sum();
                    let damped: f64 = blocks.damping[i * n..(i + 1) * n].iter().zip(&*y).map(|(d, y)| d * y).sum();
                    let e = if implicit { at.e[i] } else { 0.0 };
                    rhs[i] += half * (p[0] * w[0][1] * lag - p[1] * e) - *h * damped;
                }
            }
            for i in 0..m {
                rhs[n + i] = -at.position[i];
            }
            position.solve(rhs);
            x.copy_from_slice(&rhs[..n]);
            for i in 0..m {
                pi[i] = rhs[n + i] / half;
                dl[0][i] = w[0][0] * pi[i] + w[0][1] * nu[i];
            }
        }
        if constrained {
            self.velocity_half(true);
        }
        let Step { weights, dims, h, blocks, at, nodes, iterate, x, y, pi, nu, dl, dr, .. } = &mut *self.step;
        let Weights { beta, p, k, w, .. } = *weights;
        for (a, x) in iterate.a.iter_mut().zip(&*x) {
            *a += x;
        }
        if !constrained {
            return;
        }
        for j in 0..2 {
            for i in 0..dims.constraints() {
                dl[j][i] = w[j][0] * pi[i] + w[j][1] * nu[i];
                iterate.l[j][i] += dl[j][i];
            }
        }
        let ([first, second], [dr0, dr1]) = (nodes, dr);
        multiply(&first.response, &dl[0], dr0);
        if !implicit {
            multiply(&second.response, &dl[1], dr1);
        } else if k[1].abs() >= K1_FLOOR {
            for i in 0..dr1.len() {
                dr1[i] = (y[i] - k[0] * dr0[i]) / k[1];
            }
        } else {
            // M1 dR1 = r_l dL1 - S_r dq - e.
            multiply(&blocks.r_l, &dl[1], dr1);
            multiply(&blocks.reaction_q, x, y);
            for i in 0..dr1.len() {
                dr1[i] -= beta * *h * *h * y[i] + at.e[i];
            }
            second.mass.solve(dr1);
        }
        for i in 0..dr0.len() {
            iterate.a[i] -= (p[0] * dr0[i] + p[1] * dr1[i]) / (2.0 * beta);
            if implicit {
                iterate.r1[i] += dr1[i];
            }
        }
    }
}

impl NonlinearProblem for Problem<'_, '_> {
    type Failure = StepFailure;

    fn rewind(&mut self) {
        let Step { iterate, predictor, placed, evaluated, .. } = &mut *self.step;
        iterate.assign(predictor);
        (*placed, *evaluated) = (false, false);
    }

    fn linearize(&mut self) -> Result<(), StepFailure> {
        self.step.factored_h = None;
        self.evaluate()?;
        self.evaluate_blocks()?;
        match self.step.form {
            Form::Index2 if self.step.dims.psi > 0 => self.linearize_index2()?,
            _ => self.linearize_halves()?,
        }
        self.step.factored_h = Some(self.step.h);
        Ok(())
    }

    fn iterate(&mut self) -> Result<f64, StepFailure> {
        self.evaluate()?;
        match self.step.form {
            Form::Index2 if self.step.dims.psi > 0 => self.iterate_index2(),
            _ => self.iterate_halves(),
        }
        let Step { at, placed, evaluated, .. } = &mut *self.step;
        (*placed, *evaluated) = (false, false);
        at.dx_before.copy_from_slice(&at.dx);
        at.v_before.copy_from_slice(&at.v);
        self.place()?;
        let at = &mut self.step.at;
        for i in 0..at.dx.len() {
            at.dx_before[i] -= at.dx[i];
            at.v_before[i] -= at.v[i];
        }
        Ok(self.tolerance.norm_q(&at.dx_before, &at.q).max(self.tolerance.norm_v(&at.v_before, &at.v)))
    }

    fn rounding(&self) -> f64 {
        let Step { h, at, a0, .. } = &*self.step;
        self.tolerance.rounding(&at.q, &at.v, a0, *h)
    }
}

/// a -= b.
fn subtract(a: &mut [f64], b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= b;
    }
}

/// out = A B for row-major A and B, B with `columns` columns.
fn product(a: &[f64], b: &[f64], columns: usize, out: &mut [f64]) {
    if columns == 0 {
        return;
    }
    let inner = b.len() / columns;
    for (a_row, out_row) in a.chunks_exact(inner).zip(out.chunks_exact_mut(columns)) {
        out_row.fill(0.0);
        for (a, b_row) in a_row.iter().zip(b.chunks_exact(columns)) {
            for (out, b) in out_row.iter_mut().zip(b_row) {
                *out += a * b;
            }
        }
    }
}
