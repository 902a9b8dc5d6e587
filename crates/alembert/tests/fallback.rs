//! Motions of systems whose matrices have no pivots in the static order: massless pointers, each held to a hub by one
//! constraint. The matrices alone are tested in `src/linear/kkt/tests.rs`.

use alembert::method::Scheme;
use alembert::{
    Differentiated, Dims, ErrorControl, FixedSteps, Formulas, GeneralizedAlpha, Guess, Integrator, Pattern, Patterns,
    RungeKutta, Scalar, Tolerance, Unobserved, VariableBdf, consistent,
};

/// Hubs with pointers: coordinates of all hubs, then of all pointers, hub by hub; as many constraints as pointers.
struct Pointers {
    hubs: usize,
    each: usize,
    patterns: Patterns,
}

impl Pointers {
    fn new(hubs: usize, each: usize) -> Self {
        let (n, m) = (hubs * (each + 1), hubs * each);
        let rows = Pattern::from_entries(m, n, (0..m).flat_map(|i| [(i, i / each), (i, hubs + i)]));
        let neighbours = (1..hubs).flat_map(|h| [(h - 1, h), (h, h - 1)]);
        Pointers { hubs, each, patterns: Patterns::new(neighbours, rows) }
    }
}

const LARGE: (usize, usize) = (60, 40);

/// Hubs on springs, each with pointers x_i = c_i z that a constant force p_i pulls at. Pointers have mass e and an inertia u
/// in common with their hub, both zero or so that pivots are tiny:
///
/// ```text
/// (m + sum (2 u c_i + e c_i^2)) z'' = -k z + sum c_i p_i
/// ```
struct Weights {
    pointers: Pointers,
    common: f64,
    own: f64,
}

const MASS: f64 = 2.0;
const SPRING: f64 = 18.0;

impl Weights {
    fn massless(hubs: usize, each: usize) -> Self {
        Weights { pointers: Pointers::new(hubs, each), common: 0.0, own: 0.0 }
    }

    /// Solutions in the static order are useless.
    fn nearly_massless(hubs: usize, each: usize) -> Self {
        Weights { common: 1.0, own: 1e-11, ..Self::massless(hubs, each) }
    }

    fn guess(&self) -> Guess {
        let Pointers { hubs, each, .. } = self.pointers;
        let mut q: Vec<f64> = (0..hubs).map(|h| 0.1 * (h as f64).cos()).collect();
        q.extend((0..hubs * each).map(|i| self.lever(i) * 0.1 * ((i / each) as f64).cos()));
        Guess::new(0.0, q, vec![0.0; hubs * (each + 1)])
    }

    fn lever(&self, i: usize) -> f64 {
        1.0 + 0.5 * (i as f64).sin()
    }

    fn pull(&self, i: usize) -> f64 {
        0.1 * (3.0 * i as f64).cos()
    }

    fn rest(&self, hub: usize) -> f64 {
        self.of(hub).map(|i| self.lever(i) * self.pull(i)).sum::<f64>() / SPRING
    }

    fn of(&self, hub: usize) -> std::ops::Range<usize> {
        hub * self.pointers.each..(hub + 1) * self.pointers.each
    }

    /// Of hub `hub`, released at `z`.
    fn exact(&self, hub: usize, z: f64, t: f64) -> f64 {
        let carried: f64 = self.of(hub).map(|i| self.lever(i) * (2.0 * self.common + self.own * self.lever(i))).sum();
        self.rest(hub) + (z - self.rest(hub)) * ((SPRING / (MASS + carried)).sqrt() * t).cos()
    }
}

