//! The position half of a step: a, mu (and, only under a general rate, p = q') from
//!
//! ```text
//! v = P_v + (a - P_v')/alpha,     q = P_q + (v - P_q')/alpha,   or   q = P_q + (p - P_q')/alpha
//! 0 = M(t,q) a - f - r,           0 = g(t,q),    0 = k(t,q,v),       0 = p - U(t,q,v)
//! ```
//!
//! It is one stage of a Runge-Kutta method with h tau = 1/alpha, so blocks and matrix are those of Radau IIA's real
//! eigenvalue.

mod problem;
mod settle;
mod velocity;

pub(super) use problem::BdfProblem;
pub(super) use velocity::{Accuracy, VelocityHalf};

use super::formula::Formula;
use super::history::{Entry, History};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::{Equations, ask};
use crate::linear::Pattern;
use crate::method::StepFailure;
use crate::method::runge_kutta::blocks::Blocks;
use crate::method::runge_kutta::eigensystem::{Eigensystem, Hats};
use crate::singularity::Here;
use crate::stats::Residuals;
use crate::system::{At, Dims, Point};
use crate::tolerance::{Tolerance, largest};
use crate::typical::TypicalSizes;

/// What Newton's method changes.
#[derive(Clone)]
pub(super) struct Iterate {
    pub a: Vec<f64>,
    /// q'; empty where q' = v.
    pub p: Vec<f64>,
    pub mu: Vec<f64>,
}

impl Iterate {
    fn assign(&mut self, other: &Iterate) {
        self.a.copy_from_slice(&other.a);
        self.p.copy_from_slice(&other.p);
        self.mu.copy_from_slice(&other.mu);
    }
}

/// P and P' of q and v, P of mu, at the new time.
pub(super) struct Extrapolated {
    pub q: Vec<f64>,
    pub q_slope: Vec<f64>,
    pub v: Vec<f64>,
    pub v_slope: Vec<f64>,
    pub mu: Vec<f64>,
    mu_slope: Vec<f64>,
}

pub(super) struct BdfCorrector {
    pub dims: Dims,
    pub formula: Formula,
    pub t: f64,
    pub past: Extrapolated,
    pub iterate: Iterate,
    predictor: Iterate,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub mode: Eigensystem<f64>,
    pub blocks: Blocks,
    /// Whether the reaction is the standard one, whose r_mu is that of -C.
    standard: bool,
    /// 1/alpha of the factors, if there are any.
    pub factored: Option<f64>,
    /// Whether the factors are older than this step.
    pub aged: bool,
    /// Whether nothing singular lies between the last accepted state and where the factors were made.
    pub vetted: bool,
    /// Whether springs and dampers had a say in the factors.
    pub stiff: bool,
    /// Whether there is any damping in the blocks.
    damped: bool,
    linearized: bool,
    hats: Hats,
    pub mass: Vec<f64>,
    force: Vec<f64>,
    reaction: Vec<f64>,
    g_q: Vec<f64>,
    /// W above K, constraints by v.
    c_v: Vec<f64>,
    dq: Vec<f64>,
    dv: Vec<f64>,
    /// Largest |q| and |v| of the points behind the formula: what errors are relative to. A component that passes through
    /// zero is not small for that.
    pub q_scale: Vec<f64>,
    pub v_scale: Vec<f64>,
    pub sizes: TypicalSizes,
    ones: Vec<f64>,
    work: Vec<f64>,
    evaluated: bool,
}

impl Keep for BdfCorrector {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.blocks, self.mode, self.factored, self.aged, self.vetted)?;
        keep!(archive; self.stiff, self.damped, self.linearized)
    }
}

