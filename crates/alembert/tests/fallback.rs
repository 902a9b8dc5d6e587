//! Matrices without pivots in the static order: massless pointers, each held to a hub by one constraint. A pointer has few
//! neighbours and is eliminated early, its constraint after the hub: the pivot of a pointer is then zero.

#[path = "common/counting.rs"]
mod counting;

use std::sync::Arc;

use alembert::linear::{Bordered, DenseSolver, Entry, Kkt, LinearSolver, Pattern, Structure};
use alembert::method::Scheme;
use alembert::{
    Differentiated, Dims, ErrorControl, FixedSteps, Formulas, GeneralizedAlpha, Guess, Integrator, Patterns,
    RungeKutta, Scalar, Tolerance, Unobserved, VariableBdf, consistent,
};
use faer::c64;

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

    fn size(&self) -> usize {
        self.patterns.top.rows() + self.patterns.rows.rows()
    }
}

/// Values of the blocks of a bordered matrix of [`Pointers`].
struct Blocks {
    structure: Arc<Structure>,
    top: Vec<f64>,
    rows: Vec<f64>,
    border: Vec<f64>,
}

impl Blocks {
    /// Unsymmetric; pointers without mass.
    fn of(pointers: &Pointers) -> Self {
        let Patterns { top, rows } = &pointers.patterns;
        let hubs = pointers.hubs;
        let mut blocks = Blocks {
            structure: Arc::new(Structure::new(top.clone(), rows.clone())),
            top: vec![0.0; top.len()],
            rows: (0..rows.len()).map(|e| 1.0 + 0.5 * (e as f64).sin()).collect(),
            border: (0..rows.len()).map(|e| -1.0 + 0.5 * (2.0 * e as f64).cos()).collect(),
        };
        for i in 0..hubs {
            for (j, e) in top.row(i).filter(|(j, _)| *j < hubs) {
                blocks.top[e] = if i == j { 3.0 } else { 0.3 * (i as f64 - 1.3 * j as f64).sin() };
            }
        }
        blocks
    }

    fn set_top(&mut self, i: usize, j: usize, x: f64) {
        let e = self.structure.top.position(i, j).expect("in the pattern");
        self.top[e] = x;
    }

    /// Constraint `row` becomes `factor` times the one before, if their patterns are the same.
    fn repeat(&mut self, row: usize, factor: f64) {
        let (from, to) = (self.structure.rows.start(row - 1), self.structure.rows.start(row));
        for k in 0..self.structure.rows.start(row + 1) - to {
            self.rows[to + k] = factor * self.rows[from + k];
            self.border[to + k] = factor * self.border[from + k];
        }
    }

    /// The same with a coefficient before the top and the rows.
    fn factor<S: Entry>(&self, kkt: &mut Kkt<S>, c: S) -> Result<(), alembert::linear::Singular> {
        let (top, rows) = ([(c, &self.top[..])], [(c, &self.rows[..])]);
        kkt.factor(Bordered { top: &top, border: (1.0, &self.border), rows: &rows, corner: None })
    }

    fn entries<S: Entry>(&self, c: S) -> Vec<(usize, usize, S)> {
        let (n, m) = (self.structure.top.rows(), self.structure.rows.rows());
        let mut entries = Vec::new();
        for i in 0..n {
            entries.extend(self.structure.top.row(i).map(|(j, e)| (i, j, c * self.top[e])));
        }
        for i in 0..m {
            for (j, e) in self.structure.rows.row(i) {
                entries.extend([(n + i, j, c * self.rows[e]), (j, n + i, S::from(-self.border[e]))]);
            }
        }
        entries
    }

    fn times<S: Entry>(&self, c: S, x: &[S]) -> Vec<S> {
        let mut y = vec![S::default(); x.len()];
        self.entries(c).into_iter().for_each(|(i, j, a)| y[i] += a * x[j]);
        y
    }

    /// Solves for a known solution, with one and with two right-hand sides, and says how often another solver was asked.
    fn check<S: Entry>(&self, c: S) -> [u64; 2] {
        let size = self.structure.size();
        let exact: Vec<S> = (0..size).map(|i| S::from((1.0 + i as f64).sin())).collect();
        let mut kkt = Kkt::<S>::new(&self.structure);
        assert!(kkt.is_sparse());
        self.factor(&mut kkt, c).expect("regular");
        let first = kkt.fallbacks();
        let given = self.times(c, &exact);
        let (mut one, mut two, mut three) = (given.clone(), given.clone(), given.clone());
        kkt.solve(&mut one);
        kkt.solve_two(&mut two, &mut three);
        for x in [&one, &two, &three] {
            let error = x.iter().zip(&exact).fold(0.0_f64, |max, (x, e)| max.max((*x - *e).size()));
            assert!(error < 1e-9, "{size} unknowns: {error:e}");
        }
        if size < 1000 {
            let mut matrix = vec![S::default(); size * size];
            self.entries(c).into_iter().for_each(|(i, j, a)| matrix[j * size + i] += a);
            let (mut dense, mut x) = (DenseSolver::new(size), given);
            dense.factor(&matrix).expect("regular");
            dense.solve(&mut x);
            assert!(x.iter().zip(&one).all(|(x, y)| (*x - *y).size() < 1e-9), "{size} unknowns");
        }
        assert!(kkt.smallest_pivot() > 1e-6, "{}", kkt.smallest_pivot());
        [first, kkt.fallbacks()]
    }
}

const SMALL: (usize, usize) = (3, 40);
const LARGE: (usize, usize) = (60, 40);

