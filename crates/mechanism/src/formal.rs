//! Joint coordinates and reactions as formulas over numbers of another kind.
//!
//! Files have formulas with `A.angle` and `A.force.x` in them, whose derivatives are wanted. A program that can add, multiply and
//! take roots in numbers of its own ([`Algebra`]) and that knows where bodies are in them ([`Setting`]) gets both from here, made of the
//! same rows that are integrated:
//!
//! ```text
//! coordinate   sum weight * primitive - offset
//! reaction     c = sum of lambda g_z (psi A) over the rows:   -c at points, -u * c of directions, -c of turns   (reaction.rs)
//! ```

use alembert::State;

use crate::algebra::Vector;
use crate::attached::What;
use crate::builder::{CoordinateId, JointId};
use crate::marker::{BodyId, Marker};
use crate::mechanism::Mechanism;
use crate::node::Kind;
use crate::row::{Level, Part, Row};
use crate::support::Support;

/// A number of an [`Algebra`], which alone knows what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term(pub u32);

/// Three of them.
pub type Triple = [Term; 3];

/// Operations.
pub trait Algebra {
    /// A constant.
    fn constant(&mut self, x: f64) -> Term;
    /// a + b.
    fn sum(&mut self, a: Term, b: Term) -> Term;
    /// a - b.
    fn difference(&mut self, a: Term, b: Term) -> Term;
    /// a b.
    fn product(&mut self, a: Term, b: Term) -> Term;
    /// a/b.
    fn quotient(&mut self, a: Term, b: Term) -> Term;
    /// The square root.
    fn root(&mut self, a: Term) -> Term;
    /// The angle of the point (x, y).
    fn angle(&mut self, y: Term, x: Term) -> Term;
}

/// Where the parts of a mechanism are, by the first entries of their nodes in q.
pub trait Setting: Algebra {
    /// A point of a body, given from its centre of mass in body axes, in the world.
    fn point(&mut self, at: Standing, arm: Vector) -> Triple;
    /// A direction of a body in the world.
    fn direction(&mut self, at: Standing, arm: Vector) -> Triple;
    /// The multiplier of a holonomic (false) or nonholonomic row.
    fn multiplier(&mut self, nonholonomic: bool, index: usize) -> Term;
    /// A coordinate.
    fn coordinate(&mut self, index: usize) -> Term;
}

/// Where the numbers of a body stand, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What it is.
    pub kind: Moving,
    /// The first of its coordinates.
    pub q: usize,
    /// The first of its velocities.
    pub v: usize,
}

/// What numbers a body has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moving {
    /// None: the ground.
    Not,
    /// x, y, z and a quaternion; x', y', z' and the angular velocity in body axes.
    InSpace,
    /// x, y and an angle.
    InPlane,
    /// x, y, z alone: a mass without size.
    Particle,
    /// x and y alone.
    PlanarParticle,
    /// One number without a body.
    Number,
}

impl Moving {
    /// How many of its first coordinates are those of a place.
    pub fn shifts(self) -> usize {
        match self {
            Moving::Not => 0,
            Moving::Number => 1,
            Moving::InPlane | Moving::PlanarParticle => 2,
            Moving::InSpace | Moving::Particle => 3,
        }
    }
}

/// A primitive as formulas.
#[derive(Clone, Debug)]
pub struct Formal {
    /// Its value; of primitives of rates none.
    pub value: Option<Term>,
    /// Its gradient by each of its vectors.
    pub gradient: Vec<Triple>,
}

/// a.b of triples.
pub fn dot(algebra: &mut (impl Algebra + ?Sized), a: Triple, b: Triple) -> Term {
    let [x, y, z] = [0, 1, 2].map(|i| algebra.product(a[i], b[i]));
    let sum = algebra.sum(x, y);
    algebra.sum(sum, z)
}

/// a * b of triples.
pub fn cross(algebra: &mut (impl Algebra + ?Sized), a: Triple, b: Triple) -> Triple {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
        let (plus, minus) = (algebra.product(a[i], b[j]), algebra.product(a[j], b[i]));
        algebra.difference(plus, minus)
    })
}

/// A constant triple.
pub fn constants(algebra: &mut (impl Algebra + ?Sized), x: Vector) -> Triple {
    x.map(|x| algebra.constant(x))
}

/// b - a.
pub fn way(algebra: &mut (impl Algebra + ?Sized), a: Triple, b: Triple) -> Triple {
    [0, 1, 2].map(|i| algebra.difference(b[i], a[i]))
}

/// a + b.
pub fn sum(algebra: &mut (impl Algebra + ?Sized), a: Triple, b: Triple) -> Triple {
    [0, 1, 2].map(|i| algebra.sum(a[i], b[i]))
}

