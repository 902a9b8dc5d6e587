//! Speeds of joints at the start: held exactly where the rest can follow, refused by name where it cannot.

use alembert::{Advised, consistent};
use alembert_mechanism::joint::Revolute;
use alembert_mechanism::{Body, Builder, Cause, CoordinateId, GROUND, Mechanism, StartValue};

/// Two wheels on the ground, in gear by a ratio: 1 a + ratio b is kept. Everything is as large as a scale says.
fn wheels(ratio: f64, scale: f64, spin: f64) -> (Builder, [CoordinateId; 2]) {
    let mut b = Mechanism::builder();
    b.planar();
    let one = b.body("one", Body::planar(1.0, 1.0).centred([scale, 0.0, 0.0]));
    let two = b.body("two", Body::planar(1.0, 1.0).at([3.0 * scale, 0.0, 0.0]).spinning([0.0, 0.0, spin]));
    let first = b.joint("first", Revolute, GROUND.origin(), one.origin()).angle();
    let second = b.joint("second", Revolute, GROUND.at([3.0 * scale, 0.0, 0.0]), two.origin()).angle();
    b.couple("mesh", &[(1.0, first), (ratio, second)]);
    (b, [first, second])
}

fn refused(b: Builder) -> (Vec<StartValue>, bool) {
    let error = b.build().expect("right").close().expect_err("speeds that cannot be had");
    assert!(error.hint().is_some() && error.blame().is_some(), "{error}");
    let Cause::Speeds { values, alone } = error.cause else { panic!("{error}") };
    (values, alone)
}

fn told(values: &[StartValue]) -> Vec<(&str, f64, f64)> {
    values.iter().map(|value| (value.joint.as_str(), value.given, value.would_be)).collect()
}

/// The speeds of coordinates at the consistent start.
fn speeds<const N: usize>(b: Builder, of: [CoordinateId; N]) -> [f64; N] {
    let mut mechanism = b.build().expect("right");
    mechanism.close().unwrap_or_else(|error| panic!("{error}"));
    let state = consistent(mechanism.system(), mechanism.guess()).unwrap_or_else(|error| panic!("{error}"));
    of.map(|id| mechanism.coordinate(id, 0.0, &state.q, &state.v).expect("a coordinate").1)
}

#[test]
fn speeds_that_contradict_each_other_are_named_with_what_they_would_be() {
    for scale in [1e-6, 1.0, 1e6] {
        for speed in [1e-9, 1.0, 1e9] {
            let (mut b, [first, second]) = wheels(2.0, scale, 0.0);
            b.start_speed(first, speed).start_speed(second, speed);
            let (values, alone) = refused(b);
            let found = told(&values);
            let good = |found: f64, expected: f64| (found - expected).abs() < 1e-9 * speed;
            assert!(!alone && found.len() == 2 && found[0].0 == "first" && found[1].0 == "second", "{found:?}");
            assert!(good(found[0].2, -2.0 * speed) && good(found[1].2, -0.5 * speed), "{scale} {speed}: {found:?}");
        }
    }
    // Rest contradicts a motion as well.
    let (mut b, [first, second]) = wheels(2.0, 1.0, 0.0);
    b.start_speed(first, 0.0).start_speed(second, 1.0);
    assert_eq!(refused(b).0.len(), 2);
}

#[test]
fn speeds_that_agree_are_held_whatever_bodies_were_given() {
    let (mut b, of) = wheels(3.0, 1.0, 40.0);
    b.start_speed(of[0], 1.5);
    let [first, second] = speeds(b, of);
    assert!((first - 1.5).abs() < 1e-13 && (second + 0.5).abs() < 1e-13, "{first} {second}");
    // Redundant ones may be rounded to six digits.
    let (mut b, of) = wheels(3.0, 1.0, 0.0);
    b.start_speed(of[0], 1.0).start_speed(of[1], -0.333_333);
    let [first, second] = speeds(b, of);
    assert!((first - 1.0).abs() < 2e-6 && (second + 1.0 / 3.0).abs() < 1e-6, "{first} {second}");
    let (mut b, of) = wheels(3.0, 1.0, 0.0);
    b.start_speed(of[0], 1.0).start_speed(of[1], -0.333);
    assert_eq!(refused(b).0.len(), 2);
    // A body that is given a high speed in vain is no excuse for a contradiction.
    let (mut b, of) = wheels(3.0, 1.0, 1e9);
    b.start_speed(of[0], 1.0).start_speed(of[1], -0.3);
    assert_eq!(refused(b).0.len(), 2);
}

#[test]
fn a_speed_that_a_driver_does_not_allow_is_told_with_the_one_it_makes() {
    let (mut b, [first, second]) = wheels(2.0, 1.0, 0.0);
    b.start_speed(first, 1.0).drive("motor", second, |t| t * 3.0);
    let (values, alone) = refused(b);
    let found = told(&values);
    assert!(alone && found.len() == 1 && found[0].0 == "first" && (found[0].2 + 6.0).abs() < 1e-12, "{found:?}");
    let (mut b, of) = wheels(2.0, 1.0, 0.0);
    b.start_speed(of[0], -6.0).drive("motor", of[1], |t| t * 3.0);
    assert_eq!(speeds(b, of).map(|x| (x * 1e9).round() / 1e9), [-6.0, 3.0]);
}

#[test]
fn large_mechanisms_hold_speeds_too() {
    let chain = || {
        let mut b = Mechanism::builder();
        b.planar();
        let mut last = GROUND.origin();
        let mut hinges = Vec::new();
        for i in 0..250 {
            let link = b.body(format!("link {i}"), Body::planar(1.0, 0.01).at([f64::from(i) + 0.5, 0.0, 0.0]));
            hinges.push(b.joint(format!("hinge {i}"), Revolute, last, link.at([-0.5, 0.0, 0.0])).angle());
            last = link.at([0.5, 0.0, 0.0]);
        }
        (b, hinges)
    };
    let (mut b, hinges) = chain();
    let of = [hinges[0], hinges[100]];
    b.start_speed(of[0], 0.2).start_speed(of[1], -3.0);
    let [first, later] = speeds(b, of);
    assert!((first - 0.2).abs() < 1e-8 && (later + 3.0).abs() < 1e-8, "{first} {later}");
    let (mut b, hinges) = chain();
    b.start_speed(hinges[7], 1.0).start_speed(hinges[100], 1.0).start_speed(hinges[7], 2.0);
    let (values, _) = refused(b);
    assert_eq!(told(&values).into_iter().map(|(joint, ..)| joint).collect::<Vec<_>>(), ["hinge 7", "hinge 7"]);
}
