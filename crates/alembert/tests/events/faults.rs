//! Each fault has a name, a time, and leaves what was computed so far.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use alembert::integrator::{EventFailure, IntegrateError, Limit, Obstacle};
use alembert::{
    Accepted, Action, Differentiated, ErrorControl, Event, Integrator, Limits, Outcome, Recorder, RungeKutta,
    Tolerance, Unobserved,
};
use alembert_problems::rope::Rope;

use super::common::{integrator, methods, start};

fn pendulum() -> Differentiated<Rope> {
    Differentiated::new(Rope { gravity: 9.81, taut: true })
}

#[test]
fn an_event_that_is_not_a_number_is_named() {
    let system = pendulum();
    let start = start(&system, vec![1.0, 0.0], vec![0.0, 0.0]);
    for (name, scheme, steps) in methods() {
        let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-6);
        integrator.add_event(Event::new("broken", |state| (0.5 - state.t).sqrt()));
        let mut trail = Recorder::default();
        let error = integrator.run(1.0, &mut trail).expect_err("not a number");
        let IntegrateError::Event { t, name: event, failure: EventFailure::NotANumber } = &error else {
            panic!("{name}: {error}")
        };
        assert_eq!(event, "broken");
        assert!((0.45..0.8).contains(t), "{name}: {t}");
        assert!(!trail.states.is_empty() && integrator.state().t > 0.3, "{name}");
        assert!(error.to_string().starts_with(&format!("event `broken` at t = {t}")), "{error}");
    }
}

#[test]
fn an_observer_may_stop() {
    let system = pendulum();
    let start = start(&system, vec![1.0, 0.0], vec![0.0, 0.0]);
    for (name, scheme, steps) in methods() {
        let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-6);
        let mut stop =
            |step: &Accepted| if step.state.t > 0.2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        assert_eq!(integrator.run(1.0, &mut stop), Ok(Outcome::Stopped), "{name}");
        assert!(integrator.state().t > 0.2 && integrator.state().t < 1.0, "{name}");
        assert_eq!(integrator.run(1.0, &mut Unobserved), Ok(Outcome::Reached), "{name}");
    }
}

#[test]
fn limits_end_a_run_by_name_and_can_be_raised() {
    let system = pendulum();
    let start = start(&system, vec![1.0, 0.0], vec![0.0, 0.0]);
    for (name, scheme, steps) in methods() {
        for limit in [Limit::Attempts(3), Limit::Evaluations(200), Limit::Interrupt] {
            let asked = AtomicU32::new(0);
            let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-6);
            let limits = match limit {
                Limit::Attempts(most) => Limits { attempts: Some(most), ..Limits::default() },
                Limit::Evaluations(most) => Limits { evaluations: Some(most), ..Limits::default() },
                Limit::Interrupt => {
                    let out_of_time = || asked.fetch_add(1, Ordering::Relaxed) + 1 > 3;
                    Limits { interrupt: Some(Box::new(out_of_time)), ..Limits::default() }
                }
            };
            integrator.limit(limits);
            let error = integrator.run(5.0, &mut Unobserved).expect_err("limited");
            let t = integrator.state().t;
            assert_eq!(error, IntegrateError::Limit { t, limit }, "{name}");
            assert!(t > 0.0, "{name}");
            let stats = integrator.stats();
            assert!(stats.attempts >= 1 && stats.attempts <= 60, "{name}: {stats}");
            integrator.limit(Limits::default());
            assert_eq!(integrator.run(5.0, &mut Unobserved), Ok(Outcome::Reached), "{name}");
        }
    }
}

#[test]
fn a_controller_pinned_at_its_shortest_step_says_so() {
    let system = pendulum();
    let start = start(&system, vec![1.0, 0.0], vec![0.0, 0.0]);
    let tolerance = Tolerance::new(1e-10, 1e-10).expect("in range");
    for (name, scheme, _) in methods().into_iter().filter(|(_, _, steps)| matches!(steps, super::common::Steps::Error))
    {
        let control = ErrorControl::new().with_first_step(0.5).expect("positive").with_shortest(0.3).expect("positive");
        let mut integrator = Integrator::new(&system, &start, &*scheme, control, tolerance).expect("starts");
        let error = integrator.run(5.0, &mut Unobserved).expect_err("too coarse");
        let IntegrateError::StepTooSmall { t, h, shortest, cause, .. } = &error else { panic!("{name}: {error}") };
        assert_eq!((*t, *shortest), (0.0, 0.3), "{name}");
        assert!(*h >= 0.3 && *h <= 0.5, "{name}: {h}");
        assert!(
            matches!(cause, Obstacle::Error(norm) if *norm > 1.0) || matches!(cause, Obstacle::Failure(_)),
            "{name}"
        );
        assert!(error.to_string().contains("steps below 3e-1 are not allowed"), "{error}");
        assert!(integrator.stats().attempts >= 1, "{name}");
    }
}

#[test]
fn actions_that_cannot_be_done_are_refused_by_name() {
    let system = pendulum();
    let start = start(&system, vec![1.0, 0.0], vec![0.0, 0.0]);
    let run = |action: fn(&mut alembert::State) -> Action| {
        let scheme = RungeKutta::default();
        let mut integrator = integrator(&system, &start, &scheme, super::common::Steps::Error, 1e-6);
        integrator.add_event(Event::new("bottom", |state| state.q[0]).with_action(action));
        integrator.run(1.0, &mut Unobserved).expect_err("refused").to_string()
    };
    let text = run(|_| Action::Switch(3));
    assert!(text.contains("event `bottom`") && text.contains("there is no mode 3"), "{text}");
    let text = run(|_| Action::Bounce { restitution: 1.5 });
    assert!(text.contains("the coefficient of restitution is 1.5"), "{text}");
    let text = run(|state| {
        state.q[1] -= 0.1;
        Action::Restart
    });
    assert!(text.contains("off the constraint rope by 2.1e-1"), "{text}");
    let text = run(|state| {
        state.v[0] = f64::NAN;
        Action::Restart
    });
    assert!(text.contains("event `bottom`"), "{text}");
}