impl Formulas for Weights {
    fn dims(&self) -> Dims {
        let (n, m) = (self.pointers.patterns.top.rows(), self.pointers.patterns.rows.rows());
        Dims { q: n, v: n, lambda: m, psi: 0 }
    }
    fn patterns(&self) -> Option<Patterns> {
        Some(self.pointers.patterns.clone())
    }
    /// The inertia in common makes pivots tiny, and some motions off the constraints lighter than nothing.
    fn allows_indefinite_mass(&self) -> bool {
        true
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        let hubs = self.pointers.hubs;
        let mut put = |i, j, x| mass[self.pointers.patterns.top.position(i, j).expect("in the pattern")] = S::from(x);
        (0..hubs).for_each(|i| put(i, i, MASS));
        for i in 0..hubs * self.pointers.each {
            put(hubs + i, hubs + i, self.own);
            put(hubs + i, i / self.pointers.each, self.common);
            put(i / self.pointers.each, hubs + i, self.common);
        }
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], _: &[S], force: &mut [S]) {
        let (hubs, pointers) = force.split_at_mut(self.pointers.hubs);
        hubs.iter_mut().zip(q).for_each(|(f, z)| *f = *z * -SPRING);
        pointers.iter_mut().enumerate().for_each(|(i, f)| *f = S::from(self.pull(i)));
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        for (i, g) in g.iter_mut().enumerate() {
            *g = q[self.pointers.hubs + i] - q[i / self.pointers.each] * self.lever(i);
        }
    }
}

#[test]
fn a_system_without_pivots_in_the_static_order_moves_as_it_should() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let (radau, bdf) = (RungeKutta::default(), VariableBdf::default());
    let schemes: [(&dyn Scheme, bool, f64); 3] = [(&soi2, false, 1e-4), (&radau, true, 1e-7), (&bdf, true, 1e-5)];
    // 324 and 4860 unknowns; the large one only once.
    for (make, schemes) in [
        ((|| Weights::massless(4, 40)) as fn() -> Weights, &schemes[..]),
        (|| Weights::nearly_massless(4, 40), &schemes[..]),
        (|| Weights::massless(LARGE.0, LARGE.1), &schemes[..1]),
    ] {
        let (weights, system) = (make(), Differentiated::new(make()));
        let Pointers { hubs, each, .. } = weights.pointers;
        let guess = weights.guess();
        let state = consistent(&system, &guess).expect("every pointer is held");
        for (scheme, controlled, limit) in schemes {
            let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
            let fixed = FixedSteps::new(5e-3).expect("positive");
            let mut integrator = match controlled {
                true => Integrator::new(&system, &state, *scheme, ErrorControl::new(), tolerance),
                false => Integrator::new(&system, &state, *scheme, fixed, tolerance),
            }
            .expect("suits");
            integrator.run(0.1, &mut Unobserved).expect("runs");
            let (end, stats) = (integrator.state(), integrator.stats());
            assert!(stats.fallbacks > 0, "{}: {stats}", scheme.name());
            assert!(stats.residuals.position < 1e-11, "{}: {stats}", scheme.name());
            for h in 0..hubs {
                let error = (end.q[h] - weights.exact(h, guess.q[h], 0.1)).abs();
                assert!(error < *limit, "{}: {error:e}", scheme.name());
            }
            // What the inertia of a pointer leaves of the force on it, its constraint carries.
            let error = (0..hubs * each).fold(0.0_f64, |max, i| {
                let inertia = (weights.common + weights.own * weights.lever(i)) * end.a[i / each];
                max.max((end.lambda[i] - weights.pull(i) + inertia).abs())
            });
            assert!(error < 1e-6, "{}: multipliers {error:e}", scheme.name());
        }
    }
}

#[test]
fn a_restored_run_has_the_factors_it_had() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    for make in [(|| Weights::massless(4, 40)) as fn() -> Weights, || Weights::nearly_massless(4, 40)] {
        let system = Differentiated::new(make());
        let state = consistent(&system, &make().guess()).expect("every pointer is held");
        let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
        let [mut whole, mut second] = [0, 1].map(|_| {
            let steps = FixedSteps::new(5e-3).expect("positive");
            Integrator::new(&system, &state, &soi2, steps, tolerance).expect("suits")
        });
        whole.run(0.05, &mut Unobserved).expect("runs");
        second.restore(&whole.checkpoint().expect("can be kept")).expect("the same integration");
        whole.run(0.1, &mut Unobserved).expect("runs");
        second.run(0.1, &mut Unobserved).expect("runs");
        assert!(whole.state() == second.state());
        assert_eq!(whole.stats().fallbacks, second.stats().fallbacks);
    }
}
