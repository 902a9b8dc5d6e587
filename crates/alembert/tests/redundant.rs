//! Constraints that follow from others: named, or accepted with the smallest multipliers.

use alembert::initial::{Guess, InitialError, Options, consistent, consistent_with};
use alembert::method::Scheme;
use alembert::{
    Bdf, ConstrainedSystem, Differentiated, Dims, ErrorControl, FixedSteps, Formulas, GeneralizedAlpha, HhtAlpha,
    Integrator, Pattern, Patterns, Redundancy, RungeKutta, Scalar, State, Tolerance, Unobserved, VariableBdf,
};

const INERTIA: f64 = 0.3;
const GRAVITY: f64 = 9.81;

/// Beams that hang one below the other, each by parallel bars of length 1 at the same places of both. Two bars are enough:
/// a third follows from them as long as the beams are parallel, which two bars see to.
#[derive(Clone)]
struct Train {
    beams: usize,
    /// Where the bars are fixed.
    places: Vec<f64>,
    redundancy: Redundancy,
    patterns: Option<Patterns>,
}

/// Each bar sees its beam and the one above.
fn patterns(beams: usize, bars: usize) -> Patterns {
    let entries = (0..beams).flat_map(|k| {
        (0..bars).flat_map(move |i| (3 * k.saturating_sub(1)..3 * k + 3).map(move |j| (bars * k + i, j)))
    });
    Patterns::new([], Pattern::from_entries(bars * beams, 3 * beams, entries))
}

impl Formulas for Train {
    fn dims(&self) -> Dims {
        Dims { q: 3 * self.beams, v: 3 * self.beams, lambda: self.places.len() * self.beams, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let n = 3 * self.beams;
        for i in 0..n {
            let place = self.patterns.as_ref().and_then(|patterns| patterns.top.position(i, i)).unwrap_or(i * (n + 1));
            mass[place] = S::from(if i % 3 == 2 { INERTIA } else { 1.0 });
        }
    }
    fn force<S: Scalar>(&self, t: S, _: &[S], v: &[S], force: &mut [S]) {
        for (i, force) in force.iter_mut().enumerate() {
            *force = match i % 3 {
                0 => (t * 3.0).sin() - v[i] * 0.2,
                1 => S::from(-GRAVITY),
                // Off the middle, so that the bars do not share the load evenly.
                _ => S::from(1.5),
            };
        }
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let mut g = g.iter_mut();
        for k in 0..self.beams {
            for place in &self.places {
                let end = |beam: usize| {
                    let [x, y, angle] = [q[3 * beam], q[3 * beam + 1], q[3 * beam + 2]];
                    (x + angle.cos() * *place, y + angle.sin() * *place)
                };
                let above = if k == 0 { (S::from(*place), S::from(0.0)) } else { end(k - 1) };
                let below = end(k);
                let (x, y) = (below.0 - above.0, below.1 - above.1);
                if let Some(g) = g.next() {
                    *g = x * x + y * y - 1.0;
                }
            }
        }
    }
    fn redundancy(&self) -> Redundancy {
        self.redundancy
    }
    fn patterns(&self) -> Option<Patterns> {
        self.patterns.clone()
    }
    fn holonomic_name(&self, row: usize) -> String {
        format!("bar {} of beam {}", row % self.places.len() + 1, row / self.places.len() + 1)
    }
}

fn train(beams: usize, bars: usize, redundancy: Redundancy, sparse: bool) -> Differentiated<Train> {
    let places = [-0.5, 0.7, 0.1][..bars].to_vec();
    Differentiated::new(Train { beams, places, redundancy, patterns: sparse.then(|| patterns(beams, bars)) })
}

/// Bars at different angles, at rest.
fn guess(beams: usize) -> Guess {
    let (mut x, mut y, mut q) = (0.0, 0.0, Vec::new());
    for k in 0..beams {
        let angle = 0.6 + 0.3 * (k as f64).sin();
        (x, y) = (x + f64::sin(angle), y - f64::cos(angle));
        q.extend([x, y, 0.0]);
    }
    Guess::new(0.0, q, vec![0.0; 3 * beams])
}

fn largest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().fold(0.0, |max, x| max.max(x.abs()))
}

