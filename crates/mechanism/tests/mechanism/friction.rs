//! Friction of joints that grows with their reactions, against closed forms.

use alembert::{Integrator, RungeKutta, Solution, Tolerance, VariableBdf, consistent, solve};
use alembert_mechanism::joint::{Cylindrical, Distance, Prismatic, Revolute, Spherical};
use alembert_mechanism::{Axes, Body, Builder, Friction, GROUND, Mechanism};

use crate::derivatives::check;
use crate::machines::{X, Y, Z};
use crate::random::Random;

const G: f64 = 9.81;

fn build(builder: Builder) -> Mechanism {
    builder.build().unwrap_or_else(|e| panic!("{e}"))
}

fn run(mechanism: &Mechanism, end: f64) -> Solution<'_> {
    let tolerance = Tolerance::new(1e-9, 1e-9).expect("in range");
    let motion = solve(mechanism.system(), mechanism.guess(), 0.0..end, tolerance).unwrap_or_else(|e| panic!("{e}"));
    motion.whole().unwrap_or_else(|e| panic!("{e}"))
}

/// A slip that is full at all speeds that are looked at.
fn sharp(mu: f64) -> Friction {
    Friction::new(mu).speed(1e-5)
}

#[test]
fn derivatives_are_those_of_the_reaction() {
    let mut random = Random(21);
    let friction = Friction::new(0.4).radius(0.3).speed(0.8).arm(0.7).preload(2.0);
    for _ in 0..6 {
        for kind in 0..5 {
            let mut b = Mechanism::builder();
            b.gravity([0.3, -1.0, 9.0]);
            let (one, two) = (b.body("a", random.body()), b.body("b", random.body()));
            let (i, j) = (random.marker(one), random.marker(two));
            let joint = match kind {
                0 => b.joint("joint", Revolute, i, j),
                1 => b.joint("joint", Prismatic, i, j),
                2 => b.joint("joint", Cylindrical, i, j),
                3 => b.joint("joint", Spherical, i, j),
                _ => b.joint("joint", alembert_mechanism::joint::Planar, i, j),
            };
            b.friction("rubbing", joint, friction);
            check(&format!("friction of kind {kind}"), b, &mut random);
        }
        for slides in [false, true] {
            let mut b = Mechanism::builder();
            b.planar().gravity([0.3, -9.0, 0.0]);
            let (one, two) = (b.body("a", random.body()), b.body("b", random.body()));
            let (i, j) = (random.planar_marker(one), random.planar_marker(two));
            let along = |m: alembert_mechanism::Marker| m.axis([0.3, 0.8, 0.0]);
            let joint =
                if slides { b.joint("joint", Prismatic, along(i), along(j)) } else { b.joint("joint", Revolute, i, j) };
            b.friction("rubbing", joint, friction);
            check("friction in the plane", b, &mut random);
        }
    }
}

#[test]
fn a_flywheel_slows_down_by_its_weight() {
    let (m, j, r, mu, w0) = (3.0, 0.05, 0.02, 0.15, 50.0);
    for planar in [false, true] {
        let mut b = Mechanism::builder();
        let (wheel, joint) = if planar {
            b.planar().gravity([0.0, -G, 0.0]);
            let wheel = b.body("wheel", Body::planar(m, j).spinning([0.0, 0.0, w0]));
            (wheel, b.joint("bearing", Revolute, GROUND.origin(), wheel.origin()))
        } else {
            b.gravity([0.0, 0.0, -G]);
            let wheel = b.body("wheel", Body::new(m, [0.03, j, 0.04]).spinning([0.0, w0, 0.0]));
            (wheel, b.joint("bearing", Revolute, GROUND.origin().axis(Y), wheel.origin().axis(Y)))
        };
        b.friction("rubbing", joint, sharp(mu).radius(r));
        let mechanism = build(b);
        let motion = run(&mechanism, 4.0);
        let spin = |t: f64| mechanism.motion(wheel, &motion.at(t).expect("inside")).omega[if planar { 2 } else { 1 }];
        for t in [1.0, 2.5, 4.0] {
            let exact = w0 - mu * m * G * r / j * t;
            assert!((spin(t) - exact).abs() < 1e-6, "planar {planar}, t = {t}: {} {exact}", spin(t));
        }
        // What the wheel lost, friction took.
        let balance = motion.steps().last().and_then(|step| step.energy).expect("an energy");
        let lost = 0.5 * j * (w0 * w0 - spin(4.0).powi(2));
        println!("planar {planar}: {} steps, lost {lost}, {balance:?}", motion.steps().len());
        assert!(balance.defect().abs() < 1e-6 * lost, "{balance:?}");
    }
}

