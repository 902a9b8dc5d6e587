//! Steps end where a system switches, and its branches are held in between: errors are those of smooth motions.

#[path = "switches/point.rs"]
mod point;

use std::f64::consts::PI;
use std::sync::atomic::Ordering;

use alembert::controller::StepController;
use alembert::integrator::IntegrateError;
use alembert::method::Scheme;
use alembert::{
    Action, Bdf, ConstrainedSystem, Differentiated, ErrorControl, Event, FixedSteps, GeneralizedAlpha, Guess, HhtAlpha,
    Integrator, RungeKutta, State, Tolerance, Unobserved, VariableBdf, consistent,
};
use alembert_problems::kinked_pendulum::{self, Force};
use point::{Law, Points};

fn radau(stages: usize) -> Box<dyn Scheme> {
    Box::new(RungeKutta::radau(stages).expect("in range"))
}

fn soi2() -> Box<dyn Scheme> {
    Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"))
}

fn hht() -> Box<dyn Scheme> {
    Box::new(HhtAlpha::new(-0.1).expect("in range"))
}

/// Every method with error control, and a tolerance for it.
fn methods() -> Vec<(Box<dyn Scheme>, f64)> {
    vec![(radau(5), 1e-9), (Box::new(VariableBdf::new()), 1e-8), (soi2(), 1e-5), (hht(), 1e-5)]
}

fn integrator<'s>(
    system: &'s dyn ConstrainedSystem,
    q: &[f64],
    v: &[f64],
    scheme: &dyn Scheme,
    controller: impl StepController + 'static,
    tol: f64,
) -> Integrator<'s> {
    let start = consistent(system, &Guess::new(0.0, q.to_vec(), v.to_vec())).expect("consistent");
    Integrator::new(system, &start, scheme, controller, Tolerance::new(tol, tol).expect("in range")).expect("suits")
}

/// Errors of q and v over the tolerance at some times, where the motion of one point is known, and how many switches were passed.
fn ratio(
    system: &Differentiated<Points>,
    start: (f64, f64),
    (scheme, tol): (&dyn Scheme, f64),
    times: &[f64],
    exact: &dyn Fn(f64) -> (f64, f64),
) -> (f64, u64) {
    let mut run = integrator(system, &[start.0], &[start.1], scheme, ErrorControl::new(), tol);
    let (mut error, mut size) = (0.0_f64, 1.0_f64);
    for &t in times {
        run.run(t, &mut Unobserved).unwrap_or_else(|e| panic!("{} {:?}: {e}", scheme.name(), system.formulas().law));
        let (x, v) = exact(t);
        error = error.max((run.state().q[0] - x).abs()).max((run.state().v[0] - v).abs());
        size = size.max(1.0 + x.abs().max(v.abs()));
    }
    (error / size / tol, run.stats().switches)
}

/// Two springs of stiffness 4 and 1: half a turn of each, again and again.
fn bilinear(t: f64) -> (f64, f64) {
    // From x = 0 with speed 1 into the stiff spring.
    let rest = t % (PI / 2.0 + PI);
    if rest < PI / 2.0 {
        ((2.0 * rest).sin() / 2.0, (2.0 * rest).cos())
    } else {
        let s = rest - PI / 2.0;
        (-s.sin(), -s.cos())
    }
}

#[test]
fn two_springs_are_two_sines() {
    let system = Points::new(Law::Bilinear { a: 4.0, b: 1.0 }, 1);
    for (scheme, tol) in methods() {
        let (ratio, switches) = ratio(&system, (0.0, 1.0), (&*scheme, tol), &[2.0, 9.3, 20.0], &bilinear);
        assert!(ratio < 10.0, "{}: {ratio}", scheme.name());
        // 20 is in the fifth period of 3 pi/2, with two switches each.
        assert_eq!(switches, 8, "{}", scheme.name());
    }
}

#[test]
fn a_start_on_a_switch_goes_where_it_leads() {
    for (way, law) in [(1.0, Law::Bilinear { a: 4.0, b: 1.0 }), (-1.0, Law::Bilinear { a: 1.0, b: 4.0 })] {
        let system = Points::new(law, 1);
        let exact = |t: f64| (way * bilinear(t).0, way * bilinear(t).1);
        let (ratio, switches) = ratio(&system, (0.0, way), (&*radau(5), 1e-9), &[1.0, 2.0], &exact);
        assert!(ratio < 10.0 && switches == 1, "{law:?}: {ratio}, {switches}");
    }
    // At rest on the switch, and both branches lead away: a zero counts as positive.
    let system = Points::new(Law::Away { c: 0.5 }, 1);
    let (ratio, switches) = ratio(&system, (0.0, 0.0), (&*radau(5), 1e-9), &[3.0], &|t| (t * t / 4.0, t / 2.0));
    assert!(ratio < 1.0 && switches == 0, "{ratio}, {switches}");
}

