//! A mechanism as it is put together: bodies, joints, drivers, forces, each with a name.

mod build;
mod loads;
mod rubbing;
mod welding;

use std::sync::Arc;

use alembert::Redundancy;
use alembert::scalar::{Dual, Jet};

use crate::algebra::Vector;
use crate::body::Body;
use crate::closing::held::Held;
use crate::error::BuildError;
use crate::friction::Friction;
use crate::joint::Joint;
use crate::kit::Kit;
use crate::law::{Law, Linear, OfCoordinate, OfRate, OfTime, Slope, TimeLaw};
use crate::load::{Axes, Bushing, Contact, Drag, Stops, Tyre};
use crate::marker::{BodyId, Marker};
use crate::mechanism::Mechanism;

/// A joint of a mechanism that is being built, or has been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointId(pub(crate) usize);

/// A coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoordinateId {
    pub(crate) joint: usize,
    pub(crate) name: &'static str,
}

impl CoordinateId {
    /// What the joint calls it.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Its joint.
    pub fn joint(self) -> JointId {
        JointId(self.joint)
    }
}

impl JointId {
    /// The angle about z.
    pub fn angle(self) -> CoordinateId {
        self.coordinate("angle")
    }

    /// The displacement along z.
    pub fn displacement(self) -> CoordinateId {
        self.coordinate("displacement")
    }

    /// The distance of the markers.
    pub fn length(self) -> CoordinateId {
        self.coordinate("length")
    }

    /// Any coordinate by its name.
    pub fn coordinate(self, name: &'static str) -> CoordinateId {
        CoordinateId { joint: self.0, name }
    }
}

#[derive(Debug)]
struct JointSpec {
    name: String,
    kind: Box<dyn Joint>,
    markers: [Marker; 2],
}

#[derive(Debug)]
enum DriveSpec {
    Value(CoordinateId, Arc<dyn TimeLaw>),
    Speed(CoordinateId, Arc<dyn TimeLaw>),
    Path(Box<[Marker; 2]>, [Arc<dyn TimeLaw>; 3]),
}

#[derive(Debug)]
enum LoadSpec {
    Coordinate(CoordinateId, Arc<dyn Law>),
    Between([Marker; 2], Arc<dyn Law>),
    Pull(Marker, [Arc<dyn TimeLaw>; 3], Axes),
    Twist(BodyId, [Arc<dyn TimeLaw>; 3], Axes),
    Bushing([Marker; 2], Bushing),
    OnPlane([Marker; 2], f64, Contact),
    OnSphere([Marker; 2], [f64; 2], Contact),
    Stops(CoordinateId, Stops),
    Drag(Marker, Drag),
    Tyre([Marker; 2], Tyre),
}

/// Collects a mechanism; mistakes are told by [`build`](Self::build).
#[derive(Debug)]
pub struct Builder {
    planar: bool,
    gravity: Vector,
    redundancy: Redundancy,
    /// Whether welded bodies become one.
    merging: bool,
    /// Welds that stay joints.
    kept: Vec<usize>,
    bodies: Vec<(String, Body)>,
    joints: Vec<JointSpec>,
    couplings: Vec<(String, Vec<(f64, CoordinateId)>)>,
    counted: Vec<CoordinateId>,
    held: Vec<Held>,
    drives: Vec<(String, DriveSpec)>,
    loads: Vec<(String, LoadSpec)>,
    frictions: Vec<(String, JointId, Friction)>,
}

/// A function of time that does not change.
#[derive(Clone, Copy, Debug)]
struct Constant(f64);

impl TimeLaw for Constant {
    fn at(&self, _: f64) -> [f64; 3] {
        [self.0, 0.0, 0.0]
    }
}

fn constants(x: Vector) -> [Arc<dyn TimeLaw>; 3] {
    x.map(|x| Arc::new(Constant(x)) as Arc<dyn TimeLaw>)
}

impl Builder {
    pub(crate) fn new() -> Self {
        Builder {
            planar: false,
            gravity: [0.0; 3],
            redundancy: Redundancy::LeastSquares,
            merging: true,
            kept: Vec::new(),
            bodies: Vec::new(),
            joints: Vec::new(),
            couplings: Vec::new(),
            counted: Vec::new(),
            held: Vec::new(),
            drives: Vec::new(),
            loads: Vec::new(),
            frictions: Vec::new(),
        }
    }

    /// All bodies move in the plane of x and y.
    pub fn planar(&mut self) -> &mut Self {
        self.planar = true;
        self
    }

    /// The acceleration of free fall.
    pub fn gravity(&mut self, gravity: Vector) -> &mut Self {
        self.gravity = gravity;
        self
    }

