//! Systems with patterns: the same motion as with dense matrices, at linear cost.

use alembert::initial::InitialError;
use alembert::method::{Output, Scheme};
use alembert::{
    At, Bdf, Differentiated, Dims, ErrorControl, FixedSteps, Formulas, GeneralizedAlpha, Guess, HhtAlpha, Integrator,
    Pattern, Patterns, Point, Quantity, RungeKutta, Scalar, State, Tolerance, Unobserved, VariableBdf,
    check_derivatives, consistent,
};
use alembert_problems::Problem;
use alembert_problems::chain::{self, Joints};
use alembert_problems::long_chain::{self, Loads};

const BARS: usize = 12;

fn run(
    problem: &Problem,
    scheme: &dyn Scheme,
    steps: impl alembert::controller::StepController + 'static,
    t: f64,
) -> State {
    let guess = Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone());
    let start = consistent(&*problem.system, &guess).expect("the start is consistent");
    let tolerance = Tolerance::new(1e-9, 1e-9).expect("in range");
    let mut integrator = Integrator::new(&*problem.system, &start, scheme, steps, tolerance).expect("suits");
    integrator.run(t, &mut Unobserved).expect("runs");
    let residuals = integrator.stats().residuals;
    assert!(residuals.position.max(residuals.velocity) < 1e-11, "{residuals:?}");
    integrator.state().clone()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |max, (a, b)| max.max((a - b).abs() / (1.0 + b.abs())))
}

#[test]
fn hand_written_derivatives_and_patterns_are_right() {
    let everything = Loads { stiffness: 30.0, damping: 2.0, coriolis: 1.5, follower: 7.0 };
    for loads in [Loads::default(), everything] {
        let problem = long_chain::new(4, loads);
        let n = problem.start.q.len();
        let q: Vec<f64> = (0..n).map(|i| problem.start.q[i] + 0.1 * (i as f64).sin()).collect();
        let v: Vec<f64> = (0..n).map(|i| (1.0 + i as f64).cos()).collect();
        let lambda: Vec<f64> = (0..8).map(|i| 1.0 + 0.3 * i as f64).collect();
        let at = Point { t: 0.3, q: &q, v: &v, lambda: &lambda, psi: &[] };
        let report = check_derivatives(&*problem.system, at).expect("finite");
        assert!(report.is_ok() && report.checked.len() >= 8, "{report}");
    }
}

#[test]
fn every_method_moves_a_patterned_chain_like_a_dense_one() {
    let joints = Joints { stiffness: 20.0, damping: 0.5 };
    let (dense, sparse) = (
        chain::planar(BARS, joints),
        long_chain::new(BARS, Loads { stiffness: 20.0, damping: 0.5, ..Loads::default() }),
    );
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let own = soi2.with_output(Output::Own);
    let schemes: [(&str, &dyn Scheme, bool); 6] = [
        ("soi2", &soi2, false),
        ("soi2, own output", &own, false),
        ("hht", &HhtAlpha::new(-0.1).expect("in range"), false),
        ("radau", &RungeKutta::default(), true),
        ("bdf", &VariableBdf::default(), true),
        ("bdf 3", &Bdf::new(3).expect("in range"), false),
    ];
    for (name, scheme, controlled) in schemes {
        let [a, b] = [&dense, &sparse].map(|problem| match controlled {
            true => run(problem, scheme, ErrorControl::new(), 0.2),
            false => run(problem, scheme, FixedSteps::new(5e-3).expect("positive"), 0.2),
        });
        // Newton's method stops at its tolerance by another way.
        let limit = if controlled { 1e-7 } else { 1e-8 };
        assert!(distance(&a.q, &b.q) < limit, "{name}: q {:e}", distance(&a.q, &b.q));
        assert!(distance(&a.v, &b.v) < 10.0 * limit, "{name}: v {:e}", distance(&a.v, &b.v));
        if name != "soi2, own output" {
            assert!(distance(&a.lambda, &b.lambda) < 1e-5, "{name}: lambda {:e}", distance(&a.lambda, &b.lambda));
        }
    }
}

#[test]
fn a_long_chain_meets_its_reference_with_order_two() {
    let problem = long_chain::new(200, Loads::default());
    let exact = problem.reference_at(0.1);
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let errors = [4e-3, 2e-3].map(|h| {
        let end = run(&problem, &soi2, FixedSteps::new(h).expect("positive"), 0.1);
        [distance(&end.q, &exact.q), distance(&end.v, &exact.v), distance(&end.lambda, &exact.lambda)]
    });
    for (coarse, fine) in errors[0].iter().zip(&errors[1]) {
        let order = (coarse / fine).log2();
        assert!((1.8..2.4).contains(&order), "orders from {errors:?}");
    }
    let end = run(&problem, &RungeKutta::default(), ErrorControl::new(), 0.1);
    assert!(distance(&end.q, &exact.q) < 1e-7 && distance(&end.lambda, &exact.lambda) < 1e-4);
}

#[test]
fn stiff_joints_and_unsymmetric_forces_converge() {
    for loads in [
        Loads { damping: 1e6, ..Loads::default() },
        Loads { stiffness: 1e6, damping: 1e4, ..Loads::default() },
        Loads { coriolis: 30.0, ..Loads::default() },
        Loads { follower: 50.0, stiffness: 100.0, ..Loads::default() },
    ] {
        let problem = long_chain::new(200, loads);
        let soi2 = GeneralizedAlpha::from_rho_infinity(0.5).expect("in range");
        let end = run(&problem, &soi2, FixedSteps::new(1e-3).expect("positive"), 0.02);
        assert!(end.q.iter().all(|q| q.is_finite()), "{loads:?}");
        if loads.coriolis == 0.0 && loads.damping == 0.0 {
            let exact = problem.reference_at(0.02);
            assert!(distance(&end.q, &exact.q) < 1e-6, "{loads:?}: {:e}", distance(&end.q, &exact.q));
        }
    }
}

