//! A mechanism that has been built: a system, and what its numbers mean in terms of bodies and joints.

use std::sync::Arc;

use alembert::rotation::Quaternion;
use alembert::{At, ConstrainedSystem, Guess, Redundancy, State};

use crate::algebra::Vector;
use crate::assembly::Assembly;
use crate::attached::Located;
use crate::body::Body;
use crate::builder::{Builder, CoordinateId, JointId};
use crate::built::BuiltJoint;
use crate::closing::held::Held;
use crate::error::{BuildError, Fault};
use crate::expansion::{Expansion, Order};
use crate::kit::Coordinate;
use crate::law::TimeLaw;
use crate::marker::{BodyId, Marker, Slim};
use crate::names::Names;
use crate::node::{Kind, NodeId, Pose};
use crate::row::Level;
use crate::weld::Welded;

/// Markers nearer to the centre of mass than this share of the farthest in the mechanism do not make a body small.
const SMALLEST: f64 = 0.05;

/// What is said of numbers that count the turns of an angle.
pub(crate) const TURNS: &str = " with its turns";
/// Gaps below this share of the size of a mechanism are closed.
const CLOSED: f64 = 1e-6;

/// Bodies, joints and forces, ready to be integrated.
#[derive(Debug)]
pub struct Mechanism {
    pub(crate) assembly: Assembly,
    pub(crate) joints: Vec<BuiltJoint>,
    /// How many bodies there are.
    bodies: usize,
    /// Centres of mass from where bodies are drawn; none where they are drawn there.
    centres: Vec<Vector>,
    guess: Guess,
    /// Constraints that are drivers.
    pub(crate) drivers: Vec<usize>,
    /// Drivers that make the lengths of rods what they are: their constraints, and those of the rods, which have the rows.
    pub(crate) pumps: Vec<(usize, usize)>,
    followed: Vec<Followed>,
    /// Constraints that hold a sum of coordinates where it was at the start.
    pub(crate) couplings: Vec<usize>,
    /// Coordinates on which forces act.
    pub(crate) actuated: Vec<CoordinateId>,
    /// Whether nodes have a pose of their own.
    posed: Vec<bool>,
    /// Which velocities bodies were given, and all of them before closing has moved any.
    rough: Vec<bool>,
    before: Option<Vec<f64>>,
    held: Vec<Held>,
    pub(crate) prescribed: Vec<Prescribed>,
    lines: Vec<(Box<str>, [Slim; 2])>,
    /// Whether constraints may follow from others.
    accepts_redundancy: bool,
    pub(crate) welded: Welded,
}

/// A number that counts the turns of an angle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Followed {
    pub of: CoordinateId,
    pub node: NodeId,
}

/// An angle, or the length of a rod, that a driver prescribes, and the constraint whose row does it.
#[derive(Clone, Debug)]
pub(crate) struct Prescribed {
    pub constraint: usize,
    pub of: CoordinateId,
    pub law: Arc<dyn TimeLaw>,
}

/// Constraints by what they are, beside those of joints.
#[derive(Debug, Default)]
pub(crate) struct Others {
    pub drivers: Vec<usize>,
    pub pumps: Vec<(usize, usize)>,
    pub followed: Vec<Followed>,
    pub couplings: Vec<usize>,
    pub actuated: Vec<CoordinateId>,
    pub held: Vec<Held>,
    pub prescribed: Vec<Prescribed>,
    /// Springs and dampers between two points, by their names.
    pub lines: Vec<(Box<str>, [Slim; 2])>,
}

/// Where a body is and how it moves; vectors in the world, but for turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// The centre of mass.
    pub p: Vector,
    /// From body axes to the world, scalar first.
    pub quaternion: Quaternion,
    /// Velocity of the centre of mass.
    pub v: Vector,
    /// Angular velocity in body axes.
    pub omega: Vector,
    /// Acceleration of the centre of mass.
    pub a: Vector,
    /// Angular acceleration in body axes.
    pub alpha: Vector,
}

