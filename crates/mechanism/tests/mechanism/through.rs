//! The N-four-bar (IFToMM A02) through its flat position, in which branches of motion meet, against its exact motion.
//!
//! All cranks stay parallel at the angle phi: one coordinate, with N + 1 cranks and N couplers of 1 m and 1 kg
//!
//! ```text
//! ((N + 1)/3 + N) phi'' = -g ((N + 1)/2 + N) cos phi
//! ```

use alembert::{GeneralizedAlpha, HhtAlpha, Limits, Plan, RungeKutta, Tolerance, VariableBdf, solve};
use alembert_mechanism::joint::Revolute;
use alembert_mechanism::{Body, GROUND, Mechanism, Unpassed};

/// N loops of upright cranks, pushed at 1 m/s; in the plane, or in space with joints that hold three directions more than once.
fn n_four_bar(loops: usize, planar: bool) -> Mechanism {
    let mut b = Mechanism::builder();
    b.gravity([0.0, -9.81, 0.0]);
    if planar {
        b.planar();
    }
    let rod = || Body::new(1.0, [1e-3, 1.0 / 12.0, 1.0 / 12.0]);
    let half = std::f64::consts::FRAC_PI_2;
    let up = [(0.5 * half).cos(), 0.0, 0.0, (0.5 * half).sin()];
    let (low, high) = ([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]);
    let mut cranks = Vec::new();
    for k in 0..=loops {
        // Pushed to the right, the cranks turn clockwise.
        let body = rod().at([k as f64, 0.5, 0.0]).angled(half).quaternion(up);
        let crank = b.body(format!("crank {k}"), body.moving([0.5, 0.0, 0.0]).spinning([0.0, 0.0, -1.0]));
        b.joint(format!("foot {k}"), Revolute, GROUND.at([k as f64, 0.0, 0.0]), crank.at(low));
        cranks.push(crank);
    }
    for k in 0..loops {
        let coupler = b.body(format!("coupler {k}"), rod().at([k as f64 + 0.5, 1.0, 0.0]).moving([1.0, 0.0, 0.0]));
        b.joint(format!("left {k}"), Revolute, cranks[k].at(high), coupler.at(low));
        b.joint(format!("right {k}"), Revolute, coupler.at(high), cranks[k + 1].at(high));
    }
    let mut mechanism = b.build().expect("right");
    mechanism.close().expect("drawn closed");
    mechanism
}

/// The first time at which cranks are flat for N = 2.
const FIRST: f64 = 0.714_355_529_292_960_5;

/// phi and phi' at whole multiples of a quarter of a second.
fn exact(loops: usize, until: f64) -> Vec<[f64; 2]> {
    let n = loops as f64;
    let factor = -9.81 * (0.5 * (n + 1.0) + n) / ((n + 1.0) / 3.0 + n);
    let rate = |x: [f64; 2]| [x[1], factor * x[0].cos()];
    let step = |x: [f64; 2], h: f64, k: [f64; 2]| [x[0] + h * k[0], x[1] + h * k[1]];
    let h = 1.0 / 8192.0;
    let mut x = [std::f64::consts::FRAC_PI_2, -1.0];
    let mut out = vec![x];
    for at in 1..=(until / h) as usize {
        let k1 = rate(x);
        let k2 = rate(step(x, 0.5 * h, k1));
        let k3 = rate(step(x, 0.5 * h, k2));
        let k4 = rate(step(x, h, k3));
        x = [0, 1].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        if at % 2048 == 0 {
            out.push(x);
        }
    }
    out
}

fn plan<'s>(rtol: f64, stages: usize) -> Plan<'s> {
    Plan::new(Tolerance::new(rtol, rtol).expect("in range")).with_method(RungeKutta::radau(stages).expect("stages"))
}

#[test]
fn a_dead_point_is_announced_with_its_time_and_joints() {
    let mechanism = n_four_bar(2, true);
    let motion = solve(mechanism.system(), mechanism.guess(), 0.0..10.0, plan(1e-9, 5)).expect("starts");
    assert!(!motion.is_whole(), "it stops there unless it is asked to go through");
    let error = motion.outcome().clone().expect_err("it has stopped");
    let singular = mechanism.stopped_at(&error, motion.last()).expect("a singular configuration");
    println!("{singular}");
    assert!(singular.joints.contains(&"left 0".to_owned()) && singular.weakest < 1e-6, "{singular:?}");
    // phi = 0 there, from the reduction to one angle in elliptic integrals. The last steps before it are not accurate any more.
    assert!((singular.t - FIRST).abs() < 5e-6, "{singular:?}");
    assert!(mechanism.singular(motion.start()).is_none(), "upright it is not singular");
}

