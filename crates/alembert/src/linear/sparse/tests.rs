//! The sparse solver beside the dense one, on random structures and on those of mechanisms.

use std::sync::Arc;

use faer::c64;
use proptest::prelude::*;

use super::{Field, SparseSolver, Symbolic, bordered_order};
use crate::counting;
use crate::linear::{DenseSolver, LinearSolver, Pattern};

impl<S: Field> SparseSolver<S> {
    /// The smallest share a pivot has in the sum of the sizes of what it was computed from, at most 1.
    fn smallest_pivot(&self) -> f64 {
        self.shares.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// A matrix by its entries.
struct Matrix<S> {
    size: usize,
    order: Vec<usize>,
    entries: Vec<(u32, u32)>,
    values: Vec<S>,
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    fn below(&mut self, end: usize) -> usize {
        ((self.next() + 0.5) * end as f64) as usize % end
    }
}

trait Draw: Field {
    fn draw(random: &mut Random) -> Self;
}

impl Draw for f64 {
    fn draw(random: &mut Random) -> Self {
        random.next()
    }
}

impl Draw for c64 {
    fn draw(random: &mut Random) -> Self {
        c64::new(random.next(), random.next())
    }
}

impl<S: Draw> Matrix<S> {
    /// A saddle point of a dominant block and `m` rows, each with a large entry in a column of its own.
    fn saddle(n: usize, m: usize, density: f64, symmetric: bool, random: &mut Random) -> Self {
        let top: Vec<(usize, usize)> = (0..(density * n as f64) as usize)
            .map(|_| (random.below(n), random.below(n)))
            .flat_map(|(i, j)| [(i, j), (j, i)])
            .chain((0..n).map(|i| (i, i)))
            .collect();
        let top = Pattern::from_entries(n, n, top);
        let rows: Vec<(usize, usize)> =
            (0..m).flat_map(|i| [(i, (i * 7 + 3) % n), (i, i), (i, random.below(n))]).collect();
        let rows = Pattern::from_entries(m, n, rows);
        let order = bordered_order(&top, &rows);
        let (mut entries, mut values) = (Vec::new(), Vec::new());
        let mut put = |i: usize, j: usize, x: S| {
            entries.push((i as u32, j as u32));
            values.push(x);
        };
        let mut lengths = vec![1.0; n];
        for i in 0..n {
            for (j, _) in top.row(i).filter(|(j, _)| *j < i) {
                let x = S::draw(random);
                let y = if symmetric { x } else { S::draw(random) };
                put(i, j, x);
                put(j, i, y);
                lengths[i] += x.size() + y.size();
                lengths[j] += x.size() + y.size();
            }
        }
        for (i, length) in lengths.iter().enumerate() {
            put(i, i, S::from(*length) + S::draw(random) * 0.5);
        }
        for i in 0..m {
            for (j, _) in rows.row(i) {
                let x = if j == i { S::from(4.0) } else { S::draw(random) };
                put(n + i, j, x);
                put(j, n + i, if symmetric { x } else { -x + S::draw(random) * 0.1 });
            }
        }
        Matrix { size: n + m, order, entries, values }
    }
}

impl<S: Field> Matrix<S> {
    fn solver(&self) -> SparseSolver<S> {
        SparseSolver::new(Arc::new(Symbolic::new(self.size, &self.entries, &self.order)))
    }

    fn dense(&self) -> Vec<S> {
        let mut dense = vec![S::default(); self.size * self.size];
        for (&(i, j), x) in self.entries.iter().zip(&self.values) {
            dense[j as usize * self.size + i as usize] = *x;
        }
        dense
    }

    fn times(&self, x: &[S]) -> Vec<S> {
        let mut y = vec![S::default(); self.size];
        for (&(i, j), a) in self.entries.iter().zip(&self.values) {
            y[i as usize] += *a * x[j as usize];
        }
        y
    }

    /// Both solvers, one and two right-hand sides.
    fn check(&self, symmetric: bool) {
        let n = self.size;
        let exact: Vec<S> = (0..n).map(|i| S::from((1.0 + i as f64).sin())).collect();
        let mut other: Vec<S> = (0..n).map(|i| S::from((2.0 + i as f64).cos())).collect();
        let expected = other.clone();
        let mut rhs = self.times(&exact);
        other = self.times(&other);
        let mut again = rhs.clone();
        let mut scratch = vec![S::default(); 2 * n];
        let mut solver = self.solver();
        solver.factor(&self.values, symmetric).expect("regular");
        solver.solve(&mut rhs, &mut scratch);
        solver.solve_two(&mut other, &mut again, &mut scratch);
        for k in 0..n {
            let errors = [rhs[k] - exact[k], other[k] - expected[k], again[k] - exact[k]].map(|e| e.size());
            assert!(errors.iter().all(|e| *e < 1e-9), "unknown {k} of {n}: {errors:?}");
        }
        assert!(solver.smallest_pivot() > 1e-6 && solver.smallest_pivot() <= 1.0, "{}", solver.smallest_pivot());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn random_saddle_points_are_solved(n in 1usize..120, share in 0.0f64..0.7, density in 0.0f64..4.0, seed in 1u64..u64::MAX) {
        let m = (share * n as f64) as usize;
        let mut random = Random(seed);
        for symmetric in [true, false] {
            Matrix::<f64>::saddle(n, m, density, symmetric, &mut random).check(symmetric);
            Matrix::<f64>::saddle(n, m, density, symmetric, &mut random).check(false);
            Matrix::<c64>::saddle(n, m, density, symmetric, &mut random).check(symmetric);
        }
    }

    #[test]
    fn full_matrices_are_solved_though_pivots_on_the_diagonal_are_bad(n in 1usize..16, seed in 1u64..u64::MAX) {
        let mut random = Random(seed);
        let entries: Vec<(u32, u32)> = (0..n as u32).flat_map(|i| (0..n as u32).map(move |j| (i, j))).collect();
        let values: Vec<f64> = entries.iter().map(|&(i, j)| if i == j { 0.0 } else { random.next() }).collect();
        let matrix = Matrix { size: n, order: (0..n).collect(), entries, values };
        let mut dense = DenseSolver::new(n);
        let exact: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let mut by_dense = matrix.times(&exact);
        // Matrices near a singular one, whose dense solutions show it, are left out.
        let is_regular = dense.factor(&matrix.dense()).is_ok() && {
            dense.solve(&mut by_dense);
            by_dense.iter().zip(&exact).all(|(x, e)| (x - e).abs() < 1e-11)
        };
        if is_regular {
            let mut sparse = matrix.solver();
            sparse.factor(&matrix.values, false).expect("regular");
            let mut x = matrix.times(&exact);
            sparse.solve(&mut x, &mut vec![0.0; n]);
            for (x, e) in x.iter().zip(&exact) {
                prop_assert!((x - e).abs() < 1e-8, "{} {}", x, e);
            }
        }
    }
}

/// A planar chain: bodies of three coordinates, joints of two rows, the first to the ground; `stiff`: neighbours share
/// entries of the leading block. `closed` rows hold the last body too.
fn chain(links: usize, stiff: bool, closed: usize) -> Matrix<f64> {
    let (n, m) = (3 * links, 2 * links + closed);
    let couples = |a: usize, b: usize| a == b || stiff && a.abs_diff(b) == 1;
    let top: Vec<(usize, usize)> = (0..n)
        .flat_map(|i| (i.saturating_sub(5)..(i + 6).min(n)).filter(move |j| couples(i / 3, j / 3)).map(move |j| (i, j)))
        .collect();
    let top = Pattern::from_entries(n, n, top);
    let rows = (0..m).flat_map(|i| {
        let bodies = if i >= 2 * links { links - 1..links } else { (i / 2).saturating_sub(1)..i / 2 + 1 };
        (3 * bodies.start..3 * bodies.end).map(move |j| (i, j))
    });
    let rows = Pattern::from_entries(m, n, rows);
    let order = bordered_order(&top, &rows);
    let (mut entries, mut values) = (Vec::new(), Vec::new());
    for i in 0..n {
        for (j, _) in top.row(i) {
            entries.push((i as u32, j as u32));
            values.push(if i == j {
                2.0
            } else if i / 3 == j / 3 {
                0.1
            } else {
                -0.05
            });
        }
    }
    for i in 0..m {
        for (j, _) in rows.row(i) {
            let angle = (i / 2 + j / 3) as f64;
            let x = match (i % 2, j % 3) {
                (0, 0) | (1, 1) => 1.0,
                (0, 2) => 0.5 * angle.sin(),
                (1, 2) => -0.5 * angle.cos(),
                _ => 0.0,
            };
            let behind = j / 3 != i / 2 && i < 2 * links;
            let x = if behind && j % 3 < 2 { -x } else { x };
            for entry in [(n + i, j), (j, n + i)] {
                entries.push((entry.0 as u32, entry.1 as u32));
                values.push(x);
            }
        }
    }
    Matrix { size: n + m, order, entries, values }
}

#[test]
fn chains_are_solved_and_stay_sparse() {
    for links in [1, 2, 3, 10, 1000] {
        for stiff in [false, true] {
            let matrix = chain(links, stiff, 0);
            matrix.check(true);
            matrix.check(false);
            let symbolic = Symbolic::new(matrix.size, &matrix.entries, &matrix.order);
            assert!(symbolic.fill() <= links * 120, "{} for {links}", symbolic.fill());
            assert!(symbolic.largest_front() <= 32 && symbolic.operations() < 3000.0 * links as f64);
        }
    }
}

#[test]
fn a_dependent_constraint_is_named() {
    for links in [1, 2, 30] {
        let mut matrix = chain(links, false, 0);
        let n = 3 * links;
        // The last row repeats the one before, in another scale.
        let (last, before) = ((n + 2 * links - 1) as u32, (n + 2 * links - 2) as u32);
        let copies: Vec<f64> = matrix
            .entries
            .iter()
            .map(|&(i, j)| {
                let entry = (if i == last { before } else { i }, if j == last { before } else { j });
                let at = matrix.entries.iter().position(|e| *e == entry).expect("same pattern");
                if i == last || j == last { 3.0 * matrix.values[at] } else { matrix.values[at] }
            })
            .collect();
        matrix.values = copies;
        for symmetric in [true, false] {
            let error = matrix.solver().factor(&matrix.values, symmetric).expect_err("dependent rows");
            assert!([last as usize, before as usize].contains(&error.column), "{links} links: {error}");
        }
    }
}

#[test]
fn a_loop_held_too_often_is_refused() {
    for links in [1, 2, 20, 300] {
        // All angles of the bodies equal: the rows at the far end repeat those of the chain.
        let mut matrix = chain(links, false, 3);
        let n = 3 * links;
        let own = |i: u32, j: u32| i as usize >= n && j as usize == 3 * (links - 1) + (i as usize - n - 2 * links);
        for (entry, value) in matrix.entries.iter().zip(&mut matrix.values) {
            let (i, j) = (entry.0.max(entry.1), entry.0.min(entry.1));
            if i as usize >= n + 2 * links {
                *value = if own(i, j) { 1.0 } else { 0.0 };
            } else if i as usize >= n && j % 3 == 2 && links > 1 {
                *value = 0.0;
            }
        }
        for symmetric in [true, false] {
            let error = matrix.solver().factor(&matrix.values, symmetric).expect_err("dependent rows");
            assert!(error.column >= n, "{links} links: {error}");
        }
    }
}

#[test]
fn small_and_simple_matrices_are_solved() {
    let tridiagonal: Vec<(u32, u32)> =
        (0..100u32).flat_map(|i| (i.saturating_sub(1)..(i + 2).min(100)).map(move |j| (i, j))).collect();
    let values = tridiagonal.iter().map(|(i, j)| if i == j { 2.5 } else { -1.0 }).collect();
    Matrix { size: 100, order: (0..100).collect(), entries: tridiagonal, values }.check(true);
    let entries: Vec<(u32, u32)> = (0..50).map(|i| (i, i)).collect();
    let values = (0..50).map(|i| 1.0 - 2.0 * f64::from(i % 2)).collect();
    Matrix { size: 50, order: (0..50).rev().collect(), entries, values }.check(true);
    Matrix { size: 1, order: vec![0], entries: vec![(0, 0)], values: vec![-3.0] }.check(true);
    let mut empty = SparseSolver::<f64>::new(Arc::new(Symbolic::new(0, &[], &[])));
    empty.factor(&[], false).expect("nothing to do");
    empty.solve(&mut [], &mut []);
}

#[test]
fn empty_rows_are_named() {
    let (top, rows) = (Pattern::from_entries(3, 3, [(0, 0), (2, 2)]), Pattern::from_entries(2, 3, [(0, 2)]));
    let order = bordered_order(&top, &rows);
    assert_eq!(order.len(), 5);
    let entries = vec![(0, 0), (2, 2), (3, 2), (2, 3), (1, 1)];
    let mut matrix = Matrix { size: 5, order, entries, values: vec![1.0, 1.0, 1.0, 1.0, 1.0] };
    assert_eq!(matrix.solver().factor(&matrix.values, true).expect_err("an empty row").column, 4);
    matrix.values[4] = 0.0;
    let error = matrix.solver().factor(&matrix.values, true).expect_err("an empty column");
    assert!([1, 4].contains(&error.column));
    matrix.values[0] = f64::NAN;
    assert!(matrix.solver().factor(&matrix.values, true).is_err());
}

#[test]
fn a_constraint_of_everything_does_not_fill_the_factors() {
    let links = 400;
    let n = 3 * links;
    let top = Pattern::from_entries(n, n, (0..n).flat_map(|i| (i / 3 * 3..i / 3 * 3 + 3).map(move |j| (i, j))));
    let joints = (3..n).flat_map(|i| [(i - 3, i - 3), (i - 3, i)]);
    let rows = Pattern::from_entries(n - 2, n, joints.chain((0..n).map(|j| (n - 3, j))));
    let order = bordered_order(&top, &rows);
    let mut entries: Vec<(u32, u32)> = Vec::new();
    (0..n).for_each(|i| entries.extend(top.row(i).map(|(j, _)| (i as u32, j as u32))));
    (0..n - 2).for_each(|i| {
        entries.extend(rows.row(i).flat_map(|(j, _)| [((n + i) as u32, j as u32), (j as u32, (n + i) as u32)]));
    });
    let symbolic = Symbolic::new(2 * n - 2, &entries, &order);
    assert!(symbolic.fill() < 200 * links, "{}", symbolic.fill());
}

/// Units of unknowns are no reason to doubt a pivot.
#[test]
fn scaling_unknowns_changes_nothing() {
    let matrix = chain(50, true, 0);
    let mut solver = matrix.solver();
    solver.factor(&matrix.values, true).expect("regular");
    let pivot = solver.smallest_pivot();
    let mut random = Random(11);
    let scale: Vec<f64> = (0..matrix.size).map(|_| (2.0_f64).powi((80.0 * random.next()) as i32)).collect();
    let entries = matrix.entries.iter().zip(&matrix.values);
    let scaled: Vec<f64> = entries.map(|(&(i, j), x)| x * scale[i as usize] * scale[j as usize]).collect();
    for symmetric in [true, false] {
        solver.factor(&scaled, symmetric).expect("regular");
        assert_eq!(solver.smallest_pivot(), pivot);
    }
    // In the units of the mass matrix alone, as for a very short step.
    let heavy: Vec<f64> = matrix
        .entries
        .iter()
        .zip(&matrix.values)
        .map(|((i, j), x)| if i.max(j) < &150 { x * 1e14 } else { *x })
        .collect();
    solver.factor(&heavy, true).expect("regular");
}

/// Bodies on a grid, each row holding two neighbours at a distance: many loops, and fronts of several panels.
fn lattice(side: usize) -> Matrix<f64> {
    let mut random = Random(5);
    let n = 2 * side * side;
    let top = Pattern::from_entries(n, n, (0..n).flat_map(|i| [(i, i), (i, i ^ 1)]));
    let bars: Vec<[usize; 2]> = (0..side * side)
        .flat_map(|k| {
            [
                (k % side + 1 < side).then_some([k, k + 1]),
                (k + side < side * side && k % 3 > 0).then_some([k, k + side]),
            ]
        })
        .flatten()
        .collect();
    let m = bars.len();
    let columns = |row: usize| bars[row].map(|k| [2 * k, 2 * k + 1]).into_iter().flatten();
    let rows = Pattern::from_entries(m, n, (0..m).flat_map(|i| columns(i).map(move |j| (i, j))));
    let order = bordered_order(&top, &rows);
    let (mut entries, mut values) = (Vec::new(), Vec::new());
    for i in 0..n {
        entries.extend([(i as u32, i as u32), (i as u32, i as u32 ^ 1)]);
        values.extend([2.0, 0.5]);
    }
    for i in 0..m {
        for j in columns(i) {
            let x = random.next();
            entries.extend([((n + i) as u32, j as u32), (j as u32, (n + i) as u32)]);
            values.extend([x, x]);
        }
    }
    Matrix { size: n + m, order, entries, values }
}

#[test]
fn lattices_are_solved() {
    let matrix = lattice(40);
    let symbolic = Symbolic::new(matrix.size, &matrix.entries, &matrix.order);
    assert!(symbolic.largest_front() > 64, "{}", symbolic.largest_front());
    matrix.check(true);
    matrix.check(false);
}

#[test]
fn factoring_and_solving_do_not_allocate() {
    for matrix in [chain(50, true, 0), lattice(40)] {
        let mut solver = matrix.solver();
        let (mut x, mut y) = (vec![1.0; matrix.size], vec![2.0; matrix.size]);
        let mut scratch = vec![0.0; 2 * matrix.size];
        // The library for blocked products takes memory once for each thread, the solver for the first unsymmetric matrix.
        solver.factor(&matrix.values, false).expect("regular");
        let before = counting::allocations();
        for symmetric in [true, false] {
            solver.factor(&matrix.values, symmetric).expect("regular");
            solver.solve(&mut x, &mut scratch);
            solver.solve_two(&mut x, &mut y, &mut scratch);
        }
        assert_eq!(counting::allocations() - before, 0);
    }
    fn is_send<T: Send>() {}
    is_send::<SparseSolver<f64>>();
}
