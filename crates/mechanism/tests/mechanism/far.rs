//! Starts and drivers that are far from the drawing: many turns, many lengths, chains without poses.

use std::f64::consts::TAU;
use std::sync::Arc;

use alembert_mechanism::joint::{Prismatic, Revolute, Spherical};
use alembert_mechanism::law::TimeLaw;
use alembert_mechanism::{Body, BodyId, Builder, CoordinateId, GROUND, Mechanism};

/// A value that stays.
#[derive(Debug)]
struct Constant(f64);

impl TimeLaw for Constant {
    fn at(&self, _: f64) -> [f64; 3] {
        [self.0, 0.0, 0.0]
    }
}

/// A four-bar with a crank of 0.1 m.
fn four_bar(planar: bool) -> (Builder, CoordinateId) {
    let mut b = Mechanism::builder();
    if planar {
        b.planar();
    }
    let rod = |length: f64| if planar { Body::planar(length, 0.01) } else { Body::new(length, [0.01; 3]) };
    let turned = |body: Body, angle: f64| if planar { body.angled(angle) } else { body.turned([0.0, 0.0, 1.0], angle) };
    let crank = b.body("crank", rod(0.1).at([0.05, 0.0, 0.0]));
    let coupler = b.body("coupler", rod(0.3).at([0.2, 0.1, 0.0]));
    let rocker = b.body("rocker", turned(rod(0.25), 1.5).at([0.3, 0.1, 0.0]));
    let hinge = b.joint("A", Revolute, GROUND.origin(), crank.at([-0.05, 0.0, 0.0]));
    b.joint("B", Revolute, crank.at([0.05, 0.0, 0.0]), coupler.at([-0.15, 0.0, 0.0]));
    b.joint("C", Revolute, coupler.at([0.15, 0.0, 0.0]), rocker.at([0.125, 0.0, 0.0]));
    b.joint("D", Revolute, GROUND.at([0.3, 0.0, 0.0]), rocker.at([-0.125, 0.0, 0.0]));
    (b, hinge.angle())
}

/// The same place as within a turn, with the turns counted where angles count them.
#[test]
fn many_turns_close_as_few_do() {
    for planar in [true, false] {
        for driven in [false, true] {
            for turns in [0.0, 47.0, -3000.0] {
                let closed = |value: f64| {
                    let (mut b, angle) = four_bar(planar);
                    if driven {
                        b.drive_by("motor", angle, Arc::new(Constant(value)));
                    } else {
                        b.start(angle, value);
                    }
                    let mut mechanism = b.build().unwrap_or_else(|e| panic!("{e}"));
                    mechanism.close().unwrap_or_else(|e| panic!("planar {planar}, driven {driven}, {value}: {e}"));
                    let guess = mechanism.guess();
                    let found = mechanism.coordinate(angle, 0.0, &guess.q, &guess.v).expect("an angle").0;
                    (mechanism, found)
                };
                let ((few, one), (many, all)) = (closed(0.8), closed(0.8 + TAU * turns));
                let counted = if planar { TAU * turns } else { 0.0 };
                assert!((all - one - counted).abs() < 1e-9, "planar {planar}, driven {driven}: {all} and {one}");
                let place = |mechanism: &Mechanism, body: &str| -> Vec<f64> {
                    let (id, _) = mechanism.bodies().find(|(_, name)| *name == body).expect("a body");
                    let at = mechanism.standing(id).q;
                    mechanism.guess().q[at..at + 2].to_vec()
                };
                for body in ["crank", "coupler", "rocker"] {
                    let (x, y) = (place(&few, body), place(&many, body));
                    assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-9), "{body}: {x:?} and {y:?}");
                }
            }
        }
    }
}

