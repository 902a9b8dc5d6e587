//! Closed configurations from rough and missing poses.

use alembert::Advised;

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