/// factor a.
pub fn scaled(algebra: &mut (impl Algebra + ?Sized), factor: Term, a: Triple) -> Triple {
    a.map(|a| algebra.product(factor, a))
}

/// -a.
pub fn opposite(algebra: &mut (impl Algebra + ?Sized), a: Triple) -> Triple {
    let zero = algebra.constant(0.0);
    a.map(|a| algebra.difference(zero, a))
}

impl Mechanism {
    /// Where the numbers of a body stand: of a body that is welded to others, those that all of them have.
    pub fn standing(&self, body: BodyId) -> Standing {
        self.standing_of(self.seat(body).node)
    }

    /// What a body is, whether it has numbers of its own or not.
    pub fn moving(&self, body: BodyId) -> Moving {
        match self.standing(body).kind {
            Moving::Not if body.0 > 0 && self.welded.planar => Moving::InPlane,
            Moving::Not if body.0 > 0 => Moving::InSpace,
            kind => kind,
        }
    }

    pub(crate) fn standing_of(&self, node: usize) -> Standing {
        let node = &self.assembly.nodes()[node];
        let kind = match node.kind {
            Kind::Ground => Moving::Not,
            Kind::Spatial => Moving::InSpace,
            Kind::Planar => Moving::InPlane,
            Kind::Particle => Moving::Particle,
            Kind::PlanarParticle => Moving::PlanarParticle,
            Kind::Number => Moving::Number,
        };
        Standing { kind, q: node.q, v: node.v }
    }

    /// The origin of a marker as it was drawn, from the centre of mass of what has the coordinates of its body, and in its axes.
    pub fn arm(&self, marker: &Marker) -> Vector {
        let centre = self.centre(marker.body());
        self.seat(marker.body()).arm(&crate::algebra::difference(&marker.origin, &centre))
    }

    /// A joint coordinate as a formula, angles with their turns where these are counted. None where the joint has no such coordinate.
    pub fn formal_coordinate(&self, id: CoordinateId, setting: &mut dyn Setting) -> Option<Term> {
        if let Some(node) = self.followed_by(id) {
            return Some(setting.coordinate(self.assembly.nodes()[node].q));
        }
        let coordinate = self.joints.get(id.joint)?.coordinates().iter().find(|other| other.name == id.name)?;
        let z = self.formal_vectors(&coordinate.support, setting);
        let row = &coordinate.row;
        let mut sum = setting.constant(-row.offset);
        for Part { primitive, weight, vectors, .. } in &row.parts {
            let own: Vec<Triple> = vectors.iter().map(|at| z[*at as usize]).collect();
            let value = primitive.formal(setting, &own)?.value?;
            let weight = setting.constant(*weight);
            let part = setting.product(weight, value);
            sum = setting.sum(sum, part);
        }
        Some(sum)
    }

    /// Force and torque of a joint on its second body, at the origin of the second marker, along the axes of the first marker
    /// (or those of the world). None where a row of the joint has no formula, and of a weld that is merged, which has no rows.
    pub fn formal_reaction(&self, joint: JointId, in_world: bool, setting: &mut dyn Setting) -> Option<[Triple; 2]> {
        let built = self.joints.get(joint.0).filter(|_| self.welded.weld(joint.0).is_none())?;
        let [first, second] = built.markers();
        let (support, rows) = self.assembly.joint_rows(built.constraint);
        let z = self.formal_vectors(&support, setting);
        let at = setting.point(self.standing_of(second.carrier.0), second.origin);
        let zero = setting.constant(0.0);
        let mut wrench = [[zero; 3]; 2];
        for (row, index) in rows {
            let gradients = formal_gradient(row, &z, setting)?;
            let multiplier = setting.multiplier(row.level == Level::Velocity, index);
            let minus = setting.difference(zero, multiplier);
            for ((vector, z), gradient) in support.vectors.iter().zip(&z).zip(gradients) {
                let Some(gradient) = gradient.filter(|_| vector.owner == second.body.0) else { continue };
                let pull = scaled(setting, minus, gradient);
                let couple = match vector.what {
                    What::Point => {
                        wrench[0] = sum(setting, wrench[0], pull);
                        if *z == at {
                            continue;
                        }
                        let arm = way(setting, at, *z);
                        cross(setting, arm, pull)
                    }
                    What::Direction => cross(setting, *z, pull),
                    What::Turn => pull,
                };
                wrench[1] = sum(setting, wrench[1], couple);
            }
        }
        if in_world {
            return Some(wrench);
        }
        let standing = self.standing_of(first.carrier.0);
        let frame = first.axes.map(|axis| setting.direction(standing, axis));
        Some(wrench.map(|x| frame.map(|axis| dot(setting, axis, x))))
    }

