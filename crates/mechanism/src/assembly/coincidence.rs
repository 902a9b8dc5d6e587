//! Points that coincide and nothing else: balls, and pins in the plane, whose rows are evaluated at once.
//!
//! ```text
//! 0 = z_1 - z_0          z = p + R s,  of two bodies, along the axes of the world; in the plane x and y alone
//!
//! G        +-(I, rows s * r_i)               r_i: row i of R, which is R^T e_i, so that R^T (rho * e_i) = s * r_i
//! Gamma    +-(0, rows u * r_i)               u = R^T (W * rho)
//! bias     z''_1 - z''_0 at v' = 0
//! G^T lambda = +-(lambda, rho * lambda)      its change by turns: rho^ lambda^
//! ```
//!
//! The same numbers come from the rows one by one as primitives, at several times the cost: these are the commonest joints. Joints that have such rows among
//! others go row by row: that all numbers of a joint come from the same formulas counts at tolerances near rounding, where mixed ones cost a digit of
//! accelerations (the governor at 1e-13).

use std::ops::Range;
use std::sync::Arc;

use alembert::At;

use super::Scratch;
use super::diagonals::Diagonals;
use super::jointed::{Jointed, Placed};
use super::plan::Span;
use super::rows::Outputs;
use crate::algebra::{Vector, add, cross, scaled, times, transposed_times};
use crate::attached::{Attached, What};
use crate::kit::TOGETHER;
use crate::node::{Kind, Node};
use crate::row::{Level, Row};
use crate::support::Support;

/// One of the points.
#[derive(Clone, Debug)]
struct Side {
    /// s.
    arm: Vector,
    node: u32,
    /// The body that it is drawn on.
    owner: u32,
    /// Where the entries of the first row begin: one shift, then turns. Of the ground there are none.
    start: u32,
    kind: Kind,
    /// Whether the arm is there: a centre of mass has no turns.
    turns: bool,
}

/// Two points, and the rows that hold them together.
#[derive(Clone, Debug)]
pub(super) struct Coincidence {
    /// Index of the first row; the others follow.
    first: u32,
    count: u8,
    /// How many entries each row has.
    stride: u8,
    /// None where all are zero, as most are.
    offsets: Option<Box<Vector>>,
    /// Less the first, plus the second.
    sides: [Side; 2],
}

impl Side {
    /// Writes the rows +-(shift e_i, s * r_i).
    #[inline]
    fn put(&self, rows: &Coincidence, sign: f64, shift: f64, s: &Vector, r: &[Vector; 3], out: &mut [f64]) {
        if self.kind == Kind::Ground {
            return;
        }
        let s = scaled(sign, s);
        let mut at = self.start as usize;
        for r in &r[..usize::from(rows.count)] {
            match (self.turns, self.kind) {
                (false, _) => out[at] = sign * shift,
                (true, Kind::Spatial) => {
                    let [x, y, z] = cross(&s, r);
                    out[at..at + 4].copy_from_slice(&[sign * shift, x, y, z]);
                }
                (true, _) => {
                    let turn = s[0] * r[1] - s[1] * r[0];
                    out[at..at + 2].copy_from_slice(&[sign * shift, turn]);
                }
            }
            at += usize::from(rows.stride);
        }
    }
}

impl Coincidence {
    /// Of a joint that is one, with the spans placed.
    pub fn of(joint: &Jointed, nodes: &[Node]) -> Option<Self> {
        let Jointed { support, rows, .. } = joint;
        let points = &*rows.first()?.row.parts.first()?.vectors;
        let [k, l] = [*points.first()?, *points.get(1)?].map(|at| &support.vectors[at as usize]);
        let kinds = [k, l].map(|vector| nodes[support.nodes[vector.slot]].kind);
        let all = |of: Kind| kinds.iter().all(|kind| *kind == of || *kind == Kind::Ground);
        let count = if all(Kind::Spatial) {
            3
        } else if all(Kind::Planar) {
            2
        } else {
            return None;
        };
        let fits = |(i, placed): (usize, &Placed)| {
            let row = &placed.row;
            let plain = row.level == Level::Position && row.scale == 1.0 && placed.index() == rows[0].index() + i;
            let [part] = &row.parts[..] else { return false };
            plain
                && part.weight == 1.0
                && !part.rate
                && *part.vectors == *points
                && part.primitive.world_axis() == Some(i)
        };
        let points_of_two = k.what == What::Point && l.what == What::Point && k.slot != l.slot;
        if !points_of_two || rows.len() != count || !rows.iter().enumerate().all(fits) {
            return None;
        }
        // Friction of a joint widens its rows to turns that the points alone do not move.
        let widened = [k, l].into_iter().any(|vector| {
            let node = &nodes[support.nodes[vector.slot]];
            let [_, turns] = node.kind.columns();
            let own = 1 + if vector.arm.iter().any(|x| *x != 0.0) { turns } else { 0 };
            let mut spans = joint.spans.iter().filter(|span| span.slot() == vector.slot);
            node.kind != Kind::Ground && spans.any(|span| span.columns(node).count() != own)
        });
        if widened {
            return None;
        }
        let mut offsets = [0.0; 3];
        rows.iter().zip(&mut offsets).for_each(|(placed, offset)| *offset = placed.row.offset);
        let starts = [k, l].map(|vector| {
            let own =
                |(_, spans): (_, &[Span])| spans.iter().find(|span| span.slot() == vector.slot).map(|span| span.start);
            let mut starts = [None; 3];
            joint.placed().zip(&mut starts).for_each(|(placed, start)| *start = own(placed));
            starts
        });
        // Each row has the same bodies and parts as the one before, and its entries stand behind those.
        let stride = starts.iter().find_map(|starts| Some(starts[1]? - starts[0]?))?;
        let regular = |starts: &[Option<u32>; 3]| {
            let expected = |i: u32| starts[0].map(|first| first + i * stride);
            starts[..count].iter().zip(0..).all(|(start, i)| *start == expected(i))
        };
        if !starts.iter().all(regular) {
            return None;
        }
        let side = |vector: &Attached, starts: [Option<u32>; 3]| {
            let node = support.nodes[vector.slot];
            let turns = vector.arm.iter().any(|x| *x != 0.0);
            let (owner, start) = (vector.owner as u32, starts[0].unwrap_or(u32::MAX));
            Side { arm: vector.arm, node: node as u32, owner, start, kind: nodes[node].kind, turns }
        };
        Some(Coincidence {
            first: rows[0].index,
            count: count as u8,
            stride: stride as u8,
            offsets: offsets.iter().any(|x| x.to_bits() != 0).then(|| Box::new(offsets)),
            sides: [side(k, starts[0]), side(l, starts[1])],
        })
    }

