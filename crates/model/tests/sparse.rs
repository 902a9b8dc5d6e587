//! Large models state where their matrices may be nonzero, and move as they do with dense matrices.

mod common;

use alembert::method::{BadMethod, Method, Scheme};
use alembert::{
    Bdf, ConstrainedSystem, Equations, ErrorControl, FixedSteps, GeneralizedAlpha, HhtAlpha, Integrator, Point,
    RungeKutta, State, Tolerance, Unobserved, VariableBdf, check_derivatives, consistent,
};
use alembert_model::Model;
use alembert_problems::long_chain::{self, Loads};
use common::{load, run_to};

fn chain(links: usize) -> Model {
    load("chain", &[("N", &links.to_string())])
}

/// A scheme that is shown dense matrices.
struct Dense<'s>(&'s dyn Scheme);

impl Scheme for Dense<'_> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn needs_dense(&self) -> bool {
        true
    }
    fn build(&self, equations: &Equations, tolerance: Tolerance) -> Result<Box<dyn Method>, BadMethod> {
        assert!(equations.layout().is_dense());
        self.0.build(equations, tolerance)
    }
}

/// The state at `t` with equal steps.
fn march(model: &Model, scheme: &dyn Scheme, tolerance: f64, h: f64, t: f64) -> State {
    let start = consistent(&model.system, &model.guess).expect("consistent");
    let steps = FixedSteps::new(h).expect("a step");
    let tolerance = Tolerance::new(tolerance, tolerance).expect("a tolerance");
    let mut integrator = Integrator::new(&model.system, &start, scheme, steps, tolerance).expect("suits");
    integrator.run(t, &mut Unobserved).unwrap_or_else(|error| panic!("{}: {error}", scheme.name()));
    assert_eq!(integrator.stats().fallbacks, 0);
    integrator.state().clone()
}

/// The largest difference of q, v, a, lambda, each relative to 1 + its size.
fn difference(a: &State, b: &State) -> f64 {
    let pairs = [(&a.q, &b.q), (&a.v, &b.v), (&a.a, &b.a), (&a.lambda, &b.lambda)];
    let size = |x: &[f64]| x.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
    let worst = |(x, y): (&Vec<f64>, &Vec<f64>)| {
        assert_eq!(x.len(), y.len());
        x.iter().zip(y).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs())) / size(y)
    };
    pairs.into_iter().map(worst).fold(0.0, f64::max)
}

#[test]
fn patterns_grow_with_the_chain_and_small_models_are_dense() {
    assert!(chain(5).system.description().patterns.is_none());
    let entries = |links: usize| {
        let model = chain(links);
        let patterns = model.system.description().patterns.as_ref().expect("a sparse model");
        (patterns.top.len(), patterns.rows.len())
    };
    // The angles meet the other coordinates in the constraints only.
    assert_eq!(entries(20), (3 * 20, 8 * 20 - 4));
    assert_eq!(entries(1000), (3 * 1000, 8 * 1000 - 4));
}

#[test]
fn derivatives_stand_where_the_patterns_say() {
    // Below 300 velocities differences of every entry are taken, so that a missing one is found; beyond, groups.
    for links in [20, 150] {
        let model = chain(links);
        let off = |x: &[f64], size: f64| -> Vec<f64> {
            x.iter().enumerate().map(|(i, x)| x + size * (1.3 * i as f64 + 0.7).sin()).collect()
        };
        let (q, v) = (off(&model.guess.q, 1e-2), off(&model.guess.v, 0.5));
        let lambda = off(&vec![0.0; 2 * links], 1.0);
        let report = check_derivatives(&model.system, Point { t: 0.0, q: &q, v: &v, lambda: &lambda, psi: &[] })
            .expect("finite everywhere");
        assert!(report.is_ok() && report.checked.len() > 10, "{links} links: {report}");
    }
}

