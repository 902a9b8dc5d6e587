//! Results that speak for themselves: residuals with names and times, energy balances, rejected steps, words.

#[path = "events/common.rs"]
mod common;

use std::sync::Arc;

use alembert::audit::ConstraintLevel;
use alembert::method::{Form, Projection, Scheme};
use alembert::{
    Action, At, Bdf, ConstrainedSystem, Differentiated, Direction, Energy, ErrorControl, Event, FixedSteps, Functions,
    GeneralizedAlpha, Guess, HhtAlpha, Integrator, Quantity, RungeKutta, Supplied, Tolerance, Unobserved, consistent,
};
use alembert_problems::bead::Bead;
use alembert_problems::clutch::Clutch;
use common::{Steps, integrator, methods, start};

/// The pendulum with a moving pivot of the problems, with its energy.
fn moving(pendulum: Box<dyn ConstrainedSystem>) -> Functions<'static> {
    let pendulum: Arc<dyn ConstrainedSystem> = pendulum.into();
    let of = |quantity: Quantity| {
        let pendulum = pendulum.clone();
        move |at: &At, out: &mut [f64]| assert_eq!(pendulum.ask(quantity, at, out), Supplied::Yes)
    };
    let moving = [Quantity::Mass, Quantity::Force, Quantity::Holonomic]
        .into_iter()
        .fold(Functions::new(pendulum.dims()), |system, quantity| system.quantity(quantity, of(quantity)));
    moving.energy(|_, q, v| Energy {
        kinetic: 0.5 * (v[0] * v[0] + v[1] * v[1]),
        potential: 9.81 * q[1],
        ..Energy::default()
    })
}