#[test]
fn a_wheel_that_stops_stays() {
    let (m, j, r, mu, w0) = (3.0, 0.05, 0.02, 0.15, 5.0);
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -G]);
    let wheel = b.body("wheel", Body::new(m, [0.03, j, 0.04]).spinning([0.0, w0, 0.0]));
    let joint = b.joint("bearing", Revolute, GROUND.origin().axis(Y), wheel.origin().axis(Y));
    b.friction("rubbing", joint, Friction::new(mu).radius(r).speed(1e-3));
    let mechanism = build(b);
    let start = consistent(mechanism.system(), mechanism.guess()).expect("consistent");
    let stop = w0 * j / (mu * m * G * r);
    for scheme in [&RungeKutta::default() as &dyn alembert::method::Scheme, &VariableBdf::new()] {
        let tolerance = Tolerance::new(1e-7, 1e-7).expect("in range");
        let control = alembert::ErrorControl::new();
        let motion = Integrator::new(mechanism.system(), &start, scheme, control, tolerance).expect("starts");
        let motion = motion.solve(3.0 * stop).whole().unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
        let spin = mechanism.motion(wheel, motion.last()).omega[1];
        assert!(spin.abs() < 1e-6, "{}: {spin}", scheme.name());
    }
}

#[test]
fn a_block_on_a_guide_is_slowed_by_what_presses_it() {
    let (m, mu, pull, side) = (2.0, 0.3, 30.0, 25.0);
    for planar in [false, true] {
        let mut b = Mechanism::builder();
        let inertia = [0.1, 0.2, 0.3];
        if planar {
            b.planar();
        }
        let block = b.body("block", Body::new(m, inertia));
        let guide = b.joint("guide", Prismatic, GROUND.origin().axis(X), block.origin().axis(X));
        b.force("pull", block.origin(), [pull, 0.0, 0.0], Axes::World);
        b.force("side", block.origin(), [0.0, -side, 0.0], Axes::World);
        b.friction("rubbing", guide, sharp(mu).preload(4.0));
        let mechanism = build(b);
        let motion = run(&mechanism, 1.0);
        let exact = (pull - mu * (side + 4.0)) / m;
        for t in [0.5, 1.0] {
            let state = motion.at(t).expect("inside");
            let found = mechanism.motion(block, &state);
            assert!((found.a[0] - exact).abs() < 1e-6 && (found.v[0] - exact * t).abs() < 1e-5, "{found:?} {exact}");
        }
    }
}

/// A drawer: its guide is beside its centre of mass by `c`, and takes up moments over `arm`.
fn drawer(mu: f64, c: f64, arm: f64) -> (Builder, alembert_mechanism::BodyId) {
    let mut b = Mechanism::builder();
    b.planar();
    let drawer = b.body("drawer", Body::planar(2.0, 0.2).at([0.0, c, 0.0]).moving([1.0, 0.0, 0.0]));
    let guide = b.joint("guide", Prismatic, GROUND.origin().axis(X), drawer.at([0.0, -c, 0.0]).axis(X));
    b.force("pull", drawer.origin(), [60.0, 0.0, 0.0], Axes::World);
    b.force("side", drawer.origin(), [0.0, -25.0, 0.0], Axes::World);
    b.friction("rubbing", guide, sharp(mu).arm(arm));
    (b, drawer)
}

