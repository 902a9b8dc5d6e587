//! Ranges that are none, motions that stop, single points, steps one by one.

use alembert::integrator::IntegrateError;
use alembert::solution::NoState;
use alembert::solve::SolveError;
use alembert::{Dims, ErrorControl, Event, Functions, Guess, Integrator, Limits, Plan, RungeKutta, consistent, solve};

use super::{ball, from, tolerance};

/// A mass under a force of time.
pub fn driven(force: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Functions<'static> {
    Functions::new(Dims { q: 1, v: 1, lambda: 0, psi: 0 })
        .mass(|_, _, mass| mass[0] = 1.0)
        .force(move |t, _, _, out| out[0] = force(t))
}

#[test]
fn ranges_that_are_none_are_refused_with_words() {
    let system = ball();
    for (from_t, to, word) in [
        (0.0, 0.0, "empty"),
        (0.0, -1.0, "backwards"),
        (0.0, f64::NAN, "not one"),
        (0.0, f64::INFINITY, "not one"),
        (f64::NAN, 1.0, "not one"),
    ] {
        let error = solve(&system, &from(1.0), from_t..to, tolerance(1e-6)).expect_err("refused");
        assert!(matches!(error, SolveError::Range { .. }), "{from_t}..{to}: {error:?}");
        let words = error.to_string();
        assert!(words.contains(word) && words.contains("\nhint: "), "{from_t}..{to}: {words}");
    }
    let error = solve(&system, &from(1.0), 1.0..2.0, tolerance(1e-6)).expect_err("refused");
    assert_eq!(error, SolveError::OtherTime { guess: 0.0, from: 1.0 });
    assert!(error.to_string().contains("hint: "));
    let error = solve(&system, &Guess::new(0.0, vec![], vec![]), 0.0..1.0, tolerance(1e-6)).expect_err("refused");
    assert!(matches!(error, SolveError::Start(_)), "{error:?}");
}

/// A force with a pole: the motion ends where it is, and what was computed until then is right.
#[test]
fn a_motion_that_stops_is_there_up_to_where_it_came() {
    // x'' = 6/(1-t)^4 has x = 1/(1-t)^2.
    let system = driven(|t: f64| 6.0 / (1.0 - t).powi(4));
    let guess = Guess::new(0.0, vec![1.0], vec![2.0]);
    let solution = solve(&system, &guess, 0.0..3.0, tolerance(1e-9)).expect("starts");
    assert!(!solution.is_whole());
    let end = *solution.range().end();
    assert!(end > 0.9 && end < 1.0, "{end}");
    for k in 0..90 {
        let t = 0.01 * f64::from(k);
        let exact = (1.0 - t).powi(-2);
        assert!((solution.at(t).expect("computed").q[0] - exact).abs() < 1e-6 * exact, "at {t}");
    }
    let Err(NoState::Outside { stopped: Some(error), .. }) = solution.at(2.0) else { panic!("{:?}", solution.at(2.0)) };
    assert_eq!(Err(*error), *solution.outcome());
    let words = solution.at(2.0).expect_err("not computed").to_string();
    assert!(words.contains("stopped") && words.contains("hint: "), "{words}");
    let earlier = solution.at(-1.0).expect_err("not computed");
    assert!(
        matches!(earlier, NoState::Outside { stopped: None, .. }),
        "before the start nothing stopped it: {earlier}"
    );
    assert!(solution.at(f64::NAN).is_err());
    assert!(solution.whole().is_err());
}

#[test]
fn a_motion_that_cannot_begin_is_a_single_point() {
    let system = ball();
    let limits = Limits { attempts: Some(0), ..Limits::default() };
    let solution =
        solve(&system, &from(3.0), 0.0..1.0, Plan::new(tolerance(1e-6)).with_limits(limits)).expect("starts");
    assert!(matches!(solution.outcome(), Err(IntegrateError::Limit { .. })));
    assert_eq!((solution.steps().len(), solution.range()), (0, 0.0..=0.0));
    for state in [solution.at(0.0), solution.before(0.0)] {
        assert_eq!((state.expect("the start").q, solution.start().q.clone()), (vec![3.0], vec![3.0]));
    }
    assert!(solution.at(1e-9).is_err() && solution.at(-1e-9).is_err());
}

#[test]
fn an_interrupted_motion_goes_as_far_as_it_got() {
    let system = ball();
    let mut asked = 0;
    let interrupt: Box<dyn FnMut() -> bool + Send> = Box::new(move || {
        asked += 1;
        asked > 3
    });
    let control = ErrorControl::new().with_longest(0.1).expect("positive");
    let plan = Plan::new(tolerance(1e-6)).with_control(control);
    let plan = plan.with_limits(Limits { interrupt: Some(interrupt), ..Limits::default() });
    let solution = solve(&system, &from(3.0), 0.0..9.0, plan).expect("starts");
    assert!(!solution.is_whole() && solution.steps().len() == 3);
    let t = 0.5 * solution.range().end();
    assert!((solution.at(t).expect("computed").q[0] - (3.0 - 5.0 * t * t)).abs() < 1e-9);
}

#[test]
fn steps_one_by_one_are_those_of_a_run() {
    let system = ball();
    let solution = solve(&system, &from(5.0), 0.0..1.5, bounce()).expect("starts").whole().expect("whole");
    let start = consistent(&system, &from(5.0)).expect("consistent");
    let radau = RungeKutta::radau(alembert::solve::stages(1e-8)).expect("in range");
    let mut integrator =
        Integrator::new(&system, &start, &radau, ErrorControl::new(), tolerance(1e-8)).expect("starts");
    integrator.add_event(floor());
    // The first steps, then the others: nothing is lost in between.
    let mut steps: Vec<_> = integrator.steps(1.5).take(2).map(|step| step.expect("a step").state).collect();
    steps.extend(integrator.steps(1.5).map(|step| step.expect("a step").state));
    let kept: Vec<_> = solution.steps().iter().map(|step| step.state.clone()).collect();
    assert_eq!(steps, kept);
    assert_eq!(solution.summary().stats.steps, kept.len() as u64);
    assert_eq!(integrator.steps(1.0).filter(Result::is_err).count(), 1, "backwards: one error, then nothing");
}

fn floor<'e>() -> Event<'e> {
    Event::new("floor", |state| state.q[0]).with_direction(alembert::Direction::Falling).with_bounce(0.5)
}

fn bounce<'e>() -> Plan<'e> {
    Plan::new(tolerance(1e-8)).with_event(floor())
}

#[test]
fn the_start_is_repaired_and_said_so() {
    let system = alembert_problems::by_name("pendulum").expect("known");
    let mut off = system.start.q.clone();
    off[0] += 0.01;
    let guess = Guess::new(system.start.t, off, system.start.v.clone());
    let solution =
        solve(&*system.system, &guess, system.start.t..system.start.t + 0.1, tolerance(1e-6)).expect("starts");
    let report = solution.report().expect("there is one");
    assert!(report.positions.moved > 1e-3 && report.positions.residual_after < 1e-12);
}
