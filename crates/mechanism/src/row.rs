//! A row: a sum of primitives, less a constant. Constraints and joint coordinates are rows.
//!
//! ```text
//! g = L (sum weight * primitive - offset)
//! ```
//!
//! L is a length where the primitives are angles or cosines, so that all constraints are in metres and all multipliers forces.

use std::sync::Arc;

use crate::attached::Located;
use crate::expansion::{Expansion, Order, Share, Vectors};
use crate::primitive::Primitive;

/// At which level a row is prescribed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// Holonomic.
    Position,
    /// Nonholonomic.
    Velocity,
}

/// A primitive and its share.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub primitive: Arc<dyn Primitive>,
    pub weight: f64,
    /// Whether its rate is meant, in a nonholonomic row of a holonomic primitive.
    pub rate: bool,
    /// Which vectors of the element are the primitive's.
    pub vectors: Box<[u8]>,
}

/// A sum of primitives.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it prevents, in words: `along x`, `turn about y`.
    pub(crate) name: &'static str,
    pub(crate) level: Level,
    pub(crate) parts: Vec<Part>,
    pub(crate) offset: f64,
    /// L.
    pub(crate) scale: f64,
}

impl Row {
    /// A holonomic row of one primitive, in its own units.
    pub fn of(name: &'static str, primitive: impl Primitive + 'static, vectors: &[u8]) -> Self {
        Row { name, level: Level::Position, parts: Vec::with_capacity(1), offset: 0.0, scale: 1.0 }
            .and(1.0, primitive, vectors)
    }

    /// The same and a further primitive.
    #[must_use]
    pub fn and(mut self, weight: f64, primitive: impl Primitive + 'static, vectors: &[u8]) -> Self {
        self.parts.push(Part { primitive: Arc::new(primitive), weight, rate: false, vectors: vectors.into() });
        self
    }

    /// The same times a length.
    #[must_use]
    pub fn times(self, scale: f64) -> Self {
        Row { scale, ..self }
    }

    /// The same less a constant.
    #[must_use]
    pub fn less(self, offset: f64) -> Self {
        Row { offset, ..self }
    }

    /// The same at the level of velocities.
    #[must_use]
    pub fn nonholonomic(self) -> Self {
        Row { level: Level::Velocity, ..self }
    }

    /// The rate of a holonomic row as a nonholonomic one.
    #[must_use]
    pub fn rate(mut self) -> Self {
        self.parts.iter_mut().for_each(|part| part.rate = true);
        Row { offset: 0.0, ..self }.nonholonomic()
    }

    /// The same on vectors that stand elsewhere.
    #[must_use]
    pub(crate) fn mapped(&self, map: &[u8]) -> Self {
        let mut row = self.clone();
        for part in &mut row.parts {
            part.vectors = part.vectors.iter().map(|z| map[*z as usize]).collect();
        }
        row
    }

    /// Its value and derivatives, as far as they are wanted.
    #[inline]
    pub(crate) fn expand(&self, t: f64, z: &[Located], order: Order, sum: &mut Expansion) {
        sum.clear(z.len());
        sum.value = -self.scale * self.offset;
        let holonomic = self.level == Level::Position;
        for Part { primitive, weight, rate, vectors } in &self.parts {
            let weight = weight * self.scale;
            let kept = (sum.value, sum.t);
            let mut share = Share { sum, own: vectors, weight, order, symmetric: holonomic || *rate };
            primitive.expand(t, &Vectors { all: z, own: vectors }, &mut share);
            if *rate {
                // The rate is the gradient times z'; what the primitive itself comes to is not asked.
                (sum.value, sum.t) = kept;
            }
        }
    }

    /// Pairs of vectors of the element that it couples, in both orders where that is so.
    pub(crate) fn couplings(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let holonomic = self.level == Level::Position;
        self.parts.iter().flat_map(move |part| {
            let both = holonomic || part.rate;
            let own = |k: u8| part.vectors[k as usize] as usize;
            part.primitive.couplings().iter().flat_map(move |&(k, l)| {
                let other = (both && k != l).then(|| (own(l), own(k)));
                [Some((own(k), own(l))), other].into_iter().flatten()
            })
        })
    }

    /// Which world components of the gradient by each of its vectors may be nonzero.
    pub(crate) fn components(&self) -> impl Iterator<Item = (usize, [bool; 3])> + '_ {
        self.parts
            .iter()
            .flat_map(|part| part.vectors.iter().enumerate().map(|(k, z)| (*z as usize, part.primitive.components(k))))
    }
}
