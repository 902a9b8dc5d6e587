//! Dead points of linkages that accept redundant constraints: the rank changes there, which is found and named.
//!
//! A parallelogram with three bars for two, B = (cos theta, sin theta), without forces: theta = theta_0 - t.

use alembert::integrator::{IntegrateError, Obstacle};
use alembert::method::{Scheme, StepFailure};
use alembert::{
    Accepted, Bdf, Differentiated, Dims, ErrorControl, FixedSteps, Formulas, Guess, Integrator, Redundancy, RungeKutta,
    Scalar, VariableBdf, consistent,
};
use std::ops::ControlFlow;

use super::{largest, soi2, tolerance};

/// Crank, coupler, rocker, and a bar between their middles that says the same as the coupler, if it is there.
struct Parallelogram {
    middle: bool,
}

impl Formulas for Parallelogram {
    fn dims(&self) -> Dims {
        Dims { q: 4, v: 4, lambda: 3 + usize::from(self.middle), psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (0..4).for_each(|i| mass[5 * i] = S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let square = |x: S, y: S| x * x + y * y;
        g[0] = square(q[0], q[1]) - 1.0;
        g[1] = square(q[2] - q[0], q[3] - q[1]) - 4.0;
        g[2] = square(q[2] - 2.0, q[3]) - 1.0;
        if self.middle {
            // The sum of the other three, as a user may come to write it.
            g[3] = (square(q[2] - q[0], q[3] - q[1]) + square(q[0], q[1])) * 0.5 - 2.5;
        }
    }
    fn redundancy(&self) -> Redundancy {
        Redundancy::LeastSquares
    }
    fn holonomic_name(&self, row: usize) -> String {
        ["crank", "coupler", "rocker", "copy"][row].into()
    }
}

fn guess(theta: f64) -> Guess {
    let (s, c) = theta.sin_cos();
    Guess::new(0.0, vec![c, s, c + 2.0, s], vec![s, -c, s, -c])
}

#[test]
fn no_method_passes_a_dead_point_of_a_linkage_with_redundant_bars() {
    let (soi2, radau) = (soi2(), RungeKutta::radau(3).expect("stages"));
    for middle in [false, true] {
        let system = Differentiated::new(Parallelogram { middle });
        for (scheme, h) in [
            (&soi2 as &dyn Scheme, None),
            (&soi2, Some(0.03)),
            (&radau, None),
            (&radau, Some(0.07)),
            (&VariableBdf::new(), None),
            (&Bdf::new(2).expect("order"), Some(0.01)),
        ] {
            let start = consistent(&system, &guess(1.0)).expect("consistent");
            let mut integrator = match h {
                Some(h) => {
                    Integrator::new(&system, &start, scheme, FixedSteps::new(h).expect("a step"), tolerance(1e-6))
                }
                None => Integrator::new(&system, &start, scheme, ErrorControl::new(), tolerance(1e-6)),
            }
            .expect("starts");
            let mut shortest = f64::INFINITY;
            let mut energy = 0.0_f64;
            let mut look = |accepted: &Accepted| {
                shortest = shortest.min(accepted.h);
                energy = energy.max(0.5 * accepted.state.v.iter().map(|v| v * v).sum::<f64>());
                assert!(largest(accepted.state.lambda.iter().copied()) < 1e6, "{:?}", accepted.state);
                ControlFlow::Continue(())
            };
            let what = format!("{}, {h:?}, middle {middle}", scheme.name());
            let error = integrator.run(3.0, &mut look).err().unwrap_or_else(|| panic!("{what}: passed"));
            println!("{what}: {error}");
            let (t, failure, blame) = match &error {
                IntegrateError::StepTooSmall { t, cause: Obstacle::Failure(failure), blame, .. } => {
                    (*t, failure, blame)
                }
                IntegrateError::Step { t, failure, blame, .. } => (*t, failure, blame),
                other => panic!("{what}: {other}"),
            };
            assert!((t - 1.0).abs() <= h.unwrap_or(5e-3) + 1e-9, "{what}: {t}");
            assert!(matches!(failure, StepFailure::Crossing { .. }), "{what}: {error}");
            let name = blame.as_deref().expect("named");
            assert!(["crank", "coupler", "rocker", "copy"].contains(&name), "{what}: {name}");
            assert!(shortest > 1e-15 && energy < 1.0 + 1e-3, "{what}: h = {shortest:e}, energy {energy:e}");
            let theta = integrator.state().q[1].atan2(integrator.state().q[0]);
            assert!((theta - (1.0 - integrator.state().t)).abs() < 1e-3, "{what}: right up to there");
        }
    }
}

#[test]
fn a_start_in_a_dead_point_is_left_by_no_step() {
    // Rank 2 where it starts, 3 beside it: which way the motion goes is not determined.
    let system = Differentiated::new(Parallelogram { middle: false });
    let start = consistent(&system, &guess(0.0)).expect("accepted");
    for scheme in [&soi2() as &dyn Scheme, &RungeKutta::radau(3).expect("stages")] {
        let mut integrator =
            Integrator::new(&system, &start, scheme, ErrorControl::new(), tolerance(1e-6)).expect("starts");
        let mut steps = Vec::new();
        let mut look = |accepted: &Accepted| {
            steps.push(accepted.h);
            ControlFlow::Continue(())
        };
        let error = integrator.run(1.0, &mut look).expect_err("not determined");
        println!("{}: {error}", scheme.name());
        assert!(steps.iter().all(|h| *h > 1e-20), "{steps:?}");
        assert!(integrator.state().t < 0.05, "{}", integrator.state().t);
    }
}
