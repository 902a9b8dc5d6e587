//! The method at work on one system: what is kept from step to step, and the order in which a step is made.

use std::sync::OnceLock;

use super::dense::Nodes;
use super::estimate::Estimate;
use super::sketch::{Inside, Sketch};
use super::smoothness::{Roughness, Smoothness, Verdict};
use super::step::StageCorrector;
use super::transform::Transform;
use super::weights::{Weights, sum_of_squares};
use super::{Projection, RungeKutta};
use crate::acceleration::AccelerationLevel;
use crate::chart::ChartChange;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::method::projection::Projector;
use crate::method::{Attempt, ErrorEstimate, Law, Method, Own, StepFailure};
use crate::state::State;
use crate::tolerance::Tolerance;

/// Safety factor of the step-size rule.
const SAFETY: f64 = 0.8;
/// Steps below this part of the longest that the error allows were cut by others than the error, and Newton's tolerance falls
/// with the cube of what they are shorter.
const ORDINARY: f64 = 0.35;
/// Least factor of Newton's tolerance for short steps.
const SHORTEST: f64 = 1e-3;
/// Contraction at which Newton's method keeps the step length.
const GOOD_CONTRACTION: f64 = 0.1;

/// Accelerations inside a step that make it as accurate between its ends as there: measured on smooth problems at tolerances from
/// 1e-3 to 1e-12.
fn inner_places(stages: usize) -> usize {
    match stages {
        ..=3 => 2,
        4..=5 => 4,
        _ => 8,
    }
}

/// The method at work on one system.
pub(super) struct RungeKuttaStepper {
    projection: Projection,
    /// b^T A^-1 and R(inf), for the method's own multipliers.
    end_weights: Vec<f64>,
    at_infinity: f64,
    step: StageCorrector,
    estimate: Option<Estimate>,
    projector: Projector,
    level: AccelerationLevel,
    now: State,
    next: State,
    /// q' at both; empty where q' = v.
    rate: Vec<f64>,
    next_rate: Vec<f64>,
    /// The method's own accelerations and multipliers.
    own_a: Vec<f64>,
    own_mu: Vec<f64>,
    next_own_a: Vec<f64>,
    next_own_mu: Vec<f64>,
    /// Starts of the last three steps, latest first, for dense output.
    past: [Past; 3],
    /// For states inside a step; made when first asked for, which most runs never do.
    sketch: OnceLock<Option<Sketch>>,
    /// Steps since the start.
    steps: usize,
    /// Whether an attempt was made from `now`.
    attempted: bool,
}

struct Past {
    state: State,
    rate: Vec<f64>,
}

impl RungeKuttaStepper {
    pub fn new(
        scheme: &RungeKutta,
        end_weights: Vec<f64>,
        transform: Transform,
        equations: &Equations,
        tolerance: Tolerance,
    ) -> Self {
        let (dims, s) = (equations.dims(), scheme.tableau.stages());
        let weights = Weights::new(s, tolerance, equations.tangent(), dims.v);
        let gamma = transform.real.first().map(|(_, tau)| *tau);
        let mut step = StageCorrector::new(scheme.tableau.clone(), transform, equations, weights);
        if scheme.projection != Projection::Full || !scheme.tableau.is_stiffly_accurate() {
            // Without a full projection nothing brings the constraints back to zero after a step; for other tableaus the end is not a stage.
            step.changes.distrust();
        }
        let rate = vec![0.0; if equations.has_general_rate() { dims.q } else { 0 }];
        let past = || Past { state: State::zero(dims), rate: rate.clone() };
        let (a, mu) = (vec![0.0; dims.v], vec![0.0; dims.constraints()]);
        RungeKuttaStepper {
            projection: scheme.projection,
            at_infinity: 1.0 - end_weights.iter().sum::<f64>(),
            end_weights,
            estimate: gamma.filter(|_| scheme.radau).map(|gamma| Estimate::new(&scheme.tableau, gamma, &step)),
            step,
            projector: Projector::new(equations),
            level: AccelerationLevel::new(equations),
            now: State::zero(dims),
            next: State::zero(dims),
            own_a: a.clone(),
            own_mu: mu.clone(),
            next_own_a: a,
            next_own_mu: mu,
            past: [past(), past(), past()],
            sketch: OnceLock::new(),
            next_rate: rate.clone(),
            rate,
            steps: 0,
            attempted: false,
        }
    }

