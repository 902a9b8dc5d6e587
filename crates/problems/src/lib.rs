//! Test problems with exact or independently computed reference solutions.
//!
//! Each problem is one file that opens with its mathematics, its source, and what was corrected. Systems are written
//! through [`alembert::Formulas`], so every derivative is exact. References never come from the integrators under
//! test: they are closed forms, equivalent ODEs in minimal coordinates, published values, or the extrapolation of
//! [`mod@reference`].
//!
//! ```
//! let problem = alembert_problems::by_name("paper3").expect("a problem of that name");
//! let end = problem.reference_at(problem.t_end);
//! assert!((end.q[0] - 1f64.exp()).abs() < 1e-15);
//! ```

mod body;
mod catalogue;
mod elliptic;
mod framework;
mod linear;
mod multiple_pendulum;
pub mod problem;
pub mod reference;

pub mod andrews;
pub mod ball_chain;
pub mod bead;
pub mod car_axis;
pub mod chain;
pub mod clutch;
pub mod four_bar_train;
pub mod free_body;
pub mod gas_crank;
pub mod heavy_top;
pub mod kinked_pendulum;
pub mod lattice;
pub mod long_chain;
pub mod oscillator;
pub mod paper1;
pub mod paper2;
pub mod paper3;
pub mod paper5;
pub mod parallelogram_train;
pub mod pendulum;
pub mod polar_oscillator;
pub mod rheonomic_pendulum;
pub mod rolling_disk;
pub mod rope;
pub mod scaled_pendulum;
pub mod sleigh;
pub mod slider_crank;
pub mod spatial_pendulum;
pub mod spring_pendulum;
pub mod two_bars;
pub mod wheelset;

pub use catalogue::{NAMES, all, by_name};
pub use problem::{EnergyFn, Problem, Reference, Start, applied_acceleration};
