//! Mechanisms that do not close, each for its own reason, and misfits that are absorbed.

use alembert::{Advised, At, ConstrainedSystem, Quantity, Redundancy, Tolerance, solve};
use alembert_mechanism::joint::{Distance, Fixed, Prismatic, Revolute, Spherical};
use alembert_mechanism::{Body, Builder, Cause, GROUND, JointId, Mechanism};
use serde_json::Value;

use crate::drawings::{builder, load};

fn strings(value: &Value) -> Vec<String> {
    value.as_array().expect("a list").iter().map(|name| name.as_str().expect("a name").to_owned()).collect()
}

#[test]
fn stored_failures_are_named_rightly() {
    let mut seen = Vec::new();
    for entry in load("assembly", "cases").iter().filter(|entry| entry["expect"]["assembled"] == false) {
        let (note, expect) = (entry["note"].as_str().expect("a note"), &entry["expect"]);
        let mut b = builder(entry).0;
        b.redundancy(Redundancy::Refused);
        let error = b.build().expect("right").close().expect_err(note);
        println!("{note}\n{error}");
        assert!(!error.gaps.is_empty() && error.hint().is_some() && error.blame().is_some(), "{note}: {error}");
        let (kind, joints) = match &error.cause {
            Cause::Unreachable { joints, gap, .. } => {
                let expected = expect["gap_with_all_other_joints_closed"].as_f64().expect("a number");
                assert!((gap - expected).abs() < 1e-5 * expected, "{gap} for {expected}");
                ("unreachable", joints)
            }
            Cause::Contradiction { joints, .. } => ("contradiction", joints),
            Cause::Misfit { joints, gap, .. } => {
                let expected = expect["largest_gap"].as_f64().expect("a number");
                assert!(*gap > 0.3 * expected && *gap < 3.0 * expected, "{gap} for {expected}");
                ("misfit", joints)
            }
            Cause::Start(_) | Cause::Speeds { .. } | Cause::Length { .. } => panic!("{note}: nothing like that"),
        };
        assert_eq!(kind, expect["kind"], "{note}: {error}");
        assert_eq!(joints, &strings(&expect["joints"]), "{note}: {error}");
        seen.push(kind);
    }
    seen.sort_unstable();
    assert_eq!(seen, ["contradiction", "misfit", "unreachable"]);
}

fn rod(length: f64) -> Body {
    Body::new(length, [1e-3, length.powi(3) / 12.0, length.powi(3) / 12.0])
}

/// A crank of 0.1 m, a coupler, a rocker of 0.25 m on a ground of 0.3 m, in the plane of x and y; hinges are off by so much.
fn four_bar(coupler: f64, off: f64) -> (Builder, [JointId; 4]) {
    let mut b = Mechanism::builder();
    b.gravity([0.0, -9.81, 0.0]);
    let crank = b.body("crank", rod(0.1).at([0.05, 0.0, 0.0]));
    let middle = b.body("coupler", rod(coupler).at([0.2, 0.1, 0.0]));
    let rocker = b.body("rocker", rod(0.25).at([0.3, 0.1, 0.0]).quaternion([0.7, 0.0, 0.0, 0.7]));
    let z = |k: f64| [off * k.sin(), off * k.cos(), 1.0];
    let left = |length: f64, k: f64| [-0.5 * length, 0.0, off * k.cos()];
    let right = |length: f64, k: f64| [0.5 * length, off * k.sin(), -off * k.cos()];
    let joints = [
        b.joint("A", Revolute, GROUND.origin().axis(z(1.0)), crank.at(left(0.1, 1.0)).axis(z(2.0))),
        b.joint("B", Revolute, crank.at(right(0.1, 2.0)).axis(z(3.0)), middle.at(left(coupler, 3.0)).axis(z(4.0))),
        b.joint("C", Revolute, middle.at(right(coupler, 4.0)).axis(z(5.0)), rocker.at(right(0.25, 5.0)).axis(z(6.0))),
        b.joint("D", Revolute, GROUND.at([0.3, 0.0, 0.0]).axis(z(7.0)), rocker.at(left(0.25, 7.0)).axis(z(8.0))),
    ];
    (b, joints)
}

