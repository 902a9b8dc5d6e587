//! What joints are built with: the vectors of their markers, and rows of primitives between them.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use crate::algebra::{IDENTITY, Vector};
use crate::attached::What;
use crate::marker::Marker;
use crate::node::NodeId;
use crate::primitive::{CoordinateDifference, Dot, Number, Projection, SquaredDistance, TurnDifference};
use crate::row::Row;
use crate::support::Support;

/// A joint coordinate: an angle, a displacement, a length.
#[derive(Clone, Debug)]
pub(crate) struct Coordinate {
    pub name: &'static str,
    pub support: Support,
    pub row: Row,
    /// Whether it is an angle that must be counted where it may turn by more than pi.
    pub wraps: bool,
}

/// A number that a joint needs as a coordinate of its own.
#[derive(Clone, Debug)]
pub(crate) struct NewNumber {
    pub name: &'static str,
    /// Where it starts, roughly, if that is known.
    pub start: Option<f64>,
}

/// Rows for the search of a closed configuration, which may be far away: parallel axes are differences of unit vectors there, which
/// have no zero where the axes are opposite, and no vanishing gradient where they are perpendicular.
#[derive(Clone, Debug)]
pub(crate) struct Relaxed {
    pub support: Support,
    pub rows: Vec<Arc<Row>>,
    /// Axes that must point the same way in the end.
    pub aligned: Vec<usize>,
}

impl Relaxed {
    /// What they stand on, and the rows.
    pub fn rows(&self) -> (Cow<'_, Support>, Vec<&Row>) {
        (Cow::Borrowed(&self.support), self.rows.iter().map(|row| &**row).collect())
    }
}

/// What a joint came to.
#[derive(Debug)]
pub(crate) struct Kitted {
    pub support: Support,
    pub rows: Vec<Arc<Row>>,
    /// The first of three rows along the axes of the world that hold two points together.
    pub together: Option<u8>,
    /// What the search for a closed configuration uses in their place, where it is something else.
    pub relaxed: Option<Box<Relaxed>>,
    pub coordinates: Vec<Coordinate>,
    pub numbers: Vec<NewNumber>,
    /// The length that its row `length` keeps.
    pub rod: Option<f64>,
}

/// Two markers and what has been made of them.
#[derive(Debug)]
pub struct Kit<'a> {
    markers: &'a [Marker; 2],
    planar: bool,
    length: f64,
    first_number: NodeId,
    support: Support,
    rows: Vec<Arc<Row>>,
    together: Option<u8>,
    /// There from the first row on that the search does without.
    relaxed: Option<Box<Relaxed>>,
    pub(crate) coordinates: Vec<Coordinate>,
    pub(crate) numbers: Vec<NewNumber>,
    rod: Option<f64>,
}

/// The name of the row that keeps the length of a rod, and of its coordinate.
pub(crate) const LENGTH: &str = "length";
/// Row names of three axes.
const ALONG: [&str; 3] = ["along x", "along y", "along z"];

/// Along each axis of the world, the second vector of an element is where the first one is.
///
/// Most joints have these rows, and large mechanisms many such joints: they share them.
pub(crate) static TOGETHER: LazyLock<[Arc<Row>; 3]> = LazyLock::new(|| {
    [0, 1, 2].map(|i| Arc::new(Row::of(ALONG[i], CoordinateDifference { axis: IDENTITY[i] }, &[0, 1])))
});

impl<'a> Kit<'a> {
    pub(crate) fn new(markers: &'a [Marker; 2], planar: bool, length: f64, first_number: NodeId) -> Self {
        Kit {
            markers,
            planar,
            length,
            first_number,
            support: Support::default(),
            rows: Vec::new(),
            together: None,
            relaxed: None,
            coordinates: Vec::new(),
            numbers: Vec::new(),
            rod: None,
        }
    }

