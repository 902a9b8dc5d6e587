//! Straight lines, pictures, shafts, platforms, arms and legs: where geometry alone says where everything is.

use std::f64::consts::TAU;

use super::played::{Worst, play, play_with};
use super::power::{Placed, bearing, meet, middle, slopes, torque};

/// Inversion takes the circle through O to the line x = (L^2 - s^2)/(2 q), and the point at the angle phi to y = x tan(phi/2).
#[test]
fn peaucellier_draws_a_straight_line() {
    let played = play("peaucellier");
    let x = (0.5 * 0.5 - 0.2 * 0.2) / 0.4;
    let [mut off, mut along] = [Worst::default(), Worst::default()];
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for [t, found_x, y] in played.rows(["t", "x", "y"]) {
        let phi: f64 = 0.3 + 0.7 * (TAU * t).sin();
        off.add(found_x, x);
        along.add(y, x * (phi / 2.0).tan());
        (lowest, highest) = (lowest.min(y), highest.max(y));
    }
    off.within(1e-13, "distance from the line");
    along.within(1e-12, "place on the line");
    assert!(highest - lowest > 0.39, "it moves from {lowest} to {highest}");
}

#[test]
fn the_pantograph_draws_three_times_as_large() {
    let played = play("pantograph");
    let [mut hand, mut pen] = [Worst::default(), Worst::default()];
    for [t, x, y, pen_x, pen_y] in played.rows(["t", "tracer_x", "tracer_y", "pen_x", "pen_y"]) {
        let angle = TAU * t;
        let radius = 0.06 * (1.0 + 0.35 * (5.0 * angle).cos());
        let wanted = [0.15 + radius * angle.cos(), 0.12 + radius * angle.sin()];
        hand.add(x, wanted[0]);
        hand.add(y, wanted[1]);
        pen.add(pen_x, 3.0 * wanted[0]);
        pen.add(pen_y, 3.0 * wanted[1]);
    }
    hand.within(1e-13, "tracer");
    pen.within(1e-12, "pen");
    let two = play_with("pantograph", &[("ratio", "2")]);
    let mut off = Worst::default();
    two.column("off").into_iter().for_each(|x| off.add(x, 0.0));
    off.within(1e-12, "pen of another ratio");
}

/// tan(out) = tan(in)/cos(beta), so that out'/in' = cos(beta)/(cos^2(beta) cos^2(in) + sin^2(in)).
#[test]
fn two_hooke_joints_with_parallel_forks_run_evenly() {
    let beta = 25.0_f64.to_radians();
    let next = |angle: f64| (angle.sin()).atan2(beta.cos() * angle.cos());
    let ratio = |angle: f64| beta.cos() / ((beta.cos() * angle.cos()).powi(2) + angle.sin().powi(2));
    for (settings, turned) in [(&[][..], false), (&[("turned", "1")], true)] {
        let played = play_with("hooke_chain", settings);
        let speeds = |angle: f64| {
            let second = ratio(angle);
            if !turned {
                return [1.0, second, 1.0, second];
            }
            let third = second * ratio(next(angle));
            [1.0, second, third, third * ratio(next(next(angle)))]
        };
        let [mut speed, mut turn] = [Worst::default(), Worst::default()];
        for [t, second, third, last, found] in played.rows(["t", "second", "third", "last", "torque"]) {
            let angle = 30.0 * t;
            let wanted = speeds(angle).map(|x| 30.0 * x);
            speed.add(second, wanted[1]);
            speed.add(third, wanted[2]);
            speed.add(last, wanted[3]);
            // Power over speed: that of the drag, and what the spins take.
            let kinetic = |angle: f64| speeds(angle).iter().map(|x| 2e-3 * 900.0 * x * x).sum::<f64>();
            turn.add(found, 0.4 * wanted[3].powi(2) / 30.0 + slopes(&kinetic, angle, 0.01)[0]);
        }
        speed.within(1e-9, "speeds of the shafts, rad/s");
        turn.within(1e-6, "torque of some 15 N m");
    }
}

