//! A pen for small pictures of things in space: seen from afar, later strokes over earlier ones.
//!
//! ```text
//! c = (cos e cos a, cos e sin a, sin e)   to the viewer, e: elevation, a: azimuth
//! right = (-sin a, cos a, 0)      up = c x right
//! ```
//!
//! A cylinder is the convex hull of two circles, with the one on top that the viewer sees; a box is its three faces in sight.

use std::f64::consts::TAU;
use std::fmt::Write;

/// A point or direction in space.
pub type Vector = [f64; 3];

/// Width and height of a picture.
const SIZE: [f64; 2] = [200.0, 150.0];
/// Pixels of a unit of length.
const UNIT: f64 = 40.0;
/// Corners of a circle.
const CORNERS: usize = 48;

pub const X: Vector = [1.0, 0.0, 0.0];
pub const Y: Vector = [0.0, 1.0, 0.0];
pub const Z: Vector = [0.0, 0.0, 1.0];

/// Fill and line of a body.
#[derive(Clone, Copy)]
pub struct Paint {
    fill: &'static str,
    line: &'static str,
}

/// The first body, or the ground.
pub const FIRST: Paint = Paint { fill: "#cfd6dd", line: "#4a5560" };
/// The second body.
pub const SECOND: Paint = Paint { fill: "#a6cdea", line: "#1f5f93" };
/// What is neither: rods without mass, belts.
pub const NEITHER: Paint = Paint { fill: "#f3e3c2", line: "#7a5c1e" };
/// A hole.
pub const HOLE: Paint = Paint { fill: "#7d8791", line: "#4a5560" };

/// Lines that are not bodies.
const AXIS: &str = "#8a8f96";
const MOTION: &str = "#d9480f";

pub fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn times(s: f64, a: Vector) -> Vector {
    a.map(|x| s * x)
}

pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn unit(a: Vector) -> Vector {
    times(1.0 / dot(a, a).sqrt(), a)
}

/// A picture that is being drawn.
pub struct Pen {
    body: String,
    viewer: Vector,
    right: Vector,
    up: Vector,
    centre: [f64; 2],
}

impl Pen {
    /// Things in space, from the side and above; (0, 0, 0) is in the middle of the picture.
    pub fn in_space() -> Self {
        Pen::seen(-62.0, 24.0)
    }

    /// Things in the plane of x and y.
    pub fn in_plane() -> Self {
        Pen::seen(-90.0, 90.0)
    }

    fn seen(azimuth: f64, elevation: f64) -> Self {
        let ((sa, ca), (se, ce)) = (azimuth.to_radians().sin_cos(), elevation.to_radians().sin_cos());
        let (viewer, right) = ([ce * ca, ce * sa, se], [-sa, ca, 0.0]);
        let up = cross(viewer, right);
        Pen { body: String::new(), viewer, right, up, centre: [SIZE[0] / 2.0, SIZE[1] / 2.0] }
    }

