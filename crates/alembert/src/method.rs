//! Methods: each advances a state by one step and knows nothing of how the next step size is chosen.
//!
//! | scheme | for | order |
//! |---|---|---|
//! | [`GeneralizedAlpha`] | holonomic and nonholonomic constraints, M(t,q), reactions nonlinear in the multipliers | 2 |
//! | [`RungeKutta`] | all of these and general kinematics q' = U(t,q,v); error control with Radau IIA | 2s - 1 |
//! | [`Bdf`] | all of these and general kinematics q' = U(t,q,v), at prescribed steps | 1 to 6 |
//! | [`VariableBdf`] | the same, with error control | 1 to 5 |
//! | [`HhtAlpha`] | unconstrained, holonomic or (form `Index2`) nonholonomic systems with invertible M | 2 |
//!
//! A scheme is a plain value with parameters; [`Scheme::build`] makes the stepping [`Method`] for one system.
//!
//! Both traits are public, so that a method can be wrapped (with another tolerance, say), stepped by hand together with its
//! [`Equations`], or written elsewhere. A method asks the system for everything through [`Equations`], and must leave its present state
//! alone until [`Method::accept`]. What the methods of this crate are made of, Newton's method and the linear algebra, is private and
//! still changes: a method that is written elsewhere brings its own.

mod accumulation;
mod alpha_error;
mod bad_method;
mod bdf;
mod charted;
mod error_estimate;
mod failure;
mod generalized_alpha;
mod hht_alpha;
mod interpolation;
mod jerk;
mod matrix;
mod onset;
mod projection;
mod runge_kutta;

pub use accumulation::Accumulation;
pub use bad_method::BadMethod;
pub use bdf::{Bdf, BdfStart, Factorisation, Formulation, VariableBdf};
pub use error_estimate::{ErrorEstimate, Law};
pub use failure::StepFailure;
pub use generalized_alpha::{Coefficients, Coupling, GeneralizedAlpha, MassMatrix, Output, Start};
pub use hht_alpha::{Form, HhtAlpha};
pub(crate) use interpolation::cubic;
pub(crate) use projection::Projector;
pub use runge_kutta::{BadTableau, Projection, RungeKutta, Tableau, Violation};

use crate::chart::ChartChange;
use crate::checkpoint::{Archive, BadCheckpoint};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::state::State;
use crate::stats::Residuals;
use crate::tolerance::{Tolerance, largest};

/// A property of a scheme that its user must know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Caution {
    /// What it is, in words.
    pub words: &'static str,
    /// The parameter that causes it.
    pub value: f64,
    /// The largest value that would not cause it.
    pub limit: f64,
}

/// A method with its parameters, not yet tied to a system.
pub trait Scheme {
    /// What messages and tables call it.
    fn name(&self) -> &'static str;

    /// Whether the method needs dense matrices, whatever patterns a system states.
    fn needs_dense(&self) -> bool {
        false
    }

    /// What the user of these parameters must know to judge a result; none if there is nothing to say.
    fn caution(&self) -> Option<Caution> {
        None
    }

    /// How errors of steps add up where steps are chosen by error, and thus what each step must meet.
    fn accumulation(&self) -> Accumulation {
        Accumulation::NONE
    }

    /// The method for one system. Where steps are chosen by error, `tolerance` is that of a step.
    ///
    /// # Errors
    /// If parameters are out of range or the method does not fit the system.
    fn build(&self, equations: &Equations, tolerance: Tolerance) -> Result<Box<dyn Method>, BadMethod>;
}

/// Makes one step after another, from a consistent state.
pub trait Method: Send {
    /// Starts afresh, without history.
    ///
    /// # Errors
    /// If the system cannot be evaluated at or near the state.
    fn restart(&mut self, equations: &mut Equations, start: &State) -> Result<(), StepFailure>;

    /// Computes the state after `h` without giving up the present one, so that a rejection needs no undo.
    ///
    /// # Errors
    /// If the step did not converge or the system could not be evaluated; a shorter one may succeed.
    fn attempt(&mut self, equations: &mut Equations, h: f64) -> Result<Attempt, StepFailure>;

    /// Makes the state of the last successful attempt the present one.
    fn accept(&mut self);

    /// Learns that a failed attempt will not be retried with a shorter step, so that slow convergence is better than none.
    fn expect_no_retries(&mut self) {}

    /// Whether attempts come with an error estimate.
    fn estimates_error(&self) -> bool {
        false
    }

    /// The estimated error of the last attempt as it was measured: of q, in tangent components, and of v. It is kept after the
    /// attempt is accepted, and only its direction counts. Without it nothing is said of the errors of
    /// [accelerations and multipliers](crate::DerivedErrors).
    fn error(&self) -> Option<(&[f64], &[f64])> {
        None
    }

