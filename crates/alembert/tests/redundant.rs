//! Constraints that follow from others: named, or accepted with the smallest multipliers.

#[path = "redundant/contradictions.rs"]
mod contradictions;
#[path = "redundant/dead_points.rs"]
mod dead_points;
#[path = "redundant/four_bar.rs"]
mod four_bar;
#[path = "redundant/least.rs"]
mod least;
#[path = "redundant/naming.rs"]
mod naming;
#[path = "redundant/skate.rs"]
mod skate;
#[path = "redundant/train.rs"]
mod train;

use std::ops::ControlFlow;

use alembert::initial::{Guess, InitialError, Options, consistent, consistent_with};
use alembert::method::{Output, Scheme};
use alembert::{
    Accepted, Bdf, ConstrainedSystem, ErrorControl, Event, FixedSteps, GeneralizedAlpha, HhtAlpha, Integrator,
    Observer, Occurrence, Redundancy, RungeKutta, State, Stats, Tolerance, Unobserved, VariableBdf,
};
use four_bar::FourBar;
use least::Least;
use skate::Skate;
use train::Train;

use Redundancy::{LeastSquares, Refused};

fn largest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().fold(0.0, |max, x| if x.is_nan() { x } else { max.max(x.abs()) })
}

fn difference(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    largest(x.iter().zip(y).map(|(x, y)| x - y))
}

fn soi2() -> GeneralizedAlpha {
    GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")
}

fn tolerance(x: f64) -> Tolerance {
    Tolerance::new(x, x).expect("a tolerance")
}

/// Fixed steps.
fn run(system: &dyn ConstrainedSystem, guess: &Guess, scheme: &dyn Scheme, h: f64, t_end: f64) -> (State, Stats) {
    let start = consistent(system, guess).unwrap_or_else(|e| panic!("{e}"));
    let steps = FixedSteps::new(h).expect("a step");
    let mut integrator = Integrator::new(system, &start, scheme, steps, tolerance(1e-10)).expect("suits");
    let what = (scheme.name(), system.description().redundancy);
    integrator.run(t_end, &mut Unobserved).unwrap_or_else(|e| panic!("{what:?}: {e}"));
    (integrator.state().clone(), integrator.stats())
}

/// What two runs must have in common.
struct Limits {
    q: f64,
    v: f64,
    /// Accelerations and multipliers, against those of the singular value decomposition at the same q and v.
    a: f64,
    lambda: f64,
    /// Constraints after each step.
    residual: f64,
}

/// `dense` is the system with dense matrices.
fn agree(what: &str, limits: &Limits, dense: &dyn ConstrainedSystem, run: (State, Stats), expected: &State) {
    let (state, stats) = run;
    let least = Least::new(dense, &state);
    let residuals = stats.residuals;
    let [q, v, a] =
        [(&state.q, &expected.q), (&state.v, &expected.v), (&state.a, &least.a)].map(|(x, y)| difference(x, y));
    let (lambda, residual) = (least.distance(&state.lambda), residuals.position.max(residuals.velocity));
    println!("{what}: q {q:.1e}, v {v:.1e}, a {a:.1e}, lambda {lambda:.1e}, constraints {residual:.1e}");
    assert!(least.rank < dense.dims().lambda, "{what}: nothing is redundant");
    assert!(q <= limits.q && v <= limits.v, "{what}: q {q:e}, v {v:e}");
    assert!(a <= limits.a && lambda <= limits.lambda, "{what}: a {a:e}, lambda {lambda:e}");
    assert!(residual <= limits.residual, "{what}: {residuals:?}");
}

