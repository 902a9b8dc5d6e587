//! From what was collected to an assembly: nodes, elements, and the rough start.

use std::collections::HashSet;
use std::sync::Arc;

use alembert::{Guess, Redundancy};

use super::{Builder, CoordinateId, DriveSpec, JointSpec};
use crate::algebra::{difference, length, sum, times};
use crate::assembly::{Assembly, Constraint, Elements, Inertia, Loaded};
use crate::attached::What;
use crate::body::Body;
use crate::built::{BuiltJoint, Further};
use crate::closing::held::Held;
use crate::error::{BuildError, Fault};
use crate::expansion::{Expansion, Order};
use crate::kit::{Coordinate, Kit, Kitted, LENGTH};
use crate::law::TimeLaw;
use crate::marker::{GROUND, Marker};
use crate::mechanism::{Followed, Mechanism, Others, Prescribed, TURNS};
use crate::node::{Kind, NodeId, Pose, axes};
use crate::primitive::{Clock, CoordinateDifference, DrivenAngle, FollowedAngle, Number};
use crate::row::{Part, Row};
use crate::support::Support;
use crate::weld::Welded;

/// Marker distances below this share of the largest in the mechanism say nothing about the size of a joint.
const TINY: f64 = 0.05;
/// The share of the largest that is taken then.
const USUAL: f64 = 0.3;

/// What has been built so far.
pub(super) struct Work {
    pub(super) planar: bool,
    pub(super) nodes: Vec<(String, Kind, Inertia)>,
    /// Centres of mass in the drawings, the ground first.
    pub(super) centres: Vec<[f64; 3]>,
    /// Where bodies start; numbers have theirs in p.
    pub(super) poses: Vec<Pose>,
    /// Angular velocities in body axes.
    pub(super) spins: Vec<[f64; 3]>,
    pub(super) welded: Welded,
    size: f64,
    pub(super) joints: Vec<BuiltJoint>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) loads: Vec<Loaded>,
    pub(super) others: Others,
}

pub(super) fn fault(name: &str, fault: Fault) -> BuildError {
    BuildError { name: name.to_owned(), fault }
}

/// Whether a body can have this inertia: symmetric, with principal minors that are not negative beside rounding.
fn is_inertia(moments: &[[f64; 3]; 3]) -> bool {
    let largest = moments.iter().flatten().fold(0.0_f64, |max, x| max.max(x.abs()));
    let slack = 1e-12;
    let m = moments.map(|row| row.map(|x| if largest > 0.0 { x / largest } else { 0.0 }));
    let symmetric = (0..3).all(|i| (0..i).all(|j| (m[i][j] - m[j][i]).abs() <= slack));
    let minor = |i: usize, j: usize| m[i][i] * m[j][j] - m[i][j] * m[j][i];
    let whole = crate::algebra::dot(&m[0], &crate::algebra::cross(&m[1], &m[2]));
    let positive = (0..3).all(|i| m[i][i] >= 0.0 && minor(i, (i + 1) % 3) >= -slack) && whole >= -slack;
    largest.is_finite() && symmetric && positive
}

