//! Contacts, stops, drag and tyres, against closed forms.

use alembert::{Solution, State, Tolerance, consistent, solve};
use alembert_mechanism::joint::{Prismatic, Revolute};
use alembert_mechanism::{Body, BodyId, Builder, Contact, Drag, GROUND, Marker, Mechanism, Stops, Tyre};

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

fn tyre() -> Tyre {
    Tyre {
        radius: 0.3,
        stiffness: 2e5,
        damping: 0.0,
        friction: 0.9,
        slip_stiffness: 5e4,
        cornering_stiffness: 4e4,
        speed: 0.1,
    }
}

#[test]
fn derivatives() {
    let mut random = Random(31);
    let touch = Contact::new(3.0).damping(0.01).friction(0.4, 0.5);
    let stops = |lower: f64, upper: f64| Stops { lower, upper, stiffness: 2.0, damping: 0.01 };
    // Bristles that stick in part, and a tyre that slides.
    let rolling = Tyre {
        radius: 9.0,
        stiffness: 3.0,
        damping: 0.01,
        friction: 0.8,
        slip_stiffness: 1.0,
        cornering_stiffness: 1.4,
        speed: 0.7,
    };
    let sliding = Tyre { slip_stiffness: 1e3, cornering_stiffness: 2e3, ..rolling };
    type Make = Box<dyn Fn(&mut Builder, Marker, Marker)>;
    for _ in 0..6 {
        let cases: [(&str, Make); 11] = [
            ("sphere on plane", Box::new(move |b, i, j| _ = b.sphere_on_plane("force", i, 6.0, j, touch))),
            (
                "sphere on the ground",
                Box::new(move |b, i, _| {
                    _ = b.sphere_on_plane("force", i, 6.0, GROUND.origin().axis([0.1, 0.2, 1.0]), touch)
                }),
            ),
            ("spheres", Box::new(move |b, i, j| _ = b.sphere_on_sphere("force", (i, 5.0), (j, 4.0), touch))),
            ("apart", Box::new(move |b, i, j| _ = b.sphere_on_sphere("force", (i, 1e-3), (j, 1e-3), touch))),
            ("drag", Box::new(|b, i, _| _ = b.drag("force", i, Drag::new(0.7)))),
            ("wind", Box::new(|b, i, _| _ = b.drag("force", i, Drag::new(0.7).wind([0.3, 1.0, -2.0])))),
            ("tyre", Box::new(move |b, i, j| _ = b.tyre("force", i, j, rolling))),
            ("tyre on the ground", Box::new(move |b, i, _| _ = b.tyre("force", i, GROUND.origin(), rolling))),
            ("sliding tyre", Box::new(move |b, i, j| _ = b.tyre("force", i, j, sliding))),
            (
                "lower stop",
                Box::new(move |b, i, j| {
                    let joint = b.joint("joint", Prismatic, i, j);
                    b.stops("force", joint.displacement(), stops(9.0, 10.0));
                }),
            ),
            (
                "upper stop",
                Box::new(move |b, i, j| {
                    let joint = b.joint("joint", Revolute, i, j);
                    b.stops("force", joint.angle(), stops(-9.0, -8.0));
                }),
            ),
        ];
        for (name, make) in cases {
            let mut b = Mechanism::builder();
            let (one, two) = (b.body("a", random.body()), b.body("b", random.body()));
            let (i, j) = (random.marker(one), random.marker(two));
            make(&mut b, i, j);
            check(name, b, &mut random);
        }
        let mut b = Mechanism::builder();
        b.planar();
        let (one, two) = (b.body("a", random.body()), b.body("b", random.body()));
        let (i, j) = (random.planar_marker(one), random.planar_marker(two));
        b.sphere_on_plane("disk", i, 6.0, j.axis([0.3, 0.8, 0.0]), touch);
        b.sphere_on_sphere("disks", (i, 5.0), (j, 4.0), touch);
        check("contacts in the plane", b, &mut random);
    }
}

/// A ball above the ground.
fn ball(contact: Contact, z: f64, v: [f64; 3]) -> (Mechanism, BodyId) {
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -G]);
    let (m, r) = (0.5, 0.1);
    let ball = b.body("ball", Body::new(m, [0.4 * m * r * r; 3]).at([0.0, 0.0, z]).moving(v));
    b.sphere_on_plane("floor", ball.origin(), r, GROUND.origin().axis(Z), contact);
    (build(b), ball)
}