fn difference(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    largest(x.iter().zip(y).map(|(x, y)| x - y))
}

/// G of a dense system.
fn derivative(system: &dyn ConstrainedSystem, state: &State) -> Vec<f64> {
    let dims = system.dims();
    let mut g_q = vec![0.0; dims.lambda * dims.v];
    let _ = system.holonomic_q(state.t, &state.q, &mut g_q);
    g_q
}

/// What the bars do to the beams.
fn reaction(system: &dyn ConstrainedSystem, state: &State) -> Vec<f64> {
    let n = system.dims().v;
    let mut force = vec![0.0; n];
    for (row, lambda) in derivative(system, state).chunks_exact(n).zip(&state.lambda) {
        force.iter_mut().zip(row).for_each(|(f, g)| *f -= g * lambda);
    }
    force
}

/// How far the multipliers are from the smallest: their part along G^T mu = 0, relative to their size.
fn excess(system: &dyn ConstrainedSystem, state: &State) -> f64 {
    let (n, bars) = (system.dims().v, 3);
    let g_q = derivative(system, state);
    let size = |row: usize| -> f64 {
        let row = &g_q[row * n..(row + 1) * n];
        row.iter().enumerate().map(|(j, g)| g * g / if j % 3 == 2 { INERTIA } else { 1.0 }).sum()
    };
    // g at the places p is linear in p: (p2 - p3, p3 - p1, p1 - p2).
    let null = [0.7 - 0.1, 0.1 + 0.5, -0.5 - 0.7];
    let part = |k: usize| -> f64 { (0..bars).map(|i| null[i] * size(bars * k + i) * state.lambda[bars * k + i]).sum() };
    let whole = largest((0..state.lambda.len()).map(|i| size(i) * state.lambda[i]));
    largest((0..n / 3).map(part)) / whole
}

#[test]
fn a_bar_too_many_is_named() {
    // Dense, and so large that sparse matrices find it.
    for (beams, sparse) in [(2, false), (60, true)] {
        let system = train(beams, 3, Redundancy::Refused, sparse);
        let Err(InitialError::Redundant { rows }) = consistent(&system, &guess(beams)) else {
            panic!("{beams} beams have bars too many")
        };
        assert_eq!(rows.len(), if sparse { 1 } else { beams });
        for dependence in rows {
            let (_, beam) = dependence.row.split_once(" of ").expect("bar … of …");
            assert_eq!(dependence.on.len(), 2, "{dependence}");
            assert!(dependence.on.iter().all(|(name, _)| name.ends_with(beam)), "{dependence}");
        }
    }
}

#[test]
fn a_start_with_a_bar_too_many_is_found_where_it_is_accepted() {
    for (beams, sparse) in [(2, false), (60, true)] {
        let [three, two] = [3, 2].map(|bars| train(beams, bars, Redundancy::LeastSquares, sparse && bars == 3));
        let mut guess = guess(beams);
        // Off the constraints, and turned.
        guess.q.iter_mut().enumerate().for_each(|(i, q)| *q += 1e-3 * (1.0 + 2.0 * i as f64).sin());
        let (state, report) = consistent_with(&three, &guess, &Options::default()).expect("accepted");
        assert_eq!(report.rank, 2 * beams);
        assert_eq!(report.redundant.len(), beams.min(20));
        assert!(report.redundant.iter().all(|dependence| dependence.on.len() == 2));
        let expected = consistent(&two, &Guess { q: state.q.clone(), ..guess }).expect("regular");
        assert!(difference(&state.q, &expected.q) < 1e-11, "{:e}", difference(&state.q, &expected.q));
        assert!(difference(&state.a, &expected.a) < 1e-9, "{:e}", difference(&state.a, &expected.a));
        let dense = train(beams, 3, Redundancy::LeastSquares, false);
        assert!(difference(&reaction(&dense, &state), &reaction(&two, &expected)) < 1e-7);
        assert!(excess(&dense, &state) < 1e-6, "{beams} beams: {:e}", excess(&dense, &state));
    }
}

