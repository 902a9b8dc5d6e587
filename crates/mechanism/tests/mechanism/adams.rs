//! Trajectories and reactions of Adams: 11 cases of one body, 5 s, at 6 digits.
//!
//! They are in `data/testing/joints` of projectchrono/chrono (commit 7689fbc0), every 25th row. The files stay outside of the project: they are compared
//! where there is a folder of shared problems beside it, or where ALEMBERT_SHARED says. Some of their numbers are quoted below
//! and compared always. Models: mass 1 kg, g = 9.80665 m/s^2, pendulums of 4 m with their centre at 2 m, at rest at the start. The
//! stiffness and damping of the springs (200 N m/rad and 10 N m s/rad; 10 N/m and 0.5 N s/m) are those that two of their rows show.

use std::path::PathBuf;

use alembert::rotation::{Quaternion, to_body, to_space};
use alembert::{Plan, RungeKutta, State, Tolerance, solve};
use alembert_mechanism::joint::*;
use alembert_mechanism::law::Linear;
use alembert_mechanism::{Body, BodyId, GROUND, JointId, Marker, Mechanism};
use serde_json::Value;

use crate::machines::{X, Y, Z};

/// One body on the ground.
struct Case {
    mechanism: Mechanism,
    body: BodyId,
    joint: JointId,
    /// A driver beside the joint, by its place among the constraints.
    driver: Option<usize>,
    /// Whether a spring acts on it.
    translational: bool,
    rotational: bool,
}

const SIDE: f64 = std::f64::consts::FRAC_1_SQRT_2;

struct Start {
    at: [f64; 3],
    turn: Quaternion,
    inertia: [f64; 3],
}

impl Start {
    /// A marker of the body at a point of the world, with axes of the world.
    fn marker(&self, body: BodyId, point: [f64; 3], z: [f64; 3], x: [f64; 3]) -> Marker {
        let inside = |u: [f64; 3]| to_body(&self.turn, &u);
        body.at(inside([0, 1, 2].map(|i| point[i] - self.at[i]))).axes(inside(z), inside(x))
    }
}

fn case(name: &str) -> Case {
    let plain = [1.0, 0.0, 0.0, 0.0];
    let along_x = Start { at: [2.0, 0.0, 0.0], turn: plain, inertia: [0.04, 0.1, 0.1] };
    let start = match name {
        "Revolute_Case01" | "RotSpring_Case01" => Start { turn: [SIDE, -SIDE, 0.0, 0.0], ..along_x },
        "Universal_Case01" => Start { at: [0.0, 2.0, 0.0], turn: [SIDE, SIDE, 0.0, 0.0], inertia: [0.1, 0.1, 0.04] },
        "Distance_Case01" => Start { at: [0.0, 2.0, 0.0], ..along_x },
        "RevSpherical_Case01" => Start { at: [2.0, 2.0, 0.0], inertia: [0.1, 0.04, 0.1], ..along_x },
        "TranSpring_Case01" | "TranSpringCB_Case01" | "LinActuator_Case01" => Start { at: [0.0; 3], ..along_x },
        _ => along_x,
    };
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -9.80665]);
    let speed = if name == "LinActuator_Case01" { [0.0, 0.0, 1.0] } else { [0.0; 3] };
    let body = b.body("pendulum", Body::new(1.0, start.inertia).at(start.at).quaternion(start.turn).moving(speed));
    let (ground, own) = (GROUND.origin(), |z, x| start.marker(body, [0.0; 3], z, x));
    let joint = match name {
        "Revolute_Case01" | "RotSpring_Case01" => b.joint("joint", Revolute, ground.axes(Y, X), own(Y, X)),
        "Spherical_Case01" => b.joint("joint", Spherical, ground, own(Z, X)),
        "Universal_Case01" => b.joint("joint", Universal, ground.axes(X, Y), own(Z, X)),
        "Cylindrical_Case01" => b.joint("joint", Cylindrical, ground, own(Z, X)),
        "Distance_Case01" => b.joint("joint", Distance { length: 2.0 }, ground, body.origin()),
        "RevSpherical_Case01" => {
            b.joint("joint", Rod { length: 2.0 }, ground.axes(Z, X), start.marker(body, [2.0, 0.0, 0.0], Z, X))
        }
        _ => b.joint("joint", Prismatic, ground, own(Z, X)),
    };
    let mut driver = None;
    match name {
        "RotSpring_Case01" => {
            b.load("spring", joint.angle(), std::sync::Arc::new(Linear { stiffness: 200.0, damping: 10.0, rest: 0.0 }));
        }
        "TranSpring_Case01" | "TranSpringCB_Case01" => {
            let spring = Linear { stiffness: 10.0, damping: 0.5, rest: 1.0 };
            b.spring("spring", GROUND.at([0.0, 0.0, 1.0]), body.origin(), spring);
        }
        "LinActuator_Case01" => {
            b.drive("actuator", joint.displacement(), |t| t);
            driver = Some(1);
        }
        _ => {}
    }
    let mut mechanism = b.build().expect("right");
    mechanism.close().expect("drawn closed");
    let (translational, rotational) = (name.starts_with("TranSpring"), name.starts_with("RotSpring"));
    Case { mechanism, body, joint, driver, translational, rotational }
}

