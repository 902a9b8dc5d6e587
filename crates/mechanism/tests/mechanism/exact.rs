//! Motions that are known in closed form.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use alembert::rotation::{cross, to_space};
use alembert::scalar::Jet;
use alembert::{At, ConstrainedSystem, Quantity, Scalar, Solution, State, Supplied, Tolerance, consistent, solve};
use alembert_mechanism::joint::{Cylindrical, Distance, KnifeEdge, PointOnCurve, Revolute, RollingSphere};
use alembert_mechanism::law::{Linear, OfParameter};
use alembert_mechanism::{Axes, Body, Builder, Bushing, GROUND, Mechanism, Motion};

use crate::machines::{X, Y, Z};

fn build(builder: Builder) -> Mechanism {
    let mut mechanism = builder.build().unwrap_or_else(|e| panic!("{e}"));
    mechanism.close().unwrap_or_else(|e| panic!("{e}"));
    mechanism
}

fn run(mechanism: &Mechanism, end: f64) -> Solution<'_> {
    let tolerance = Tolerance::new(1e-10, 1e-10).expect("in range");
    let motion = solve(mechanism.system(), mechanism.guess(), 0.0..end, tolerance).unwrap_or_else(|e| panic!("{e}"));
    motion.whole().unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_torsion_spring_winds_up_by_many_turns() {
    let mut b = Mechanism::builder();
    let wheel = b.body("wheel", Body::new(1.0, [0.3, 0.4, 0.5]).spinning([0.0, 0.0, 40.0]));
    let hinge = b.joint("hinge", Revolute, GROUND.origin().axis(Z), wheel.origin().axis(Z));
    b.load("spring", hinge.angle(), Arc::new(Linear { stiffness: 2.0, damping: 0.0, rest: 0.0 }));
    let mechanism = build(b);
    let motion = run(&mechanism, 3.0);
    // 0.5 theta'' = -2 theta: theta = 20 sin 2t, more than six turns.
    for k in 0..=300 {
        let t = 0.01 * f64::from(k);
        let state = &motion.at(t).expect("inside");
        let speed = mechanism.motion(wheel, state).omega[2];
        assert!((speed - 40.0 * (2.0 * t).cos()).abs() < 1e-6, "t = {t}: {speed}");
        // The number that counts the turns is the last coordinate.
        let angle = state.q.last().copied().expect("a number");
        assert!((angle - 20.0 * (2.0 * t).sin()).abs() < 1e-6, "t = {t}: {angle}");
    }
}

#[test]
fn gears_turn_by_the_ratio_of_their_radii_for_many_turns() {
    let mut b = Mechanism::builder();
    let (r1, r2) = (0.3, 0.7_f64.sqrt());
    let (j1, j2) = (0.2, 0.9);
    let one = b.body("one", Body::new(1.0, [0.5, j1, 0.5]));
    let two = b.body("two", Body::new(1.0, [0.5, j2, 0.5]).at([r1 + r2, 0.0, 0.0]));
    let first = b.joint("first", Revolute, GROUND.origin().axis(Y), one.origin().axis(Y));
    let second = b.joint("second", Revolute, GROUND.at([r1 + r2, 0.0, 0.0]).axis(Y), two.origin().axis(Y));
    b.couple("mesh", &[(r1, first.angle()), (r2, second.angle())]);
    b.torque("torque", one, [0.0, 3.0, 0.0], Axes::World);
    let mechanism = build(b);
    let motion = run(&mechanism, 4.0);
    let up = 3.0 / (j1 + j2 * (r1 / r2).powi(2));
    let state = motion.last();
    let (w1, w2) = (mechanism.motion(one, state).omega[1], mechanism.motion(two, state).omega[1]);
    assert!((w1 / (up * 4.0) - 1.0).abs() < 1e-8 && (r1 * w1 + r2 * w2).abs() < 1e-9, "{w1} {w2}");
    let turns = 0.5 * up * 16.0 / TAU;
    assert!(turns > 5.0, "it turns often enough: {turns}");
    let counted = state.q[14] / TAU;
    assert!((counted - turns).abs() < 1e-8, "{counted} {turns}");
}

#[test]
fn a_nut_falls_along_its_screw() {
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -9.81]);
    let (m, j, pitch) = (2.0, 1e-3, 0.5);
    let nut = b.body("nut", Body::new(m, [0.01, 0.01, j]));
    let shaft = b.joint("shaft", Cylindrical, GROUND.origin().axis(Z), nut.origin().axis(Z));
    b.couple("thread", &[(1.0, shaft.displacement()), (-pitch / TAU, shaft.angle())]);
    let mechanism = build(b);
    let motion = run(&mechanism, 1.0);
    let fall = 9.81 * m / (m + j * (TAU / pitch).powi(2));
    let (z, speed) =
        mechanism.coordinate(shaft.displacement(), 1.0, &motion.last().q, &motion.last().v).expect("there");
    assert!((z + 0.5 * fall).abs() < 1e-9 && (speed + fall).abs() < 1e-9, "{z} {speed}");
}

