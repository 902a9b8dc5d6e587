//! Mechanisms: bodies, joints and forces, as a system that [alembert] integrates.
//!
//! A mechanism is bodies (in space or in the plane), joints between markers on them, drivers, and forces. It is integrated in absolute
//! coordinates: every joint is a constraint that holds to rounding, and every reaction comes out in newtons.
//!
//! ```
//! use alembert::{Tolerance, solve};
//! use alembert_mechanism::{Body, GROUND, Mechanism};
//! use alembert_mechanism::joint::Revolute;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let mut builder = Mechanism::builder();
//!     builder.gravity([0.0, 0.0, -9.81]);
//!     // A rod of 1 m, horizontal, on a hinge about y.
//!     let rod = builder.body("rod", Body::new(2.0, [0.001, 1.0 / 6.0, 1.0 / 6.0]).at([0.5, 0.0, 0.0]));
//!     let y = [0.0, 1.0, 0.0];
//!     let hinge = builder.joint("hinge", Revolute, GROUND.origin().axis(y), rod.at([-0.5, 0.0, 0.0]).axis(y));
//!     let mechanism = builder.build()?;
//!
//!     let motion = solve(mechanism.system(), mechanism.guess(), 0.0..1.0, Tolerance::relative(1e-8)?)?.whole()?;
//!     let state = motion.at(0.5)?;
//!     let (angle, speed) = mechanism.coordinate(hinge.angle(), state.t, &state.q, &state.v).expect("a hinge has an angle");
//!     let reaction = mechanism.reaction(hinge, &state).on_second;
//!     println!("{angle:.3} rad, {speed:.3} rad/s, held with {:?} N", reaction.force);
//!     Ok(())
//! }
//! ```
//!
//! # How it is made
//!
//! Joints and forces know nothing of bodies: they are functions of world vectors attached to them ([`primitive`], [`expansion`]), a few
//! lines each with all derivatives. An [`Assembly`] makes the rest of it: G, its derivatives, reactions, exact patterns. A new joint is
//! a file in `joint/` and a line in its table, and so are primitives and forces.

mod algebra;
mod analysis;
mod assembly;
mod attached;
mod body;
mod builder;
mod built;
mod closing;
mod curved;
mod determined;
mod distinct;
mod error;
pub mod expansion;
pub mod formal;
mod friction;
pub mod joint;
mod kit;
pub mod law;
mod load;
mod marker;
mod mechanism;
mod names;
mod node;
pub mod primitive;
mod reaction;
pub mod row;
mod seat;
mod shape;
mod support;
mod through;
mod weld;

pub use analysis::{Blamed, Diagnosis, Mobility, Nature, Redundant, RedundantRow};
pub use assembly::Assembly;
pub use body::Body;
pub use builder::{Builder, CoordinateId, JointId};
pub use closing::{Absorbed, Cause, Closed, StartValue, Unclosed};
pub use error::{BuildError, Fault};
pub use friction::Friction;
pub use kit::Kit;
pub use load::{Axes, Bushing, Contact, Drag, Stops, Tyre};
pub use marker::{BodyId, GROUND, Marker};
pub use mechanism::{Mechanism, Motion};
pub use reaction::{Reaction, Wrench};
pub use seat::Seat;
pub use shape::{Shape, Solid};
pub use through::{Lookout, Nearness, Passage, Singular, Through, Unpassed};
