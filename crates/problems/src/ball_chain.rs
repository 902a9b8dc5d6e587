//! A chain of rigid links in space, joined by balls: equations by hand and with patterns, so that a step costs in proportion to
//! the number of links.
//!
//! Links have length 1, mass 1 and inertia J = diag(0.01, 1/12, 1/12) along their axes, and balls at -s and s, s = (1/2, 0, 0).
//!
//! ```text
//! q = (p_i, e_i),  v = (p_i', w_i)          p: centre of mass, e: unit quaternion, w: angular velocity in the link
//! p_i'' = -g e3 - lambda_i + lambda_{i+1},    J w' = J w * w + s * R^T (lambda_i + lambda_{i+1})
//! 0 = p_i - R_i s - (p_{i-1} + R_{i-1} s)   joint i; the first holds link 0 at the origin, unless the chain is free
//! ```
//!
//! With B = R s^, where x^ u = x * u, the rows of joint i are (-I, B_{i-1}) and (I, B_i). Positions enter linearly and every link
//! has its own rotation: the leading block of all matrices has a diagonal and a block of 3 by 3 for each link, nothing else.
//!
//! The reference integrates quaternions and angular velocities; the forces of the joints solve
//! G M^-1 G^T lambda = G M^-1 f + bias, block tridiagonal, in linear time.

mod motion;

use std::sync::Arc;

use alembert::rotation::{Quaternion, Vector, cross, dot, to_body, to_space};
use alembert::{
    Answer, At, ConstrainedSystem, Description, Dims, Named, Pattern, Patterns, Quantities, Quantity, Redundancy,
    Workspace,
};

pub use motion::{Posture, momentum, new, solution};

const INERTIA: Vector = [0.01, 1.0 / 12.0, 1.0 / 12.0];
const ARM: Vector = [0.5, 0.0, 0.0];

type Matrix = [Vector; 3];

/// Where a chain hangs, and what is done to it besides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// Number of links.
    pub links: usize,
    /// Whether the first ball is held at the origin.
    pub held: bool,
    /// Gravity.
    pub gravity: f64,
    /// A joint that is there twice, so that its three constraints follow from others.
    pub doubled: Option<usize>,
    /// Whether such constraints are accepted.
    pub redundancy: Redundancy,
}

impl Design {
    /// Held, under gravity.
    pub fn hanging(links: usize) -> Self {
        Design { links, held: true, gravity: 9.81, doubled: None, redundancy: Redundancy::Refused }
    }

    /// Free, without gravity: momentum stays.
    pub fn free(links: usize) -> Self {
        Design { held: false, gravity: 0.0, ..Self::hanging(links) }
    }

    /// The same with joint i there twice.
    #[must_use]
    pub fn with_doubled(self, i: usize, redundancy: Redundancy) -> Self {
        Design { doubled: Some(i), redundancy, ..self }
    }

    /// The link after each joint; the joint that is there twice comes again at the end.
    fn joints(self) -> impl Iterator<Item = usize> {
        (usize::from(!self.held)..self.links).chain(self.doubled)
    }
}

/// The equations.
#[derive(Clone, Debug)]
pub struct BallChain {
    design: Design,
    description: Description,
}

/// R of a link, whose columns are its axes in space.
fn turned(q: &[f64], link: usize) -> Matrix {
    let e = quaternion(q, link);
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| to_space(&e, &axis));
    [0, 1, 2].map(|i| axes.map(|axis| axis[i]))
}

/// R x^.
fn times_cross(r: &Matrix, x: &Vector) -> Matrix {
    // The rows of R x^ are r_i * x.
    r.map(|row| cross(&row, x))
}

fn quaternion(q: &[f64], i: usize) -> Quaternion {
    [q[7 * i + 3], q[7 * i + 4], q[7 * i + 5], q[7 * i + 6]]
}

fn three(x: &[f64], i: usize) -> Vector {
    [x[i], x[i + 1], x[i + 2]]
}

impl BallChain {
    /// A chain.
    pub fn new(design: Design) -> Self {
        let n = design.links;
        let top = (0..n).flat_map(|i| {
            let turns = (0..9).map(move |k| (6 * i + 3 + k / 3, 6 * i + 3 + k % 3));
            (0..3).map(move |k| (6 * i + k, 6 * i + k)).chain(turns)
        });
        let top = Arc::new(Pattern::from_entries(6 * n, 6 * n, top));
        let count = design.joints().count();
        let rows = design.joints().enumerate().flat_map(|(row, i)| {
            (0..3).flat_map(move |axis| {
                let links = if i > 0 { i - 1..i + 1 } else { 0..1 };
                let columns = move |link: usize| [6 * link + axis].into_iter().chain(6 * link + 3..6 * link + 6);
                links.flat_map(columns).map(move |j| (3 * row + axis, j))
            })
        });
        let rows = Arc::new(Pattern::from_entries(3 * count, 6 * n, rows));
        let others = Quantities::of(&[Quantity::HolonomicT, Quantity::MassQ, Quantity::ForceQ, Quantity::ForceV]);
        let description = Description {
            supplied: Quantities::VALUES.and(JOINTS).and(others),
            rotations: (0..n).map(|i| 6 * i + 3).collect(),
            patterns: Some(Patterns { top, rows }),
            constant_mass: true,
            redundancy: design.redundancy,
            ..Description::new(Dims { q: 7 * n, v: 6 * n, lambda: 3 * count, psi: 0 })
        };
        BallChain { design, description }
    }