#[test]
fn the_motion_is_that_without_the_bar_too_many() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let (radau, bdf) = (RungeKutta::radau(3).expect("stages"), Bdf::new(3).expect("an order"));
    let schemes: [(&dyn Scheme, f64); 3] = [(&soi2, 2e-3), (&radau, 1e-2), (&bdf, 2e-3)];
    let tolerance = Tolerance::new(1e-10, 1e-10).expect("a tolerance");
    for (beams, sparse, t_end) in [(1, false, 2.0), (3, false, 2.0), (60, true, 0.4)] {
        let three = train(beams, 3, Redundancy::LeastSquares, sparse);
        let two = train(beams, 2, Redundancy::Refused, sparse);
        for (scheme, h) in schemes {
            let run = |system: &dyn ConstrainedSystem| {
                let start = consistent(system, &guess(beams)).expect("consistent");
                let steps = FixedSteps::new(h).expect("a step");
                let mut integrator = Integrator::new(system, &start, scheme, steps, tolerance).expect("suits");
                integrator.run(t_end, &mut Unobserved).unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
                integrator.state().clone()
            };
            let (state, expected) = (run(&three), run(&two));
            // BDF's own multipliers have its errors; those that belong to q and v are the same for both.
            let at_end = Guess::new(expected.t, expected.q, expected.v);
            let expected = consistent(&two, &at_end).expect("on the constraints");
            let [three, two] = [3, 2].map(|bars| train(beams, bars, Redundancy::LeastSquares, false));
            let errors = [
                difference(&state.q, &expected.q),
                difference(&state.v, &expected.v),
                difference(&reaction(&three, &state), &reaction(&two, &expected)),
            ];
            let excess = excess(&three, &state);
            println!("{beams} beams, {}: {errors:?}, {excess:.1e}", scheme.name());
            assert!(errors[0] < 1e-10 && errors[1] < 1e-9, "{beams} beams, {}: {errors:?}", scheme.name());
            assert!(errors[2] < 1e-7, "{beams} beams, {}: {errors:?}", scheme.name());
            assert!(excess < 1e-6, "{beams} beams, {}: {excess:e}", scheme.name());
        }
    }
}

#[test]
fn error_control_works_with_a_bar_too_many() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let (radau, bdf) = (RungeKutta::radau(5).expect("stages"), VariableBdf::new());
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("a tolerance");
    for (beams, sparse) in [(3, false), (60, true)] {
        for scheme in [&soi2 as &dyn Scheme, &radau, &bdf] {
            let run = |system: &dyn ConstrainedSystem| {
                let start = consistent(system, &guess(beams)).expect("consistent");
                let mut integrator =
                    Integrator::new(system, &start, scheme, ErrorControl::new(), tolerance).expect("suits");
                integrator.run(0.5, &mut Unobserved).unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
                (integrator.state().clone(), integrator.stats())
            };
            let (state, stats) = run(&train(beams, 3, Redundancy::LeastSquares, sparse));
            let (expected, without) = run(&train(beams, 2, Redundancy::Refused, sparse));
            let error = difference(&state.q, &expected.q);
            println!("{beams} beams, {}: {error:.1e}, {} steps for {}", scheme.name(), stats.steps, without.steps);
            assert!(error < 1e-4, "{beams} beams, {}: {error:e}", scheme.name());
            assert!(stats.steps <= 2 * without.steps, "{stats}\n{without}");
        }
    }
}

#[test]
fn hht_refuses_redundancy_by_name() {
    let system = train(1, 3, Redundancy::LeastSquares, false);
    let start = consistent(&system, &guess(1)).expect("accepted");
    let steps = FixedSteps::new(1e-2).expect("a step");
    let tolerance = Tolerance::new(1e-8, 1e-8).expect("a tolerance");
    let hht = HhtAlpha::new(-0.1).expect("in range");
    let error = Integrator::new(&system, &start, &hht, steps, tolerance).err().expect("unsuited");
    assert!(error.to_string().contains("redundant"), "{error}");
}