#[test]
fn a_driver_carries_the_weight() {
    let mut b = Mechanism::builder();
    b.gravity([0.0, -9.81, 0.0]);
    let arm = b.body("arm", Body::new(2.0, [0.1, 0.2, 0.3]).at([0.5, 0.0, 0.0]));
    let hinge = b.joint("hinge", Revolute, GROUND.origin().axis(Z), arm.at([-0.5, 0.0, 0.0]).axis(Z));
    b.drive("drive", hinge.angle(), |t: Jet| t * 3.0);
    let mechanism = build(b);
    let motion = run(&mechanism, 2.5);
    for t in [0.3, 1.0, 2.5] {
        let state = motion.at(t).expect("in range");
        let torque = mechanism.constraint_wrench(1, arm, [0.0; 3], &state).torque;
        // At constant speed the driver holds the weight alone.
        let expected = 2.0 * 9.81 * 0.5 * (3.0 * t).cos();
        assert!((torque[2] - expected).abs() < 1e-8, "t = {t}: {torque:?} {expected}");
    }
}

#[test]
fn a_ball_rolls_down_a_slope() {
    let slope = 0.4_f64;
    let normal = [-slope.sin(), 0.0, slope.cos()];
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -9.81]);
    let r = 0.2;
    let ball = b.body("ball", Body::new(1.5, [0.4 * 1.5 * r * r; 3]).at(normal.map(|n| r * n)));
    let downhill = [slope.cos(), 0.0, slope.sin()];
    b.joint("rolling", RollingSphere { radius: r }, GROUND.origin().axes(normal, downhill), ball.origin());
    let mechanism = build(b);
    let motion = run(&mechanism, 1.0);
    let p = mechanism.motion(ball, motion.last()).p;
    let along: f64 = (0..3).map(|i| p[i] * downhill[i]).sum();
    let expected = -0.5 * 5.0 / 7.0 * 9.81 * slope.sin();
    assert!((along - expected).abs() < 1e-9, "{along} {expected}");
}

#[test]
fn a_bead_on_a_circle_is_a_pendulum() {
    let start = [0.8_f64.sin(), 0.0, -(0.8_f64.cos())];
    let make = |on_curve: bool| {
        let mut b = Mechanism::builder();
        b.gravity([0.0, 0.0, -9.81]);
        let along = [0.8_f64.cos(), 0.0, 0.8_f64.sin()];
        let bead = b.body("bead", Body::new(0.7, [0.01; 3]).at(start).moving(along));
        if on_curve {
            let curve = Arc::new(OfParameter(|x: Jet| [x.sin(), Jet::default(), -x.cos()]));
            b.joint("wire", PointOnCurve { curve, start: Some(0.7) }, GROUND.origin(), bead.origin());
        } else {
            b.joint("rod", Distance { length: 1.0 }, GROUND.origin(), bead.origin());
        }
        (build(b), bead)
    };
    let ((wire, bead), (rod, bob)) = (make(true), make(false));
    let (first, second) = (run(&wire, 2.0), run(&rod, 2.0));
    let (p, other) = (wire.motion(bead, first.last()).p, rod.motion(bob, second.last()).p);
    (0..3).for_each(|i| assert!((p[i] - other[i]).abs() < 1e-8, "{p:?} {other:?}"));
}

#[test]
fn a_sleigh_goes_in_a_circle() {
    let mut b = Mechanism::builder();
    b.planar();
    let sleigh = b.body("sleigh", Body::planar(1.0, 0.3).moving([0.0, 2.0, 0.0]).spinning([0.0, 0.0, 0.5]));
    b.joint("edge", KnifeEdge, GROUND.origin(), sleigh.origin());
    let mechanism = build(b);
    let motion = run(&mechanism, 3.0);
    // The edge is along y of the sleigh: radius 4, about (-4, 0).
    let (s, c) = (0.5_f64 * 3.0).sin_cos();
    let p = mechanism.motion(sleigh, motion.last()).p;
    assert!((p[0] - 4.0 * (c - 1.0)).abs() < 1e-8 && (p[1] - 4.0 * s).abs() < 1e-8, "{p:?}");
}