    /// The picture as a file.
    pub fn svg(&self) -> String {
        let [w, h] = SIZE;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"sans-serif\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n\
             <rect width=\"{w}\" height=\"{h}\" rx=\"6\" fill=\"#fff\"/>\n{}</svg>\n",
            self.body
        )
    }

    fn project(&self, p: Vector) -> [f64; 2] {
        [self.centre[0] + UNIT * dot(p, self.right), self.centre[1] - UNIT * dot(p, self.up)]
    }

    fn projected(&self, points: &[Vector]) -> Vec<[f64; 2]> {
        points.iter().map(|p| self.project(*p)).collect()
    }

    fn path(points: &[[f64; 2]], close: bool) -> String {
        let mut path = String::new();
        for (k, [x, y]) in points.iter().enumerate() {
            let _ = write!(path, "{}{x:.1},{y:.1} ", if k == 0 { "M" } else { "L" });
        }
        if close {
            path.push('Z');
        }
        path.trim_end().to_owned()
    }

    fn area(&mut self, points: &[[f64; 2]], paint: Paint) {
        let path = Pen::path(points, true);
        let Paint { fill, line } = paint;
        let _ = writeln!(self.body, "<path d=\"{path}\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"1.3\"/>");
    }

    fn stroke(&mut self, points: &[[f64; 2]], colour: &str, width: f64, dash: &str) {
        let path = Pen::path(points, false);
        let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
        let _ = writeln!(
            self.body,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dash}/>"
        );
    }

    /// A flat area.
    pub fn face(&mut self, points: &[Vector], paint: Paint) {
        let points = self.projected(points);
        self.area(&points, paint);
    }

    /// A circle about an axis, or a part of it in turns, from a direction on.
    pub fn circle(centre: Vector, axis: Vector, radius: f64, [from, to]: [f64; 2]) -> Vec<Vector> {
        let axis = unit(axis);
        let across = if axis[2].abs() > 0.9 { X } else { Z };
        let u = unit(cross(cross(axis, across), axis));
        let v = cross(axis, u);
        let corners = ((CORNERS as f64 * (to - from).abs()).ceil() as usize).max(4);
        let turn = |k: usize| (TAU * (from + (to - from) * k as f64 / corners as f64)).sin_cos();
        (0..=corners)
            .map(|k| {
                let (s, c) = turn(k);
                add(centre, add(times(radius * c, u), times(radius * s, v)))
            })
            .collect()
    }

    /// A round bar from one point to another.
    pub fn cylinder(&mut self, a: Vector, b: Vector, radius: f64, paint: Paint) {
        let axis = add(b, times(-1.0, a));
        let ends = [a, b].map(|end| Pen::circle(end, axis, radius, [0.0, 1.0]));
        let all: Vec<[f64; 2]> = ends.iter().flat_map(|end| self.projected(end)).collect();
        self.area(&hull(all), paint);
        let front = usize::from(dot(axis, self.viewer) > 0.0);
        if dot(axis, self.viewer).abs() > 1e-9 {
            self.face(&ends[front], paint);
        }
    }

    /// A tube: a cylinder with a hole in the end that is in sight.
    pub fn tube(&mut self, a: Vector, b: Vector, radius: f64, hole: f64, paint: Paint) {
        self.cylinder(a, b, radius, paint);
        let axis = add(b, times(-1.0, a));
        let end = if dot(axis, self.viewer) > 0.0 { b } else { a };
        self.face(&Pen::circle(end, axis, hole, [0.0, 1.0]), HOLE);
    }

    /// A box by its middle and half of its edges.
    pub fn block(&mut self, middle: Vector, half: Vector, paint: Paint) {
        let axes = [X, Y, Z];
        for k in 0..3 {
            let side = times(half[k] * dot(axes[k], self.viewer).signum(), axes[k]);
            let (u, v) = (times(half[(k + 1) % 3], axes[(k + 1) % 3]), times(half[(k + 2) % 3], axes[(k + 2) % 3]));
            let corner = |a: f64, b: f64| add(add(middle, side), add(times(a, u), times(b, v)));
            self.face(&[corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)], paint);
        }
    }

    /// A flat bar between two points, square across, as long as the points are apart.
    pub fn bar(&mut self, a: Vector, b: Vector, half: f64, paint: Paint) {
        let along = unit(add(b, times(-1.0, a)));
        let across = unit(cross(along, if along[2].abs() > 0.9 { X } else { Z }));
        let [u, v] = [times(half, across), times(half, cross(along, across))];
        let corner = |end: Vector, s: f64, t: f64| add(end, add(times(s, u), times(t, v)));
        let quads = |end: Vector| [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(s, t)| corner(end, s, t));
        let (one, two) = (quads(a), quads(b));
        let all: Vec<[f64; 2]> = one.iter().chain(&two).map(|p| self.project(*p)).collect();
        self.area(&hull(all), paint);
        for k in 0..4 {
            let normal = [times(1.0, v), times(-1.0, u), times(-1.0, v), times(1.0, u)][k];
            if dot(normal, self.viewer) > 1e-9 {
                self.face(&[one[k], one[(k + 1) % 4], two[(k + 1) % 4], two[k]], paint);
            }
        }
        if dot(along, self.viewer).abs() > 1e-9 {
            self.face(if dot(along, self.viewer) > 0.0 { &two } else { &one }, paint);
        }
    }

    /// A ball.
    pub fn ball(&mut self, middle: Vector, radius: f64, paint: Paint) {
        let [x, y] = self.project(middle);
        let (r, Paint { fill, line }) = (radius * UNIT, paint);
        let _ = writeln!(
            self.body,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"1.3\"/>"
        );
    }

    /// A socket: what is left of a ball's shell on the side of a direction.
    pub fn socket(&mut self, middle: Vector, radius: f64, towards: Vector, paint: Paint) {
        let ([x, y], [u, v]) = (self.project(middle), [dot(towards, self.right), -dot(towards, self.up)]);
        let at = v.atan2(u);
        let arc = |r: f64, turned: f64| [x + r * UNIT * (at + turned).cos(), y + r * UNIT * (at + turned).sin()];
        let steps = |k: i32| f64::from(k) * 0.1;
        let mut points: Vec<[f64; 2]> = (-19..=19).map(|k| arc(radius + 0.13, steps(k))).collect();
        points.extend((-19..=19).rev().map(|k| arc(radius + 0.01, steps(k))));
        self.area(&points, paint);
    }

    /// A small mark at a point.
    pub fn point(&mut self, at: Vector) {
        self.ball(at, 0.075, Paint { fill: "#fff", line: "#222" });
    }

    /// An axis: dashes and dots.
    pub fn axis(&mut self, a: Vector, b: Vector) {
        let points = self.projected(&[a, b]);
        self.stroke(&points, AXIS, 1.2, "8 3 1.5 3");
    }

    /// A line of a body.
    pub fn line(&mut self, points: &[Vector], paint: Paint, width: f64) {
        let points = self.projected(points);
        self.stroke(&points, paint.line, width, "");
    }

    /// A line that is only thought of.
    pub fn dashed(&mut self, points: &[Vector]) {
        let points = self.projected(points);
        self.stroke(&points, "#4a5560", 1.2, "4 3");
    }

    /// A motion along a line, with a head at one end or at both.
    pub fn motion(&mut self, points: &[Vector], both: bool) {
        let points = self.projected(points);
        self.stroke(&points, MOTION, 2.0, "");
        let n = points.len();
        self.head(points[n.saturating_sub(3).min(n - 2)], points[n - 1], MOTION);
        if both {
            self.head(points[2.min(n - 1)], points[0], MOTION);
        }
    }

    /// A turn about an axis.
    pub fn turn(&mut self, centre: Vector, axis: Vector, radius: f64, part: [f64; 2]) {
        self.motion(&Pen::circle(centre, axis, radius, part), true);
    }

    /// A direction with a head: axes of bodies.
    pub fn arrow(&mut self, a: Vector, b: Vector) {
        let points = self.projected(&[a, b]);
        self.stroke(&points, "#222", 1.4, "");
        self.head(points[0], points[1], "#222");
    }

    fn head(&mut self, before: [f64; 2], tip: [f64; 2], colour: &str) {
        let (dx, dy) = (tip[0] - before[0], tip[1] - before[1]);
        let length = dx.hypot(dy).max(1e-9);
        let (ux, uy) = (dx / length, dy / length);
        let end = [tip[0] + 3.0 * ux, tip[1] + 3.0 * uy];
        let side = |s: f64| [end[0] - 8.0 * ux - s * 3.6 * uy, end[1] - 8.0 * uy + s * 3.6 * ux];
        let path = Pen::path(&[end, side(1.0), side(-1.0)], true);
        let _ = writeln!(self.body, "<path d=\"{path}\" fill=\"{colour}\"/>");
    }

    /// What must not happen: a small cross.
    pub fn forbidden(&mut self, at: Vector) {
        let [x, y] = self.project(at);
        for s in [-4.0, 4.0] {
            self.stroke(&[[x - 4.0, y - s], [x + 4.0, y + s]], "#c92a2a", 2.0, "");
        }
    }

    /// Words, shifted by pixels.
    pub fn words(&mut self, at: Vector, [dx, dy]: [f64; 2], words: &str) {
        let [x, y] = self.project(at);
        let (x, y) = (x + dx, y + dy);
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"13\" font-style=\"italic\" fill=\"#222\">{words}</text>"
        );
    }
}

/// The convex hull (Andrew's chains).
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let turn = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while chain.len() > 1 && turn(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0.0 {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut all = half(&mut points.iter().copied());
    all.extend(half(&mut points.iter().rev().copied()));
    all
}