#[test]
fn friction_that_presses_itself_is_solved_exactly_or_refused() {
    // N^2 = 25^2 + (P c/arm)^2 and P = mu N. The moments about the joint's own point are those of the forces at the centre, too.
    let (mu, c) = (0.4, 0.5);
    for arm in [1.0, 0.4, 0.25] {
        let (b, drawer) = drawer(mu, c, arm);
        let mechanism = build(b);
        let motion = run(&mechanism, 0.5);
        let friction = mu * 25.0 / (1.0 - (mu * c / arm).powi(2)).sqrt();
        let exact = (60.0 - friction) / 2.0;
        let found = mechanism.motion(drawer, &motion.at(0.4).expect("inside")).a[0];
        assert!((found - exact).abs() < 1e-5, "arm {arm}: {found} {exact}");
    }
    for arm in [0.19, 0.1] {
        let error = drawer(mu, c, arm).0.build().map(|_| ()).expect_err("self-locking");
        let gain = format!("{:.3} times", mu * c / arm);
        assert!(error.to_string().contains("`guide` is self-locking") && error.to_string().contains(&gain), "{error}");
    }
}

#[test]
fn balls_and_sleeves_slip_against_their_motion() {
    let (m, r, mu) = (2.0, 0.03, 0.2);
    let inertia = 0.01;
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -G]);
    let ball = b.body("ball", Body::new(m, [inertia; 3]).spinning([3.0, 0.0, 4.0]));
    let socket = b.joint("socket", Spherical, GROUND.origin(), ball.origin());
    b.friction("rubbing", socket, sharp(mu).radius(r));
    let mechanism = build(b);
    let motion = run(&mechanism, 0.3);
    let left = 1.0 - mu * m * G * r / inertia * 0.3 / 5.0;
    let found = mechanism.motion(ball, motion.last()).omega;
    assert!((found[0] - 3.0 * left).abs() < 1e-6 && (found[2] - 4.0 * left).abs() < 1e-6, "{found:?}");

    // A shaft that spins in its sleeve slides freely, all but: friction points against the whole slip.
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -G]);
    let (w, u) = (100.0, 0.4);
    let shaft = b.body("shaft", Body::new(m, [inertia; 3]).spinning([w, 0.0, 0.0]).moving([u, 0.0, 0.0]));
    let sleeve = b.joint("sleeve", Cylindrical, GROUND.origin().axis(X), shaft.origin().axis(X));
    b.friction("rubbing", sleeve, sharp(mu).radius(r));
    let mechanism = build(b);
    let state = consistent(mechanism.system(), mechanism.guess()).expect("consistent");
    let found = mechanism.motion(shaft, &state);
    let slip = (r * w).hypot(u);
    let exact = (-mu * G * u / slip, -mu * m * G * r * (r * w / slip) / inertia);
    assert!((found.a[0] - exact.0).abs() < 1e-8 && (found.alpha[0] - exact.1).abs() < 1e-8, "{found:?} {exact:?}");
}

