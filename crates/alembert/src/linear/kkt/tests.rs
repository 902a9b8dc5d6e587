//! Matrices without pivots in the static order: massless pointers, each held to a hub by one constraint. A pointer has few
//! neighbours and is eliminated early, its constraint after the hub: the pivot of a pointer is then zero.

use std::sync::Arc;

use faer::c64;

use super::{Bordered, Kkt};
use crate::counting;
use crate::linear::{DenseSolver, Entry, LinearSolver, Pattern, Singular, Structure};
use crate::system::Patterns;

/// Hubs with pointers: coordinates of all hubs, then of all pointers, hub by hub; as many constraints as pointers.
struct Pointers {
    hubs: usize,
    patterns: Patterns,
}

impl Pointers {
    fn new(hubs: usize, each: usize) -> Self {
        let (n, m) = (hubs * (each + 1), hubs * each);
        let rows = Pattern::from_entries(m, n, (0..m).flat_map(|i| [(i, i / each), (i, hubs + i)]));
        let neighbours = (1..hubs).flat_map(|h| [(h - 1, h), (h, h - 1)]);
        Pointers { hubs, patterns: Patterns::new(neighbours, rows) }
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
    fn factor<S: Entry>(&self, kkt: &mut Kkt<S>, c: S) -> Result<(), Singular> {
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
