//! What is told about mechanisms: counts, names, natures and cures.

use alembert_mechanism::joint::{Distance, PointOnLine, Revolute, Spherical};
use alembert_mechanism::{Body, Diagnosis, GROUND, Mechanism, Nature};
use serde_json::Value;

use crate::drawings::{builder, load};

fn diagnosed(entry: &Value) -> (Mechanism, Diagnosis) {
    let mut mechanism = builder(entry).0.build().expect("right");
    mechanism.close().expect("drawn closed");
    let diagnosis = mechanism.diagnose();
    (mechanism, diagnosis)
}

/// What is blamed: the joint and what it should be, or what it should not hold.
fn blamed(diagnosis: &Diagnosis) -> Vec<String> {
    let all = diagnosis.redundancies.iter().flat_map(|redundant| &redundant.blamed);
    all.map(|blamed| match blamed.instead {
        Some(kind) => format!("{} as {kind}", blamed.joint),
        None => format!("{} without {}", blamed.joint, blamed.directions.join(" and ")),
    })
    .collect()
}

/// Names, what is blamed, and how many freedoms are left beside the configuration. Of the scissor lift `X1` would do as well as `F`, by a
/// smaller margin.
const KNOWN: [(&str, &[&str], usize); 20] = [
    ("pendulum", &[], 1),
    ("door on two hinges", &["lower as point on line", "upper as spherical"], 1),
    ("planar four-bar in space", &["D as point on line"], 1),
    ("parallelogram, flat (singular here)", &["D as point on line", "C without along x"], 1),
    ("parallelogram with a third crank", &["F as point on line", "D as point on line", "E without along y"], 1),
    ("planar slider-crank in space", &["B as point on line"], 1),
    ("Bricard (cube)", &["J6 as cylindrical"], 1),
    ("Bennett 4R", &["J4 as point on line"], 1),
    ("Goldberg 5R", &["J5 as spherical"], 1),
    ("spherical four-bar", &["J4 as point on line"], 1),
    ("Sarrus 6R", &["top y without turn about y"], 1),
    ("3-RRR planar in space", &["P2 as point on line", "P1 as point on line"], 3),
    ("Cardan shaft between bearings", &["bearing out as point on line"], 1),
    ("two wedges (three prismatics)", &["guide as point on line", "slope as cylindrical"], 1),
    ("Watt six-bar in space", &["H as point on line", "D as point on line"], 1),
    ("Peaucellier in space", &["P as point on line", "D1 as point on line", "B1 as point on line"], 1),
    ("scissor lift, two stages, platform", &["S as point on line", "X2 as point on line", "F as point on line"], 1),
    ("rigid triangle", &["C as point on line"], 0),
    ("nested cylinders, same axis", &["C as point on line", "B as point on line"], 4),
    ("Stewart 6-UPS", &[], 6),
];

