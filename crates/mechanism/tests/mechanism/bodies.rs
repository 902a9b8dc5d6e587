//! Bodies that lack something, and angles that go round.

use std::f64::consts::TAU;

use alembert::method::Scheme;
use alembert::{
    Bdf, ErrorControl, FixedSteps, GeneralizedAlpha, HhtAlpha, Integrator, RungeKutta, Solution, Tolerance,
    VariableBdf, consistent, solve,
};
use alembert_mechanism::joint::{Distance, Fixed, Prismatic, Revolute, Spherical};
use alembert_mechanism::law::Linear;
use alembert_mechanism::{Axes, Body, BodyId, Builder, GROUND, Marker, Mechanism};

use crate::derivatives::check;
use crate::machines::{X, Y, Z};
use crate::random::Random;

const G: f64 = 9.81;

fn run(mechanism: &Mechanism, end: f64) -> Solution<'_> {
    let tolerance = Tolerance::new(1e-10, 1e-10).expect("in range");
    let motion = solve(mechanism.system(), mechanism.guess(), 0.0..end, tolerance).unwrap_or_else(|e| panic!("{e}"));
    motion.whole().unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn point_masses_move_as_points() {
    // A pendulum of a point mass on a rod, beside a body on a ball whose inertia about its centre is next to nothing.
    let pendulum = |planar: bool| {
        let mut b = Mechanism::builder();
        let gravity = if planar { [0.0, -G, 0.0] } else { [0.0, 0.0, -G] };
        b.gravity(gravity);
        if planar {
            b.planar();
        }
        let bob = b.body("bob", Body::particle(2.0).at([0.8, 0.0, 0.0]));
        let rod = b.joint("rod", Distance { length: 0.8 }, GROUND.origin(), bob.origin());
        b.spring(
            "spring",
            GROUND.at([0.0, 0.3, 0.0]),
            bob.origin(),
            Linear { stiffness: 1.0, damping: 0.1, rest: 0.5 },
        );
        (b.build().unwrap_or_else(|e| panic!("{e}")), bob, rod)
    };
    let heavy = || {
        let mut b = Mechanism::builder();
        b.gravity([0.0, 0.0, -G]);
        let bob = b.body("bob", Body::new(2.0, [1e-9; 3]).at([0.8, 0.0, 0.0]));
        b.joint("ball", Spherical, GROUND.origin(), bob.at([-0.8, 0.0, 0.0]));
        b.spring(
            "spring",
            GROUND.at([0.0, 0.3, 0.0]),
            bob.origin(),
            Linear { stiffness: 1.0, damping: 0.1, rest: 0.5 },
        );
        (b.build().unwrap_or_else(|e| panic!("{e}")), bob)
    };
    let (mechanism, bob, rod) = pendulum(false);
    let (other, twin) = heavy();
    let (motion, reference) = (run(&mechanism, 2.0), run(&other, 2.0));
    for t in [0.7, 2.0] {
        let (here, there) = (motion.at(t).expect("inside"), reference.at(t).expect("inside"));
        let (p, q) = (mechanism.motion(bob, &here), other.motion(twin, &there));
        (0..3).for_each(|i| assert!((p.p[i] - q.p[i]).abs() < 1e-6 && (p.a[i] - q.a[i]).abs() < 1e-5, "{p:?} {q:?}"));
        // The rod carries weight and centripetal force, and the spring pulls too: by Newton's law of the point.
        let reaction = mechanism.reaction(rod, &here).on_second.force;
        let inertia = mechanism.effective_force(bob, &here).expect("a body")[0];
        let d: Vec<f64> = (0..3).map(|i| p.p[i] - [0.0, 0.3, 0.0][i]).collect();
        let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
        let rate = (0..3).map(|i| d[i] * p.v[i]).sum::<f64>() / length;
        for i in 0..3 {
            let spring = (-(length - 0.5) - 0.1 * rate) * d[i] / length;
            let weight = if i == 2 { -2.0 * G } else { 0.0 };
            assert!((inertia[i] - reaction[i] - spring - weight).abs() < 1e-8, "{i}: {inertia:?} {reaction:?}");
        }
    }
    let (flat, bob, _) = pendulum(true);
    let motion = run(&flat, 1.0);
    assert_eq!(flat.guess().q.len(), 2);
    let found = flat.motion(bob, motion.last()).p;
    assert!((found[0].hypot(found[1]) - 0.8).abs() < 1e-12);

    let mut random = Random(41);
    let mut b = Mechanism::builder();
    b.gravity([0.1, 0.2, -G]);
    let (one, two) =
        (b.body("a", Body::particle(0.7).at([0.3, 0.2, 0.9]).moving([1.0, 2.0, 0.3])), b.body("b", random.body()));
    let j = random.marker(two);
    b.joint("ball", Spherical, one.origin(), j);
    b.joint("rod", Distance { length: 1.1 }, GROUND.origin(), one.origin());
    b.spring("spring", one.origin(), random.marker(two), Linear { stiffness: 2.0, damping: 0.3, rest: 0.2 });
    check("point mass", b, &mut random);
}

