//! The error estimate of the alpha methods against the true local error, and their order under the controller.

#[path = "conformance/run.rs"]
mod run;

use alembert::method::Scheme;
use alembert::{
    Equations, ErrorControl, GeneralizedAlpha, Guess, HhtAlpha, Integrator, RungeKutta, State, Tolerance, TypicalSizes,
    Unobserved, consistent,
};
use alembert_problems::{Problem, by_name, heavy_top};
use run::guess_of;

/// The end of a step of length h from a state, by Radau IIA.
fn exact(problem: &Problem, from: &State, t: f64) -> State {
    let guess = Guess::new(from.t, from.q.clone(), from.v.clone());
    let guess = guess.with_multipliers(from.lambda.clone(), from.psi.clone());
    let start = consistent(&*problem.system, &guess).expect("consistent");
    let tolerance = Tolerance::new(1e-12, 1e-12).expect("in range");
    let radau = RungeKutta::default();
    let mut integrator =
        Integrator::new(&*problem.system, &start, &radau, ErrorControl::new().per_step(), tolerance).expect("starts");
    integrator.run(t, &mut Unobserved).expect("runs");
    integrator.state().clone()
}

/// Estimate / true error, in the estimate's own norm, at given lengths.
fn ratios(scheme: &dyn Scheme, problem: &Problem, lengths: &[f64]) -> Vec<f64> {
    let start = consistent(&*problem.system, &guess_of(problem)).expect("consistent");
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let mut equations = Equations::new(&*problem.system);
    let mut method = scheme.build(&equations, tolerance).expect("suits");
    method.restart(&mut equations, &start).expect("starts");
    let step = |h: &f64| {
        let from = method.state().clone();
        let estimated = method.attempt(&mut equations, *h).expect("converges").error.expect("estimated").norm;
        method.accept();
        let (to, exact) = (method.state(), exact(problem, &from, method.state().t));
        let space = equations.space();
        let mut e_q = vec![0.0; to.v.len()];
        space.difference(&exact.q, &to.q, &mut e_q);
        let e_v: Vec<f64> = to.v.iter().zip(&exact.v).map(|(x, y)| x - y).collect();
        let sizes = TypicalSizes::none(e_q.len(), e_v.len());
        let norm_q = space.norm(&tolerance, &e_q, &from.q, &sizes).min(space.norm(&tolerance, &e_q, &to.q, &sizes));
        let norm_v = tolerance.norm_v(&e_v, &from.v, &sizes).min(tolerance.norm_v(&e_v, &to.v, &sizes));
        estimated / norm_q.max(norm_v)
    };
    lengths.iter().map(step).collect()
}

#[test]
fn the_estimate_is_the_true_error_within_a_factor_of_two() {
    let random = [1.0, 1.7, 0.9, 0.6, 1.1, 2.0, 1.3, 0.7, 0.8, 1.5];
    let problems = [
        (by_name("spring_pendulum").expect("known"), 0.01),
        (by_name("sleigh_bowl").expect("known"), 0.02),
        (by_name("paper1").expect("known"), 0.02),
        (by_name("free_body").expect("known"), 0.05),
        (heavy_top::new(), 1e-3),
    ];
    for (problem, h) in &problems {
        let mut schemes: Vec<Box<dyn Scheme>> = Vec::new();
        for rho in [0.0, 0.5, 1.0] {
            schemes.push(Box::new(GeneralizedAlpha::from_rho_infinity(rho).expect("in range")));
        }
        if problem.system.dims().psi == 0 {
            schemes.push(Box::new(HhtAlpha::new(-0.2).expect("in range")));
        }
        for scheme in &schemes {
            let constant = [*h; 10];
            let alternating: Vec<f64> = (0..10).map(|k| h * [2.0 / 3.0, 4.0 / 3.0][k % 2]).collect();
            let random: Vec<f64> = random.iter().map(|w| w * h).collect();
            for lengths in [&constant[..], &alternating, &random] {
                let ratios = ratios(&**scheme, problem, lengths);
                let inside = ratios.iter().all(|ratio| (0.5..=2.0).contains(ratio));
                assert!(inside, "{} on {}: {ratios:?}", scheme.name(), problem.name);
            }
        }
    }
}

/// Slope of the error of q against the mean step, between two tolerances.
fn order(scheme: &dyn Scheme, name: &str) -> f64 {
    let problem = by_name(name).expect("known");
    let start = consistent(&*problem.system, &guess_of(&problem)).expect("consistent");
    let exact: Vec<State> = (1..=4).map(|k| problem.reference_at(problem.t_end * f64::from(k) / 4.0)).collect();
    let [coarse, fine] = [1e-4, 1e-7].map(|tol| {
        let tolerance = Tolerance::new(tol, tol).expect("in range");
        let mut integrator =
            Integrator::new(&*problem.system, &start, scheme, ErrorControl::new().per_step(), tolerance)
                .expect("starts");
        let mut worst = 0.0_f64;
        for exact in &exact {
            integrator.run(exact.t, &mut Unobserved).expect("runs");
            let q = integrator.state().q.iter().zip(&exact.q);
            worst = q.fold(worst, |max, (x, y)| max.max((x - y).abs()));
        }
        (worst, integrator.stats().steps as f64)
    });
    (coarse.0 / fine.0).ln() / (fine.1 / coarse.1).ln()
}

#[test]
fn the_controller_keeps_second_order_where_the_step_change_formula_does() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.2).expect("in range");
    for name in ["sleigh_bowl", "free_body"] {
        let (with, without) = (order(&soi2, name), order(&soi2.with_step_change(false), name));
        assert!(with > 1.9, "{name}: order {with:.2}");
        assert!(without < 1.6, "{name}: order {without:.2} without the formula");
    }
}