/// A slider and what hangs on it, a long way off.
#[test]
fn many_lengths_close() {
    for planar in [true, false] {
        for far in [1e3, -1e6] {
            let mut b = Mechanism::builder();
            if planar {
                b.planar();
            }
            let body = || if planar { Body::planar(1.0, 0.01) } else { Body::new(1.0, [0.01; 3]) };
            let slider = b.body("slider", body());
            let rod = b.body("rod", body().at([0.5, 0.0, 0.0]));
            let x = [1.0, 0.0, 0.0];

            let guide = b.joint("guide", Prismatic, GROUND.origin().axis(x), slider.origin().axis(x));
            b.joint("pin", Revolute, slider.origin(), rod.at([-0.5, 0.0, 0.0]));
            b.start(guide.displacement(), far);
            let mut mechanism = b.build().unwrap_or_else(|e| panic!("{e}"));
            mechanism.close().unwrap_or_else(|e| panic!("planar {planar}, {far}: {e}"));
            let guess = mechanism.guess();
            let found = mechanism.coordinate(guide.displacement(), 0.0, &guess.q, &guess.v).expect("there").0;
            assert!((found - far).abs() < 1e-9 * far.abs(), "planar {planar}: {found} for {far}");
        }
    }
}

/// Chains between two supports, drawn nowhere: all links begin along one line.
#[test]
fn long_chains_without_poses_close() {
    for planar in [true, false] {
        for (links, span) in [(20, 12.0), (120, 60.0), (120, 110.0), (300, 200.0)] {
            let mut b = Mechanism::builder();
            if planar {
                b.planar();
            }
            let mut before = GROUND.origin();
            let mut last: Option<BodyId> = None;
            for i in 0..links {
                let body = if planar { Body::planar(1.0, 0.1) } else { Body::new(1.0, [0.01, 0.1, 0.1]) };
                let link = b.body(format!("link {i}"), body.unposed());
                let end = link.at([-0.5, 0.0, 0.0]);
                if planar {
                    b.joint(format!("pin {i}"), Revolute, before, end);
                } else {
                    b.joint(format!("pin {i}"), Spherical, before, end);
                }
                (before, last) = (link.at([0.5, 0.0, 0.0]), Some(link));
            }
            assert!(last.is_some());
            let support = GROUND.at([span, 0.0, 0.0]);
            if planar {
                b.joint("end", Revolute, before, support);
            } else {
                b.joint("end", Spherical, before, support);
            }
            let mut mechanism = b.build().unwrap_or_else(|e| panic!("{e}"));
            match mechanism.close() {
                Ok(closed) => println!(
                    "planar {planar}, {links} links over {span}: {} steps, {}",
                    closed.steps, closed.beginnings
                ),
                Err(e) => panic!("planar {planar}, {links} links over {span}: {e}"),
            }
        }
    }
}

/// Three bars between supports, of some hundred metres, kilometres or millimetres: each loop closes with the angle that is held, because it is made
/// from it, and whatever its size.
#[test]
fn size_does_not_matter_for_what_a_start_holds() {
    let mut seed = 11_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut refused = Vec::new();
    for at in 0..60 {
        let lengths = [0, 1, 2].map(|_| 0.3 + 0.7 * random());
        let angles = [0, 1, 2].map(|_| 2.0 * std::f64::consts::PI * (random() - 0.5));
        for size in [1e-3, 1.0, 1e3, 1e5] {
            let mut b = Mechanism::builder();
            b.planar();
            let (mut end, mut before, mut held) = ([0.0, 0.0], None, None);
            for (k, (length, angle)) in lengths.iter().zip(angles).enumerate() {
                let length = size * length;
                end = [end[0] + length * angle.cos(), end[1] + length * angle.sin()];
                let bar = b.body(format!("bar {k}"), Body::planar(1.0, 0.1 * size * size).unposed());
                let from = before.map_or(GROUND.origin(), |(body, length): (BodyId, f64)| body.at([length, 0.0, 0.0]));
                let joint = b.joint(format!("joint {k}"), Revolute, from, bar.origin());
                held = held.or(Some(joint.angle()));
                before = Some((bar, length));
            }
            let (last, length) = before.expect("three bars");
            b.joint("end", Revolute, last.at([length, 0.0, 0.0]), GROUND.at([end[0], end[1], 0.0]));
            b.start(held.expect("a joint"), angles[0]);
            let mut mechanism = b.build().expect("right");
            if let Err(error) = mechanism.close() {
                refused.push(format!("{at}, {size}: {error}"));
            }
        }
    }
    assert!(refused.is_empty(), "{} of 240: {}", refused.len(), refused.join("\n"));
}