    pub(crate) fn finish(self) -> Kitted {
        let Kit { mut support, rows, together, mut relaxed, mut coordinates, numbers, rod, .. } = self;
        // Mechanisms may have many joints, and all of them are kept.
        support.shrink();
        if let Some(relaxed) = relaxed.as_deref_mut() {
            relaxed.support.shrink();
            relaxed.rows.shrink_to_fit();
        }
        coordinates.shrink_to_fit();
        Kitted { support, rows, together, relaxed, coordinates, numbers, rod }
    }

    /// Whether bodies move in the plane.
    pub fn is_planar(&self) -> bool {
        self.planar
    }

    /// A length of the joint, with which angles become distances.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The origin of a marker, 0 or 1.
    pub fn point(&mut self, side: usize) -> u8 {
        self.support.point(&self.markers[side])
    }

    /// An axis of a marker: 0, 1, 2 for x, y, z.
    pub fn axis(&mut self, side: usize, axis: usize) -> u8 {
        self.support.direction(&self.markers[side], self.markers[side].axes[axis])
    }

    /// The turn of the body of a marker.
    pub fn turn(&mut self, side: usize) -> u8 {
        self.support.turn(&self.markers[side])
    }

    /// A coordinate of the joint's own, without mass. Where no start is given, closing looks for one.
    pub fn number(&mut self, name: &'static str, start: Option<f64>) -> u8 {
        let node = self.first_number + self.numbers.len();
        self.numbers.push(NewNumber { name, start });
        self.measured(name, false, |kit| {
            let number = kit.support.attach(node, What::Point, [0.0; 3]);
            Row::of(name, Number, &[number])
        });
        self.support.attach(node, What::Point, [0.0; 3])
    }

    /// A row that keeps the distance of both origins, in whose place a driver may put another one.
    pub fn rod(&mut self, length: f64) {
        let points = [self.point(0), self.point(1)];
        self.row(Row::of(LENGTH, SquaredDistance { length }, &points));
        self.rod = Some(length);
        self.report_length();
    }

    /// A further row.
    pub fn row(&mut self, row: Row) {
        self.add(Arc::new(row));
    }

    fn add(&mut self, row: Arc<Row>) {
        if let Some(relaxed) = self.relaxed.as_deref_mut() {
            let map = relaxed.support.join(&self.support);
            relaxed.rows.push(Arc::new(row.mapped(&map)));
        }
        self.rows.push(row);
    }

    /// What the search uses from now on.
    fn relax(&mut self) -> &mut Relaxed {
        self.relaxed.get_or_insert_with(|| {
            let (support, rows) = (self.support.clone(), self.rows.clone());
            Box::new(Relaxed { support, rows, aligned: Vec::new() })
        })
    }

    /// Some axes of both markers become parallel: in the search by all components of their differences.
    fn align(&mut self, axes: &[usize], scale: f64) {
        let (markers, length) = (self.markers, self.length);
        let relaxed = self.relax();
        for &at in axes {
            let [i, j] = [0, 1].map(|side: usize| relaxed.support.direction(&markers[side], markers[side].axes[at]));
            for along in IDENTITY {
                let row = Row::of("axis", CoordinateDifference { axis: along }, &[i, j]);
                relaxed.rows.push(Arc::new(row.times(scale * length)));
            }
            relaxed.aligned.push(at);
        }
    }

    /// A row between axes that the search does without.
    fn dot(&mut self, name: &'static str, a: usize, b: usize) {
        self.relax();
        let vectors = [self.axis(0, a), self.axis(1, b)];
        let row = Row::of(name, Dot, &vectors).times(self.length);
        self.rows.push(Arc::new(row));
    }

    /// Both origins coincide.
    pub fn together(&mut self) {
        let points = [self.point(0), self.point(1)];
        self.together = (!self.planar).then_some(self.rows.len() as u8);
        self.rows.reserve_exact(3);
        for row in &TOGETHER[..if self.planar { 2 } else { 3 }] {
            self.add(if points == [0, 1] { row.clone() } else { Arc::new(row.mapped(&points)) });
        }
    }

    /// Two axes stay perpendicular: `a` of the first marker, `b` of the second.
    pub fn perpendicular(&mut self, name: &'static str, a: usize, b: usize) {
        let vectors = [self.axis(0, a), self.axis(1, b)];
        let row = Row::of(name, Dot, &vectors).times(self.length);
        self.row(row);
    }

