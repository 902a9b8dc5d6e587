//! Every joint, driver and force against differences, at random states: G, Gamma, biases, curvatures, f_q, f_v, and their patterns.

use std::sync::Arc;

use crate::random::Random;
use alembert::scalar::Jet;
use alembert::{ConstrainedSystem, Point, Scalar, State, check_derivatives};
use alembert_mechanism::Builder;
use alembert_mechanism::Mechanism;
use alembert_mechanism::joint::*;
use alembert_mechanism::law::{Linear, OfParameter, OfTime, TimeLaw};
use alembert_mechanism::{Axes, Bushing};
use alembert_mechanism::{GROUND, Marker};

/// States at which each is looked at.
const STATES: usize = 6;

/// Adds joints and forces between two markers.
type Make = Box<dyn Fn(&mut Builder, Marker, Marker)>;

/// Checks a mechanism where it starts, with random multipliers.
pub fn check(name: &str, builder: Builder, random: &mut Random) {
    let mechanism = builder.build().unwrap_or_else(|e| panic!("{name}: {e}"));
    let dims = mechanism.system().dims();
    let guess = mechanism.guess();
    let mut some = |n: usize| (0..n).map(|_| random.signed()).collect::<Vec<f64>>();
    let (lambda, psi) = (some(dims.lambda), some(dims.psi));
    // Numbers of joints and couplings move, too.
    let v: Vec<f64> = guess.v.iter().map(|v| if *v == 0.0 { 0.7 } else { *v }).collect();
    let t = 0.37;
    let at = Point { t, q: &guess.q, v: &v, lambda: &lambda, psi: &psi };
    let report = check_derivatives(mechanism.system(), at).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    assert!(report.is_ok() && report.kinks.is_empty(), "{name}: {report}");
    assert!(report.checked.len() >= 4, "{name}: only {:?}", report.checked);
    let a = vec![0.0; dims.v];
    crate::formal::check(name, &mechanism, &State { t, q: guess.q.clone(), v, a, lambda, psi });
}

/// Two bodies in space and one joint.
fn joined(random: &mut Random, kind: impl Joint + 'static, on_ground: bool) -> Builder {
    let mut builder = Mechanism::builder();
    // A weld is to be a joint here.
    builder.merge_welds(false).gravity([0.3, -1.0, 9.0]);
    let (a, b) = (builder.body("a", random.body()), builder.body("b", random.body()));
    let first = if on_ground { GROUND } else { a };
    let (i, j) = (random.marker(first), random.marker(b));
    builder.joint("joint", kind, i, j);
    builder
}

macro_rules! every {
    ($($kind:expr, $on_ground:expr;)+) => {{
        let mut random = Random(7);
        for _ in 0..STATES {
            $({
                let kind = $kind;
                let name = kind.name();
                check(name, joined(&mut random, kind, $on_ground), &mut random);
            })+
        }
    }};
}

fn spiral(x: Jet) -> [Jet; 3] {
    [x.cos() * 0.7, x.sin() * x, x * x * 0.3]
}

#[test]
fn joints_in_space() {
    every! {
        Spherical, false;
        Spherical, true;
        Revolute, false;
        Fixed, false;
        Prismatic, false;
        Cylindrical, false;
        Universal, false;
        Planar, false;
        ConstantVelocity, false;
        PointOnLine, false;
        PointOnPlane, false;
        Distance { length: 1.3 }, false;
        Rod { length: 0.8 }, true;
        Parallel, false;
        Perpendicular, false;
        Orientation, true;
        RollingDisk { radius: 0.6 }, true;
        RollingSphere { radius: 0.6 }, true;
        KnifeEdge, false;
        KnifeEdge, true;
        PointOnCurve { curve: Arc::new(OfParameter(spiral)), start: Some(0.4) }, false;
        PointOnCurve { curve: Arc::new(OfParameter(spiral)), start: Some(0.4) }, true;
    }
}

/// Two bodies in the plane, with a joint made by a function of their markers.
fn in_plane(random: &mut Random, make: impl Fn(&mut Builder, Marker, Marker)) -> Builder {
    let mut builder = Mechanism::builder();
    builder.merge_welds(false).planar().gravity([0.3, -9.0, 0.0]);
    let (a, b) = (builder.body("a", random.body()), builder.body("b", random.body()));
    let (i, j) = (random.planar_marker(a), random.planar_marker(b));
    make(&mut builder, i, j);
    builder
}