    /// What becomes of constraints that follow from others; they are accepted by default.
    pub fn redundancy(&mut self, redundancy: Redundancy) -> &mut Self {
        self.redundancy = redundancy;
        self
    }

    /// Whether bodies that are welded by [`Fixed`](crate::joint::Fixed) joints become one, as they do by default. The motion is the same
    /// either way; one body is quicker, and [`Mechanism::reaction`] tells what its welds carry.
    pub fn merge_welds(&mut self, merging: bool) -> &mut Self {
        self.merging = merging;
        self
    }

    /// A weld stays a joint with constraints and multipliers of its own.
    pub fn keep(&mut self, weld: JointId) -> &mut Self {
        self.kept.push(weld.0);
        self
    }

    /// A body.
    pub fn body(&mut self, name: impl Into<String>, body: Body) -> BodyId {
        self.bodies.push((name.into(), body));
        BodyId(self.bodies.len())
    }

    /// A joint between two markers; coordinates and reactions are those of the second relative to the first.
    pub fn joint(&mut self, name: impl Into<String>, kind: impl Joint + 'static, i: Marker, j: Marker) -> JointId {
        self.joints.push(JointSpec { name: name.into(), kind: Box::new(kind), markers: [i, j] });
        JointId(self.joints.len() - 1)
    }

    /// A coordinate has this value at the start: [closing](Mechanism::close) holds it.
    pub fn start(&mut self, of: CoordinateId, value: f64) -> &mut Self {
        self.held.push(Held { of, value: Some(value), speed: None });
        self
    }

    /// A coordinate has this rate at the start.
    pub fn start_speed(&mut self, of: CoordinateId, speed: f64) -> &mut Self {
        self.held.push(Held { of, value: None, speed: Some(speed) });
        self
    }

    /// An angle is to be known with its turns: [`Mechanism::coordinate`] then says how often it went round. Angles in the plane, and
    /// those that springs, stops and gears use, are so anyway.
    pub fn count(&mut self, of: CoordinateId) -> &mut Self {
        self.counted.push(of);
        self
    }

    /// sum ratio * coordinate stays as it is at the start: gears (radii and angles), racks, screws, belts, differentials.
    pub fn couple(&mut self, name: impl Into<String>, terms: &[(f64, CoordinateId)]) -> &mut Self {
        self.couplings.push((name.into(), terms.to_vec()));
        self
    }

