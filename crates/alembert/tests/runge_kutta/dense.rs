//! Dense output.

use alembert::{ErrorControl, Integrator, RungeKutta, State, Tolerance};
use alembert_problems::Problem;

use super::common::{distance, problem, start};
use super::systems::geared_pendulums;

/// Largest errors of q, v, a, multipliers: at the nodes, between them, and between them with projection; from the
/// `skip`-th step on.
fn errors(p: &Problem, stages: usize, tol: f64, t_end: f64, skip: usize) -> [[f64; 4]; 3] {
    let scheme = RungeKutta::radau(stages).expect("in range");
    let tolerance = Tolerance::new(tol, tol).expect("in range");
    let mut integrator =
        Integrator::new(&*p.system, &start(p), &scheme, ErrorControl::new(), tolerance).expect("a start");
    let mut worst = [[0.0_f64; 4]; 3];
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
        compare(&mut worst[0], integrator.state());
        count += 1;
        for i in (1..10).filter(|_| count > skip) {
            let t = before + (after - before) * f64::from(i) / 10.0;
            integrator.interpolate(t, &mut out);
            compare(&mut worst[1], &out);
            let residuals = integrator.consistent_at(t, &mut out).expect("succeeds");
            assert!(residuals.position < 1e-14 && residuals.velocity < 1e-14);
            compare(&mut worst[2], &out);
        }
        // The end is met.
        integrator.interpolate(after, &mut out);
        assert!(distance(&out.q, &integrator.state().q) < 1e-13 && distance(&out.v, &integrator.state().v) < 1e-11);
    }
    let show = |x: [f64; 4]| x.map(|x| format!("{x:.1e}")).join(" ");
    println!(
        "{} s={stages} tol {tol:.0e} skip {skip}: nodes {} between {} projected {}",
        p.name,
        show(worst[0]),
        show(worst[1]),
        show(worst[2])
    );
    worst
}

#[test]
fn dense_output_is_as_accurate_as_stated() {
    let p = problem("pendulum");
    for tol in [1e-6, 1e-9, 1e-12] {
        let [nodes, between, projected] = errors(&p, 3, tol, 20.0, 0);
        // At tolerances near rounding v between the nodes shows Newton's last correction of q, divided by h.
        let noise = if tol < 1e-10 { 4.0 } else { 1.2 };
        for (i, factor) in [1.2, noise].into_iter().enumerate() {
            assert!(between[i] < factor * nodes[i], "3 stages at {tol:e}: {i}");
        }
        assert!(projected[3] < 2.0 * nodes[3]);
        let [nodes, between, projected] = errors(&p, 5, tol, 20.0, 1);
        // Nodes may happen to be better than the tolerance; what lies between them is not.
        let limit = |i: usize, factor: f64| (factor * nodes[i]).max(factor * tol);
        assert!(between[0] < limit(0, 3.0) && between[1] < limit(1, 30.0), "5 stages at {tol:e}");
        assert!(projected[3] < limit(3, 30.0));
        // The first step has two nodes only.
        let [_, between, _] = errors(&p, 5, tol, 20.0, 0);
        assert!(between[0] < 1e-8_f64.max(3.0 * tol) && between[1] < 1e-6_f64.max(30.0 * tol));
        let [_, between, _] = errors(&p, 7, tol, 20.0, 2);
        assert!(between[0] < 1e-8_f64.max(500.0 * tol));
    }
}

#[test]
fn dense_output_under_a_general_rate() {
    let p = geared_pendulums();
    for tol in [1e-6, 1e-9, 1e-12] {
        let [_, between, _] = errors(&p, 5, tol, 5.0, 2);
        assert!(between[0] < 1e4 * tol && between[1] < 1e4 * tol);
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