#[test]
fn a_spring_with_dry_friction_loses_its_share_in_each_swing_and_sticks() {
    // x'' = -x - mu sign(x') from x = 1 at rest: half cosines about -mu and mu, each 2 mu smaller than the last.
    let mu = 0.08;
    let exact = |t: f64| {
        let swing = (t / PI).floor();
        let way = if swing % 2.0 == 0.0 { 1.0 } else { -1.0 };
        let amplitude = 1.0 - mu - 2.0 * mu * swing;
        let s = t - PI * swing;
        (way * (amplitude * s.cos() + mu), -way * amplitude * s.sin())
    };
    let system = Points::new(Law::Friction { mu, drive: 0.0 }, 1);
    for (scheme, tol) in methods() {
        let (ratio, switches) = ratio(&system, (1.0, 0.0), (&*scheme, tol), &[2.0, 5.0, 12.0, 18.0], &exact);
        assert!(ratio < 10.0, "{}: {ratio}", scheme.name());
        assert_eq!(switches, 5, "{}", scheme.name());
    }
    // After six swings the spring is too weak: |x| = 1 - 12 mu = 0.04 < mu.
    let mut run = integrator(&system, &[1.0], &[0.0], &*radau(5), ErrorControl::new(), 1e-8);
    let error = run.run(30.0, &mut Unobserved).expect_err("it sticks");
    let IntegrateError::Sliding { t, switch, .. } = &error else { panic!("{error}") };
    assert!((t - 6.0 * PI).abs() < 1e-2, "{t}");
    assert_eq!(switch.as_deref(), Some("the friction of point 0"));
    assert!(error.to_string().contains("the friction of point 0"), "{error}");
    assert!((1..=32).contains(&run.stats().slides), "{}", run.stats().slides);
    let (name, since) = run.summary().slid.expect("it slid");
    assert!(name == "the friction of point 0" && since >= 6.0 * PI - 1e-6, "{name} {since}");
    // Prescribed steps have no solution there, and it is named all the same.
    for scheme in [radau(3), soi2(), hht()] {
        let steps = FixedSteps::new(0.05).expect("positive");
        let mut run = integrator(&system, &[1.0], &[0.0], &*scheme, steps, 1e-8);
        let error = run.run(25.0, &mut Unobserved).expect_err("sticks");
        let IntegrateError::Sliding { t, .. } = &error else { panic!("{}: {error}", scheme.name()) };
        assert!((t - 6.0 * PI).abs() < 0.2, "{}: {t}", scheme.name());
    }
}

#[test]
fn friction_that_is_overcome_does_not_stick() {
    // The drive is always stronger: x'' = -x + 3 - mu sign(x') about 3 -+ mu.
    let (mu, drive) = (0.5, 3.0);
    let exact = |t: f64| {
        let (up, half) = (drive - mu, PI);
        if t < half {
            (up - up * t.cos(), up * t.sin())
        } else {
            let (centre, s) = (drive + mu, t - half);
            let amplitude = 2.0 * up - centre;
            (centre + amplitude * s.cos(), -amplitude * s.sin())
        }
    };
    let system = Points::new(Law::Friction { mu, drive }, 1);
    for (scheme, tol) in methods() {
        let (ratio, switches) = ratio(&system, (0.0, 0.0), (&*scheme, tol), &[2.0, 4.0, 6.0], &exact);
        assert!(ratio < 10.0 && switches == 1, "{}: {ratio}, {switches}", scheme.name());
    }
}