#[test]
fn a_start_with_a_bar_too_many_is_found_where_it_is_accepted() {
    for (beams, sparse) in [(2, false), (60, true)] {
        let choose = |train: Train| if sparse { train.sparse() } else { train }.system();
        let three = choose(Train::new(beams, 3, LeastSquares));
        let mut guess = Train::guess(beams);
        // Off the constraints, and turned.
        guess.q.iter_mut().enumerate().for_each(|(i, q)| *q += 1e-3 * (1.0 + 2.0 * i as f64).sin());
        let (state, report) = consistent_with(&three, &guess, &Options::default()).expect("accepted");
        assert_eq!(report.rank, 2 * beams);
        assert_eq!(report.redundant.len(), beams);
        assert!(report.redundant.iter().all(|dependence| dependence.on.len() == 2));
        // Coordinates are up to 50: a rounding of both ends of a bar is 1.4e-14.
        assert!(report.positions.residual_after < 3e-14, "{report:?}");
        let two = choose(Train::new(beams, 2, Refused));
        let expected = consistent(&two, &Guess { q: state.q.clone(), ..guess }).expect("regular");
        assert!(difference(&state.q, &expected.q) < 1e-11, "{:e}", difference(&state.q, &expected.q));
        assert!(difference(&state.a, &expected.a) < 1e-9, "{:e}", difference(&state.a, &expected.a));
        let least = Least::new(&Train::new(beams, 3, LeastSquares).system(), &state);
        assert_eq!(least.rank, report.rank);
        assert!(least.distance(&state.lambda) < 1e-6, "{beams} beams: {:e}", least.distance(&state.lambda));
    }
}

#[test]
fn the_motion_is_that_without_the_bar_too_many() {
    let (soi2, radau, bdf) = (soi2(), RungeKutta::radau(3).expect("stages"), Bdf::new(3).expect("an order"));
    let schemes: [(&dyn Scheme, f64); 3] = [(&soi2, 2e-3), (&radau, 1e-2), (&bdf, 2e-3)];
    let limits = Limits { q: 1e-11, v: 1e-10, a: 1e-10, lambda: 1e-7, residual: 1e-14 };
    for (beams, bars, t_end) in [(1, 3, 2.0), (3, 3, 2.0), (2, 4, 1.0)] {
        let [more, two] = [(bars, LeastSquares), (2, Refused)].map(|(bars, r)| Train::new(beams, bars, r).system());
        for (scheme, h) in schemes {
            let [(expected, _), found] =
                [&two, &more].map(|system| run(system, &Train::guess(beams), scheme, h, t_end));
            agree(&format!("{bars} bars for {beams} beams, {}", scheme.name()), &limits, &more, found, &expected);
        }
    }
}

#[test]
fn the_motion_of_hundreds_of_bars_is_that_without_those_too_many() {
    // Without redundant constraints the output of so many bars would be the method's own, which differs by Newton's tolerance.
    let soi2 = soi2().with_output(Output::Consistent);
    let (radau, bdf) = (RungeKutta::radau(3).expect("stages"), Bdf::new(3).expect("an order"));
    let schemes: [(&dyn Scheme, f64); 3] = [(&soi2, 2e-3), (&radau, 1e-2), (&bdf, 2e-3)];
    let beams = 200;
    let limits = Limits { q: 1e-11, v: 1e-10, a: 1e-9, lambda: 1e-7, residual: 1e-14 };
    for (scheme, h) in schemes {
        // Also with a constraint that follows from all bars.
        for level in [false, true] {
            let three = Train { level, ..Train::new(beams, 3, LeastSquares) };
            let (sparse, dense) = (three.clone().sparse().system(), three.system());
            let two = Train::new(beams, 2, Refused).sparse().system();
            let [(expected, _), found] =
                [&two, &sparse].map(|system| run(system, &Train::guess(beams), scheme, h, 0.2));
            agree(&format!("{beams} beams, {}", scheme.name()), &limits, &dense, found, &expected);
        }
    }
}

#[test]
fn a_planar_linkage_in_space_moves_as_with_the_constraints_it_needs() {
    let (soi2, radau, bdf) = (soi2(), RungeKutta::radau(3).expect("stages"), Bdf::new(3).expect("an order"));
    let schemes: [(&dyn Scheme, f64); 3] = [(&soi2, 2e-3), (&radau, 1e-2), (&bdf, 2e-3)];
    let limits = Limits { q: 1e-10, v: 1e-9, a: 1e-10, lambda: 1e-7, residual: 1e-14 };
    let [all, needed] = [(5, LeastSquares), (2, Refused)].map(|(last, redundancy)| FourBar::system(last, redundancy));
    for (scheme, h) in schemes {
        // More than a turn of the crank.
        let [(expected, _), found] = [&needed, &all].map(|system| run(system, &FourBar::guess(), scheme, h, 2.0));
        agree(&format!("four bars in space, {}", scheme.name()), &limits, &all, found, &expected);
    }
}