impl BdfCorrector {
    /// What is known of where the factors were made.
    pub fn here(&mut self) -> Here<'_> {
        let (kkt, blocks) = (&mut self.mode.kkt, &self.blocks);
        let border = if self.standard { (-1.0, &blocks.c_v[..]) } else { (1.0, &blocks.r_mu[..]) };
        Here { kkt, border, rows: &blocks.layout.rows, rhs: &mut self.work }
    }

    /// The border at the end of the velocity half, as `here` has it.
    pub fn border_into(&self, equations: &mut Equations, at: Point, out: &mut [f64]) -> Result<(), StepFailure> {
        if self.standard {
            out.copy_from_slice(&self.c_v);
            return Ok(());
        }
        let (w_v, k_v) = self.c_v.split_at(self.blocks.layout.holonomic.len());
        Ok(equations.reaction_mu(at, w_v, k_v, out)?)
    }

    pub fn new(equations: &Equations) -> Self {
        let dims = equations.dims();
        let (n, m) = (dims.v, dims.constraints());
        let general = if equations.has_general_rate() { dims.q } else { 0 };
        let blocks = Blocks::new(equations);
        let iterate = Iterate { a: vec![0.0; n], p: vec![0.0; general], mu: vec![0.0; m] };
        BdfCorrector {
            dims,
            formula: Formula::default(),
            t: 0.0,
            past: Extrapolated {
                q: vec![0.0; dims.q],
                q_slope: vec![0.0; dims.q],
                v: vec![0.0; n],
                v_slope: vec![0.0; n],
                mu: vec![0.0; m],
                mu_slope: vec![0.0; m],
            },
            predictor: iterate.clone(),
            iterate,
            q: vec![0.0; dims.q],
            v: vec![0.0; n],
            mode: Eigensystem::new(0, 1.0, &blocks),
            standard: equations.has_standard_reaction(),
            factored: None,
            aged: false,
            vetted: false,
            stiff: false,
            damped: false,
            linearized: false,
            hats: Hats { x: vec![0.0; n + m], rho: vec![0.0; general] },
            mass: vec![0.0; blocks.layout.top.len()],
            force: vec![0.0; n],
            reaction: vec![0.0; n],
            g_q: vec![0.0; blocks.layout.holonomic_q.len()],
            c_v: vec![0.0; blocks.layout.rows.len()],
            dq: vec![0.0; dims.q],
            dv: vec![0.0; n],
            q_scale: vec![0.0; dims.q],
            v_scale: vec![0.0; n],
            sizes: equations.typical().clone(),
            ones: vec![1.0; n],
            work: vec![0.0; n + m],
            blocks,
            evaluated: false,
        }
    }

    /// Forgets blocks and factors.
    pub fn forget(&mut self) {
        self.factored = None;
        self.linearized = false;
    }

    /// Whether there are blocks to try.
    pub fn is_linearized(&self) -> bool {
        self.linearized
    }

    /// Takes the formula of a new step and extrapolates the past.
    pub fn begin(&mut self, formula: Formula, t: f64, history: &History, sizes: &TypicalSizes) {
        self.sizes.assign(sizes);
        self.formula = formula;
        self.t = t;
        self.aged = true;
        history.largest(formula.points, |entry| &entry.q, &mut self.q_scale);
        history.largest(formula.points, |entry| &entry.v, &mut self.v_scale);
        let past = &mut self.past;
        history.extrapolate(&formula, |entry| &entry.q, &mut past.q, &mut past.q_slope);
        history.extrapolate(&formula, |entry| &entry.v, &mut past.v, &mut past.v_slope);
        history.extrapolate(&formula, |entry| &entry.mu, &mut past.mu, &mut past.mu_slope);
    }

    /// First guess: the extrapolated past. Where the past is projected, v^ is off it by the normal velocity that belongs to
    /// this step's defect, read off the `last` step; without that Newton's method starts far away.
    pub fn predict(&mut self, equations: &mut Equations, last: &Entry, projected: bool) -> Result<(), StepFailure> {
        let Formula { alpha, defect, .. } = self.formula;
        let defect = if projected { defect } else { 0.0 };
        for i in 0..self.dims.v {
            self.predictor.a[i] = self.past.v_slope[i] + alpha * defect * last.shift[i];
            self.v[i] = self.past.v[i] + defect * last.shift[i];
        }
        for (i, mu) in self.predictor.mu.iter_mut().enumerate() {
            *mu = self.past.mu[i] + alpha * defect * last.mu_shift[i];
        }
        if !self.predictor.p.is_empty() {
            equations.rate(self.t, &self.past.q, &self.v, &mut self.predictor.p)?;
        }
        self.restore();
        Ok(())
    }

    /// Goes back to the first guess.
    pub fn restore(&mut self) {
        self.iterate.assign(&self.predictor);
        self.place();
    }

    /// q and v of the iterate.
    fn place(&mut self) {
        let (past, step) = (&self.past, 1.0 / self.formula.alpha);
        for (i, v) in self.v.iter_mut().enumerate() {
            *v = past.v[i] + step * (self.iterate.a[i] - past.v_slope[i]);
        }
        let rate = if self.iterate.p.is_empty() { &self.v } else { &self.iterate.p };
        for (i, q) in self.q.iter_mut().enumerate() {
            *q = past.q[i] + step * (rate[i] - past.q_slope[i]);
        }
        self.evaluated = false;
    }

    /// M a at the iterate, with M evaluated there.
    fn inertia_into(&mut self, equations: &mut Equations, out: &mut [f64]) -> Result<(), StepFailure> {
        equations.mass(self.t, &self.q, &mut self.mass)?;
        self.blocks.layout.top.multiply(&self.mass, &self.iterate.a, out);
        Ok(())
    }

    /// Residuals of the iterate, into `hats`.
    fn evaluate(&mut self, equations: &mut Equations) -> Result<(), StepFailure> {
        if self.evaluated {
            return Ok(());
        }
        let Dims { v: n, lambda: nl, .. } = self.dims;
        let layout = &self.blocks.layout;
        let (t, q, v, iterate) = (self.t, &self.q, &self.v, &self.iterate);
        let (w_v, k_v) = self.c_v.split_at_mut(layout.holonomic.len());
        let (r, c) = self.hats.x.split_at_mut(n);
        let (g, k) = c.split_at_mut(nl);
        // A reaction of the system's own needs neither G nor K.
        let standard = equations.has_standard_reaction();
        let (g_q, rows): (&mut [f64], &mut [f64]) =
            if standard { (&mut self.g_q, &mut *k_v) } else { Default::default() };
        let mass = equations.unknown_mass(t, q, &mut self.mass)?;
        ask!(
            equations,
            At::new(t, q, v),
            Mass => mass,
            Force => &mut self.force[..],
            HolonomicQ => g_q,
            Holonomic => g,
            NonholonomicV => rows,
            Nonholonomic => k,
        )?;
        if standard {
            equations.velocity_v(t, q, v, &self.g_q, w_v)?;
        }
        let (lambda, psi) = iterate.mu.split_at(nl);
        equations.reaction(Point { t, q, v, lambda, psi }, w_v, k_v, &mut self.reaction)?;
        for (i, r) in r.iter_mut().enumerate() {
            *r = -self.force[i] - self.reaction[i];
        }
        layout.top.multiply_add(1.0, &self.mass, &iterate.a, r);
        if !iterate.p.is_empty() {
            equations.rate(t, q, v, &mut self.hats.rho)?;
            for (rho, p) in self.hats.rho.iter_mut().zip(&iterate.p) {
                *rho = p - *rho;
            }
        }
        self.evaluated = true;
        Ok(())
    }

    /// Evaluates every block at the iterate and factors.
    pub fn linearize(&mut self, equations: &mut Equations) -> Result<(), StepFailure> {
        // Residuals first: where a function cannot be evaluated, it is the function that is named, not its derivative.
        self.evaluate(equations)?;
        self.forget();
        let (lambda, psi) = self.iterate.mu.split_at(self.dims.lambda);
        let at = Point { t: self.t, q: &self.q, v: &self.v, lambda, psi };
        self.blocks.evaluate(equations, at, &self.iterate.a)?;
        self.damped = self.blocks.damping.iter().any(|d| *d != 0.0);
        self.linearized = true;
        self.factor()
    }

    /// Takes M, G, K and r_mu at the iterate, keeps damping and stiffness, and factors.
    pub fn refresh(&mut self, equations: &mut Equations) -> Result<(), StepFailure> {
        self.evaluate(equations)?;
        self.renew(equations)
    }

    /// The same with the M evaluated last, which costs no force.
    pub fn renew(&mut self, equations: &mut Equations) -> Result<(), StepFailure> {
        let (nl, holonomic) = (self.dims.lambda, self.blocks.layout.holonomic.len());
        let (t, q, v) = (self.t, &self.q, &self.v);
        let (w_v, k_v) = self.c_v.split_at_mut(holonomic);
        equations.holonomic_q(t, q, &mut self.g_q)?;
        equations.velocity_v(t, q, v, &self.g_q, w_v)?;
        equations.nonholonomic_v(t, q, v, k_v)?;
        self.blocks.mass.copy_from_slice(&self.mass);
        self.blocks.g_q.copy_from_slice(&self.g_q);
        self.blocks.c_v.copy_from_slice(&self.c_v);
        let (w_v, k_v) = self.c_v.split_at(holonomic);
        let (lambda, psi) = self.iterate.mu.split_at(nl);
        equations.reaction_mu(Point { t, q, v, lambda, psi }, w_v, k_v, &mut self.blocks.r_mu)?;
        self.factor()
    }

    /// Factors the blocks for the present alpha.
    pub fn factor(&mut self) -> Result<(), StepFailure> {
        self.factored = None;
        let step = 1.0 / self.formula.alpha;
        self.mode.factor(step, &self.blocks)?;
        self.factored = Some(step);
        self.stiff = self.is_stiff(step);
        (self.aged, self.vetted) = (false, false);
        Ok(())
    }

    /// Whether D/alpha + S/alpha^2 are more than a fraction of M in some row.
    fn is_stiff(&self, step: f64) -> bool {
        let Blocks { layout, mass, damping, stiffness, .. } = &self.blocks;
        let sum = |pattern: &Pattern, values: &[f64], i: usize| -> f64 {
            values[pattern.start(i)..pattern.start(i + 1)].iter().map(|x| x.abs()).sum()
        };
        (0..self.dims.v).any(|i| {
            let (d, s) = (sum(&layout.top, damping, i), sum(&layout.top_q, stiffness, i));
            step * (d + step * s) > STIFF * sum(&layout.top, mass, i)
        })
    }

    /// Solves with `hats` as residuals and corrects the iterate; the changes stay in `dq` and `dv`.
    fn correct(&mut self) {
        let step = 1.0 / self.formula.alpha;
        // The rows of g and k are scaled for the present alpha even where the factors are older.
        self.mode.correct(step, &self.blocks, &mut self.hats);
        let Iterate { a, p, mu } = &mut self.iterate;
        let (da, dmu) = self.hats.x.split_at(self.dims.v);
        for (x, d) in [(&mut *a, da), (&mut *p, &self.hats.rho[..]), (mu, dmu)] {
            for (x, d) in x.iter_mut().zip(d) {
                *x += d;
            }
        }
        for (dv, d) in self.dv.iter_mut().zip(da) {
            *dv = step * d;
        }
        if p.is_empty() {
            for (dq, dv) in self.dq.iter_mut().zip(&self.dv) {
                *dq = step * dv;
            }
        } else {
            for (dq, d) in self.dq.iter_mut().zip(&self.hats.rho) {
                *dq = step * d;
            }
        }
        self.place();
    }

    /// How well q and a velocity meet the constraints; G and W must be those at q.
    pub fn residuals(&mut self, equations: &mut Equations, v: &[f64]) -> Result<Residuals, StepFailure> {
        let (holonomic, nonholonomic) = self.hats.x[self.dims.v..].split_at_mut(self.dims.lambda);
        let (length, speed) = equations.typical().units();
        let (length, speed) = (length + largest(equations.bodies(&self.q)), speed + largest(equations.bodies(v)));
        let (layout, (w_v, k_v)) = (&self.blocks.layout, self.c_v.split_at(self.blocks.layout.holonomic.len()));
        let w = &mut self.work[..self.dims.lambda];
        ask!(
            equations,
            At::new(self.t, &self.q, v),
            Holonomic => &mut *holonomic,
            HolonomicT => &mut *w,
            Nonholonomic => &mut *nonholonomic,
        )?;
        let position = equations.typical().beside(length, holonomic, &layout.holonomic_q, &self.g_q);
        equations.add_turning(self.t, &self.q, v, &self.g_q, w)?;
        let velocity = equations.typical().beside(speed, w, &layout.holonomic, w_v);
        self.evaluated = false;
        let nonholonomic = equations.typical().beside(speed, nonholonomic, &layout.nonholonomic, k_v);
        Ok(Residuals { position, velocity, nonholonomic })
    }

    /// Takes the part of a change of v that stiff springs and dampers would not let live until the end of the step.
    pub fn damp(&mut self, v: &mut [f64]) {
        let n = self.dims.v;
        self.blocks.layout.top.multiply(&self.mass, v, &mut self.work[..n]);
        self.work[n..].fill(0.0);
        self.mode.kkt.solve(&mut self.work);
        v.copy_from_slice(&self.work[..n]);
    }

    /// The norm of changes of q and v.
    pub fn norm(&self, tolerance: &Tolerance, dq: &[f64], dv: &[f64]) -> f64 {
        let (q, v) =
            (tolerance.norm_q(dq, &self.q_scale, &self.sizes), tolerance.norm_v(dv, &self.v_scale, &self.sizes));
        (0.5 * (q * q + v * v)).sqrt()
    }

    /// The norm that rounding alone makes of a correction: q is only known to its last digit, and v^ is its slope.
    pub fn rounding(&self, tolerance: &Tolerance) -> f64 {
        let alpha = self.formula.alpha;
        let slope =
            alpha * largest(self.sizes.bodies(&self.q)) * tolerance.norm_v(&self.ones, &self.v_scale, &self.sizes);
        tolerance.rounding(&self.q, &self.v, &self.iterate.a, 1.0 / alpha, &self.sizes).max(0.5 * f64::EPSILON * slope)
    }
}

/// Part of M from which on springs and dampers have a say.
const STIFF: f64 = 0.3;