#[test]
fn what_cannot_rub_is_told_by_name() {
    // A parallelogram in space with four hinges: three rows follow from others.
    let four_bar = |rubs: bool| {
        let mut b = Mechanism::builder();
        let bar = |b: &mut Builder, name: &str, x: f64, z: f64| b.body(name, Body::new(1.0, [0.1; 3]).at([x, 0.0, z]));
        let (left, top, right) =
            (bar(&mut b, "left", 0.0, 0.5), bar(&mut b, "top", 1.0, 1.0), bar(&mut b, "right", 2.0, 0.5));
        let first = b.joint("first", Revolute, GROUND.origin().axis(Y), left.at([0.0, 0.0, -0.5]).axis(Y));
        b.joint("second", Revolute, left.at([0.0, 0.0, 0.5]).axis(Y), top.at([-1.0, 0.0, 0.0]).axis(Y));
        b.joint("third", Revolute, top.at([1.0, 0.0, 0.0]).axis(Y), right.at([0.0, 0.0, 0.5]).axis(Y));
        b.joint("fourth", Revolute, right.at([0.0, 0.0, -0.5]).axis(Y), GROUND.at([2.0, 0.0, 0.0]).axis(Y));
        if rubs {
            b.friction("rubbing", first, Friction::new(0.1).radius(0.01));
        }
        b.build().map(|_| ())
    };
    assert!(four_bar(false).is_ok());
    let error = four_bar(true).expect_err("not unique").to_string();
    assert!(error.contains("friction of `first`") && error.contains("not unique"), "{error}");

    let told = |friction: Friction, rod: bool| {
        let mut b = Mechanism::builder();
        let body = b.body("a", Body::new(1.0, [1.0; 3]).at(Z));
        let joint = if rod {
            b.joint("j", Distance { length: 1.0 }, GROUND.origin(), body.origin())
        } else {
            b.joint("j", Revolute, GROUND.origin(), body.at([0.0, 0.0, -1.0]))
        };
        b.friction("rubbing", joint, friction);
        b.build().map(|_| ()).expect_err("a mistake").to_string()
    };
    assert!(told(Friction::new(0.1), false).contains("radius"));
    assert!(told(Friction::new(-0.1).radius(0.1), false).contains("not negative"));
    assert!(told(Friction::new(0.1).radius(0.1).speed(0.0), false).contains("positive speed"));
    assert!(told(Friction::new(0.1).radius(0.1), true).contains("has no friction"));
}

/// Tonnes, grams, micrograms: which reactions are unique is no matter of units.
#[test]
fn gates_of_any_size_may_rub() {
    for (mass, length) in [(3.0, 1.0), (1e7, 10.0), (1e5, 1e3), (1e-12, 1e-6), (1e9, 1e5), (1e-3, 1e4)] {
        let mut b = Mechanism::builder();
        b.planar().gravity([0.0, -G, 0.0]);
        let gate = b.body("gate", Body::planar(mass, 0.08 * mass * length * length).centred([0.5 * length, 0.0, 0.0]));
        let hinge = b.joint("hinge", Revolute, GROUND.origin(), gate.origin());
        b.friction("rub", hinge, Friction::new(0.1).radius(0.01 * length).speed(1e-3 * length));
        let latch = b.body("latch", Body::planar(1e-9 * mass, 1e-12 * mass * length * length).at([length, 0.0, 0.0]));
        b.joint("pin", Revolute, gate.at([length, 0.0, 0.0]), latch.origin());
        build(b);
    }
}