#[test]
fn a_switch_that_is_passed_twice_within_a_step_is_found() {
    // A throw whose top is above d by little: parabolas, which Radau's steps are exact for, so that steps are long.
    for above in [1e-2, 1e-5, 1e-8] {
        let (c, d) = (3.0, 0.5 - above);
        let system = Points::new(Law::Ceiling { c, d }, 1);
        let speed = (2.0_f64 * above).sqrt();
        let (first, second) = (1.0 - speed, 1.0 - speed + 2.0 * speed / (1.0 + c));
        let exact = |t: f64| {
            if t < second {
                (t - 0.5 * t * t, 1.0 - t)
            } else {
                let s = t - second;
                (d - speed * s - 0.5 * s * s, -speed - s)
            }
        };
        assert!(first < second);
        let (ratio, switches) = ratio(&system, (0.0, 1.0), (&*radau(5), 1e-9), &[0.3, 3.0], &exact);
        assert!(ratio < 2.0 && switches == 2, "{above:e}: {ratio}, {switches}");
    }
    // One that does not reach d, and one that touches it from below to rounding.
    for (d, most) in [(0.5 + 1e-8, 0), (0.5, 2)] {
        let system = Points::new(Law::Ceiling { c: 3.0, d }, 1);
        let exact = |t: f64| (t - 0.5 * t * t, 1.0 - t);
        let (ratio, switches) = ratio(&system, (0.0, 1.0), (&*radau(5), 1e-9), &[0.3, 3.0], &exact);
        assert!(ratio < 2.0 && switches <= most, "{d}: {ratio}, {switches}");
    }
}

#[test]
fn stairs_are_climbed_one_by_one() {
    // x'' = 0, 1, 2, ... between whole numbers, from x = 0.5 with speed 1, by hand.
    let exact = |t: f64| {
        let (mut now, mut x, mut v, mut a) = (0.0, 0.5_f64, 1.0_f64, 0.0_f64);
        loop {
            let rise = x.floor() + 1.0 - x;
            let span = if a == 0.0 { rise / v } else { ((v * v + 2.0 * a * rise).sqrt() - v) / a };
            if now + span >= t {
                let s = t - now;
                return (x + v * s + 0.5 * a * s * s, v + a * s);
            }
            (now, x, v, a) = (now + span, (x + rise).round(), v + a * span, a + 1.0);
        }
    };
    let system = Points::new(Law::Stairs, 1);
    for (scheme, tol) in methods() {
        let (ratio, switches) = ratio(&system, (0.5, 1.0), (&*scheme, tol), &[0.7, 1.5, 2.5], &exact);
        assert!(ratio < 10.0, "{}: {ratio}", scheme.name());
        assert_eq!(switches, exact(2.5).0.floor() as u64, "{}", scheme.name());
    }
    // And down again.
    let down = Points::new(Law::Stairs, 1);
    let exact =
        |t: f64| if t < 0.5 { (0.5 - t, -1.0) } else { (-0.5 * (t - 0.5).powi(2) - (t - 0.5), -1.0 - (t - 0.5)) };
    let (ratio, switches) = ratio(&down, (0.5, -1.0), (&*radau(5), 1e-9), &[0.3, 1.0], &exact);
    assert!(ratio < 2.0 && switches == 1, "{ratio}, {switches}");
}

#[test]
fn play_holds_both_of_its_switches() {
    // Free flight across the play, half a cosine beyond each end.
    let exact = |t: f64| {
        let rest = t % (2.0 * (2.0 + PI));
        let (way, rest) = if rest < 2.0 + PI { (1.0, rest) } else { (-1.0, rest - 2.0 - PI) };
        // From the left end.
        let (x, v) = if rest < 2.0 { (rest - 1.0, 1.0) } else { (1.0 + (rest - 2.0).sin(), (rest - 2.0).cos()) };
        (way * x, way * v)
    };
    let system = Points::new(Law::Play, 1);
    for (scheme, tol) in methods() {
        let (ratio, switches) = ratio(&system, (-1.0, 1.0), (&*scheme, tol), &[1.5, 4.0, 9.0, 13.0], &exact);
        assert!(ratio < 10.0, "{}: {ratio}", scheme.name());
        // The middle and both ends in each of the first two passages, then the middle and one end.
        assert_eq!(switches, 8, "{}", scheme.name());
    }
}

#[test]
fn a_branch_without_values_beyond_its_end_is_passed_all_the_same() {
    // Energy: v^2/2 + x + (2/5) k max(0, -x)^(5/2).
    let k = 1e3;
    let system = Points::new(Law::Hertz { k }, 1);
    let energy = |state: &State| {
        let (x, v) = (state.q[0], state.v[0]);
        0.5 * v * v + x + 0.4 * k * f64::max(0.0, -x).powf(2.5)
    };
    for (scheme, tol) in methods() {
        let mut run = integrator(&system, &[0.3], &[0.0], &*scheme, ErrorControl::new(), tol);
        run.run(5.0, &mut Unobserved).unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
        let off = (energy(run.state()) - 0.3).abs();
        assert!(off < 300.0 * tol, "{}: {off:e}", scheme.name());
    }
}