#[test]
fn the_same_pendulum_in_the_plane_and_in_space() {
    let make = |planar: bool| {
        let mut b = Mechanism::builder();
        b.gravity([0.0, -9.81, 0.0]);
        if planar {
            b.planar();
        }
        let body = |x: f64| Body::new(1.0, [0.1, 0.1, 0.2]).at([x, 0.0, 0.0]);
        let (one, two) = (b.body("one", body(0.5)), b.body("two", body(1.5)));
        let ends = ([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]);
        b.joint("top", Revolute, GROUND.origin(), one.at(ends.0));
        let elbow = b.joint("elbow", Revolute, one.at(ends.1), two.at(ends.0));
        b.load("damper", elbow.angle(), Arc::new(Linear { stiffness: 1.0, damping: 0.3, rest: 0.4 }));
        (build(b), elbow)
    };
    let ((flat, one), (deep, other)) = (make(true), make(false));
    let (first, second) = (run(&flat, 2.0), run(&deep, 2.0));
    let (a, b) = (flat.reaction(one, first.last()).on_second, deep.reaction(other, second.last()).on_second);
    (0..3).for_each(|i| assert!((a.force[i] - b.force[i]).abs() < 1e-6, "{a:?} {b:?}"));
    let angle = |mechanism: &Mechanism, id: alembert_mechanism::JointId, state: &State| {
        mechanism.coordinate(id.angle(), 2.0, &state.q, &state.v).expect("an angle").0
    };
    let (x, y) = (angle(&flat, one, first.last()), angle(&deep, other, second.last()));
    assert!(((x - y) / TAU - ((x - y) / TAU).round()).abs() < 1e-8, "{x} {y}");
}

/// Energy, and momentum about the origin, of two bodies.
fn energy_and_spin(mechanism: &Mechanism, state: &State) -> (f64, [f64; 6]) {
    let mut energy = [0.0; 5];
    let at = At::new(state.t, &state.q, &state.v);
    assert_eq!(mechanism.system().ask(Quantity::Energy, &at, &mut energy), Supplied::Yes);
    let mut momentum = [0.0; 6];
    for (body, _) in mechanism.bodies() {
        let motion = mechanism.motion(body, state);
        let push = motion.v.map(|v| mechanism.mass(body) * v);
        let own = [0, 1, 2].map(|i| INERTIA[i] * motion.omega[i]);
        let (around, own) = (cross(&motion.p, &push), to_space(&motion.quaternion, &own));
        for i in 0..3 {
            momentum[i] += push[i];
            momentum[3 + i] += around[i] + own[i];
        }
    }
    (energy[0] + energy[1], momentum)
}

const INERTIA: [f64; 3] = [0.2, 0.3, 0.4];

#[test]
fn a_bushing_keeps_energy_and_momentum() {
    let mut b = Mechanism::builder();
    let one = b.body("one", Body::new(1.0, INERTIA).spinning([0.3, 1.0, -0.5]));
    let two =
        b.body("two", Body::new(2.0, INERTIA).at([1.0, 0.0, 0.0]).turned([0.3, 0.2, 1.0], 0.9).moving([0.0, 0.4, 0.2]));
    let soft = Bushing {
        stiffness: [20.0, 30.0, 40.0],
        torsion: [3.0, 2.0, 1.0],
        damping: [0.0; 3],
        torsion_damping: [0.0; 3],
    };
    b.bushing("bushing", one.at([0.4, 0.1, 0.0]), two.at([-0.5, 0.0, 0.2]), soft);
    let mechanism = build(b);
    let motion = run(&mechanism, 2.0);
    let (before, after) = (energy_and_spin(&mechanism, motion.start()), energy_and_spin(&mechanism, motion.last()));
    assert!((before.0 - after.0).abs() < 1e-7 * before.0, "{} {}", before.0, after.0);
    (0..6).for_each(|i| assert!((before.1[i] - after.1[i]).abs() < 1e-8, "{:?} {:?}", before.1, after.1));
}

#[test]
fn mistakes_are_told_by_name() {
    let told = |make: &dyn Fn(&mut Builder)| {
        let mut b = Mechanism::builder();
        make(&mut b);
        b.build().map(|_| ()).expect_err("a mistake").to_string()
    };
    let body = || Body::new(1.0, [1.0; 3]);
    let cases: [(&str, String); 7] = [
        ("`a` has the mass -1", told(&|b| _ = b.body("a", Body::new(-1.0, [1.0; 3])))),
        ("the inertia of `a`", told(&|b| _ = b.body("a", Body::new(1.0, [1.0, -1.0, 1.0])))),
        ("`a` has a number that is not finite", told(&|b| _ = b.body("a", body().at([f64::NAN, 0.0, 0.0])))),
        (
            "both ends of `j` are on the same body",
            told(&|b| {
                let a = b.body("a", body());
                b.joint("j", Revolute, a.origin(), a.at(X));
            }),
        ),
        (
            "`j`: a cylindrical joint has no meaning in the plane",
            told(&|b| {
                b.planar();
                let a = b.body("a", body());
                b.joint("j", Cylindrical, GROUND.origin(), a.origin());
            }),
        ),
        (
            "`j` has no displacement",
            told(&|b| {
                let a = b.body("a", body());
                let j = b.joint("j", Revolute, GROUND.origin(), a.origin());
                b.drive("d", j.displacement(), |t| t);
            }),
        ),
        (
            "there are two of the name `a`",
            told(&|b| {
                b.body("a", body());
                b.body("a", body());
            }),
        ),
    ];
    for (expected, found) in cases {
        assert!(found.contains(expected) && found.contains("\nhint: "), "{found}");
    }
}