    /// How far a joint is open: the root of the sum of squares of its position rows, in metres. None where a row has no formula, or where
    /// there are no such rows.
    pub fn formal_residual(&self, joint: JointId, setting: &mut dyn Setting) -> Option<Term> {
        let (support, rows) = self.assembly.joint_rows(self.joints.get(joint.0)?.constraint);
        let z = self.formal_vectors(&support, setting);
        let mut square = None;
        for (row, _) in rows.filter(|(row, _)| row.level == Level::Position) {
            let mut g = setting.constant(-row.offset * row.scale);
            for Part { primitive, weight, vectors, .. } in &row.parts {
                let own: Vec<Triple> = vectors.iter().map(|at| z[*at as usize]).collect();
                let value = primitive.formal(setting, &own)?.value?;
                let weight = setting.constant(weight * row.scale);
                let part = setting.product(weight, value);
                g = setting.sum(g, part);
            }
            let own = setting.product(g, g);
            square = Some(match square {
                Some(sum) => setting.sum(sum, own),
                None => own,
            });
        }
        square.map(|square| setting.root(square))
    }

    /// What a driver, by its place among them, does along the coordinate that it drives: a force, or a torque. None of a path.
    pub fn formal_drive(&self, driver: usize, setting: &mut dyn Setting) -> Option<Term> {
        let (level, index, scale) = self.drive_row(driver)?;
        let multiplier = setting.multiplier(level == Level::Velocity, index);
        let scale = setting.constant(-scale);
        Some(setting.product(scale, multiplier))
    }

    /// The same as a number at a state.
    pub fn effort(&self, driver: usize, state: &State) -> Option<f64> {
        let (level, index, scale) = self.drive_row(driver)?;
        let multipliers = if level == Level::Velocity { &state.psi } else { &state.lambda };
        Some(-scale * multipliers[index])
    }

    /// The only row of a driver: its level, its index there, and the length that it is multiplied with.
    fn drive_row(&self, driver: usize) -> Option<(Level, usize, f64)> {
        let own = *self.drivers.get(driver)?;
        let rod = self.pumps.iter().find(|(by, _)| *by == own);
        // Of a rod whose length is driven one row is the driver's.
        let (constraint, name) = rod.map_or((own, None), |(_, rod)| (*rod, Some(crate::kit::LENGTH)));
        let (_, rows) = self.assembly.joint_rows(constraint);
        let mut rows = rows.filter(|(row, _)| name.is_none_or(|name| row.name == name));
        let (Some((row, index)), None) = (rows.next(), rows.next()) else { return None };
        Some((row.level, index, row.scale))
    }

    /// The vectors of an element. The turn of a planar body is its angle about z; that of one in space has no value, and nothing asks
    /// for it.
    fn formal_vectors(&self, support: &Support, setting: &mut dyn Setting) -> Vec<Triple> {
        let mut found = Vec::new();
        for vector in &support.vectors {
            let at = self.standing_of(support.nodes[vector.slot]);
            found.push(match (vector.what, at.kind) {
                (What::Point, Moving::Number) => {
                    let zero = setting.constant(0.0);
                    [setting.coordinate(at.q), zero, zero]
                }
                (What::Point, _) => setting.point(at, vector.arm),
                (What::Direction, _) => setting.direction(at, vector.arm),
                (What::Turn, Moving::InPlane) => {
                    let zero = setting.constant(0.0);
                    let angle = setting.coordinate(at.q + 2);
                    let lead = setting.constant(vector.arm[2]);
                    [zero, zero, setting.sum(angle, lead)]
                }
                (What::Turn, _) => constants(setting, [0.0, 0.0, vector.arm[2]]),
            });
        }
        found
    }
}

/// The gradient of a row by each vector of its element; none where it does not depend on one.
fn formal_gradient(row: &Row, z: &[Triple], setting: &mut dyn Setting) -> Option<Vec<Option<Triple>>> {
    let mut found: Vec<Option<Triple>> = vec![None; z.len()];
    for Part { primitive, weight, vectors, .. } in &row.parts {
        let own: Vec<Triple> = vectors.iter().map(|at| z[*at as usize]).collect();
        let weight = setting.constant(weight * row.scale);
        for (at, gradient) in vectors.iter().zip(primitive.formal(setting, &own)?.gradient) {
            let share = scaled(setting, weight, gradient);
            let entry = &mut found[*at as usize];
            *entry = Some(match *entry {
                Some(known) => sum(setting, known, share),
                None => share,
            });
        }
    }
    Some(found)
}
