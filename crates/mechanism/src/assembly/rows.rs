//! What rows are asked for, in one pass over the elements.

use alembert::{Answer, At, Quantity};

use super::plan::Span;
use super::{Assembly, Jointed, Placed, Scratch};
use crate::algebra::{Vector, add, dot};
use crate::attached::Located;
use crate::expansion::{Coupling, Expansion, Order};
use crate::row::Level;

/// Where the numbers of rows go.
pub(super) struct Outputs<'a> {
    pub value: Option<&'a mut [f64]>,
    /// G or K.
    pub rows: Option<&'a mut [f64]>,
    pub t: Option<&'a mut [f64]>,
    pub bias: Option<&'a mut [f64]>,
    /// Gamma or k_q.
    pub change: Option<&'a mut [f64]>,
}

impl Outputs<'_> {
    /// How much of each row they need.
    fn order(&self, level: Level, residual: bool) -> Order {
        if self.bias.is_some() || self.change.is_some() {
            Order::Coupling
        } else if self.rows.is_some() || residual || level == Level::Velocity {
            Order::Gradient
        } else {
            Order::Value
        }
    }

    fn is_empty(&self) -> bool {
        let Outputs { value, rows, t, bias, change } = self;
        [value, rows, t, bias, change].iter().all(|out| out.is_none())
    }
}

/// Forces and torques on the slots of sum J^T c.
fn wrenches(z: &[Located], c: &[Vector], slots: &mut [[Vector; 2]]) {
    for (z, c) in z.iter().zip(c) {
        let [force, torque] = &mut slots[z.slot];
        z.add_wrench(c, force, torque);
    }
}

/// z' g_zz z' + sum g_z z''.
fn curvature(row: &Expansion, z: &[Located]) -> f64 {
    let coupled = |Coupling { k, l, block }: &Coupling| dot(&z[*k].rate, &block.times(&z[*l].rate));
    let second = row.gradient.iter().zip(z).map(|(gradient, z)| dot(gradient, &z.second));
    row.couplings.iter().map(coupled).sum::<f64>() + second.sum::<f64>()
}

impl Assembly {
    /// Writes what is wanted of the rows; where a residual is, G^T lambda and K^T psi are added to the wrenches of the nodes.
    pub(super) fn rows(&self, at: &At, answer: &mut Answer, residual: bool, room: &mut Scratch) {
        use Quantity::*;
        let mut holonomic = Outputs {
            value: answer.take(Holonomic),
            rows: answer.take(HolonomicQ),
            t: answer.take(HolonomicT),
            bias: answer.take(HolonomicBias),
            change: answer.take(HolonomicVelocityQ),
        };
        let mut nonholonomic = Outputs {
            value: answer.take(Nonholonomic),
            rows: answer.take(NonholonomicV),
            t: None,
            bias: answer.take(NonholonomicBias),
            change: answer.take(NonholonomicQ),
        };
        let levels = [Level::Position, Level::Velocity];
        let wanted = [&holonomic, &nonholonomic].map(|outputs| residual || !outputs.is_empty());
        let orders = [holonomic.order(levels[0], residual), nonholonomic.order(levels[1], residual)];
        for (points, joint) in self.joints.in_order() {
            for points in points.iter().filter(|_| wanted[0]) {
                points.put(at, &mut holonomic, residual, room);
            }
            let Some(joint) = joint else { continue };
            joint.support.locate(&room.poses, &mut room.z);
            for (placed, spans) in joint.placed() {
                let velocity = placed.row.level == Level::Velocity;
                if !wanted[usize::from(velocity)] {
                    continue;
                }
                let outputs = if velocity { &mut nonholonomic } else { &mut holonomic };
                placed.row.expand(at.t, &room.z, orders[usize::from(velocity)], &mut room.row);
                self.put_row(joint, (placed, spans), outputs, room);
                if residual {
                    let multiplier = if velocity { at.psi[placed.index()] } else { at.lambda[placed.index()] };
                    for (slot, node) in joint.support.nodes.iter().enumerate() {
                        let [force, torque] = room.slots[slot];
                        let [on, about] = &mut room.sums.wrenches_mut()[*node];
                        add(on, multiplier, &force);
                        add(about, multiplier, &torque);
                    }
                }
            }
        }
    }

    fn put_row(&self, joint: &Jointed, (placed, spans): (&Placed, &[Span]), outputs: &mut Outputs, room: &mut Scratch) {
        let Scratch { z, row, slots, changes, along, poses, .. } = room;
        let (index, velocity) = (placed.index(), placed.row.level == Level::Velocity);
        let nodes = &joint.support.nodes;
        let slots = &mut slots[..nodes.len()];
        slots.fill([[0.0; 3]; 2]);
        wrenches(z, &row.gradient, slots);
        if let Some(out) = &mut outputs.value {
            out[index] = if velocity { row.value + row.rate(z) } else { row.value };
        }
        if let Some(out) = &mut outputs.t {
            out[index] = row.t;
        }
        if let Some(out) = &mut outputs.rows {
            for span in spans {
                let [force, torque] = &slots[span.slot()];
                let node = nodes[span.slot()];
                span.put(self.nodes[node].kind, &poses[node].r, force, torque, out);
            }
        }
        if let Some(out) = &mut outputs.bias {
            let explicit = if velocity {
                row.t
            } else {
                let turning: f64 = row.gradient_t.iter().zip(z.iter()).map(|(change, z)| dot(change, &z.rate)).sum();
                row.tt + 2.0 * turning
            };
            out[index] = explicit + curvature(row, z);
        }
        if let Some(out) = &mut outputs.change {
            row.along(z, along);
            let changes = &mut changes[..nodes.len()];
            changes.fill([[0.0; 3]; 2]);
            wrenches(z, along, changes);
            for (z, gradient) in z.iter().zip(&row.gradient) {
                z.add_sweep(gradient, &mut changes[z.slot][1]);
            }
            for span in spans {
                let [force, torque] = &changes[span.slot()];
                let node = nodes[span.slot()];
                span.put(self.nodes[node].kind, &poses[node].r, force, torque, out);
            }
        }
    }
}
