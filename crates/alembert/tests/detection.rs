//! Patterns found from formulas.

use std::sync::atomic::{AtomicU64, Ordering};

use alembert::{
    Detected, Differentiated, Dims, Equations, ErrorControl, Formulas, Guess, Integrator, Pattern, Patterns, Point,
    RungeKutta, Scalar, State, Supplied, Tolerance, Undetectable, Unobserved, check_derivatives, consistent,
    detect_patterns,
};

/// Masses on a grid of `side` by `side` points; neighbours in a row are joined by rods, those in a column by springs and
/// dampers, and carry beams with a coupled inertia that depends on the distance. `stated`: with patterns.
struct Grid {
    side: usize,
    stated: bool,
    evaluations: AtomicU64,
}

impl Grid {
    fn new(side: usize, stated: bool) -> Self {
        Grid { side, stated, evaluations: AtomicU64::new(0) }
    }

    fn points(&self) -> usize {
        self.side * self.side
    }

    /// Pairs joined by springs.
    fn springs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (self.side..self.points()).map(|k| (k - self.side, k))
    }

    /// Rod i joins the points (k, k + 1).
    fn rod(&self, i: usize) -> usize {
        i / (self.side - 1) * self.side + i % (self.side - 1)
    }

    fn rods(&self) -> usize {
        self.side * (self.side - 1)
    }

    fn reference(&self) -> Patterns {
        let block = |a: usize, b: usize| (0..4).map(move |k| (2 * a + k / 2, 2 * b + k % 2));
        let springs = self.springs().flat_map(|(a, b)| [(a, a), (a, b), (b, a), (b, b)]);
        let top: Vec<(usize, usize)> = springs.flat_map(|(a, b)| block(a, b)).collect();
        let rods = (0..self.rods()).flat_map(|i| (0..4).map(move |k| (i, 2 * self.rod(i) + k)));
        Patterns::new(top, Pattern::from_entries(self.rods(), 2 * self.points(), rods))
    }

    /// Inertia between two points of a column.
    fn coupling<S: Scalar>(&self, q: &[S], a: usize, b: usize) -> S {
        ((q[2 * a] - q[2 * b]) * (q[2 * a] - q[2 * b]) + (q[2 * a + 1] - q[2 * b + 1]).powi(2) + 20.0).recip()
    }

    fn start(&self) -> Guess {
        let q: Vec<f64> =
            (0..self.points()).flat_map(|k| [(k % self.side) as f64, -((k / self.side) as f64)]).collect();
        Guess::new(0.0, q, vec![0.0; 2 * self.points()])
    }
}

impl Formulas for Grid {
    fn dims(&self) -> Dims {
        let n = 2 * self.points();
        Dims { q: n, v: n, lambda: self.rods(), psi: 0 }
    }
    fn patterns(&self) -> Option<Patterns> {
        self.stated.then(|| self.reference())
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        let (n, patterns) = (2 * self.points(), self.patterns());
        let at = |i: usize, j: usize| match &patterns {
            None => i * n + j,
            Some(patterns) => patterns.top.position(i, j).expect("in the pattern"),
        };
        (0..n).for_each(|i| mass[at(i, i)] = S::from(1.0));
        for (a, b) in self.springs() {
            for k in 0..2 {
                let coupling = self.coupling(q, a, b);
                mass[at(2 * a + k, 2 * b + k)] = coupling;
                mass[at(2 * b + k, 2 * a + k)] = coupling;
            }
        }
    }
    fn inertia<S: Scalar>(&self, _: S, q: &[S], a: &[S], out: &mut [S]) -> Supplied {
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        out.copy_from_slice(a);
        for (p, r) in self.springs() {
            let coupling = self.coupling(q, p, r);
            for k in 0..2 {
                out[2 * p + k] += coupling * a[2 * r + k];
                out[2 * r + k] += coupling * a[2 * p + k];
            }
        }
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        for (a, b) in self.springs() {
            let d = [0, 1].map(|k| q[2 * a + k] - q[2 * b + k]);
            let length = (d[0] * d[0] + d[1] * d[1]).sqrt();
            for k in 0..2 {
                let pull = d[k] * 30.0 * (length - 1.0) / length + (v[2 * a + k] - v[2 * b + k]) * 0.4;
                force[2 * a + k] -= pull;
                force[2 * b + k] += pull;
            }
        }
        force.chunks_exact_mut(2).for_each(|f| f[1] += S::from(-9.81));
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        for (i, g) in g.iter_mut().enumerate() {
            let k = 2 * self.rod(i);
            let (x, y) = (q[k] - q[k + 2], q[k + 1] - q[k + 3]);
            *g = x * x + y * y - 1.0;
        }
    }
}

