//! What a SOI2 step is made of: iterate, blocks, factors. [`problem`] is what Newton's method sees.

mod problem;

use super::Coefficients;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::{Equations, Layout};
use crate::linear::{Bordered, Kkt};
use crate::method::StepFailure;
use crate::method::alpha_error::Filter;
use crate::state::State;
use crate::system::Dims;
use crate::tolerance::Tolerance;
use problem::Problem;

/// What a step starts from.
pub(super) struct StepData<'a> {
    pub h: f64,
    pub now: &'a State,
    pub a_al: &'a [f64],
    /// M_al a_al.
    pub inertia_al: &'a [f64],
    /// F0.
    pub force: &'a [f64],
    pub mu: &'a [f64],
    /// h/h_before with a_al and mu one step back, for the predictor.
    pub slopes: Option<(f64, &'a [f64], &'a [f64])>,
}

/// Iterate, blocks and factors of a step.
pub(super) struct Halves {
    coefficients: Coefficients,
    c_m: f64,
    dims: Dims,
    layout: Layout,
    /// Whether there is a difference half.
    split: bool,
    h: f64,
    /// h of the position half's factors; none without blocks.
    factored_h: Option<f64>,
    /// Factors of the position half.
    pub position: Kkt,
    /// Factors of the difference half: of the same age as the position half's, or constraint corrections do not cancel.
    pub difference: Kkt,
    predictor: Iterate,
    iterate: Iterate,
    /// h v0 + h^2 (1/2-beta) a_al, and v0 + h (1-gamma) a_al.
    dx_known: Vec<f64>,
    v_known: Vec<f64>,
    /// (am M_al a_al - af F0)/(1-af).
    known: Vec<f64>,
    at: Evaluated,
    /// Whether `at` belongs to the iterate.
    evaluated: bool,
    blocks: Blocks,
    rhs: Vec<f64>,
    x: Vec<f64>,
    change: Vec<f64>,
    /// Correction of the multipliers.
    dmu: Vec<f64>,
}

#[derive(Clone)]
struct Iterate {
    a_tilde: Vec<f64>,
    a: Vec<f64>,
    mu_tilde: Vec<f64>,
    mu: Vec<f64>,
}

impl Iterate {
    fn assign(&mut self, other: &Iterate) {
        self.a_tilde.copy_from_slice(&other.a_tilde);
        self.a.copy_from_slice(&other.a);
        self.mu_tilde.copy_from_slice(&other.mu_tilde);
        self.mu.copy_from_slice(&other.mu);
    }
}

/// Values at the iterate.
struct Evaluated {
    dx: Vec<f64>,
    q: Vec<f64>,
    v_tilde: Vec<f64>,
    v: Vec<f64>,
    force: Vec<f64>,
    reaction: Vec<f64>,
    g_q: Vec<f64>,
    c_v: Vec<f64>,
    /// R~ and R.
    residual_tilde: Vec<f64>,
    residual: Vec<f64>,
    /// c~ and c.
    constraint_tilde: Vec<f64>,
    constraint: Vec<f64>,
}

/// Blocks of Newton's matrix, n by n unless said otherwise: values of the system's patterns.
struct Blocks {
    /// M_{1+al}.
    mass: Vec<f64>,
    mass_al: Vec<f64>,
    damping: Vec<f64>,
    stiffness: Vec<f64>,
    /// D Y; dense, and only there where all blocks are.
    damping_y: Vec<f64>,
    /// Gamma T, lambda by n.
    velocity_q: Vec<f64>,
    /// (0 ; k_q T), m by n.
    rows_q: Vec<f64>,
    /// (G (T - I)/h ; 0), m by n; empty without rotations.
    turn: Vec<f64>,
    /// Transposed, m by n.
    r_mu: Vec<f64>,
    c_v: Vec<f64>,
    work: Vec<f64>,
    damped: bool,
}

impl Keep for Halves {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let Blocks {
            mass, mass_al, damping, stiffness, damping_y, velocity_q, rows_q, turn, r_mu, c_v, damped, ..
        } = &mut self.blocks;
        for block in [mass, mass_al, damping, stiffness, damping_y, velocity_q, rows_q, turn, r_mu, c_v] {
            block.keep(archive)?;
        }
        keep!(archive; *damped, self.h, self.factored_h, self.position, self.difference)
    }
}

impl Halves {
    pub fn new(coefficients: Coefficients, velocity_level: bool, equations: &Equations) -> Self {
        let (dims, layout) = (equations.dims(), equations.layout().clone());
        let (n, nl, m) = (dims.v, dims.lambda, dims.constraints());
        let (top, rows, holonomic) = (layout.top.len(), layout.rows.len(), layout.holonomic.len());
        let zeros = |len: usize| vec![0.0; len];
        let iterate = Iterate { a_tilde: zeros(n), a: zeros(n), mu_tilde: zeros(m), mu: zeros(m) };
        Halves {
            coefficients,
            c_m: (1.0 - coefficients.alpha_m) / (1.0 - coefficients.alpha_f),
            dims,
            split: nl > 0 && velocity_level,
            h: 0.0,
            factored_h: None,
            position: Kkt::new(&layout.top, &layout.rows),
            difference: Kkt::new(&layout.top, &layout.rows),
            predictor: iterate.clone(),
            iterate,
            dx_known: zeros(n),
            v_known: zeros(n),
            known: zeros(n),
            at: Evaluated {
                dx: zeros(n),
                q: zeros(dims.q),
                v_tilde: zeros(n),
                v: zeros(n),
                force: zeros(n),
                reaction: zeros(n),
                g_q: zeros(holonomic),
                c_v: zeros(rows),
                residual_tilde: zeros(n),
                residual: zeros(n),
                constraint_tilde: zeros(m),
                constraint: zeros(m),
            },
            evaluated: false,
            blocks: Blocks {
                mass: zeros(top),
                mass_al: zeros(top),
                damping: zeros(top),
                stiffness: zeros(top),
                damping_y: zeros(if layout.is_dense() { n * n } else { 0 }),
                velocity_q: zeros(holonomic),
                rows_q: zeros(rows),
                turn: zeros(if equations.space().is_flat() { 0 } else { rows }),
                r_mu: zeros(rows),
                c_v: zeros(rows),
                work: zeros(top),
                damped: false,
            },
            rhs: zeros(n + m),
            x: zeros(n),
            change: zeros(n),
            dmu: zeros(m),
            layout,
        }
    }

