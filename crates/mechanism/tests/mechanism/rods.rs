//! Rods whose lengths are driven, and springs whose ends meet.

use alembert::scalar::Jet;
use alembert::{Advised, Point, Scalar, Tolerance, check_derivatives, consistent, solve};
use alembert_mechanism::joint::{Distance, Revolute, Rod};
use alembert_mechanism::law::Linear;
use alembert_mechanism::{Body, Builder, Cause, GROUND, JointId, Mechanism};

fn close(b: Builder) -> Mechanism {
    let mut mechanism = b.build().unwrap_or_else(|error| panic!("{error}"));
    mechanism.close().unwrap_or_else(|error| panic!("{error}"));
    mechanism
}

/// A boom on a hinge, lifted by a cylinder from below.
fn boom(scale: f64) -> (Builder, [JointId; 2]) {
    let mut b = Mechanism::builder();
    b.planar().gravity([0.0, -9.81 * scale, 0.0]);
    let boom = b.body("boom", Body::planar(10.0, scale * scale).centred([0.5 * scale, 0.0, 0.0]).angled(0.5));
    let pin = b.joint("pin", Revolute, GROUND.origin(), boom.origin());
    let rod = Distance { length: scale };
    let rod = b.joint("rod", rod, GROUND.at([0.0, -0.8 * scale, 0.0]), boom.at([0.6 * scale, 0.0, 0.0]));
    (b, [pin, rod])
}

/// The angle of the boom and the force in the cylinder at a time, with l = 1 + sin(t)/10.
fn lifted(t: f64) -> [f64; 2] {
    let (s, c) = t.sin_cos();
    let (l, rate, second) = (1.0 + 0.1 * s, 0.1 * c, -0.1 * s);
    // l^2 = a^2 + b^2 + 2 a b sin(angle)
    let (a, b) = (0.6, 0.8);
    let sine: f64 = (l * l - a * a - b * b) / (2.0 * a * b);
    let angle = sine.asin();
    let arm = a * b * angle.cos();
    let spin = l * rate / arm;
    let turning = (rate * rate + l * second + a * b * sine * spin * spin) / arm;
    [angle, ((1.0 + 2.5) * turning + 10.0 * 9.81 * 0.5 * angle.cos()) * l / arm]
}

#[test]
fn a_cylinder_lifts_a_boom() {
    for by_speed in [false, true] {
        for scale in [1e-3, 1.0, 1e3] {
            let (mut b, [pin, rod]) = boom(scale);
            match by_speed {
                true => b.drive_speed("pump", rod.length(), move |t: Jet| t.cos() * (0.1 * scale)),
                false => b.drive("pump", rod.length(), move |t: Jet| t.sin() * (0.1 * scale) + scale),
            };
            let mechanism = close(b);
            let start = consistent(mechanism.system(), mechanism.guess()).unwrap_or_else(|error| panic!("{error}"));
            let tolerance = Tolerance::new(1e-10, 1e-10 * scale).expect("tolerances");
            let motion = solve(mechanism.system(), mechanism.guess(), 0.0..1.0, tolerance).expect("a motion");
            for state in [&*start, motion.last()] {
                let [angle, force] = lifted(state.t);
                let (found, _) = mechanism.coordinate(pin.angle(), state.t, &state.q, &state.v).expect("an angle");
                assert!((found - angle).abs() < 1e-9, "{by_speed} {scale}: {found} for {angle}");
                let reaction = mechanism.reaction(rod, state).on_second.force;
                let pull = (reaction[0].powi(2) + reaction[1].powi(2)).sqrt() / scale;
                assert!((pull / force - 1.0).abs() < 1e-8, "{by_speed} {scale}: {pull} for {force}");
            }
        }
    }
}

#[test]
fn derivatives_of_driven_rods_are_right() {
    for rod in 0..2 {
        let mut b = Mechanism::builder();
        let [x, y] = ["x", "y"].map(|name| b.body(name, Body::new(1.0, [0.1, 0.2, 0.3]).at([1.0, 0.4, -0.3])));
        let (i, j) = (x.at([0.3, 0.1, -0.2]), y.at([-0.5, 0.9, 0.6]));
        let rod = match rod {
            0 => b.joint("rod", Distance { length: 1.0 }, i, j),
            _ => b.joint("rod", Rod { length: 1.0 }, i, j),
        };
        b.drive("pump", rod.length(), |t: Jet| t.sin() + 2.0);
        b.spring("spring", x.at([0.1, 0.2, 0.3]), y.origin(), Linear { stiffness: 3.0, damping: 0.0, rest: 0.0 });
        let mechanism = b.build().expect("right");
        let dims = alembert::ConstrainedSystem::dims(mechanism.system());
        let (q, v) = (mechanism.guess().q.clone(), (0..dims.v).map(|i| (1.3 * i as f64).sin()).collect::<Vec<_>>());
        let (lambda, psi) = (vec![0.7; dims.lambda], vec![0.7; dims.psi]);
        let point = Point { t: 0.4, q: &q, v: &v, lambda: &lambda, psi: &psi };
        let report = check_derivatives(mechanism.system(), point).expect("values");
        assert!(report.is_ok(), "{report}");
    }
}

#[test]
fn mistakes_of_driven_rods_are_named() {
    let (mut b, [_, rod]) = boom(1.0);
    b.drive("pump", rod.length(), |t: Jet| t - 0.1);
    let error = b.build().expect("right").close().expect_err("less than nothing");
    assert!(matches!(&error.cause, Cause::Length { joint, .. } if joint == "rod"), "{error}");
    let (mut b, [_, rod]) = boom(1.0);
    b.drive("pump", rod.length(), |t: Jet| t + 1.0).drive_speed("other", rod.length(), |t: Jet| t);
    let error = b.build().expect_err("two drivers");
    assert!(error.to_string().contains("`other`: the length of `rod` has a driver already"), "{error}");
}

#[test]
fn a_spring_of_no_length_starts_where_its_ends_meet() {
    let with = |law: Linear| {
        let mut b = Mechanism::builder();
        let body = b.body("body", Body::new(2.0, [1.0; 3]).moving([0.3, -0.4, 0.0]));
        b.spring("cord", GROUND.origin(), body.origin(), law);
        (b, body)
    };
    // x'' = -(k/m) x from x = 0: exact.
    let (b, body) = with(Linear { stiffness: 8.0, damping: 0.0, rest: 0.0 });
    let mechanism = close(b);
    let tolerance = Tolerance::new(1e-10, 1e-10).expect("tolerances");
    let motion = solve(mechanism.system(), mechanism.guess(), 0.0..1.0, tolerance).expect("a motion");
    let p = mechanism.motion(body, motion.last()).p;
    let exact = 2.0_f64.sin() / 2.0;
    assert!((p[0] - 0.3 * exact).abs() < 1e-8 && (p[1] + 0.4 * exact).abs() < 1e-8, "{p:?}");
    for law in [Linear { stiffness: 8.0, damping: 1.0, rest: 0.0 }, Linear { stiffness: 8.0, damping: 0.0, rest: 0.1 }]
    {
        let error = with(law).0.build().expect_err("no direction");
        assert!(error.name == "cord" && error.hint().is_some(), "{error}");
    }
}
