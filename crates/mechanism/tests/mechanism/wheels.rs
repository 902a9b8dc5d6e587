//! Wheels on two hinges each, which are redundant, with a gear or a belt between them: angles with counted turns beside constraints that follow from others.

use alembert::{ConstrainedSystem, State};
use alembert::{GeneralizedAlpha, Plan, Redundancy, RungeKutta, Tolerance, VariableBdf, solve};
use alembert_mechanism::joint::Revolute;
use alembert_mechanism::{Body, GROUND, JointId, Mechanism};

/// Two wheels whose centres of mass are beside their hinges: they swing. In space about z, on as many hinges as are asked for; with the angles of both.
fn wheels(planar: bool, hinges: usize, ratios: [f64; 2]) -> (Mechanism, [JointId; 2]) {
    let mut b = Mechanism::builder();
    if planar {
        b.planar();
    }
    b.gravity([0.0, -9.81, 0.0]);
    let joints = [0, 1].map(|i| {
        let (x, inertia) = (i as f64, 0.3 * (1.0 + i as f64));
        let body = if planar { Body::planar(2.0, inertia) } else { Body::new(2.0, [0.3, 0.4, inertia]) };
        let wheel = b.body(format!("wheel {i}"), body.at([x + 0.1, 0.0, 0.0]));
        let at = |k: usize| (GROUND.at([x, 0.0, k as f64]), wheel.at([-0.1, 0.0, k as f64]));
        let all: Vec<JointId> =
            (0..hinges).map(|k| b.joint(format!("hinge {i} {k}"), Revolute, at(k).0, at(k).1)).collect();
        all[0]
    });
    b.couple("mesh", &[(ratios[0], joints[0].angle()), (ratios[1], joints[1].angle())]);
    let mut mechanism = b.build().unwrap_or_else(|e| panic!("{e}"));
    mechanism.close().unwrap_or_else(|e| panic!("{e}"));
    (mechanism, joints)
}

fn angles((mechanism, joints): &(Mechanism, [JointId; 2]), state: &State) -> [f64; 2] {
    joints.map(|joint| mechanism.coordinate(joint.angle(), state.t, &state.q, &state.v).expect("an angle").0)
}

/// The wheels in the plane are the reference; those in space do the same with every method.
#[test]
fn redundant_hinges_and_couplings_of_angles_go_together() {
    for ratios in [[2.0, 3.0], [0.02, -0.03], [40.0, 10.0]] {
        let plan = || Plan::new(Tolerance::relative(1e-11).expect("in range")).with_method(RungeKutta::default());
        let flat = wheels(true, 1, ratios);
        let motion = solve(flat.0.system(), flat.0.guess(), 0.0..2.0, plan()).unwrap_or_else(|e| panic!("{e}"));
        let known = angles(&flat, motion.whole().unwrap_or_else(|e| panic!("{e}")).last());
        let space = wheels(false, 2, ratios);
        assert_eq!(space.0.system().description().redundancy, Redundancy::LeastSquares);
        let plan = || Plan::new(Tolerance::relative(1e-7).expect("in range"));
        for (name, plan) in [
            ("radau", plan().with_method(RungeKutta::default())),
            ("bdf", plan().with_method(VariableBdf::new())),
            ("soi2", plan().with_method(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"))),
        ] {
            let motion =
                solve(space.0.system(), space.0.guess(), 0.0..2.0, plan).unwrap_or_else(|e| panic!("{name}: {e}"));
            let motion = motion.whole().unwrap_or_else(|e| panic!("{name}, {ratios:?}: {e}"));
            let found = angles(&space, motion.last());
            println!("{name}, {ratios:?}: {found:?} for {known:?} in {} steps", motion.steps().len());
            assert!((0..2).all(|i| (found[i] - known[i]).abs() < 1e-5), "{name}, {ratios:?}: {found:?} for {known:?}");
        }
    }
}

/// What is held by kept welds has accelerations of rounding, which have any sign; no friction sticks there.
#[test]
fn what_rests_on_kept_welds_rests_with_every_method() {
    for planar in [true, false] {
        for gravity in [0.0, 9.81] {
            for case in 0..12 {
                let mut b = Mechanism::builder();
                if planar {
                    b.planar();
                }
                b.gravity([0.0, -gravity, 0.0]);
                let number = |k: usize| (1.7 * (case * 7 + k) as f64).sin();
                let place = |k: usize| [number(k), number(k + 1), if planar { 0.0 } else { number(k + 2) }];
                let mut before = GROUND.origin();
                for i in 0..3 {
                    let body = if planar { Body::planar(1.0, 0.1) } else { Body::new(1.0, [0.1, 0.2, 0.25]) };
                    let body = if planar {
                        body.angled(number(i))
                    } else {
                        body.turned([number(i + 3), number(i + 4), 1.0], number(i))
                    };
                    let body = b.body(format!("body {i}"), body.at(place(i)));
                    let weld =
                        b.joint(format!("weld {i}"), alembert_mechanism::joint::Fixed, before, body.at(place(i + 5)));
                    b.keep(weld);
                    before = body.at(place(i + 9));
                }
                let mut mechanism = b.build().unwrap_or_else(|e| panic!("{e}"));
                mechanism.close().unwrap_or_else(|e| panic!("{e}"));
                let plan = || Plan::new(Tolerance::relative(1e-6).expect("in range"));
                for (name, plan) in [
                    ("radau", plan().with_method(RungeKutta::default())),
                    ("bdf", plan().with_method(VariableBdf::new())),
                    ("soi2", plan().with_method(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"))),
                ] {
                    // Steps that nothing bounds would be too few for rounding to be taken for something.
                    let control = alembert::controller::ErrorControl::new().with_longest(0.005).expect("in range");
                    let what = format!("case {case}, planar {planar}, gravity {gravity}, {name}");
                    let motion = solve(mechanism.system(), mechanism.guess(), 0.0..1.0, plan.with_control(control));
                    let motion = motion.unwrap_or_else(|e| panic!("{what}: {e}"));
                    motion.whole().unwrap_or_else(|e| panic!("{what}: {e}"));
                }
            }
        }
    }
}