    /// What the joints are asked for, with one rotation matrix for each link.
    fn joints(&self, at: &At, answer: &mut Answer) {
        let [mut g, mut g_q, mut bias, mut velocity_q] =
            [Quantity::Holonomic, Quantity::HolonomicQ, Quantity::HolonomicBias, Quantity::HolonomicVelocityQ]
                .map(|quantity| answer.take(quantity));
        let (mut e, mut known) = (0, None);
        for (row, i) in self.design.joints().enumerate() {
            let rows = 3 * row..3 * row + 3;
            let links = i.saturating_sub(1)..i + 1;
            let width = 4 * links.len();
            for (place, link) in links.enumerate() {
                let sign = if link == i { 1.0 } else { -1.0 };
                let (_, r) = known.take_if(|(other, _)| *other == link).unwrap_or_else(|| (link, turned(at.q, link)));
                if let Some(g) = &mut g {
                    for (axis, g) in g[rows.clone()].iter_mut().enumerate() {
                        *g += sign * at.q[7 * link + axis] - dot(&r[axis], &ARM);
                    }
                }
                if let Some(out) = &mut g_q {
                    put(out, e + 4 * place, width, sign, &times_cross(&r, &ARM));
                }
                if bias.is_some() || velocity_q.is_some() {
                    let w = three(at.v, 6 * link + 3);
                    let speed = cross(&w, &ARM);
                    if let Some(out) = &mut bias {
                        let towards = cross(&w, &speed);
                        out[rows.clone()].iter_mut().zip(&r).for_each(|(out, r)| *out -= dot(r, &towards));
                    }
                    if let Some(out) = &mut velocity_q {
                        put(out, e + 4 * place, width, 0.0, &times_cross(&r, &speed));
                    }
                }
                known = Some((link, r));
            }
            e += 3 * width;
        }
    }

    /// d/dq of r = -G^T lambda: s^ (R^T c)^ with the sum c of the forces at both ends.
    fn reaction_q(&self, at: &At, out: &mut [f64]) {
        for (row, i) in self.design.joints().enumerate() {
            for link in i.saturating_sub(1)..i + 1 {
                let force = to_body(&quaternion(at.q, link), &three(at.lambda, 3 * row));
                for (k, unit) in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].iter().enumerate() {
                    // Row k of s^, times (R^T c)^.
                    let part = cross(&cross(unit, &ARM), &force);
                    let e = 12 * link + 3 + 3 * k;
                    out[e..e + 3].iter_mut().zip(part).for_each(|(out, part)| *out += part);
                }
            }
        }
    }
}

/// Writes the columns of a link in the rows of a joint: `sign` for its position, a block for its rotation.
fn put(out: &mut [f64], first: usize, width: usize, sign: f64, block: &Matrix) {
    for (axis, row) in block.iter().enumerate() {
        let e = first + axis * width;
        out[e] = sign;
        out[e + 1..e + 4].copy_from_slice(row);
    }
}

/// Writes the block of a link's rotation into the leading block.
fn put_turn(out: &mut [f64], link: usize, block: &Matrix) {
    for (k, row) in block.iter().enumerate() {
        let e = 12 * link + 3 + 3 * k;
        out[e..e + 3].copy_from_slice(row);
    }
}

/// What the joints can be asked for.
const JOINTS: Quantities = {
    use Quantity::{Holonomic, HolonomicBias, HolonomicQ, HolonomicVelocityQ, ReactionQ};
    Quantities::of(&[Holonomic, HolonomicQ, HolonomicBias, HolonomicVelocityQ, ReactionQ])
};

impl ConstrainedSystem for BallChain {
    fn description(&self) -> &Description {
        &self.description
    }

    fn evaluate(&self, at: &At, answer: &mut Answer, _: &mut Workspace) {
        if let Some(out) = answer.take(Quantity::ReactionQ) {
            self.reaction_q(at, out);
        }
        if !answer.open().only(JOINTS).is_empty() {
            self.joints(at, answer);
        }
        while let Some((quantity, out)) = answer.take_any() {
            for i in 0..self.design.links {
                let w = || three(at.v, 6 * i + 3);
                match quantity {
                    Quantity::Mass => {
                        out[12 * i..12 * i + 3].fill(1.0);
                        let [a, b, c] = INERTIA;
                        put_turn(out, i, &[[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]]);
                    }
                    Quantity::Force => {
                        out[6 * i + 2] = -self.design.gravity;
                        out[6 * i + 3..6 * i + 6].copy_from_slice(&gyroscopic(&w()));
                    }
                    Quantity::ForceV => {
                        // (J w)^ - w^ J.
                        let (w, [a, b, c]) = (w(), INERTIA);
                        let block = [
                            [0.0, (b - c) * w[2], (b - c) * w[1]],
                            [(c - a) * w[2], 0.0, (c - a) * w[0]],
                            [(a - b) * w[1], (a - b) * w[0], 0.0],
                        ];
                        put_turn(out, i, &block);
                    }
                    // g does not depend on time, M not on q, nor does f.
                    _ => {}
                }
            }
        }
    }

    fn name(&self, what: Named, index: usize) -> String {
        if what != Named::Holonomic {
            return what.standard(index);
        }
        let joints = self.design.links - usize::from(!self.design.held);
        let again = if index / 3 < joints { "" } else { " again" };
        let joint = self.design.joints().nth(index / 3).unwrap_or(0);
        format!("ball {joint}{again}, {}", ["x", "y", "z"][index % 3])
    }
}

/// J w * w.
fn gyroscopic(w: &Vector) -> Vector {
    cross(&[0, 1, 2].map(|k| INERTIA[k] * w[k]), w)
}