    /// What is known of the smoothness of the motion, where it matters.
    fn smoothness(&mut self) -> Option<&mut Smoothness> {
        self.estimate.as_mut()?.smoothness.as_mut()
    }

    /// x1 = R(inf) x0 + b^T A^-1 X, as the paper takes its multipliers (2.5).
    fn end_values(&mut self) {
        let width = self.own_a.len() + self.own_mu.len();
        for (out, before) in [(&mut self.next_own_a, &self.own_a), (&mut self.next_own_mu, &self.own_mu)] {
            for (out, before) in out.iter_mut().zip(before) {
                *out = self.at_infinity * before;
            }
        }
        for (weight, row) in self.end_weights.iter().zip(self.step.stages.x.chunks_exact(width)) {
            for (out, x) in self.next_own_a.iter_mut().chain(&mut self.next_own_mu).zip(row) {
                *out += weight * x;
            }
        }
        let nl = self.next.lambda.len();
        self.next.a.copy_from_slice(&self.next_own_a);
        self.next.lambda.copy_from_slice(&self.next_own_mu[..nl]);
        self.next.psi.copy_from_slice(&self.next_own_mu[nl..]);
    }

    /// The solution of the stages, its error, and what the controller needs to know.
    fn solve(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        let solved = self.step.solve(equations, &self.now, &self.rate, h)?;
        let error = self.estimate.as_mut().map(|estimate| {
            let norm = estimate.norm(&mut self.step, &self.now, &self.rate, h);
            let (most, iterations) = (self.step.newton.policy().fresh.limit as f64, solved.last as f64);
            let stages = self.step.tableau.stages();
            let order = stages + 1;
            let mut exponent = 1.0 / order as f64;
            self.step.attempted_shortness = if norm >= ORDINARY.powi(order as i32) {
                1.0
            } else {
                (norm.powf(exponent) / ORDINARY).powi(3).clamp(SHORTEST, 1.0)
            };
            let safety = SAFETY * ((1.0 + 2.0 * most) / (iterations + 2.0 * most)).min(1.0);
            let mut limit = solved.theta.map_or(2.0, |theta| (GOOD_CONTRACTION / theta).sqrt().max(0.5));
            let (mut norm, mut least, mut law) = (norm, 0.2, Law::Predictive { safety });
            match estimate.verdict(&mut self.step, &self.now, norm, h) {
                Some(Verdict::Rough(Roughness { error, rho })) => {
                    norm = error;
                    // Between the order of a kink and that of the method: a false alarm then costs a few per cent of h.
                    exponent = 1.0 / (2.0 + (2 * stages - 2) as f64 * (1.0 - rho));
                    least = 0.1;
                    law = Law::Proportional { safety };
                }
                Some(Verdict::Return(longer)) => law = Law::Return { h: longer },
                Some(Verdict::Noise) => {
                    // The step is limited by rounding, which is smaller in a longer step, and Newton's contraction is rounding as well.
                    law = Law::Proportional { safety: 4.0 * safety };
                    limit = 4.0;
                }
                None => {}
            }
            ErrorEstimate { norm, exponent, law, ratio: (least, 4.0), keep: 1.2, limit }
        });
        let (iterations, linearizations) = (solved.last, solved.linearizations);
        Ok(Attempt { iterations, linearizations, error, ..Attempt::default() })
    }

    fn attempt_inner(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        let mut attempt = self.solve(equations, h)?;
        self.step.end(equations, &self.now, &mut self.next);
        self.end_values();
        attempt.residuals = if self.projection == Projection::Off || equations.dims().constraints() == 0 {
            self.level.complete(equations, &mut self.next)?
        } else {
            self.projector.project(equations, &mut self.level, &mut self.next, self.projection, h)?;
            self.step.compare_changes(&self.next)?;
            self.level.complete_nearby(equations, &mut self.next)?
        };
        if !self.rate.is_empty() {
            equations.rate(self.next.t, &self.next.q, &self.next.v, &mut self.next_rate)?;
        }
        Ok(attempt)
    }
}