/// The rotation of a quaternion.
fn rotation(e: [f64; 4]) -> [[f64; 3]; 3] {
    let [w, x, y, z] = e;
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// The lengths of the struts put it where their inverse kinematics assumed it: R = R_y(pitch) R_x(roll).
#[test]
fn the_platform_is_where_it_is_wanted() {
    let played = play("stewart");
    let names =
        ["platform.x", "platform.y", "platform.z", "platform.e0", "platform.e1", "platform.e2", "platform.e3", "t"];
    let [mut place, mut turn] = [Worst::default(), Worst::default()];
    let mut largest = 0.0_f64;
    for [x, y, z, e0, e1, e2, e3, t] in played.rows(names) {
        place.add(x, 0.05 * t.sin());
        place.add(y, 0.0);
        place.add(z, 1.4 + 0.1 * (2.0 * t).sin());
        let (sr, cr) = (10.0_f64.to_radians() * (3.0 * t).sin()).sin_cos();
        let (sp, cp) = (8.0_f64.to_radians() * (2.0 * t).sin()).sin_cos();
        let wanted = [[cp, sp * sr, sp * cr], [0.0, cr, -sr], [-sp, cp * sr, cp * cr]];
        let found = rotation([e0, e1, e2, e3]);
        for (found, wanted) in found.iter().flatten().zip(wanted.iter().flatten()) {
            turn.add(*found, *wanted);
        }
        largest = largest.max(wanted[2][1].abs());
    }
    place.within(1e-12, "place");
    turn.within(1e-12, "attitude");
    assert!(largest > 0.17);
}

/// The waist looks at the tip, and the law of cosines gives the elbow.
#[test]
fn the_arm_finds_its_inverse_kinematics() {
    let (column, upper, fore): (f64, f64, f64) = (0.4, 0.5, 0.4);
    let played = play("robot_arm");
    let mut off = Worst::default();
    let rows = played.rows(["t", "waist_angle", "shoulder_angle", "elbow_angle"]);
    for [t, waist, shoulder, elbow] in rows {
        let (s, c) = (TAU * t / 4.0).sin_cos();
        let [x, y, z]: [f64; 3] = [0.55, 0.2 * c, 0.5 + 0.2 * s];
        let (far, high) = (x.hypot(y), z - column);
        let bend = ((far * far + high * high - upper * upper - fore * fore) / (2.0 * upper * fore)).acos();
        let lift = high.atan2(far) + (fore * bend.sin()).atan2(upper + fore * bend.cos());
        off.add(waist.to_radians(), y.atan2(x));
        off.add(shoulder.to_radians(), -lift);
        off.add(elbow.to_radians(), bend);
    }
    off.within(1e-12, "angles");
}

/// Joint after joint by meeting circles, and the torque by the power.
#[test]
fn the_leg_walks() {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m] =
        [38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 7.8, 15.0].map(|x: f64| 0.01 * x);
    let points = |phi: f64| {
        let (at, fixed) = ([m * phi.cos(), m * phi.sin()], [-a, -l]);
        let upper = meet(at, j, fixed, b, -1.0);
        let lower = meet(at, k, fixed, c, 1.0);
        let outer = meet(upper, e, fixed, d, -1.0);
        let knee = meet(outer, f, lower, g, -1.0);
        [at, fixed, upper, outer, lower, knee, meet(knee, h, lower, i, -1.0)]
    };
    let third = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| [0, 1].map(|x| (p[x] + q[x] + r[x]) / 3.0);
    let bodies = |phi: f64| -> Vec<Placed> {
        let [at, fixed, upper, outer, lower, knee, foot] = points(phi);
        let bar = |length: f64, p: [f64; 2], q: [f64; 2]| (length, length.powi(3) / 12.0, middle(p, q), bearing(p, q));
        vec![
            bar(j, at, upper),
            bar(k, at, lower),
            bar(c, fixed, lower),
            bar(f, outer, knee),
            (b + d + e, 0.02 * (b + d + e), third(fixed, upper, outer), bearing(fixed, upper)),
            (g + h + i, 0.03 * (g + h + i), third(lower, knee, foot), bearing(lower, knee)),
        ]
    };
    let played = play("walking_leg");
    let [mut place, mut turn] = [Worst::default(), Worst::default()];
    for [t, x, y, found] in played.rows(["t", "foot_x", "foot_y", "torque"]) {
        let phi = TAU * 0.5 * t;
        let foot = points(phi)[6];
        place.add(x, foot[0]);
        place.add(y, foot[1]);
        turn.add(found, torque(&bodies, phi, TAU * 0.5, 0.0));
    }
    place.within(1e-12, "foot");
    turn.within(1e-6, "torque of some 7 N m");
    // It is on the ground, within a centimetre, for two fifths of the time.
    let lowest = played.result("lowest");
    let heights = played.column("foot_y");
    let down = heights.iter().filter(|y| **y < lowest + 0.01).count();
    assert!(down as f64 > 0.4 * heights.len() as f64, "{down} of {}", heights.len());
}
