//! What constraints move has no error that a method estimates, and is right all the same between the ends of steps where something is looked for there.

use std::f64::consts::TAU;

use alembert::method::Scheme;
use alembert::{
    Action, Bdf, Differentiated, Dims, Direction, ErrorControl, Event, FixedSteps, Formulas, GeneralizedAlpha, Guess,
    HhtAlpha, Integrator, RungeKutta, Scalar, State, Tolerance, Unobserved, VariableBdf, consistent,
};

/// How far the table swings.
const BY: f64 = 0.02;

/// A table at q[0] that swings, and a point at q[1] that falls.
struct Table {
    w: f64,
}

impl Formulas for Table {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }

    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (mass[0], mass[3]) = (S::from(1.0), S::from(0.2));
    }

    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-0.2 * 9.81);
    }

    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] - S::from(BY) * (t * S::from(self.w)).sin();
    }
}

fn integrator<'s>(system: &'s Differentiated<Table>, scheme: &dyn Scheme, rtol: f64) -> Integrator<'s> {
    let start = consistent(system, &Guess::new(0.0, vec![0.0, 1.0], vec![0.0, 0.0])).expect("consistent");
    let tolerance = Tolerance::relative(rtol).expect("in range");
    let mut run = Integrator::new(system, &start, scheme, ErrorControl::new(), tolerance).expect("suits");
    let half_up = Event::new("half up", |state: &State| state.q[0] - 0.5 * BY).with_direction(Direction::Rising);
    run.add_event(half_up.with_action(|_| Action::Continue));
    run
}

/// Methods with error control, and tolerances for them.
fn methods() -> Vec<(Box<dyn Scheme>, f64)> {
    let radau = |stages| Box::new(RungeKutta::radau(stages).expect("in range")) as Box<dyn Scheme>;
    vec![
        (radau(3), 1e-6),
        (radau(5), 1e-8),
        (radau(7), 1e-10),
        (Box::new(VariableBdf::new()), 1e-6),
        (Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")), 1e-4),
        (Box::new(HhtAlpha::new(-0.1).expect("in range")), 1e-4),
    ]
}

#[test]
fn no_swing_is_stepped_over() {
    // The point falls as a parabola, which every method follows in a few steps, however often the table swings meanwhile.
    for (scheme, rtol) in methods() {
        for w in [10.0, 61.0, 400.0] {
            let system = Differentiated::new(Table { w });
            let mut run = integrator(&system, &*scheme, rtol);
            run.run(1.0, &mut Unobserved).unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
            let times: Vec<f64> = run.occurrences().iter().map(|occurrence| occurrence.t).collect();
            let exact: Vec<f64> =
                (0..).map(|k| (TAU / 12.0 + TAU * f64::from(k)) / w).take_while(|t| *t < 1.0).collect();
            assert_eq!(times.len(), exact.len(), "{} {w}", scheme.name());
            for (t, exact) in times.iter().zip(&exact) {
                assert!((t - exact).abs() < 1e-12, "{} {w}: {t} for {exact}", scheme.name());
            }
        }
    }
}

#[test]
fn states_between_steps_are_right_before_they_are_projected() {
    let w = 61.0;
    let system = Differentiated::new(Table { w });
    for (scheme, rtol) in methods() {
        let mut run = integrator(&system, &*scheme, rtol);
        let mut state = run.state().clone();
        let mut worst = 0.0_f64;
        while run.state().t < 1.0 {
            let from = run.state().t;
            run.step(1.0).unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
            for share in [0.13, 0.37, 0.61, 0.83] {
                run.interpolate(from + share * (run.state().t - from), &mut state);
                worst = worst.max((state.q[0] - BY * (w * state.t).sin()).abs() / BY);
            }
        }
        // Interpolations of a method are less accurate than its steps.
        println!("{} at {rtol:e}: {worst:e} in {} steps", scheme.name(), run.stats().steps);
        assert!(worst < 0.05, "{} at {rtol:e}: {worst:e}", scheme.name());
    }
}

#[test]
fn steps_follow_what_is_driven_no_farther_than_the_tolerance_asks() {
    let steps = |w: f64, rtol: f64| {
        let system = Differentiated::new(Table { w });
        let mut run = integrator(&system, &RungeKutta::radau(5).expect("in range"), rtol);
        run.run(1.0, &mut Unobserved).expect("reaches");
        let again = run.stats().rejected + run.stats().failed;
        assert!(again * 4 < run.stats().steps, "{again} attempts in vain of {} steps", run.stats().steps);
        run.stats().steps as f64
    };
    // By the sixth root of the tolerance, and as often as it swings.
    let (coarse, fine) = (steps(400.0, 1e-5), steps(400.0, 1e-8));
    assert!((2.0..6.0).contains(&(fine / coarse)), "{coarse} {fine}");
    let often = steps(1600.0, 1e-8) / fine;
    assert!((3.5..4.5).contains(&often), "{often}");
    assert!(steps(1e-3, 1e-8) < 12.0);
}

#[test]
fn prescribed_steps_stay_as_they_are() {
    let system = Differentiated::new(Table { w: 61.0 });
    let start = consistent(&system, &Guess::new(0.0, vec![0.0, 1.0], vec![0.0, 0.0])).expect("consistent");
    let tolerance = Tolerance::relative(1e-8).expect("in range");
    let steps = FixedSteps::new(0.1).expect("positive");
    let scheme = Bdf::new(2).expect("in range");
    let mut run = Integrator::new(&system, &start, &scheme, steps, tolerance).expect("suits");
    run.run(1.0, &mut Unobserved).expect("reaches");
    assert_eq!(run.stats().steps, 10);
}