#[test]
fn joints_in_the_plane() {
    let mut random = Random(8);
    let curve = Arc::new(OfParameter(|x: Jet| [x.cos(), x.sin() * 0.5, Jet::default()]));
    for _ in 0..STATES {
        let slide = |m: Marker| m.axis([0.3, 0.8, 0.0]);
        let cases: [(&str, Make); 8] = [
            ("revolute", Box::new(|b, i, j| _ = b.joint("joint", Revolute, i, j))),
            ("fixed", Box::new(|b, i, j| _ = b.joint("joint", Fixed, i, j))),
            ("prismatic", Box::new(move |b, i, j| _ = b.joint("joint", Prismatic, slide(i), slide(j)))),
            ("point on line", Box::new(move |b, i, j| _ = b.joint("joint", PointOnLine, slide(i), j))),
            ("distance", Box::new(|b, i, j| _ = b.joint("joint", Distance { length: 0.7 }, i, j))),
            ("knife edge", Box::new(|b, i, j| _ = b.joint("joint", KnifeEdge, i, j))),
            ("gear", {
                Box::new(|b, i, j| {
                    let one = b.joint("one", Revolute, GROUND.origin(), i);
                    let other = b.joint("other", Revolute, GROUND.at([1.0, 0.0, 0.0]), j);
                    b.couple("gear", &[(0.4, one.angle()), (0.7, other.angle())]);
                })
            }),
            ("cam", {
                let curve = curve.clone();
                Box::new(move |b, i, j| {
                    let kind = PointOnCurve { curve: curve.clone(), start: Some(0.3) };
                    b.joint("cam", kind, i, j);
                })
            }),
        ];
        for (name, make) in cases {
            check(name, in_plane(&mut random, make), &mut random);
        }
    }
}

fn wave(t: Jet) -> Jet {
    (t * 2.0).sin() * 0.8 + t * t
}

#[test]
fn drivers_and_couplings() {
    let mut random = Random(9);
    for _ in 0..STATES {
        let cases: [(&str, Make); 9] = [
            (
                "angle",
                Box::new(|b, i, j| {
                    let joint = b.joint("joint", Revolute, i, j);
                    b.drive("drive", joint.angle(), wave);
                }),
            ),
            (
                "displacement",
                Box::new(|b, i, j| {
                    let joint = b.joint("joint", Cylindrical, i, j);
                    b.drive("drive", joint.displacement(), wave);
                }),
            ),
            (
                "length",
                Box::new(|b, i, j| {
                    let joint = b.joint("joint", Distance { length: 1.0 }, i, j);
                    b.drive("drive", joint.length(), |t| wave(t) + 1.0);
                }),
            ),
            (
                "speed of an angle",
                Box::new(|b, i, j| {
                    let joint = b.joint("joint", Revolute, i, j);
                    b.drive_speed("drive", joint.angle(), wave);
                }),
            ),
            (
                "speed of a displacement",
                Box::new(|b, i, j| {
                    let joint = b.joint("joint", Prismatic, i, j);
                    b.drive_speed("drive", joint.displacement(), wave);
                }),
            ),
            (
                "path",
                Box::new(|b, i, j| {
                    let law = || Arc::new(OfTime(wave)) as Arc<dyn TimeLaw>;
                    b.drive_path("drive", i, j, [law(), law(), law()]);
                }),
            ),
            (
                "screw",
                Box::new(|b, i, j| {
                    let joint = b.joint("joint", Cylindrical, i, j);
                    b.couple("thread", &[(1.0, joint.displacement()), (-0.1, joint.angle())]);
                }),
            ),
            (
                "gear",
                Box::new(|b, i, j| {
                    let one = b.joint("one", Revolute, GROUND.at([0.2, 0.3, 0.1]), i);
                    let other = b.joint("other", Revolute, GROUND.at([1.0, 0.0, 0.0]), j);
                    b.couple("gear", &[(0.4, one.angle()), (0.7, other.angle())]);
                }),
            ),
            (
                "universal angle",
                Box::new(|b, i, j| {
                    let joint = b.joint("joint", Universal, i, j);
                    b.drive("drive", joint.coordinate("first angle"), wave);
                }),
            ),
        ];
        for (name, make) in cases {
            let mut builder = Mechanism::builder();
            let (a, b) = (builder.body("a", random.body()), builder.body("b", random.body()));
            let (i, j) = (random.marker(a), random.marker(b));
            make(&mut builder, i, j);
            check(name, builder, &mut random);
        }
    }
}