impl Case {
    fn states(&self, times: &[f64]) -> Vec<State> {
        let Case { mechanism, .. } = self;
        let plan = Plan::new(Tolerance::new(1e-10, 1e-10).expect("in range"))
            .with_method(RungeKutta::radau(5).expect("stages"));
        let motion =
            solve(mechanism.system(), mechanism.guess(), 0.0..5.0, plan).expect("starts").whole().expect("whole");
        times.iter().map(|t| motion.at(*t).expect("in range")).collect()
    }

    /// What a column of their files is, in the world.
    fn column(&self, name: &str, state: &State) -> Vec<f64> {
        let Case { mechanism, body, joint, driver, .. } = self;
        let motion = mechanism.motion(*body, state);
        let reaction = mechanism.reaction(*joint, state);
        let world = |x: [f64; 3]| to_space(&motion.quaternion, &x).to_vec();
        match name {
            "Pos" => motion.p.to_vec(),
            "Vel" => motion.v.to_vec(),
            "Acc" => motion.a.to_vec(),
            "Quat" => motion.quaternion.to_vec(),
            "Avel" => world(motion.omega),
            "Aacc" => world(motion.alpha),
            // What springs do to the ground is in their files as well: what is not the weight makes the body fall slower.
            "Rforce" if self.translational => motion.a.iter().zip([0.0, 0.0, 9.80665]).map(|(a, g)| -(a + g)).collect(),
            "Rtorque" if self.rotational => {
                let (angle, rate) = mechanism.coordinate(joint.angle(), state.t, &state.q, &state.v).expect("an angle");
                let [x, y, z] = reaction.on_first.torque;
                vec![x, y + 200.0 * angle + 10.0 * rate, z]
            }
            "Rforce" | "RforceP" | "Rforce_Body1" => reaction.on_first.force.to_vec(),
            "Rtorque" | "RtorqueP" | "Rtorque_Body1" => reaction.on_first.torque.to_vec(),
            "Rforce_Body2" => reaction.on_second.force.to_vec(),
            "Rtorque_Body2" => reaction.on_second.torque.to_vec(),
            "RforceA" => mechanism.constraint_wrench(driver.expect("a driver"), *body, motion.p, state).force.to_vec(),
            "RtorqueA" => {
                mechanism.constraint_wrench(driver.expect("a driver"), *body, motion.p, state).torque.to_vec()
            }
            other => panic!("a column {other}"),
        }
    }
}

/// Where the files may be.
fn shared() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let given = std::env::var_os("ALEMBERT_SHARED").map(PathBuf::from);
    let file = |root: PathBuf| root.join("problems/mechanisms/adams/joints.json");
    given.into_iter().chain([beside]).map(file).find(|path| path.exists())
}