impl Mechanism {
    /// A mechanism to be put together.
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(crate) fn new(
        assembly: Assembly,
        joints: Vec<BuiltJoint>,
        bodies: &[(String, Body)],
        guess: Guess,
        others: Others,
        welded: Welded,
    ) -> Self {
        let Others { drivers, pumps, followed, couplings, actuated, held, prescribed, lines } = others;
        let mut posed = vec![true; assembly.nodes().len()];
        bodies.iter().enumerate().for_each(|(at, (_, body))| posed[at + 1] = body.posed);
        posed.iter_mut().enumerate().for_each(|(at, posed)| *posed |= welded.seat(at).node != at);
        let mut rough = vec![false; guess.v.len()];
        for (at, (_, body)) in bodies.iter().enumerate() {
            let node = &assembly.nodes()[welded.seat(at + 1).node];
            let [shifts, turns] = node.kind.columns();
            let first = node.v + shifts;
            let of_place = (node.v..first).take(if body.speed.is_some() { shifts } else { 0 });
            for column in of_place.chain((first..first + turns).take(if body.spun { turns } else { 0 })) {
                rough[column] = true;
            }
        }
        let are_centred = bodies.iter().all(|(_, body)| body.centre == [0.0; 3]);
        let centres = bodies.iter().filter(|_| !are_centred).map(|(_, body)| body.centre).collect();
        Mechanism {
            accepts_redundancy: assembly.description().redundancy == Redundancy::LeastSquares,
            drivers,
            pumps,
            prescribed,
            lines,
            followed,
            couplings,
            actuated,
            welded,
            posed,
            rough,
            before: None,
            held,
            assembly,
            joints,
            bodies: bodies.len(),
            centres,
            guess,
        }
    }

    /// The system to integrate.
    pub fn system(&self) -> &Assembly {
        &self.assembly
    }

    /// The start as it was drawn; [`alembert::consistent`] moves it onto the constraints.
    pub fn guess(&self) -> &Guess {
        &self.guess
    }

    /// Velocities that bodies were [given](crate::Body::moving), which are rough, and none where they were given none.
    pub fn rough_velocities(&self) -> impl Iterator<Item = Option<f64>> {
        let v = self.before.as_ref().unwrap_or(&self.guess.v);
        self.rough.iter().zip(v).map(|(given, v)| given.then_some(*v))
    }

    /// Speeds that the start [holds](Builder::start_speed), with the names of their joints.
    pub fn held_speeds(&self) -> impl Iterator<Item = (CoordinateId, &str, f64)> {
        self.held.iter().filter_map(|held| Some((held.of, self.name_of(held.of.joint), held.speed?)))
    }

    /// Says which spring or damper has its ends in one place, where it has no direction.
    ///
    /// # Errors
    /// If there is one.
    pub fn check_lines(&self) -> Result<(), BuildError> {
        for (name, ends) in &self.lines {
            let [i, j] = ends.each_ref().map(|end| {
                let marker = end.marker();
                let pose = self.pose(marker.carrier.0, &self.guess.q, &[]);
                crate::algebra::sum(&pose.p, &crate::algebra::times(&pose.r, &marker.origin))
            });
            if i == j {
                return Err(BuildError { name: name.to_string(), fault: Fault::NoDirection });
            }
        }
        Ok(())
    }

    /// Where a marker is in the world, at the start.
    pub fn place(&self, marker: &Marker) -> Vector {
        let pose = self.pose(self.seat(marker.body()).node, &self.guess.q, &[]);
        crate::algebra::sum(&pose.p, &crate::algebra::times(&pose.r, &self.arm(marker)))
    }

    /// Lets the motion begin at another time: drivers are then where they are at that time.
    pub fn begin_at(&mut self, t: f64) {
        self.guess.t = t;
    }

