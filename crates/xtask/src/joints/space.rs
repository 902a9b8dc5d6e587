//! Joints between two bodies, the first one grey, the second one blue; what the joint leaves free in orange.

use super::pen::{FIRST, HOLE, NEITHER, Pen, SECOND, Vector, X, Y, Z, add, times, unit};

fn at(x: f64, y: f64, z: f64) -> Vector {
    [x, y, z]
}

pub fn revolute() -> Pen {
    let mut pen = Pen::in_space();
    pen.axis(at(0.0, 0.0, -1.6), at(0.0, 0.0, 1.6));
    pen.bar(at(-2.0, 0.0, -0.5), at(-0.15, 0.0, -0.5), 0.14, FIRST);
    pen.bar(at(-2.0, 0.0, 0.5), at(-0.15, 0.0, 0.5), 0.14, FIRST);
    pen.cylinder(at(0.0, 0.0, -0.75), at(0.0, 0.0, -0.28), 0.3, FIRST);
    pen.bar(at(0.2, 0.0, 0.0), at(2.0, 0.0, 0.0), 0.16, SECOND);
    pen.cylinder(at(0.0, 0.0, -0.25), at(0.0, 0.0, 0.25), 0.3, SECOND);
    pen.cylinder(at(0.0, 0.0, 0.28), at(0.0, 0.0, 0.75), 0.3, FIRST);
    pen.axis(at(0.0, 0.0, 0.75), at(0.0, 0.0, 1.6));
    pen.turn(at(0.0, 0.0, 1.25), Z, 0.5, [0.55, 1.2]);
    pen
}

pub fn spherical() -> Pen {
    let mut pen = Pen::in_space();
    let away = unit(at(1.0, 0.0, 0.45));
    pen.bar(at(-2.0, 0.0, 0.0), at(-0.62, 0.0, 0.0), 0.15, FIRST);
    pen.bar(times(0.3, away), times(2.1, away), 0.15, SECOND);
    pen.ball([0.0; 3], 0.52, SECOND);
    pen.socket([0.0; 3], 0.52, at(-1.0, 0.0, 0.0), FIRST);
    pen.turn(times(1.3, away), away, 0.4, [-0.05, 0.45]);
    // Two swings of the rod's end: about y, and across.
    pen.motion(&Pen::circle([0.0; 3], Y, 2.35, [0.15, 0.216]), true);
    let across = |k: i32| (0.03 * f64::from(k)).sin_cos();
    let swing: Vec<Vector> = (-8..=8)
        .map(|k| {
            let (s, c) = across(k);
            add(times(2.35 * c, away), times(2.35 * s, Y))
        })
        .collect();
    pen.motion(&swing, true);
    pen
}

pub fn prismatic() -> Pen {
    let mut pen = Pen::in_space();
    pen.axis(at(-2.3, 0.0, 0.0), at(2.3, 0.0, 0.0));
    pen.bar(at(-1.9, 0.0, 0.0), at(-0.6, 0.0, 0.0), 0.2, SECOND);
    pen.block([0.0; 3], at(0.6, 0.45, 0.42), FIRST);
    pen.bar(at(0.6, 0.0, 0.0), at(1.9, 0.0, 0.0), 0.2, SECOND);
    pen.axis(at(1.9, 0.0, 0.0), at(2.4, 0.0, 0.0));
    pen.motion(&[at(0.95, 0.0, 0.6), at(1.95, 0.0, 0.6)], true);
    pen
}

pub fn cylindrical() -> Pen {
    let mut pen = Pen::in_space();
    pen.axis(at(-2.3, 0.0, 0.0), at(2.3, 0.0, 0.0));
    pen.cylinder(at(-1.9, 0.0, 0.0), at(-0.6, 0.0, 0.0), 0.22, SECOND);
    pen.tube(at(-0.65, 0.0, 0.0), at(0.65, 0.0, 0.0), 0.5, 0.24, FIRST);
    pen.cylinder(at(0.65, 0.0, 0.0), at(1.9, 0.0, 0.0), 0.22, SECOND);
    pen.axis(at(1.9, 0.0, 0.0), at(2.4, 0.0, 0.0));
    pen.motion(&[at(0.8, 0.0, 0.75), at(1.9, 0.0, 0.75)], true);
    pen.turn(at(1.35, 0.0, 0.0), X, 0.42, [-0.1, 0.42]);
    pen
}