/// The largest errors of positions and velocities until 10 s, checked at every quarter of a second.
fn compare<'m>(mechanism: &'m Mechanism, (loops, name): (usize, &str), plan: impl Fn() -> Plan<'m>) -> [f64; 2] {
    let through = mechanism.solve_through(0.0..10.0, plan).unwrap_or_else(|e| panic!("{loops} loops, {name}: {e}"));
    let known = exact(loops, 10.0);
    let (mut position, mut velocity) = (0.0_f64, 0.0_f64);
    for (at, [phi, speed]) in known.iter().enumerate() {
        let state = through.at(0.25 * at as f64).expect("in range");
        for (k, (id, name)) in mechanism.bodies().enumerate() {
            let motion = mechanism.motion(id, &state);
            let (reach, foot) = if k <= loops { (0.5, k as f64) } else { (1.0, (k - loops - 1) as f64 + 0.5) };
            let (s, c) = phi.sin_cos();
            let [x, y, z] = motion.p;
            assert!(z.abs() < 1e-8, "{name}: {:?}", motion.p);
            position = position.max((x - foot - reach * c).abs()).max((y - reach * s).abs());
            velocity =
                velocity.max((motion.v[0] + reach * s * speed).abs()).max((motion.v[1] - reach * c * speed).abs());
        }
    }
    // Twice in each turn.
    let expected = (-(known[known.len() - 1][0]) / std::f64::consts::PI).floor() as usize + 1;
    assert_eq!(through.passages.len(), expected, "{loops} loops, {name}");
    for passage in &through.passages {
        assert!(passage.times.contains(&passage.at.t) && !passage.at.joints.is_empty(), "{passage:?}");
        let inside = through.at(passage.at.t).expect("in range");
        assert!(inside.lambda.iter().all(|x| x.is_nan()), "reactions are not determined there");
        let (id, _) = mechanism.bodies().next().expect("a crank");
        let height = mechanism.motion(id, &inside).p[1];
        assert!(height.abs() < 1e-7, "{loops} loops, {name}: flat at {}, not {height:e} high", passage.at.t);
    }
    let steps: usize = through.pieces.iter().map(|piece| piece.steps().len()).sum();
    println!(
        "{loops} loops, {name}: {expected} passages, {steps} steps, off by {position:.1e} and {velocity:.1e}, estimated {:.1e}",
        through.passages.iter().fold(0.0_f64, |most, passage| most.max(passage.error()))
    );
    [position, velocity]
}

#[test]
fn dead_points_are_passed_on_the_branch_of_momentum() {
    for (loops, planar) in [(1, true), (4, true), (2, false)] {
        let mechanism = n_four_bar(loops, planar);
        let (stages, name) = if planar { (7, "Radau at 1e-11") } else { (3, "Radau at 1e-11, in space") };
        let [position, velocity] = compare(&mechanism, (loops, name), || plan(1e-11, stages));
        let limit = if planar { 1e-8 } else { 1e-7 };
        assert!(
            position < limit && velocity < 10.0 * limit,
            "{loops} loops, planar {planar}: {position:e} {velocity:e}"
        );
    }
}