#[test]
fn a_skate_that_is_held_twice_shares_its_load() {
    let schemes: [&dyn Scheme; 3] = [&soi2(), &RungeKutta::radau(3).expect("stages"), &Bdf::new(3).expect("an order")];
    let [twice, once] = [(&[1.0, 2.0][..], LeastSquares), (&[1.0][..], Refused)].map(|(f, r)| Skate::system(f, r));
    for scheme in schemes {
        let [(state, _), (expected, _)] = [&twice, &once].map(|skate| run(skate, &Skate::guess(), scheme, 5e-3, 2.0));
        let (q, v) = (difference(&state.q, &expected.q), difference(&state.v, &expected.v));
        // Least psi_1^2 + 4 psi_2^2 with psi_1 + 2 psi_2 = psi: equal loads.
        let psi = consistent(&once, &Guess::new(expected.t, expected.q, expected.v)).expect("regular").psi[0];
        let shares = difference(&state.psi, &[psi / 2.0, psi / 4.0]) / psi.abs();
        println!("skate, {}: q {q:.1e}, v {v:.1e}, psi {shares:.1e}", scheme.name());
        assert!(q < 1e-11 && v < 1e-11 && shares < 1e-7, "{}: q {q:e}, v {v:e}, psi {shares:e}", scheme.name());
    }
}

#[test]
fn error_control_works_with_a_bar_too_many() {
    let (soi2, radau, bdf) = (soi2(), RungeKutta::radau(5).expect("stages"), VariableBdf::new());
    for (beams, sparse) in [(3, false), (60, true)] {
        for scheme in [&soi2 as &dyn Scheme, &radau, &bdf] {
            let run = |train: Train| {
                let system = if sparse { train.sparse() } else { train }.system();
                let start = consistent(&system, &Train::guess(beams)).expect("consistent");
                let mut integrator =
                    Integrator::new(&system, &start, scheme, ErrorControl::new(), tolerance(1e-6)).expect("suits");
                integrator.run(0.5, &mut Unobserved).unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
                (integrator.state().clone(), integrator.stats())
            };
            let (state, stats) = run(Train::new(beams, 3, LeastSquares));
            let (expected, without) = run(Train::new(beams, 2, Refused));
            let error = difference(&state.q, &expected.q);
            println!("{beams} beams, {}: {error:.1e}, {} steps for {}", scheme.name(), stats.steps, without.steps);
            assert!(error < 1e-6, "{beams} beams, {}: {error:e}", scheme.name());
            assert!(stats.steps <= without.steps + without.steps / 10, "{stats}\n{without}");
        }
    }
}

#[test]
fn a_bar_too_many_of_the_wrong_length_is_refused_all_the_same() {
    for (beams, sparse) in [(2, false), (60, true)] {
        let train = Train { last: 1.001, ..Train::new(beams, 3, LeastSquares) };
        let system = if sparse { train.sparse() } else { train }.system();
        let error = consistent(&system, &Train::guess(beams)).expect_err("contradictory");
        assert!(
            matches!(error, InitialError::Contradictory { .. } | InitialError::Unreachable { .. }),
            "{beams} beams: {error}"
        );
        assert!(error.to_string().contains(&format!("bar 3 of beam {beams}")), "{error}");
    }
}

#[test]
fn a_system_without_redundant_constraints_may_accept_them() {
    for scheme in [&soi2() as &dyn Scheme, &RungeKutta::radau(3).expect("stages"), &Bdf::new(3).expect("order")] {
        let [(strict, _), (lenient, _)] = [Refused, LeastSquares]
            .map(|redundancy| run(&Train::new(3, 2, redundancy).system(), &Train::guess(3), scheme, 5e-3, 1.0));
        let errors = [(&strict.q, &lenient.q), (&strict.v, &lenient.v)].map(|(x, y)| difference(x, y));
        assert!(errors.iter().all(|error| *error < 1e-10), "{}: {errors:?}", scheme.name());
    }
}

