//! Couplings of joints, seen along the axes: one wheel grey, the other blue.

use std::f64::consts::TAU;

use super::pen::{FIRST, NEITHER, Paint, Pen, SECOND, Vector, Z, add, times};

fn at(x: f64, y: f64) -> Vector {
    [x, y, 0.0]
}

/// A wheel with teeth; the first of them begins at `turned`, in turns.
fn gear(pen: &mut Pen, middle: Vector, radius: f64, teeth: u32, turned: f64, paint: Paint) {
    let corner = |share: f64, r: f64| {
        let (s, c) = (TAU * (turned + share / f64::from(teeth))).sin_cos();
        add(middle, at(r * c, r * s))
    };
    let (root, tip) = (radius - 0.08, radius + 0.08);
    let points: Vec<Vector> = (0..teeth)
        .map(f64::from)
        .flat_map(|k| [corner(k - 0.3, root), corner(k - 0.14, tip), corner(k + 0.14, tip), corner(k + 0.3, root)])
        .collect();
    pen.face(&points, paint);
    hub(pen, middle);
}

fn wheel(pen: &mut Pen, middle: Vector, radius: f64, paint: Paint) {
    pen.face(&Pen::circle(middle, Z, radius, [0.0, 1.0]), paint);
    hub(pen, middle);
}

fn hub(pen: &mut Pen, middle: Vector) {
    pen.point(middle);
}

fn turns(pen: &mut Pen, middle: Vector, radius: f64, way: f64) {
    let part = if way > 0.0 { [0.13, 0.37] } else { [0.37, 0.13] };
    pen.motion(&Pen::circle(middle, Z, radius, part), false);
}

pub fn gears() -> Pen {
    let mut pen = Pen::in_plane();
    let (a, b) = (at(-1.15, -0.1), at(0.75, -0.1));
    gear(&mut pen, a, 0.7, 14, 0.0, FIRST);
    gear(&mut pen, b, 1.2, 24, 0.5 + 0.5 / 24.0, SECOND);
    turns(&mut pen, a, 0.45, 1.0);
    turns(&mut pen, b, 0.8, -1.0);
    pen.words(a, [-12.0, 20.0], "r1");
    pen.words(b, [-12.0, 20.0], "r2");
    pen
}

pub fn belt() -> Pen {
    let mut pen = Pen::in_plane();
    let (a, b) = (at(-1.4, 0.0), at(1.0, 0.0));
    let (r, s) = (0.55, 0.95);
    let tilt = ((s - r) / 2.4_f64).asin() / TAU;
    let mut band = Pen::circle(b, Z, s + 0.04, [-0.25 - tilt, 0.25 + tilt]);
    band.extend(Pen::circle(a, Z, r + 0.04, [0.25 + tilt, 0.75 - tilt]));
    band.push(band[0]);
    wheel(&mut pen, a, r, FIRST);
    wheel(&mut pen, b, s, SECOND);
    pen.line(&band, NEITHER, 3.0);
    turns(&mut pen, a, 0.33, 1.0);
    turns(&mut pen, b, 0.6, 1.0);
    pen
}

pub fn rack() -> Pen {
    let mut pen = Pen::in_plane();
    let middle = at(0.0, 0.35);
    let (radius, teeth) = (0.95, 18);
    let pitch = TAU * radius / f64::from(teeth);
    let top = middle[1] - radius;
    let mut points = Vec::new();
    for k in -6..=6 {
        // A gap of the rack is below each tooth of the pinion.
        let x = (f64::from(k) + 0.5) * pitch;
        for (dx, dy) in [(-0.3, -0.08), (-0.14, 0.08), (0.14, 0.08), (0.3, -0.08)] {
            points.push(at(x + dx * pitch, top + dy));
        }
    }
    let (first, last) = (points[0], points[points.len() - 1]);
    points.extend([at(last[0], top - 0.42), at(first[0], top - 0.42)]);
    pen.face(&points, SECOND);
    gear(&mut pen, middle, radius, teeth, 0.75, FIRST);
    turns(&mut pen, middle, 0.62, 1.0);
    pen.motion(&[at(-0.6, top - 0.68), at(0.6, top - 0.68)], false);
    pen
}

