//! Dense output.

use alembert::{ErrorControl, Integrator, RungeKutta, State, Tolerance};
use alembert_problems::Problem;

use crate::common::{distance, problem, start};

/// Largest errors of q, v, a, multipliers at the nodes, and between them from the `skip`-th step on.
fn errors(p: &Problem, stages: usize, tol: f64, t_end: f64, skip: usize) -> ([f64; 4], [f64; 4]) {
    let scheme = RungeKutta::radau(stages).expect("in range");
    let tolerance = Tolerance::new(tol, tol).expect("in range");
    let mut integrator =
        Integrator::new(&*p.system, &start(p), &scheme, ErrorControl::new(), tolerance).expect("a start");
    let (mut nodes, mut between) = ([0.0_f64; 4], [0.0_f64; 4]);
    let compare = |worst: &mut [f64; 4], state: &State| {
        let exact = p.reference_at(state.t);
        let errors = [
            distance(&state.q, &exact.q),
            distance(&state.v, &exact.v),
            distance(&state.a, &exact.a),
            distance(&state.lambda, &exact.lambda),
        ];
        for (worst, error) in worst.iter_mut().zip(errors) {
            *worst = worst.max(error);
        }
    };
    let mut out = integrator.state().clone();
    let mut count = 0;
    while integrator.state().t < t_end {
        let before = integrator.state().t;
        let after = integrator.step(t_end).expect("succeeds").state.t;
        compare(&mut nodes, integrator.state());
        count += 1;
        if count > skip {
            for i in 1..10 {
                integrator.interpolate(before + (after - before) * f64::from(i) / 10.0, &mut out);
                compare(&mut between, &out);
            }
        }
        // Both ends are met.
        integrator.interpolate(after, &mut out);
        assert!(distance(&out.q, &integrator.state().q) < 1e-13 && distance(&out.v, &integrator.state().v) < 1e-11);
    }
    let show = |x: [f64; 4]| x.map(|x| format!("{x:.1e}")).join(" ");
    println!("{} s={stages} tol {tol:.0e}: nodes {}, between {}", p.name, show(nodes), show(between));
    (nodes, between)
}

#[test]
fn dense_output_is_as_accurate_as_stated() {
    let p = problem("pendulum");
    for tol in [1e-6, 1e-9, 1e-12] {
        errors(&p, 3, tol, 20.0, 1);
        errors(&p, 5, tol, 20.0, 1);
        errors(&p, 7, tol, 20.0, 1);
        errors(&p, 5, tol, 20.0, 0);
    }
}

/// Before the first step there is only the start.
#[test]
fn before_the_first_step() {
    let p = problem("pendulum");
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let integrator = Integrator::new(&*p.system, &start(&p), &RungeKutta::default(), ErrorControl::new(), tolerance)
        .expect("a start");
    let mut out = integrator.state().clone();
    integrator.interpolate(1.0, &mut out);
    assert_eq!(&out, integrator.state());
}