#[test]
fn joints_are_blamed_as_an_engineer_would() {
    let entries = load("mobility", "mechanisms");
    for (name, expected, mobility) in KNOWN {
        let entry = entries.iter().find(|entry| entry["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        let (_, diagnosis) = diagnosed(entry);
        assert_eq!(blamed(&diagnosis), expected, "{name}\n{diagnosis}");
        assert_eq!(diagnosis.mobility, mobility, "{name}\n{diagnosis}");
    }
}

#[test]
fn natures_and_mobilities_are_those_of_theory() {
    for entry in load("mobility", "mechanisms") {
        let (mechanism, diagnosis) = diagnosed(&entry);
        let number = |value: &Value| value.as_u64().expect("a number") as usize;
        println!("--- {}\n{diagnosis}", entry["name"]);
        assert_eq!(diagnosis.mobility, number(&entry["mobility"]), "{diagnosis}");
        assert_eq!(diagnosis.freedoms, number(&entry["here"]["mobility"]), "{diagnosis}");
        let redundant: usize = diagnosis.redundancies.iter().map(|redundant| redundant.count).sum();
        assert_eq!(redundant, number(&entry["here"]["redundant"]), "{diagnosis}");
        assert_eq!(diagnosis.count() + redundant as i64, diagnosis.freedoms as i64, "{diagnosis}");
        let nature = entry["nature"].as_str().expect("words");
        let expected = match nature {
            "only here" => Nature::OnlyHere,
            words if words.starts_with("shaky") => Nature::Shaky,
            _ => Nature::Everywhere,
        };
        for redundant in &diagnosis.redundancies {
            assert_eq!(redundant.nature, expected, "{}\n{diagnosis}", entry["name"]);
            assert!(redundant.cured, "{}\n{diagnosis}", entry["name"]);
        }
        let marked = mechanism.joints().filter(|(id, ..)| !diagnosis.unique_reaction(*id)).count();
        let named = mechanism.joints().filter(|(_, name, _)| diagnosis.not_unique.iter().any(|n| n == name)).count();
        assert_eq!(marked, named);
        assert_eq!(marked > 0, redundant > 0, "{diagnosis}");
    }
}

/// What files call a type.
fn type_of(kind: &str) -> Option<&'static str> {
    match kind {
        "point on line" => Some("pointline"),
        "spherical" => Some("spherical"),
        "cylindrical" => Some("cylindrical"),
        _ => None,
    }
}

/// A cure is a mechanism that can be built: it moves as before, and nothing is redundant.
#[test]
fn cures_cure() {
    let mut cured = 0;
    for mut entry in load("mobility", "mechanisms") {
        let (_, diagnosis) = diagnosed(&entry);
        let blamed: Vec<_> = diagnosis.redundancies.iter().flat_map(|redundant| &redundant.blamed).collect();
        let everywhere = diagnosis.redundancies.iter().all(|redundant| redundant.nature == Nature::Everywhere);
        if blamed.is_empty() || !everywhere || !blamed.iter().all(|b| b.instead.and_then(type_of).is_some()) {
            continue;
        }
        for joint in entry["joints"].as_array_mut().expect("joints") {
            if let Some(found) = blamed.iter().find(|blamed| joint["name"] == blamed.joint.as_str()) {
                joint["type"] = found.instead.and_then(type_of).expect("a type").into();
            }
        }
        let (mechanism, after) = diagnosed(&entry);
        assert!(after.redundancies.is_empty(), "{}: {after}", entry["name"]);
        assert_eq!(after.freedoms, diagnosis.freedoms, "{}: {after}", entry["name"]);
        assert!(mechanism.joints().all(|(id, ..)| after.unique_reaction(id)));
        cured += 1;
    }
    assert!(cured >= 15, "{cured}");
}

#[test]
fn a_page_reads_as_an_engineer_would_write_it() {
    let entries = load("mobility", "mechanisms");
    let page = |name: &str| {
        let entry = entries.iter().find(|entry| entry["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        diagnosed(entry).1.to_string()
    };
    let expected = "3 bodies, 4 joints\n\
        by count (Gruebler): 18 coordinates - 20 constraints = -2\n\
        1 degree of freedom\n\
        \x20   named by angle of `A`\n\
        3 redundant constraints everywhere\n\
        \x20   a planar loop in space: `A`, `B`, `C`, `D`\n\
        \x20   `D` (along z, turns about x and y) follows from `A`, `B`, `C`\n\
        \x20   cure: `D` as point on line, or all of it in the plane\n\
        reactions that are not unique: `A`, `B`, `C`, `D`";
    assert_eq!(page("planar four-bar in space"), expected);
    let toggle = page("straight toggle (shaky)");
    assert!(toggle.contains("0 degrees of freedom, and 1 here to first order: nothing moves"), "{toggle}");
    assert!(toggle.contains("a structure that shakes") && !toggle.contains("cure"), "{toggle}");
    let flat = page("parallelogram, flat (singular here)");
    assert!(flat.contains("1 degree of freedom, and 2 here") && flat.contains("only here"), "{flat}");
    assert!(page("RSSR").contains("idle: `coupler` spins freely about the line of its joints"));
    assert!(!page("door on two hinges").contains("idle"), "a door is there to be turned");
}

/// A four-bar in the plane whose cranks are along the ground but for a small angle is nearly singular; with a motor on it, that names it.
#[test]
fn nearly_singular_is_said_with_the_joints() {
    for (bend, nearly) in [(1e-5, true), (1e-2, false)] {
        let mut b = Mechanism::builder();
        b.planar();
        let (s, c) = f64::sin_cos(bend);
        let rod = || Body::new(1.0, [0.1; 3]);
        let left = b.body("left", rod().at([0.5 * c, 0.5 * s, 0.0]).angled(bend));
        let coupler = b.body("coupler", rod().at([c + 1.0, s, 0.0]));
        let right = b.body("right", rod().at([2.0 + 0.5 * c, 0.5 * s, 0.0]).angled(bend));
        let (low, high) = ([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]);
        b.joint("A", Revolute, GROUND.origin(), left.at(low));
        b.joint("B", Revolute, left.at(high), coupler.at([-1.0, 0.0, 0.0]));
        b.joint("C", Revolute, coupler.at([1.0, 0.0, 0.0]), right.at(high));
        let d = b.joint("D", Revolute, GROUND.at([2.0, 0.0, 0.0]), right.at(low));
        b.motor("motor", d.angle(), |_, w| -w);
        let mut mechanism = b.build().expect("right");
        mechanism.close().expect("closed");
        let diagnosis = mechanism.diagnose();
        println!("{diagnosis}");
        assert_eq!(diagnosis.nearly_singular.is_some(), nearly, "{diagnosis}");
        assert_eq!(diagnosis.named.as_deref(), Some(&["angle of `D`".to_owned()][..]));
        if let Some((weakest, joints)) = &diagnosis.nearly_singular {
            assert!(*weakest > 0.1 * bend && *weakest < 10.0 * bend, "{weakest}");
            assert_eq!(joints, &["A", "B", "C", "D"]);
        }
    }
}

/// All lengths of a drawing times a factor.
fn scaled(entry: &Value, factor: f64) -> Value {
    fn times(value: &mut Value, factor: f64) {
        match value {
            Value::Array(list) => list.iter_mut().for_each(|value| times(value, factor)),
            Value::Number(number) => *value = (factor * number.as_f64().expect("a number")).into(),
            _ => {}
        }
    }
    let mut entry = entry.clone();
    for body in entry["bodies"].as_array_mut().expect("bodies") {
        times(&mut body["p"], factor);
        times(&mut body["inertia"], factor * factor);
    }
    for joint in entry["joints"].as_array_mut().expect("joints") {
        for key in ["o", "length", "pitch"] {
            if !joint[key].is_null() {
                times(&mut joint[key], factor);
            }
        }
    }
    entry
}

#[test]
fn watches_and_cranes_are_told_the_same() {
    for entry in load("mobility", "mechanisms") {
        let page = diagnosed(&entry).1.to_string();
        for factor in [1e-4, 1e4] {
            let other = diagnosed(&scaled(&entry, factor)).1.to_string();
            assert_eq!(other, page, "{} times {factor}", entry["name"]);
        }
    }
}

/// A chain that floats is named by its first body, a loop at a driver loses its freedom, and what the start holds names.
#[test]
fn names_follow_drivers_starts_and_floating_bodies() {
    let chain = |grounded: bool| {
        let mut b = Mechanism::builder();
        let rod = |x: f64| Body::new(1.0, [0.1; 3]).at([x, 0.0, 0.0]);
        let (one, two) = (b.body("one", rod(0.5)), b.body("two", rod(1.5)));
        if grounded {
            b.joint("O", Revolute, GROUND.origin(), one.at([-0.5, 0.0, 0.0]));
        }
        let knee = b.joint("knee", Revolute, one.at([0.5, 0.0, 0.0]), two.at([-0.5, 0.0, 0.0]));
        (b, knee)
    };
    let told = |b: alembert_mechanism::Builder| {
        let mut mechanism = b.build().expect("right");
        mechanism.close().expect("closes");
        mechanism.diagnose()
    };
    let floating = told(chain(false).0);
    let named = floating.named.clone().expect("small");
    assert_eq!(named.len(), 7, "{floating}");
    assert!(named.contains(&"angle of `knee`".to_owned()), "{floating}");
    assert_eq!(named.iter().filter(|name| name.starts_with("`one`")).count(), 6, "{floating}");

    let (mut b, knee) = chain(true);
    b.drive("motor", knee.angle(), |t| t);
    let driven = told(b);
    assert_eq!((driven.mobility, driven.drivers, driven.count()), (1, 1, 1), "{driven}");
    assert_eq!(driven.named.as_deref(), Some(&["angle of `O`".to_owned()][..]), "{driven}");

    // Both hinges of a four-bar could name its freedom: the one that the start holds does.
    let entries = load("mobility", "mechanisms");
    let entry = entries.iter().find(|entry| entry["name"] == "planar four-bar in space").expect("there");
    let (mut b, joints) = builder(entry);
    b.start(joints[3].angle(), 0.0);
    assert_eq!(told(b).named.as_deref(), Some(&["angle of `D`".to_owned()][..]));
}

/// Three bearings of a gyroscope whose turns are counted: the small rotor, with its bearing at its centre, is named as well as the rings, and
/// so is a wheel geared to it.
#[test]
fn numbers_that_count_turns_name_nothing() {
    let gyroscope = |counted: bool, geared: bool| {
        let mut b = Mechanism::builder();
        let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        let outer = b.body("outer", Body::new(0.4, [2e-3, 3e-3, 2.5e-3]));
        let inner = b.body("inner", Body::new(0.3, [1e-3, 1.2e-3, 1.6e-3]).at([0.0, 0.0, 0.02]));
        let rotor = b.body("rotor", Body::new(1.2, [1.5e-3, 1.5e-3, 2.8e-3]).at([0.0, 0.0, 0.05]));
        let bearings = [
            b.joint("outer bearing", Revolute, GROUND.origin(), outer.origin()),
            b.joint("inner bearing", Revolute, outer.origin().axis(x), inner.at([0.0, 0.0, -0.02]).axis(x)),
            b.joint("rotor bearing", Revolute, inner.at([0.0, 0.0, 0.03]), rotor.origin()),
        ];
        for bearing in bearings {
            b.start(bearing.angle(), 0.0);
            if counted {
                b.count(bearing.angle());
            }
        }
        if geared {
            let wheel = b.body("wheel", Body::new(0.1, [1e-4; 3]).at([0.0, 0.2, 0.05]));
            let own = b.joint("own", Revolute, GROUND.at([0.0, 0.2, 0.05]).axis(y), wheel.origin().axis(y));
            b.couple("gear", &[(1.0, bearings[2].angle()), (2.0, own.angle())]);
        }
        let mut mechanism = b.build().expect("right");
        mechanism.close().expect("closed");
        mechanism.diagnose()
    };
    let names = ["outer", "inner", "rotor"].map(|name| format!("angle of `{name} bearing`"));
    for (counted, geared) in [(false, false), (true, false), (false, true), (true, true)] {
        let diagnosis = gyroscope(counted, geared);
        assert_eq!(diagnosis.named.as_deref(), Some(&names[..]), "{diagnosis}");
        assert!(!diagnosis.poorly_named, "counted {counted}, geared {geared}: {diagnosis}");
        assert_eq!(diagnosis.mobility, 3, "{diagnosis}");
    }
}

/// A page has room for some names, and says how many there are beside them.
#[test]
fn pages_of_large_mechanisms_stay_short() {
    let page = |rods: usize| {
        let mut b = Mechanism::builder();
        let (low, high) = ([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]);
        for at in 0..rods {
            let y = at as f64;
            let arm = b.body(format!("arm {at}"), Body::new(1.0, [0.1; 3]).at([0.5, y, 0.0]));
            let rod = b.body(format!("rod {at}"), Body::new(1.0, [0.1; 3]).at([1.5, y, 0.0]));
            b.joint(format!("hinge {at}"), Revolute, GROUND.at([0.0, y, 0.0]), arm.at(low));
            b.joint(format!("ball {at}"), Spherical, arm.at(high), rod.at(low));
            b.joint(format!("end {at}"), Spherical, rod.at(high), GROUND.at([1.8, y, 0.3]));
        }
        let mut mechanism = b.build().expect("right");
        mechanism.close().expect("closes");
        (mechanism.diagnose().to_string(), mechanism.diagnose().idle.len())
    };
    let (short, idle) = page(1);
    assert_eq!(idle, 1, "{short}");
    assert!(short.contains("idle: `rod 0` spins freely about the line of its joints"), "{short}");
    let (long, idle) = page(12);
    assert_eq!(idle, 12, "{long}");
    let told = "idle: `rod 0`, `rod 1`, `rod 2`, `rod 3`, `rod 4`, `rod 5`, `rod 6`, `rod 7` and 4 more spin freely";
    assert!(long.contains(told) && long.matches("idle").count() == 1, "{long}");
    assert!(!page(9).0.contains("more"), "nine names have room");

    let mut b = Mechanism::builder();
    for at in 0..21 {
        let wheel = b.body(format!("wheel {at}"), Body::new(1.0, [0.1; 3]).at([at as f64, 0.0, 0.0]));
        b.joint(format!("axle {at}"), Revolute, GROUND.at([at as f64, 0.0, 0.0]), wheel.origin());
    }
    let mechanism = b.build().expect("right");
    let diagnosis = mechanism.diagnose();
    assert_eq!(diagnosis.named.as_ref().map(Vec::len), Some(21));
    assert!(diagnosis.to_string().contains("angle of `axle 7` and 13 more"), "{diagnosis}");
}

/// A slider-crank of point masses and rods, with a force on the slider, which therefore names its freedom: the crank turns 1/sin(angle) times
/// faster than the slider moves, nearly.
#[test]
fn a_poor_choice_is_told_near_a_dead_centre() {
    for (angle, poor) in [(0.02, true), (0.3, false)] {
        let (s, c) = f64::sin_cos(angle);
        let mut b = Mechanism::builder();
        b.planar();
        let pin = b.body("pin", Body::particle(1.0).at([c, s, 0.0]));
        let end = c + (4.0 - s * s).sqrt();
        let slider = b.body("slider", Body::particle(1.0).at([end, 0.0, 0.0]));
        b.joint("crank", Distance { length: 1.0 }, GROUND.origin(), pin.origin());
        b.joint("rod", Distance { length: 2.0 }, pin.origin(), slider.origin());
        let guide = b.joint("guide", PointOnLine, GROUND.origin().axis([1.0, 0.0, 0.0]), slider.origin());
        b.actuator("spring", guide.displacement(), |_, x, _| x * -1.0);
        let mut mechanism = b.build().expect("right");
        mechanism.close().expect("closed");
        let diagnosis = mechanism.diagnose();
        assert_eq!(diagnosis.named.as_deref(), Some(&["displacement of `guide`".to_owned()][..]), "{diagnosis}");
        assert_eq!(diagnosis.poorly_named, poor, "{angle}: {diagnosis}");
    }
}