pub fn universal() -> Pen {
    let mut pen = Pen::in_space();
    let prong = |pen: &mut Pen, from: f64, side: Vector, paint| {
        pen.bar(add(at(0.9 * from, 0.0, 0.0), side), add(at(-0.1 * from, 0.0, 0.0), side), 0.09, paint);
    };
    // From behind: the lower prong of the first fork and the far one of the second, the cross, then what is nearer.
    prong(&mut pen, -1.0, at(0.0, 0.0, -0.7), FIRST);
    prong(&mut pen, 1.0, at(0.0, 0.7, 0.0), SECOND);
    pen.bar(at(0.9, -0.75, 0.0), at(0.9, 0.75, 0.0), 0.1, SECOND);
    pen.bar(at(0.95, 0.0, 0.0), at(2.1, 0.0, 0.0), 0.14, SECOND);
    pen.cylinder(at(0.0, 0.0, -0.62), at(0.0, 0.0, 0.0), 0.08, NEITHER);
    pen.cylinder(at(0.0, -0.7, 0.0), at(0.0, 0.65, 0.0), 0.08, NEITHER);
    pen.cylinder(at(0.0, 0.0, 0.0), at(0.0, 0.0, 0.7), 0.08, NEITHER);
    pen.bar(at(-2.1, 0.0, 0.0), at(-0.95, 0.0, 0.0), 0.14, FIRST);
    pen.bar(at(-0.9, 0.0, -0.75), at(-0.9, 0.0, 0.75), 0.1, FIRST);
    prong(&mut pen, -1.0, at(0.0, 0.0, 0.7), FIRST);
    prong(&mut pen, 1.0, at(0.0, -0.7, 0.0), SECOND);
    pen.axis(at(0.0, 0.0, 0.8), at(0.0, 0.0, 1.7));
    pen.axis(at(0.0, -0.8, 0.0), at(0.0, -2.3, 0.0));
    pen.words(at(0.0, 0.0, 1.45), [-58.0, 0.0], "axis 1");
    pen.words(at(0.0, -2.2, 0.0), [-44.0, 2.0], "axis 2");
    pen.turn(at(0.0, 0.0, 1.25), Z, 0.4, [0.55, 1.15]);
    pen.turn(at(0.0, -1.75, 0.0), Y, 0.36, [0.55, 1.2]);
    pen
}

fn plate(pen: &mut Pen, half: [f64; 2], z: f64) {
    pen.block(at(0.0, 0.0, z - 0.1), at(half[0], half[1], 0.1), FIRST);
}

pub fn planar() -> Pen {
    let mut pen = Pen::in_space();
    plate(&mut pen, [1.7, 1.4], -0.5);
    pen.block(at(0.0, 0.0, -0.25), at(0.6, 0.5, 0.25), SECOND);
    pen.axis(at(0.0, 0.0, 0.0), at(0.0, 0.0, 1.4));
    pen.motion(&[at(-0.2, -0.95, -0.5), at(1.2, -0.95, -0.5)], true);
    pen.motion(&[at(-1.3, -0.2, -0.5), at(-1.3, 1.0, -0.5)], true);
    pen.turn(at(0.0, 0.0, 0.75), Z, 0.45, [0.55, 1.2]);
    pen
}

pub fn fixed() -> Pen {
    let mut pen = Pen::in_space();
    pen.bar(at(0.0, 0.0, 0.1), at(0.0, 0.0, 1.5), 0.2, SECOND);
    pen.block(at(0.0, 0.0, -0.25), at(1.6, 0.5, 0.25), FIRST);
    pen.bar(at(0.0, 0.0, 0.0), at(0.0, 0.0, 1.5), 0.2, SECOND);
    pen.bar(at(-0.32, -0.24, 0.02), at(0.32, -0.24, 0.02), 0.07, HOLE);
    pen.bar(at(0.24, -0.3, 0.02), at(0.24, 0.24, 0.02), 0.07, HOLE);
    pen
}

pub fn constant_velocity() -> Pen {
    let mut pen = Pen::in_space();
    let away = unit(at(1.0, 0.0, 0.55));
    pen.axis(at(-2.3, 0.0, 0.0), [0.0; 3]);
    pen.axis([0.0; 3], times(2.4, away));
    pen.cylinder(at(-2.0, 0.0, 0.0), at(-0.5, 0.0, 0.0), 0.18, FIRST);
    pen.cylinder(times(0.3, away), times(2.0, away), 0.18, SECOND);
    pen.ball([0.0; 3], 0.5, SECOND);
    pen.socket([0.0; 3], 0.5, at(-1.0, 0.0, -0.12), FIRST);
    for height in [-0.27, 0.0, 0.27] {
        pen.ball(at(0.1 - 0.3 * height, -0.2, height), 0.08, NEITHER);
    }
    pen.motion(&Pen::circle(at(-1.4, 0.0, 0.0), X, 0.4, [-0.1, 0.42]), false);
    pen.motion(&Pen::circle(times(1.45, away), away, 0.4, [-0.1, 0.42]), false);
    pen
}