pub(super) fn build(builder: Builder) -> Result<Mechanism, BuildError> {
    // Loads cannot be shared out evenly where friction depends on them.
    let redundancy = if builder.frictions.is_empty() { builder.redundancy } else { Redundancy::Refused };
    let mut names = HashSet::new();
    let of_bodies = builder.bodies.iter().map(|(name, _)| ("body", name));
    for (kind, name) in of_bodies.chain(builder.joints.iter().map(|joint| ("joint", &joint.name))) {
        if !names.insert((kind, name)) {
            return Err(fault(name, Fault::Twice));
        }
    }
    let mut work = Work {
        planar: builder.planar,
        nodes: vec![("ground".to_owned(), Kind::Ground, Inertia::NONE)],
        centres: vec![[0.0; 3]],
        poses: vec![Pose::HOME],
        spins: vec![[0.0; 3]],
        welded: Welded::default(),
        size: 0.0,
        joints: Vec::with_capacity(builder.joints.len()),
        constraints: Vec::with_capacity(builder.joints.len()),
        loads: Vec::new(),
        others: Others::default(),
    };
    for (name, body) in &builder.bodies {
        work.body(name, body)?;
    }
    work.weld(&builder);
    let Builder { gravity, bodies, joints, couplings, counted, held, drives, loads, frictions, .. } = builder;
    work.size = joints
        .iter()
        .flat_map(|joint| joint.markers)
        .filter(|marker| marker.body != GROUND)
        .map(|marker| length(&difference(&marker.origin, &work.centres[marker.body.0])))
        .fold(0.0_f64, f64::max);
    for spec in joints {
        work.joint(spec)?;
    }
    for held in &held {
        let numbers = [held.value, held.speed].into_iter().flatten();
        work.coordinate("start", held.of)?;
        if !numbers.into_iter().all(f64::is_finite) {
            return Err(fault(work.name_of(held.of.joint), Fault::NotFinite));
        }
    }
    work.others.held = held;
    for (name, terms) in couplings {
        work.couple(name, &terms)?;
    }
    for of in counted {
        work.counted("count", of)?;
    }
    for (name, spec) in drives {
        work.drive(name, spec)?;
    }
    for (name, spec) in loads {
        work.load(name, spec)?;
    }
    for (name, joint, friction) in frictions {
        work.friction(&name, joint.0, friction, &gravity)?;
    }
    let mechanism = work.finish(gravity, redundancy, &bodies);
    mechanism.check_determined()?;
    if mechanism.closes_as_drawn() {
        mechanism.check_lines()?;
        mechanism.check_friction()?;
    }
    Ok(mechanism)
}

