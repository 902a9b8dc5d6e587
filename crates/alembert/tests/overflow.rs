//! Infinite states and those that are not numbers are never accepted.

use alembert::LinearWork;
use alembert::Unknown;
use alembert::equations::Equations;
use alembert::integrator::IntegrateError;
use alembert::method::{Attempt, BadMethod, Method, Own, Scheme, StepFailure};
use alembert::{
    Bdf, Dims, ErrorControl, FixedSteps, Functions, GeneralizedAlpha, Guess, HhtAlpha, Integrator, Named, RungeKutta,
    State, Tolerance, VariableBdf, consistent,
};

/// A point on a line, or held at a place by a constraint, with any mass and force.
struct Point {
    mass: f64,
    force: fn(f64) -> f64,
    held: bool,
}

impl Point {
    fn system(&self) -> Functions<'static> {
        let Point { mass, force, held } = *self;
        Functions::new(Dims { q: 1, v: 1, lambda: usize::from(held), psi: 0 })
            .mass(move |_, _, out| out[0] = mass)
            .force(move |t, _, _, out| out[0] = force(t))
            .holonomic(|_, q, g| g.iter_mut().for_each(|g| *g = 1e-3 * q[0]))
            .named(Named::Coordinate, |_| "slide".into())
    }
}

/// Doubles the exponent of its velocity with each step, whatever the system.
struct Explosive {
    shows_next: bool,
}

struct Runaway {
    shows_next: bool,
    now: State,
    next: State,
}

impl Scheme for Explosive {
    fn name(&self) -> &'static str {
        "explosive"
    }
    fn build(&self, equations: &Equations, _: Tolerance) -> Result<Box<dyn Method>, BadMethod> {
        let zero = State::zero(equations.dims());
        Ok(Box::new(Runaway { shows_next: self.shows_next, now: zero.clone(), next: zero }))
    }
}

impl Method for Runaway {
    fn restart(&mut self, _: &mut Equations, start: &State) -> Result<(), StepFailure> {
        self.now.assign(start);
        Ok(())
    }
    fn attempt(&mut self, _: &mut Equations, h: f64) -> Result<Attempt, StepFailure> {
        self.next.assign(&self.now);
        self.next.t += h;
        self.next.v.iter_mut().for_each(|v| *v *= *v);
        Ok(Attempt::default())
    }
    fn accept(&mut self) {
        std::mem::swap(&mut self.now, &mut self.next);
    }
    fn state(&self) -> &State {
        &self.now
    }
    fn next(&self) -> Option<&State> {
        self.shows_next.then_some(&self.next)
    }
    fn own(&self) -> Own<'_> {
        let State { t, a, lambda, psi, .. } = &self.now;
        Own { a_time: *t, a, multiplier_time: *t, lambda, psi }
    }
    fn linear_work(&self) -> LinearWork {
        LinearWork::default()
    }
}

#[test]
fn a_method_that_overflows_is_stopped_by_name() {
    let system = Point { mass: 1.0, force: |_| 0.0, held: false }.system();
    let start = consistent(&system, &Guess::new(0.0, vec![0.0], vec![1e10])).expect("consistent");
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    for shows_next in [true, false] {
        let steps = FixedSteps::new(0.1).expect("positive");
        let mut integrator =
            Integrator::new(&system, &start, &Explosive { shows_next }, steps, tolerance).expect("starts");
        // 1e10, 1e20, 1e40, 1e80, 1e160, and then no number.
        for _ in 0..4 {
            integrator.step(10.0).expect("finite still");
        }
        let error = integrator.step(10.0).map(|accepted| accepted.h).expect_err("infinite");
        let IntegrateError::Step { failure, .. } = &error else { panic!("{error}") };
        assert_eq!(*failure, StepFailure::Overflow { quantity: Unknown::Velocity, index: 0 });
        assert!(error.to_string().contains("velocity 0 is infinite or not a number (at slide)"), "{error}");
        if shows_next {
            assert!(integrator.state().overflow().is_none(), "the last finite state stays");
            assert_eq!(integrator.stats().failures.not_finite, 1);
        }
    }
}

#[test]
fn no_method_accepts_what_overflows() {
    let schemes: Vec<(&str, Box<dyn Scheme>)> = vec![
        ("soi2", Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"))),
        ("hht", Box::new(HhtAlpha::new(-0.1).expect("in range"))),
        ("radau", Box::new(RungeKutta::default())),
        ("variable bdf", Box::new(VariableBdf::new())),
        ("bdf", Box::new(Bdf::new(2).expect("in range"))),
    ];
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    // The multiplier is a thousand times the force: it leaves the numbers at t = 0.8, where the force is still one.
    let held = Point { mass: 1.0, force: |t| 1e305 * (1.0 + t), held: true }.system();
    // The acceleration does so at t = 0.8.
    let light = Point { mass: 1e-3, force: |t| 1e305 * (1.0 + t), held: false }.system();
    for system in [&held, &light] {
        let Ok(start) = consistent(system, &Guess::new(0.0, vec![0.0], vec![0.0])) else { continue };
        for (name, scheme) in &schemes {
            for fixed in [true, false] {
                let built = if fixed || *name == "bdf" {
                    let steps = FixedSteps::new(0.01).expect("positive");
                    Integrator::new(system, &start, &**scheme, steps, tolerance)
                } else {
                    Integrator::new(system, &start, &**scheme, ErrorControl::new(), tolerance)
                };
                let Ok(mut integrator) = built else { continue };
                while integrator.state().t < 2.0 {
                    match integrator.step(2.0) {
                        Ok(accepted) => assert!(accepted.state.overflow().is_none(), "{name}: {:?}", accepted.state),
                        Err(error) => {
                            println!("{name}: {error}");
                            break;
                        }
                    }
                }
                assert!(integrator.state().overflow().is_none(), "{name}");
                assert!(integrator.state().t < 0.9, "{name} went on to t = {}", integrator.state().t);
            }
        }
    }
}

#[test]
fn a_start_that_overflows_is_refused() {
    // 1e10/1e-300.
    let system = Point { mass: 1e-300, force: |_| 1e10, held: false }.system();
    let guess = Guess::new(0.0, vec![0.0], vec![0.0]);
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let Ok(start) = consistent(&system, &guess) else { return };
    let built = Integrator::new(&system, &start, &RungeKutta::default(), ErrorControl::new(), tolerance);
    let error = built.map(|_| ()).expect_err("no start").to_string();
    assert!(error.contains("acceleration 0 is infinite"), "{error}");
}