pub fn point_on_line() -> Pen {
    let mut pen = Pen::in_space();
    pen.cylinder(at(-2.0, 0.0, -0.3), at(2.0, 0.0, -0.3), 0.07, FIRST);
    pen.bar(at(-2.05, 0.0, -0.9), at(-2.05, 0.0, -0.2), 0.12, FIRST);
    pen.bar(at(2.0, 0.0, -0.9), at(2.0, 0.0, -0.2), 0.12, FIRST);
    pen.face(&[at(0.1, 0.0, -0.3), at(-0.5, 0.0, 0.75), at(0.3, 0.0, 1.15), at(0.85, 0.0, 0.55)], SECOND);
    pen.point(at(0.1, 0.0, -0.3));
    pen.motion(&[at(-0.6, 0.0, -0.62), at(0.8, 0.0, -0.62)], true);
    pen
}

pub fn point_on_plane() -> Pen {
    let mut pen = Pen::in_space();
    plate(&mut pen, [1.7, 1.4], -0.6);
    pen.face(&[at(0.0, 0.0, -0.6), at(-0.6, 0.0, 0.5), at(0.1, 0.0, 1.1), at(0.75, 0.0, 0.4)], SECOND);
    pen.point(at(0.0, 0.0, -0.6));
    pen.motion(&[at(-1.0, -0.35, -0.6), at(1.0, -0.35, -0.6)], true);
    pen.motion(&[at(0.6, 0.15, -0.6), at(0.6, 1.2, -0.6)], true);
    pen
}

pub fn point_on_curve() -> Pen {
    let mut pen = Pen::in_plane();
    let curve = |s: f64| at(s, 0.35 * (2.2 * s).sin() - 0.55, 0.0);
    let sampled =
        |from: f64, to: f64| (0..=40).map(|k| curve(from + (to - from) * f64::from(k) / 40.0)).collect::<Vec<_>>();
    let mut area = sampled(-2.1, 2.1);
    area.extend([at(2.1, -1.6, 0.0), at(-2.1, -1.6, 0.0)]);
    pen.face(&area, FIRST);
    pen.face(&[curve(0.35), at(-0.1, 0.9, 0.0), at(0.7, 1.4, 0.0), at(1.1, 0.7, 0.0)], SECOND);
    pen.point(curve(0.35));
    pen.motion(&sampled(-0.8, 0.05).iter().map(|p| add(*p, at(-0.1, 0.22, 0.0))).collect::<Vec<_>>(), true);
    pen.words(curve(-1.9), [2.0, 34.0], "c(s)");
    pen
}

pub fn distance() -> Pen {
    let mut pen = Pen::in_space();
    let (a, b) = (at(-1.1, 0.0, -0.4), at(1.1, 0.0, 0.3));
    pen.block(at(-1.55, 0.0, -0.6), at(0.5, 0.45, 0.35), FIRST);
    pen.block(at(1.6, 0.0, 0.45), at(0.45, 0.4, 0.35), SECOND);
    let (a, b) = (add(a, at(0.0, -0.45, 0.0)), add(b, at(0.05, -0.4, 0.0)));
    pen.cylinder(a, b, 0.06, NEITHER);
    pen.point(a);
    pen.point(b);
    pen.words(times(0.5, add(a, b)), [-4.0, -10.0], "length");
    pen
}

pub fn revolute_spherical() -> Pen {
    let mut pen = Pen::in_space();
    let (a, b) = (at(-1.3, 0.0, 0.0), at(1.2, 0.0, 0.25));
    pen.axis(at(-1.3, 0.0, -1.4), at(-1.3, 0.0, 1.5));
    pen.block(at(-1.3, 0.0, -0.85), at(0.5, 0.45, 0.25), FIRST);
    pen.cylinder(at(-1.3, 0.0, -0.6), at(-1.3, 0.0, -0.25), 0.22, FIRST);
    pen.block(at(1.75, 0.0, 0.35), at(0.45, 0.4, 0.35), SECOND);
    pen.cylinder(a, b, 0.07, NEITHER);
    pen.cylinder(at(-1.3, 0.0, -0.22), at(-1.3, 0.0, 0.2), 0.22, NEITHER);
    pen.axis(at(-1.3, 0.0, 0.2), at(-1.3, 0.0, 1.5));
    pen.ball(b, 0.16, NEITHER);
    pen.turn(at(-1.3, 0.0, 0.8), Z, 0.42, [0.55, 1.2]);
    pen.words(times(0.5, add(a, b)), [-16.0, 22.0], "length");
    pen
}

fn pair(pen: &mut Pen) -> [Vector; 2] {
    let (a, b) = (at(-1.1, 0.0, -0.5), at(1.2, 0.0, 0.0));
    pen.block(a, at(0.55, 0.45, 0.3), FIRST);
    pen.block(b, at(0.5, 0.4, 0.3), SECOND);
    [a, b]
}