/// Relative to the largest number of a column. A pendulum on a ball or a cross moves as that on a hinge; in their files the former two
/// are off by 8e-4 m in the end, the latter is not.
fn limit(name: &str, column: &str) -> f64 {
    let drift = matches!(name, "Spherical_Case01" | "Universal_Case01");
    let limit = match column {
        "Pos" | "Quat" => 5e-6,
        "Vel" | "Avel" => 1e-5,
        _ => 1e-4,
    };
    if drift { 6e-4 } else { limit }
}

#[test]
fn quoted_numbers_agree() {
    // Cases, times, columns, numbers, digits of the last place.
    let quoted: [(&str, f64, &str, [f64; 3], f64); 12] = [
        ("Revolute_Case01", 0.25, "Pos", [1.97773, 0.0, -0.297651], 5e-6),
        ("Revolute_Case01", 5.0, "Pos", [-1.99968, 0.0, -0.0355587], 5e-6),
        ("Revolute_Case01", 5.0, "Rforce", [-0.510225, 0.0, -0.248259], 5e-4),
        // The numbers of the hinge.
        ("Spherical_Case01", 5.0, "Pos", [-1.99968, 0.0, -0.0355587], 5e-6),
        ("RevSpherical_Case01", 5.0, "Pos", [-1.32782, 1.24003, -1.28683], 6e-6),
        ("RevSpherical_Case01", 5.0, "Rforce_Body1", [-0.000104601, -0.162916, -1.02194], 5e-5),
        ("RevSpherical_Case01", 5.0, "Rtorque_Body1", [-2.04388, 0.00131228, 0.0], 5e-5),
        ("Distance_Case01", 0.25, "Rforce", [0.0, 4.434492, -0.6843168], 1e-4),
        ("RotSpring_Case01", 0.25, "Pos", [1.990786, 0.0, -0.1917536], 2e-6),
        ("RotSpring_Case01", 0.25, "Rtorque", [0.0, 24.26533, 0.0], 5e-4),
        ("TranSpring_Case01", 5.0, "Pos", [0.0, 0.0, -1.26242], 5e-6),
        ("LinActuator_Case01", 2.5, "RforceA", [0.0, 0.0, 9.80665], 1e-9),
    ];
    for (name, t, column, theirs, digits) in quoted {
        let ours = case(name);
        let mine = ours.column(column, &ours.states(&[t])[0]);
        for (x, y) in mine.iter().zip(theirs) {
            assert!((x - y).abs() < digits, "{name} {column} at {t}: {mine:?} for {theirs:?}");
        }
    }
}

#[test]
fn all_cases_agree_where_the_files_are() {
    let Some(path) = shared() else {
        println!("skipped: no shared problems beside the project; ALEMBERT_SHARED says where they are");
        return;
    };
    let text = std::fs::read_to_string(&path).expect("readable");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let cases = all["cases"].as_object().expect("cases");
    assert_eq!(cases.len(), 11);
    for (name, stored) in cases {
        let ours = case(name);
        let times: Vec<f64> = stored["t"].as_array().expect("times").iter().filter_map(Value::as_f64).collect();
        let states = ours.states(&times);
        for (column, rows) in stored["columns"].as_object().expect("columns") {
            let mut worst = (0.0_f64, 0.0);
            let mut size = 0.0_f64;
            for ((state, row), t) in states.iter().zip(rows.as_array().expect("rows")).zip(&times) {
                let theirs: Vec<f64> = row.as_array().expect("a row").iter().filter_map(Value::as_f64).collect();
                let mine = ours.column(column, state);
                let sign = if column == "Quat" {
                    mine.iter().zip(&theirs).map(|(x, y)| x * y).sum::<f64>().signum()
                } else {
                    1.0
                };
                for (x, y) in mine.iter().zip(&theirs) {
                    size = size.max(y.abs());
                    if (sign * x - y).abs() > worst.0 {
                        worst = ((sign * x - y).abs(), *t);
                    }
                }
            }
            println!("{name} {column}: {:.1e} of {size:.2} at t = {}", worst.0, worst.1);
            assert!(worst.0 < limit(name, column) * size.max(1e-9), "{name} {column}: {:e} of {size}", worst.0);
        }
    }
}