#[test]
fn start_values_that_contradict_are_named_with_what_they_would_be() {
    let (mut b, [a, .., d]) = four_bar(0.3, 0.0);
    b.start(a.angle(), 0.5);
    let mut alone = b.build().expect("right");
    alone.close().expect("one value can be held");
    let angle = alone.coordinate(d.angle(), 0.0, &alone.guess().q, &[]).expect("an angle").0;

    let (mut b, [a, .., d]) = four_bar(0.3, 0.0);
    b.start(a.angle(), 0.5).start(d.angle(), angle + 0.3);
    let error = b.build().expect("right").close().expect_err("two values");
    println!("{error}");
    let Cause::Start(values) = &error.cause else { panic!("{error}") };
    let of_d = values.iter().find(|value| value.joint == "D").expect("it could be left out");
    assert!((of_d.would_be - angle).abs() < 1e-9 && of_d.given == angle + 0.3, "{of_d:?}, {angle}");
    assert!(values.iter().any(|value| value.joint == "A"), "the other could as well");

    // Both fit: nothing to say.
    let (mut b, [a, .., d]) = four_bar(0.3, 0.0);
    b.start(a.angle(), 0.5).start(d.angle(), angle);
    b.build().expect("right").close().expect("they agree");

    // A single value that no configuration has: the rocker of 0.25 m cannot come to lie on the ground.
    let (mut b, [.., d]) = four_bar(0.3, 0.0);
    b.start(d.angle(), std::f64::consts::PI);
    let error = b.build().expect("right").close().expect_err("out of reach");
    let Cause::Start(values) = &error.cause else { panic!("{error}") };
    assert_eq!((values.len(), values[0].joint.as_str()), (1, "D"), "{error}");
}

#[test]
fn loops_that_are_too_short_tell_the_gap_of_one_joint() {
    // The others reach 0.65 m when they are stretched.
    for (coupler, expected) in [(0.7, 0.05), (0.8, 0.15)] {
        let error = four_bar(coupler, 0.0).0.build().expect("right").close().expect_err("too long");
        let Cause::Unreachable { joints, gap, .. } = &error.cause else { panic!("{coupler}: {error}") };
        assert_eq!(joints, &["A", "B", "C", "D"]);
        assert!((gap - expected).abs() < 1e-5, "{coupler}: {gap} for {expected}");
    }
    // A slider on a rod of 0.4 m, its crank of 0.1 m; the guide is 0.7 m away.
    let mut b = Mechanism::builder();
    let crank = b.body("crank", rod(0.1).at([0.05, 0.0, 0.0]));
    let slider = b.body("slider", rod(0.1).at([0.4, 0.7, 0.0]));
    b.joint("O", Revolute, GROUND.origin(), crank.at([-0.05, 0.0, 0.0]));
    b.joint(
        "guide",
        Prismatic,
        GROUND.at([0.0, 0.7, 0.0]).axis([1.0, 0.0, 0.0]),
        slider.origin().axis([1.0, 0.0, 0.0]),
    );
    b.joint("rod", Distance { length: 0.4 }, crank.at([0.05, 0.0, 0.0]), slider.origin());
    let error = b.build().expect("right").close().expect_err("too short");
    println!("{error}");
    let Cause::Unreachable { joints, cut, .. } = &error.cause else { panic!("{error}") };
    assert_eq!((joints.len(), cut.as_str()), (3, "rod"), "{error}");
}

#[test]
fn rods_of_different_lengths_contradict_each_other() {
    let mut b = Mechanism::builder();
    let body = b.body("body", Body::new(1.0, [0.1; 3]).at([1.0, 0.2, 0.0]));
    b.joint("ball", Spherical, GROUND.at([0.0, 1.0, 0.0]), body.at([-0.5, 0.8, 0.0]));
    b.joint("short", Distance { length: 0.8 }, GROUND.origin(), body.origin());
    b.joint("long", Distance { length: 1.1 }, GROUND.origin(), body.origin());
    let error = b.build().expect("right").close().expect_err("two lengths");
    let Cause::Contradiction { joints, blamed } = &error.cause else { panic!("{error}") };
    assert_eq!((joints.as_slice(), blamed[0].joint.as_str()), (&["short".to_owned(), "long".to_owned()][..], "long"));
    assert!(error.message().contains("`short`, `long` contradict each other"), "{error}");
}

