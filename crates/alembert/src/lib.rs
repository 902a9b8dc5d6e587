//! alembert integrates the motion of constrained mechanical systems.
pub mod acceleration;
pub mod controller;
pub mod equations;
pub mod initial;
pub mod integrator;
pub mod linear;
pub mod method;
pub mod newton;
pub mod observer;
pub mod scalar;
pub mod state;
pub mod stats;
pub mod system;
pub mod tolerance;

pub use controller::{ErrorControl, FixedSteps};
pub use equations::{Differentiated, Equations, Formulas, check_derivatives};
pub use initial::{Guess, consistent};
pub use integrator::{Integrator, Outcome};
pub use method::{GeneralizedAlpha, HhtAlpha, RungeKutta};
pub use observer::{Accepted, Observer, Recorder, Unobserved};
pub use scalar::Scalar;
pub use state::{ConsistentState, State};
pub use stats::Stats;
pub use system::{ConstrainedSystem, Dims, Point, Supplied};
pub use tolerance::Tolerance;
