//! Landing on prescribed times, and jumps of the input.

use std::ops::ControlFlow;

use alembert::{
    Accepted, Action, Differentiated, Dims, Direction, ErrorControl, Event, FixedSteps, Formulas, Integrator, Scalar,
    Tolerance, Unobserved,
};

use super::common::{Steps, integrator, methods, start};

/// A unit mass pushed by a force that jumps at t = 1/3 from 1 to -2, with a parasitic oscillator.
struct Pushed;

impl Formulas for Pushed {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(1.0));
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], _: &[S], force: &mut [S]) {
        force[0] = S::from(if t.value() < JUMP { 1.0 } else { -2.0 });
        force[1] = -q[1] * 40.0;
    }
}

const JUMP: f64 = 1.0 / 3.0;

#[test]
fn jumps_of_the_input_are_met_exactly() {
    let system = Differentiated::new(Pushed);
    let start = start(&system, vec![0.0, 1.0], vec![0.0, 0.0]);
    for (name, scheme, steps) in methods() {
        let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-6);
        integrator.jump_at(&[JUMP]).expect("a number");
        let mut times = Vec::new();
        let mut watch = |step: &Accepted| {
            times.push(step.state.t);
            ControlFlow::Continue(())
        };
        integrator.run(1.0, &mut watch).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(integrator.state().t, 1.0, "{name}");
        assert!(times.contains(&JUMP.next_down()), "{name}");
        // Piecewise parabolas: exact for every method of order 2, whatever its steps.
        let rest = 1.0 - JUMP;
        let exact = 0.5 * JUMP * JUMP + JUMP * rest - rest * rest;
        let error = (integrator.state().q[0] - exact).abs();
        assert!(error < 1e-12, "{name}: {error:e}");
        assert!((integrator.state().a[0] + 2.0).abs() < 1e-9, "{name}");
    }
}

#[test]
fn an_event_at_the_very_time_of_a_jump_does_not_hide_it() {
    let system = Differentiated::new(Pushed);
    let start = start(&system, vec![0.0, 1.0], vec![0.0, 0.0]);
    for (name, scheme, steps) in methods() {
        let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-6);
        integrator.jump_at(&[JUMP]).expect("a number");
        // Falls on the last time before the jump, and doubles the velocity there.
        let event = Event::new("time", |state| JUMP.next_down() - state.t).with_direction(Direction::Falling);
        integrator.add_event(event.with_action(|state| {
            state.v[0] *= 2.0;
            Action::Restart
        }));
        integrator.run(1.0, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(integrator.occurrences().len(), 1, "{name}");
        let rest = 1.0 - JUMP;
        let exact = 0.5 * JUMP * JUMP + 2.0 * JUMP * rest - rest * rest;
        let error = (integrator.state().q[0] - exact).abs();
        assert!(error < 1e-12, "{name}: {error:e}");
    }
}

#[test]
fn an_output_grid_is_met_without_slivers_or_rejections() {
    let system = Differentiated::new(Pushed);
    let start = start(&system, vec![0.0, 1.0], vec![0.0, 0.0]);
    let grid: Vec<f64> = (1..=7).map(|k| 0.0417 * f64::from(k)).collect();
    for (name, scheme, steps) in methods() {
        let run = |grid: &[f64]| {
            let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-6);
            integrator.land_on(grid).expect("numbers");
            let (mut times, mut lengths) = (vec![0.0], Vec::new());
            integrator
                .run(0.3, &mut |step: &Accepted| {
                    times.push(step.state.t);
                    lengths.push(step.h);
                    ControlFlow::Continue(())
                })
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            (times, lengths, integrator.stats())
        };
        let (times, lengths, stats) = run(&grid);
        for t in grid.iter().chain(&[0.3]) {
            assert!(times.contains(t), "{name}: {t} is missing in {times:?}");
        }
        let (_, free, free_stats) = run(&[]);
        // Every step is at least a third of what was wanted there; the gap after the last output is a short piece of its own.
        let shortest = lengths.iter().copied().fold(f64::INFINITY, f64::min);
        let wanted = free.iter().copied().fold(f64::INFINITY, f64::min).min(0.3 - grid[6]);
        assert!(shortest > wanted / 3.0, "{name}: {shortest} {wanted}");
        assert!(stats.rejected <= free_stats.rejected + 1 && stats.failed == 0, "{name}: {stats}");
    }
}

#[test]
fn the_controller_remembers_its_step_across_a_landing() {
    let problem = alembert_problems::by_name("oscillator").expect("known");
    let q = problem.start.q.clone();
    let start = start(&*problem.system, q, problem.start.v.clone());
    for (name, scheme, steps) in methods().into_iter().filter(|(_, _, steps)| matches!(steps, Steps::Error)) {
        let run = |landings: &[f64]| {
            let mut integrator = integrator(&*problem.system, &start, &*scheme, steps, 1e-6);
            integrator.land_on(landings).expect("numbers");
            integrator.run(1.0, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
            integrator.stats()
        };
        let (free, landed) = (run(&[]), run(&[0.31, 0.62]));
        assert!(landed.steps <= free.steps + 8, "{name}: {} steps, freely {}", landed.steps, free.steps);
    }
}

#[test]
fn fixed_steps_end_on_time_exactly() {
    let system = Differentiated::new(Pushed);
    let start = start(&system, vec![0.0, 1.0], vec![0.0, 0.0]);
    for (name, scheme, _) in methods() {
        let steps = FixedSteps::pattern(0.01, &[0.7, 1.3]).expect("positive");
        let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
        let mut integrator = Integrator::new(&system, &start, &*scheme, steps, tolerance).expect("starts");
        for end in [0.1, 0.2, 0.3] {
            integrator.run(end, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(integrator.state().t, end, "{name}");
        }
    }
}

#[test]
fn times_must_be_numbers() {
    let system = Differentiated::new(Pushed);
    let start = start(&system, vec![0.0, 1.0], vec![0.0, 0.0]);
    let scheme = alembert::RungeKutta::default();
    let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
    let mut integrator = Integrator::new(&system, &start, &scheme, ErrorControl::new(), tolerance).expect("starts");
    let error = integrator.land_on(&[0.1, f64::NAN]).expect_err("not a number");
    assert!(error.to_string().contains("time 1 of the list is NaN"), "{error}");
}