    /// The name of a coordinate of a joint, if it has one that is called so; blanks may be underscores.
    pub fn coordinate_name(&self, joint: JointId, name: &str) -> Option<&'static str> {
        let JointSpec { kind, markers, .. } = self.joints.get(joint.0)?;
        let mut kit = Kit::new(markers, self.planar, 1.0, 0);
        kind.build(&mut kit);
        kit.coordinates
            .iter()
            .map(|coordinate| coordinate.name)
            .find(|known| known.replace(' ', "_") == name.replace(' ', "_"))
    }

    /// A coordinate follows a function of time.
    pub fn drive(
        &mut self,
        name: impl Into<String>,
        coordinate: CoordinateId,
        law: impl Fn(Jet) -> Jet + Send + Sync + 'static,
    ) -> &mut Self {
        self.drive_by(name, coordinate, Arc::new(OfTime(law)))
    }

    /// The same by any law.
    pub fn drive_by(&mut self, name: impl Into<String>, coordinate: CoordinateId, law: Arc<dyn TimeLaw>) -> &mut Self {
        self.drives.push((name.into(), DriveSpec::Value(coordinate, law)));
        self
    }

    /// The rate of a coordinate follows a function of time.
    pub fn drive_speed(
        &mut self,
        name: impl Into<String>,
        coordinate: CoordinateId,
        law: impl Fn(Jet) -> Jet + Send + Sync + 'static,
    ) -> &mut Self {
        self.drives.push((name.into(), DriveSpec::Speed(coordinate, Arc::new(OfTime(law)))));
        self
    }

    /// The way from one origin to another follows functions of time, in the axes of the world.
    pub fn drive_path(
        &mut self,
        name: impl Into<String>,
        i: Marker,
        j: Marker,
        path: [Arc<dyn TimeLaw>; 3],
    ) -> &mut Self {
        self.drives.push((name.into(), DriveSpec::Path(Box::new([i, j]), path)));
        self
    }

    /// A spring with a damper between two points.
    pub fn spring(&mut self, name: impl Into<String>, i: Marker, j: Marker, law: Linear) -> &mut Self {
        self.between(name, i, j, Arc::new(law))
    }

    /// A force along the line of two points, by a law of their distance: positive where it pushes them apart.
    pub fn between(&mut self, name: impl Into<String>, i: Marker, j: Marker, law: Arc<dyn Law>) -> &mut Self {
        self.loads.push((name.into(), LoadSpec::Between([i, j], law)));
        self
    }

    /// A force or torque on a joint coordinate by a law: positive where it makes the coordinate grow.
    pub fn load(&mut self, name: impl Into<String>, coordinate: CoordinateId, law: Arc<dyn Law>) -> &mut Self {
        self.loads.push((name.into(), LoadSpec::Coordinate(coordinate, law)));
        self
    }

    /// The same by a closure `|t, x, rate|`.
    pub fn actuator(
        &mut self,
        name: impl Into<String>,
        coordinate: CoordinateId,
        law: impl Fn(f64, Slope, Slope) -> Slope + Send + Sync + 'static,
    ) -> &mut Self {
        self.load(name, coordinate, Arc::new(OfCoordinate(law)))
    }

    /// The same by a closure `|t, rate|`.
    pub fn motor(
        &mut self,
        name: impl Into<String>,
        coordinate: CoordinateId,
        law: impl Fn(f64, Dual<1>) -> Dual<1> + Send + Sync + 'static,
    ) -> &mut Self {
        self.load(name, coordinate, Arc::new(OfRate(law)))
    }

    /// A constant force at a point.
    pub fn force(&mut self, name: impl Into<String>, at: Marker, force: Vector, axes: Axes) -> &mut Self {
        self.force_by(name, at, constants(force), axes)
    }

    /// A force at a point whose components are functions of time.
    pub fn force_by(
        &mut self,
        name: impl Into<String>,
        at: Marker,
        force: [Arc<dyn TimeLaw>; 3],
        axes: Axes,
    ) -> &mut Self {
        self.loads.push((name.into(), LoadSpec::Pull(at, force, axes)));
        self
    }

    /// A constant torque on a body.
    pub fn torque(&mut self, name: impl Into<String>, on: BodyId, torque: Vector, axes: Axes) -> &mut Self {
        self.torque_by(name, on, constants(torque), axes)
    }

    /// A torque on a body whose components are functions of time.
    pub fn torque_by(
        &mut self,
        name: impl Into<String>,
        on: BodyId,
        torque: [Arc<dyn TimeLaw>; 3],
        axes: Axes,
    ) -> &mut Self {
        self.loads.push((name.into(), LoadSpec::Twist(on, torque, axes)));
        self
    }

    /// Springs and dampers in all six directions between two markers.
    pub fn bushing(&mut self, name: impl Into<String>, i: Marker, j: Marker, bushing: Bushing) -> &mut Self {
        self.loads.push((name.into(), LoadSpec::Bushing([i, j], bushing)));
        self
    }

    /// A sphere about a point, and the plane through a marker with the normal z on another body or the ground: they push each other
    /// apart where they meet.
    pub fn sphere_on_plane(
        &mut self,
        name: impl Into<String>,
        sphere: Marker,
        radius: f64,
        plane: Marker,
        contact: Contact,
    ) -> &mut Self {
        self.loads.push((name.into(), LoadSpec::OnPlane([sphere, plane], radius, contact)));
        self
    }

    /// Spheres about two points that push each other apart where they meet.
    pub fn sphere_on_sphere(
        &mut self,
        name: impl Into<String>,
        (first, first_radius): (Marker, f64),
        (second, second_radius): (Marker, f64),
        contact: Contact,
    ) -> &mut Self {
        self.loads.push((name.into(), LoadSpec::OnSphere([first, second], [first_radius, second_radius], contact)));
        self
    }

    /// Stops of a joint coordinate.
    pub fn stops(&mut self, name: impl Into<String>, coordinate: CoordinateId, stops: Stops) -> &mut Self {
        self.loads.push((name.into(), LoadSpec::Stops(coordinate, stops)));
        self
    }

    /// Drag of a point of a body.
    pub fn drag(&mut self, name: impl Into<String>, at: Marker, drag: Drag) -> &mut Self {
        self.loads.push((name.into(), LoadSpec::Drag(at, drag)));
        self
    }

    /// A wheel whose axle is z of a marker at its centre, on the plane through another marker with the normal z. Not in the plane.
    pub fn tyre(&mut self, name: impl Into<String>, wheel: Marker, road: Marker, tyre: Tyre) -> &mut Self {
        self.loads.push((name.into(), LoadSpec::Tyre([wheel, road], tyre)));
        self
    }

    /// Friction in a joint that grows with what the joint carries: revolute, prismatic, cylindrical, spherical or planar.
    pub fn friction(&mut self, name: impl Into<String>, joint: JointId, friction: Friction) -> &mut Self {
        self.frictions.push((name.into(), joint, friction));
        self
    }

    /// The mechanism, ready to be integrated.
    ///
    /// # Errors
    /// With the name of the first body, joint or force that makes no sense.
    pub fn build(self) -> Result<Mechanism, BuildError> {
        build::build(self)
    }
}
