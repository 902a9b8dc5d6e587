//! Consistent accelerations and multipliers at a given (t, q, v): the (1,0,0) bordered system
//!
//! ```text
//! M a = f + r(lambda, psi),    C a = -bias,     C = d/dv (g_t + G q' ; k),   bias = d/dt (g_t + G q' ; k) at v' = 0
//! ```
//!
//! This is one solve if the reaction is linear in the multipliers, and Newton's method otherwise. Values at t_n that are found in this
//! way are as accurate as q_n and v_n, whatever the method's own accelerations and multipliers are.

mod failure;
mod redundant;
mod residuals;

pub(crate) use failure::AccelerationFailure;

use crate::chart::ChartChange;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::{Equations, Layout, Mass, NotFinite, ask};
use crate::inertia::MassWatch;
use crate::linear::{Bordered, Kkt, Pattern, Singular, Term};
use crate::newton::{Contraction, Criterion, Levels, Pace, STILL, Verdict};
use crate::redundancy::RedundancyWatch;
use crate::singularity::{Here, SingularityWatch};
use crate::state::State;
use crate::stats::Residuals;
use crate::system::{At, Dims, Point};
use crate::tolerance::largest;

/// The most corrections for a reaction that is nonlinear in the multipliers.
const LIMIT: usize = 30;
/// A relative change of accelerations that is rounding, and one that may be rounding if it no longer shrinks.
const ROUNDING: f64 = 1e-15;
const NOISE: f64 = 1e-10;

/// Corrections this many times as large as the solution have cost it digits.
const DIGITS: f64 = 1e3;

/// Contraction up to which factors of a point nearby serve.
const SLOW: f64 = 0.01;

fn border<'a>(r_mu: &'a [f64], c_v: &'a [f64]) -> Term<'a> {
    if r_mu.is_empty() { (-1.0, c_v) } else { (1.0, r_mu) }
}

/// Solves the acceleration level, and keeps blocks and factors for further use.
pub struct AccelerationLevel {
    dims: Dims,
    layout: Layout,
    /// M(t,q).
    pub mass: Mass,
    /// G, lambda by tangent, where it is not W: under a general rate, and while q is corrected.
    g_q: Vec<f64>,
    /// C, constraints by v: W above K.
    pub c_v: Vec<f64>,
    /// f(t,q,v).
    pub force: Vec<f64>,
    /// The transpose of (r_lambda, r_psi), constraints by v; empty for the standard reaction, which is that of -C.
    r_mu: Vec<f64>,
    /// The factored matrix [M, -r_mu; C].
    pub kkt: Kkt,
    reaction: Vec<f64>,
    bias: Vec<f64>,
    rhs: Vec<f64>,
    mu: Vec<f64>,
    watch: SingularityWatch,
    redundancy: RedundancyWatch,
    signs: MassWatch,
}

impl Keep for AccelerationLevel {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.mass.keep(archive)?;
        archive.growing(&mut self.g_q)?;
        keep!(archive; self.c_v, self.force, self.r_mu, self.kkt, self.watch, self.redundancy, self.signs)
    }
}

impl AccelerationLevel {
    /// Room for a system.
    pub fn new(equations: &Equations) -> Self {
        let (dims, layout) = (equations.dims(), equations.layout().clone());
        let (n, m) = (dims.v, dims.constraints());
        if layout.is_dense() {
            // Small systems have all at once: no step allocates, however late positions are first corrected.
            layout.structure.shelf.put(vec![0.0; layout.holonomic_q.len()]);
        }
        AccelerationLevel {
            dims,
            mass: equations.room_for_mass(),
            g_q: vec![0.0; if equations.has_general_rate() { layout.holonomic_q.len() } else { 0 }],
            c_v: vec![0.0; layout.rows.len()],
            force: vec![0.0; n],
            r_mu: vec![0.0; if equations.has_standard_reaction() { 0 } else { layout.rows.len() }],
            kkt: Kkt::new(&layout.structure).without_pivots(),
            reaction: vec![0.0; n],
            bias: vec![0.0; m],
            rhs: vec![0.0; n + m],
            mu: vec![0.0; m],
            watch: SingularityWatch::new(dims, layout.rows.len()),
            redundancy: RedundancyWatch::default(),
            signs: MassWatch::new(equations),
            layout,
        }
    }

