//! What messages call coordinates and constraints: bodies and joints, in words.

use alembert::Named;

use super::Assembly;
use crate::node::Kind;
use crate::row::Level;

impl Assembly {
    pub(super) fn name_of(&self, what: Named, index: usize) -> String {
        match what {
            Named::Coordinate | Named::Position => self.coordinate(index),
            Named::Holonomic => self.row(Level::Position, index),
            Named::Nonholonomic => self.row(Level::Velocity, index),
            Named::Switch => what.standard(index),
        }
    }

    fn coordinate(&self, index: usize) -> String {
        let at = self.nodes.partition_point(|node| node.v <= index).saturating_sub(1);
        let (node, name) = (&self.nodes[at], &self.names[at]);
        let words = match node.kind {
            Kind::Spatial => {
                ["x", "y", "z", "turn about its x", "turn about its y", "turn about its z"][index - node.v]
            }
            Kind::Particle | Kind::PlanarParticle => ["x", "y", "z"][index - node.v],
            Kind::Planar => ["x", "y", "angle"][index - node.v],
            Kind::Number | Kind::Ground => return name.clone(),
        };
        format!("`{name}` {words}")
    }

    fn row(&self, level: Level, index: usize) -> String {
        let first = |joint: &super::Jointed| {
            joint.rows.iter().find(|placed| placed.row.level == level).map_or(usize::MAX, |placed| placed.index)
        };
        // Joints without a row of this level stand in between: the last one that begins before is meant.
        let mut found = None;
        for joint in &self.joints {
            if first(joint) <= index {
                found = Some(joint);
            }
        }
        let row = found.and_then(|joint| {
            let placed = joint.rows.iter().find(|placed| placed.row.level == level && placed.index == index)?;
            Some(format!("`{}` {}", joint.name, placed.row.name))
        });
        let standard = || if level == Level::Position { Named::Holonomic } else { Named::Nonholonomic }.standard(index);
        row.unwrap_or_else(standard)
    }
}
