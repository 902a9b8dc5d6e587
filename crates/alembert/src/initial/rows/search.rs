//! Which sparse rows follow from others, and how.
//!
//! A slightly softened matrix has a pivot for every row; those made of softness alone belong to rows that follow from
//! rows eliminated before them. Where unknowns are exchanged, no pivot tells; the softened matrix itself does, for u A = 0 grows
//! to 1/softness in its solutions: a row of what has grown is left out, until nothing grows. Without all these rows the matrix
//! is regular, and one solution expresses a row c by the others:
//!
//! ```text
//! | W  A^T | (x)   (c^T)       c = y A where x = 0;   otherwise c x = |x|^2 is the square of the distance of c from the others
//! | A   0  | (y) = ( 0 )
//! ```
//!
//! Rows are linear, so several are expressed by one solution of their sum: rows that share no coordinate with the combination of
//! another, even by way of further rows, are told apart by that. The others are solved for again, half of them at a time.

use std::collections::HashSet;
use std::sync::Arc;

use super::sparse::{factor, solve};
use crate::initial::dependence::{Combination, MENTION};
use crate::initial::metric::Weight;
use crate::linear::{Kkt, Pattern, Structure};

/// Softness of the matrix by which rows are found, and of that by which they are expressed.
const SOFTNESS: f64 = 1e-10;
const LITTLE: f64 = 1e-14;
/// A pivot up to this share may be made of nothing but softness: coefficients of other rows, squared, add to it.
const VANISHING: f64 = 1e-5;
const GOLDEN: f64 = 0.618_033_988_749_894_8;
/// What solutions of the softened matrix contain of rows that follow from others: more than of rows as close as pivots can tell.
const GROWN: f64 = 1e5;
/// Distance up to which a unit row is left out in any case: the square of it is rounding in a pivot.
const NEAREST: f64 = 1e-7;

pub(super) struct Search<'a> {
    pattern: &'a Pattern,
    weight: &'a Weight,
    a: &'a [f64],
    /// The rows that are in the matrix.
    kept: Vec<f64>,
    softened: Kkt,
    kkt: Kkt,
}

impl<'a> Search<'a> {
    /// Among unit rows `a`.
    pub fn new(structure: &Structure, pattern: &'a Pattern, weight: &'a Weight, a: &'a [f64]) -> Self {
        let [softened, kkt] = [SOFTNESS, LITTLE].map(|s| Kkt::new(&Arc::new(structure.clone().softened(s))));
        Search { pattern, weight, a, kept: Vec::new(), softened, kkt }
    }

    /// All dependent rows in their order, and the factors without them.
    pub fn run(mut self, threshold: f64) -> (Vec<Combination>, Kkt) {
        let n = self.pattern.columns();
        let zero = |i: &usize| self.pattern.row(*i).all(|(_, e)| self.a[e] == 0.0);
        let vanished: Vec<usize> = (0..self.pattern.rows()).filter(zero).collect();
        let mut weak: Vec<usize> = if factor(&mut self.softened, self.weight, self.a) {
            let rows = self.softened.weak(VANISHING).into_iter().filter_map(|column| column.checked_sub(n));
            rows.filter(|row| vanished.binary_search(row).is_err()).collect()
        } else {
            Vec::new()
        };
        self.leave_out_grown(&mut weak);
        weak.sort_unstable();
        let threshold = threshold.max(NEAREST);
        let mut found = Vec::new();
        while self.leave_out(&weak) && !weak.is_empty() {
            found.clear();
            let mut distant = Vec::new();
            self.express(&weak, threshold, &mut found, &mut distant);
            if distant.is_empty() {
                break;
            }
            // Rows that are far from those kept may be close to each other: of those that share coordinates one returns at a time.
            let returned = self.one_of_each_part(&distant);
            weak.retain(|row| !returned.contains(row));
            found.clear();
        }
        found.extend(vanished.into_iter().map(|row| Combination { row, on: Vec::new() }));
        found.sort_unstable_by_key(|combination| combination.row);
        (found, self.kkt)
    }

    /// Takes the matrix with zeros in place of some rows.
    fn keep_others(&mut self, rows: &[usize]) {
        self.kept.clear();
        self.kept.extend_from_slice(self.a);
        for &row in rows {
            self.pattern.row(row).for_each(|(_, e)| self.kept[e] = 0.0);
        }
    }

    /// Factors that matrix; whether that was possible.
    fn leave_out(&mut self, rows: &[usize]) -> bool {
        self.keep_others(rows);
        factor(&mut self.kkt, self.weight, &self.kept)
    }

