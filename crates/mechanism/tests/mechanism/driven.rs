//! Hinges in space whose axis is a body axis, so that whole components of the motion are exactly zero: what they carry, against closed forms. Where
//! constraints hold everything that a multiplier acts on, nothing of the motion tells that it is wrong.

use std::f64::consts::TAU;

use alembert::rotation::cross;
use alembert::scalar::Jet;
use alembert::{GeneralizedAlpha, Plan, RungeKutta, State, Tolerance, VariableBdf, solve};
use alembert_mechanism::joint::Revolute;
use alembert_mechanism::{Body, BodyId, GROUND, JointId, Mechanism};

use crate::machines::{X, Y, Z};

const GRAVITY: [f64; 3] = [0.5, 0.3, -9.81];

/// A body on a hinge, driven with an angular velocity or let go with it.
fn hinged(axis: [f64; 3], centre: [f64; 3], w: f64, driven: bool) -> (Mechanism, BodyId, JointId) {
    let mut b = Mechanism::builder();
    b.gravity(GRAVITY);
    let body = Body::new(2.0, [1.0, 2.0, 3.0]).centred(centre);
    let body = b.body("body", body.spinning(axis.map(|e| w * e)));
    let hinge = b.joint("hinge", Revolute, GROUND.origin().axis(axis), body.origin().axis(axis));
    if driven {
        b.drive("motor", hinge.angle(), move |t: Jet| t * w);
    }
    let mut mechanism = b.build().expect("right");
    mechanism.close().expect("closes");
    (mechanism, body, hinge)
}

/// How far the reaction of the hinge is off what Euler's equations ask for, across the axis, and the acceleration of the centre off its way on a
/// circle; both beside their sizes.
fn off(mechanism: &Mechanism, (body, hinge): (BodyId, JointId), axis: [f64; 3], state: &State) -> [f64; 2] {
    let motion = mechanism.motion(body, state);
    let spin: f64 = axis.iter().zip(&motion.omega).map(|(e, w)| e * w).sum();
    let turning: f64 = axis.iter().zip(&motion.alpha).map(|(e, w)| e * w).sum();
    let (w, alpha) = (axis.map(|e| spin * e), axis.map(|e| turning * e));
    let (inward, along) = (cross(&w, &cross(&w, &motion.p)), cross(&alpha, &motion.p));
    let a: [f64; 3] = std::array::from_fn(|i| inward[i] + along[i]);
    let pull: [f64; 3] = std::array::from_fn(|i| 2.0 * (a[i] - GRAVITY[i]));
    let couple = cross(&motion.p, &pull);
    let on = mechanism.reaction(hinge, state).on_second;
    let (force, torque) = (on.force, on.torque);
    let size = |v: &[f64; 3]| v.iter().fold(1e-3_f64, |most, x| most.max(x.abs()));
    let mut worst = [0.0_f64; 2];
    for i in 0..3 {
        worst[0] = worst[0].max((force[i] - pull[i]).abs() / size(&pull));
        if axis[i] == 0.0 {
            worst[0] = worst[0].max((torque[i] - couple[i]).abs() / size(&couple));
        }
        worst[1] = worst[1].max((motion.a[i] - a[i]).abs() / size(&a));
    }
    worst.map(|x| if x.is_nan() { f64::INFINITY } else { x })
}

#[test]
fn hinges_carry_what_they_must() {
    let mut seed = 5_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let mut wrong = Vec::new();
    for at in 0..36 {
        let (axis, driven) = ([X, Y, Z][at % 3], at % 2 == 0);
        let centre = [random(), random(), random()];
        let w = [2.0, 5.0, 20.0, 2.0 * TAU][(at / 3) % 4];
        let (mechanism, body, hinge) = hinged(axis, centre, w, driven);
        let relative = |rtol: f64| Tolerance::relative(rtol).expect("in range");
        let radau = || RungeKutta::radau(5).expect("stages");
        for (name, plan) in [
            ("radau", Plan::new(relative(1e-6)).with_method(radau())),
            ("radau", Plan::new(relative(1e-9)).with_method(radau())),
            (
                "soi2",
                Plan::new(relative(1e-5)).with_method(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")),
            ),
            ("bdf", Plan::new(relative(1e-6)).with_method(VariableBdf::new())),
        ] {
            let what = format!("{name}, {axis:?}, {centre:?}, {w}, driven {driven}");
            let motion = solve(mechanism.system(), mechanism.guess(), 0.0..4.0, plan);
            let motion = motion.map_err(|e| e.to_string()).and_then(|motion| motion.whole().map_err(|e| e.to_string()));
            let motion = match motion {
                Ok(motion) => motion,
                Err(error) => {
                    wrong.push(format!("{what}: {error}"));
                    continue;
                }
            };
            for k in 0..=160 {
                let state = motion.at(f64::from(k) / 40.0).expect("inside");
                let found = off(&mechanism, (body, hinge), axis, &state);
                if found.iter().any(|x| *x > 1e-3) {
                    wrong.push(format!("{what}: {found:?} at {}", state.t));
                    break;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of 144:\n{}", wrong.len(), wrong.join("\n"));
}