#[test]
fn every_method_slows_the_drawer_down() {
    let (b, body) = drawer(0.4, 0.5, 0.4);
    let mechanism = build(b);
    let start = consistent(mechanism.system(), mechanism.guess()).expect("consistent");
    let exact = (60.0 - 0.4 * 25.0 / (1.0 - 0.25_f64).sqrt()) / 2.0;
    let schemes: [(&str, &dyn alembert::method::Scheme); 4] = [
        ("soi2", &alembert::GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")),
        ("hht", &alembert::HhtAlpha::new(-0.1).expect("in range")),
        ("radau", &RungeKutta::default()),
        ("bdf 2", &alembert::Bdf::new(2).expect("an order")),
    ];
    for (name, scheme) in schemes {
        let steps = alembert::FixedSteps::new(1e-3).expect("positive");
        let tolerance = Tolerance::new(1e-9, 1e-9).expect("in range");
        let motion = Integrator::new(mechanism.system(), &start, scheme, steps, tolerance)
            .unwrap_or_else(|e| panic!("{name}: {e}"))
            .solve(0.2);
        let motion = motion.whole().unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = mechanism.motion(body, motion.last()).v[0];
        assert!((found - 1.0 - 0.2 * exact).abs() < 1e-7, "{name}: {found}");
    }
}

#[test]
fn friction_goes_with_numbers_without_mass() {
    counted_wheel(0);
}

#[test]
fn friction_goes_with_sparse_matrices() {
    counted_wheel(20);
}

fn counted_wheel(others: u32) {
    // A wheel that rubs, whose angle is counted: the number that counts has no mass.
    let (m, j, r, mu, w0) = (3.0, 0.05, 0.02, 0.15, 50.0);
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -G]);
    let wheel = b.body("wheel", Body::new(m, [0.03, j, 0.04]).spinning([0.0, w0, 0.0]));
    let joint = b.joint("bearing", Revolute, GROUND.origin().axis(Y), wheel.origin().axis(Y));
    b.friction("rubbing", joint, sharp(mu).radius(r)).count(joint.angle());
    for k in 0..others {
        let x = 1.0 + f64::from(k);
        let bob = b.body(format!("bob {k}"), Body::new(0.5, [0.01, 0.02, 0.03]).at([x + 0.3, 0.0, 0.0]));
        b.joint(format!("pivot {k}"), Spherical, GROUND.at([x, 0.0, 0.0]), bob.at([-0.3, 0.0, 0.0]));
    }
    let mechanism = build(b);
    let start = consistent(mechanism.system(), mechanism.guess()).expect("consistent");
    let schemes: [(&str, &dyn alembert::method::Scheme); 3] = [
        ("radau", &RungeKutta::default()),
        ("bdf 2", &alembert::Bdf::new(2).expect("an order")),
        ("soi2", &alembert::GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")),
    ];
    for (name, scheme) in schemes {
        let steps = alembert::FixedSteps::new(1e-3).expect("positive");
        let tolerance = Tolerance::new(1e-9, 1e-9).expect("in range");
        let motion = Integrator::new(mechanism.system(), &start, scheme, steps, tolerance)
            .unwrap_or_else(|e| panic!("{name}: {e}"))
            .solve(0.2);
        let motion = motion.whole().unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = mechanism.motion(wheel, motion.last()).omega[1];
        let down = mu * m * G * r / j;
        assert!((found - (w0 - 0.2 * down)).abs() < 1e-6, "{name}: {found}");
        let state = motion.last();
        let angle = mechanism.coordinate(joint.angle(), state.t, &state.q, &state.v).expect("an angle").0;
        assert!((angle - 0.2 * (w0 - 0.1 * down)).abs() < 1e-4, "{name}: {angle}");
    }
}

#[test]
fn numbers_without_mass_may_carry_forces_where_a_joint_rubs() {
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -G]);
    let wheel = b.body("wheel", Body::new(3.0, [0.03, 0.05, 0.04]).spinning([0.0, 2.0, 0.0]));
    let joint = b.joint("bearing", Revolute, GROUND.origin().axis(Y), wheel.origin().axis(Y));
    // The torsion spring pulls at the number that counts turns.
    b.friction("rubbing", joint, sharp(0.1).radius(0.02));
    b.actuator("spring", joint.angle(), |_, x, _| x * -3.0);
    let mechanism = build(b);
    let start = consistent(mechanism.system(), mechanism.guess()).expect("consistent");
    // Until it turns back: J x'' = -3 x - tau.
    let (tau, k, j): (f64, f64, f64) = (0.1 * 3.0 * G * 0.02, 3.0, 0.05);
    let w = (k / j).sqrt();
    let t = 0.15;
    let exact = tau / k * (w * t).cos() + 2.0 / w * (w * t).sin() - tau / k;
    let schemes: [(&str, &dyn alembert::method::Scheme); 3] = [
        ("radau", &RungeKutta::default()),
        ("bdf 2", &alembert::Bdf::new(2).expect("an order")),
        ("soi2", &alembert::GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")),
    ];
    for (name, scheme) in schemes {
        let steps = alembert::FixedSteps::new(2e-4).expect("positive");
        let tolerance = Tolerance::new(1e-9, 1e-9).expect("in range");
        let motion = Integrator::new(mechanism.system(), &start, scheme, steps, tolerance).expect("starts").solve(t);
        let motion = motion.whole().unwrap_or_else(|e| panic!("{name}: {e}"));
        let state = motion.last();
        let angle = mechanism.coordinate(joint.angle(), t, &state.q, &state.v).expect("an angle").0;
        assert!((angle - exact).abs() < 1e-5, "{name}: {angle} {exact}");
    }
}