pub fn parallel() -> Pen {
    let mut pen = Pen::in_space();
    let [a, b] = pair(&mut pen);
    for p in [a, b] {
        pen.axis(add(p, times(0.3, Z)), add(p, times(1.5, Z)));
        pen.arrow(add(p, times(1.1, Z)), add(p, times(1.4, Z)));
    }
    pen.turn(add(b, times(0.8, Z)), Z, 0.4, [0.55, 1.2]);
    pen
}

pub fn perpendicular() -> Pen {
    let mut pen = Pen::in_space();
    let [a, b] = pair(&mut pen);
    pen.axis(add(a, times(0.3, Z)), add(a, times(1.5, Z)));
    pen.arrow(add(a, times(1.1, Z)), add(a, times(1.4, Z)));
    let tip = |s: f64| add(b, times(s, X));
    pen.axis(tip(0.5), tip(1.3));
    pen.arrow(tip(0.8), tip(1.2));
    pen.words(add(a, times(1.3, Z)), [-42.0, 0.0], "axis 1");
    pen.words(tip(0.9), [-22.0, 24.0], "axis 2");
    pen
}

pub fn orientation() -> Pen {
    let mut pen = Pen::in_space();
    let (a, b) = (at(-1.1, 0.0, -0.5), at(1.2, 0.0, 0.0));
    pen.block(a, at(0.5, 0.45, 0.3), FIRST);
    pen.block(b, at(0.5, 0.45, 0.3), SECOND);
    for p in [a, b] {
        let corner = add(p, at(0.0, 0.0, 0.3));
        for axis in [times(0.75, X), times(0.95, Y), times(0.8, Z)] {
            pen.arrow(corner, add(corner, axis));
        }
    }
    pen
}

pub fn rolling_disk() -> Pen {
    let mut pen = Pen::in_space();
    plate(&mut pen, [1.85, 1.2], -0.9);
    let lean = unit(at(0.0, 1.0, 0.22));
    let middle = at(0.0, 0.12, 0.0);
    pen.cylinder(add(middle, times(-0.09, lean)), add(middle, times(0.09, lean)), 0.9, SECOND);
    pen.axis(add(middle, times(-0.1, lean)), add(middle, times(-1.5, lean)));
    pen.point(add(middle, times(-0.1, lean)));
    pen.words(add(middle, times(-1.5, lean)), [-4.0, 14.0], "axis 2");
    pen.arrow(at(-1.6, -0.4, -0.9), at(-1.6, -0.4, 0.0));
    pen.words(at(-1.6, -0.4, 0.0), [-16.0, -8.0], "axis 1");
    pen.motion(&Pen::circle(middle, times(-1.0, lean), 1.12, [0.3, 0.1]), false);
    pen.motion(&[at(0.8, -0.3, -0.9), at(1.6, -0.3, -0.9)], false);
    pen
}

pub fn rolling_sphere() -> Pen {
    let mut pen = Pen::in_space();
    plate(&mut pen, [1.8, 1.3], -0.8);
    pen.ball(at(0.0, 0.0, 0.0), 0.8, SECOND);
    pen.point(at(0.0, 0.0, 0.0));
    pen.arrow(at(-1.6, -0.4, -0.8), at(-1.6, -0.4, 0.1));
    pen.words(at(-1.6, -0.4, 0.1), [-14.0, -8.0], "axis");
    pen.motion(&Pen::circle(at(0.0, 0.0, 0.0), at(0.0, -1.0, 0.0), 1.0, [0.3, 0.1]), false);
    pen.motion(&[at(0.75, -0.5, -0.8), at(1.5, -0.5, -0.8)], false);
    pen.motion(&[at(1.1, 0.1, -0.8), at(1.1, 1.0, -0.8)], false);
    pen
}

pub fn knife_edge() -> Pen {
    let mut pen = Pen::in_space();
    plate(&mut pen, [1.8, 1.3], -0.7);
    pen.face(
        &[
            at(-0.75, 0.0, -0.45),
            at(-0.45, 0.0, -0.7),
            at(0.45, 0.0, -0.7),
            at(0.75, 0.0, -0.45),
            at(0.75, 0.0, 0.0),
            at(-0.75, 0.0, 0.0),
        ],
        NEITHER,
    );
    pen.block(at(0.1, 0.0, 0.2), at(1.0, 0.4, 0.2), SECOND);
    pen.point(at(0.0, 0.0, -0.7));
    pen.motion(&[at(0.85, -0.05, -0.7), at(1.65, -0.05, -0.7)], true);
    pen.words(at(1.3, -0.1, -0.7), [-6.0, -10.0], "axis");
    pen.arrow(at(-0.2, -0.25, -0.7), at(-0.2, -1.1, -0.7));
    pen.forbidden(at(-0.2, -0.7, -0.7));
    pen
}
