//! Closed configurations from rough and missing poses.

use alembert::Advised;
use alembert_mechanism::joint::{Revolute, Spherical};
use alembert_mechanism::{Body, GROUND, Mechanism};

use crate::drawings::{builder, load};
use crate::machinery::{Drawing, ring, spatial};
use crate::random::Random;

#[test]
fn stored_drawings_close_near_to_what_was_drawn() {
    let mut report = Vec::new();
    for (at, entry) in load("assembly", "cases").iter().enumerate() {
        let note = entry["note"].as_str().expect("a note");
        let expect = &entry["expect"];
        if expect["assembled"] != true || entry["start"].is_object() {
            continue;
        }
        let mut mechanism = builder(entry).0.build().unwrap_or_else(|e| panic!("{note}: {e}"));
        let drawn = mechanism.guess().q.clone();
        let closed = match mechanism.close() {
            Ok(closed) => closed,
            Err(e) => {
                report.push(format!("{at} {note}: {}", e.message()));
                continue;
            }
        };
        let number = |key: &str| expect[key].as_f64().expect("a number");
        let known = number("distance_found").max(number("distance_known_solution"));
        let found = distance(entry, &drawn, &mechanism.guess().q);
        println!("{at} {note}: {closed:?}, {found:.4} of {known:.4}");
        if found > 1.1 * known + 1e-9 {
            report.push(format!("{at} {note}: {found:.4} from the drawing, {known:.4} is possible, {closed:?}"));
        }
    }
    assert!(report.is_empty(), "{}", report.join("\n"));
}

/// From the drawing, over the bodies whose poses were given.
fn distance(entry: &serde_json::Value, drawn: &[f64], found: &[f64]) -> f64 {
    let mut square = 0.0;
    for (at, body) in entry["bodies"].as_array().expect("bodies").iter().enumerate() {
        if !body["p"].is_array() {
            continue;
        }
        let l = entry["expect"]["l"][at].as_f64().expect("a length");
        let (x, y) = (&drawn[7 * at..7 * at + 7], &found[7 * at..7 * at + 7]);
        square += (0..3).map(|i| (x[i] - y[i]).powi(2)).sum::<f64>();
        let quaternion = |x: &[f64]| [x[3], x[4], x[5], x[6]];
        let turn = alembert::rotation::product(&alembert::rotation::inverse(&quaternion(x)), &quaternion(y));
        square += l * l * alembert::rotation::log(&turn).iter().map(|x| x * x).sum::<f64>();
    }
    square.sqrt()
}

#[test]
fn start_values_are_held() {
    for entry in load("assembly", "cases").iter().filter(|entry| entry["start"].is_object()) {
        let note = entry["note"].as_str().expect("a note");
        println!("{note}: {} {}", entry["start"], entry["expect"]);
        let (mut b, joints) = builder(entry);
        let list = entry["joints"].as_array().expect("joints");
        for (name, value) in entry["start"].as_object().expect("values") {
            let at = list.iter().position(|joint| joint["name"] == name.as_str()).expect("a joint");
            let value = value.as_f64().expect("a number");
            b.start(joints[at].angle(), value).start_speed(joints[at].angle(), 1.5);
            let mut mechanism =
                std::mem::replace(&mut b, alembert_mechanism::Mechanism::builder()).build().expect("right");
            mechanism.close().unwrap_or_else(|e| panic!("{note}: {e}"));
            let start =
                alembert::consistent(mechanism.system(), mechanism.guess()).unwrap_or_else(|e| panic!("{note}: {e}"));
            let (angle, speed) = mechanism.coordinate(joints[at].angle(), 0.0, &start.q, &start.v).expect("an angle");
            assert!((angle - value).abs() < 1e-9 && (speed - 1.5).abs() < 1e-9, "{note}: {angle}, {speed}");
        }
    }
}

/// How many random mechanisms: ALEMBERT_LOOPS says, or a few.
fn count() -> usize {
    std::env::var("ALEMBERT_LOOPS").ok().and_then(|count| count.parse().ok()).unwrap_or(160)
}