impl Method for RungeKuttaStepper {
    fn restart(&mut self, equations: &mut Equations, start: &State) -> Result<(), StepFailure> {
        self.level.restart();
        self.now.assign(start);
        self.level.complete(equations, &mut self.now)?;
        if !self.rate.is_empty() {
            equations.rate(self.now.t, &self.now.q, &self.now.v, &mut self.rate)?;
        }
        self.own_a.copy_from_slice(&self.now.a);
        self.own_mu.clear();
        self.own_mu.extend(self.now.lambda.iter().chain(&self.now.psi));
        self.step.restart();
        if let Some(smoothness) = self.smoothness() {
            smoothness.restart();
        }
        self.steps = 0;
        self.attempted = false;
        Ok(())
    }

    fn attempt(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        if std::mem::replace(&mut self.attempted, true) {
            // The last attempt from here was not kept: its blocks belong to another length.
            self.step.forget_blocks();
        }
        self.attempt_inner(equations, h).inspect_err(|_| self.step.forget_blocks())
    }

    fn accept(&mut self) {
        self.level.accept(&self.next);
        self.past.rotate_right(1);
        std::mem::swap(&mut self.past[0].state, &mut self.now);
        std::mem::swap(&mut self.past[0].rate, &mut self.rate);
        std::mem::swap(&mut self.now, &mut self.next);
        std::mem::swap(&mut self.rate, &mut self.next_rate);
        std::mem::swap(&mut self.own_a, &mut self.next_own_a);
        std::mem::swap(&mut self.own_mu, &mut self.next_own_mu);
        self.step.accept();
        if let Some(smoothness) = self.smoothness() {
            smoothness.accept();
        }
        self.steps += 1;
        self.attempted = false;
    }

    fn rechart(&mut self, change: &mut ChartChange) {
        let past = self.past.iter_mut().map(|past| (&mut past.state, &mut past.rate));
        for (state, rate) in past.chain([(&mut self.now, &mut self.rate)]) {
            change.apply(&mut state.q);
            change.rate(&state.q, &state.v, rate);
        }
        self.level.rechart(change);
    }

    fn expect_no_retries(&mut self) {
        self.step.newton.set_policy(super::newton::patient_policy());
    }

    fn estimates_error(&self) -> bool {
        self.estimate.is_some()
    }

    fn error(&self) -> Option<(&[f64], &[f64])> {
        self.estimate.as_ref().map(Estimate::error)
    }

    /// From the sizes of v, a and the change of a after a short time H:
    ///
    /// ```text
    /// H = min(0.01/(rtol' |v0|), sqrt(0.02/(rtol' |a0|)), t_end - t0),   T = |a0| H/|a1 - a0|
    /// h = min(H, (0.5 T^(s-1)/|a0|)^(1/(s+1)))                           norms in units of w_q
    /// ```
    fn first_step(&mut self, equations: &mut Equations, t_end: f64) -> Result<f64, StepFailure> {
        let s = self.step.tableau.stages() as i32;
        let span = t_end - self.now.t;
        self.step.weights.measure(&self.now, equations.typical(), span, self.step.changes.constraints());
        let n = self.now.v.len();
        let scale = |x: &[f64], w: &[f64]| (sum_of_squares(x, w) / n.max(1) as f64).sqrt();
        // Under a general rate v has other units than q; its own weights serve.
        let general = !self.rate.is_empty();
        let weights = if general { &self.step.weights.v } else { &self.step.weights.q };
        let rtol = self.step.weights.rtol;
        let speed = if general { scale(&self.rate, &self.step.weights.q) } else { scale(&self.now.v, weights) };
        let acceleration = scale(&self.now.a, weights);
        let probe = span.min(0.01 / (rtol * speed)).min((0.02 / (rtol * acceleration)).sqrt());
        self.next.assign(&self.now);
        self.next.t += probe;
        for i in 0..self.now.q.len() {
            self.next.q[i] +=
                if general { probe * self.rate[i] } else { probe * (self.now.v[i] + 0.5 * probe * self.now.a[i]) };
        }
        for i in 0..n {
            self.next.v[i] += probe * self.now.a[i];
        }
        let probed = self.level.complete(equations, &mut self.next);
        for (next, now) in self.next.a.iter_mut().zip(&self.now.a) {
            *next -= now;
        }
        let change = scale(&self.next.a, weights);
        self.next.assign(&self.now);
        if let Err(failure) = probed {
            let _: StepFailure = failure.into();
            return Ok(0.01 * probe);
        }
        // From rest without acceleration the change alone says how fast things happen.
        let size = acceleration.max(0.1 * change);
        let time = size * probe / change;
        let h = (0.5 * time.powi(s - 1) / size).powf(1.0 / f64::from(s + 1));
        Ok(if h.is_finite() { h.min(probe) } else { probe })
    }

