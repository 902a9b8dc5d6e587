//! Values of joint coordinates that a start holds: while a mechanism is closed, and not afterwards.
//!
//! ```text
//! angle a       L (x_j - cos a x_i - sin a y_i) = 0, three rows: no false zero at a + pi
//! others        x - value = 0
//! speeds        A v = b with the rates of these coordinates below those of the joints:  the nearest v in W
//! ```

use super::normal::SparseRows;
use super::place::Place;
use super::search::Search;
use crate::algebra::IDENTITY;
use crate::builder::CoordinateId;
use crate::expansion::{Expansion, Order};
use crate::kit::Coordinate;
use crate::mechanism::Mechanism;
use crate::primitive::Component;
use crate::row::{Level, Row};
use crate::support::Support;

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
        let row = row.clone();
        let offset = row.offset + value;
        return vec![row.less(offset)];
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
        joint.coordinates.iter().find(|coordinate| coordinate.name == held.of.name)
    }

    /// Velocities with the speeds that are held, as near as can be to those that were given.
    pub(super) fn held_velocities(&self, search: &Search, place: &Place) -> Option<Vec<f64>> {
        let held = self.held();
        if held.iter().all(|held| held.speed.is_none()) {
            return None;
        }
        let n = search.weights.len();
        let v0 = &self.guess().v;
        let (mut a, mut b, mut out) = (SparseRows::new(n), Vec::new(), vec![0.0; n]);
        let mut poses = place.poses.clone();
        search.nodes.iter().zip(&mut poses).for_each(|(node, pose)| node.moving(v0, pose));
        let (mut z, mut sum) = (Vec::new(), Expansion::default());
        let mut put = |support: &Support, row: &Row, wanted: f64| {
            support.locate(&poses, &mut z);
            row.expand(self.guess().t, &z, Order::Gradient, &mut sum);
            let explicit = if row.level == Level::Position { sum.t } else { sum.value };
            for (z, gradient) in z.iter().zip(&sum.gradient) {
                let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
                z.add_wrench(gradient, &mut force, &mut torque);
                let node = support.nodes[z.slot];
                search.nodes[node].add_wrench(&poses[node], &force, &torque, &mut out);
            }
            b.push(wanted - explicit - sum.rate(&z));
            a.push(&mut out, support.nodes.iter().flat_map(|node| search.nodes[*node].columns()));
        };
        for constraint in 0..self.constraint_names().len() {
            let (support, rows) = self.assembly.joint_rows(constraint);
            rows.for_each(|(row, _)| put(support, row, 0.0));
        }
        for held in held {
            let (Some(speed), Some(coordinate)) = (held.speed, self.held_coordinate(held)) else { continue };
            put(&coordinate.support, &coordinate.row, speed);
        }
        let change = search.shortest(&a, &b)?;
        Some(v0.iter().zip(&change).map(|(v, change)| v + change).collect())
    }
}