    /// Coordinates that are single numbers, in their order after those of bodies: the joint, and what they are of it, as `angle`.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, &str)> {
        let numbers = self.assembly.nodes().iter().zip(self.assembly.node_names().iter());
        let numbers = numbers.filter(|(node, _)| node.kind == Kind::Number);
        // They are called `joint` what, with words about turns behind.
        numbers.map(|(_, name)| {
            let (joint, what) = name.trim_start_matches('`').rsplit_once("` ").unwrap_or((name, ""));
            (joint, what.strip_suffix(TURNS).unwrap_or(what))
        })
    }

    /// Whether constraints may follow from others.
    pub(crate) fn accepts_redundancy(&self) -> bool {
        self.accepts_redundancy
    }

    /// Joint coordinates that the start holds.
    pub(crate) fn held(&self) -> &[Held] {
        &self.held
    }

    /// Which nodes have a pose of their own; the ground has.
    pub(crate) fn posed(&self) -> &[bool] {
        &self.posed
    }

    /// The farthest marker from the centre of mass of its body, or point of a curve from its origin. Where all of them are in one place,
    /// the longest rod.
    pub(crate) fn size(&self) -> f64 {
        let reach = self.besides().into_iter().map(|(_, beside)| beside.reach);
        self.arms().into_iter().chain(reach).fold(0.0_f64, f64::max)
    }

    fn arms(&self) -> Vec<f64> {
        let mut arms = vec![0.0_f64; self.assembly.nodes().len()];
        for marker in self.joints.iter().flat_map(BuiltJoint::markers).filter(|marker| marker.carrier.0 > 0) {
            let arm = &mut arms[marker.carrier.0];
            *arm = arm.max(crate::algebra::length(&marker.origin));
        }
        if arms.iter().all(|arm| *arm == 0.0) {
            let curves = self.besides().into_iter().map(|(_, beside)| beside.reach);
            let longest = self.joints.iter().filter_map(BuiltJoint::rod).chain(curves).fold(0.0_f64, f64::max);
            arms.fill(if longest > 0.0 { longest } else { 1.0 });
        }
        arms
    }

    /// W: what a turn counts beside a shift, one number for each velocity.
    pub(crate) fn weights(&self) -> Vec<f64> {
        let size = self.size();
        let mut weights = Vec::new();
        for (node, arm) in self.assembly.nodes().iter().zip(self.arms()) {
            let [shifts, turns] = node.kind.columns();
            let arm = arm.max(SMALLEST * size);
            // Numbers are angles that count turns, and weigh like them, or parameters of curves.
            let shift = if node.kind == Kind::Number { size * size } else { 1.0 };
            weights.extend(std::iter::repeat_n(shift, shifts));
            weights.extend(std::iter::repeat_n(arm * arm, turns));
        }
        for (node, beside) in self.besides() {
            // What counts is the way along the curve.
            weights[self.assembly.nodes()[node].v] = beside.speed * beside.speed;
        }
        weights
    }

    /// Whether all joints close where they were drawn, beside the size of the mechanism.
    pub(crate) fn closes_as_drawn(&self) -> bool {
        let mut g = vec![0.0; self.assembly.dims().lambda];
        let at = At::new(self.guess.t, &self.guess.q, &self.guess.v);
        let _supplied = self.assembly.ask(alembert::Quantity::Holonomic, &at, &mut g);
        let most = CLOSED * self.size();
        g.iter().all(|g| g.abs() <= most)
    }

    /// The start as drawn, with numbers that count turns at the angles and rates of their joints.
    pub(crate) fn settle_drawn(&mut self) {
        let q = self.guess.q.clone();
        self.settle(q, None);
    }

    /// Takes over a configuration in which all joints close: numbers that count turns begin at the angles there, and couplings hold
    /// what they find.
    pub(crate) fn settle(&mut self, q: Vec<f64>, v: Option<Vec<f64>>) {
        self.guess.q = q;
        if let Some(v) = v {
            // What bodies were given is what they were drawn with.
            let before = std::mem::replace(&mut self.guess.v, v);
            self.before.get_or_insert(before);
        }
        for Followed { of, node } in self.followed.clone() {
            let found = self.measured(of, self.guess.t, &self.guess.q, &self.guess.v);
            let (angle, _) = found.unwrap_or_default();
            let at = self.assembly.nodes()[node].q;
            // A start may say more than a turn.
            let held = self.held.iter().find(|held| held.of == of).and_then(|held| held.value);
            self.guess.q[at] = held.unwrap_or(angle);
        }
        for constraint in self.couplings.clone() {
            self.assembly.hold(constraint, &self.guess.q);
        }
        self.move_numbers();
    }

    /// Numbers of joints move with the bodies: x' of least squares of g_t + G v, row by row. They have no mass, so that the repair of
    /// a start would otherwise slow the bodies down to them.
    fn move_numbers(&mut self) {
        let mut sum = Expansion::default();
        for constraint in (0..self.named().len()).filter(|at| !self.couplings.contains(at)) {
            let (support, rows) = self.assembly.joint_rows(constraint);
            let nodes = self.assembly.nodes();
            let mut numbers = support.nodes.iter().enumerate().filter(|(_, node)| nodes[**node].kind == Kind::Number);
            let Some((slot, node)) = numbers.next_back() else { continue };
            let at = nodes[*node].v;
            self.guess.v[at] = 0.0;
            let pose = |slot: usize| self.pose(support.nodes[slot], &self.guess.q, &self.guess.v);
            let z: Vec<Located> = support.vectors.iter().map(|vector| vector.locate(&pose(vector.slot))).collect();
            let (mut along, mut square) = (0.0, 0.0);
            for (row, _) in rows.filter(|(row, _)| row.level == Level::Position) {
                row.expand(self.guess.t, &z, Order::Gradient, &mut sum);
                let by: f64 = sum.gradient.iter().zip(&z).filter(|(_, z)| z.slot == slot).map(|(g, _)| g[0]).sum();
                along += by * (sum.rate(&z) + sum.t);
                square += by * by;
            }
            if square > 0.0 {
                self.guess.v[at] = -along / square;
            }
        }
    }

    /// The bodies.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &str)> {
        let names = self.assembly.node_names().iter().skip(1).take(self.bodies);
        names.enumerate().map(|(at, name)| (BodyId(at + 1), name))
    }

    /// The joints with their names and types.
    pub fn joints(&self) -> impl Iterator<Item = (JointId, &str, &'static str)> {
        self.joints.iter().enumerate().map(|(at, joint)| (JointId(at), self.name_of(at), joint.kind))
    }

    /// The centre of mass of a body, from its drawing origin.
    pub(crate) fn centre(&self, body: BodyId) -> Vector {
        body.0.checked_sub(1).and_then(|at| self.centres.get(at)).copied().unwrap_or_default()
    }

    /// Angles whose turns are counted, and the numbers that do so.
    pub(crate) fn followed(&self) -> impl Iterator<Item = (CoordinateId, NodeId)> {
        self.followed.iter().map(|followed| (followed.of, followed.node))
    }

    /// The number that counts the turns of an angle.
    pub(crate) fn followed_by(&self, id: CoordinateId) -> Option<NodeId> {
        self.followed.iter().find(|followed| followed.of == id).map(|followed| followed.node)
    }

    /// Names of joints, couplings and drivers, in the order of their constraints.
    pub fn constraint_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.named().iter()
    }

    /// The same by their places.
    pub(crate) fn named(&self) -> &Names {
        self.assembly.constraint_names()
    }

    /// The name of a joint, which is that of its constraint.
    pub(crate) fn name_of(&self, joint: usize) -> &str {
        &self.named()[self.joints[joint].constraint]
    }

    /// The pose of a node.
    pub(crate) fn pose(&self, node: usize, q: &[f64], v: &[f64]) -> Pose {
        let mut pose = Pose::HOME;
        let node = &self.assembly.nodes()[node];
        node.place(q, &mut pose);
        if !v.is_empty() {
            node.moving(v, &mut pose);
        }
        pose
    }

    /// How a node moves.
    pub(crate) fn node_motion(&self, node: NodeId, state: &State) -> Motion {
        let node = &self.assembly.nodes()[node];
        let three = |x: &[f64], first: usize| [x[first], x[first + 1], x[first + 2]];
        let State { q, v, a, .. } = state;
        match node.kind {
            Kind::Spatial => Motion {
                p: three(q, node.q),
                quaternion: [q[node.q + 3], q[node.q + 4], q[node.q + 5], q[node.q + 6]],
                v: three(v, node.v),
                omega: three(v, node.v + 3),
                a: three(a, node.v),
                alpha: three(a, node.v + 3),
            },
            Kind::Planar => {
                let (s, c) = (0.5 * q[node.q + 2]).sin_cos();
                let flat = |x: &[f64], at: usize| ([x[at], x[at + 1], 0.0], [0.0, 0.0, x[at + 2]]);
                let ((v, omega), (a, alpha)) = (flat(v, node.v), flat(a, node.v));
                Motion { p: [q[node.q], q[node.q + 1], 0.0], quaternion: [c, 0.0, 0.0, s], v, omega, a, alpha }
            }
            Kind::Particle | Kind::PlanarParticle => {
                let count = node.kind.columns()[0];
                let of = |x: &[f64], first: usize| [0, 1, 2].map(|i| if i < count { x[first + i] } else { 0.0 });
                let (p, quaternion) = (of(q, node.q), [1.0, 0.0, 0.0, 0.0]);
                Motion { p, quaternion, v: of(v, node.v), omega: [0.0; 3], a: of(a, node.v), alpha: [0.0; 3] }
            }
            Kind::Ground | Kind::Number => Motion {
                p: [0.0; 3],
                quaternion: [1.0, 0.0, 0.0, 0.0],
                v: [0.0; 3],
                omega: [0.0; 3],
                a: [0.0; 3],
                alpha: [0.0; 3],
            },
        }
    }

    /// A joint coordinate and its rate; angles between -pi and pi, but for those of planar bodies and those that are
    /// [counted](Builder::count), which tell their turns, too. None where the joint has no such coordinate.
    pub fn coordinate(&self, id: CoordinateId, t: f64, q: &[f64], v: &[f64]) -> Option<(f64, f64)> {
        match self.followed_by(id).map(|node| &self.assembly.nodes()[node]) {
            Some(node) => Some((q[node.q], v[node.v])),
            None => self.measured(id, t, q, v),
        }
    }

    /// The same, measured between the bodies.
    fn measured(&self, id: CoordinateId, t: f64, q: &[f64], v: &[f64]) -> Option<(f64, f64)> {
        let joint = self.joints.get(id.joint)?;
        let Coordinate { support, row, .. } = joint.coordinates().iter().find(|other| other.name == id.name)?;
        let (mut z, mut sum) = (Vec::new(), Expansion::default());
        let vectors = support.vectors.iter();
        z.extend(vectors.map(|vector| vector.locate(&self.pose(support.nodes[vector.slot], q, v))));
        row.expand(t, &z, Order::Gradient, &mut sum);
        Some((sum.value, sum.rate(&z) + sum.t))
    }

    /// Whether a coordinate is an angle between -pi and pi, whose turns nobody counts.
    pub fn wraps(&self, id: CoordinateId) -> bool {
        let coordinates = self.joints.get(id.joint).map(BuiltJoint::coordinates);
        let found = coordinates.and_then(|all| all.iter().find(|other| other.name == id.name));
        found.is_some_and(|coordinate| coordinate.wraps) && self.followed_by(id).is_none()
    }

    /// Names of the coordinates of a joint.
    pub fn coordinates(&self, joint: JointId) -> impl Iterator<Item = &'static str> + '_ {
        self.joints[joint.0].coordinates().iter().map(|coordinate| coordinate.name)
    }
}
