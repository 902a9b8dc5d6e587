//! Runs: dead points, signs of the mass matrix and contradictions are met where they are known to be, whatever stands beside them.

use alembert::integrator::{IntegrateError, Obstacle};
use alembert::method::{Scheme, StepFailure};
use alembert::{
    Detected, Differentiated, Dims, ErrorControl, FixedSteps, Formulas, GeneralizedAlpha, Guess, Integrator, Point,
    Redundancy, RungeKutta, Scalar, Supplied, Tolerance, Unobserved, VariableBdf, consistent,
};

/// Parallelograms: B_k = P_k + (cos theta, sin theta), C_k = B_k + (2, 0), without forces: theta = theta_0 - omega t. In a
/// `tower` linkage k + 1 stands on the coupler of linkage k, and all turn as one; otherwise each stands on the ground, and only the one in
/// the middle reaches its dead point theta = 0, at t = 1.
#[derive(Clone, Copy)]
struct Linkages {
    count: usize,
    tower: bool,
    /// The coupler is there twice.
    copies: bool,
}

impl Linkages {
    fn each(&self) -> usize {
        3 + usize::from(self.copies)
    }
    fn turns(&self, k: usize) -> f64 {
        if self.tower || k == self.count / 2 { 1.0 } else { 0.3 }
    }
    fn guess(&self) -> Guess {
        let (mut q, mut v) = (Vec::new(), Vec::new());
        let (mut base, mut speed) = ([0.0; 2], [0.0; 2]);
        for k in 0..self.count {
            let (sin, cos) = 1f64.sin_cos();
            let omega = self.turns(k);
            let b = [base[0] + cos, base[1] + sin];
            let u = [speed[0] + omega * sin, speed[1] - omega * cos];
            q.extend([b[0], b[1], b[0] + 2.0, b[1]]);
            v.extend([u[0], u[1], u[0], u[1]]);
            if self.tower {
                (base, speed) = (b, u);
            }
        }
        Guess::new(0.0, q, v)
    }
    fn system(self) -> Differentiated<Detected<Linkages>> {
        let guess = self.guess();
        let lambda = vec![0.3; self.dims().lambda];
        let at = Point { t: 0.0, q: &guess.q, v: &guess.v, lambda: &lambda, psi: &[] };
        Differentiated::new(Detected::new(self, &[at]).expect("patterns are found"))
    }
}

impl Formulas for Linkages {
    fn dims(&self) -> Dims {
        Dims { q: 4 * self.count, v: 4 * self.count, lambda: self.each() * self.count, psi: 0 }
    }
    fn mass_is_constant(&self) -> bool {
        true
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let n = self.dims().v;
        (0..n).for_each(|i| mass[i * (n + 1)] = S::from(1.0));
    }
    fn inertia<S: Scalar>(&self, _: S, _: &[S], a: &[S], out: &mut [S]) -> Supplied {
        out.copy_from_slice(a);
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let square = |x: S, y: S| x * x + y * y;
        let mut base = [S::from(0.0), S::from(0.0)];
        for (q, g) in q.chunks_exact(4).zip(g.chunks_exact_mut(self.each())) {
            g[0] = square(q[0] - base[0], q[1] - base[1]) - 1.0;
            g[1] = square(q[2] - q[0], q[3] - q[1]) - 4.0;
            g[2] = square(q[2] - base[0] - 2.0, q[3] - base[1]) - 1.0;
            if self.copies {
                g[3] = square(q[2] - q[0], q[3] - q[1]) * 0.5 - 2.0;
            }
            if self.tower {
                base = [q[0], q[1]];
            }
        }
    }
    fn redundancy(&self) -> Redundancy {
        if self.copies { Redundancy::LeastSquares } else { Redundancy::Refused }
    }
    fn holonomic_name(&self, row: usize) -> String {
        let (k, what) = (row / self.each(), row % self.each());
        format!("{} of linkage {k}", ["crank", "coupler", "rocker", "copy"][what])
    }
}

/// Why and when a run ended, and what was to blame.
fn end(error: &IntegrateError) -> (f64, &StepFailure, &str) {
    match error {
        IntegrateError::StepTooSmall { t, cause: Obstacle::Failure(failure), blame, .. }
        | IntegrateError::Step { t, failure, blame, .. } => (*t, failure, blame.as_deref().unwrap_or_default()),
        other => panic!("{other}"),
    }
}

#[test]
fn one_dead_point_among_many_linkages_is_met_at_any_size() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.5).expect("in range");
    let radau = RungeKutta::radau(3).expect("odd");
    for copies in [false, true] {
        for count in [3, 334] {
            let linkages = Linkages { count, tower: false, copies };
            let system = linkages.system();
            let start = consistent(&system, &linkages.guess()).expect("consistent");
            for (scheme, h) in
                [(&soi2 as &dyn Scheme, Some(0.03)), (&soi2, None), (&radau, Some(0.07)), (&VariableBdf::new(), None)]
            {
                let what = format!("{count} linkages, copies {copies}, {}, {h:?}", scheme.name());
                let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
                let mut integrator = match h {
                    Some(h) => {
                        Integrator::new(&system, &start, scheme, FixedSteps::new(h).expect("positive"), tolerance)
                    }
                    None => Integrator::new(&system, &start, scheme, ErrorControl::new(), tolerance),
                }
                .expect("starts");
                assert_eq!(integrator.is_sparse(), count > 3, "{what}");
                let error = integrator.run(3.0, &mut Unobserved).err().unwrap_or_else(|| panic!("{what}: passed"));
                let (t, failure, blame) = end(&error);
                println!("{what}: {t}");
                assert!((t - 1.0).abs() <= h.unwrap_or(5e-3) + 1e-9, "{what}: {error}");
                if let StepFailure::Crossing { .. } = failure {
                    assert!(blame.ends_with(&format!(" of linkage {}", count / 2)), "{what}: {blame}");
                } else {
                    // Newton's method may give up before a step crosses it.
                    assert!(h.is_none(), "{what}: {error}");
                }
                let q = &integrator.state().q[4 * (count / 2)..];
                let theta = q[1].atan2(q[0]);
                assert!((theta - (1.0 - integrator.state().t)).abs() < 1e-3, "{what}: right up to there");
            }
        }
    }
}