    /// What it stands on.
    pub fn support(&self) -> Support {
        let vector = |(slot, side): (usize, &Side)| Attached {
            slot,
            what: What::Point,
            arm: side.arm,
            owner: side.owner as usize,
        };
        Support {
            nodes: self.sides.iter().map(|side| side.node as usize).collect(),
            vectors: self.sides.iter().enumerate().map(vector).collect(),
        }
    }

    /// Whether nothing is lost of a joint of which only this is kept.
    pub fn says_everything(&self, joint: &Jointed) -> bool {
        let shared = |(placed, together): (&Placed, &Arc<Row>)| Arc::ptr_eq(&placed.row, together);
        joint.pairs.is_empty() && joint.rows.iter().zip(&*TOGETHER).all(shared) && joint.support == self.support()
    }

    /// The force that its multipliers stand for.
    #[inline]
    fn force(&self, lambda: &[f64]) -> Vector {
        let mut force = [0.0; 3];
        let rows = self.rows();
        force[..rows.len()].copy_from_slice(&lambda[rows]);
        force
    }

    /// Which rows are its own.
    pub fn rows(&self) -> Range<usize> {
        self.first as usize..self.first as usize + usize::from(self.count)
    }

    /// Its sides with their signs.
    fn sides(&self) -> impl Iterator<Item = (f64, &Side)> {
        [-1.0, 1.0].into_iter().zip(&self.sides)
    }

    /// Writes what is wanted of the rows; where a residual is, G^T lambda is added to the wrenches.
    #[inline]
    pub fn put(&self, at: &At, outputs: &mut Outputs, residual: bool, room: &mut Scratch) {
        let Scratch { poses, sums, .. } = room;
        let rows = self.rows();
        let count = rows.len();
        let force = if residual { self.force(at.lambda) } else { [0.0; 3] };
        let mut gap = scaled(-1.0, self.offsets.as_deref().unwrap_or(&[0.0; 3]));
        let mut bias = [0.0; 3];
        for (sign, side) in self.sides() {
            let node = side.node as usize;
            let pose = &poses[node];
            let rho = times(&pose.r, &side.arm);
            if outputs.value.is_some() {
                (0..3).for_each(|i| gap[i] += sign * (pose.p[i] + rho[i]));
            }
            if let Some(out) = &mut outputs.rows {
                side.put(self, sign, 1.0, &side.arm, &pose.r, out);
            }
            if outputs.bias.is_some() || outputs.change.is_some() {
                let sweep = cross(&pose.spin, &rho);
                add(&mut bias, sign, &cross(&pose.spin, &sweep));
                if let Some(out) = &mut outputs.change {
                    side.put(self, sign, 0.0, &transposed_times(&pose.r, &sweep), &pose.r, out);
                }
            }
            if residual {
                let [on, about] = &mut sums.wrenches_mut()[node];
                add(on, sign, &force);
                add(about, sign, &cross(&rho, &force));
            }
        }
        if let Some(out) = &mut outputs.value {
            out[rows.clone()].copy_from_slice(&gap[..count]);
        }
        if let Some(out) = &mut outputs.t {
            out[rows.clone()].fill(0.0);
        }
        if let Some(out) = &mut outputs.bias {
            out[rows].copy_from_slice(&bias[..count]);
        }
    }

    /// Adds the change of c G^T lambda by turns to the blocks of its bodies.
    #[inline]
    pub fn add_torsion(&self, at: &At, c: f64, room: &mut Scratch, diagonals: &Diagonals) {
        let force = self.force(at.lambda);
        for (sign, side) in self.sides().filter(|(_, side)| side.turns && side.kind != Kind::Ground) {
            let node = side.node as usize;
            let rho = times(&room.poses[node].r, &side.arm);
            let turned = crate::algebra::hat_hat(&rho, &scaled(c * sign, &force));
            let torsion = diagonals.torsion(node, &mut room.quads, room.sums.torsions_mut());
            crate::algebra::add_matrix(torsion, 1.0, &turned);
        }
    }
}