    /// A good length for the first step after a restart, ending at `t_end` at the latest. The default moves q and v by a thousandth of
    /// their sizes: that is safe for any method, and too short for most.
    ///
    /// # Errors
    /// If the system cannot be evaluated near the state.
    #[allow(unused_variables)]
    fn first_step(&mut self, equations: &mut Equations, t_end: f64) -> Result<f64, StepFailure> {
        let State { t, q, v, a, .. } = self.state();
        let (length, slow) = equations.typical().units();
        let size = |x: &[f64]| largest(equations.bodies(x));
        let (size, speed, acceleration) = (length + size(q), size(v), size(a));
        let still = (t_end - t) / 1e-3;
        let time = still.min(size / speed).min((size / acceleration).sqrt()).min((slow + speed) / acceleration);
        Ok(1e-3 * time)
    }

    /// The state at a time within the last accepted step, which began at `from`. The default is cubic in q from (q,v) and
    /// in v from (v,a), linear in a and the multipliers: of order 2 at least, good enough for methods of order 2.
    fn interpolate(&self, equations: &Equations, from: &State, t: f64, out: &mut State) {
        interpolation::cubic(equations, from, self.state(), t, out);
    }

    /// The degree of the polynomials of [`interpolate`](Self::interpolate) as functions of time.
    fn degree(&self) -> usize {
        3
    }

    /// How many accelerations inside a step (an even number up to 8) make states between its ends as accurate as the ends; zero
    /// where those of [`interpolate`](Self::interpolate) are that accurate.
    fn inner_places(&self) -> usize {
        0
    }

    /// A first sketch of the step that was attempted last (or accepted, if no other was attempted since) at the inner place of this
    /// number: increments of q and v since its start, and accelerations. False if the method has no such sketch.
    #[allow(unused_variables)]
    fn sketch(&self, place: usize, x: &mut [f64], v: &mut [f64], a: &mut [f64]) -> bool {
        false
    }

    /// Moves the configurations it remembers to another chart; only methods for vector spaces are asked to.
    #[doc(hidden)]
    #[allow(unused_variables)]
    fn rechart(&mut self, change: &mut ChartChange) {}

    /// The present state; a, lambda, psi are consistent values at the same time as q and v.
    fn state(&self) -> &State;

    /// The state of the last successful attempt, before it is accepted: it is refused if one of its numbers is not finite. A method
    /// that does not show it ends the integration with such a state after it was accepted, and no shorter step is tried.
    fn next(&self) -> Option<&State> {
        None
    }

    /// The method's own accelerations and multipliers, at their own times.
    fn own(&self) -> Own<'_>;

    /// Writes everything that the next step depends on to a checkpoint, or reads it from one; see [`crate::checkpoint`].
    ///
    /// # Errors
    /// If the checkpoint belongs to something else; the default cannot be saved.
    #[allow(unused_variables)]
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        Err(BadCheckpoint::Unsupported)
    }

    /// What matrices have cost so far.
    fn linear_work(&self) -> LinearWork;
}

/// The quantities a method carries along, which approximate a and the multipliers at shifted times.
#[derive(Clone, Copy, Debug)]
pub struct Own<'a> {
    /// Time of `a`: t_n + alpha h for alpha methods.
    pub a_time: f64,
    /// The method's acceleration (for HHT without the reaction, as in its paper).
    pub a: &'a [f64],
    /// Time of the multipliers.
    pub multiplier_time: f64,
    /// Multipliers of the holonomic constraints.
    pub lambda: &'a [f64],
    /// Multipliers of the nonholonomic constraints.
    pub psi: &'a [f64],
}

impl<'a> Own<'a> {
    /// The state itself, where a method has nothing else (yet).
    pub(crate) fn consistent(state: &'a State) -> Self {
        let State { t, a, lambda, psi, .. } = state;
        Own { a_time: *t, a, multiplier_time: *t, lambda, psi }
    }

    /// What an alpha method carries: a, and the multipliers (lambda, psi) in one.
    fn carried(state: &State, (a_time, a): (f64, &'a [f64]), (multiplier_time, mu): (f64, &'a [f64])) -> Self {
        let (lambda, psi) = mu.split_at(state.lambda.len());
        Own { a_time, a, multiplier_time, lambda, psi }
    }
}

/// A converged step, not yet accepted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attempt {
    /// Newton corrections.
    pub iterations: usize,
    /// Evaluations of the blocks.
    pub linearizations: usize,
    /// How well the new state meets the constraints.
    pub residuals: Residuals,
    /// The estimated error, where the method has an estimate.
    pub error: Option<ErrorEstimate>,
}

/// `name = value` if `fits`, else the error that says what is allowed.
fn require(fits: bool, name: &'static str, value: f64, allowed: &'static str) -> Result<(), BadMethod> {
    if fits { Ok(()) } else { Err(BadMethod::Parameter { name, value, allowed }) }
}

/// What the blocks of a dense matrix cost beside one evaluation of the residual: derivatives come in chunks of columns.
fn linearization_price(columns: usize) -> usize {
    2 + columns / 3
}