pub fn screw() -> Pen {
    let mut pen = Pen::in_plane();
    pen.axis(at(-2.3, 0.0), at(2.3, 0.0));
    pen.face(&[at(-2.0, -0.28), at(2.0, -0.28), at(2.0, 0.28), at(-2.0, 0.28)], FIRST);
    for k in -9..=9 {
        let x = 0.2 * f64::from(k);
        pen.line(&[at(x - 0.05, -0.34), at(x + 0.05, 0.34)], FIRST, 1.6);
    }
    pen.face(&[at(-0.5, -0.65), at(0.5, -0.65), at(0.5, 0.65), at(-0.5, 0.65)], SECOND);
    pen.motion(&[at(-0.6, 0.95), at(0.6, 0.95)], true);
    let arc: Vec<Vector> = (0..=20)
        .map(|k| {
            let (s, c) = (TAU * (-0.3 + 0.6 * f64::from(k) / 20.0)).sin_cos();
            at(-1.5 + 0.16 * c, 0.5 * s)
        })
        .collect();
    pen.motion(&arc, false);
    pen.words(at(1.0, 0.0), [-6.0, 34.0], "pitch");
    pen.line(&[at(1.0, -0.42), at(1.0, -0.54)], NEITHER, 1.2);
    pen.line(&[at(1.2, -0.42), at(1.2, -0.54)], NEITHER, 1.2);
    pen
}

/// A cone seen from the side: a bevel gear from its wide to its narrow end.
fn bevel(pen: &mut Pen, wide: Vector, narrow: Vector, radii: [f64; 2], paint: Paint) {
    let along = add(narrow, times(-1.0, wide));
    let size = (along[0] * along[0] + along[1] * along[1]).sqrt();
    let across = at(-along[1] / size, along[0] / size);
    let corner = |p: Vector, s: f64| add(p, times(s, across));
    pen.face(
        &[corner(wide, radii[0]), corner(narrow, radii[1]), corner(narrow, -radii[1]), corner(wide, -radii[0])],
        paint,
    );
    for share in [-0.6, -0.2, 0.2, 0.6] {
        pen.line(&[corner(wide, share * radii[0]), corner(narrow, share * radii[1])], paint, 1.0);
    }
}

pub fn differential() -> Pen {
    let mut pen = Pen::in_plane();
    for side in [-1.0, 1.0] {
        let paint = if side < 0.0 { FIRST } else { SECOND };
        pen.face(&[at(side * 0.7, -0.13), at(side * 2.2, -0.13), at(side * 2.2, 0.13), at(side * 0.7, 0.13)], paint);
        bevel(&mut pen, at(side * 0.75, 0.0), at(side * 0.45, 0.0), [0.72, 0.44], paint);
        bevel(&mut pen, at(0.0, side * 0.75), at(0.0, side * 0.45), [0.66, 0.4], NEITHER);
    }
    // The carrier around it.
    let frame = [at(-1.0, -0.3), at(-1.0, -1.05), at(1.0, -1.05), at(1.0, -0.3)];
    for flip in [1.0, -1.0] {
        pen.line(&frame.map(|p| at(p[0], flip * p[1])), NEITHER, 3.0);
        pen.line(&[at(0.0, flip * 0.75), at(0.0, flip * 1.05)], NEITHER, 3.0);
    }
    pen.words(at(-2.1, 0.0), [0.0, -14.0], "a1");
    pen.words(at(1.8, 0.0), [0.0, -14.0], "a2");
    pen.words(at(0.0, 1.05), [-12.0, -8.0], "a3");
    pen
}

pub fn coupling() -> Pen {
    let mut pen = Pen::in_plane();
    wheel(&mut pen, at(-1.35, 0.35), 0.6, FIRST);
    turns(&mut pen, at(-1.35, 0.35), 0.38, 1.0);
    pen.face(&[at(0.6, 0.1), at(1.8, 0.1), at(1.8, 0.6), at(0.6, 0.6)], SECOND);
    pen.line(&[at(0.3, 0.04), at(2.1, 0.04)], FIRST, 2.0);
    pen.motion(&[at(0.7, 0.85), at(1.7, 0.85)], true);
    pen.dashed(&[at(-0.65, 0.35), at(0.5, 0.35)]);
    pen.words(at(-2.1, -0.9), [0.0, 0.0], "k1 x1 + k2 x2 + … = const");
    pen
}