    /// Adds rows to `weak` until those kept do not follow from each other, as far as softness tells.
    fn leave_out_grown(&mut self, weak: &mut Vec<usize>) {
        let (n, m) = (self.pattern.columns(), self.pattern.rows());
        for _ in 0..m {
            self.keep_others(weak);
            if !factor(&mut self.softened, self.weight, &self.kept) {
                return;
            }
            // Multiples of an irrational number, so that no combination of rows is missed.
            let mut solution: Vec<f64> = vec![0.0; n];
            solution.extend((1..=m).map(|i| 1.0 + (GOLDEN * i as f64).fract()));
            self.softened.solve(&mut solution);
            let in_matrix = |i: &usize| self.pattern.row(*i).any(|(_, e)| self.kept[e] != 0.0);
            let grown: Vec<usize> = (0..m).filter(in_matrix).filter(|i| solution[n + i].abs() > GROWN).rev().collect();
            if grown.is_empty() {
                return;
            }
            weak.extend(self.one_of_each_part(&grown));
        }
    }

    /// Of rows that share coordinates, also by way of others among them, the first.
    fn one_of_each_part(&self, rows: &[usize]) -> Vec<usize> {
        let mut parts = Parts::new(self.pattern.columns());
        for &i in rows {
            parts.join(self.pattern.row(i).map(|(j, _)| j));
        }
        let mut seen = HashSet::new();
        let is_new = |i: &usize| self.pattern.row(*i).next().is_some_and(|(j, _)| seen.insert(parts.find(j)));
        rows.iter().copied().filter(is_new).collect()
    }

    /// (x, y) of the sum of some rows, which are left out of the matrix.
    fn combination(&mut self, rows: &[usize]) -> (Vec<f64>, Vec<f64>) {
        let Search { pattern, weight, a, kept, kkt, .. } = self;
        let n = pattern.columns();
        let mut solution = vec![0.0; n + pattern.rows()];
        for &row in rows {
            pattern.row(row).for_each(|(j, e)| solution[j] += a[e]);
        }
        solve(kkt, pattern, weight, kept, &mut solution);
        let y = solution.split_off(n);
        (solution, y)
    }

    /// Expresses rows that are left out of the matrix by the others, or finds them distant.
    fn express(&mut self, rows: &[usize], threshold: f64, found: &mut Vec<Combination>, distant: &mut Vec<usize>) {
        if rows.is_empty() {
            return;
        }
        let (x, y) = self.combination(rows);
        let Search { pattern, weight, .. } = &*self;
        let rest = (0..x.len()).fold(0.0_f64, |sum, j| sum + x[j] * x[j] * weight.diagonal(j)).sqrt();
        if rest > threshold && rows.len() == 1 {
            distant.push(rows[0]);
            return;
        }
        let used: Vec<usize> = (0..y.len()).filter(|&i| y[i].abs() > MENTION).collect();
        let mut parts = Parts::new(pattern.columns());
        for &i in used.iter().chain(rows) {
            parts.join(pattern.row(i).map(|(j, _)| j));
        }
        let part_of = |parts: &mut Parts, i: usize| pattern.row(i).next().map_or(0, |(j, _)| parts.find(j));
        // Rows of the sum and of the combination, by part.
        let mut members: Vec<(usize, usize)> = used.iter().map(|&i| (part_of(&mut parts, i), i)).collect();
        members.sort_unstable();
        let mut asked: Vec<(usize, usize)> = rows.iter().map(|&i| (part_of(&mut parts, i), i)).collect();
        asked.sort_unstable();
        let mut again: [Vec<usize>; 2] = Default::default();
        for (number, group) in asked.chunk_by(|a, b| a.0 == b.0).enumerate() {
            let &[(part, row)] = group else {
                group.iter().enumerate().for_each(|(k, (_, row))| again[k % 2].push(*row));
                continue;
            };
            if rest > threshold {
                // Some of the rows are distant: each part is looked at by itself until it is known which.
                again[number % 2].push(row);
                continue;
            }
            let first = members.partition_point(|(other, _)| *other < part);
            let on = members[first..].iter().take_while(|(other, _)| *other == part).map(|&(_, i)| (i, y[i]));
            found.push(Combination { row, on: on.collect() });
        }
        again.iter().for_each(|rows| self.express(rows, threshold, found, distant));
    }
}

/// Coordinates joined by rows.
struct Parts(Vec<usize>);

impl Parts {
    fn new(count: usize) -> Self {
        Parts((0..count).collect())
    }

    /// The coordinate that stands for all that are joined with `j`.
    fn find(&mut self, mut j: usize) -> usize {
        while self.0[j] != j {
            self.0[j] = self.0[self.0[j]];
            j = self.0[j];
        }
        j
    }

    fn join(&mut self, coordinates: impl Iterator<Item = usize>) {
        let mut first = None;
        for j in coordinates {
            let root = self.find(j);
            let first = *first.get_or_insert(root);
            self.0[root] = self.find(first);
        }
    }
}