    /// G at the last state it was asked for.
    pub fn g_q(&self) -> &[f64] {
        if self.g_q.is_empty() { &self.c_v[..self.layout.holonomic.len()] } else { &self.g_q }
    }

    /// G at a place near the one that C and the factors belong to.
    ///
    /// # Errors
    /// If it is not finite.
    pub fn renew_g_q(&mut self, equations: &mut Equations, t: f64, q: &[f64]) -> Result<(), NotFinite> {
        if self.g_q.is_empty() {
            self.g_q = self.layout.structure.shelf.take(self.layout.holonomic_q.len());
        }
        equations.holonomic_q(t, q, &mut self.g_q)
    }

    /// From now on G is W again, unless the rate is general.
    pub fn forget_g_q(&mut self, equations: &Equations) {
        if !equations.has_general_rate() {
            self.layout.structure.shelf.put(std::mem::take(&mut self.g_q));
        }
    }

    /// Room for G where it is not W.
    fn fit_g_q(&mut self, equations: &Equations) {
        self.forget_g_q(equations);
        if equations.has_general_rate() {
            self.g_q.resize(self.layout.holonomic_q.len(), 0.0);
        }
    }

    /// W from G, where it is something else.
    fn velocity_v(&mut self, equations: &mut Equations, t: f64, q: &[f64], v: &[f64]) -> Result<(), NotFinite> {
        if self.g_q.is_empty() {
            return Ok(());
        }
        equations.velocity_v(t, q, v, &self.g_q, &mut self.c_v[..self.layout.holonomic.len()])
    }

    /// Whether it was made for a system of these sizes.
    pub fn fits(&self, equations: &Equations) -> bool {
        self.dims == equations.dims()
    }

    /// Replaces a, lambda, psi of a state by the consistent values (its own are the first guess), and says how well q
    /// and v meet the constraints.
    ///
    /// # Errors
    /// As for [`solve`](Self::solve), and if constraints became dependent since the last accepted state.
    pub fn complete(&mut self, equations: &mut Equations, state: &mut State) -> Result<Residuals, AccelerationFailure> {
        self.complete_by(equations, state, false)?;
        self.watch_and_residuals(equations, state)
    }

    /// The same for a state that no other follows.
    ///
    /// # Errors
    /// As for [`solve`](Self::solve).
    pub fn complete_once(&mut self, equations: &mut Equations, state: &mut State) -> Result<(), AccelerationFailure> {
        self.complete_by(equations, state, false)
    }

    /// The same with the factors of a point nearby, from where the state was projected.
    ///
    /// # Errors
    /// As for [`complete`](Self::complete).
    pub fn complete_nearby(
        &mut self,
        equations: &mut Equations,
        state: &mut State,
    ) -> Result<Residuals, AccelerationFailure> {
        self.complete_by(equations, state, true)?;
        self.watch_and_residuals(equations, state)
    }

    fn complete_by(
        &mut self,
        equations: &mut Equations,
        state: &mut State,
        nearby: bool,
    ) -> Result<(), AccelerationFailure> {
        let mut mu = std::mem::take(&mut self.mu);
        let nl = state.lambda.len();
        mu[..nl].copy_from_slice(&state.lambda);
        mu[nl..].copy_from_slice(&state.psi);
        let solved = self.solve_by(equations, state.t, &state.q, &state.v, &mut state.a, &mut mu, nearby);
        state.lambda.copy_from_slice(&mu[..nl]);
        state.psi.copy_from_slice(&mu[nl..]);
        self.mu = mu;
        if solved == Err(AccelerationFailure::Diverged) && self.layout.is_softened() {
            // Constraints that contradict each other, or lose their rank, have no accelerations either; this is what is then reported.
            let rank = self.redundancy.rank(&self.layout, &self.mass, &self.c_v, &self.kkt);
            rank.map_err(|constraint| AccelerationFailure::Crossing { constraint })?;
            self.residuals(equations, state)?;
        }
        solved
    }