/// The defect of the energy balance, relative to what was turned over.
fn defect(motion: &Solution) -> f64 {
    let balance = motion.steps().last().and_then(|step| step.energy).expect("an energy");
    balance.defect().abs() / balance.turnover
}

#[test]
fn a_ball_keeps_its_height_or_comes_to_rest() {
    let (mechanism, ball_id) = ball(Contact::new(1e6), 1.1, [0.0; 3]);
    let motion = run(&mechanism, 5.0);
    let height = |t: f64| mechanism.motion(ball_id, &motion.at(t).expect("inside")).p[2];
    let highest = (0..4000).map(|k| height(3.0 + f64::from(k) * 5e-4)).fold(0.0, f64::max);
    let lowest = (0..4000).map(|k| height(f64::from(k) * 2e-4)).fold(1.0, f64::min);
    println!("{} steps, {highest}, defect {:e}", motion.steps().len(), defect(&motion));
    assert!((highest - 1.1).abs() < 1e-5, "{highest}");
    // m g (h + d) = 2/5 k d^(5/2), where d is how deep it goes; the samples may miss the deepest point by little.
    let d = 0.1 - lowest;
    let stored = 0.4 * 1e6 * d.powf(2.5);
    assert!((stored / (0.5 * G * (1.0 + d)) - 1.0).abs() < 2e-2, "{d}");
    assert!(defect(&motion) < 1e-6);

    let (mechanism, ball) = ball(Contact::new(1e5).damping(0.6), 0.3, [0.0; 3]);
    let motion = run(&mechanism, 12.0);
    let rest = 0.1 - (0.5 * G / 1e5_f64).powf(2.0 / 3.0);
    let found = mechanism.motion(ball, motion.last());
    assert!((found.p[2] - rest).abs() < 1e-7, "{} {rest}", found.p[2]);
    assert!(defect(&motion) < 1e-6, "{}", defect(&motion));
}

#[test]
fn a_sliding_ball_comes_to_roll() {
    let (k, mu, v0) = (1e5, 0.2, 2.0);
    let rest = 0.1 - (0.5 * G / k).powf(2.0 / 3.0);
    let (mechanism, ball) = ball(Contact::new(k).friction(mu, 1e-4), rest, [v0, 0.0, 0.0]);
    let rolls = 2.0 * v0 / (7.0 * mu * G);
    let motion = run(&mechanism, 2.0 * rolls);
    let speed = |t: f64| mechanism.motion(ball, &motion.at(t).expect("inside"));
    // Half-way it slides, with a friction of mu m g.
    let half = speed(0.5 * rolls);
    assert!((half.v[0] - (v0 - mu * G * 0.5 * rolls)).abs() < 1e-5, "{half:?}");
    let end = speed(1.9 * rolls);
    assert!((end.v[0] - 5.0 / 7.0 * v0).abs() < 1e-4 && (end.omega[1] * 0.1 - end.v[0]).abs() < 1e-4, "{end:?}");
    assert!(defect(&motion) < 1e-5, "{}", defect(&motion));
}

fn momentum(mechanism: &Mechanism, state: &State) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (body, _) in mechanism.bodies() {
        let v = mechanism.motion(body, state).v;
        (0..3).for_each(|i| sum[i] += mechanism.mass(body) * v[i]);
    }
    sum
}

