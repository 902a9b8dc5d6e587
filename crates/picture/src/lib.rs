//! Pictures of motions: scenes that move, charts, and the page that shows both.
//!
//! Nothing here knows mechanics. A [`Scene`] says what is drawn, with numbers that are fixed or channels that change with time; a
//! [`Motion`] has the channels at the times of its frames. Whoever makes a scene (a model, a mechanism) says where channels come from.
//!
//! A [`Stage`] makes a [`Sketch`](sketch::Sketch) of a scene at a time: shapes in the plane, in pixels.

pub mod album;
pub mod camera;
pub mod chart;
pub mod color;
pub mod motion;
pub mod page;
pub mod pose;
pub mod raster;
pub mod scene;
pub mod sketch;
pub mod stage;
pub mod svg;
pub mod vector;

pub use album::{Arrangement, contact_sheet};
pub use motion::interpolate;
pub use scene::{Motion, Scene};
pub use stage::{Look, Stage};
pub use svg::{Film, animate_svg};
