//! Curves of joints beside the points that are on them, in terms of what does not depend on how a curve is written: lengths along it.
//!
//! ```text
//! g(x) = r - o - R c(x)       g_x = -R c',  g_xx = -R c''        |g_x| is the speed of the curve, |g_xx| how it bends
//! a length s of curve is a step of  2 s/(|c'| + (|c'|^2 + 2 |c''| s)^(1/2)),  where the speed vanishes, too
//! ```

use crate::attached::Located;
use crate::built::BuiltJoint;
use crate::expansion::{Block, Coupling, Expansion, Order};
use crate::mechanism::Mechanism;
use crate::node::{Kind, Pose};
use crate::row::Row;

/// A joint with a number of its own.
#[derive(Clone, Debug)]
pub(crate) struct Curved<'m> {
    pub joint: &'m BuiltJoint,
    /// The node of the number, and its place among those of the joint.
    pub node: usize,
    slot: usize,
    rows: Vec<&'m Row>,
}

/// A curve at a value of its parameter, beside the point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Beside {
    /// |g|.
    pub gap: f64,
    /// g.g_x.
    pub along: f64,
    /// |g_x|.
    pub speed: f64,
    /// |g_xx|.
    pub bend: f64,
    /// g.g_xx.
    pub bent: f64,
    /// How far the point of the curve is from its origin.
    pub reach: f64,
}

impl Beside {
    /// Whether everything about it is finite.
    pub fn is_finite(&self) -> bool {
        [self.gap, self.along, self.speed, self.bend].iter().all(|x| x.is_finite())
    }

    /// The step of the parameter over a length of the curve; none where the curve stays where it is.
    pub fn step(&self, length: f64) -> Option<f64> {
        let slope = self.speed + (self.speed * self.speed + 2.0 * self.bend * length).sqrt();
        (slope > 0.0).then(|| 2.0 * length / slope)
    }
}

impl Mechanism {
    /// Joints with curves.
    pub(crate) fn curved(&self) -> impl Iterator<Item = Curved<'_>> {
        self.joints.iter().filter(|joint| joint.is_numbered()).filter_map(|joint| {
            let (support, rows) = self.rows_of(joint.constraint);
            let is_number = |(_, node): &(usize, &usize)| self.assembly.nodes()[**node].kind == Kind::Number;
            let (slot, node) = support.nodes.iter().enumerate().rfind(is_number)?;
            Some(Curved { joint, node: *node, slot, rows })
        })
    }

    /// A curve where bodies are and at its parameter.
    pub(crate) fn look_beside(&self, curved: &Curved, poses: &[Pose], z: &mut Vec<Located>) -> Beside {
        let (support, _) = self.rows_of(curved.joint.constraint);
        support.locate(poses, z);
        let [i, j] = curved.joint.ends.each_ref().map(|end| {
            let marker = end.marker();
            let pose = &poses[marker.carrier.0];
            crate::algebra::sum(&pose.p, &crate::algebra::times(&pose.r, &marker.origin))
        });
        let (mut beside, mut sum) = (Beside::default(), Expansion::default());
        let mut squares = [0.0; 4];
        for (row, way) in curved.rows.iter().zip(crate::algebra::difference(&j, &i)) {
            row.expand(self.guess().t, z, Order::Coupling, &mut sum);
            let of_number = |k: usize| z[k].slot == curved.slot;
            let slope: f64 = (0..z.len()).filter(|k| of_number(*k)).map(|k| sum.gradient[k][0]).sum();
            let both = sum.couplings.iter().filter(|Coupling { k, l, .. }| of_number(*k) && of_number(*l));
            let bend: f64 = both
                .map(|coupling| match coupling.block {
                    Block::Scalar(b) => b,
                    Block::Full(b) => b[0][0],
                })
                .sum();
            beside.along += slope * sum.value;
            beside.bent += bend * sum.value;
            let curve = way - sum.value;
            squares.iter_mut().zip([sum.value, slope, bend, curve]).for_each(|(square, x)| *square += x * x);
        }
        let [gap, speed, bend, reach] = squares.map(f64::sqrt);
        Beside { gap, speed, bend, reach, ..beside }
    }

    /// Curves at the start as it is known now; those that have no value there, or stand still, are left out.
    pub(crate) fn besides(&self) -> Vec<(usize, Beside)> {
        let curved: Vec<Curved> = self.curved().collect();
        if curved.is_empty() {
            return Vec::new();
        }
        let poses: Vec<Pose> =
            (0..self.assembly.nodes().len()).map(|node| self.pose(node, &self.guess().q, &[])).collect();
        let mut z = Vec::new();
        let found = curved.iter().map(|curved| (curved.node, self.look_beside(curved, &poses, &mut z)));
        found.filter(|(_, beside)| beside.is_finite() && beside.speed > 0.0).collect()
    }
}
