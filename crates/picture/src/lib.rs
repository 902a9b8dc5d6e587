//! Pictures of motions: scenes that move, charts, and the page that shows both.
//!
//! Nothing here knows mechanics. A [`Scene`] says what is drawn, with numbers that are fixed or channels that change with time; a
//! [`Motion`] has the channels at the times of its frames. Whoever makes a scene (a model, a mechanism) says where channels come from.

pub mod page;
pub mod scene;

pub use scene::{Motion, Scene};