fn origin(dims: Dims) -> [Vec<f64>; 4] {
    // Nothing vanishes here but by accident of the point: velocities and multipliers do.
    let q = (0..dims.q).map(|i| i as f64 + 0.3 * (i as f64).sin()).collect();
    [q, vec![0.0; dims.v], vec![0.0; dims.lambda], vec![0.0; dims.psi]]
}

fn detected<F: Formulas>(formulas: F) -> Result<Detected<F>, Undetectable> {
    let [q, v, lambda, psi] = origin(formulas.dims());
    Detected::new(formulas, &[Point { t: 0.0, q: &q, v: &v, lambda: &lambda, psi: &psi }])
}

#[test]
fn patterns_of_grids_are_those_that_were_stated() {
    for side in [2, 3, 9, 20] {
        let grid = detected(Grid::new(side, false)).expect("detectable");
        assert_eq!(grid.patterns(), Some(grid.formulas().reference()), "side {side}");
    }
}

#[test]
fn derivatives_stand_where_the_patterns_say() {
    let system = Differentiated::new(detected(Grid::new(5, false)).expect("detectable"));
    let dims = Grid::new(5, false).dims();
    let values = |count: usize, size: f64| -> Vec<f64> { (0..count).map(|i| size * (1.7 * i as f64).sin()).collect() };
    let mut q = Grid::new(5, false).start().q;
    q.iter_mut().zip(values(dims.q, 0.2)).for_each(|(q, d)| *q += d);
    let (v, lambda) = (values(dims.v, 1.0), values(dims.lambda, 2.0));
    let report = check_derivatives(&system, Point { t: 0.0, q: &q, v: &v, lambda: &lambda, psi: &[] }).expect("finite");
    assert!(report.is_ok() && report.checked.len() > 8, "{report}");
    // The values of M are those that the system writes row by row.
    let mut equations = Equations::new(&system);
    let top = equations.layout().top.clone();
    let (mut found, mut whole) = (vec![0.0; top.len()], vec![0.0; dims.v * dims.v]);
    equations.mass(0.0, &q, &mut found).expect("finite");
    Grid::new(5, false).mass(0.0, &q, &mut whole);
    for i in 0..dims.v {
        for j in 0..dims.v {
            assert_eq!(top.position(i, j).map_or(0.0, |e| found[e]), whole[i * dims.v + j], "({i}, {j})");
        }
    }
}

fn run<F: Formulas>(formulas: F, guess: &Guess) -> (State, bool) {
    let system = Differentiated::new(formulas);
    let start = consistent(&system, guess).expect("on its constraints");
    let (radau, tolerance) = (RungeKutta::default(), Tolerance::new(1e-8, 1e-8).expect("in range"));
    let mut integrator = Integrator::new(&system, &start, &radau, ErrorControl::new(), tolerance).expect("suits");
    integrator.run(0.1, &mut Unobserved).expect("runs");
    (integrator.state().clone(), integrator.is_sparse())
}

#[test]
fn a_system_moves_with_found_patterns_as_with_stated_ones() {
    let guess = Grid::new(10, true).start();
    let (expected, stated) = run(Grid::new(10, true), &guess);
    let (state, found) = run(detected(Grid::new(10, false)).expect("detectable"), &guess);
    assert!(stated && found);
    let distance = expected.q.iter().zip(&state.q).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
    assert!(distance < 1e-10, "{distance:e}");
}

/// 45 000 velocities: an array of n by n numbers would take 16 GB.
#[test]
fn large_systems_take_a_few_evaluations() {
    let mut counts = Vec::new();
    for side in [30, 150] {
        let grid = Grid::new(side, false);
        let [q, v, lambda, psi] = origin(grid.dims());
        let at = Point { t: 0.0, q: &q, v: &v, lambda: &lambda, psi: &psi };
        let patterns = detect_patterns(&grid, &[at]).expect("detectable");
        assert_eq!(patterns, grid.reference());
        counts.push(grid.evaluations.load(Ordering::Relaxed));
    }
    assert!(counts[1] < 2 * counts[0] && counts[1] < 60, "{counts:?}");
}

/// Everything that a grid has not: explicit time, nonholonomic constraints, a reaction of its own, a branch, zeros.
struct Mixture {
    standard: bool,
}