#[test]
fn misfits_of_rounded_dimensions_are_absorbed_where_accepted() {
    for off in [1e-8, 1e-7, 1e-6, 1e-5] {
        let (b, joints) = four_bar(0.3, off);
        let mut mechanism = b.build().expect("right");
        let closed = mechanism.close().unwrap_or_else(|e| panic!("{off:e}: {e}"));
        println!("{off:e}: {closed:?}");
        let told: Vec<String> = closed.absorbed.iter().map(ToString::to_string).collect();
        assert!(closed.absorbed.iter().all(|absorbed| absorbed.gap < 10.0 * off), "{told:?}");
        assert!(told.iter().any(|line| line.contains("`D` as point on line")), "{off:e}: {told:?}");
        let diagnosis = mechanism.diagnose();
        assert_eq!((diagnosis.mobility, diagnosis.redundancies.len()), (1, 0), "{off:e}\n{diagnosis}");

        // It moves as the exact one does.
        let end = |mechanism: &Mechanism, joints: &[JointId; 4]| {
            let plan = Tolerance::relative(1e-9).expect("in range");
            let motion =
                solve(mechanism.system(), mechanism.guess(), 0.0..0.5, plan).expect("runs").whole().expect("whole");
            let last = motion.last();
            let mut energy = [0.0; 5];
            let _ = mechanism.system().ask(Quantity::Energy, &At::new(last.t, &last.q, &last.v), &mut energy);
            let angle = mechanism.coordinate(joints[3].angle(), last.t, &last.q, &last.v).expect("an angle").0;
            (angle, energy[0] + energy[1])
        };
        let (b, exact_joints) = four_bar(0.3, 0.0);
        let mut exact = b.build().expect("right");
        exact.close().expect("closes");
        let ((angle, energy), (known, known_energy)) = (end(&mechanism, &joints), end(&exact, &exact_joints));
        println!("{off:e}: {angle} for {known}, {energy} for {known_energy}");
        assert!((angle - known).abs() < 1e3 * off + 1e-6, "{off:e}: {angle} for {known}");
    }
    for (off, accepted) in [(1e-6, false), (1e-3, true)] {
        let (mut b, _) = four_bar(0.3, off);
        if !accepted {
            b.redundancy(Redundancy::Refused);
        }
        let error = b.build().expect("right").close().expect_err("a misfit");
        println!("{error}");
        let Cause::Misfit { joints, gap, .. } = &error.cause else { panic!("{error}") };
        assert_eq!(joints.len(), 4, "{error}");
        assert!(*gap < 10.0 * off, "{error}");
        assert!(error.to_string().contains("`D` as point on line"), "{error}");
    }
}

/// Bars in a row in the plane, hinged to each other and to two points that are so far apart.
fn taut(bars: &[f64], span: f64) -> Builder {
    let mut b = Mechanism::builder();
    b.planar();
    let (mut before, mut x) = (GROUND.origin(), 0.0);
    for (i, length) in bars.iter().enumerate() {
        let bar = b.body(format!("bar {i}"), Body::planar(1.0, 0.1).at([x + 0.5 * length, 0.01, 0.0]));
        b.joint(format!("pin {i}"), Revolute, before, bar.at([-0.5 * length, 0.0, 0.0]));
        (before, x) = (bar.at([0.5 * length, 0.0, 0.0]), x + length);
    }
    b.joint("last", Revolute, before, GROUND.at([span, 0.0, 0.0]));
    b
}

#[test]
fn bars_that_do_not_reach_are_no_misfit() {
    // Stretched, their rows depend on each other; left out, they would let the last pin go.
    for (bars, off) in [
        (&[1.0, 1.0][..], 1e-4),
        (&[1.0, 3.0, 2.0], 4e-4),
        (&[1.0, 3.0, 2.0], 1e-7),
        (&[1.0; 10], 5e-4),
        (&[1.0, 3.0, 2.0], 3e-2),
    ] {
        let span = bars.iter().sum::<f64>() + off;
        let error = taut(bars, span).build().expect("right").close().expect_err("too far");
        let Cause::Unreachable { gap, .. } = &error.cause else { panic!("{bars:?}, {off:e}: {error}") };
        assert!((gap / off - 1.0).abs() < 1e-3, "{bars:?}: {gap:e} for {off:e}");
    }
}

