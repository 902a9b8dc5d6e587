//! Machines that a crank drives: where they are, when they turn round, and what torque that takes.

use std::f64::consts::{PI, TAU};

use super::played::{Worst, play, play_with};
use super::power::{Placed, bearing, meet, middle, slopes, torque};

/// s = a cos phi + sqrt(l^2 - a^2 sin^2 phi).
#[test]
fn the_slider_crank_takes_the_torque_of_its_power() {
    let (a, l, speed): (f64, f64, f64) = (0.05, 0.16, 100.0);
    let piston = |phi: f64| a * phi.cos() + (l * l - (a * phi.sin()).powi(2)).sqrt();
    let bodies = |phi: f64| -> Vec<Placed> {
        let (pin, end) = ([a * phi.cos(), a * phi.sin()], [piston(phi), 0.0]);
        vec![(0.6, 0.6 * l * l / 12.0, middle(pin, end), bearing(pin, end)), (0.9, 0.0, end, 0.0)]
    };
    let played = play("slider_crank");
    let [mut place, mut turn] = [Worst::default(), Worst::default()];
    for [t, s, found] in played.rows(["t", "piston", "torque"]) {
        let phi = speed * t;
        let [rate, _] = slopes(&piston, phi, 0.01);
        place.add(s, piston(phi));
        turn.add(found, torque(&bodies, phi, speed, 40.0 * speed * rate * rate));
    }
    // A fine search for the peak.
    let peak = (0..4000).map(|k| {
        let phi = TAU * f64::from(k) / 4000.0;
        torque(&bodies, phi, speed, 40.0 * speed * slopes(&piston, phi, 0.01)[0].powi(2))
    });
    let mut most = Worst::default();
    most.add(played.result("peak"), peak.fold(f64::NEG_INFINITY, f64::max));
    most.within(1e-4, "largest torque");
    place.within(1e-12, "piston");
    turn.within(1e-7, "torque of some 28 N m");
}

/// The ram rests where the lever lies along its way; the pin then is `offset` below the shaft.
#[test]
fn whitworth_returns_in_a_third_of_the_time() {
    let (r, offset, arm, rod, speed): (f64, f64, f64, f64, f64) = (0.1, 0.05, 0.08, 0.3, TAU);
    let played = play("whitworth");
    let (outer, inner) = (played.times_of("outer dead centre"), played.times_of("inner dead centre"));
    assert_eq!((outer.len(), inner.len()), (2, 2));
    let half = (offset / r).acos();
    let ratio = (outer[1] - inner[0]) / (inner[0] - outer[0]);
    let mut times = Worst::default();
    times.add(ratio, (PI - half) / half);
    times.within(1e-12, "ratio of the times of both ways");
    let end = |phi: f64| {
        let turned = bearing([0.0, -offset], [r * phi.cos(), r * phi.sin()]);
        ([-arm * turned.cos(), -offset - arm * turned.sin()], turned)
    };
    let ram = |phi: f64| {
        let (end, _) = end(phi);
        end[0] + (rod * rod - (end[1] + offset).powi(2)).sqrt()
    };
    let bodies = |phi: f64| -> Vec<Placed> {
        let ((end, turned), ram) = (end(phi), [ram(phi), -offset]);
        vec![
            (2.0, 8e-3, [0.0, -offset], turned),
            (0.5, 0.5 * rod * rod / 12.0, middle(end, ram), bearing(end, ram)),
            (5.0, 0.0, ram, 0.0),
        ]
    };
    let [mut place, mut turn] = [Worst::default(), Worst::default()];
    for [t, s, found] in played.rows(["t", "ram_position", "torque"]) {
        let phi = PI / 2.0 + speed * t;
        place.add(s, ram(phi));
        turn.add(found, torque(&bodies, phi, speed, 0.0));
    }
    place.within(1e-12, "ram");
    turn.within(1e-7, "torque");
}