#[test]
fn a_large_start_off_its_constraints_is_repaired() {
    let problem = long_chain::new(200, Loads::default());
    let wobble = |x: &[f64]| -> Vec<f64> { x.iter().enumerate().map(|(i, x)| x + 1e-3 * (i as f64).sin()).collect() };
    let guess = Guess::new(0.0, wobble(&problem.start.q), wobble(&problem.start.v));
    let state = consistent(&*problem.system, &guess).expect("close to a consistent state");
    let dims = problem.system.dims();
    let mut g = vec![0.0; dims.lambda];
    let _ = problem.system.ask(Quantity::Holonomic, &At::new(0.0, &state.q, &[]), &mut g);
    assert!(g.iter().all(|g| g.abs() < 1e-11));
    assert!(distance(&state.q, &guess.q) < 1e-2);
}

/// Masses in a row on rods; the last rod is there twice.
struct Rods {
    masses: usize,
}

impl Formulas for Rods {
    fn dims(&self) -> Dims {
        Dims { q: 2 * self.masses, v: 2 * self.masses, lambda: self.masses + 1, psi: 0 }
    }
    fn patterns(&self) -> Option<Patterns> {
        let columns = |rod: usize| {
            let mass = rod.min(self.masses - 1);
            let first = if mass > 0 { 2 * mass - 2 } else { 0 };
            (first..2 * mass + 2).map(move |j| (rod, j))
        };
        let rows = Pattern::from_entries(self.masses + 1, 2 * self.masses, (0..=self.masses).flat_map(columns));
        Some(Patterns::new([], rows))
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let patterns = self.patterns().expect("stated above");
        for i in 0..2 * self.masses {
            mass[patterns.top.position(i, i).expect("the diagonal is there")] = S::from(1.0);
        }
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force.chunks_exact_mut(2).for_each(|f| f[1] = S::from(-9.81));
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        for (rod, g) in g.iter_mut().enumerate() {
            let i = rod.min(self.masses - 1);
            let (x, y) = if i == 0 { (q[0], q[1]) } else { (q[2 * i] - q[2 * i - 2], q[2 * i + 1] - q[2 * i - 1]) };
            *g = x * x + y * y - 1.0;
        }
    }
    fn holonomic_name(&self, row: usize) -> String {
        format!("rod {row}")
    }
}

#[test]
fn a_redundant_rod_is_named_among_many() {
    for masses in [5, 120] {
        let system = Differentiated::new(Rods { masses });
        let q: Vec<f64> = (0..masses).flat_map(|i| [1.0 + i as f64, 0.0]).collect();
        let failure =
            consistent(&system, &Guess::new(0.0, q, vec![0.0; 2 * masses])).expect_err("one rod is there twice");
        let InitialError::Redundant { rows } = &failure else { panic!("{failure}") };
        let message = failure.to_string();
        assert_eq!(rows.len(), 1, "{message}");
        for rod in [masses - 1, masses] {
            assert!(message.contains(&format!("rod {rod}")), "{message}");
        }
        assert!(!message.contains("rod 0,") && rows[0].on.len() == 1, "{message}");
    }
}

/// Start values are wanted to rounding, which is coarser in a long chain than the size of q says.
#[test]
fn fixed_steps_of_bdf_start_in_a_long_chain() {
    let problem = long_chain::new(1000, Loads::default());
    let (bdf, t) = (Bdf::new(2).expect("in range"), 0.02);
    let exact = problem.reference_at(t);
    let error = |h: f64| distance(&run(&problem, &bdf, FixedSteps::new(h).expect("positive"), t).q, &exact.q);
    let (coarse, fine) = (error(1e-3), error(5e-4));
    assert!((3.0..5.0).contains(&(coarse / fine)), "{coarse:e}, {fine:e}");
}

/// The index-3 form, for comparison: its error is estimated without Gamma.
#[test]
fn the_form_without_velocity_level_chooses_steps() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range").with_velocity_level(false);
    let problem = long_chain::new(BARS, Loads::default());
    let guess = Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone());
    let start = consistent(&*problem.system, &guess).expect("the start is consistent");
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let control = ErrorControl::default();
    let mut integrator = Integrator::new(&*problem.system, &start, &soi2, control, tolerance).expect("suits");
    integrator.run(0.3, &mut Unobserved).expect("runs");
    let error = distance(&integrator.state().q, &problem.reference_at(0.3).q);
    assert!(error < 1e-3, "{error:e} in {} steps", integrator.stats().steps);
}

/// More velocities than a matrix with all entries could have, as these are counted.
#[test]
fn a_system_of_sixty_six_thousand_velocities_is_saved_and_continued() {
    let problem = long_chain::new(22_000, Loads::default());
    let guess = Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone());
    let start = consistent(&*problem.system, &guess).expect("the start is consistent");
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.5).expect("in range").with_output(Output::Own);
    let tolerance = Tolerance::new(1e-9, 1e-9).expect("in range");
    let steps = FixedSteps::new(1e-4).expect("positive");
    let mut first = Integrator::new(&*problem.system, &start, &soi2, steps.clone(), tolerance).expect("suits");
    first.step(1.0).expect("steps");
    let saved = first.checkpoint().expect("can be saved");
    let mut second = Integrator::new(&*problem.system, &start, &soi2, steps, tolerance).expect("suits");
    second.restore(&saved).expect("is the same system");
    for integrator in [&mut first, &mut second] {
        integrator.step(1.0).expect("steps");
    }
    assert_eq!(first.state(), second.state());
}
