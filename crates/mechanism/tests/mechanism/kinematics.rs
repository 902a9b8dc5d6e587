//! Stored motions of mechanisms that a driver determines: positions, velocities and accelerations from kinematics alone, and the torque of
//! the driver, by two ways that share nothing with this crate (`kinematics.json`).

use alembert::scalar::Jet;
use alembert::{GeneralizedAlpha, Plan, RungeKutta, State, Tolerance, VariableBdf, solve};
use alembert_mechanism::Mechanism;
use serde_json::Value;

use crate::drawings::{builder, load};

/// 3 t + 0.4 sin 2 t.
fn law(t: Jet) -> Jet {
    let (s, c) = (2.0 * t.x).sin_cos();
    let [x, d, dd] = [3.0 * t.x + 0.4 * s, 3.0 + 0.8 * c, -1.6 * s];
    Jet { x, d: d * t.d, dd: dd * t.d * t.d + d * t.dd }
}

/// The mechanism of an entry with its driver, closed.
fn driven(entry: &Value) -> Mechanism {
    let (mut b, joints) = builder(entry);
    let gravity: Vec<f64> = entry["gravity"].as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
    b.gravity([gravity[0], gravity[1], gravity[2]]);
    b.drive("driver", joints[0].angle(), law);
    let mut mechanism = b.build().unwrap_or_else(|e| panic!("{}: {e}", entry["name"]));
    mechanism.close().unwrap_or_else(|e| panic!("{}: {e}", entry["name"]));
    mechanism
}

/// Largest differences of places and turns, velocities, accelerations, and of the torque, each relative to the largest number of its kind in the motion.
fn differences(entry: &Value, mechanism: &Mechanism, at: impl Fn(f64) -> State) -> [f64; 4] {
    let (mut worst, mut sizes) = ([0.0_f64; 4], [0.0_f64; 4]);
    for stored in entry["states"].as_array().expect("states") {
        let state = at(stored["t"].as_f64().expect("a time"));
        let mut put = |kind: usize, ours: &[f64], theirs: &Value| {
            let theirs = theirs.as_array().expect("a list").iter().filter_map(Value::as_f64);
            for (ours, theirs) in ours.iter().zip(theirs) {
                worst[kind] = worst[kind].max((ours - theirs).abs());
                sizes[kind] = sizes[kind].max(theirs.abs());
            }
        };
        for ((id, _), body) in mechanism.bodies().zip(stored["bodies"].as_array().expect("bodies")) {
            let motion = mechanism.motion(id, &state);
            let turn: Vec<f64> =
                body["quaternion"].as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
            let sign = turn.iter().zip(&motion.quaternion).map(|(x, y)| x * y).sum::<f64>().signum();
            put(0, &motion.p, &body["p"]);
            put(0, &motion.quaternion.map(|x| sign * x), &body["quaternion"]);
            put(1, &motion.v, &body["v"]);
            put(1, &motion.omega, &body["omega"]);
            put(2, &motion.a, &body["a"]);
            put(2, &motion.alpha, &body["alpha"]);
        }
        let torque = stored["driver_torque_on_the_second_body"].as_f64().expect("a number");
        let ours = mechanism.effort(0, &state).expect("a driver of an angle");
        worst[3] = worst[3].max((ours - torque).abs());
        sizes[3] = sizes[3].max(torque.abs());
    }
    std::array::from_fn(|kind| worst[kind] / sizes[kind])
}

#[test]
fn driven_mechanisms_are_where_kinematics_put_them() {
    let entries = load("kinematics", "cases");
    assert_eq!(entries.len(), 2);
    for entry in &entries {
        let mechanism = driven(entry);
        let run = |plan: Plan| {
            let motion = solve(mechanism.system(), mechanism.guess(), 0.0..1.7, plan).unwrap_or_else(|e| panic!("{e}"));
            let motion = motion.whole().unwrap_or_else(|e| panic!("{e}"));
            differences(entry, &mechanism, |t| motion.at(t).expect("inside"))
        };
        let (tolerance, loose) =
            (Tolerance::new(1e-11, 1e-11).expect("in range"), Tolerance::new(1e-6, 1e-6).expect("in range"));
        let radau = run(Plan::new(tolerance).with_method(RungeKutta::radau(5).expect("stages")));
        println!("{}: radau {radau:?}", entry["name"]);
        assert!(radau.iter().all(|off| *off < 1e-10), "{}: {radau:?}", entry["name"]);
        // Between steps, too, where constraints determine everything.
        for (name, plan) in [
            ("soi2", Plan::new(loose).with_method(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"))),
            ("bdf", Plan::new(loose).with_method(VariableBdf::new())),
        ] {
            let found = run(plan);
            println!("{}: {name} {found:?}", entry["name"]);
            // Accelerations of BDF are its own, as accurate as the tolerance.
            let limits = [1e-12, 1e-12, 1e-6, 1e-6];
            assert!(
                found.iter().zip(limits).all(|(off, limit)| *off < limit),
                "{} by {name}: {found:?}",
                entry["name"]
            );
        }
    }
}
