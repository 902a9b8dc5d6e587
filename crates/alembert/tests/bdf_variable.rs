//! Variable-step, variable-order BDF.

use alembert::equations::Function;
use alembert::method::{Factorisation, VariableBdf};
use alembert::{ErrorControl, Guess, Integrator, State, Stats, Tolerance, Unobserved};
use alembert_problems::{Problem, by_name};

fn run(scheme: VariableBdf, problem: &Problem, t_end: f64, tolerance: Tolerance) -> (State, Stats) {
    let from = &problem.start;
    let guess =
        Guess::new(from.t, from.q.clone(), from.v.clone()).with_multipliers(from.lambda.clone(), from.psi.clone());
    let start = alembert::consistent(&*problem.system, &guess).expect("consistent");
    let mut integrator =
        Integrator::new(&*problem.system, &start, &scheme, ErrorControl::new(), tolerance).expect("starts");
    integrator.run(t_end, &mut Unobserved).expect("reaches the end");
    (integrator.state().clone(), integrator.stats())
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |max, (x, y)| max.max((x - y).abs()))
}

#[test]
fn probe() {
    for (name, t_end, factor, tols) in [
        ("andrews", 0.03, 1000.0, &[1e-3, 1e-4, 1e-6, 1e-8, 1e-9][..]),
        ("car_axis", 3.0, 1.0, &[1e-4, 1e-6, 1e-9]),
        ("pendulum_horizontal", 100.0, 1.0, &[1e-6, 1e-8]),
        ("pendulum", 20.0, 1.0, &[1e-8]),
    ] {
        let problem = by_name(name).expect("known");
        let exact = problem.reference_at(t_end);
        for &tol in tols {
            for f in [Factorisation::Fresh, Factorisation::Lazy] {
                let tolerance = Tolerance { rtol: tol, atol_q: tol, atol_v: factor * tol };
                let (s, st) = run(VariableBdf::new().with_factorisation(f), &problem, t_end, tolerance);
                println!(
                    "{name} {tol:.0e} {f:?}: steps {} rej {} fail {} f {} Jac {} LU {} solves {} err {:.1e} {:.1e} {:.1e} res {:.0e} {:.0e}",
                    st.steps,
                    st.rejected,
                    st.failed,
                    st.evaluations.of(Function::Force),
                    st.linearizations,
                    st.factorisations,
                    st.solves,
                    distance(&s.q, &exact.q),
                    distance(&s.v, &exact.v),
                    distance(&s.lambda, &exact.lambda),
                    st.residuals.position,
                    st.residuals.velocity
                );
            }
        }
    }
}
