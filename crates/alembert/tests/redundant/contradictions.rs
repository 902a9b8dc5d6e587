//! Redundant constraints stay met in every accepted step, or the run stops and names them; where the rank changes, too.

use alembert::initial::{Guess, InitialError, Level, Options, consistent, consistent_with};
use alembert::integrator::{IntegrateError, Obstacle};
use alembert::method::{Scheme, StepFailure};
use alembert::{
    Accepted, At, Bdf, ConstrainedSystem, Differentiated, Dims, ErrorControl, FixedSteps, Formulas, GeneralizedAlpha,
    Integrator, Pattern, Patterns, Quantity, Redundancy, RungeKutta, Scalar, SolverChoice, VariableBdf,
};
use std::ops::ControlFlow;

use super::{largest, soi2, tolerance};

/// Which constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// x - t^3 and x: contradict each other after the start.
    Cubic,
    /// x - t, x + y - t - 1, y - 1 + max(0, t - 1)^3: from t = 1 on.
    Late,
    /// x - t, x - t - 1e-9: nearly redundant, for ever.
    Nearly,
    /// x - t, x - t - 1e-6 t^4: what they contradict each other by grows slowly.
    Growing,
    /// x - t and x', of the kinds that there are: contradict each other at the velocity level, from t = 1 on.
    Skidding,
}

/// Copies of a body in the plane.
pub struct Plane {
    kind: Kind,
    copies: usize,
    size: f64,
    sparse: bool,
}

impl Plane {
    fn rows(&self) -> (usize, usize) {
        match self.kind {
            Kind::Late => (3, 0),
            Kind::Skidding => (1, 1),
            _ => (2, 0),
        }
    }
    fn system(kind: Kind, copies: usize, size: f64, sparse: bool) -> Differentiated<Plane> {
        Differentiated::new(Plane { kind, copies, size, sparse })
    }
    fn guess(&self) -> Guess {
        let one = if self.kind == Kind::Cubic { [0.0, 0.0] } else { [0.0, self.size] };
        let speed = if self.kind == Kind::Cubic { [0.0, 0.0] } else { [self.size, 0.0] };
        Guess::new(0.0, one.repeat(self.copies), speed.repeat(self.copies))
    }
}

impl Formulas for Plane {
    fn dims(&self) -> Dims {
        let (g, k) = self.rows();
        Dims { q: 2 * self.copies, v: 2 * self.copies, lambda: g * self.copies, psi: k * self.copies }
    }
    fn patterns(&self) -> Option<Patterns> {
        let (g, k) = self.rows();
        let rows = |count: usize| {
            (0..count * self.copies).flat_map(move |i| (0..2).map(move |j| (i, 2 * (i / count.max(1)) + j)))
        };
        let entries = rows(g).chain(rows(k).map(|(i, j)| (i + g * self.copies, j)));
        let rows = Pattern::from_entries((g + k) * self.copies, 2 * self.copies, entries);
        self.sparse.then(|| Patterns::new([], rows))
    }
    fn linear_solver(&self) -> SolverChoice {
        if self.sparse { SolverChoice::Sparse } else { SolverChoice::Dense }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let n = 2 * self.copies;
        let pattern = self.patterns().map(|patterns| patterns.top);
        for i in 0..n {
            let entry = pattern.as_ref().map_or(i * n + i, |top| top.position(i, i).expect("the diagonal"));
            mass[entry] = S::from(2.0);
        }
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], f: &mut [S]) {
        for copy in 0..self.copies {
            f[2 * copy + 1] = S::from(if self.kind == Kind::Late { -self.size } else { 0.0 });
        }
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        let (rows, size) = (self.rows().0, self.size);
        for copy in 0..self.copies {
            let (x, y) = (q[2 * copy], q[2 * copy + 1]);
            let g = &mut g[rows * copy..];
            let late = if t.value() > 1.0 { (t - 1.0) * (t - 1.0) * (t - 1.0) } else { t * 0.0 };
            match self.kind {
                Kind::Cubic => (g[0], g[1]) = (x - t * t * t * size, x),
                Kind::Late => {
                    (g[0], g[1], g[2]) = (x - t * size, x + y - t * size - size, y - size + late * size);
                }
                Kind::Nearly => (g[0], g[1]) = (x - t * size, x - t * size - 1e-9 * size),
                Kind::Growing => (g[0], g[1]) = (x - t * size, x - t * size - t * t * t * t * (1e-6 * size)),
                Kind::Skidding => g[0] = x - t * size,
            }
        }
    }
    fn nonholonomic<S: Scalar>(&self, t: S, _: &[S], v: &[S], k: &mut [S]) {
        if self.kind == Kind::Skidding {
            for copy in 0..self.copies {
                let late = if t.value() > 1.0 { (t - 1.0) * (t - 1.0) } else { t * 0.0 };
                k[copy] = v[2 * copy] - self.size + late * self.size;
            }
        }
    }
    fn redundancy(&self) -> Redundancy {
        Redundancy::LeastSquares
    }
    fn holonomic_name(&self, row: usize) -> String {
        format!("{} of {}", ["first", "second", "third"][row % self.rows().0], row / self.rows().0)
    }
}

