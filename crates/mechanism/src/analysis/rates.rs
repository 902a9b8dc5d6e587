//! Gradients of rows along the velocities of bodies, at one configuration.

use crate::attached::Located;
use crate::expansion::{Expansion, Order};
use crate::mechanism::Mechanism;
use crate::node::Pose;
use crate::row::Row;
use crate::support::Support;

/// What is needed to take gradients, and where they come.
pub(crate) struct Rates<'m> {
    mechanism: &'m Mechanism,
    pub poses: Vec<Pose>,
    z: Vec<Located>,
    sum: Expansion,
    row: Vec<f64>,
}

impl<'m> Rates<'m> {
    /// At a configuration.
    pub fn new(mechanism: &'m Mechanism, q: &[f64]) -> Self {
        let nodes = mechanism.assembly.nodes();
        let mut poses = vec![Pose::HOME; nodes.len()];
        nodes.iter().zip(&mut poses).for_each(|(node, pose)| node.place(q, pose));
        let width = mechanism.guess().v.len();
        Rates { mechanism, poses, z: Vec::new(), sum: Expansion::default(), row: vec![0.0; width] }
    }

    /// The gradient of a row by all velocities; the columns that it does not touch are zero.
    pub fn of(&mut self, support: &Support, row: &Row) -> &[f64] {
        let nodes = self.mechanism.assembly.nodes();
        support.locate(&self.poses, &mut self.z);
        row.expand(self.mechanism.guess().t, &self.z, Order::Gradient, &mut self.sum);
        self.row.fill(0.0);
        for (z, gradient) in self.z.iter().zip(&self.sum.gradient) {
            let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
            z.add_wrench(gradient, &mut force, &mut torque);
            let node = support.nodes[z.slot];
            nodes[node].add_wrench(&self.poses[node], &force, &torque, &mut self.row);
        }
        &self.row
    }
}

/// A row of unit length, and what its length was.
pub(crate) fn unit(row: &mut [f64]) -> f64 {
    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    row.iter_mut().for_each(|x| *x /= length);
    length
}