#[test]
fn misfits_are_absorbed_where_the_loop_nearly_closes() {
    // Bennett's linkage of rounded dimensions, without poses: in all links the sine of the twist is in proportion to the length.
    let (short, long) = (0.7_f64, 1.1_f64);
    for digits in [4, 5, 6] {
        let round = |x: f64| (x * 10_f64.powi(digits)).round() / 10_f64.powi(digits);
        let axis = |twist: f64, sign: f64| [0.0, -sign * round(twist.sin()), round(twist.cos())];
        let length = round(long.sin() / short.sin());
        let z = [0.0, 0.0, 1.0];
        let mut b = Mechanism::builder();
        let [two, three, four] = ["two", "three", "four"].map(|name| b.body(name, Body::new(1.0, [0.1; 3]).unposed()));
        let first = b.joint("J2", Revolute, GROUND.origin().axis(z), two.origin().axis(z));
        b.joint("J3", Revolute, two.at([length, 0.0, 0.0]).axis(axis(long, 1.0)), three.origin().axis(z));
        b.joint("J4", Revolute, three.at([1.0, 0.0, 0.0]).axis(axis(short, 1.0)), four.origin().axis(z));
        let end = GROUND.at([-1.0, 0.0, 0.0]).axis(axis(short, -1.0));
        b.joint("J1", Revolute, four.at([length, 0.0, 0.0]).axis(axis(long, 1.0)), end);
        b.start(first.angle(), 1.0);
        let mut mechanism = b.build().expect("right");
        let closed = mechanism.close().unwrap_or_else(|error| panic!("{digits} digits: {error}"));
        println!("{digits} digits: {:?}", closed.absorbed);
        let most = 10.0 * 0.1_f64.powi(digits);
        assert!(
            !closed.absorbed.is_empty() && closed.absorbed.iter().all(|absorbed| absorbed.gap < most),
            "{closed:?}"
        );
        assert_eq!(mechanism.diagnose().mobility, 1);
    }
}

/// A loop of three joints along a line, the last of which is off: in the plane and in space, of welds, pins and both.
#[test]
fn welds_give_way_as_pins_do() {
    for planar in [true, false] {
        for welded in [[true; 3], [true, true, false], [true, false, true]] {
            for off in [[1e-5, 0.0, 0.0], [0.0, 1e-5, 0.0]] {
                let mut b = Mechanism::builder();
                b.merge_welds(false);
                if planar {
                    b.planar();
                }
                let body = || if planar { Body::planar(1.0, 0.1) } else { Body::new(1.0, [0.1, 0.2, 0.25]) };
                let [one, two] = [1.0, 2.0].map(|x| b.body(format!("body {x}"), body().at([x, 0.0, 0.0])));
                let ends = [
                    (GROUND.at([0.5, 0.0, 0.0]), one.at([-0.5, 0.0, 0.0])),
                    (one.at([0.5, 0.0, 0.0]), two.at([-0.5, 0.0, 0.0])),
                    (two.at([0.5 + off[0], off[1], off[2]]), GROUND.at([2.5, 0.0, 0.0])),
                ];
                for ((i, j), (weld, name)) in ends.into_iter().zip(welded.into_iter().zip(["A", "B", "C"])) {
                    if weld {
                        b.joint(name, Fixed, i, j);
                    } else {
                        b.joint(name, Revolute, i, j);
                    }
                }
                let mut mechanism = b.build().unwrap_or_else(|e| panic!("{e}"));
                let what = format!("planar {planar}, {welded:?}, {off:?}");
                let closed = mechanism.close().unwrap_or_else(|e| panic!("{what}: {e}"));
                assert!(closed.absorbed.iter().all(|absorbed| absorbed.gap < 3e-5), "{what}: {:?}", closed.absorbed);
                assert!(closed.absorbed.iter().any(|absorbed| absorbed.gap > 1e-6), "{what}: {:?}", closed.absorbed);
                assert_eq!(mechanism.diagnose().mobility, 0, "{what}");
            }
        }
    }
}
