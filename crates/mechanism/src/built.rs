//! A joint that has been built: what is known of it besides its constraint.

use crate::kit::{Coordinate, Relaxed};
use crate::marker::{Marker, Slim};

/// A joint and its markers, from the centres of mass.
#[derive(Debug)]
pub(crate) struct BuiltJoint {
    pub kind: &'static str,
    pub ends: [Slim; 2],
    pub length: f64,
    pub constraint: usize,
    /// The first of its three rows along the axes of the world, if it has such rows.
    pub together: Option<u8>,
    /// None of balls, which are the commonest.
    further: Option<Box<Further>>,
}

/// What not every joint has.
#[derive(Debug, Default)]
pub(crate) struct Further {
    pub coordinates: Box<[Coordinate]>,
    /// What the search for a closed configuration uses in place of its rows, where that is something else.
    pub relaxed: Option<Box<Relaxed>>,
    /// Whether it has a number of its own, and whether closing has to look for its value.
    pub numbered: bool,
    pub sampled: bool,
    /// The length that its row `length` keeps, or kept before a driver took its place.
    pub rod: Option<f64>,
}

impl Further {
    fn is_something(&self) -> bool {
        let Further { coordinates, relaxed, numbered, sampled, rod } = self;
        !coordinates.is_empty() || relaxed.is_some() || *numbered || *sampled || rod.is_some()
    }
}

impl BuiltJoint {
    /// Without rows or coordinates.
    pub fn new(kind: &'static str, markers: [Marker; 2], length: f64, constraint: usize) -> Self {
        BuiltJoint { kind, ends: markers.map(Slim::from), length, constraint, together: None, further: None }
    }

    /// The same with what else it has.
    pub fn with(self, together: Option<u8>, further: Further) -> Self {
        BuiltJoint { together, further: further.is_something().then(|| Box::new(further)), ..self }
    }

    /// Its coordinates.
    pub fn coordinates(&self) -> &[Coordinate] {
        self.further.as_ref().map_or(&[], |further| &further.coordinates)
    }

    /// What the search for a closed configuration uses in place of its rows, where that is something else.
    pub fn relaxed(&self) -> Option<&Relaxed> {
        self.further.as_ref()?.relaxed.as_deref()
    }

    /// Lets the search use something else.
    pub fn set_relaxed(&mut self, relaxed: Option<Box<Relaxed>>) {
        if relaxed.is_some() || self.further.is_some() {
            self.further.get_or_insert_default().relaxed = relaxed;
        }
    }

    /// Whether it has a number of its own.
    pub fn is_numbered(&self) -> bool {
        self.further.as_ref().is_some_and(|further| further.numbered)
    }

    /// Whether closing has to look for the value of that number.
    pub fn is_sampled(&self) -> bool {
        self.further.as_ref().is_some_and(|further| further.sampled)
    }

    /// The length that its row `length` keeps, or kept before a driver took its place.
    pub fn rod(&self) -> Option<f64> {
        self.further.as_ref()?.rod
    }

    /// Where it takes hold of its bodies.
    pub fn markers(&self) -> [Marker; 2] {
        [0, 1].map(|side| self.ends[side].marker())
    }

    /// Axes that must point the same way in the end.
    pub fn aligned(&self) -> &[usize] {
        self.relaxed().map_or(&[], |relaxed| &relaxed.aligned)
    }
}