#[test]
fn spheres_and_moving_planes_exchange_momentum() {
    // Equal spheres, head-on and elastic: they exchange their velocities.
    let mut b = Mechanism::builder();
    let one = b.body("one", Body::new(1.0, [0.01; 3]).moving([2.0, 0.0, 0.0]));
    let two = b.body("two", Body::new(1.0, [0.01; 3]).at([1.0, 0.0, 0.0]));
    b.sphere_on_sphere("touch", (one.origin(), 0.2), (two.origin(), 0.3), Contact::new(1e5));
    let mechanism = build(b);
    let motion = run(&mechanism, 1.0);
    let [v1, v2] = [one, two].map(|body| mechanism.motion(body, motion.last()).v[0]);
    assert!(v1.abs() < 1e-5 && (v2 - 2.0).abs() < 1e-5, "{v1} {v2}");

    // A ball that hits a free plate beside its centre, with friction: nothing is lost but energy.
    let mut b = Mechanism::builder();
    let ball = b.body("ball", Body::new(1.0, [0.004; 3]).at([0.4, 0.1, 0.5]).moving([0.5, 0.0, -2.0]).spinning(X));
    let plate = b.body("plate", Body::new(3.0, [0.3, 0.3, 0.6]).spinning([0.0, 0.5, 0.0]));
    b.sphere_on_plane(
        "touch",
        ball.origin(),
        0.1,
        plate.at([0.0, 0.0, 0.05]).axis(Z),
        Contact::new(1e5).damping(0.1).friction(0.3, 1e-2),
    );
    let mechanism = build(b);
    let motion = run(&mechanism, 0.6);
    let around = |state: &State| {
        let mut sum = [0.0; 3];
        for (body, inertia) in [(ball, [0.004; 3]), (plate, [0.3, 0.3, 0.6])] {
            let found = mechanism.motion(body, state);
            let push = found.v.map(|v| v * mechanism.mass(body));
            let own = alembert::rotation::to_space(&found.quaternion, &[0, 1, 2].map(|i| inertia[i] * found.omega[i]));
            let about = alembert::rotation::cross(&found.p, &push);
            (0..3).for_each(|i| sum[i] += own[i] + about[i]);
        }
        sum
    };
    let (before, after) = (momentum(&mechanism, motion.start()), momentum(&mechanism, motion.last()));
    let (spin_before, spin_after) = (around(motion.start()), around(motion.last()));
    assert!(mechanism.motion(ball, motion.last()).v[2] > -1.0, "it has bounced");
    for i in 0..3 {
        assert!(
            (before[i] - after[i]).abs() < 1e-8 && (spin_before[i] - spin_after[i]).abs() < 1e-7,
            "{spin_before:?} {spin_after:?}"
        );
    }
    assert!(defect(&motion) < 1e-6, "{}", defect(&motion));
}

#[test]
fn stops_turn_a_slider_back() {
    let (m, v, k) = (2.0, 3.0, 1e5);
    let mut b = Mechanism::builder();
    let slider = b.body("slider", Body::new(m, [0.1; 3]).moving([v, 0.0, 0.0]));
    let guide = b.joint("guide", Prismatic, GROUND.origin().axis(X), slider.origin().axis(X));
    b.stops("stops", guide.displacement(), Stops { lower: -0.5, upper: 0.7, stiffness: k, damping: 0.0 });
    let mechanism = build(b);
    let motion = run(&mechanism, 4.0);
    let place = |t: f64| {
        mechanism.coordinate(guide.displacement(), t, &motion.at(t).expect("inside").q, &[0.0; 6]).expect("slides").0
    };
    let deepest = (0.5 * m * v * v / (0.4 * k)).powf(0.4);
    let (most, least) =
        (0..40_000).map(|k| place(f64::from(k) * 1e-4)).fold((0.0_f64, 0.0_f64), |(a, b), x| (a.max(x), b.min(x)));
    assert!((most - 0.7 - deepest).abs() < 1e-4 && (least + 0.5 + deepest).abs() < 1e-4, "{most} {least} {deepest}");
    assert!((mechanism.motion(slider, motion.last()).v[0].abs() - v).abs() < 1e-5);
    assert!(defect(&motion) < 1e-6);
}

#[test]
fn drag_lets_bodies_fall_at_their_final_speed() {
    let (m, c) = (0.8, 0.05_f64);
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -G]);
    let body = b.body("body", Body::new(m, [0.1; 3]));
    b.drag("air", body.origin(), Drag::new(c));
    let mechanism = build(b);
    let motion = run(&mechanism, 8.0);
    let last = (m * G / c).sqrt();
    for t in [0.5, 2.0, 8.0] {
        let found = mechanism.motion(body, &motion.at(t).expect("inside")).v[2];
        assert!((found + last * (G * t / last).tanh()).abs() < 1e-7, "{t}: {found}");
    }
    assert!(defect(&motion) < 1e-6);
}

