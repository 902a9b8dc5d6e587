//! Values of joint coordinates that a start holds: while a mechanism is closed, and not afterwards. Speeds are in `speeds.rs`.
//!
//! ```text
//! angle a       L (x_j - cos a x_i - sin a y_i) = 0, three rows: no false zero at a + pi
//! planar angle  L (a - value) = 0, which counts turns
//! others        x - value = 0
//! ```

use crate::algebra::IDENTITY;
use crate::builder::CoordinateId;
use crate::kit::Coordinate;
use crate::mechanism::Mechanism;
use crate::primitive::Component;
use crate::row::Row;

/// A coordinate that a start holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Held {
    pub of: CoordinateId,
    pub value: Option<f64>,
    pub speed: Option<f64>,
}

/// Rows of a held value.
pub(super) fn rows(coordinate: &Coordinate, value: f64, length: f64) -> Vec<Row> {
    let Coordinate { row, wraps, .. } = coordinate;
    if !wraps {
        let offset = row.offset + value;
        let row = row.clone().less(offset);
        // In a large mechanism a radian is a long way, and beside gaps in metres it must count like one.
        return vec![if coordinate.name.contains("angle") { row.times(length) } else { row }];
    }
    let [x, y, w] = [0, 1, 2].map(|k| row.parts[0].vectors[k]);
    let (s, c) = value.sin_cos();
    let along = |axis| {
        let component = || Component { axis };
        Row::of("start", component(), &[w]).and(-c, component(), &[x]).and(-s, component(), &[y]).times(length)
    };
    IDENTITY.map(along).into()
}

impl Mechanism {
    /// The coordinate that is held, with its joint.
    pub(super) fn held_coordinate(&self, held: &Held) -> Option<&Coordinate> {
        let joint = self.joints.get(held.of.joint)?;
        joint.coordinates().iter().find(|coordinate| coordinate.name == held.of.name)
    }
}