impl Formulas for Mixture {
    fn dims(&self) -> Dims {
        Dims { q: 6, v: 6, lambda: 1, psi: 1 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], _: &mut [S]) {
        panic!("M is not asked for");
    }
    fn inertia<S: Scalar>(&self, t: S, q: &[S], a: &[S], out: &mut [S]) -> Supplied {
        for i in 0..6 {
            out[i] = a[i] * (t + 1.0);
        }
        // M depends on q[5] here.
        out[0] += q[5].cos() * a[0] * 0.1;
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        // A contact, a product with a velocity that is zero at the point, and one with a zero.
        force[1] = if q[2].value() > 0.0 { S::default() } else { q[2] * -100.0 };
        force[3] = v[4] * q[0];
        force[4] = q[1] * 0.0 + S::default() * q[3];
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[1] - t;
    }
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], v: &[S], k: &mut [S]) {
        k[0] = v[3] * q[4].sin();
    }
    fn reaction<S: Scalar>(&self, _: S, q: &[S], v: &[S], lambda: &[S], psi: &[S], r: &mut [S]) -> Supplied {
        if self.standard {
            return Supplied::No;
        }
        r[2] = -q[5] * lambda[0];
        r[3] = -psi[0] * psi[0];
        r[5] = v[0] * psi[0];
        Supplied::Yes
    }
}

fn list(pattern: &Pattern) -> Vec<(usize, usize)> {
    (0..pattern.rows()).flat_map(|i| pattern.row(i).map(move |(j, _)| (i, j))).collect()
}

#[test]
fn every_function_is_looked_at() {
    let (above, below) = ([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
    let at = |q| Point { t: 0.0, q, v: &[0.0; 6], lambda: &[0.0], psi: &[0.0] };
    let find = |standard: bool, points: &[Point]| detect_patterns(&Mixture { standard }, points).expect("detectable");
    let diagonal = |more: &[(usize, usize)]| {
        let mut entries: Vec<(usize, usize)> = (0..6).map(|i| (i, i)).chain(more.iter().copied()).collect();
        entries.sort_unstable();
        entries
    };
    let own = find(false, &[at(&above)]);
    assert_eq!(list(&own.top), diagonal(&[(0, 5), (2, 5), (3, 0), (3, 4), (5, 0)]));
    // g of q[0], q[1], and r_lambda; k of v[3] and q[4], and r_psi.
    assert_eq!(list(&own.rows), [(0, 0), (0, 1), (0, 2), (1, 3), (1, 4), (1, 5)]);
    // The contact is seen at the second point.
    let both = find(false, &[at(&above), at(&below)]);
    assert_eq!(list(&both.top), diagonal(&[(0, 5), (1, 2), (2, 5), (3, 0), (3, 4), (5, 0)]));
    // The standard reaction couples the coordinates of a constraint.
    let standard = find(true, &[at(&above)]);
    assert_eq!(list(&standard.top), diagonal(&[(0, 1), (0, 5), (1, 0), (3, 0), (3, 4), (4, 3)]));
    assert_eq!(list(&standard.rows), [(0, 0), (0, 1), (1, 3), (1, 4)]);
}

/// One force of everything: products of coordinates and velocities, all of them zero at the point.
struct Hub;

impl Formulas for Hub {
    fn dims(&self) -> Dims {
        Dims { q: 80, v: 80, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], _: &mut [S]) {}
    fn inertia<S: Scalar>(&self, _: S, _: &[S], a: &[S], out: &mut [S]) -> Supplied {
        out.copy_from_slice(a);
        Supplied::Yes
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], force: &mut [S]) {
        (0..80).for_each(|j| force[3] += q[j] * v[(j + 40) % 80]);
    }
}

#[test]
fn what_takes_several_passes_is_found_whole() {
    let zeros = vec![0.0; 80];
    let at = Point { t: 0.0, q: &zeros, v: &zeros, lambda: &[], psi: &[] };
    let Patterns { top, rows } = detect_patterns(&Hub, &[at]).expect("detectable");
    assert!((0..80).all(|j| top.position(3, j).is_some()));
    assert_eq!((top.len(), rows.len()), (2 * 80 - 1, 0));
}

/// A general rate, or nothing at all.
#[derive(Debug)]
struct Others {
    general: bool,
}

impl Formulas for Others {
    fn dims(&self) -> Dims {
        Dims { q: 3, v: 3, lambda: 0, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], _: &mut [S]) {}
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], _: &mut [S]) {}
    fn rate<S: Scalar>(&self, _: S, _: &[S], v: &[S], q_dot: &mut [S]) -> Supplied {
        if !self.general {
            return Supplied::No;
        }
        q_dot.copy_from_slice(v);
        Supplied::Yes
    }
}

#[test]
fn what_cannot_be_found_is_refused() {
    assert_eq!(detected(Others { general: true }).expect_err("a rate"), Undetectable::Kinematics);
    let error = detected(Others { general: false }).expect_err("only M");
    assert!(error == Undetectable::NoInertia && error.to_string().contains("inertia"), "{error}");
    assert_eq!(detect_patterns(&Mixture { standard: true }, &[]).expect_err("nowhere"), Undetectable::NoPoint);
    let short = Point { t: 0.0, q: &[0.0; 5], v: &[0.0; 6], lambda: &[0.0], psi: &[0.0] };
    assert_eq!(detect_patterns(&Mixture { standard: true }, &[short]).expect_err("short"), Undetectable::Misfit);
}
