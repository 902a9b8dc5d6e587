//! Other rows for some constraints: everything else stays, and patterns are found anew.

use super::joints::Joined;
use super::{Assembly, Constraint, Elements, Loaded, Pulled};
use std::sync::Arc;

use crate::row::Row;
use crate::support::Support;

impl Assembly {
    /// Gives constraints other rows.
    pub(crate) fn replace(&mut self, changes: Vec<(usize, Support, Vec<Arc<Row>>)>) {
        let redundancy = self.description.redundancy;
        let (gravity, resting) = (self.gravity, self.resting);
        let none = Elements { nodes: vec![], gravity, constraints: vec![], loads: vec![], redundancy, resting };
        let Assembly { nodes, names, constraint_names, inertias, joints, pulls, loose, .. } =
            std::mem::replace(self, Assembly::new(none));
        let kept = |(joint, name): (Joined, &str)| Constraint {
            name: name.to_owned(),
            support: joint.support().into_owned(),
            rows: joint.rows().map(|(row, _)| row.clone()).collect(),
        };
        let mut constraints: Vec<Constraint> = joints.iter().zip(constraint_names.iter()).map(kept).collect();
        for (at, support, rows) in changes {
            constraints[at].support = support;
            constraints[at].rows = rows;
        }
        let nodes = nodes.into_iter().zip(names.iter()).zip(inertias.iter());
        *self = Assembly::new(Elements {
            nodes: nodes.map(|((node, name), inertia)| (name.to_owned(), node.kind, *inertia)).collect(),
            gravity,
            constraints,
            loads: pulls
                .into_iter()
                .map(|Pulled { support, load, pressed, .. }| Loaded { support, load, pressed })
                .collect(),
            redundancy,
            resting,
        });
        self.look_after(loose);
    }
}
