//! alembert integrates the motion of constrained mechanical systems.
pub mod acceleration;
pub mod controller;
pub mod equations;
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
pub use equations::{Differentiated, Equations, Formulas};
pub use scalar::Scalar;
pub use state::{ConsistentState, State};
pub use system::{ConstrainedSystem, Dims, Point, Supplied};
