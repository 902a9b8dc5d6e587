//! How well accelerations and multipliers are known. The estimated error of a step, scaled to what the tolerance allows a result, is
//! sent through the acceleration level.
//!
//! ```text
//! (dq, dv)          the estimated error of the step, as the error test sees it; |.| the norm in units of the tolerance
//! (x, w)            = (dq, dv) / max(|dq|, |dv|)
//! da, dlambda, dpsi = (a, lambda, psi)(q o s x, v + s w) - (a, lambda, psi)(q, v), over s
//! tau               = T / max(sum |q_n - q_n-1|, sum |v_n - v_n-1|)      the time in which q and v move by a tolerance on the average
//! estimate          = 0.5 u max( max |(da, ..)|, tau max |(a_n - a_n-1, ..)|/h ),     u = max(0.1, the largest error of a step over what it must meet)
//! ```
//!
//! q and v meet their tolerance, but a stiff spring of stiffness k makes k dq of an error dq: forces, and with them a and the multipliers,
//! may be much worse than q and v, and no residual shows it. The step's error has the direction in which the motion is hard to follow,
//! and lies along the constraints. How much of the tolerance a result uses is not known. Half of it is right in the median where steps
//! were as long as the tolerance allows, and less where Newton's method or landings kept them short. How errors grow in long or
//! unstable motions is not seen, nor what a method has damped away. What has not moved by half a tolerance at all errs by no more than
//! it has moved: a body at rest, of whose errors nothing but the direction of rounding is known.
//!
//! Errors of earlier steps add up to a shift in time, by tau: a contact is met too early or too late, with forces that rise fast. Of
//! two steps in a row the one with the smaller slope counts, so that a jump does not count as a slope.
//!
//! Where rtol is finer than 1e-6, s makes the change so large that rounding of the forces does not matter.
//! A change that is large is made in the opposite direction as well, and the smaller one counts: a jump of the force is on one side.
//! A sample costs one factorisation and one evaluation of the acceleration level, or two. Samples are steps 1, 2, 4, 8, every 16th, and those after
//! which the largest acceleration has doubled since the last such step: contacts are short.

use std::fmt;

use crate::acceleration::AccelerationLevel;
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::state::State;
use crate::tolerance::{Tolerance, largest};

/// From this response on, relative to the largest value, the opposite change is looked at too.
const LARGE: f64 = 1e-3;
/// The smallest change of q and v that is made, relative to their sizes.
const NUDGE: f64 = 1e-6;
/// The median of the errors of results in units of their tolerances, and the least error where steps are far shorter than the
/// tolerance asks for, which is what Newton's method leaves; both measured by `cargo xtask accuracy --estimates`.
const MEDIAN: f64 = 0.5;
const LEAST: f64 = 0.1;
/// One of this many steps is looked at.
const SPACING: u64 = 16;
/// Growth of the largest acceleration after which a step is looked at.
const GROWTH: f64 = 2.0;

/// What errors of q and v as large as the tolerance make of everything that follows from them: estimates, the largest of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DerivedErrors {
    /// Of accelerations.
    pub a: f64,
    /// Of multipliers, holonomic and nonholonomic.
    pub multipliers: f64,
    /// The largest acceleration.
    pub largest_a: f64,
    /// The largest multiplier.
    pub largest_multiplier: f64,
    /// The largest error of a step, in units of what it must meet: shorter steps than the tolerance asks for make less.
    pub used: f64,
    /// Steps in which they were estimated.
    pub samples: u64,
}

impl DerivedErrors {
    /// The error of accelerations beside the largest.
    pub fn relative_a(&self) -> f64 {
        beside(self.a, self.largest_a)
    }

    /// The error of multipliers beside the largest.
    pub fn relative_multipliers(&self) -> f64 {
        beside(self.multipliers, self.largest_multiplier)
    }

    /// The larger of each.
    pub(crate) fn max(self, other: Self) -> Self {
        DerivedErrors {
            a: self.a.max(other.a),
            multipliers: self.multipliers.max(other.multipliers),
            largest_a: self.largest_a.max(other.largest_a),
            largest_multiplier: self.largest_multiplier.max(other.largest_multiplier),
            used: self.used.max(other.used),
            samples: self.samples + other.samples,
        }
    }
}

impl fmt::Display for DerivedErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "accelerations are good to about {:.0e} of their largest value", self.relative_a())?;
        if self.largest_multiplier > 0.0 {
            write!(f, ", multipliers to {:.0e}", self.relative_multipliers())?;
        }
        Ok(())
    }
}

/// The largest difference of two entries.
fn difference(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()))
}

fn beside(error: f64, size: f64) -> f64 {
    if error > 0.0 { error / size } else { 0.0 }
}

impl Keep for DerivedErrors {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.a, self.multipliers, self.largest_a, self.largest_multiplier, self.used, self.samples)
    }
}

/// Estimates the errors of a and the multipliers in some of the steps of one mode.
pub(crate) struct Sensitivity {
    tolerance: Tolerance,
    /// For errors of all that the tolerance allows.
    found: DerivedErrors,
    steps: u64,
    /// The largest acceleration when its growth was last a reason to look.
    peak: f64,
    /// How long it took, and the ways of q and v in tolerances.
    time: f64,
    ways: [f64; 2],
    /// The slopes of a and the multipliers in the last step, and the largest of two steps in a row.
    slopes: [f64; 2],
    steepest: [f64; 2],
    increment: Vec<f64>,
    moved: State,
    mu: Vec<f64>,
}

impl Keep for Sensitivity {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.found, self.steps, self.peak, self.time, self.ways, self.slopes, self.steepest)
    }
}