/// So many thin rods in a row along x, each joined to the one before, the first to the ground.
fn rods(count: usize, join: impl Fn(&mut Builder, &str, Marker, Marker)) -> Builder {
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -G]).merge_welds(false);
    let mut before = GROUND.origin();
    for i in 0..count {
        let body = Body::new(1.0, [0.0, 1.0 / 12.0, 1.0 / 12.0]).at([i as f64 + 0.5, 0.0, 0.0]);
        let rod = b.body(format!("rod {i}"), body);
        join(&mut b, &format!("joint {i}"), before, rod.at([-0.5, 0.0, 0.0]));
        before = rod.at([0.5, 0.0, 0.0]);
    }
    b
}

#[test]
fn what_lacks_inertia_is_named_at_every_size() {
    for count in [2, 149, 151, 1500] {
        let named = |b: Builder, name: &str| {
            let message = b.build().map(|_| ()).expect_err("not determined").to_string();
            assert!(message.contains(&format!("`{name}` has no inertia about x")), "{count}: {message}");
        };
        // Each spins by itself, between balls on its axis.
        named(rods(count, |b, name, i, j| _ = b.joint(name, Spherical, i, j)), "rod 0");
        // All spin together, which each weld sees of its two rods alone: no more than three hundred are looked at together.
        let fixed = |b: &mut Builder, name: &str, i, j| {
            if name == "joint 0" {
                b.joint(name, Spherical, i, j);
            } else {
                b.joint(name, Fixed, i, j);
            }
        };
        if count <= 300 {
            named(rods(count, fixed), "rod 0");
        }
        // Hinges across hold each of them: only the last one, on a ball, is free.
        let last = format!("joint {}", count - 1);
        let hinges = |b: &mut Builder, name: &str, i: Marker, j: Marker| {
            if name == last {
                b.joint(name, Spherical, i, j);
            } else {
                b.joint(name, Revolute, i.axis(Y), j.axis(Y));
            }
        };
        named(rods(count, hinges), &format!("rod {}", count - 1));
        let across = |b: &mut Builder, name: &str, i: Marker, j: Marker| {
            b.joint(name, Revolute, i.axis(Y), j.axis(Y));
        };
        assert!(rods(count, across).build().is_ok(), "{count} rods on hinges");
    }
}

