//! The choice of the linear solver: it takes effect, and the motion does not depend on it.

use alembert::method::{BadMethod, Method, Output, Scheme};
use alembert::{
    Differentiated, Dims, Equations, ErrorControl, FixedSteps, Formulas, GeneralizedAlpha, Guess, HhtAlpha, Integrator,
    Pattern, Patterns, RungeKutta, Scalar, SolverChoice, State, Tolerance, Unobserved, VariableBdf, consistent,
};

/// Beads on a string: bead i hangs on bead i-1 by a rod of length 1; neighbours damp each other.
struct Beads {
    count: usize,
    choice: SolverChoice,
}

impl Formulas for Beads {
    fn dims(&self) -> Dims {
        Dims { q: 2 * self.count, v: 2 * self.count, lambda: self.count, psi: 0 }
    }
    fn patterns(&self) -> Option<Patterns> {
        let columns = |i: usize| (2 * i.saturating_sub(1)..2 * i + 2).map(move |j| (i, j));
        let rows = Pattern::from_entries(self.count, 2 * self.count, (0..self.count).flat_map(columns));
        Some(Patterns::new([], rows))
    }
    fn linear_solver(&self) -> SolverChoice {
        self.choice
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let Some(Patterns { top, .. }) = self.patterns() else { return };
        for i in 0..2 * self.count {
            if let Some(entry) = top.position(i, i) {
                mass[entry] = S::from(1.0);
            }
        }
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], v: &[S], force: &mut [S]) {
        for i in 0..v.len() {
            let above = if i < 2 { S::default() } else { v[i - 2] };
            let below = if i + 2 < v.len() { v[i + 2] } else { v[i] };
            force[i] = (above - v[i] * 2.0 + below) * 0.3 - if i % 2 == 1 { 9.81 } else { 0.0 };
        }
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let mut above = (S::default(), S::default());
        for (q, g) in q.chunks_exact(2).zip(g) {
            let (x, y) = (q[0] - above.0, q[1] - above.1);
            *g = x * x + y * y - 1.0;
            above = (q[0], q[1]);
        }
    }
}

fn guess(count: usize) -> Guess {
    Guess::new(0.0, (1..=count).flat_map(|i| [i as f64, 0.0]).collect(), vec![0.0; 2 * count])
}

/// The state at t = 0.2, and whether matrices were sparse.
fn run(count: usize, choice: SolverChoice, scheme: &dyn Scheme, controlled: bool) -> (State, bool) {
    let system = Differentiated::new(Beads { count, choice });
    let start = consistent(&system, &guess(count)).expect("on its constraints");
    let tolerance = Tolerance::new(1e-9, 1e-9).expect("in range");
    let mut integrator = match controlled {
        true => Integrator::new(&system, &start, scheme, ErrorControl::new(), tolerance),
        false => Integrator::new(&system, &start, scheme, FixedSteps::new(5e-3).expect("positive"), tolerance),
    }
    .expect("suits");
    integrator.run(0.2, &mut Unobserved).expect("runs");
    assert_eq!(integrator.stats().fallbacks, 0);
    (integrator.state().clone(), integrator.is_sparse())
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |max, (a, b)| max.max((a - b).abs() / (1.0 + b.abs())))
}

#[test]
fn every_choice_gives_the_same_motion() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range").with_output(Output::Consistent);
    let (radau, bdf) = (RungeKutta::default(), VariableBdf::default());
    let schemes: [(&dyn Scheme, bool); 3] = [(&soi2, false), (&radau, true), (&bdf, true)];
    // 9, 24, 120 and 480 unknowns; the last has a start with sparse matrices of its own.
    for count in [3, 8, 40, 160] {
        for (scheme, controlled) in schemes {
            let (expected, automatic) = run(count, SolverChoice::Automatic, scheme, controlled);
            assert_eq!(automatic, count >= 40);
            for choice in [SolverChoice::Dense, SolverChoice::Sparse] {
                let (state, sparse) = run(count, choice, scheme, controlled);
                assert_eq!(sparse, choice == SolverChoice::Sparse, "{count} beads, {}", scheme.name());
                for (what, a, b, limit) in [
                    ("q", &state.q, &expected.q, 1e-9),
                    ("v", &state.v, &expected.v, 1e-8),
                    ("lambda", &state.lambda, &expected.lambda, 1e-6),
                ] {
                    let d = distance(a, b);
                    assert!(d < limit, "{count} beads, {}, {choice:?}: {what} {d:e}", scheme.name());
                }
            }
        }
    }
}

/// Dense matrices, and their corner in the index-2 form, are what this method needs.
#[test]
fn methods_that_need_dense_matrices_have_them() {
    let hht = HhtAlpha::new(-0.1).expect("in range");
    let (expected, _) = run(8, SolverChoice::Automatic, &hht, false);
    let (state, sparse) = run(8, SolverChoice::Sparse, &hht, false);
    assert!(!sparse && state == expected);
}

/// Shows the equations that a method is built with.
struct Looking<'a>(&'a dyn Fn(&Equations));

impl Scheme for Looking<'_> {
    fn name(&self) -> &'static str {
        "looking"
    }
    fn build(&self, equations: &Equations, tolerance: Tolerance) -> Result<Box<dyn Method>, BadMethod> {
        (self.0)(equations);
        RungeKutta::default().build(equations, tolerance)
    }
}

#[test]
fn matrices_of_methods_are_as_chosen() {
    for (choice, expected) in [(SolverChoice::Dense, false), (SolverChoice::Sparse, true)] {
        let look = |equations: &Equations| {
            assert_eq!(equations.linear_solver(), choice);
            assert_eq!(equations.layout().is_sparse(), expected);
        };
        run(8, choice, &Looking(&look), true);
    }
}

#[test]
fn a_checkpoint_of_another_choice_is_refused() {
    let [dense, sparse] =
        [SolverChoice::Dense, SolverChoice::Sparse].map(|choice| Differentiated::new(Beads { count: 8, choice }));
    let start = consistent(&dense, &guess(8)).expect("on its constraints");
    let (radau, tolerance) = (RungeKutta::default(), Tolerance::new(1e-6, 1e-6).expect("in range"));
    let [mut one, mut other] = [&dense, &sparse]
        .map(|system| Integrator::new(system, &start, &radau, ErrorControl::new(), tolerance).expect("suits"));
    one.run(0.05, &mut Unobserved).expect("runs");
    let bytes = one.checkpoint().expect("can be kept");
    let error = other.restore(&bytes).expect_err("other matrices");
    assert!(error.to_string().contains("linear solver"), "{error}");
}
