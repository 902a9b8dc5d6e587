//! What a SOI2 step is made of: iterate, blocks, factors. [`problem`] is what Newton's method sees.

mod doubled;
mod ladder;
mod problem;
mod trend;

use super::Coefficients;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::{Equations, Layout};
use crate::linear::{Bordered, Kkt, LinearWork};
use crate::method::StepFailure;
use crate::method::alpha_error::Filter;
use crate::state::State;
use crate::system::{Dims, Point};
use crate::tolerance::Tolerance;
use doubled::Doubled;
use ladder::{Ladder, Rung};
use problem::Problem;
use trend::Trend;

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
    /// How both halves are solved together where D Y is not formed.
    ladder: Ladder,
    doubled: Option<Box<Doubled>>,
    h: f64,
    /// h of the position half's factors; none without blocks.
    factored_h: Option<f64>,
    /// Factors of the position half.
    pub position: Kkt,
    /// Factors of the difference half: of the same age as the position half's, or constraint corrections do not cancel.
    pub difference: Kkt,
    predictor: Iterate,
    pub trend: Trend,
    iterate: Iterate,
    /// h v0 + h^2 (1/2-beta) a_al, and v0 + h (1-gamma) a_al.
    dx_known: Vec<f64>,
    v_known: Vec<f64>,
    /// (am M_al a_al - af F0)/(1-af).
    known: Vec<f64>,
    at: Evaluated,
    /// How much of `at` belongs to the iterate.
    known_of: Known,
    /// The norm of corrections that may be nothing but rounding.
    rounding: f64,
    blocks: Blocks,
    rhs: Vec<f64>,
    /// Right-hand side of the second half, where both are solved at once; then the correction of a and mu.
    other: Vec<f64>,
    x: Vec<f64>,
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

/// How much is known of an iterate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    Nothing,
    /// q and v.
    Place,
    /// Forces and constraints.
    Constraints,
    /// Residuals of both halves.
    Residuals,
}

/// Values at the iterate.
struct Evaluated {
    dx: Vec<f64>,
    q: Vec<f64>,
    v_tilde: Vec<f64>,
    v: Vec<f64>,
    force: Vec<f64>,
    /// G above K.
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
        keep!(archive; *damped, self.h, self.factored_h, self.trend, self.ladder, self.position, self.difference)?;
        if self.ladder.rung() == Rung::Doubled {
            self.doubled.get_or_insert_with(|| Box::new(Doubled::new(&self.layout))).keep(archive)?;
        }
        Ok(())
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
            ladder: Ladder::new(layout.is_dense()),
            doubled: None,
            h: 0.0,
            factored_h: None,
            position: Kkt::new(&layout.structure),
            difference: Kkt::new(&layout.structure),
            predictor: iterate.clone(),
            // Small systems have little to gain, and stiff ones among them some iterations to lose.
            trend: Trend::new(if layout.is_dense() { 0 } else { n + m }),
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
                c_v: zeros(rows),
                residual_tilde: zeros(n),
                residual: zeros(n),
                constraint_tilde: zeros(m),
                constraint: zeros(m),
            },
            known_of: Known::Nothing,
            rounding: 0.0,
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
            other: zeros(n + m),
            x: zeros(n),
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
    pub fn begin(
        &mut self,
        equations: &mut Equations,
        tolerance: &Tolerance,
        data: StepData,
    ) -> Result<(), StepFailure> {
        let Coefficients { alpha_m, alpha_f, beta, gamma } = self.coefficients;
        let StepData { h, now, a_al, inertia_al, force, mu, slopes } = data;
        self.h = h;
        self.rounding = tolerance.rounding(&now.q, &now.v, a_al, h);
        let s = h * (1.0 + self.coefficients.alpha());
        move_along(equations, now, s, &mut self.at);
        equations.mass(now.t + s, &self.at.q, &mut self.blocks.mass)?;
        for (((dx, v), v0), a) in self.dx_known.iter_mut().zip(&mut self.v_known).zip(&now.v).zip(a_al) {
            *dx = h * (v0 + h * (0.5 - beta) * a);
            *v = v0 + h * (1.0 - gamma) * a;
        }
        for ((known, inertia), force) in self.known.iter_mut().zip(inertia_al).zip(force) {
            *known = (alpha_m * inertia - alpha_f * force) / (1.0 - alpha_f);
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
            self.trend.add(h, a, mu1);
        }
        a_tilde.copy_from_slice(a);
        mu_tilde.copy_from_slice(mu1);
        self.iterate.assign(&self.predictor);
        self.known_of = Known::Nothing;
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
        if self.ladder.rung() == Rung::Doubled {
            let doubled = self.doubled.get_or_insert_with(|| Box::new(Doubled::new(&self.layout)));
            doubled.factor(&self.layout, &self.coefficients, h, blocks)?;
            // The error estimate filters with the position half's.
        }
        let coupled = blocks.damped && self.split && !blocks.damping_y.is_empty();
        let correction = if coupled { -beta * h * h } else { 0.0 };
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

    /// Looks at how strong the dampers are beside the masses.
    fn choose_rung(&mut self) {
        let (h, gamma) = (self.h, self.coefficients.gamma);
        let Halves { layout, blocks, c_m, ladder, .. } = self;
        if !blocks.damped || layout.is_dense() {
            return ladder.damped(0.0);
        }
        let share = (0..layout.top.rows()).fold(0.0_f64, |max, i| {
            let row = layout.top.start(i)..layout.top.start(i + 1);
            let sum = |x: &[f64]| x[row.clone()].iter().map(|x| x.abs()).sum::<f64>();
            max.max(gamma * h * sum(&blocks.damping) / (*c_m * sum(&blocks.mass)).max(f64::MIN_POSITIVE))
        });
        ladder.damped(share);
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

    /// Learns how good the predictor was, if it was extrapolated.
    pub fn learn_trend(&mut self, extrapolated: bool) {
        if extrapolated {
            let (predictor, solution) = (&self.predictor, &self.iterate);
            self.trend.learn(self.h, (&predictor.a, &predictor.mu), (&solution.a, &solution.mu));
        }
    }

    /// F = f + r(mu) at the solution, which has been evaluated.
    pub fn total_force(
        &mut self,
        equations: &mut Equations,
        state: &State,
        mu: &[f64],
        out: &mut [f64],
    ) -> Result<(), StepFailure> {
        let (lambda, psi) = mu.split_at(self.dims.lambda);
        let (w_v, k_v) = self.at.c_v.split_at(self.layout.holonomic.len());
        equations.reaction(Point { t: state.t, q: &self.at.q, v: &self.at.v, lambda, psi }, w_v, k_v, out)?;
        out.iter_mut().zip(&self.at.force).for_each(|(out, f)| *out += f);
        Ok(())
    }

    /// Gives up the factors and solves both halves in a costlier way from now on, if there is one.
    pub fn climb(&mut self) -> bool {
        self.forget();
        self.known_of = Known::Nothing;
        self.iterate.assign(&self.predictor);
        self.split && self.ladder.climb()
    }

    /// Learns what a solution took; solves in a cheaper way again after many easy ones.
    pub fn learn(&mut self, iterations: usize) {
        if self.ladder.learn(iterations) {
            self.forget();
        }
    }

    /// Factorisations and solves so far.
    pub fn work(&self) -> LinearWork {
        let doubled = self.doubled.as_ref().map(|doubled| doubled.kkt.work());
        self.position.work() + self.difference.work() + doubled.unwrap_or_default()
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