#[test]
fn a_thousand_constraints_that_become_dependent_at_once_are_seen() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.5).expect("in range");
    for count in [2, 334] {
        let linkages = Linkages { count, tower: true, copies: false };
        let system = linkages.system();
        let start = consistent(&system, &linkages.guess()).expect("consistent");
        // The exact motion: cranks turn, so reactions are along them.
        let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
        let steps = FixedSteps::new(0.03).expect("positive");
        let mut integrator = Integrator::new(&system, &start, &soi2, steps, tolerance).expect("starts");
        let error = integrator.run(2.0, &mut Unobserved).expect_err("a dead point");
        let (t, failure, _) = end(&error);
        assert!((t - 1.0).abs() < 0.031 && matches!(failure, StepFailure::Crossing { .. }), "{count}: {error}");
    }
}

/// Masses in a row that share mass with their neighbours, more and more of it: M has ones on the diagonal and t beside it, and the
/// eigenvalues 1 + 2 t cos(k pi/(n+1)).
struct Row(usize);

impl Formulas for Row {
    fn dims(&self) -> Dims {
        Dims { q: self.0, v: self.0, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, t: S, _: &[S], mass: &mut [S]) {
        let n = self.0;
        for i in 0..n {
            mass[i * (n + 1)] = S::from(1.0);
            if i + 1 < n {
                (mass[i * n + i + 1], mass[(i + 1) * n + i]) = (t, t);
            }
        }
    }
    fn inertia<S: Scalar>(&self, t: S, _: &[S], a: &[S], out: &mut [S]) -> Supplied {
        let n = self.0;
        for i in 0..n {
            let beside = if i > 0 { a[i - 1] } else { S::from(0.0) } + if i + 1 < n { a[i + 1] } else { S::from(0.0) };
            out[i] = a[i] + t * beside;
        }
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], f: &mut [S]) {
        // A force that does not wake the modes which lose their mass: the first one only.
        let n = self.0;
        for (i, f) in f.iter_mut().enumerate() {
            *f = S::from((std::f64::consts::PI * (i + 1) as f64 / (n + 1) as f64).sin()) - q[i] * 0.0;
        }
    }
}

#[test]
fn a_mass_that_vanishes_in_a_row_of_any_length_stops_the_run() {
    for n in [12, 1000] {
        let guess = Guess::new(0.3, vec![0.0; n], vec![0.0; n]);
        let at = Point { t: 0.3, q: &guess.q, v: &guess.v, lambda: &[], psi: &[] };
        let system = Differentiated::new(Detected::new(Row(n), &[at]).expect("patterns are found"));
        let start = consistent(&system, &guess).expect("definite");
        let vanishes = 0.5 / (std::f64::consts::PI / (n + 1) as f64).cos();
        let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
        let soi2 = GeneralizedAlpha::from_rho_infinity(0.5).expect("in range");
        let h = 0.013;
        let steps = FixedSteps::new(h).expect("positive");
        let mut integrator = Integrator::new(&system, &start, &soi2, steps, tolerance).expect("starts");
        let error = integrator.run(0.9, &mut Unobserved).expect_err("a mass goes through zero");
        let (t, failure, _) = end(&error);
        assert!((vanishes - h..=vanishes + 1e-9).contains(&t), "{n}: at {t}, not {vanishes}: {error}");
        assert!(matches!(failure, StepFailure::MassSign { .. }), "{n}: {error}");
        // A start beyond is refused.
        let beyond = consistent(&system, &Guess { t: vanishes + 1e-3, ..guess });
        let error = beyond.expect_err("negative energies").to_string();
        assert!(error.starts_with("negative mass"), "{n}: {error}");
    }
}

/// Consistent output at every size: constraints to rounding, and accelerations that are those of the state.
#[test]
fn output_is_consistent_at_every_size() {
    use alembert_problems::long_chain::{self, Loads};
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    for bars in [10, 60, 400] {
        let problem = long_chain::new(bars, Loads::default());
        let guess = Guess::new(0.0, problem.start.q.clone(), problem.start.v.clone());
        let start = consistent(&*problem.system, &guess).expect("consistent");
        let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
        let steps = FixedSteps::new(1e-3).expect("positive");
        let mut integrator = Integrator::new(&*problem.system, &start, &soi2, steps, tolerance).expect("starts");
        integrator.run(0.02, &mut Unobserved).expect("runs");
        let residuals = integrator.stats().residuals;
        assert!(residuals.position.max(residuals.velocity) < 1e-14, "{bars} bars: {residuals:?}");
        // What a start from this state has is what the run has.
        let state = integrator.state();
        let again =
            consistent(&*problem.system, &Guess::new(state.t, state.q.clone(), state.v.clone())).expect("is one");
        let size = |x: &[f64]| x.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
        for (x, y) in [(&state.a, &again.a), (&state.lambda, &again.lambda)] {
            let apart = x.iter().zip(y).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
            assert!(apart <= 1e-8 * size(y), "{bars} bars: {apart:e} of {:e}", size(y));
        }
    }
}