    /// The z axes are parallel. In the plane they are so anyway, or a single row does.
    pub fn parallel(&mut self) {
        if !self.planar {
            self.dot("turn about y", 0, 2);
            self.dot("turn about x", 1, 2);
            self.align(&[2], 1.0);
        } else if self.markers[0].axes[2][2].abs() < 0.5 {
            self.dot("turn", 0, 2);
            self.align(&[2], 1.0);
        }
    }

    /// All axes are parallel.
    pub fn oriented(&mut self) {
        if self.planar {
            self.dot("turn", 0, if self.markers[0].axes[2][2].abs() < 0.5 { 2 } else { 1 });
            self.align(&[0], 1.0);
        } else {
            self.dot("turn about y", 0, 2);
            self.dot("turn about x", 1, 2);
            self.dot("turn about z", 0, 1);
            self.align(&[0, 1, 2], std::f64::consts::FRAC_1_SQRT_2);
        }
    }

    /// The second origin does not move along an axis of the first marker.
    pub fn guided(&mut self, axis: usize) {
        let row = self.displacement(axis);
        self.row(row);
    }

    fn displacement(&mut self, axis: usize) -> Row {
        let vectors = [self.axis(0, axis), self.point(0), self.point(1)];
        Row::of(ALONG[axis], Projection, &vectors)
    }

    /// What is measured between the markers, with vectors of its own.
    fn measured(&mut self, name: &'static str, wraps: bool, make: impl FnOnce(&mut Self) -> Row) {
        let joint = std::mem::take(&mut self.support);
        let row = make(self);
        let support = std::mem::replace(&mut self.support, joint);
        self.coordinates.push(Coordinate { name, support, row, wraps });
    }

    /// Reports the angle about z from x of the first marker to x of the second.
    pub fn report_angle(&mut self) {
        let planar = self.planar;
        // In the plane angles are coordinates, and count their turns themselves.
        self.measured("angle", !planar, |kit| if planar { kit.planar_angle() } else { kit.angle(2) });
    }

    /// The angle about `axis` from the axis that follows it on the first marker to the same of the second.
    fn angle(&mut self, axis: usize) -> Row {
        let [x, y] = [(axis + 1) % 3, (axis + 2) % 3];
        let vectors = [self.axis(0, x), self.axis(0, y), self.axis(1, x)];
        Row::of("angle", crate::primitive::Angle, &vectors)
    }

    fn planar_angle(&mut self) -> Row {
        let vectors = [self.turn(0), self.turn(1)];
        let [first, second] = self.markers.map(|marker| marker.phase);
        Row::of("angle", TurnDifference, &vectors).less(first - second)
    }

    /// Reports the angle about an axis of the first marker at which an axis of the second appears.
    pub fn report_bearing(&mut self, name: &'static str, side: usize) {
        // About z of one marker: z of the other, seen in x and y.
        self.measured(name, true, |kit| {
            let vectors = [kit.axis(side, 0), kit.axis(side, 1), kit.axis(1 - side, 2)];
            Row::of("angle", crate::primitive::Angle, &vectors)
        });
    }

    /// Reports the displacement along an axis of the first marker.
    pub fn report_displacement(&mut self, name: &'static str, axis: usize) {
        self.measured(name, false, |kit| kit.displacement(axis));
    }

    /// Reports the distance of the origins.
    pub fn report_length(&mut self) {
        self.measured(LENGTH, false, |kit| {
            let points = [kit.point(0), kit.point(1)];
            Row::of(LENGTH, crate::primitive::Distance, &points)
        });
    }
}

/// Of joints that stand on the ground.
impl Kit<'_> {
    /// The axes of the first marker, which is on the ground.
    pub fn first_axes(&self) -> [Vector; 3] {
        self.markers[0].axes
    }

    /// How high the origin of the first marker is along its z axis.
    pub fn first_level(&self) -> f64 {
        crate::algebra::dot(&self.markers[0].origin, &self.markers[0].axes[2])
    }
}
