//! Watching events does not allocate: steps of the integrator, with error control and at fixed steps.

use crate::counting::allocations;
use alembert::method::Scheme;
use alembert::{
    Action, Bdf, Differentiated, Direction, ErrorControl, Event, FixedSteps, GeneralizedAlpha, Guess, HhtAlpha,
    Integrator, RungeKutta, Tolerance, VariableBdf, consistent,
};
use alembert_problems::kinked_pendulum::{self, Force};
use alembert_problems::rope::Rope;

#[test]
fn watching_does_not_allocate() {
    let system = Differentiated::new(Rope { gravity: 9.81, taut: true });
    let start = consistent(&system, &Guess::new(0.0, vec![1.0, 0.0], vec![0.0, 0.0])).expect("consistent");
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let schemes: [(&str, Box<dyn Scheme>, bool); 6] = [
        ("soi2", Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")), true),
        ("hht", Box::new(HhtAlpha::new(-0.1).expect("in range")), true),
        ("radau", Box::new(RungeKutta::default()), true),
        ("variable bdf", Box::new(VariableBdf::new()), true),
        ("bdf 3", Box::new(Bdf::new(3).expect("in range")), false),
        ("soi2, fixed", Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")), false),
    ];
    for (name, scheme, controlled) in schemes {
        let mut integrator = if controlled {
            Integrator::new(&system, &start, &*scheme, ErrorControl::new(), tolerance)
        } else {
            Integrator::new(&system, &start, &*scheme, FixedSteps::new(0.01).expect("positive"), tolerance)
        }
        .expect("starts");
        // Never reached, passed in the direction that does not count, and close to zero at each turning point.
        integrator.add_event(Event::new("high", |state| state.q[1] - 2.0));
        integrator.add_event(Event::new("low", |state| state.lambda[0] + 1.0).with_direction(Direction::Falling));
        integrator.add_event(Event::new("edge", |state| 1.0 + 1e-3 - state.q[0]).with_action(|_| Action::Continue));
        for _ in 0..30 {
            integrator.step(100.0).expect("steps");
        }
        let before = allocations();
        for _ in 0..100 {
            integrator.step(100.0).expect("steps");
        }
        assert_eq!(allocations() - before, 0, "{name}");
        assert!(integrator.occurrences().is_empty(), "{name}");
    }
    assert!(allocations() > 0, "the counter counts");
}

#[test]
fn switches_that_are_not_passed_do_not_allocate() {
    // The stop is just out of reach: the pendulum swings between x = 1 and x = -1.
    let problem = kinked_pendulum::declared(Force::Stop { k: 1e4, d: -1.001 });
    let start = consistent(&*problem.system, &Guess::new(0.0, vec![1.0, 0.0], vec![0.0, 0.0])).expect("consistent");
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let schemes: [(&str, Box<dyn Scheme>); 4] = [
        ("soi2", Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"))),
        ("hht", Box::new(HhtAlpha::new(-0.1).expect("in range"))),
        ("radau", Box::new(RungeKutta::default())),
        ("variable bdf", Box::new(VariableBdf::new())),
    ];
    for (name, scheme) in schemes {
        let mut integrator =
            Integrator::new(&*problem.system, &start, &*scheme, ErrorControl::new(), tolerance).expect("starts");
        for _ in 0..30 {
            integrator.step(100.0).expect("steps");
        }
        let before = allocations();
        for _ in 0..100 {
            integrator.step(100.0).expect("steps");
        }
        assert_eq!(allocations() - before, 0, "{name}");
        assert_eq!(integrator.stats().switches, 0, "{name}");
    }
}