#[test]
fn bodies_that_lack_inertia_are_named_unless_joints_hold_them() {
    let build = |make: &dyn Fn(&mut Builder)| {
        let mut b = Mechanism::builder();
        make(&mut b);
        b.build().map(|_| ())
    };
    let refused: [(&str, Result<(), _>); 6] = [
        (
            "`rod` has no inertia about x",
            build(&|b| {
                let rod = b.body("rod", Body::new(1.0, [0.0, 0.1, 0.1]));
                b.joint("ball", Spherical, GROUND.origin(), rod.at(X));
            }),
        ),
        ("`ghost` has no mass", build(&|b| _ = b.body("ghost", Body::new(0.0, [1.0; 3])))),
        ("`ghost` has no mass", build(&|b| _ = b.body("ghost", Body::particle(0.0)))),
        (
            "`disk` has no inertia",
            build(&|b| {
                b.planar();
                b.body("disk", Body::planar(1.0, 0.0));
            }),
        ),
        // Turned: the axis without inertia is that of the body.
        (
            "`rod` has no inertia about y",
            build(&|b| {
                let rod = b.body("rod", Body::new(1.0, [0.1, 0.0, 0.1]).turned(Z, 0.3));
                b.joint(
                    "hinge",
                    Revolute,
                    GROUND.origin().axis([-0.3_f64.sin(), 0.3_f64.cos(), 0.0]),
                    rod.origin().axis(Y),
                );
            }),
        ),
        (
            "`bob` is a point mass",
            build(&|b| {
                let bob = b.body("bob", Body::particle(1.0));
                b.joint("hinge", Revolute, GROUND.origin(), bob.origin());
            }),
        ),
    ];
    for (expected, found) in refused {
        let message = found.expect_err("not determined").to_string();
        assert!(message.contains(expected) && message.contains("\nhint: "), "{message}");
    }
    // A rod without inertia about its axis on a hinge across it, a massless coupler between two guided bodies.
    let rod = |b: &mut Builder| {
        let rod = b.body("rod", Body::new(1.0, [0.0, 1.0 / 12.0, 1.0 / 12.0]).at([0.5, 0.0, 0.0]));
        b.joint("hinge", Revolute, GROUND.origin().axis(Y), rod.at([-0.5, 0.0, 0.0]).axis(Y));
        rod
    };
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -G]);
    let rod = rod(&mut b);
    let mechanism = b.build().expect("determined");
    let state = consistent(mechanism.system(), mechanism.guess()).expect("consistent");
    // A horizontal rod on a hinge falls with 3 g/2l.
    assert!((mechanism.motion(rod, &state).alpha[1] - 1.5 * G).abs() < 1e-9);
    let mut b = Mechanism::builder();
    let carrier = b.body("carrier", Body::new(0.0, [0.0; 3]));
    let guide = b.joint("guide", Prismatic, GROUND.origin().axis(X), carrier.origin().axis(X));
    let load = b.body("load", Body::new(2.0, [0.1; 3]).at([0.0, 0.5, 0.0]));
    b.joint("weld", alembert_mechanism::joint::Fixed, carrier.at([0.0, 0.5, 0.0]), load.origin());
    b.force("pull", load.origin(), [3.0, 0.0, 0.0], Axes::World);
    let mechanism = b.build().expect("determined");
    let state = consistent(mechanism.system(), mechanism.guess()).expect("consistent");
    assert!((mechanism.motion(carrier, &state).a[0] - 1.5).abs() < 1e-9);
    let held = mechanism.reaction(guide, &state).on_second;
    assert!((held.force[0]).abs() < 1e-9, "{held:?}");
}

/// A wheel that turns ever faster, on a hinge in space whose angle is counted.
fn wheel(count: bool) -> (Mechanism, BodyId, alembert_mechanism::JointId) {
    let mut b = Mechanism::builder();
    let wheel = b.body("wheel", Body::new(1.0, [0.3, 0.4, 0.5]).spinning([0.0, 0.0, 5.0]));
    let hinge = b.joint("hinge", Revolute, GROUND.origin().axis(Z), wheel.origin().axis(Z));
    b.torque("torque", wheel, [0.0, 0.0, 4.0], Axes::Body);
    if count {
        b.count(hinge.angle());
    }
    let mut mechanism = b.build().unwrap_or_else(|e| panic!("{e}"));
    mechanism.close().unwrap_or_else(|e| panic!("{e}"));
    (mechanism, wheel, hinge)
}