#[test]
fn names_of_coordinates_and_rows_are_words() {
    let machine = crate::machines::slider_crank();
    let system: &dyn ConstrainedSystem = machine.mechanism.system();
    assert_eq!(system.coordinate_name(0), "`crank` x");
    assert_eq!(system.coordinate_name(10), "`rod` turn about its y");
    let rows: Vec<String> = (0..17).map(|row| system.holonomic_name(row)).collect();
    assert_eq!((&*rows[0], &*rows[4], &*rows[8]), ("`A` along x", "`A` turn about x", "`C` along x"), "{rows:?}");
    assert!(consistent(system, machine.mechanism.guess()).is_ok());
}

#[test]
fn a_blade_on_a_body_that_turns_takes_nothing_from_the_whole() {
    let mut b = Mechanism::builder();
    let plate = Body::new(3.0, INERTIA).moving([0.3, -0.2, 0.1]).spinning([0.2, -0.3, 0.9]);
    let plate = b.body("plate", plate);
    let skate = Body::new(1.0, INERTIA).at([0.5, 0.3, 0.1]).turned(Z, 0.4).moving([0.1, 0.5, -0.2]);
    let skate = b.body("skate", skate.spinning([0.1, 0.4, -0.5]));
    b.joint("blade", KnifeEdge, plate.at([-0.2, 0.1, 0.0]), skate.at([0.1, 0.05, 0.0]));
    let mechanism = build(b);
    let motion = run(&mechanism, 3.0);
    let (energy, whole) = energy_and_spin(&mechanism, motion.start());
    for k in 1..=6 {
        let state = &motion.at(0.5 * f64::from(k)).expect("inside");
        let (now, sum) = energy_and_spin(&mechanism, state);
        assert!((now - energy).abs() < 1e-8, "{now} for {energy}");
        whole.iter().zip(&sum).for_each(|(x, y)| assert!((x - y).abs() < 1e-8, "{whole:?} {sum:?}"));
        // The point of the plate under the blade does not slip along x of the skate.
        let [on, under] = [skate, plate].map(|body| mechanism.motion(body, state));
        let turned = |body: &Motion, arm: [f64; 3]| to_space(&body.quaternion, &arm);
        let arm = turned(&on, [0.1, 0.05, 0.0]);
        let place = [0, 1, 2].map(|i| on.p[i] + arm[i]);
        let below = [0, 1, 2].map(|i| place[i] - under.p[i]);
        let speeds = [(&on, arm), (&under, below)].map(|(body, arm)| {
            let sweep = cross(&to_space(&body.quaternion, &body.omega), &arm);
            [0, 1, 2].map(|i| body.v[i] + sweep[i])
        });
        let along = turned(&on, X);
        let slip: f64 = (0..3).map(|i| along[i] * (speeds[0][i] - speeds[1][i])).sum();
        assert!(slip.abs() < 1e-9, "{slip:e}");
    }
}

#[test]
fn drivers_of_angles_begin_where_their_law_does() {
    // Half a turn off the law its sine is zero as well. Drawn at any angle, or without a pose.
    for (law, drawn) in [(3.1, Some(0.0)), (2.0, None), (0.3, Some(2.5)), (0.3, Some(0.3 + PI)), (-40.0, Some(1.0))] {
        let mut b = Mechanism::builder();
        let wheel = Body::new(1.0, [0.5; 3]);
        let wheel = b.body(
            "wheel",
            match drawn {
                Some(angle) => wheel.turned(Z, angle),
                None => wheel.unposed(),
            },
        );
        let hinge = b.joint("hinge", Revolute, GROUND.origin().axis(Z), wheel.origin().axis(Z));
        b.drive("motor", hinge.angle(), move |t| t * t + law);
        let mechanism = build(b);
        let motion = run(&mechanism, 1.5);
        for t in [0.0, 0.7, 1.5] {
            let state = motion.at(t).expect("inside");
            let along = to_space(&mechanism.motion(wheel, &state).quaternion, &X);
            let angle = law + t * t;
            assert!((along[0] - angle.cos()).abs() + (along[1] - angle.sin()).abs() < 1e-8, "{law} at {t}: {along:?}");
        }
    }
}
