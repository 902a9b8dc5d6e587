//! The N-four-bar (IFToMM A02) through its flat position, in which branches of motion meet, against its exact motion.
//!
//! All cranks stay parallel at the angle phi: one coordinate, with N + 1 cranks and N couplers of 1 m and 1 kg
//!
//! ```text
//! ((N + 1)/3 + N) phi'' = -g ((N + 1)/2 + N) cos phi
//! ```

use alembert::{Limits, Plan, RungeKutta, Tolerance, solve};
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
    let singular = mechanism.singular(motion.last()).expect("a singular configuration");
    println!("{singular}");
    assert!(singular.joints.contains(&"left 0".to_owned()) && singular.weakest < 0.05, "{singular}");
    // phi = 0 there.
    let known = exact(2, 1.0);
    assert!(known[2][0] > 0.0 && known[3][0] < 0.0 && singular.t > 0.5 && singular.t < 0.75, "{known:?} {singular}");
    assert!(mechanism.singular(motion.start()).is_none(), "upright it is not singular");
}

#[test]
fn dead_points_are_passed_on_the_branch_of_momentum() {
    for (loops, planar) in [(1, true), (2, true), (4, true), (1, false), (2, false)] {
        let mechanism = n_four_bar(loops, planar);
        let stages = if planar { 7 } else { 3 };
        let through = mechanism
            .solve_through(0.0..10.0, || plan(1e-11, stages))
            .unwrap_or_else(|e| panic!("{loops}, {planar}: {e}"));
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
        let turns = (known[known.len() - 1][0] - known[0][0]) / std::f64::consts::TAU;
        println!(
            "{loops} loops, planar {planar}: {} passages in {turns:.2} turns, off by {position:.1e} and {velocity:.1e}",
            through.passages.len()
        );
        assert!(position < 1e-6 && velocity < 1e-5, "{loops} loops, planar {planar}: {position:e} {velocity:e}");
        // Twice in each turn.
        let expected = (-(known[known.len() - 1][0]) / std::f64::consts::PI).floor() as usize + 1;
        assert_eq!(through.passages.len(), expected);
        for passage in &through.passages {
            assert!(passage.times.contains(&passage.at.t) && !passage.at.joints.is_empty(), "{passage:?}");
            let inside = through.at(passage.at.t).expect("in range");
            assert!(inside.lambda.iter().all(|x| x.is_nan()), "reactions are not determined there");
        }
    }
}

#[test]
fn loose_tolerances_pass_as_well_as_they_can() {
    for (rtol, limit) in [(1e-6, 1e-2), (1e-8, 1e-4)] {
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

    // Nearly flat at the start: there is no motion yet to be continued.
    let mut b = Mechanism::builder();
    b.planar().gravity([0.0, -9.81, 0.0]);
    let angle = 0.03_f64;
    let (s, c) = angle.sin_cos();
    let rod = || Body::new(1.0, [1e-3, 1.0 / 12.0, 1.0 / 12.0]);
    let (low, high) = ([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]);
    let crank = |foot: f64| rod().at([foot + 0.5 * c, 0.5 * s, 0.0]).angled(angle).moving([0.5 * s, -0.5 * c, 0.0]);
    let left = b.body("left", crank(0.0).spinning([0.0, 0.0, -1.0]));
    let right = b.body("right", crank(1.0).spinning([0.0, 0.0, -1.0]));
    let coupler = b.body("coupler", rod().at([c + 0.5, s, 0.0]).moving([s, -c, 0.0]));
    b.joint("A", Revolute, GROUND.origin(), left.at(low));
    b.joint("B", Revolute, left.at(high), coupler.at(low));
    b.joint("C", Revolute, coupler.at(high), right.at(high));
    b.joint("D", Revolute, GROUND.at([1.0, 0.0, 0.0]), right.at(low));
    let mut mechanism = b.build().expect("right");
    mechanism.close().expect("drawn closed");
    let error = mechanism.solve_through(0.0..1.0, || plan(1e-9, 5)).expect_err("too soon");
    assert!(matches!(&error, Unpassed::TooShort(at) if at.joints == ["A", "B", "C", "D"]), "{error}");
    assert!(error.to_string().contains("hint: start farther away"), "{error}");
}