#[test]
fn angles_are_counted_under_every_method() {
    let (mechanism, _, hinge) = wheel(true);
    // 5 t + 4 t^2 is more than ten turns at t = 3.4.
    let (end, exact) = (3.4, |t: f64| 5.0 * t + 4.0 * t * t);
    assert!(exact(end) > 10.0 * TAU);
    let start = consistent(mechanism.system(), mechanism.guess()).unwrap_or_else(|e| panic!("{e}"));
    let adaptive: [(&str, &dyn Scheme); 3] = [
        ("soi2", &GeneralizedAlpha::from_rho_infinity(0.6).expect("in range")),
        ("radau", &RungeKutta::default()),
        ("bdf", &VariableBdf::new()),
    ];
    let bdf2 = Bdf::new(2).expect("an order");
    let hht = HhtAlpha::new(-0.1).expect("in range");
    let tolerance = Tolerance::new(1e-7, 1e-7).expect("in range");
    let mut solutions: Vec<(&str, Solution)> = Vec::new();
    for (name, scheme) in adaptive {
        let integrator = Integrator::new(mechanism.system(), &start, scheme, ErrorControl::new(), tolerance);
        solutions.push((name, integrator.unwrap_or_else(|e| panic!("{name}: {e}")).solve(end)));
    }
    let steps = FixedSteps::new(0.01).expect("positive");
    let integrator = Integrator::new(mechanism.system(), &start, &bdf2, steps.clone(), tolerance);
    solutions.push(("bdf 2", integrator.unwrap_or_else(|e| panic!("{e}")).solve(end)));
    for (name, solution) in solutions {
        let solution = solution.whole().unwrap_or_else(|e| panic!("{name}: {e}"));
        for k in 0..=200 {
            let state = solution.at(end * f64::from(k) / 200.0).expect("inside");
            let (angle, rate) = mechanism.coordinate(hinge.angle(), state.t, &state.q, &state.v).expect("an angle");
            assert!((angle - exact(state.t)).abs() < 1e-4, "{name} at {}: {angle} {}", state.t, exact(state.t));
            assert!((rate - 5.0 - 8.0 * state.t).abs() < 1e-3, "{name} at {}: {rate}", state.t);
        }
    }
    // A number that counts has no mass, and HHT needs one: it says so.
    let refused = Integrator::new(mechanism.system(), &start, &hht, steps, tolerance)
        .map_err(|e| e.to_string())
        .and_then(|integrator| integrator.solve(end).whole().map(|_| ()).map_err(|e| e.to_string()));
    assert!(refused.as_ref().is_err_and(|message| message.contains("mass")), "{refused:?}");
    // Without counting, HHT turns the wheel as well; what it remembers of its first step is the end of that step.
    let (mechanism, wheel, _) = wheel(false);
    let start = consistent(mechanism.system(), mechanism.guess()).unwrap_or_else(|e| panic!("{e}"));
    let integrator = Integrator::new(mechanism.system(), &start, &hht, ErrorControl::new(), tolerance);
    let solution = integrator.unwrap_or_else(|e| panic!("{e}")).solve(end).whole().unwrap_or_else(|e| panic!("{e}"));
    let speed = mechanism.motion(wheel, solution.last()).omega[2];
    assert!((speed - 5.0 - 8.0 * end).abs() < 1e-3, "{speed}");
    // Without counting an angle is between -pi and pi.
    let (mechanism, _, hinge) = self::wheel(false);
    let motion = run(&mechanism, end);
    let state = motion.last();
    let (angle, _) = mechanism.coordinate(hinge.angle(), end, &state.q, &state.v).expect("an angle");
    assert!(angle.abs() <= 3.15 && ((exact(end) - angle) / TAU - ((exact(end) - angle) / TAU).round()).abs() < 1e-7);
}