#[test]
fn points_that_switch_at_once_are_one_instant() {
    // A thousand points in step: one restart for all of them, and no search for each.
    let count = 100;
    let system = Points::new(Law::Bilinear { a: 4.0, b: 1.0 }, count);
    let mut run = integrator(&system, &vec![0.0; count], &vec![1.0; count], &*radau(5), ErrorControl::new(), 1e-8);
    run.run(4.0, &mut Unobserved).expect("runs");
    let stats = run.stats();
    assert_eq!(stats.switches, count as u64);
    let (x, v) = bilinear(4.0);
    let off = run
        .state()
        .q
        .iter()
        .chain(&run.state().v)
        .zip([x].repeat(count).iter().chain(&[v].repeat(count)))
        .fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    assert!(off < 1e-7, "{off:e}");
}

#[test]
fn many_switches_that_are_not_passed_cost_a_few_questions_a_step() {
    let count = 50;
    let system = Points::new(Law::Ceiling { c: 3.0, d: 10.0 }, count);
    let mut run = integrator(&system, &vec![0.0; count], &vec![1.0; count], &*radau(5), ErrorControl::new(), 1e-8);
    let before = system.formulas().questions.load(Ordering::Relaxed);
    run.run(4.0, &mut Unobserved).expect("runs");
    let (asked, steps) = (system.formulas().questions.load(Ordering::Relaxed) - before, run.stats().steps as usize);
    assert!(asked <= 8 * steps + 8, "{asked} questions in {steps} steps");
    assert_eq!(run.stats().switches, 0);
}

#[test]
fn an_event_at_the_instant_of_a_switch_is_not_lost() {
    let system = Points::new(Law::Bilinear { a: 4.0, b: 1.0 }, 1);
    for scheme in [radau(5), Box::new(VariableBdf::new()) as Box<dyn Scheme>] {
        let mut run = integrator(&system, &[0.0], &[1.0], &*scheme, ErrorControl::new(), 1e-8);
        run.add_event(Event::new("passes", |state: &State| state.q[0]).with_action(|_| Action::Continue));
        run.add_event(Event::new("turns", |state: &State| state.v[0]).with_action(|_| Action::Continue));
        run.run(9.0, &mut Unobserved).expect("runs");
        let count = |name: &str| run.occurrences().iter().filter(|event| event.name == name).count();
        assert_eq!((count("passes"), count("turns"), run.stats().switches), (3, 4, 3), "{}", scheme.name());
    }
    // An impact on the switch itself: the motion goes back, on the branch it came from.
    let mut run = integrator(&system, &[0.5], &[0.0], &*radau(5), ErrorControl::new(), 1e-9);
    run.add_event(Event::new("wall", |state: &State| state.q[0]).with_bounce(1.0));
    run.run(3.0, &mut Unobserved).expect("runs");
    let (x, v) = (0.5 * (2.0_f64 * 3.0).cos().abs(), 0.0);
    assert!((run.state().q[0] - x).abs() < 1e-8 && run.state().v[0] != v, "{} {x}", run.state().q[0]);
    assert_eq!(run.stats().switches, 0);
}

#[test]
fn orders_are_those_of_smooth_motions_across_kinks_and_jumps() {
    let orders: [(Box<dyn Scheme>, f64, f64); 6] = [
        (radau(2), 3.0, 1.0 / 40.0),
        (radau(3), 5.0, 1.0 / 16.0),
        (soi2(), 2.0, 1.0 / 200.0),
        (hht(), 2.0, 1.0 / 200.0),
        (Box::new(Bdf::new(2).expect("in range")), 2.0, 1.0 / 800.0),
        (Box::new(Bdf::new(3).expect("in range")), 3.0, 1.0 / 400.0),
    ];
    for force in [Force::Kink { k: 5.0, d: 0.3 }, Force::Jump { c: 2.0, d: 0.1 }] {
        let problem = kinked_pendulum::declared(force);
        let exact = problem.reference_at(1.5);
        for (scheme, order, h) in &orders {
            let error = |h: f64| {
                let steps = FixedSteps::new(h).expect("positive");
                let mut run = integrator(&*problem.system, &[1.0, 0.0], &[0.0, 0.0], &**scheme, steps, 1e-12);
                run.run(exact.t, &mut Unobserved).unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
                assert!(run.stats().switches >= 1, "{}: {:?}", scheme.name(), run.stats().switches);
                let pairs = run.state().q.iter().chain(&run.state().v).zip(exact.q.iter().chain(&exact.v));
                pairs.fold(0.0_f64, |most, (x, y)| most.max((x - y).abs()))
            };
            // Four lengths, since where a step is cut is chance.
            let errors: Vec<f64> = (0..4).map(|k| error(h / 2f64.powi(k))).collect();
            let found = (errors[0] / errors[3]).log2() / 3.0;
            assert!(found > order - 0.35, "{} {force:?}: order {found}, errors {errors:?}", scheme.name());
        }
    }
}