#[test]
fn the_balance_counts_the_work_of_a_moving_pivot() {
    let mut problem = alembert_problems::by_name("rheonomic_pendulum").expect("known");
    problem.system = Box::new(moving(problem.system));
    let start = start(&*problem.system, problem.start.q.clone(), problem.start.v.clone());
    for (name, scheme, steps) in methods() {
        let mut integrator = integrator(&*problem.system, &start, &*scheme, steps, 1e-8);
        integrator.run(2.0, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
        let balance = integrator.summary().energy.expect("the system says");
        // The exact work: the energies at the ends are those of the reference.
        let energy = |t: f64| {
            let state = problem.reference_at(t);
            0.5 * (state.v[0].powi(2) + state.v[1].powi(2)) + 9.81 * state.q[1]
        };
        let work = energy(2.0) - energy(0.0);
        let error = (balance.input - work).abs();
        println!("{name}: work {error:.1e}, defect {:.1e}", balance.largest);
        let limit = match name {
            "radau 5" | "radau 3" => 1e-6,
            "variable bdf" => 1e-5,
            "bdf 4, fixed" | "radau 2, fixed" | "hht" | "soi2" => 1e-3,
            _ => 0.1,
        };
        assert!(work.abs() > 0.1 && error < limit && balance.largest < limit, "{name}: {error:e} {balance:?}");
        assert!(balance.dissipated == 0.0 && balance.events == 0.0, "{name}");
    }
}

#[test]
fn the_balance_of_a_clutch_closes_over_modes() {
    let clutch = Clutch::default();
    let slipping = Differentiated::new(clutch);
    let locked = Differentiated::new(Clutch { locked: true, ..clutch });
    let start = start(&slipping, vec![0.0, 0.0], vec![clutch.speed, 0.0]);
    let index2 = HhtAlpha::new(-0.1).expect("in range").with_form(Form::Index2);
    for (name, scheme, steps) in methods() {
        let scheme: Box<dyn Scheme> = if name.starts_with("hht") { Box::new(index2) } else { scheme };
        let mut integrator = integrator(&slipping, &start, &*scheme, steps, 1e-8);
        integrator.add_mode(&locked, &*scheme).expect("fits");
        let same = Event::new("lock", |state| state.v[0] - state.v[1]).with_direction(Direction::Falling);
        integrator.add_event(same.in_mode(0).with_action(|_| Action::Switch(1)));
        integrator.run(2.0, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
        let balance = integrator.summary().energy.expect("the system says");
        // Everything is a polynomial of degree five at most; what slips is lost: c times the angle slipped.
        let ([j1, j2], [tau0, tau1], t) = (clutch.inertia, clutch.engine, clutch.lock_time());
        let slope = (tau0 - clutch.capacity) / j1 - clutch.capacity / j2;
        let angle = t * (clutch.speed + t * (0.5 * slope + t * tau1 / (6.0 * j1)));
        assert!((balance.dissipated - clutch.capacity * angle).abs() < 1e-9, "{name}: {balance:?}");
        assert!(balance.largest < 1e-9 && balance.input > 1.0, "{name}: {balance:?}");
        let last = integrator.summary().residuals;
        assert!(last.iter().all(|largest| largest.constraint == "clutch"), "{name}: {last:?}");
    }
}

#[test]
fn events_are_charged_with_what_they_take() {
    let bead = Bead::default();
    let system = Differentiated::new(bead);
    let start = start(&system, bead.start(), vec![0.0, 0.0]);
    for (name, scheme, steps) in methods() {
        let mut integrator = integrator(&system, &start, &*scheme, steps, 1e-8);
        let plate = Event::new("plate", |state| bead.gap(state)).with_direction(Direction::Falling);
        integrator.add_event(plate.with_bounce(bead.restitution));
        integrator.run(0.5 * (bead.bounce_time(1) + bead.bounce_time(2)), &mut Unobserved).expect("runs");
        let summary = integrator.summary();
        let balance = summary.energy.expect("the system says");
        let fall = bead.gravity * bead.distance * bead.angle.sin();
        let lost = fall * (1.0 - bead.restitution.powi(4));
        assert!((balance.events + lost).abs() < 1e-9, "{name}: {balance:?}");
        assert!(balance.largest < 1e-9, "{name}: {balance:?}");
        let text = summary.to_string();
        assert!(text.contains("2 events on the way") && text.contains("gained at events"), "{text}");
    }
}

#[test]
fn residuals_have_a_level_a_name_and_a_time() {
    let problem = alembert_problems::by_name("andrews").expect("known");
    let guess = Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone());
    let start = consistent(&*problem.system, &guess).expect("consistent");
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    // Without projection the velocity level drifts, and a result says so.
    let plain = RungeKutta::default().with_projection(Projection::Off);
    let steps = || FixedSteps::new(1e-4).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, &plain, steps(), tolerance).expect("starts");
    let (mut velocity, mut at) = (0.0, 0.0);
    while integrator.state().t < 5e-3 {
        let accepted = integrator.step(5e-3).expect("steps");
        if accepted.attempt.residuals.velocity > velocity {
            (velocity, at) = (accepted.attempt.residuals.velocity, accepted.state.t);
        }
    }
    let summary = integrator.summary();
    let largest = summary.residuals.iter().find(|largest| largest.level == ConstraintLevel::Velocity).expect("watched");
    assert_eq!((largest.residual, largest.t), (velocity, at));
    assert!(velocity > 1e-13, "{velocity:e}");
    assert!(largest.constraint.starts_with("g["), "{summary}");
    assert!(summary.to_string().contains(&format!("velocity level: {velocity:.1e} ({} at", largest.constraint)));

    // The accelerations of BDF are differences: the acceleration level shows their error, which falls with the step.
    let level = |h: f64| {
        let scheme = Bdf::new(2).expect("in range");
        let steps = FixedSteps::new(h).expect("positive");
        let mut integrator = Integrator::new(&*problem.system, &start, &scheme, steps, tolerance).expect("starts");
        integrator.audit_accelerations();
        integrator.run(5e-3, &mut Unobserved).expect("runs");
        let residuals = integrator.summary().residuals;
        residuals.iter().find(|l| l.level == ConstraintLevel::Acceleration).map(|l| l.residual).expect("watched")
    };
    let (coarse, fine) = (level(2e-5), level(1e-5));
    assert!(coarse > 1e-12 && coarse / fine > 2.0, "{coarse:e} {fine:e}");
}

#[test]
fn rejections_are_told_in_words() {
    let problem = alembert_problems::by_name("pendulum_horizontal").expect("known");
    let start = start(&*problem.system, problem.start.q.clone(), problem.start.v.clone());
    let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
    let control = ErrorControl::new().per_step().with_first_step(0.02).expect("positive");
    let scheme = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let mut integrator = Integrator::new(&*problem.system, &start, &scheme, control, tolerance).expect("starts");
    integrator.run(1.0, &mut Unobserved).expect("runs");
    let summary = integrator.summary();
    let stats = summary.stats;
    assert_eq!(stats.attempts, stats.steps + stats.rejected + stats.failed);
    let text = summary.to_string();
    assert!(stats.rejected > 0 && text.contains(&format!("{} by the error test", stats.rejected)), "{text}");
    assert!(
        text.starts_with(&format!("generalized-alpha went from t = 0 to t = 1 in {} steps", stats.steps)),
        "{text}"
    );
    let balance = summary.energy.expect("the system says");
    assert!(balance.largest < 1e-3 && balance.largest > 0.0, "{text}");
}

#[test]
fn a_system_without_energy_says_so() {
    let problem = alembert_problems::by_name("andrews").expect("known");
    let start = start(&*problem.system, problem.start.q.clone(), problem.start.v.clone());
    let integrator = integrator(&*problem.system, &start, &RungeKutta::default(), Steps::Error, 1e-6);
    assert!(integrator.summary().to_string().ends_with("energy: the system does not say"));
}