/// Runs to t = 2; where it ended, what was seen on the way, and the error.
fn run(
    system: &dyn ConstrainedSystem,
    guess: &Guess,
    scheme: &dyn Scheme,
    fixed: bool,
) -> (f64, f64, f64, Option<IntegrateError>) {
    let start = consistent(system, guess).unwrap_or_else(|e| panic!("{e}"));
    let make = |steps: FixedSteps| Integrator::new(system, &start, scheme, steps, tolerance(1e-6));
    let integrator = if fixed {
        make(FixedSteps::new(1e-2).expect("a step"))
    } else {
        Integrator::new(system, &start, scheme, ErrorControl::new(), tolerance(1e-6))
    };
    let mut integrator = integrator.unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
    let (mut residual, mut multipliers) = (0.0_f64, 0.0_f64);
    let mut look = |accepted: &Accepted| {
        let state = accepted.state;
        let mut g = vec![0.0; system.dims().lambda];
        let _ = system.ask(Quantity::Holonomic, &At::new(state.t, &state.q, &[]), &mut g);
        residual = residual.max(largest(g));
        multipliers = multipliers.max(largest(state.lambda.iter().chain(&state.psi).copied()));
        ControlFlow::Continue(())
    };
    let error = integrator.run(2.0, &mut look).err();
    (integrator.state().t, residual, multipliers, error)
}

fn schemes() -> Vec<(Box<dyn Scheme>, bool)> {
    let soi2: GeneralizedAlpha = soi2();
    vec![
        (Box::new(soi2), true),
        (Box::new(soi2), false),
        (Box::new(RungeKutta::radau(3).expect("stages")), true),
        (Box::new(RungeKutta::radau(3).expect("stages")), false),
        (Box::new(Bdf::new(2).expect("an order")), true),
        (Box::new(VariableBdf::new()), false),
    ]
}

#[test]
fn a_contradiction_stops_every_method_and_is_named() {
    for (scheme, fixed) in schemes() {
        for (kind, begins, latest) in
            [(Kind::Cubic, 0.0, 0.02), (Kind::Late, 1.0, 1.02), (Kind::Growing, 0.0, 0.3), (Kind::Skidding, 1.0, 1.02)]
        {
            for (size, copies, sparse) in [(1.0, 1, false), (1e-6, 1, false), (1e5, 1, false), (1.0, 40, true)] {
                let system = Plane::system(kind, copies, size, sparse);
                // At zero a model has no size before it moves: a micrometre is then measured by the metre.
                let latest = if size < 1.0 && kind == Kind::Cubic { 0.12 } else { latest };
                let what = format!("{kind:?}, {}, fixed {fixed}, size {size}, {copies} copies", scheme.name());
                let (t, residual, multipliers, error) =
                    run(&system, &Plane { kind, copies, size, sparse }.guess(), &*scheme, fixed);
                let Some(error) = error else { panic!("{what}: reached t = {t}, residual {residual:e}") };
                println!("{what}: t = {t}: {error}");
                assert!((begins - 1e-9..=latest).contains(&t), "{what}: {t}: {error}");
                let measure = if kind == Kind::Cubic { size.max(1.0) } else { size };
                assert!(residual <= 1.1e-8 * measure * (1.0 + latest), "{what}: {residual:e}");
                assert!(multipliers <= 1e3 * size, "{what}: multipliers {multipliers:e}");
                let (failure, blame) = match &error {
                    IntegrateError::Step { failure, blame, .. } => (*failure, blame),
                    IntegrateError::StepTooSmall { cause: Obstacle::Failure(failure), blame, .. } => (*failure, blame),
                    other => panic!("{what}: {other}"),
                };
                assert!(matches!(failure, StepFailure::Contradiction { .. }), "{what}: {error}");
                let names = blame.as_deref().expect("named");
                assert!(names.contains(" of ") || names.contains("k["), "{what}: {names}");
                let text = error.to_string();
                assert!(text.contains("t = ") && text.contains("hint:") && !text.contains("LeastSquares"), "{text}");
            }
        }
    }
}