#[test]
fn pivots_come_from_elsewhere_where_the_order_has_none() {
    for (hubs, each) in [SMALL, LARGE] {
        let pointers = Pointers::new(hubs, each);
        assert_eq!(pointers.size() > 4000, hubs == LARGE.0);
        let blocks = Blocks::of(&pointers);
        assert_eq!(blocks.check(1.0), [1, 1]);
        assert_eq!(blocks.check(c64::new(0.7, -0.4)), [1, 1]);
    }
}

#[test]
fn a_useless_solution_is_not_believed() {
    for (hubs, each) in [SMALL, LARGE] {
        let pointers = Pointers::new(hubs, each);
        let mut blocks = Blocks::of(&pointers);
        // Tiny pivots that look sound, because nothing was subtracted, drown the inertia of the hubs.
        for pointer in hubs..hubs * (each + 1) {
            blocks.set_top(pointer, pointer, 1e-11);
            blocks.set_top(pointer, (pointer - hubs) / each, 1.0);
            blocks.set_top((pointer - hubs) / each, pointer, 1.0);
        }
        assert_eq!(blocks.check(1.0), [0, 1]);
        assert_eq!(blocks.check(c64::new(0.7, -0.4)), [0, 1]);
    }
}

/// The last two constraints hold the same pointer, the other one is heavy.
fn held_twice(hubs: usize, each: usize) -> (Blocks, usize) {
    let mut pointers = Pointers::new(hubs, each);
    let (n, m) = (hubs * (each + 1), hubs * each);
    let last = |i: usize| hubs + if i == m - 1 { i - 1 } else { i };
    let rows = Pattern::from_entries(m, n, (0..m).flat_map(|i| [(i, i / each), (i, last(i))]));
    pointers.patterns = Patterns::new([], rows);
    let mut blocks = Blocks::of(&pointers);
    blocks.set_top(n - 1, n - 1, 2.0);
    blocks.repeat(m - 1, -3.0);
    (blocks, n + m - 1)
}

#[test]
fn a_singular_matrix_is_refused_and_the_column_named() {
    for (hubs, each) in [SMALL, LARGE] {
        let (blocks, last) = held_twice(hubs, each);
        let error = blocks.factor(&mut Kkt::<f64>::new(&blocks.structure), 1.0).expect_err("dependent rows");
        assert!([last - 1, last].contains(&error.column), "{last}: {error}");
        let error = blocks.factor(&mut Kkt::<c64>::new(&blocks.structure), c64::new(0.7, -0.4)).expect_err("the same");
        assert!([last - 1, last].contains(&error.column), "{last}: {error}");
    }
}

#[test]
fn an_empty_column_is_named() {
    let pointers = Pointers::new(LARGE.0, LARGE.1);
    let mut blocks = Blocks::of(&pointers);
    let row = 77;
    let range = blocks.structure.rows.start(row)..blocks.structure.rows.start(row + 1);
    blocks.border[range].fill(0.0);
    let error = blocks.factor(&mut Kkt::<f64>::new(&blocks.structure), 1.0).expect_err("an idle multiplier");
    assert_eq!(error.column, blocks.structure.top.rows() + row);
    blocks.border[0] = f64::NAN;
    assert!(blocks.factor(&mut Kkt::<f64>::new(&blocks.structure), 1.0).is_err());
}

#[test]
fn softened_matrices_fall_back_too() {
    for (hubs, each) in [SMALL, LARGE] {
        let (mut blocks, last) = held_twice(hubs, each);
        blocks.structure = Arc::new((*blocks.structure).clone().softened(1e-8));
        let mut kkt = Kkt::<f64>::new(&blocks.structure);
        blocks.factor(&mut kkt, 1.0).expect("softened");
        let exact: Vec<f64> = (0..=last).map(|i| (1.0 + i as f64).sin()).collect();
        let mut x = blocks.times(1.0, &exact);
        kkt.solve(&mut x);
        let n = blocks.structure.top.rows();
        assert!(kkt.fallbacks() > 0);
        // Softness times multipliers times the size of a row.
        assert!(x[..n].iter().zip(&exact).all(|(x, e)| (x - e).abs() < 1e-6));
        assert!(x[n..last - 1].iter().zip(&exact[n..]).all(|(x, e)| (x - e).abs() < 1e-6));
    }
}

#[test]
fn the_next_matrix_begins_anew() {
    let pointers = Pointers::new(SMALL.0, SMALL.1);
    let mut blocks = Blocks::of(&pointers);
    let mut kkt = Kkt::<f64>::new(&blocks.structure);
    blocks.factor(&mut kkt, 1.0).expect("regular");
    assert_eq!(kkt.fallbacks(), 1);
    for i in 0..blocks.structure.top.rows() {
        blocks.set_top(i, i, 4.0);
    }
    blocks.factor(&mut kkt, 1.0).expect("regular");
    let mut x = blocks.times(1.0, &vec![1.0; pointers.size()]);
    kkt.solve(&mut x);
    assert!(kkt.fallbacks() == 1 && x.iter().all(|x| (x - 1.0).abs() < 1e-9));
}

#[test]
fn solving_and_factoring_the_like_again_do_not_allocate() {
    let pointers = Pointers::new(SMALL.0, SMALL.1);
    let blocks = Blocks::of(&pointers);
    let mut kkt = Kkt::<f64>::new(&blocks.structure);
    let mut x = vec![1.0; pointers.size()];
    blocks.factor(&mut kkt, 1.0).expect("regular");
    kkt.solve(&mut x);
    let before = counting::allocations();
    kkt.solve(&mut x);
    blocks.factor(&mut kkt, 2.0).expect("regular");
    kkt.solve(&mut x);
    assert_eq!(counting::allocations() - before, 0);
    assert_eq!(kkt.fallbacks(), 2);
}

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