    pub fn forget(&mut self) {
        self.factored_h = None;
    }

    pub fn is_linearized(&self) -> bool {
        self.factored_h.is_some()
    }

    /// M_{1+al} of the step under way.
    pub fn mass(&self) -> &[f64] {
        &self.blocks.mass
    }

    /// M at the time t0 + s, along the velocity.
    pub fn mass_at(&mut self, equations: &mut Equations, now: &State, s: f64) -> Result<&[f64], StepFailure> {
        move_along(equations, now, s, &mut self.at);
        equations.mass(now.t + s, &self.at.q, &mut self.blocks.mass_al)?;
        Ok(&self.blocks.mass_al)
    }

    /// Takes over the data of a step and sets the predictor.
    pub fn begin(&mut self, equations: &mut Equations, data: StepData) -> Result<(), StepFailure> {
        let Coefficients { alpha_m, alpha_f, beta, gamma } = self.coefficients;
        let StepData { h, now, a_al, inertia_al, force, mu, slopes } = data;
        self.h = h;
        let s = h * (1.0 + self.coefficients.alpha());
        move_along(equations, now, s, &mut self.at);
        equations.mass(now.t + s, &self.at.q, &mut self.blocks.mass)?;
        for i in 0..self.dims.v {
            self.dx_known[i] = h * (now.v[i] + h * (0.5 - beta) * a_al[i]);
            self.v_known[i] = now.v[i] + h * (1.0 - gamma) * a_al[i];
            self.known[i] = (alpha_m * inertia_al[i] - alpha_f * force[i]) / (1.0 - alpha_f);
        }
        let Iterate { a, mu: mu1, a_tilde, mu_tilde } = &mut self.predictor;
        a.copy_from_slice(a_al);
        mu1.copy_from_slice(mu);
        if let Some((w, a_before, mu_before)) = slopes {
            for (a, before) in a.iter_mut().zip(a_before) {
                *a += w * (*a - before);
            }
            for (mu, before) in mu1.iter_mut().zip(mu_before) {
                *mu += w * (*mu - before);
            }
        }
        a_tilde.copy_from_slice(a);
        mu_tilde.copy_from_slice(mu1);
        self.iterate.assign(&self.predictor);
        self.evaluated = false;
        Ok(())
    }

    /// Factors the position half for another h, with the blocks there are.
    pub fn refactor_for(&mut self, h: f64) -> Result<(), StepFailure> {
        match self.factored_h {
            Some(factored) if (h - factored).abs() <= 1e-9 * h.abs() => Ok(()),
            _ => self.factor_position(),
        }
    }

    fn factor_position(&mut self) -> Result<(), StepFailure> {
        let Coefficients { beta, gamma, .. } = self.coefficients;
        let (h, blocks) = (self.h, &self.blocks);
        self.factored_h = None;
        let correction = if blocks.damped && self.split { -beta * h * h } else { 0.0 };
        self.position.factor(Bordered {
            top: &[
                (self.c_m, &blocks.mass),
                (gamma * h, &blocks.damping),
                (beta * h * h, &blocks.stiffness),
                (correction, &blocks.damping_y),
            ],
            border: &blocks.r_mu,
            rows: &[(1.0, &blocks.c_v), (beta * h / gamma, &blocks.rows_q), (h, &blocks.turn)],
            corner: None,
        })?;
        self.factored_h = Some(h);
        Ok(())
    }

    /// The step as Newton's method sees it.
    pub fn problem<'a, 's>(
        &'a mut self,
        equations: &'a mut Equations<'s>,
        now: &'a State,
        tolerance: &'a Tolerance,
    ) -> Problem<'a, 's> {
        Problem { halves: self, equations, now, tolerance }
    }

    /// The increment of q, and the step's matrix as a filter of its error.
    pub fn filter(&mut self) -> (&[f64], Filter<'_>) {
        let Blocks { mass, velocity_q, rows_q, c_v, .. } = &self.blocks;
        let nonholonomic_q = &rows_q[self.layout.holonomic.len()..];
        let filter = Filter::new(&mut self.position, &self.layout, (self.c_m, mass), c_v, velocity_q, nonholonomic_q);
        (&self.at.dx, filter)
    }

    /// q1, v1 into `next`, and the method's acceleration and multipliers.
    pub fn solution(&mut self, next: &mut State, a: &mut [f64], mu: &mut [f64]) {
        next.q.copy_from_slice(&self.at.q);
        next.v.copy_from_slice(&self.at.v);
        a.copy_from_slice(&self.iterate.a);
        mu.copy_from_slice(&self.iterate.mu);
        let (lambda, psi) = mu.split_at(next.lambda.len());
        next.lambda.copy_from_slice(lambda);
        next.psi.copy_from_slice(psi);
    }
}

fn move_along(equations: &Equations, now: &State, s: f64, at: &mut Evaluated) {
    for (dx, v) in at.dx.iter_mut().zip(&now.v) {
        *dx = s * v;
    }
    equations.advance(&now.q, &at.dx, &mut at.q);
}
