//! Error control on the standard problems, with the first step, index sets and multipliers left to the method.
//!
//! Counts are those of forces (Newton's method, error estimate, acceleration level) and of Jacobians, as in the notes
//! on the method; they are kept as limits, a tenth above what was measured.

use alembert::RungeKutta;
use alembert_problems::Problem;

use super::common::{Run, adaptive, distance, problem, relative};

struct Expected {
    /// -log10 of the tolerance.
    digits: i32,
    /// Most force evaluations.
    forces: u64,
    /// Largest error of q.
    error: f64,
}

const fn expect(digits: i32, forces: u64, error: f64) -> Expected {
    Expected { digits, forces, error }
}

fn show(name: &str, tol: f64, run: &Run, errors: &[f64]) {
    let s = run.stats;
    println!(
        "{name:>12} {tol:7.0e}: {:5}/{:4} in {:4} steps ({:3} rejected, {:2} failed), {:5} factorisations, errors {}, \
         residuals {:.0e} {:.0e} {:.0e}",
        run.forces(),
        run.jacobians(),
        s.steps,
        s.rejected,
        s.failed,
        s.factorisations,
        errors.iter().map(|e| format!("{e:8.1e}")).collect::<Vec<_>>().join(" "),
        s.residuals.position,
        s.residuals.velocity,
        s.residuals.nonholonomic,
    );
}

/// Runs every tolerance from 1e-3 to 1e-12; `errors` gives the error of q first. Errors fall with the tolerance until
/// `rounding`, never rising by more than a factor 3; residuals are at rounding.
fn ladder(p: &Problem, t_end: f64, rounding: f64, expected: &[Expected], errors: impl Fn(&Run) -> Vec<f64>) {
    let exact = |t: f64| p.reference_at(t);
    let follow = p.name == "pendulum";
    let mut before = f64::INFINITY;
    for digits in 3..=12 {
        let tol = 10f64.powi(-digits);
        let exact: Option<&dyn Fn(f64) -> alembert::State> = if follow { Some(&exact) } else { None };
        let run = adaptive(p, &RungeKutta::default(), tol, t_end, exact)
            .unwrap_or_else(|e| panic!("{} at {tol:e}: {e}", p.name));
        let errors = errors(&run);
        show(p.name, tol, &run, &errors);
        assert!(errors[0] < (3.0 * before).max(rounding), "{} at {tol:e}: {:e} after {before:e}", p.name, errors[0]);
        before = errors[0];
        if let Some(expected) = expected.iter().find(|e| e.digits == digits) {
            assert!(errors[0] <= expected.error, "{} at {tol:e}: {:e}", p.name, errors[0]);
            assert!(run.forces() <= expected.forces, "{} at {tol:e}: {}", p.name, run.forces());
        }
        let residuals = run.stats.residuals;
        assert!(residuals.position.max(residuals.velocity) < 1e-15, "{} at {tol:e}: {residuals:?}", p.name);
    }
}

#[test]
fn andrews() {
    let p = problem("andrews");
    // At 1e-12 rounding of the constraints is a velocity beyond the tolerance, so they are computed as changes: 22 % more forces
    // until t = 0.05, and an error of 1.2e-12 instead of 8.8e-11.
    for (t_end, expected) in [
        (0.03, [expect(3, 740, 1e-4), expect(6, 1270, 3e-7), expect(8, 2050, 9e-9), expect(12, 4400, 4e-12)]),
        (0.05, [expect(3, 1560, 4e-4), expect(6, 2720, 1e-6), expect(8, 4240, 4e-8), expect(12, 9400, 4e-12)]),
    ] {
        let reference = p.reference_at(t_end);
        ladder(&p, t_end, 1e-10, &expected, |run| {
            let (state, exact) = (&run.state, &reference);
            vec![relative(&state.q, &exact.q), relative(&state.v, &exact.v), relative(&state.lambda, &exact.lambda)]
        });
    }
}

#[test]
fn pendulum() {
    let p = problem("pendulum");
    let end = p.reference_at(20.0);
    let expected = [expect(3, 880, 2e-3), expect(6, 1670, 3e-6), expect(8, 2570, 4e-8), expect(12, 6100, 2e-11)];
    ladder(&p, 20.0, 1e-12, &expected, |run| {
        vec![run.largest, distance(&run.state.v, &end.v), distance(&run.state.lambda, &end.lambda)]
    });
}

#[test]
fn car_axis() {
    let p = problem("car_axis");
    let end = p.reference_at(3.0);
    let expected = [expect(3, 910, 1e-4), expect(6, 2570, 2e-7), expect(8, 4050, 5e-9), expect(12, 9600, 5e-12)];
    ladder(&p, 3.0, 5e-12, &expected, |run| {
        vec![distance(&run.state.q, &end.q), distance(&run.state.v, &end.v), distance(&run.state.lambda, &end.lambda)]
    });
}

#[test]
fn slider_crank() {
    let p = problem("slider_crank");
    let end = p.reference_at(p.t_end);
    let expected = [expect(3, 530, 1e-5), expect(6, 2800, 2e-7), expect(8, 11900, 2e-9)];
    ladder(&p, p.t_end, 1e-11, &expected, |run| {
        vec![distance(&run.state.q, &end.q), distance(&run.state.v, &end.v), distance(&run.state.lambda, &end.lambda)]
    });
}

/// Every problem of the collection at loose, usual and tight tolerances.
#[test]
fn every_problem() {
    for p in alembert_problems::all() {
        let end = p.reference_at(p.t_end);
        for digits in [3, 6, 9, 12] {
            let tol = 10f64.powi(-digits);
            let run = adaptive(&p, &RungeKutta::default(), tol, p.t_end, None)
                .unwrap_or_else(|e| panic!("{} at {tol:e}: {e}", p.name));
            let (q, v) = (distance(&run.state.q, &end.q), distance(&run.state.v, &end.v));
            show(p.name, tol, &run, &[q, v]);
            let size = 1.0 + end.q.iter().fold(0.0_f64, |max, q| max.max(q.abs()));
            // Long motions carry errors along; the published end of the wheelset is good to 1e-8.
            assert!(q < 300.0 * tol * size + 2e-8, "{} at {tol:e}: {q:e}", p.name);
        }
    }
}

/// Other numbers of stages work at all tolerances; which is cheapest depends on the accuracy.
#[test]
fn three_seven_and_nine_stages() {
    for (name, t_end) in [("andrews", 0.03), ("pendulum", 20.0), ("car_axis", 3.0), ("sleigh_bowl", 2.0)] {
        let p = problem(name);
        let end = p.reference_at(t_end);
        for stages in [3, 7, 9] {
            for digits in [4, 7, 10] {
                let tol = 10f64.powi(-digits);
                let scheme = RungeKutta::radau(stages).expect("in range");
                let run = adaptive(&p, &scheme, tol, t_end, None)
                    .unwrap_or_else(|e| panic!("{name} with {stages} stages at {tol:e}: {e}"));
                let error = relative(&run.state.q, &end.q);
                show(&format!("{name} s={stages}"), tol, &run, &[error]);
                assert!(error < 300.0 * tol, "{name} with {stages} stages at {tol:e}: {error:e}");
            }
        }
    }
}