#[test]
fn errors_are_those_of_smooth_motions_and_steps_are_fewer() {
    let forces = [Force::Kink { k: 5.0, d: 0.3 }, Force::Jump { c: -3.0, d: 0.4 }, Force::Stop { k: 1e6, d: 0.1 }];
    for force in forces {
        let declared = kinked_pendulum::declared(force);
        let exact: Vec<State> = (1..=4).map(|t| declared.reference_at(f64::from(t))).collect();
        for (scheme, tol) in [(radau(3), 1e-4), (radau(5), 1e-8), (radau(7), 1e-10)] {
            let run = |ignore: bool| {
                let mut run =
                    integrator(&*declared.system, &[1.0, 0.0], &[0.0, 0.0], &*scheme, ErrorControl::new(), tol);
                if ignore {
                    run.ignore_switches();
                }
                let mut most = 0.0_f64;
                for exact in &exact {
                    run.run(exact.t, &mut Unobserved).expect("runs");
                    for (x, y) in [(&run.state().q, &exact.q), (&run.state().v, &exact.v)] {
                        let size = y.iter().fold(1.0_f64, |size, y| size.max(1.0 + y.abs()));
                        most = x.iter().zip(y).fold(most, |most, (x, y)| most.max((x - y).abs() / size / tol));
                    }
                }
                (most, run.stats())
            };
            let ((held, stats), (free, ignored)) = (run(false), run(true));
            assert!(held < 8.0, "{force:?} at {tol:e}: {held}, {free} without");
            assert!(stats.steps <= ignored.steps + 10, "{force:?} at {tol:e}: {}, {}", stats.steps, ignored.steps);
            assert!(stats.switches > 0 && ignored.switches == 0);
        }
    }
}

#[test]
fn a_body_that_sticks_for_a_moment_goes_on() {
    // x'' = t - mu sign(x'): from speed -mu^2/2 + ... it comes to rest at t = 0.02, sticks until t = mu = 0.021, and goes on.
    let mu = 0.021;
    let system = Points::new(Law::Pushed { mu }, 1);
    // v = v0 + t^2/2 + mu t while it goes backwards.
    let stop: f64 = 0.0205;
    let v0 = -(0.5 * stop * stop + mu * stop);
    let mut run = integrator(&system, &[0.0], &[v0], &*radau(5), ErrorControl::new(), 1e-5);
    run.run(1.0, &mut Unobserved).expect("goes on");
    let exact = 0.5 * (1.0 - mu).powi(2);
    assert!((run.state().v[0] - exact).abs() < 1e-4, "{} {exact}", run.state().v[0]);
    assert!(run.summary().slid.is_some() && run.stats().slides > 0);
}

#[test]
fn a_restored_run_goes_on_bit_for_bit_on_its_branches() {
    let system = Points::new(Law::Friction { mu: 0.08, drive: 0.0 }, 1);
    for (scheme, tol) in [(radau(5), 1e-8), (Box::new(VariableBdf::new()), 1e-6), (soi2(), 1e-4)] {
        let build = || integrator(&system, &[1.0], &[0.0], &*scheme, ErrorControl::new(), tol);
        for steps in [1, 5, 9, 14, 23] {
            let mut one = build();
            (0..steps).for_each(|_| _ = one.step(15.0).expect("steps"));
            let mut other = build();
            other.restore(&one.checkpoint().expect("can be saved")).expect("is its own");
            for _ in 0..30 {
                if one.state().t >= 15.0 {
                    break;
                }
                one.step(15.0).expect("steps");
                other.step(15.0).expect("steps");
                assert_eq!(one.state(), other.state(), "{} after {steps}", scheme.name());
            }
            assert_eq!(one.stats(), other.stats());
        }
    }
}
