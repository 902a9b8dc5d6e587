//! alembert integrates the motion of constrained mechanical systems.
pub mod equations;
pub mod initial;
mod linear {
    pub mod rank;
}
pub mod scalar;
pub mod state;
pub mod system;
pub use equations::{Differentiated, Equations, Formulas};
pub use scalar::Scalar;
pub use state::{ConsistentState, State};
pub use system::{ConstrainedSystem, Dims, Point, Supplied};
