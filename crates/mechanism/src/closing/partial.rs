//! A joint without some of its rows, whether there is a type of that name or not.

use std::borrow::Cow;
use std::sync::Arc;

use super::search::Rows;
use crate::assembly::Loose;
use crate::built::BuiltJoint;
use crate::joint::Joint;
use crate::kit::{Kit, Kitted, Relaxed};
use crate::mechanism::Mechanism;
use crate::row::{Level, Row};
use crate::support::Support;

/// What the row of a joint in the plane is called that keeps bodies from turning.
const TURN: &str = "turn";

/// Rows in place of those of a constraint.
#[derive(Clone, Debug)]
pub(super) struct Replacement {
    pub constraint: usize,
    pub support: Support,
    pub rows: Vec<Arc<Row>>,
    /// What the search uses in place of them, where that is something else.
    pub relaxed: Option<Box<Relaxed>>,
    /// The first of three rows along the axes of the world.
    pub together: Option<u8>,
}

impl Replacement {
    /// What it stands on, and its rows.
    pub fn rows(&self, which: Rows) -> (Cow<'_, Support>, Vec<&Row>) {
        match &self.relaxed {
            Some(relaxed) if matches!(which, Rows::Relaxed) => relaxed.rows(),
            _ => (Cow::Borrowed(&self.support), self.rows.iter().map(|row| &**row).collect()),
        }
    }
}

/// What is left of a joint in space, by the words of its rows.
#[derive(Debug)]
struct Partial<'a> {
    words: &'a [&'static str],
}

impl Joint for Partial<'_> {
    fn name(&self) -> &'static str {
        "partial"
    }

    fn build(&self, kit: &mut Kit) {
        let has = |word: &str| self.words.contains(&word);
        let along = ["along x", "along y", "along z"].map(has);
        if along == [true; 3] {
            kit.together();
        } else {
            (0..3).filter(|axis| along[*axis]).for_each(|axis| kit.guided(axis));
        }
        match ["turn about x", "turn about y", "turn about z"].map(has) {
            [true, true, true] => kit.oriented(),
            [true, true, false] => kit.parallel(),
            [x, y, z] => {
                let rows = [(x, "turn about x", 1, 2), (y, "turn about y", 0, 2), (z, "turn about z", 0, 1)];
                rows.into_iter().filter(|row| row.0).for_each(|(_, name, a, b)| kit.perpendicular(name, a, b));
            }
        }
    }
}

/// Types of joints whose rows are all along and about the axes of the first marker.
fn is_along_axes(joint: &BuiltJoint) -> bool {
    matches!(joint.kind, "revolute" | "prismatic" | "cylindrical" | "fixed" | "planar" | "spherical")
}

impl Mechanism {
    /// What a constraint stands on, and its rows.
    pub(crate) fn rows_of(&self, constraint: usize) -> (Cow<'_, Support>, Vec<&Row>) {
        let (support, rows) = self.assembly.joint_rows(constraint);
        (support, rows.map(|(row, _)| row).collect())
    }

    /// What a joint stands on in the search, and its rows there.
    pub(super) fn searched<'m>(&'m self, joint: &'m BuiltJoint) -> (Cow<'m, Support>, Vec<&'m Row>) {
        match joint.relaxed() {
            Some(relaxed) => relaxed.rows(),
            None => self.rows_of(joint.constraint),
        }
    }

    /// A constraint as it is before it gives way, and how far it may open then.
    pub(super) fn loose(&self, constraint: usize, most: f64) -> Loose {
        let joint = self.joints.iter().find(|joint| joint.constraint == constraint);
        let (support, rows) = joint.map_or_else(|| self.rows_of(constraint), |joint| self.searched(joint));
        let held = rows.into_iter().filter(|row| row.level == Level::Position);
        Loose { constraint, support: support.into_owned(), rows: held.map(|row| Arc::new(row.clone())).collect(), most }
    }

    /// A constraint without some of its rows, by their words; none where that cannot be had.
    pub(super) fn without_rows(&self, constraint: usize, gone: &[&'static str]) -> Option<Replacement> {
        let (support, rows) = self.rows_of(constraint);
        let joint = self.joints.iter().find(|joint| joint.constraint == constraint);
        let kept = |row: &&Row| !gone.contains(&row.name);
        if let Some(joint) = joint.filter(|joint| joint.together.is_some() || !joint.aligned().is_empty()) {
            let words: Vec<&'static str> = rows.iter().copied().filter(kept).map(|row| row.name).collect();
            if joint.kind == "universal" && words.len() == 3 {
                let spherical = Partial { words: &["along x", "along y", "along z"] };
                return Some(self.build_partial(joint, &spherical));
            }
            if rows.iter().any(|row| row.name == TURN) {
                return Some(self.partial_in_plane(joint, gone));
            }
            return is_along_axes(joint).then(|| self.build_partial(joint, &Partial { words: &words }));
        }
        // All rows are in the search as they are.
        let rows = rows.into_iter().filter(kept).map(|row| Arc::new(row.clone())).collect();
        Some(Replacement { constraint, support: support.into_owned(), rows, relaxed: None, together: None })
    }

    /// In the plane rows are left out as they are, and those of the search with them: that of a turn is several there.
    fn partial_in_plane(&self, joint: &BuiltJoint, gone: &[&'static str]) -> Replacement {
        let (support, rows) = self.rows_of(joint.constraint);
        let keeps_turn = !gone.contains(&TURN);
        let relaxed = joint.relaxed().filter(|_| keeps_turn).map(|relaxed| {
            let rows = relaxed.rows.iter().filter(|row| !gone.contains(&row.name)).cloned();
            Box::new(Relaxed { rows: rows.collect(), ..relaxed.clone() })
        });
        let rows = rows.into_iter().filter(|row| !gone.contains(&row.name)).map(|row| Arc::new(row.clone())).collect();
        Replacement { constraint: joint.constraint, support: support.into_owned(), rows, relaxed, together: None }
    }

    fn build_partial(&self, joint: &BuiltJoint, partial: &Partial) -> Replacement {
        let markers = joint.markers();
        let mut kit = Kit::new(&markers, false, joint.length, self.assembly.nodes().len());
        partial.build(&mut kit);
        let Kitted { support, rows, together, relaxed, .. } = kit.finish();
        Replacement { constraint: joint.constraint, support, rows, relaxed, together }
    }

    /// Lets joints be what is left of them.
    pub(super) fn replace_rows(&mut self, replacements: Vec<Replacement>) {
        let mut changes = Vec::new();
        for Replacement { constraint, support, rows, relaxed, together } in replacements {
            if let Some(joint) = self.joints.iter_mut().find(|joint| joint.constraint == constraint) {
                joint.set_relaxed(relaxed);
                joint.together = together;
            }
            changes.push((constraint, support, rows));
        }
        self.assembly.replace(changes);
    }
}
