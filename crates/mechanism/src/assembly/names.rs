//! What messages call coordinates and constraints: bodies and joints, in words.

use alembert::Named;

use super::Assembly;
use super::joints::Joined;
use crate::node::Kind;
use crate::row::Level;

impl Assembly {
    pub(super) fn name_of(&self, what: Named, index: usize) -> String {
        match what {
            Named::Coordinate | Named::Position => self.coordinate(index),
            Named::Holonomic => self.row(Level::Position, index),
            Named::Nonholonomic => self.row(Level::Velocity, index),
            Named::Switch => what.standard(index),
            Named::Gap => self.loose.get(index).map_or_else(
                || what.standard(index),
                |loose| format!("`{}`", &self.constraint_names[loose.constraint]),
            ),
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
            Kind::Number | Kind::Ground => return (*name).to_owned(),
        };
        format!("`{name}` {words}")
    }

    /// The names of all holonomic and all nonholonomic rows, in their order.
    pub fn row_names(&self) -> [Vec<String>; 2] {
        let mut names = [Vec::new(), Vec::new()];
        for (joint, name) in self.joints.iter().zip(self.constraint_names.iter()) {
            for (row, _) in joint.rows() {
                names[usize::from(row.level == Level::Velocity)].push(told(name, row.name));
            }
        }
        names
    }

    fn row(&self, level: Level, index: usize) -> String {
        let first = |joint: Joined| joint.rows().find(|(row, _)| row.level == level).map_or(usize::MAX, |row| row.1);
        // Joints without a row of this level stand in between: the last one that begins before is meant.
        let mut found = None;
        for (joint, name) in self.joints.iter().zip(self.constraint_names.iter()) {
            if first(joint) <= index {
                found = Some((joint, name));
            }
        }
        let row = found.and_then(|(joint, name)| {
            let (row, _) = joint.rows().find(|(row, own)| row.level == level && *own == index)?;
            Some(told(name, row.name))
        });
        let standard = || if level == Level::Position { Named::Holonomic } else { Named::Nonholonomic }.standard(index);
        row.unwrap_or_else(standard)
    }
}

/// A row of a constraint in words. Constraints of counted angles are called by the joint, which is marked as a name already.
fn told(constraint: &str, row: &str) -> String {
    if constraint.starts_with('`') { format!("{constraint} {row}") } else { format!("`{constraint}` {row}") }
}