    /// Hermite's polynomial of (q, v, a) at (s+1)/2 nodes: the ends of the last step and the starts of the steps before,
    /// of degree 5, 8, 11 for 3, 5, 7 stages; v and a are its derivatives. Multipliers are interpolated through four nodes.
    ///
    /// Measured on the pendulum at tolerances 1e-6 to 1e-12. With 3 stages q and v are as accurate as the nodes (v within a
    /// factor 4 at 1e-12, where the last correction of q, divided by h, is larger than the error of v). With 5, q is within
    /// a factor 3 and v, like the residual of the velocity level, within a factor 30 of the nodes or of the tolerance,
    /// whichever is worse. The multipliers are far less accurate than at the nodes, and so is everything in the first
    /// (s-3)/2 steps, which have too few nodes behind them: there q is good to 1e-8, v to 1e-6 at tolerance 1e-12.
    /// [`Integrator::consistent_at`](crate::Integrator::consistent_at) projects, and gives multipliers as accurate as q and v.
    fn interpolate(&self, _: &Equations, _: &State, t: f64, out: &mut State) {
        let [last, second, third] = &self.past;
        let states = [&last.state, &self.now, &second.state, &third.state];
        let rates = [&last.rate, &self.rate, &second.rate, &third.rate].map(|rate| rate.as_slice());
        let known = states.len().min(self.steps.saturating_add(1));
        let high = known.min(self.step.tableau.stages().div_ceil(2).max(2));
        Nodes { states, rates, known, high }.interpolate(t, out);
    }

    fn inner_places(&self) -> usize {
        inner_places(self.step.tableau.stages())
    }

    fn sketch(&self, place: usize, x: &mut [f64], v: &mut [f64], a: &mut [f64]) -> bool {
        // When a step is accepted its stages become those of the step before.
        let (stages, start) = match self.attempted {
            true => (&self.step.stages, &self.now),
            false => (&self.step.before, &self.past[0].state),
        };
        let inside = Inside { x, v, a };
        let tableau = &self.step.tableau;
        let sketch = self.sketch.get_or_init(|| Sketch::new(tableau, inner_places(tableau.stages())));
        sketch.as_ref().is_some_and(|sketch| sketch.draw(place, stages, self.step.h, &start.v, inside))
    }

    fn state(&self) -> &State {
        &self.now
    }

    fn next(&self) -> Option<&State> {
        Some(&self.next)
    }

    /// Values of the last stage of a stiffly accurate tableau; R(inf) x0 + b^T A^-1 X otherwise.
    fn own(&self) -> Own<'_> {
        let (lambda, psi) = self.own_mu.split_at(self.now.lambda.len());
        Own { a_time: self.now.t, a: &self.own_a, multiplier_time: self.now.t, lambda, psi }
    }

    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        archive.same("number of stages", self.step.tableau.stages() as f64)?;
        archive.same("projection", f64::from(self.projection as u8))?;
        for a in self.step.tableau.a() {
            archive.same("matrix of the tableau", *a)?;
        }
        keep!(archive; self.now, self.next, self.rate, self.next_rate)?;
        keep!(archive; self.own_a, self.own_mu, self.next_own_a, self.next_own_mu)?;
        for past in &mut self.past {
            past.state.keep(archive)?;
            past.rate.keep(archive)?;
        }
        if let Some(smoothness) = self.smoothness() {
            smoothness.keep(archive)?;
        }
        keep!(archive; self.steps, self.attempted, self.level, self.step)
    }

    fn linear_work(&self) -> LinearWork {
        self.step.linear_work() + self.level.kkt.work()
    }
}
