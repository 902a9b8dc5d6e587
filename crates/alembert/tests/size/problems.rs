//! Starts of the problems with patterns, below and above where matrices become sparse, against the same problems made dense: those are
//! repaired by a rank-revealing factorisation of all constraints at once.

use alembert::initial::{Guess, Options, consistent_with};
use alembert::{Answer, At, ConstrainedSystem, Description, SolverChoice, Workspace};
use alembert_problems::long_chain::{self, Loads};
use alembert_problems::{Problem, four_bar_train, lattice};

/// A system whose matrices are to be dense.
struct Dense<'a>(&'a dyn ConstrainedSystem, Description);

impl<'a> Dense<'a> {
    fn new(system: &'a dyn ConstrainedSystem) -> Self {
        let mut description = system.description().clone();
        description.solver = SolverChoice::Dense;
        Dense(system, description)
    }
}

impl ConstrainedSystem for Dense<'_> {
    fn description(&self) -> &Description {
        &self.1
    }
    fn workspace(&self) -> Workspace {
        self.0.workspace()
    }
    fn evaluate(&self, at: &At, answer: &mut Answer, workspace: &mut Workspace) {
        self.0.evaluate(at, answer, workspace);
    }
}

fn apart(x: &[f64], y: &[f64]) -> f64 {
    let size = y.iter().fold(1.0_f64, |max, y| max.max(y.abs()));
    x.iter().zip(y).fold(0.0, |max, (x, y)| f64::max(max, (x - y).abs())) / size
}

#[test]
fn sparse_starts_are_the_dense_ones() {
    let everything = Loads { stiffness: 30.0, damping: 2.0, coriolis: 1.5, follower: 7.0 };
    let problems: Vec<(&str, Problem)> = vec![
        ("chain of 4", long_chain::new(4, Loads::default())),
        ("chain of 12", long_chain::new(12, everything)),
        ("chain of 60", long_chain::new(60, everything)),
        ("lattice of 4", lattice::new(4)),
        ("lattice of 8", lattice::new(8)),
        ("train of 3", four_bar_train::new(3)),
        ("train of 40", four_bar_train::new(40)),
    ];
    for (name, problem) in &problems {
        for off in [0.0, 1e-6, 1e-2] {
            let wave = |x: &[f64], k: f64| -> Vec<f64> {
                x.iter().enumerate().map(|(i, x)| x + off * (k + 1.3 * i as f64).sin()).collect()
            };
            let guess = Guess::new(0.0, wave(&problem.start.q, 0.0), wave(&problem.start.v, 1.0));
            let options = Options::default();
            let found = consistent_with(&*problem.system, &guess, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
            let dense = Dense::new(&*problem.system);
            let expected = consistent_with(&dense, &guess, &options).unwrap_or_else(|e| panic!("{name}, dense: {e}"));
            let (state, report) = found;
            let (exact, other) = expected;
            let limit = if off == 0.0 { 1e-12 } else { 1e-9 };
            let [q, v, a, lambda] =
                [(&state.q, &exact.q), (&state.v, &exact.v), (&state.a, &exact.a), (&state.lambda, &exact.lambda)]
                    .map(|(x, y)| apart(x, y));
            println!("{name}, off by {off}: q {q:.1e}, v {v:.1e}, a {a:.1e}, lambda {lambda:.1e}");
            assert!(q <= limit && v <= 10.0 * limit, "{name}, off by {off}: q {q:e}, v {v:e}");
            assert!(a <= 1e3 * limit && lambda <= 1e3 * limit, "{name}, off by {off}: a {a:e}, lambda {lambda:e}");
            assert_eq!((report.rank, report.positions.metric), (other.rank, other.positions.metric), "{name}");
            let moved = (report.positions.moved - other.positions.moved).abs();
            assert!(moved <= 1e-9 * (1.0 + other.positions.moved), "{name}: moved {moved:e}");
        }
    }
}