#[test]
fn every_method_passes_any_number_of_loops() {
    let tolerance = |rtol: f64| Tolerance::relative(rtol).expect("in range");
    for loops in [2, 5, 10] {
        let mechanism = n_four_bar(loops, true);
        let radau = || Plan::new(tolerance(1e-8)).with_method(RungeKutta::default());
        let bdf = || Plan::new(tolerance(1e-8)).with_method(VariableBdf::new());
        for [position, velocity] in
            [compare(&mechanism, (loops, "Radau"), radau), compare(&mechanism, (loops, "BDF"), bdf)]
        {
            // A relative error of 1e-8 of the speed below makes 9e-6 rad in 10 s: on top the cranks are seven times slower, and wait for what they lack.
            assert!(position < 3e-6 && velocity < 3e-5, "{loops} loops: {position:e} {velocity:e}");
        }
    }
    let mechanism = n_four_bar(2, true);
    let soi2 = || Plan::new(tolerance(1e-5)).with_method(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"));
    let [position, velocity] = compare(&mechanism, (2, "SOI2"), soi2);
    assert!(position < 1e-3 && velocity < 1e-2, "{position:e} {velocity:e}");
    let hht = || Plan::new(tolerance(1e-5)).with_method(HhtAlpha::new(-0.1).expect("in range"));
    let [position, velocity] = compare(&mechanism, (2, "HHT"), hht);
    assert!(position < 1e-2 && velocity < 1e-1, "{position:e} {velocity:e}");
}

#[test]
fn loose_tolerances_pass_as_well_as_they_can() {
    for (rtol, limit) in [(1e-4, 1e-2), (1e-6, 1e-4)] {
        let mechanism = n_four_bar(2, true);
        let through = mechanism.solve_through(0.0..3.0, || plan(rtol, 5)).unwrap_or_else(|e| panic!("{rtol}: {e}"));
        let [phi, _] = exact(2, 3.0)[12];
        let state = through.at(3.0).expect("in range");
        let (id, _) = mechanism.bodies().next().expect("a crank");
        let off = (mechanism.motion(id, &state).p[0] - 0.5 * phi.cos()).abs();
        println!("{rtol:e}: {} passages, off by {off:e}", through.passages.len());
        assert!(through.passages.len() >= 2 && off < limit, "{rtol}: {off:e}");
        assert!(through.at(3.1).is_none() && through.at(-0.1).is_none());
    }
}

#[test]
fn what_cannot_be_passed_is_said() {
    // Limits of the caller are no singular configurations.
    let mechanism = n_four_bar(2, true);
    let few = || plan(1e-9, 5).with_limits(Limits { attempts: Some(10), ..Limits::default() });
    let error = mechanism.solve_through(0.0..10.0, few).expect_err("a limit");
    assert!(matches!(error, Unpassed::Run(_)), "{error}");

    // Nearly flat at the start: rounding decides there how it goes on.
    let error = flat(3e-7, 1.0).solve_through(0.0..1.0, || plan(1e-9, 5)).expect_err("too soon").to_string();
    assert!(error.contains("singular configuration at t = 0.000000: the constraints of `A`, `B`, `C`, `D`"), "{error}");
    assert!(error.contains("too soon after a start") && error.contains("hint: start farther away"), "{error}");

    // A coupler that is a bit too long: the cranks cannot become flat, but turn back within 1e-5 rad, for which no step is short enough.
    for longer in [1e-9, 1e-7, 1e-5] {
        let mechanism = flat(0.5, 1.0 + longer);
        match mechanism.solve_through(0.0..1.0, || plan(1e-9, 5)) {
            Ok(through) => {
                for p in &through.passages {
                    println!("{longer:e} {} {:e} {:?}", p.at, p.error(), p.times);
                }
                assert!(through.passages.is_empty(), "{longer:e}: branches do not meet");
            }
            Err(error @ (Unpassed::NotSmooth { .. } | Unpassed::Run(_))) => println!("{longer:e}: {error}"),
            Err(error) => panic!("{longer:e}: {error}"),
        }
    }
}

#[test]
fn a_start_just_before_a_dead_point_is_enough() {
    for angle in [0.03, 3e-3, 1e-3] {
        let mechanism = flat(angle, 1.0);
        let through = mechanism.solve_through(0.0..0.3, || plan(1e-9, 5)).unwrap_or_else(|e| panic!("{angle}: {e}"));
        let mut x = [angle, -1.0];
        for _ in 0..3000 {
            // Two cranks and the coupler: (2/3 + 1) phi'' = -g (1 + 1) cos phi; midpoint rule.
            let h = 1e-4;
            let rate = |x: [f64; 2]| [x[1], -1.2 * 9.81 * x[0].cos()];
            let k1 = rate(x);
            let k2 = rate([x[0] + 0.5 * h * k1[0], x[1] + 0.5 * h * k1[1]]);
            x = [x[0] + h * k2[0], x[1] + h * k2[1]];
        }
        let (id, _) = mechanism.bodies().next().expect("a crank");
        let off = (mechanism.motion(id, &through.at(0.3).expect("in range")).p[1] - 0.5 * x[0].sin()).abs();
        println!("{angle}: off by {off:e}");
        assert!(through.passages.len() == 1 && off < 1e-7, "{angle}: {off:e}");
    }
}

/// A four-bar of bars of 1 and a coupler of about 1 with cranks at an angle, turning down.
fn flat(angle: f64, coupler: f64) -> Mechanism {
    let mut b = Mechanism::builder();
    b.planar().gravity([0.0, -9.81, 0.0]);
    let (s, c) = angle.sin_cos();
    let rod = || Body::new(1.0, [1e-3, 1.0 / 12.0, 1.0 / 12.0]);
    let (low, high) = ([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]);
    let crank = |foot: f64| rod().at([foot + 0.5 * c, 0.5 * s, 0.0]).angled(angle).moving([0.5 * s, -0.5 * c, 0.0]);
    let left = b.body("left", crank(0.0).spinning([0.0, 0.0, -1.0]));
    let right = b.body("right", crank(1.0).spinning([0.0, 0.0, -1.0]));
    let middle = b.body("coupler", rod().at([c + 0.5, s, 0.0]).moving([s, -c, 0.0]));
    b.joint("A", Revolute, GROUND.origin(), left.at(low));
    b.joint("B", Revolute, left.at(high), middle.at([-0.5 * coupler, 0.0, 0.0]));
    b.joint("C", Revolute, middle.at([0.5 * coupler, 0.0, 0.0]), right.at(high));
    b.joint("D", Revolute, GROUND.at([1.0, 0.0, 0.0]), right.at(low));
    let mut mechanism = b.build().expect("right");
    mechanism.close().expect("drawn closed");
    mechanism
}