/// At the ends of the swing the slot touches the circle of the pin.
#[test]
fn the_shaper_cuts_slowly_and_returns_fast() {
    let (r, distance, lever, speed, cutting): (f64, f64, f64, f64, f64) = (0.1, 0.25, 0.5, TAU, 800.0);
    let played = play("shaper");
    let (front, back) = (played.times_of("front dead centre"), played.times_of("back dead centre"));
    assert_eq!((front.len(), back.len()), (2, 2));
    let beta = (r / distance).acos();
    let mut closed = Worst::default();
    closed.add((front[1] - back[0]) / (back[0] - front[0]), (PI - beta) / beta);
    closed.add(played.result("reach") - played.result("back"), 2.0 * lever * r / distance);
    closed.within(1e-9, "ratio of times, and stroke");
    let mut work = Worst::default();
    work.add(played.result("work"), played.result("cut"));
    work.within(1e-6, "work of the motor");
    // The angle of the lever; the crank turns clockwise.
    let turned = |phi: f64| bearing([0.0, 0.0], [r * phi.cos(), distance + r * phi.sin()]);
    let tool = |phi: f64| lever * turned(phi).cos();
    let bodies = |phi: f64| -> Vec<Placed> {
        let at = turned(phi);
        let centre = [0.5 * lever * at.cos(), 0.5 * lever * at.sin()];
        vec![(6.0, 6.0 * lever * lever / 12.0, centre, at), (20.0, 0.0, [tool(phi), lever], 0.0)]
    };
    let [mut place, mut turn] = [Worst::default(), Worst::default()];
    let mut compared = 0;
    for [t, s, found] in played.rows(["t", "tool", "torque"]) {
        let phi = -speed * t;
        place.add(s, tool(phi));
        let [rate, _] = slopes(&tool, phi, 0.01);
        let v = -speed * rate;
        // Where the force is either there or not.
        if !(0.0..=0.05).contains(&v) {
            let force = if v > 0.0 { cutting } else { 0.0 };
            turn.add(found, torque(&bodies, phi, -speed, force * rate));
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
    place.within(1e-12, "tool");
    turn.within(1e-7, "torque of some 300 N m");
}

/// Both links are equal, so that the ram is twice as far from the frame as the knee.
#[test]
fn the_toggle_press_takes_the_torque_of_its_power() {
    let (link, crank, rod, base, speed): (f64, f64, f64, f64, f64) = (0.3, 0.05, 0.4, 0.452, TAU);
    let pin = |phi: f64| [-base + crank * phi.cos(), -link + crank * phi.sin()];
    let knee = |phi: f64| meet([0.0, 0.0], link, pin(phi), rod, 1.0);
    let bodies = |phi: f64| -> Vec<Placed> {
        let (pin, knee) = (pin(phi), knee(phi));
        let foot = [0.0, 2.0 * knee[1]];
        vec![
            (4.0, 4.0 * rod * rod / 12.0, middle(pin, knee), bearing(pin, knee)),
            (5.0, 5.0 * link * link / 12.0, middle([0.0, 0.0], knee), bearing([0.0, 0.0], knee)),
            (5.0, 5.0 * link * link / 12.0, middle(knee, foot), bearing(knee, foot)),
            (30.0, 0.0, foot, 0.0),
        ]
    };
    let played = play("toggle_press");
    let height = |phi: f64| 2.0 * knee(phi)[1] + 2.0 * link;
    let [mut place, mut force, mut turn] = [Worst::default(), Worst::default(), Worst::default()];
    for [t, s, push, found] in played.rows(["t", "ram_height", "press_force", "torque"]) {
        let phi = PI + speed * t;
        let up = 2e7 * (0.004 - height(phi)).max(0.0);
        place.add(s, height(phi));
        force.add(push, up);
        turn.add(found, torque(&bodies, phi, speed, -up * slopes(&height, phi, 0.01)[0]));
    }
    place.within(1e-12, "ram");
    force.within(1e-6, "force of 80 kN");
    turn.within(1e-7, "torque of some 300 N m");
}

/// The tip is on the line through the shaft: its height is the radius of the cam there.
#[test]
fn the_follower_goes_as_the_cam_is_cut() {
    let (base, lift, speed): (f64, f64, f64) = (0.02, 0.008, 15.0 * TAU);
    let height = |angle: f64| base + lift * ((1.0 - angle.cos()) / 2.0).powi(4);
    let played = play("cam");
    let mut worst: [Worst; 4] = std::array::from_fn(|_| Worst::default());
    for [t, valve, acceleration, contact, torque] in played.rows(["t", "valve", "acceleration", "contact", "torque"]) {
        let angle = speed * t;
        // ((1 - c)/2)^4 has the derivatives 2 s ((1 - c)/2)^3 and 2 c ((1 - c)/2)^3 + 3 s^2 ((1 - c)/2)^2.
        let (s, c) = angle.sin_cos();
        let half = (1.0 - c) / 2.0;
        let by_angle = lift * 2.0 * s * half.powi(3);
        let twice = lift * (2.0 * c * half.powi(3) + 3.0 * s * s * half.powi(2));
        let force = 0.15 * (speed * speed * twice + 9.81) + 60.0 + 8e3 * (height(angle) - base);
        worst[0].add(valve, height(angle) - base);
        worst[1].add(acceleration, speed * speed * twice);
        worst[2].add(contact, force);
        worst[3].add(torque, force * by_angle);
    }
    worst[0].within(1e-12, "lift");
    worst[1].within(1e-9, "acceleration of 140 m/s^2");
    worst[2].within(1e-10, "force of 100 N");
    worst[3].within(1e-12, "torque");
    // The least force is at rest here; faster it is at the nose, where c = -1, and holds the follower back.
    let mut least = Worst::default();
    least.add(played.result("least"), 0.15 * 9.81 + 60.0);
    let fast = 50.0 * TAU;
    let nose = 0.15 * (9.81 - 2.0 * lift * fast * fast) + 60.0 + 8e3 * lift;
    least.add(play_with("cam", &[("turns", "50")]).result("least"), nose);
    assert!(nose < -100.0);
    least.within(1e-6, "least force");
}