#[test]
fn sparse_and_dense_matrices_give_the_same_motion() {
    let model = chain(20);
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let (radau, bdf) = (RungeKutta::radau(3).expect("stages"), Bdf::new(3).expect("an order"));
    // What Newton's method leaves in v is divided by h in a and lambda, and the two ways to solve leave different things.
    let schemes: [(&dyn Scheme, f64, f64); 3] = [(&soi2, 1e-12, 2e-3), (&radau, 1e-10, 1e-2), (&bdf, 1e-10, 2e-3)];
    for (scheme, tolerance, h) in schemes {
        let sparse = march(&model, scheme, tolerance, h, 0.5);
        let dense = march(&model, &Dense(scheme), tolerance, h, 0.5);
        let difference = difference(&sparse, &dense);
        assert!(difference < 1e-9, "{}: {difference:e}", scheme.name());
    }
}

#[test]
fn hht_takes_dense_matrices_of_a_sparse_model() {
    let model = chain(20);
    let hht = march(&model, &HhtAlpha::new(-0.1).expect("in range"), 1e-10, 1e-3, 0.2);
    let fine = run_to(&model, 0.2, 1e-9);
    let error = hht.q.iter().zip(&fine.q).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
    assert!(error < 1e-4, "{error:e}");
}

#[test]
fn a_chain_moves_as_the_chain_written_in_rust() {
    let links = 20;
    let problem = long_chain::new(links, Loads::default());
    let expected = problem.reference_at(1.0);
    let model = chain(links);
    let start = consistent(&model.system, &model.guess).expect("consistent");
    for (tolerance, allowed, scheme) in
        [(1e-10, 1e-7, &RungeKutta::radau(7).expect("stages") as &dyn Scheme), (1e-8, 1e-4, &VariableBdf::new())]
    {
        let tolerance = Tolerance::new(tolerance, tolerance).expect("a tolerance");
        let mut integrator =
            Integrator::new(&model.system, &start, scheme, ErrorControl::new(), tolerance).expect("suits");
        integrator.run(1.0, &mut Unobserved).unwrap_or_else(|error| panic!("{}: {error}", scheme.name()));
        let state = integrator.state();
        let mut error = 0.0_f64;
        for i in 0..links {
            for axis in 0..3 {
                let (mine, theirs) = (axis * links + i, 3 * i + axis);
                error = error.max((state.q[mine] - expected.q[theirs]).abs());
                error = error.max((state.v[mine] - expected.v[theirs]).abs() / 10.0);
            }
            for axis in 0..2 {
                let (mine, theirs) = (axis * links + i, 2 * i + axis);
                error = error.max((state.lambda[mine] - expected.lambda[theirs]).abs() / 100.0);
            }
        }
        assert!(error < allowed, "{}: {error:e}", scheme.name());
    }
}

#[test]
fn a_thousand_links_load_and_move() {
    let model = chain(1000);
    assert!(model.system.description().constant_mass);
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let state = march(&model, &soi2, 1e-10, 1e-3, 0.02);
    // The joints hold the bars: the first one is where the ground is.
    let (x, y, angle) = (state.q[0], state.q[1000], state.q[2000]);
    assert!((x - 0.5 * angle.cos()).abs() < 1e-12 && (y - 0.5 * angle.sin()).abs() < 1e-12);
}

#[test]
fn the_solver_of_a_model_can_be_chosen() {
    let path = common::folder().join("chain.toml");
    let text = std::fs::read_to_string(path).expect("readable");
    let model = |links: usize, solver: &str| {
        let text = text.replace("[equations]", &format!("[equations]\nsolver = \"{solver}\""));
        Model::parse("chain", &text, &[("N".to_owned(), links.to_string())]).expect("a good model")
    };
    for links in [5, 20] {
        let expected = run_to(&chain(links), 0.2, 1e-8);
        for (solver, patterns) in [("dense", false), ("sparse", true), ("automatic", links == 20)] {
            let model = model(links, solver);
            assert_eq!(model.system.description().patterns.is_some(), patterns, "{links} links, {solver}");
            let equations = Equations::new(&model.system);
            assert_eq!(equations.layout().is_sparse(), patterns, "{links} links, {solver}");
            let found = difference(&run_to(&model, 0.2, 1e-8), &expected);
            assert!(found < 1e-6, "{links} links, {solver}: {found:e}");
        }
    }
}