#[test]
fn random_loops_close_from_rough_and_missing_poses() {
    let mut random = Random(31);
    let mut wrong = Vec::new();
    let (mut beginnings, mut refused, mut loops_seen, mut steps, mut worst) = (0, 0, 0, 0, (0.0_f64, 0.0_f64));
    for case in 0..count() {
        let torn = case % 10 == 9;
        let drawing = Drawing { off: [0.2, 0.5, 1.0][case % 3], missing: [0.0, 0.0, 0.6, 1.0][case % 4], torn };
        let mut machinery = if case % 5 == 4 && !torn {
            let bars = 3 + random.below(6);
            ring(&mut random, bars, drawing)
        } else {
            let (bodies, loops) = (2 + random.below(9), 1 + random.below(3));
            spatial(&mut random, bodies, loops, drawing)
        };
        let what = format!("case {case}, {} joints, {drawing:?}", machinery.joints.len());
        loops_seen += usize::from(machinery.joints.len() > machinery.mechanism.bodies().count());
        match machinery.mechanism.close() {
            Ok(_) if torn => wrong.push(format!("{what}: closed, and cannot be")),
            Ok(closed) => {
                beginnings += usize::from(closed.beginnings > 1);
                steps += closed.steps;
                let (gap, turn) = machinery.misfit();
                worst = (worst.0.max(gap), worst.1.max(turn));
                if gap > 1e-8 || turn > 1e-8 || !closed.absorbed.is_empty() {
                    wrong.push(format!("{what}: points {gap:e} apart, axes off by {turn:e}, {:?}", closed.absorbed));
                }
                // What is closed is a start as it is.
                if let Err(e) = alembert::consistent(machinery.mechanism.system(), machinery.mechanism.guess()) {
                    wrong.push(format!("{what}: {e}"));
                }
            }
            Err(e) if torn => {
                refused += 1;
                if !e.message().contains("`torn`") {
                    wrong.push(format!("{what}: {e}"));
                }
            }
            Err(e) => wrong.push(format!("{what}: {}", e.message())),
        }
    }
    println!(
        "{} mechanisms, {loops_seen} with loops, {refused} refused, {beginnings} needed more than one beginning, {steps} steps, worst {worst:?}",
        count()
    );
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// A chain of so many links along x; `place` gives each its place and turn, or none.
fn long_chain(links: usize, place: impl Fn(usize) -> Option<([f64; 3], [f64; 3])>) -> Mechanism {
    let mut b = Mechanism::builder();
    let mut before = GROUND.origin();
    for i in 0..links {
        let body = Body::new(1.0, [0.01, 0.1, 0.1]);
        let body = match place(i) {
            Some((at, turn)) => {
                let angle = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
                body.at(at).turned(turn, angle)
            }
            None => body.unposed(),
        };
        let link = b.body(format!("link {i}"), body);
        b.joint(format!("ball {i}"), Spherical, before, link.at([-0.5, 0.0, 0.0]));
        before = link.at([0.5, 0.0, 0.0]);
    }
    b.build().expect("right")
}

/// The largest distance of the ends of neighbours.
fn gap(mechanism: &Mechanism) -> f64 {
    let q = &mechanism.guess().q;
    let mut end = [0.0; 3];
    let mut gap = 0.0_f64;
    for (body, _) in mechanism.bodies() {
        let base = mechanism.point(body, [-0.5, 0.0, 0.0], q);
        gap = (0..3).fold(gap, |gap, i| gap.max((base[i] - end[i]).abs()));
        end = mechanism.point(body, [0.5, 0.0, 0.0], q);
    }
    gap
}

#[test]
fn long_chains_close_near_to_their_drawings() {
    // More bodies than dense matrices serve, each off by up to a tenth of its length and turned by up to a tenth.
    let off = |i: usize, k: usize| 0.1 * ((3 * i + k) as f64 * 1.7).sin();
    let place = |i: usize| {
        let at = [i as f64 + 0.5 + off(i, 0), off(i, 1), off(i, 2)];
        Some((at, [off(i, 5) + 1e-3, off(i, 7), off(i, 9)]))
    };
    let mut mechanism = long_chain(1500, place);
    assert!(gap(&mechanism) > 0.05);
    let closed = mechanism.close().unwrap_or_else(|e| panic!("{e}"));
    assert!(gap(&mechanism) < 1e-12 && closed.beginnings == 1, "{:e} {closed:?}", gap(&mechanism));
    // No farther than by some gaps.
    assert!(closed.moved < 0.5, "{closed:?}");
}

#[test]
fn long_chains_without_poses_are_laid_out_straight() {
    let mut mechanism = long_chain(2000, |_| None);
    mechanism.close().unwrap_or_else(|e| panic!("{e}"));
    for (i, q) in mechanism.guess().q.chunks_exact(7).enumerate() {
        let exact = [i as f64 + 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        assert!(q.iter().zip(&exact).all(|(x, y)| (x - y).abs() < 1e-9), "{i}: {q:?}");
    }
}

#[test]
fn a_long_chain_turns_as_fast_as_its_first_hinge_is_told() {
    let mut b = Mechanism::builder();
    b.planar();
    let mut before = GROUND.origin();
    let mut first = None;
    for i in 0..300 {
        let link = b.body(format!("link {i}"), Body::planar(1.0, 0.1).at([i as f64 + 0.5, 0.0, 0.0]));
        let joint = b.joint(format!("pin {i}"), Revolute, before, link.at([-0.5, 0.0, 0.0]));
        first.get_or_insert(joint);
        before = link.at([0.5, 0.0, 0.0]);
    }
    let first = first.expect("a joint").angle();
    b.start_speed(first, 2.0);
    let mut mechanism = b.build().expect("right");
    mechanism.close().unwrap_or_else(|e| panic!("{e}"));
    let (q, v) = (&mechanism.guess().q, &mechanism.guess().v);
    let (_, rate) = mechanism.coordinate(first, 0.0, q, v).expect("an angle");
    assert!((rate - 2.0).abs() < 1e-9, "{rate}");
    // Straight along x: y' at the end of a link is that at the start of the next.
    let mut end = 0.0;
    for v in v.chunks_exact(3) {
        assert!(v[0].abs() < 1e-9 && (v[1] - 0.5 * v[2] - end).abs() < 1e-9, "{v:?}");
        end = v[1] + 0.5 * v[2];
    }
    // The nearest velocities to rest in W = (1, 1, 1/4): the second link swings back.
    assert!(v[5] < 0.0, "{}", v[5]);
}