/// The force of a tyre on a wheel that moves with v, leans by an angle and turns with w about its axle.
fn pushed(tyre: Tyre, height: f64, v: [f64; 3], w: f64, lean: f64) -> [f64; 3] {
    let mut b = Mechanism::builder();
    // The axle is y of the body.
    let wheel = b.body(
        "wheel",
        Body::new(20.0, [0.5, 0.9, 0.5]).at([0.0, 0.0, height]).turned(X, lean).moving(v).spinning([0.0, w, 0.0]),
    );
    b.tyre("tyre", wheel.origin().axis(Y), GROUND.origin().axis(Z), tyre);
    let mechanism = build(b);
    let state = consistent(mechanism.system(), mechanism.guess()).expect("consistent");
    mechanism.motion(wheel, &state).a.map(|a| 20.0 * a)
}

#[test]
fn tyres_push_by_their_slip_and_no_more_than_friction_allows() {
    let of = tyre();
    let height = 0.28;
    let normal = of.stiffness * 0.02;
    let speed = 20.0;
    let rolls = speed / of.radius;
    // e_x = y * z = x: the wheel rolls ahead.
    let none = pushed(of, height, [speed, 0.0, 0.0], rolls, 0.0);
    assert!(none[0].abs() < 1e-6 && none[1].abs() < 1e-6 && (none[2] - normal).abs() < 1e-6, "{none:?}");
    // Slopes at no slip.
    let slip = 1e-6;
    let ahead = pushed(of, height, [speed, 0.0, 0.0], rolls * (1.0 + slip), 0.0)[0] / slip;
    let side = pushed(of, height, [speed, speed * slip, 0.0], rolls, 0.0)[1] / slip;
    assert!(
        (ahead / of.slip_stiffness - 1.0).abs() < 1e-3 && (side / of.cornering_stiffness + 1.0).abs() < 1e-3,
        "{ahead} {side}"
    );
    // The brush in between: sigma (1 - tau + tau^2/3).
    let kappa = 0.1;
    let sigma = of.slip_stiffness * kappa;
    let tau = sigma / (3.0 * of.friction * normal);
    let found = pushed(of, height, [speed, 0.0, 0.0], rolls * (1.0 + kappa), 0.0)[0];
    assert!((found / (sigma * (1.0 - tau + tau * tau / 3.0)) - 1.0).abs() < 1e-4, "{found}");
    // A locked wheel slides, also sideways, against its motion.
    let locked = pushed(of, height, [speed, 0.0, 0.0], 0.0, 0.0);
    assert!((locked[0] + of.friction * normal).abs() < 1e-6 * normal, "{locked:?}");
    let askew = pushed(of, height, [speed, 10.0, 0.0], 0.0, 0.0);
    assert!((askew[0].hypot(askew[1]) - of.friction * normal).abs() < 1e-6 * normal && askew[1] < 0.0, "{askew:?}");
    // A wheel that leans touches by its edge.
    let leaning = pushed(of, 0.28 * 0.2_f64.cos(), [speed, 0.0, 0.0], rolls, 0.2);
    assert!((leaning[2] - normal).abs() < 1e-6, "{leaning:?}");
    assert_eq!(pushed(of, 0.31, [speed, 0.0, 0.0], 0.0, 0.0), [0.0; 3]);
}

#[test]
fn mistakes_are_told_by_name() {
    let told = |make: &dyn Fn(&mut Builder, BodyId)| {
        let mut b = Mechanism::builder();
        let body = b.body("a", Body::new(1.0, [1.0; 3]));
        make(&mut b, body);
        b.build().map(|_| ()).expect_err("a mistake").to_string()
    };
    let ground = GROUND.origin();
    let bad = [
        told(&|b, a| _ = b.sphere_on_plane("x", a.origin(), -1.0, ground, Contact::new(1.0))),
        told(&|b, a| _ = b.sphere_on_plane("x", a.origin(), 1.0, ground, Contact::new(f64::NAN))),
        told(&|b, a| _ = b.sphere_on_sphere("x", (a.origin(), 1.0), (a.at(X), 1.0), Contact::new(1.0))),
        told(&|b, a| _ = b.drag("x", a.origin(), Drag::new(-1.0))),
        told(&|b, a| _ = b.tyre("x", a.origin(), ground, Tyre { radius: 0.0, ..tyre() })),
        told(&|b, a| {
            let guide = b.joint("guide", Prismatic, ground, a.origin());
            b.stops("x", guide.displacement(), Stops { lower: 1.0, upper: 0.0, stiffness: 1.0, damping: 0.0 });
        }),
    ];
    for message in bad {
        assert!(message.contains("`x`"), "{message}");
    }
}