    /// Begins a new motion: the next state to be completed is its start.
    pub fn restart(&mut self) {
        self.watch.restart();
        self.redundancy.restart();
        self.signs.restart();
    }

    /// The same from a state that need not be completed.
    pub(crate) fn restart_from(&mut self, start: &State) {
        self.restart();
        self.redundancy.measure(largest(&start.q), largest(&start.v));
    }

    /// The state completed last has been accepted; by now it may have been moved onto the constraints.
    pub fn accept(&mut self, state: &State) {
        let AccelerationLevel { watch, r_mu, c_v, .. } = self;
        watch.accept(state, border(r_mu, c_v).1);
        self.redundancy.accept();
    }

    /// The transpose of r_mu.
    pub fn border(&self) -> Term<'_> {
        border(&self.r_mu, &self.c_v)
    }

    /// Carries what it remembers over to another chart.
    pub(crate) fn rechart(&mut self, change: &mut ChartChange) {
        self.watch.rechart(change);
    }

    /// F = f + r(mu) at the state last solved.
    ///
    /// # Errors
    /// If the reaction is not finite.
    pub fn total_force(
        &mut self,
        equations: &mut Equations,
        state: &State,
        mu: &[f64],
        out: &mut [f64],
    ) -> Result<(), NotFinite> {
        let nl = self.dims.lambda;
        let (lambda, psi) = mu.split_at(nl);
        let (w_v, k_v) = self.c_v.split_at(self.layout.holonomic.len());
        let State { t, q, v, .. } = state;
        equations.reaction(Point { t: *t, q, v, lambda, psi }, w_v, k_v, out)?;
        for (out, f) in out.iter_mut().zip(&self.force) {
            *out += f;
        }
        Ok(())
    }

    /// The shortest way x, with its multipliers, along which constraints change by -c: with the matrix of the state last factored.
    pub(crate) fn shift(&mut self, c: &[f64]) -> &[f64] {
        self.rhs.fill(0.0);
        for (rhs, c) in self.rhs[self.dims.v..].iter_mut().zip(c) {
            *rhs = -c;
        }
        self.kkt.solve(&mut self.rhs);
        &self.rhs
    }

    /// What is known of the state last factored, with room for a right-hand side.
    pub(crate) fn here<'a>(&'a mut self, rows: &'a Pattern, rhs: &'a mut [f64]) -> Here<'a> {
        Here { kkt: &mut self.kkt, border: border(&self.r_mu, &self.c_v), rows, rhs }
    }

    /// Replaces `rhs` by the solution with the matrix of the state last solved, refined where constraints may be dependent.
    pub(crate) fn respond(&mut self, rhs: &mut [f64]) {
        let n = self.dims.v;
        self.rhs.copy_from_slice(rhs);
        self.kkt.solve(rhs);
        if !self.layout.is_softened() {
            return;
        }
        let ((x, mu), (motion, constraints)) = (rhs.split_at(n), self.rhs.split_at_mut(n));
        self.layout.top.multiply_add(-1.0, &self.mass, x, motion);
        let (sign, border) = border(&self.r_mu, &self.c_v);
        self.layout.rows.multiply_transposed_add(sign, border, mu, motion);
        self.layout.rows.multiply_add(-1.0, &self.c_v, x, constraints);
        self.kkt.solve(&mut self.rhs);
        rhs.iter_mut().zip(&self.rhs).for_each(|(x, d)| *x += d);
    }

    /// Solves for `a` and the multipliers `mu` = (lambda, psi); `mu` is the first guess.
    ///
    /// # Errors
    /// If the system cannot be evaluated or the matrix is singular.
    pub fn solve(
        &mut self,
        equations: &mut Equations,
        t: f64,
        q: &[f64],
        v: &[f64],
        a: &mut [f64],
        mu: &mut [f64],
    ) -> Result<(), AccelerationFailure> {
        self.solve_by(equations, t, q, v, a, mu, false)
    }

    /// G and C.
    pub(crate) fn evaluate_rows(
        &mut self,
        equations: &mut Equations,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) -> Result<(), NotFinite> {
        self.fit_g_q(equations);
        let (w_v, k_v) = self.c_v.split_at_mut(self.layout.holonomic.len());
        equations.holonomic_q(t, q, if self.g_q.is_empty() { w_v } else { &mut self.g_q[..] })?;
        equations.nonholonomic_v(t, q, v, k_v)?;
        self.velocity_v(equations, t, q, v)
    }

    /// M, G and C.
    fn evaluate_blocks(&mut self, equations: &mut Equations, t: f64, q: &[f64], v: &[f64]) -> Result<(), NotFinite> {
        self.fit_g_q(equations);
        let (w_v, k_v) = self.c_v.split_at_mut(self.layout.holonomic.len());
        let g_q = if self.g_q.is_empty() { w_v } else { &mut self.g_q[..] };
        let mass = equations.unshared_mass(t, q, &mut self.mass)?;
        ask!(
            equations,
            At::new(t, q, v),
            Mass => mass,
            HolonomicQ => g_q,
            NonholonomicV => k_v,
        )?;
        self.velocity_v(equations, t, q, v)
    }

    /// Derivatives of the reaction by the multipliers at a point whose C is known.
    fn linearize_reaction(&mut self, equations: &mut Equations, at: Point) -> Result<(), NotFinite> {
        if self.r_mu.is_empty() {
            return Ok(());
        }
        let (w_v, k_v) = self.c_v.split_at(self.layout.holonomic.len());
        equations.reaction_mu(at, w_v, k_v, &mut self.r_mu)
    }

    /// Factors the blocks there are.
    pub(crate) fn factor(&mut self) -> Result<(), Singular> {
        self.kkt.factor(Bordered {
            top: &[(1.0, &*self.mass)],
            border: border(&self.r_mu, &self.c_v),
            rows: &[(1.0, &self.c_v)],
            corner: None,
        })
    }

    /// Whether constraints at the state last factored are as independent as those that another watch has seen at its start.
    pub(crate) fn rank(&self, redundancy: &mut RedundancyWatch) -> Result<(), usize> {
        redundancy.rank(&self.layout, &self.mass, &self.c_v, &self.kkt)
    }

    /// The factored matrix at a state, and nothing else.
    pub(crate) fn factor_at(&mut self, equations: &mut Equations, state: &State) -> Result<(), AccelerationFailure> {
        let State { t, q, v, lambda, psi, .. } = state;
        self.evaluate_blocks(equations, *t, q, v)?;
        self.factor_blocks(equations, Point { t: *t, q, v, lambda, psi })
    }

    /// The same where M and C are known.
    pub(crate) fn factor_blocks(&mut self, equations: &mut Equations, at: Point) -> Result<(), AccelerationFailure> {
        self.linearize_reaction(equations, at)?;
        Ok(self.factor()?)
    }

    /// With factors of a point nearby corrections are repeated to rounding, as long as they shrink fast.
    fn solve_by(
        &mut self,
        equations: &mut Equations,
        t: f64,
        q: &[f64],
        v: &[f64],
        a: &mut [f64],
        mu: &mut [f64],
        mut nearby: bool,
    ) -> Result<(), AccelerationFailure> {
        let Dims { v: n, lambda: nl, .. } = self.dims;
        self.fit_g_q(equations);
        let (w_v, k_v) = self.c_v.split_at_mut(self.layout.holonomic.len());
        let g_q = if self.g_q.is_empty() { w_v } else { &mut self.g_q[..] };
        let (bias, bias_k) = self.bias.split_at_mut(nl);
        let mass = equations.unshared_mass(t, q, &mut self.mass)?;
        ask!(
            equations,
            At::new(t, q, v),
            Force => &mut self.force[..],
            Mass => mass,
            HolonomicQ => g_q,
            NonholonomicV => k_v,
            HolonomicBias => bias,
            NonholonomicBias => bias_k,
        )?;
        self.velocity_v(equations, t, q, v)?;
        let (linear, soft) = (equations.has_standard_reaction(), self.layout.is_softened());
        nearby &= linear && !soft;
        if soft {
            // Started from zero, the iteration gives the smallest multipliers.
            mu.fill(0.0);
        }
        let mut contraction = Contraction::default();
        let mut factored = false;
        // The largest so far of a and of mu, which have units of their own: where the solution is zero, what is left of the
        // guess must not be measured by itself.
        let mut sizes = [0.0_f64; 2];
        for pass in 0..LIMIT {
            let (lambda, psi) = mu.split_at(nl);
            let at = Point { t, q, v, lambda, psi };
            self.linearize_reaction(equations, at)?;
            if !nearby && !(factored && (soft || linear)) {
                self.factor()?;
                factored = true;
            }
            let (w_v, k_v) = self.c_v.split_at(self.layout.holonomic.len());
            equations.reaction(at, w_v, k_v, &mut self.reaction)?;
            let (motion, constraints) = self.rhs.split_at_mut(n);
            for (i, rhs) in motion.iter_mut().enumerate() {
                *rhs = self.force[i] + self.reaction[i];
            }
            self.layout.top.multiply_add(-1.0, &self.mass, a, motion);
            for (rhs, bias) in constraints.iter_mut().zip(&self.bias) {
                *rhs = -bias;
            }
            self.layout.rows.multiply_add(-1.0, &self.c_v, a, constraints);
            self.kkt.solve(&mut self.rhs);
            let (mut changes, mut present) = ([0.0_f64; 2], [0.0_f64; 2]);
            let (motion, constraints) = self.rhs.split_at(n);
            for (kind, (x, d)) in [(&mut *a, motion), (&mut *mu, constraints)].into_iter().enumerate() {
                for (x, d) in x.iter_mut().zip(d) {
                    *x += d;
                    changes[kind] = changes[kind].max(d.abs());
                    present[kind] = present[kind].max(x.abs());
                }
            }
            // A guess far beyond the solution takes the digits of the solution with it, and is no measure of anything.
            let lost = linear && !soft && changes.iter().zip(&present).any(|(change, size)| *change > DIGITS * size);
            sizes = std::array::from_fn(|kind| if lost { present[kind] } else { sizes[kind].max(present[kind]) });
            if lost && nearby {
                nearby = false;
                continue;
            }
            if soft {
                // What dependent constraints contradict each other by keeps moving their multipliers.
                (changes[1], sizes[1]) = (0.0, 0.0);
            }
            let (change, size) = (changes[0].max(changes[1]), sizes[0].max(sizes[1]));
            let pace = Pace { left: LIMIT - pass, slow: SLOW };
            if nearby {
                let change =
                    changes.iter().zip(&sizes).map(|(d, x)| if *d > 0.0 { d / x } else { 0.0 }).fold(0.0, f64::max);
                let levels = Levels { enough: 1e-17, ..Levels::default() };
                match contraction.judge(&Criterion::ORDINARY, change, &levels, pace) {
                    Verdict::Converged | Verdict::Stalled => return Ok(()),
                    verdict => nearby = verdict == Verdict::Continue,
                }
                continue;
            }
            // The softness makes convergence linear, if very fast; otherwise it is quadratic.
            let (rounding, noise) = if soft { (ROUNDING, NOISE) } else { (1e-13, 1e-8) };
            let levels = Levels { rounding, noise, enough: ROUNDING, tolerable: 0.0 };
            let verdict = contraction.judge(&Criterion::ORDINARY, change / size.max(f64::MIN_POSITIVE), &levels, pace);
            let still = || contraction.theta().is_some_and(|theta| theta > STILL);
            let converged =
                matches!(verdict, Verdict::Converged | Verdict::Stalled) || (soft && still() && self.is_rounding(a));
            if linear && !soft && !lost || converged && (pass > 0 || !soft) {
                if soft && self.disagree(a) {
                    self.least(mu);
                }
                return Ok(());
            }
        }
        Err(AccelerationFailure::Diverged)
    }
}