impl Sensitivity {
    /// Room for a system.
    pub fn new(equations: &Equations, tolerance: Tolerance) -> Self {
        let dims = equations.dims();
        Sensitivity {
            tolerance,
            found: DerivedErrors::default(),
            steps: 0,
            peak: 0.0,
            time: 0.0,
            ways: [0.0; 2],
            slopes: [0.0; 2],
            steepest: [0.0; 2],
            increment: vec![0.0; equations.tangent()],
            moved: State::zero(dims),
            mu: vec![0.0; dims.constraints()],
        }
    }

    /// What was found, if there was a sample.
    pub fn found(&self) -> Option<DerivedErrors> {
        let way = self.ways[0].max(self.ways[1]);
        // What rests has neither errors of steps nor corrections of Newton's method that are more than rounding, in a direction that says nothing: a
        // result errs by no more than the whole way that it has gone.
        let share = (MEDIAN * self.found.used.clamp(LEAST, 1.0)).min(way);
        let shift = if way > 0.0 { self.time / way } else { 0.0 };
        let estimate = |response: f64, slope: f64| share * response.max(shift * slope);
        let (a, multipliers) =
            (estimate(self.found.a, self.steepest[0]), estimate(self.found.multipliers, self.steepest[1]));
        let scaled = DerivedErrors { a, multipliers, ..self.found };
        (scaled.samples > 0).then_some(scaled)
    }

    /// Counts a step between two states with an error of this norm; whether to look at it.
    pub fn is_due(&mut self, equations: &Equations, [before, state]: [&State; 2], norm: f64) -> bool {
        self.measure(equations, before, state);
        let DerivedErrors { largest_a, largest_multiplier, used, .. } = &mut self.found;
        *used = used.max(norm.min(1.0));
        *largest_a = largest_a.max(largest(equations.bodies(&state.a)));
        *largest_multiplier = largest_multiplier.max(largest(&state.lambda)).max(largest(&state.psi));
        self.steps += 1;
        let grown = *largest_a > GROWTH * self.peak;
        if grown {
            self.peak = *largest_a;
        }
        grown || self.steps.is_multiple_of(SPACING) || (self.steps < SPACING && self.steps.is_power_of_two())
    }

    fn measure(&mut self, equations: &Equations, before: &State, state: &State) {
        let (tolerance, sizes, h) = (&self.tolerance, equations.typical(), state.t - before.t);
        equations.space().difference(&before.q, &state.q, &mut self.increment);
        self.ways[0] += equations.space().norm(tolerance, &self.increment, &state.q, sizes);
        for (change, (v, before)) in self.moved.v.iter_mut().zip(state.v.iter().zip(&before.v)) {
            *change = v - before;
        }
        self.ways[1] += tolerance.norm_v(&self.moved.v, &state.v, sizes);
        self.time += h;
        let forces = difference(&state.lambda, &before.lambda).max(difference(&state.psi, &before.psi));
        let slopes = [difference(equations.bodies(&state.a), &before.a) / h, forces / h];
        for ((steepest, slope), last) in self.steepest.iter_mut().zip(slopes).zip(self.slopes) {
            *steepest = steepest.max(slope.min(last));
        }
        self.slopes = slopes;
    }

    /// Looks at a step that ended in `state` with the error (dq, dv). Where the system cannot be evaluated nearby, nothing is learned.
    pub fn look(
        &mut self,
        equations: &mut Equations,
        level: &mut AccelerationLevel,
        state: &State,
        (dq, dv): (&[f64], &[f64]),
    ) {
        let tolerance = &self.tolerance;
        let norm_q = equations.space().norm(tolerance, dq, &state.q, equations.typical());
        let norm = norm_q.max(tolerance.norm_v(dv, &state.v, equations.typical()));
        if !(norm.is_finite() && norm > 0.0) {
            return;
        }
        let s = (NUDGE / tolerance.rtol).max(1.0);
        let Some([mut a, mut multipliers]) = self.response(equations, level, state, (dq, dv), s / norm) else { return };
        let DerivedErrors { largest_a, largest_multiplier, .. } = self.found;
        if a > LARGE * s * largest_a || multipliers > LARGE * s * largest_multiplier {
            // A jump of the force nearby is on one side only.
            let opposite = self.response(equations, level, state, (dq, dv), -s / norm);
            let Some([other, others]) = opposite else { return };
            (a, multipliers) = (a.min(other), multipliers.min(others));
        }
        let found = &mut self.found;
        found.a = found.a.max(a / s);
        found.multipliers = found.multipliers.max(multipliers / s);
        found.samples += 1;
    }

    /// The largest changes of a and of the multipliers where (q, v) moves by (dq, dv) times a factor.
    fn response(
        &mut self,
        equations: &mut Equations,
        level: &mut AccelerationLevel,
        state: &State,
        (dq, dv): (&[f64], &[f64]),
        factor: f64,
    ) -> Option<[f64; 2]> {
        let Sensitivity { increment, moved, mu, .. } = self;
        increment.iter_mut().zip(dq).for_each(|(x, dq)| *x = factor * dq);
        equations.advance(&state.q, increment, &mut moved.q);
        for ((moved, v), dv) in moved.v.iter_mut().zip(&state.v).zip(dv) {
            *moved = v + factor * dv;
        }
        moved.a.copy_from_slice(&state.a);
        let nl = state.lambda.len();
        mu[..nl].copy_from_slice(&state.lambda);
        mu[nl..].copy_from_slice(&state.psi);
        level.solve(equations, state.t, &moved.q, &moved.v, &mut moved.a, mu).ok()?;
        let multipliers = difference(&mu[..nl], &state.lambda).max(difference(&mu[nl..], &state.psi));
        Some([difference(equations.bodies(&moved.a), &state.a), multipliers])
    }
}