#[test]
fn forces() {
    let mut random = Random(10);
    let spring = Linear { stiffness: 3.0, damping: 0.7, rest: 0.9 };
    let bushing = Bushing {
        stiffness: [3.0, 4.0, 5.0],
        torsion: [1.0, 2.0, 1.5],
        damping: [0.3, 0.2, 0.1],
        torsion_damping: [0.4, 0.3, 0.2],
    };
    for _ in 0..STATES {
        let bushing = bushing.clone();
        let laws = || [wave as fn(Jet) -> Jet; 3].map(|f| Arc::new(OfTime(f)) as Arc<dyn TimeLaw>);
        let cases: [(&str, Make); 10] = [
            ("spring", Box::new(move |b, i, j| _ = b.spring("force", i, j, spring))),
            (
                "spring to the ground",
                Box::new(move |b, _, j| _ = b.spring("force", GROUND.at([2.0, 1.0, 0.5]), j, spring)),
            ),
            (
                "law of an angle",
                Box::new(|b, i, j| {
                    let joint = b.joint("joint", Revolute, i, j);
                    b.actuator("force", joint.angle(), |t, x, w| (x.sin() * 2.0 - w * x * 0.3) * (1.0 + t));
                }),
            ),
            (
                "motor",
                Box::new(|b, i, j| {
                    let joint = b.joint("joint", Revolute, i, j);
                    b.motor("force", joint.angle(), |t, w| w * w * -0.4 + t);
                }),
            ),
            (
                "law of a displacement",
                Box::new(|b, i, j| {
                    let joint = b.joint("joint", Prismatic, i, j);
                    b.actuator("force", joint.displacement(), |_, x, w| x * x * -2.0 - w * x);
                }),
            ),
            ("force in the world", Box::new(move |b, _, j| _ = b.force_by("force", j, laws(), Axes::World))),
            ("force in the body", Box::new(move |b, _, j| _ = b.force_by("force", j, laws(), Axes::Body))),
            ("torque in the world", Box::new(move |b, _, j| _ = b.torque_by("force", j.body(), laws(), Axes::World))),
            ("torque in the body", Box::new(move |b, _, j| _ = b.torque_by("force", j.body(), laws(), Axes::Body))),
            ("bushing", Box::new(move |b, i, j| _ = b.bushing("force", i, j, bushing.clone()))),
        ];
        for (name, make) in cases {
            let mut builder = Mechanism::builder();
            let (a, b) = (builder.body("a", random.body()), builder.body("b", random.body()));
            let (i, j) = (random.marker(a), random.marker(b));
            make(&mut builder, i, j);
            check(name, builder, &mut random);
        }
    }
}

#[test]
fn patterns_have_no_entry_too_many() {
    // Balls couple no two bodies, and each row has one shift and three turns of each body.
    let chain = crate::machines::chain();
    let patterns = chain.mechanism.system().description().patterns.clone().expect("patterns");
    assert_eq!((patterns.top.len(), patterns.rows.len()), (10 * (3 + 9), 3 * 4 + 9 * 3 * 8));
    // Beside the bodies themselves only the cross couples something, the turns of rod and slider. Axes of the ground do not move, and a
    // marker in the centre of mass has no arm.
    let crank = crate::machines::slider_crank();
    let patterns = crank.mechanism.system().description().patterns.clone().expect("patterns");
    assert_eq!(patterns.top.len(), 3 * (3 + 9) + 2 * 9);
    // In the plane pins couple nothing at all.
    let train = crate::machines::n_four_bar();
    let patterns = train.mechanism.system().description().patterns.clone().expect("patterns");
    assert_eq!((patterns.top.len(), patterns.rows.len()), (15, 3 * 2 * 2 + 4 * 2 * 4));
}