impl Work {
    fn body(&mut self, name: &str, body: &Body) -> Result<(), BuildError> {
        let Body { inertia, centre, at, turn, angle, spin, speed, .. } = body;
        if !(inertia.mass >= 0.0 && inertia.mass.is_finite()) {
            return Err(fault(name, Fault::Mass(inertia.mass)));
        }
        if !is_inertia(&inertia.moments) {
            return Err(fault(name, Fault::Inertia));
        }
        let numbers = centre.iter().chain(at).chain(turn).chain(spin).chain(speed.iter().flatten()).chain([angle]);
        if !numbers.copied().all(f64::is_finite) {
            return Err(fault(name, Fault::NotFinite));
        }
        let r = if self.planar {
            let (s, c) = angle.sin_cos();
            [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
        } else {
            axes(turn)
        };
        let speed = body.centre_speed(&r);
        let p = sum(at, &times(&r, centre));
        self.poses.push(Pose { r, p, speed, spin: times(&r, spin), angle: *angle });
        self.spins.push(*spin);
        let kind = match (self.planar, body.particle) {
            (false, false) => Kind::Spatial,
            (true, false) => Kind::Planar,
            (false, true) => Kind::Particle,
            (true, true) => Kind::PlanarParticle,
        };
        self.nodes.push((name.to_owned(), kind, *inertia));
        self.centres.push(*centre);
        Ok(())
    }

    /// The name of a joint, which is that of its constraint.
    pub(super) fn name_of(&self, joint: usize) -> &str {
        &self.constraints[self.joints[joint].constraint].name
    }

    /// A marker from the centre of mass, on what moves its body.
    pub(super) fn marker(&self, name: &str, marker: Marker) -> Result<Marker, BuildError> {
        if !marker.is_finite() {
            return Err(fault(name, Fault::NotFinite));
        }
        let marker = self.centred(marker);
        Ok(self.welded.seat(marker.body.0).marker(marker))
    }

    pub(super) fn pair(&self, name: &str, [i, j]: [Marker; 2]) -> Result<[Marker; 2], BuildError> {
        if i.body == j.body {
            return Err(fault(name, Fault::OneBody));
        }
        Ok([self.marker(name, i)?, self.marker(name, j)?])
    }

    /// A length of a joint: its longer arm, or a share of the mechanism where both are next to nothing.
    fn length(&self, markers: &[Marker; 2]) -> f64 {
        let arms = markers.iter().filter(|marker| marker.carrier != GROUND).map(|marker| length(&marker.origin));
        let arm = arms.fold(0.0_f64, f64::max);
        if arm > TINY * self.size {
            arm
        } else if self.size > 0.0 {
            USUAL * self.size
        } else {
            1.0
        }
    }

    fn joint(&mut self, spec: JointSpec) -> Result<(), BuildError> {
        let JointSpec { name, kind, markers } = spec;
        let markers = self.pair(&name, markers)?;
        if self.planar && !kind.in_plane() {
            return Err(fault(&name, Fault::InPlane(kind.name())));
        }
        if let Some(words) = kind.mistake() {
            return Err(fault(&name, Fault::Parameter(words)));
        }
        if kind.on_ground() && markers[0].body != GROUND {
            return Err(fault(&name, Fault::OffGround(kind.name())));
        }
        let length = self.length(&markers);
        if self.welded.weld(self.joints.len()).is_some() {
            self.merged(name, kind.name(), markers, length);
            return Ok(());
        }
        let mut kit = Kit::new(&markers, self.planar, length, self.nodes.len());
        let points = |marker: &Marker| matches!(self.nodes[marker.carrier.0].1, Kind::Particle | Kind::PlanarParticle);
        if kind.name() == "fixed" && markers.iter().any(points) {
            // A weld that stays a joint has nothing to turn with on a point mass.
            kit.together();
        } else {
            kind.build(&mut kit);
        }
        let Kitted { support, rows, together, relaxed, coordinates, numbers, rod } = kit.finish();
        let (numbered, sampled) = (!numbers.is_empty(), numbers.iter().any(|number| number.start.is_none()));
        for number in numbers {
            self.number(format!("`{name}` {}", number.name), number.start.unwrap_or_default());
        }
        self.check_particles(&name, &support)?;
        let built = BuiltJoint::new(kind.name(), markers, length, self.constraints.len());
        let further = Further { coordinates: coordinates.into(), relaxed, numbered, sampled, rod };
        self.joints.push(built.with(together, further));
        self.constraints.push(Constraint { name, support, rows });
        Ok(())
    }

    /// A weld that is no constraint.
    fn merged(&mut self, name: String, kind: &'static str, markers: [Marker; 2], length: f64) {
        self.joints.push(BuiltJoint::new(kind, markers, length, self.constraints.len()));
        self.constraints.push(Constraint { name, support: Support::default(), rows: Vec::new() });
    }

    /// Refuses axes and arms of point masses.
    pub(super) fn check_particles(&self, name: &str, support: &Support) -> Result<(), BuildError> {
        for vector in &support.vectors {
            let (body, kind, _) = &self.nodes[support.nodes[vector.slot]];
            let turns = vector.what != What::Point || vector.arm.iter().any(|x| *x != 0.0);
            if turns && matches!(kind, Kind::Particle | Kind::PlanarParticle) {
                return Err(fault(name, Fault::Turned(body.clone())));
            }
        }
        Ok(())
    }

    /// A number that starts somewhere.
    fn number(&mut self, name: String, start: f64) -> NodeId {
        self.nodes.push((name, Kind::Number, Inertia::NONE));
        self.centres.push([0.0; 3]);
        self.poses.push(Pose { p: [start, 0.0, 0.0], ..Pose::HOME });
        self.spins.push([0.0; 3]);
        self.nodes.len() - 1
    }

    pub(super) fn coordinate(&self, name: &str, id: CoordinateId) -> Result<&Coordinate, BuildError> {
        let joint = self.joints.get(id.joint);
        let found = joint.and_then(|joint| joint.coordinates().iter().find(|coordinate| coordinate.name == id.name));
        found.ok_or_else(|| {
            let blamed = joint.map_or(name, |joint| &self.constraints[joint.constraint].name);
            fault(blamed, Fault::NoCoordinate(id.name))
        })
    }

    /// The value of a row at the rough start.
    fn value(&self, support: &Support, row: &Row) -> f64 {
        let (mut z, mut sum) = (Vec::new(), Expansion::default());
        support.locate(&self.poses, &mut z);
        row.expand(0.0, &z, Order::Value, &mut sum);
        sum.value
    }

    /// A coordinate as one that counts turns: itself, or a number that follows the angle.
    pub(super) fn counted(&mut self, name: &str, id: CoordinateId) -> Result<(Support, Row), BuildError> {
        let Coordinate { support, row, wraps, .. } = self.coordinate(name, id)?.clone();
        if !wraps {
            return Ok((support, row));
        }
        let known = self.others.followed.iter().find(|followed| followed.of == id).map(|followed| followed.node);
        let node = match known {
            Some(node) => node,
            None => self.follow(id, support, &row),
        };
        let mut support = Support::default();
        let number = support.attach(node, What::Point, [0.0; 3]);
        Ok((support, Row::of("angle", Number, &[number])))
    }

    fn follow(&mut self, of: CoordinateId, mut support: Support, angle: &Row) -> NodeId {
        let (joint, length) = (self.name_of(of.joint).to_owned(), self.joints[of.joint].length);
        let start = self.value(&support, angle);
        let name = format!("`{joint}` {}{TURNS}", of.name);
        let node = self.number(name.clone(), start);
        let number = support.attach(node, What::Point, [0.0; 3]);
        let vectors: Vec<u8> = angle.parts[0].vectors.iter().copied().chain([number]).collect();
        let row = Row::of("counted", FollowedAngle, &vectors).times(length);
        self.constraints.push(Constraint { name, support, rows: vec![Arc::new(row)] });
        self.others.followed.push(Followed { of, node });
        node
    }

    fn couple(&mut self, name: String, terms: &[(f64, CoordinateId)]) -> Result<(), BuildError> {
        let mut support = Support::default();
        let mut parts = Vec::new();
        let mut offset = 0.0;
        for (ratio, id) in terms {
            if !ratio.is_finite() {
                return Err(fault(&name, Fault::NotFinite));
            }
            let (own, row) = self.counted(&name, *id)?;
            let map = support.join(&own);
            offset += ratio * row.offset;
            let mapped = row.mapped(&map).parts.into_iter();
            parts.extend(mapped.map(|part| Part { weight: ratio * part.weight, ..part }));
        }
        let mut row = Row { parts, offset, ..Row::of("ratio", Number, &[0]) };
        row.offset += self.value(&support, &row);
        self.others.couplings.push(self.constraints.len());
        self.constraints.push(Constraint { name, support, rows: vec![Arc::new(row)] });
        Ok(())
    }

    fn drive(&mut self, name: String, spec: DriveSpec) -> Result<(), BuildError> {
        let (support, rows) = match spec {
            DriveSpec::Value(id, law) if self.is_rod(id) => {
                let constraint = self.pump(&name, id, &law, false)?;
                self.others.prescribed.push(Prescribed { constraint, of: id, law });
                (Support::default(), Vec::new())
            }
            DriveSpec::Speed(id, law) if self.is_rod(id) => {
                self.pump(&name, id, &law, true)?;
                // Nothing else says how long it is at the start.
                if self.others.held.iter().all(|held| held.of != id || held.value.is_none()) {
                    self.others.held.push(Held { of: id, value: self.joints[id.joint].rod(), speed: None });
                }
                (Support::default(), Vec::new())
            }
            DriveSpec::Value(id, law) => {
                let Coordinate { support, row, wraps, .. } = self.coordinate(&name, id)?.clone();
                let length = self.joints[id.joint].length;
                let row = if wraps {
                    let vectors = row.parts[0].vectors.clone();
                    let constraint = self.constraints.len();
                    self.others.prescribed.push(Prescribed { constraint, of: id, law: law.clone() });
                    Row::of("driven", DrivenAngle { law }, &vectors).times(length)
                } else {
                    let scale = if id.name.contains("angle") { length } else { 1.0 };
                    Row { name: "driven", ..row }.and(-1.0, Clock { law }, &[]).times(scale)
                };
                (support, vec![Arc::new(row)])
            }
            DriveSpec::Speed(id, law) => {
                let Coordinate { support, row, .. } = self.coordinate(&name, id)?.clone();
                let scale = if id.name.contains("angle") { self.joints[id.joint].length } else { 1.0 };
                let row = Row { name: "driven", ..row.rate() }.and(-1.0, Clock { law }, &[]).times(scale);
                (support, vec![Arc::new(row)])
            }
            DriveSpec::Path(markers, laws) => {
                let [i, j] = self.pair(&name, *markers)?;
                let mut support = Support::default();
                let points = [i, j].map(|marker| support.point(&marker));
                let count = if self.planar { 2 } else { 3 };
                let rows = laws.into_iter().zip(["along x", "along y", "along z"]).take(count).enumerate();
                let rows = rows.map(|(axis, (law, name))| {
                    let along = CoordinateDifference { axis: crate::algebra::IDENTITY[axis] };
                    Arc::new(Row::of(name, along, &points).and(-1.0, Clock { law }, &[]))
                });
                (support, rows.collect())
            }
        };
        self.others.drivers.push(self.constraints.len());
        self.constraints.push(Constraint { name, support, rows });
        Ok(())
    }

    fn is_rod(&self, id: CoordinateId) -> bool {
        id.name == LENGTH && self.joints.get(id.joint).is_some_and(|joint| joint.rod().is_some())
    }

    /// Puts |d| - f(t), or its rate, in the place of the row that keeps the length of a rod; the constraint that has it.
    fn pump(
        &mut self,
        name: &str,
        id: CoordinateId,
        law: &Arc<dyn TimeLaw>,
        by_speed: bool,
    ) -> Result<usize, BuildError> {
        let Coordinate { support, row, .. } = self.coordinate(name, id)?.clone();
        let constraint = self.joints[id.joint].constraint;
        if self.others.pumps.iter().any(|(_, other)| *other == constraint) {
            let words = format!("the length of `{}` has a driver already", self.name_of(id.joint));
            return Err(fault(name, Fault::Parameter(words)));
        }
        let Constraint { support: own, rows, .. } = &mut self.constraints[constraint];
        let row = row.mapped(&own.join(&support));
        let row = if by_speed { row.rate() } else { row };
        let driven = Row { name: LENGTH, ..row }.and(-1.0, Clock { law: law.clone() }, &[]);
        if let Some(kept) = rows.iter_mut().find(|row| row.name == LENGTH) {
            *kept = Arc::new(driven);
        }
        self.others.pumps.push((self.constraints.len(), constraint));
        Ok(constraint)
    }

    fn finish(self, gravity: [f64; 3], redundancy: Redundancy, bodies: &[(String, Body)]) -> Mechanism {
        let Work { nodes, poses, spins, welded, joints, constraints, loads, others, .. } = self;
        let (sizes_q, sizes_v) = nodes.iter().fold((0, 0), |(q, v), (_, kind, _)| {
            let [more_q, more_v] = kind.sizes();
            (q + more_q, v + more_v)
        });
        let (mut q, mut v) = (Vec::with_capacity(sizes_q), Vec::with_capacity(sizes_v));
        for (at, ((_, kind, _), pose)) in nodes.iter().zip(&poses).enumerate() {
            match kind {
                Kind::Ground => {}
                Kind::Spatial => {
                    let body = &bodies[at - 1].1;
                    q.extend(pose.p.iter().chain(&body.turn));
                    v.extend(pose.speed.iter().chain(&spins[at]));
                }
                Kind::Planar => {
                    let body = &bodies[at - 1].1;
                    q.extend([pose.p[0], pose.p[1], body.angle]);
                    v.extend([pose.speed[0], pose.speed[1], spins[at][2]]);
                }
                Kind::Particle | Kind::PlanarParticle => {
                    let count = kind.columns()[0];
                    q.extend(&pose.p[..count]);
                    v.extend(&pose.speed[..count]);
                }
                Kind::Number => {
                    q.push(pose.p[0]);
                    v.push(0.0);
                }
            }
        }
        let assembly = Assembly::new(Elements {
            nodes,
            gravity,
            constraints,
            loads,
            redundancy,
            resting: welded.resting(&gravity),
        });
        let mut mechanism = Mechanism::new(assembly, joints, bodies, Guess::new(0.0, q, v), others, welded);
        mechanism.settle_drawn();
        if mechanism.is_tree() {
            // Nothing can follow from anything else, and the plain equations are more accurate.
            mechanism.assembly.set_redundancy(Redundancy::Refused);
        }
        mechanism
    }
}