#[test]
fn hht_refuses_systems_that_may_be_redundant() {
    let system = Train::new(1, 3, LeastSquares).system();
    let start = consistent(&system, &Train::guess(1)).expect("accepted");
    let (hht, steps) = (HhtAlpha::new(-0.1).expect("in range"), FixedSteps::new(1e-2).expect("a step"));
    let error = Integrator::new(&system, &start, &hht, steps, tolerance(1e-8)).err().expect("unsuited");
    assert!(error.to_string().contains("redundant"), "{error}");
}

#[test]
fn what_does_nothing_does_not_gather_in_multipliers() {
    let beams = 3;
    for (scheme, limit) in [(&soi2() as &dyn Scheme, 1e-5), (&RungeKutta::radau(3).expect("stages"), 1e-3)] {
        let system = Train::new(beams, 3, LeastSquares).system();
        let start = consistent(&system, &Train::guess(beams)).expect("accepted");
        let steps = FixedSteps::new(5e-4).expect("a step");
        let mut integrator = Integrator::new(&system, &start, scheme, steps, tolerance(1e-10)).expect("suits");
        let mut worst = 0.0_f64;
        let mut look = |accepted: &Accepted| {
            worst = worst.max(Least::new(&system, accepted.state).distance(accepted.own.lambda));
            ControlFlow::Continue(())
        };
        integrator.run(0.25, &mut look).unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
        println!("{}: own multipliers off by {worst:.1e}", scheme.name());
        assert!(worst < limit, "{}: {worst:e}", scheme.name());
    }
}

#[test]
fn multipliers_are_the_smallest_at_loose_tolerances_too() {
    let schemes: [&dyn Scheme; 3] = [&soi2(), &RungeKutta::radau(3).expect("stages"), &Bdf::new(3).expect("an order")];
    let system = Train::new(3, 3, LeastSquares).system();
    for scheme in schemes {
        for loose in [1e-2, 1e-4, 1e-6] {
            let start = consistent(&system, &Train::guess(3)).expect("accepted");
            let steps = FixedSteps::new(1e-2).expect("a step");
            let mut integrator = Integrator::new(&system, &start, scheme, steps, tolerance(loose)).expect("suits");
            integrator.run(0.5, &mut Unobserved).unwrap_or_else(|e| panic!("{} at {loose}: {e}", scheme.name()));
            let least = Least::new(&system, integrator.state());
            let (a, lambda) = (difference(&integrator.state().a, &least.a), least.distance(&integrator.state().lambda));
            println!("{} at {loose}: a {a:.1e}, lambda {lambda:.1e}", scheme.name());
            assert!(a < 1e-9 && lambda < 1e-6, "{} at {loose}: a {a:e}, lambda {lambda:e}", scheme.name());
        }
    }
}

#[test]
fn impacts_are_those_without_the_bar_too_many() {
    let schemes: [&dyn Scheme; 3] = [&soi2(), &RungeKutta::radau(3).expect("stages"), &Bdf::new(3).expect("an order")];
    for scheme in schemes {
        let run = |bars: usize, redundancy: Redundancy| {
            let system = Train::new(3, bars, redundancy).system();
            let start = consistent(&system, &Train::guess(3)).expect("consistent");
            let steps = FixedSteps::new(2e-3).expect("a step");
            let mut integrator = Integrator::new(&system, &start, scheme, steps, tolerance(1e-10)).expect("suits");
            integrator.add_event(Event::new("wall", |state| state.q[6] - 1.2).with_bounce(0.8));
            let mut impacts = Impacts::default();
            integrator.run(1.0, &mut impacts).unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
            (integrator.state().clone(), impacts.0)
        };
        let ((state, impacts), (expected, known)) = (run(3, LeastSquares), run(2, Refused));
        let errors =
            [difference(&state.q, &expected.q), difference(&state.v, &expected.v), difference(&impacts, &known)];
        println!("{}: {} impacts, {errors:?}", scheme.name(), known.len());
        assert!(!known.is_empty() && errors.iter().all(|error| *error < 1e-9), "{}: {errors:?}", scheme.name());
    }
}

/// Impulses of bounces.
#[derive(Default)]
struct Impacts(Vec<f64>);

impl Observer for Impacts {
    fn on_step(&mut self, _: &mut Accepted) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_event(&mut self, event: &Occurrence) -> ControlFlow<()> {
        self.0.push(event.contact);
        ControlFlow::Continue(())
    }
}
