//! Points on curves: where the parameter starts does not depend on the unit of lengths, nor on how a curve is written.

use std::sync::Arc;

use alembert::Scalar;
use alembert::scalar::Jet;
use alembert_mechanism::joint::{PointOnCurve, Revolute};
use alembert_mechanism::law::OfParameter;
use alembert_mechanism::{Body, GROUND, JointId, Mechanism};

/// A bead near to a circle of a radius, whose parameter is an angle times a rate; the mechanism closed.
fn bead(radius: f64, rate: f64, at: [f64; 2], start: Option<f64>) -> (Mechanism, JointId) {
    let mut b = Mechanism::builder();
    b.planar();
    let bead = b.body("bead", Body::particle(1.0).at([at[0] * radius, at[1] * radius, 0.0]));
    let curve = move |s: Jet| {
        let angle = s * (1.0 / rate);
        [angle.cos() * radius, angle.sin() * radius, Jet::default()]
    };
    let curve = Arc::new(OfParameter(curve));
    let wire = b.joint("wire", PointOnCurve { curve, start }, GROUND.origin(), bead.origin());
    let mut mechanism = b.build().unwrap_or_else(|error| panic!("{error}"));
    mechanism.close().unwrap_or_else(|error| panic!("{radius} {rate}: {error}"));
    (mechanism, wire)
}

#[test]
fn curves_of_every_size_and_parameter_close() {
    for radius in [1e-6, 1e-3, 1.0, 1e3, 1e6] {
        for rate in [1e-4, 1.0, 1e4] {
            for at in [[0.6, 0.7], [-0.9, 0.05], [-5.0, 1.0], [0.1, -0.2]] {
                let angle = f64::atan2(at[1], at[0]);
                for start in [None, Some((angle - 1.2) * rate)] {
                    let (mechanism, wire) = bead(radius, rate, at, start);
                    let guess = mechanism.guess();
                    let id = wire.coordinate("parameter");
                    let (found, _) = mechanism.coordinate(id, 0.0, &guess.q, &guess.v).expect("a parameter");
                    let turns = (found / rate - angle) / std::f64::consts::TAU;
                    assert!((turns - turns.round()).abs() < 1e-6, "{radius} {rate} {at:?} {start:?}: {found}");
                    // The bead went the shortest way.
                    let (p, r) = ([guess.q[0] / radius, guess.q[1] / radius], at[0].hypot(at[1]));
                    assert!((p[0] - at[0] / r).hypot(p[1] - at[1] / r) < 1e-6, "{radius} {rate}: {p:?}");
                }
            }
        }
    }
}

#[test]
fn a_small_follower_rides_on_a_large_cam() {
    // A roller of a millimetre on a lever, on a curve of kilometres through the point (1, 0).
    let mut b = Mechanism::builder();
    b.planar();
    let lever = b.body("lever", Body::planar(1.0, 1.0).at([0.999, 2e-4, 0.0]));
    let curve = Arc::new(OfParameter(|s: Jet| [s.cos() * 2000.0 - 1999.0, s.sin() * 2000.0, Jet::default()]));
    b.joint("pin", Revolute, GROUND.at([0.998, 0.0, 0.0]), lever.at([-1e-3, 0.0, 0.0]));
    b.joint("rim", PointOnCurve { curve, start: None }, GROUND.origin(), lever.at([1e-3, 0.0, 0.0]));
    let mut mechanism = b.build().unwrap_or_else(|error| panic!("{error}"));
    let closed = mechanism.close().unwrap_or_else(|error| panic!("{error}"));
    assert!(closed.moved < 2e-3, "{}", closed.moved);
}
