//! What a SOI2 step is made of: iterate, blocks, factors. [`problem`] is what Newton's method sees.

mod blocks;
mod coupling;
mod problem;
mod settle;
mod trend;

use super::{Coefficients, GeneralizedAlpha};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::{Equations, Layout};
use std::sync::Arc;

use crate::linear::{Bordered, Kkt, LinearWork, Pattern, Singular, Structure};
use crate::method::StepFailure;
use crate::method::alpha_error::Filter;
use crate::state::State;
use crate::system::{Dims, Point};
use crate::tolerance::Tolerance;
use blocks::{Blocks, Evaluated, Iterate, Known};
use coupling::{Numbers, Ways};
use problem::AlphaProblem;
use trend::Trend;

/// What a step starts from.
#[derive(Clone, Copy)]
pub(super) struct StepData<'a> {
    pub h: f64,
    pub now: &'a State,
    pub a_al: &'a [f64],
    /// M_al a_al, where the matrix is the one of the step before.
    pub inertia_al: Option<&'a [f64]>,
    /// F0.
    pub force: &'a [f64],
    pub mu: &'a [f64],
    pub slopes: Option<Slopes<'a>>,
}

/// For the predictor: h/h_before with a_al and mu one step back.
#[derive(Clone, Copy)]
pub(super) struct Slopes<'a> {
    pub w: f64,
    pub a_al: &'a [f64],
    pub mu: &'a [f64],
}

/// Iterate, blocks and factors of a step.
pub(super) struct Halves {
    coefficients: Coefficients,
    c_m: f64,
    dims: Dims,
    layout: Layout,
    /// Whether there is a difference half.
    split: bool,
    /// How both halves are solved together, with the matrices for it.
    ways: Ways,
    h: f64,
    /// h of the factors; none without blocks.
    factored_h: Option<f64>,
    trend: Trend,
    iterate: Iterate,
    /// (am M_al a_al - af F0)/(1-af).
    known: Vec<f64>,
    at: Evaluated,
    /// How much of `at` belongs to the iterate.
    known_of: Known,
    /// The norm of corrections that may be nothing but rounding.
    rounding: f64,
    blocks: Blocks,
    /// Whether the error is estimated, for which Gamma is needed on every rung.
    pub filtered: bool,
}

impl Keep for Halves {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        // Gamma is there or not.
        let mut has_gamma = !self.blocks.velocity_q.is_empty();
        has_gamma.keep(archive)?;
        self.blocks.velocity_q.resize(if has_gamma { self.layout.holonomic.len() } else { 0 }, 0.0);
        keep!(archive; self.blocks, self.h, self.factored_h, self.trend, self.ways)?;
        if archive.is_reading() && self.ways.way().needs_gamma() && self.blocks.turns.is_some() {
            self.blocks.turn.resize(self.layout.rows.len(), 0.0);
            self.blocks.make_turn(&self.layout);
        }
        Ok(())
    }
}

impl Halves {
    pub fn new(scheme: &GeneralizedAlpha, equations: &Equations) -> Self {
        let GeneralizedAlpha { coefficients, velocity_level, coupling, .. } = *scheme;
        let (dims, layout) = (equations.dims(), equations.layout().clone());
        let (small, split) = (layout.is_dense(), dims.lambda > 0 && velocity_level);
        let mut halves = Halves {
            coefficients,
            c_m: (1.0 - coefficients.alpha_m) / (1.0 - coefficients.alpha_f),
            dims,
            split,
            ways: Ways::new(coupling, &layout, split),
            h: 0.0,
            factored_h: None,
            trend: Trend::new(0),
            iterate: Iterate::default(),
            known: Vec::new(),
            at: Evaluated::default(),
            known_of: Known::Nothing,
            rounding: 0.0,
            blocks: Blocks::default(),
            filtered: true,
            layout,
        };
        if small {
            halves.fit(equations);
        }
        halves
    }