#[test]
fn nearly_redundant_constraints_are_accepted_and_stay_as_they_are() {
    for (scheme, fixed) in schemes() {
        for (size, copies, sparse) in [(1.0, 1, false), (1e-6, 1, false), (1e5, 1, false), (1.0, 80, true)] {
            let system = Plane::system(Kind::Nearly, copies, size, sparse);
            let plane = Plane { kind: Kind::Nearly, copies, size, sparse };
            let (t, residual, multipliers, error) = run(&system, &plane.guess(), &*scheme, fixed);
            assert!(error.is_none(), "{}: {}", scheme.name(), error.expect("there"));
            assert_eq!(t, 2.0);
            assert!(residual <= 1.001e-9 * size, "{residual:e}");
            assert!(multipliers <= 1e-6 * size, "{}, {size}: {multipliers:e}", scheme.name());
        }
    }
}

#[test]
fn a_start_is_accepted_up_to_eight_digits() {
    for (gap, accepted) in [(1e-9, true), (5e-9, true), (3e-8, false), (1e-3, false)] {
        for (copies, sparse) in [(1, false), (100, true)] {
            let system = Differentiated::new(Gap { gap, copies, sparse });
            let guess = Guess::new(0.0, [0.9, 0.2].repeat(copies), [0.3, 0.0].repeat(copies));
            match consistent_with(&system, &guess, &Options::default()) {
                Ok((_, report)) => {
                    assert!(accepted, "{gap}");
                    assert_eq!(report.redundant.len(), copies, "{report:?}");
                    // What was accepted is told.
                    let left = report.positions.residual_after;
                    assert!(left >= 0.49 * gap && left <= 1.01 * gap, "{report:?}");
                }
                Err(error) => {
                    assert!(!accepted, "{gap}: {error}");
                    let text = error.to_string();
                    assert!(text.contains("g[0]") && text.contains("g[1]"), "{text}");
                    assert!(!text.contains("LeastSquares"), "{text}");
                    let found = matches!(
                        error,
                        InitialError::Contradictory { level: Level::Position, .. } | InitialError::Unreachable { .. }
                    );
                    assert!(found, "{text}");
                }
            }
        }
    }
}

/// x - 1 and x - 1 - gap.
struct Gap {
    gap: f64,
    copies: usize,
    sparse: bool,
}

impl Formulas for Gap {
    fn dims(&self) -> Dims {
        Dims { q: 2 * self.copies, v: 2 * self.copies, lambda: 2 * self.copies, psi: 0 }
    }
    fn patterns(&self) -> Option<Patterns> {
        let rows =
            Pattern::from_entries(2 * self.copies, 2 * self.copies, (0..2 * self.copies).map(|i| (i, i / 2 * 2)));
        self.sparse.then(|| Patterns::new([], rows))
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let n = 2 * self.copies;
        (0..n).for_each(|i| mass[if self.sparse { i } else { i * n + i }] = S::from(1.0));
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        for copy in 0..self.copies {
            (g[2 * copy], g[2 * copy + 1]) = (q[2 * copy] - 1.0, q[2 * copy] - 1.0 - self.gap);
        }
    }
    fn redundancy(&self) -> Redundancy {
        Redundancy::LeastSquares
    }
}
