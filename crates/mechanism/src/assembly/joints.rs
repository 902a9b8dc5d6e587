//! The joints of an assembly, each as little as says everything of it: most joints of large mechanisms hold two points together and nothing else.

use std::borrow::Cow;
use std::sync::Arc;

use super::coincidence::Coincidence;
use super::jointed::Jointed;
use crate::node::Node;
use crate::row::Row;
use crate::support::Support;

/// Where a joint is kept.
#[derive(Clone, Copy, Debug)]
enum Kept {
    /// Among the points: support and rows follow from them.
    Points(u32),
    /// Among those with rows and places.
    Rows(u32),
}

/// A joint.
#[derive(Clone, Copy, Debug)]
pub(super) enum Joined<'a> {
    Points(&'a Coincidence),
    Rows(&'a Jointed),
}

impl<'a> Joined<'a> {
    /// What it stands on.
    pub fn support(self) -> Cow<'a, Support> {
        match self {
            Joined::Points(points) => Cow::Owned(points.support()),
            Joined::Rows(joint) => Cow::Borrowed(&joint.support),
        }
    }

    /// Its rows and their indices at their levels.
    pub fn rows(self) -> impl Iterator<Item = (&'a Arc<Row>, usize)> {
        let count = match self {
            Joined::Points(points) => points.rows().len(),
            Joined::Rows(joint) => joint.rows.len(),
        };
        (0..count).map(move |at| match self {
            Joined::Points(points) => (&crate::kit::TOGETHER[at], points.rows().start + at),
            Joined::Rows(joint) => (&joint.rows[at].row, joint.rows[at].index()),
        })
    }
}

/// All of them.
#[derive(Debug)]
pub(super) struct Joints {
    kept: Vec<Kept>,
    /// Those whose rows say that two points coincide: these are evaluated at once, and lie side by side for that.
    points: Vec<Coincidence>,
    /// Those whose rows are evaluated one by one, and those of which the points do not say everything.
    listed: Vec<Jointed>,
    /// Of the listed ones those that are evaluated row by row, each with the number of points before it.
    others: Vec<[u32; 2]>,
}

impl Joints {
    /// Sorted. Where a reaction presses friction, the places of single rows are needed in every step, and all joints are listed.
    pub fn new(joints: Vec<Jointed>, nodes: &[Node], rubs: bool) -> Self {
        let mut sorted = Joints {
            kept: Vec::with_capacity(joints.len()),
            points: Vec::with_capacity(joints.len()),
            listed: Vec::new(),
            others: Vec::new(),
        };
        for joint in joints {
            let found = Coincidence::of(&joint, nodes);
            let all = found.as_ref().is_some_and(|points| !rubs && points.says_everything(&joint));
            if found.is_none() && !joint.rows.is_empty() {
                sorted.others.push([sorted.listed.len() as u32, sorted.points.len() as u32]);
            }
            sorted.kept.push(match all {
                true => Kept::Points(sorted.points.len() as u32),
                false => Kept::Rows(sorted.listed.len() as u32),
            });
            sorted.points.extend(found);
            sorted.listed.extend((!all).then_some(joint));
        }
        sorted.points.shrink_to_fit();
        sorted.listed.shrink_to_fit();
        sorted
    }

    /// The joint with this index.
    pub fn get(&self, joint: usize) -> Joined<'_> {
        match self.kept[joint] {
            Kept::Points(at) => Joined::Points(&self.points[at as usize]),
            Kept::Rows(at) => Joined::Rows(&self.listed[at as usize]),
        }
    }

    /// The same to be changed; none of a joint of points.
    pub fn listed_mut(&mut self, joint: usize) -> Option<&mut Jointed> {
        match self.kept[joint] {
            Kept::Points(_) => None,
            Kept::Rows(at) => self.listed.get_mut(at as usize),
        }
    }

    /// In the order of constraints.
    pub fn iter(&self) -> impl Iterator<Item = Joined<'_>> {
        (0..self.kept.len()).map(|joint| self.get(joint))
    }

    /// Those that have their rows and places.
    pub fn listed(&self) -> &[Jointed] {
        &self.listed
    }

    /// Whether all rows say that points coincide.
    pub fn are_points(&self) -> bool {
        self.others.is_empty()
    }

    /// In their order: points, and a joint whose rows are evaluated one by one. Sums are thus made in the order of the joints.
    pub fn in_order(&self) -> impl Iterator<Item = (&[Coincidence], Option<&Jointed>)> {
        let starts = std::iter::once(0).chain(self.others.iter().map(|other| other[1] as usize));
        let joints = self.others.iter().map(|other| Some((other[1] as usize, &self.listed[other[0] as usize])));
        starts.zip(joints.chain([None])).map(|(start, joint)| {
            let end = joint.map_or(self.points.len(), |(end, _)| end);
            (&self.points[start..end], joint.map(|(_, joint)| joint))
        })
    }
}
