//! The page of a report: one HTML file that shows a motion, its curves and its verdict, without network.
//!
//! A page is a fixed viewer (`page.html`) with two things put into it: a [`Document`] as JSON, which says what there is to see, and blocks
//! of packed numbers ([`Blocks`]), which the document names by their place. Long tables are thinned by [`decimate`] before they are packed.

mod base64;
mod block;
mod decimate;
mod document;
mod section;
mod write;

pub use block::{Blocks, Column};
pub use decimate::{MOST_ROWS, decimate};
pub use document::{Document, Event, EventKind, Level, MotionBlock, Point, Signal, State, Track, Verdict};
pub use section::{Cell, ChartAxis, ColumnHead, Curve, CurveStyle, Section, Values};
pub use write::write_page;
