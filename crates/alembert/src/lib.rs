//! alembert integrates the motion of constrained mechanical systems in time: accurately, without drift, with every reaction
//! force.
//!
//! ```text
//! q' = v                                        (or a general rate; unit quaternions turn with v)
//! M(t,q) v' = f(t,q,v) + r(t,q,v,lambda,psi)    r = -G^T lambda - K^T psi unless the system says otherwise
//! 0 = g(t,q)                                    holonomic,    G = g_q;   0 = g_t + G v is kept too
//! 0 = k(t,q,v)                                  nonholonomic, K = k_v
//! ```
//!
//! [`solve()`] goes from a system and a guess to a [`Solution`]: all steps, events, and the state at any time in between. This is what it
//! does: a [`ConstrainedSystem`] ([`Differentiated`] from [`Formulas`], or closures in [`Functions`]) and a [`Guess`] give a
//! [`ConsistentState`]. An [`Integrator`] takes it through time with one of five schemes ([`RungeKutta`], [`VariableBdf`], [`Bdf`], [`GeneralizedAlpha`],
//! [`HhtAlpha`]) and a step controller, and shows each step to an [`Observer`]. [`Event`]s stop or change the motion on the way, and
//! an [`Integrator::summary`] says how well it went. [`catalogue`] has the methods by name. Read `integrator.rs` first.
//!
//! # Example
//!
//! A pendulum, from a guess that is not on the circle:
//!
//! ```
//! use alembert::{Differentiated, Dims, Formulas, Guess, Scalar, Tolerance, solve};
//!
//! struct Pendulum;
//! impl Formulas for Pendulum {
//!     fn dims(&self) -> Dims {
//!         Dims { q: 2, v: 2, lambda: 1, psi: 0 }
//!     }
//!     fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
//!         (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
//!     }
//!     fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
//!         force[1] = S::from(-9.81);
//!     }
//!     fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
//!         g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
//!     }
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let system = Differentiated::new(Pendulum);
//!     // The guess is not on the circle; the start is the closest point that is.
//!     let guess = Guess::new(0.0, vec![1.0, 0.1], vec![0.0, 0.0]);
//!     let motion = solve(&system, &guess, 0.0..10.0, Tolerance::relative(1e-8)?)?.whole()?;
//!     // Anywhere in the run, as accurate as the steps.
//!     let state = motion.at(4.321)?;
//!     println!("q = {:?}, rod force = {:.3}", state.q, 2.0 * state.lambda[0]);
//!     println!("{} steps; {}", motion.steps().len(), motion.summary());
//!     Ok(())
//! }
//! ```
//!
//! Tolerances have no default: how accurate a result has to be is the caller's choice.
//!
//! # Where to find what
//!
//! | | |
//! |---|---|
//! | describe a system | [`Formulas`] with [`Differentiated`], [`Functions`], or [`system`] for the trait behind them; [`rotation`] for quaternions, [`scalar`] for the numbers |
//! | find a start | [`consistent`], and [`initial`] for options and refusals |
//! | choose a method | [`method`]; by name from the [`catalogue`] |
//! | choose steps | [`ErrorControl`], [`FixedSteps`]; a rule of your own is a [`controller::StepController`] |
//! | integrate | [`solve()`], or [`Integrator`] for modes, times to land on, [`checkpoint`]s and steps one by one; [`run_many`] on several threads |
//! | look at the motion | [`Solution`], [`Observer`], [`Event`] |
//! | know accelerations and reactions at a state | [`Dynamics`] |
//! | judge it | [`Summary`], [`verdict`], [`audit`] |
//! | treat errors | [`Advised`]: message, hint and whom to blame, as data |
//! | step a method by hand | [`method::Method`] with [`Equations`] |

// What users and writers of systems, events, controllers and methods name by its module.
pub mod audit;
pub mod catalogue;
pub mod checkpoint;
pub mod controller;
pub mod equations;
pub mod equilibrium;
pub mod event;
pub mod initial;
pub mod integrator;
pub mod method;
pub mod observer;
pub mod rotation;
pub mod scalar;
pub mod solution;
pub mod solve;
pub mod space;
pub mod system;
pub mod verdict;

// Private, but for `examples/sparse_cost`, which measures it.
#[cfg(not(alembert_internals))]
mod linear;
#[cfg(alembert_internals)]
#[doc(hidden)]
#[allow(missing_docs)]
pub mod linear;

// What only this crate knows, or what is shown in full below.
mod acceleration;
mod across;
mod advice;
mod between;
mod chart;
mod driven;
mod dynamics;
mod ensemble;
mod gaps;
mod inertia;
mod newton;
mod passage;
mod redundancy;
mod rounding;
mod schedule;
mod sensitivity;
mod singularity;
mod sliding;
mod state;
mod stats;
mod summary;
mod switching;
mod tolerance;
mod turns;
mod typical;

pub use across::Across;
pub use advice::{Advice, Advised};
pub use controller::{ErrorControl, FixedSteps};
pub use dynamics::Dynamics;
pub use ensemble::{run_in_order, run_many};
pub use equations::{Detected, Differentiated, Equations, Formulas, Undetectable, check_derivatives, detect_patterns};
pub use event::{Action, Direction, Event, EventFormula, Gradient, Occurrence};
pub use initial::{Guess, consistent};
pub use integrator::{Integrator, Limits, Outcome};
pub use linear::{LinearWork, Pattern, Singular, SolverChoice};
pub use method::{Bdf, GeneralizedAlpha, HhtAlpha, RungeKutta, VariableBdf};
pub use observer::{Accepted, Observer, Recorder, Unobserved};
pub use scalar::Scalar;
pub use schedule::BadTime;
pub use sensitivity::DerivedErrors;
pub use solution::{Solution, StepRecord};
pub use solve::{Plan, solve};
pub use state::{ConsistentState, State, Unknown};
pub use stats::{Failures, Residuals, RowCounts, Stats};
pub use summary::{NamedSizes, Summary};
pub use system::{
    Answer, At, ConstrainedSystem, Description, Dims, Energy, Functions, Held, Named, Patterns, Point, Quantities,
    Quantity, Redundancy, Supplied, Switch, SystemRef, Workspace,
};
pub use tolerance::{BadTolerance, Tolerance};
pub use typical::{BadSize, GivenSizes, TypicalSizes};
pub use verdict::Warning;

#[cfg(test)]
#[path = "../tests/common/counting.rs"]
mod counting;
