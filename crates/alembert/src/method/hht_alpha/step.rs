//! What a step of extended HHT-alpha is made of: weights, reaction nodes, iterate, blocks.
//!
//! The two-node forms are solved in [`halves`], the index-2 form in [`index2`]; [`problem`] is what Newton's method sees.

mod halves;
mod index2;
mod problem;
mod weights;

use super::nodes::Node;
use super::{Form, HhtAlpha};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::{Equations, Layout};
use crate::linear::Kkt;
use crate::method::StepFailure;
use crate::method::alpha_error::Filter;
use crate::state::State;
use crate::system::Dims;
use crate::tolerance::Tolerance;
use problem::HhtProblem;
use weights::Weights;

/// Iterate, blocks and factors of a step.
pub(super) struct HhtCorrector {
    weights: Weights,
    form: Form,
    dims: Dims,
    layout: Layout,
    h: f64,
    factored_h: Option<f64>,
    position: Kkt,
    /// Factors of the velocity half: of the same age as the position half's, or constraint corrections do not cancel.
    velocity: Kkt,
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
    /// dx/2, which leads to the middle of the step.
    half: Vec<f64>,
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
    /// S_r T.
    reaction_q: Vec<f64>,
    /// Y, then D Y.
    y: Vec<f64>,
    damping_y: Vec<f64>,
    /// Gamma T, or k_q T.
    rows_q: Vec<f64>,
    /// G (T - I)/h; empty without rotations.
    turn: Vec<f64>,
    c_v: Vec<f64>,
    /// r_l, C0 - r_l, Y_p, col; n by m.
    r_l: Vec<f64>,
    lag: Vec<f64>,
    y_p: Vec<f64>,
    border: Vec<f64>,
    /// Of r_l or the border, m by n.
    transposed: Vec<f64>,
    corner: Vec<f64>,
    damped: bool,
}

impl Keep for HhtCorrector {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let Blocks {
            mass,
            damping,
            stiffness,
            reaction_q,
            y,
            damping_y,
            rows_q,
            turn,
            c_v,
            r_l,
            lag,
            y_p,
            border,
            corner,
            damped,
            transposed: _,
        } = &mut self.blocks;
        for block in
            [mass, damping, stiffness, reaction_q, y, damping_y, rows_q, turn, c_v, r_l, lag, y_p, border, corner]
        {
            block.keep(archive)?;
        }
        keep!(archive; *damped, self.h, self.factored_h, self.position, self.velocity, self.nodes)
    }
}

impl HhtCorrector {
    pub fn new(scheme: HhtAlpha, equations: &Equations) -> Self {
        let dims = equations.dims();
        let (n, m) = (dims.v, dims.constraints());
        let zeros = |len: usize| vec![0.0; len];
        let iterate = Iterate { a: zeros(n), l: [zeros(m), zeros(m)], r1: zeros(n) };
        HhtCorrector {
            weights: Weights::new(scheme),
            form: scheme.form,
            dims,
            layout: equations.layout().clone(),
            h: 0.0,
            factored_h: None,
            position: Kkt::dense(n, m),
            velocity: Kkt::dense(n, m),
            nodes: [Node::new(equations), Node::new(equations)],
            applied: zeros(n),
            a0: zeros(n),
            predictor: iterate.clone(),
            iterate,
            at: Evaluated {
                dx: zeros(n),
                half: zeros(n),
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
                turn: zeros(if equations.space().is_flat() { 0 } else { dims.lambda * n }),
                c_v: zeros(m * n),
                r_l: zeros(n * m),
                lag: zeros(n * m),
                y_p: zeros(n * m),
                border: zeros(n * m),
                transposed: zeros(m * n),
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

    pub fn is_linearized(&self) -> bool {
        self.factored_h.is_some()
    }

    /// Whether the factors belong to another h.
    pub fn is_for_another_h(&self) -> bool {
        self.factored_h.is_some_and(|factored| (self.h - factored).abs() > 1e-9 * self.h.abs())
    }

    /// Everything that is factored.
    pub fn kkts(&self) -> [&Kkt; 4] {
        [&self.position, &self.velocity, &self.nodes[0].mass, &self.nodes[1].mass]
    }

    /// Whether R1 is an unknown of its own: it depends on the new position.
    fn implicit_node(&self) -> bool {
        self.form == Form::Full && self.dims.lambda > 0
    }

    /// Whether the second node lies in the middle of the step and moves with the iterate.
    fn moving_node(&self) -> bool {
        self.form == Form::Midpoint && self.dims.lambda > 0
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
            Form::Midpoint => {
                // Its position follows the iterate.
                second.t = now.t + 0.5 * h;
                second.v.copy_from_slice(&now.v);
                return Ok(());
            }
            Form::MidpointPredicted | Form::Index2 => 0.5 * h,
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
        now: &'a State,
        tolerance: &'a Tolerance,
    ) -> HhtProblem<'a, 's> {
        HhtProblem { step: self, equations, now, tolerance }
    }

    /// The increment of q, and the step's matrix as a filter of its error.
    pub fn filter(&mut self) -> (&[f64], Filter<'_>) {
        let Dims { v: n, lambda: nl, .. } = self.dims;
        let Blocks { mass, rows_q, c_v, .. } = &self.blocks;
        let (velocity_q, nonholonomic_q) = rows_q.split_at(nl * n);
        let weights = (self.weights.c_m, self.weights.beta);
        let filter = Filter::new(&mut self.position, &self.layout, weights, mass, c_v, velocity_q, nonholonomic_q);
        (&self.at.dx, filter)
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
                Form::Midpoint | Form::MidpointPredicted | Form::Index2 => *l1,
            };
        }
        let (lambda, psi) = mu.split_at(next.lambda.len());
        next.lambda.copy_from_slice(lambda);
        next.psi.copy_from_slice(psi);
    }
}