    /// Takes the room for steps. Large systems do without until the start is consistent, which takes as much.
    pub fn fit(&mut self, equations: &Equations) {
        let (n, m, rows) = (self.dims.v, self.dims.constraints(), self.layout.rows.len());
        if self.known.len() == n {
            return;
        }
        let zeros = |len: usize| vec![0.0; len];
        // Small systems have little to gain, and stiff ones among them some iterations to lose.
        self.trend = Trend::new(if self.layout.is_dense() { 0 } else { n + m });
        // What a step hands over has its room where it goes.
        self.iterate = Iterate { a_tilde: zeros(n), a: Vec::new(), mu_tilde: zeros(m), mu: Vec::new() };
        self.known = zeros(n);
        self.at = Evaluated {
            dx: zeros(n),
            q: Vec::new(),
            v_tilde: zeros(if self.dims.psi > 0 { n } else { 0 }),
            v: Vec::new(),
            c_v: zeros(rows),
            tilde: zeros(n + m),
            plain: zeros(n + m),
        };
        self.blocks = Blocks::new(equations);
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

    /// M(t0 + s) a with the matrix along the velocity.
    pub fn inertia_at(
        &mut self,
        equations: &mut Equations,
        now: &State,
        s: f64,
        a: &[f64],
        out: &mut [f64],
    ) -> Result<(), StepFailure> {
        let top = self.layout.top.clone();
        top.multiply(self.mass_at(equations, now, s)?, a, out);
        Ok(())
    }

    /// Replaces F by M(t0 + s)^-1 F with the matrix along the velocity, and says what it cost.
    pub fn divide_by_mass(
        &mut self,
        equations: &mut Equations,
        now: &State,
        s: f64,
        force: &mut [f64],
    ) -> Result<LinearWork, StepFailure> {
        let top = self.layout.top.clone();
        let none = Arc::new(Pattern::dense(0, top.columns()));
        let mut kkt = Kkt::new(&Arc::new(Structure::new(top, none)));
        let mass = self.mass_at(equations, now, s)?;
        kkt.factor(Bordered { top: &[(1.0, mass)], border: (1.0, &[]), rows: &[], corner: None })
            .map_err(|singular| StepFailure::Massless { coordinate: singular.column })?;
        kkt.solve(force);
        Ok(kkt.work())
    }

    /// M(t0 + s) along the velocity.
    fn mass_at(&mut self, equations: &mut Equations, now: &State, s: f64) -> Result<&[f64], StepFailure> {
        let Halves { at, blocks, layout, .. } = self;
        if blocks.mass_is_known {
            return Ok(&blocks.mass);
        }
        at.q.resize(now.q.len(), 0.0);
        move_along(equations, now, s, at);
        blocks.mass_al.resize(layout.top.len(), 0.0);
        equations.mass(now.t + s, &at.q, &mut blocks.mass_al)?;
        Ok(&blocks.mass_al)
    }

    /// Takes over the data of a step and sets the predictor.
    pub fn begin(
        &mut self,
        equations: &mut Equations,
        tolerance: &Tolerance,
        data: &StepData,
    ) -> Result<(), StepFailure> {
        let Coefficients { alpha_m, alpha_f, .. } = self.coefficients;
        let StepData { h, now, a_al, inertia_al, force, .. } = *data;
        self.h = h;
        self.rounding = tolerance.rounding(&now.q, &now.v, a_al, h, equations.typical());
        let alpha = self.coefficients.alpha();
        if !self.blocks.mass_is_known {
            let s = h * (1.0 + alpha);
            move_along(equations, now, s, &mut self.at);
            equations.share_mass(now.t + s, &self.at.q, &mut self.blocks.mass)?;
            self.blocks.mass_is_known = equations.has_constant_mass();
        }
        let mut known = std::mem::take(&mut self.known);
        let multiplied = match inertia_al {
            Some(inertia) => {
                known.copy_from_slice(inertia);
                Ok(())
            }
            None => self.inertia_at(equations, now, alpha * h, a_al, &mut known),
        };
        self.known = known;
        multiplied?;
        let (by_inertia, by_force) = (alpha_m / (1.0 - alpha_f), alpha_f / (1.0 - alpha_f));
        for (known, force) in self.known.iter_mut().zip(force) {
            *known = by_inertia * *known - by_force * force;
        }
        self.predict(data);
        Ok(())
    }

    /// Puts the iterate where the past leads.
    fn predict(&mut self, data: &StepData) {
        let Iterate { a, mu, a_tilde, mu_tilde } = &mut self.iterate;
        match data.slopes {
            None => {
                a.copy_from_slice(data.a_al);
                a_tilde.copy_from_slice(data.a_al);
                mu.copy_from_slice(data.mu);
                mu_tilde.copy_from_slice(data.mu);
            }
            Some(Slopes { w, a_al, mu: mu_before }) => {
                let (first, second) = self.trend.terms(data.h).split_at(a.len());
                first.predict(w, [data.a_al, a_al], [a, a_tilde]);
                second.predict(w, [data.mu, mu_before], [mu, mu_tilde]);
            }
        }
        self.known_of = Known::Nothing;
    }

    /// Factors the position half for another h, with the blocks there are.
    pub fn refactor_for(&mut self, h: f64) -> Result<(), StepFailure> {
        match self.factored_h {
            Some(factored) if (h - factored).abs() <= 1e-9 * h.abs() => Ok(()),
            _ => self.factor(Ways::factor),
        }
    }

    /// Factors new blocks, in the way that suits them.
    fn factor_anew(&mut self) -> Result<(), StepFailure> {
        self.factor(Ways::linearize)
    }

    fn factor(
        &mut self,
        how: impl FnOnce(&mut Ways, &Numbers, &mut Blocks) -> Result<(), Singular>,
    ) -> Result<(), StepFailure> {
        self.factored_h = None;
        let Halves { coefficients, c_m, layout, h, split, filtered, ways, at, blocks, .. } = self;
        let (c_m, h, split, filtered) = (*c_m, *h, *split, *filtered);
        // Where nothing but the matrix has the turn, it is made in the room of C at the iterate: that of the blocks, or not known yet.
        let lent = blocks.turn.is_empty() && blocks.turns.is_some();
        if lent {
            std::mem::swap(&mut blocks.turn, &mut at.c_v);
        }
        blocks.make_turn(layout);
        let factored = how(ways, &Numbers { layout, coefficients, c_m, h, split, filtered }, blocks);
        if lent && ways.way().needs_gamma() {
            at.c_v = blocks.c_v.clone();
        } else if lent {
            std::mem::swap(&mut blocks.turn, &mut at.c_v);
            at.c_v.copy_from_slice(&blocks.c_v);
        }
        factored?;
        self.factored_h = Some(h);
        Ok(())
    }

    /// All blocks at the iterate.
    fn evaluate_blocks(&mut self, equations: &mut Equations, data: &StepData) -> Result<(), StepFailure> {
        let Halves { coefficients, c_m, dims, layout, h, split, filtered, ways, iterate, at, blocks, .. } = self;
        let (lambda, psi) = iterate.mu.split_at(dims.lambda);
        let point = Point { t: data.now.t + *h, q: &at.q, v: &at.v, lambda, psi };
        blocks.evaluate(equations, layout, *h, at, point)?;
        if *split {
            let (c_m, h, split, filtered) = (*c_m, *h, *split, *filtered);
            ways.choose(&Numbers { layout, coefficients, c_m, h, split, filtered }, blocks);
            if ways.way().needs_gamma() || filtered {
                blocks.velocity_q.resize(layout.holonomic.len(), 0.0);
                equations.velocity_q(point.t, &at.q, &at.v, &mut blocks.velocity_q)?;
                if let Some(turns) = &blocks.turns {
                    turns.turn_columns(&layout.holonomic, &mut blocks.velocity_q);
                }
            }
        }
        Ok(())
    }

    /// Replaces the residuals in `at` by corrections.
    fn correct(&mut self) {
        let Halves { coefficients, c_m, layout, h, split, filtered, ways, at, blocks, .. } = self;
        let (c_m, h, split, filtered) = (*c_m, *h, *split, *filtered);
        let step = Numbers { layout, coefficients, c_m, h, split, filtered };
        ways.way().correct(&step, blocks, &mut at.tilde, &mut at.plain);
    }

    /// The step as Newton's method sees it.
    pub fn problem<'a, 's>(
        &'a mut self,
        equations: &'a mut Equations<'s>,
        data: &'a StepData<'a>,
        tolerance: &'a Tolerance,
    ) -> AlphaProblem<'a, 's> {
        AlphaProblem { halves: self, equations, data, tolerance }
    }

    /// The increment of q, and the step's matrix as a filter of its error.
    pub fn filter(&mut self) -> (&[f64], Filter<'_>) {
        // The form without velocity level has none: zeros.
        self.blocks.velocity_q.resize(self.layout.holonomic.len(), 0.0);
        let Blocks { mass, velocity_q, rows_q, c_v, .. } = &self.blocks;
        let nonholonomic_q = rows_q.get(self.layout.holonomic.len()..).unwrap_or_default();
        let weights = (self.c_m, self.coefficients.beta);
        let filter =
            Filter::new(self.ways.way().position(), &self.layout, weights, mass, c_v, velocity_q, nonholonomic_q);
        (&self.at.dx, filter)
    }

    /// The step from these data to the solution (a, mu) has been accepted: learns how good the predictor was.
    pub fn learn_trend(&mut self, data: &StepData, a: &[f64], mu: &[f64]) {
        if let Some(slopes) = data.slopes {
            self.trend.learn(data, &slopes, (a, mu));
        }
    }

    /// Forgets the past.
    pub fn restart(&mut self) {
        self.forget();
        self.trend.restart();
    }

    /// F = f + r(mu) at the solution: what the residual says besides the inertia.
    pub fn total_force(&self, out: &mut [f64]) {
        debug_assert_eq!(self.known_of, Known::Residuals, "no residual of the solution");
        for (out, (known, residual)) in out.iter_mut().zip(self.known.iter().zip(&self.at.plain)) {
            *out = known + residual;
        }
        self.layout.top.multiply_add(self.c_m, &self.blocks.mass, &self.iterate.a, out);
    }

    /// Gives up the factors and solves both halves in a costlier way from now on, if there is one.
    pub fn climb(&mut self) -> bool {
        self.forget();
        self.ways.climb()
    }

    /// Learns what a solution took; solves in a cheaper way again after many easy ones.
    pub fn learn(&mut self, iterations: usize) {
        if self.ways.learn(iterations) {
            self.forget();
        }
    }

    /// Factorisations and solves so far.
    pub fn work(&self) -> LinearWork {
        self.ways.work()
    }

    /// Takes room for q1, v1, and the method's acceleration and multipliers from where these go in the end, unless there is some.
    pub fn take_room(&mut self, next: &mut State, a: &mut Vec<f64>, mu: &mut Vec<f64>) {
        for (own, theirs) in self.handed_over(next, a, mu).into_iter().filter(|(own, _)| own.is_empty()) {
            std::mem::swap(own, theirs);
        }
    }

    /// Returns the room if the step has failed.
    pub fn return_room(&mut self, next: &mut State, a: &mut Vec<f64>, mu: &mut Vec<f64>) {
        for (own, theirs) in self.handed_over(next, a, mu).into_iter().filter(|(_, theirs)| theirs.is_empty()) {
            std::mem::swap(own, theirs);
        }
    }

    fn handed_over<'a>(
        &'a mut self,
        next: &'a mut State,
        a: &'a mut Vec<f64>,
        mu: &'a mut Vec<f64>,
    ) -> [(&'a mut Vec<f64>, &'a mut Vec<f64>); 4] {
        let Halves { at, iterate, .. } = self;
        [(&mut at.q, &mut next.q), (&mut at.v, &mut next.v), (&mut iterate.a, a), (&mut iterate.mu, mu)]
    }

    /// Hands over q1, v1, and the method's acceleration and multipliers; what comes in exchange is thrown away.
    pub fn solution(&mut self, next: &mut State, a: &mut Vec<f64>, mu: &mut Vec<f64>) {
        self.handed_over(next, a, mu).into_iter().for_each(|(own, theirs)| std::mem::swap(own, theirs));
        self.known_of = Known::Nothing;
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
