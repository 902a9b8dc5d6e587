//! Model files: equations as text, compiled to a constrained system with exact derivatives.
//!
//! ```text
//! TOML with spans -> document -> formulas (trees) -> scope: names resolved -> graph (common subexpressions)
//!   -> derivatives as formulas -> tapes -> System, a ConstrainedSystem
//! ```
//!
//! A file is compiled once and evaluated often, so derivatives are made of formulas when it is loaded; an evaluation is
//! straight-line code. All mistakes of a file are found at once.
//!
//! ```
//! use alembert::{ErrorControl, Integrator, Tolerance, Unobserved, consistent};
//! use alembert_model::Model;
//!
//! let text = r#"
//!     format = 1
//!     name = "pendulum"
//!     [variables]
//!     coordinates = ["x", "y"]
//!     [equations]
//!     kinetic = "(x'^2 + y'^2)/2"
//!     potential = "9.81*y"
//!     holonomic = ["x^2 + y^2 - 1"]
//!     [initial]
//!     x = 1
//!     y = 0
//!     [run]
//!     t_end = 2
//! "#;
//! let model = Model::parse("pendulum.toml", text, &[])?;
//! let start = consistent(&model.system, &model.guess)?;
//! let scheme = model.run.method.scheme(&model.run.steps)?;
//! let mut integrator =
//!     Integrator::new(&model.system, &start, &*scheme, ErrorControl::new(), Tolerance::new(1e-6, 1e-6)?)?;
//! integrator.run(model.run.t_end, &mut Unobserved)?;
//! let energy = model.energy(integrator.state()).expect("made of energies");
//! assert!(energy.abs() < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod clock;
mod compile;
mod document;
mod explain;
pub mod format;
mod formula;
mod functions;
mod graph;
mod layout;
pub mod measure;
mod model;
pub mod nearest;
pub mod random;
mod ranges;
mod reference;
pub mod run;
mod schema;
mod scope;
pub mod sharp;
pub mod source;
pub mod start;
mod syntax;
mod system;
mod table;
mod tape;
mod text;
pub mod view;

pub use explain::{Constraint, Explanation, Happening, Row};
pub use layout::formatted;
pub use model::{Action, Assignment, Event, Given, Input, Model, Names, Program, Said};
pub use reference::reference;
pub use schema::schema;
pub use system::System;
pub use text::{Mistake, Mistakes, Span};
pub use view::View;
