//! Dependent constraints of a large system: which rows of C follow from others, and how.
//!
//! A slightly softened matrix has a pivot for every constraint; those made of softness alone belong to rows that follow from
//! rows eliminated before them. Without these rows the matrix is regular, and one solution expresses a row c by the others:
//!
//! ```text
//! | M  C^T | (x)   (c^T)       c = y C where x = 0;   otherwise x is how far c is from dependent
//! | C   0  | (y) = ( 0 )
//! ```
//!
//! Rows are linear, so several are expressed by one solution of their sum: rows that share no coordinate with the combination of
//! another, even by way of further rows, are told apart by that. Those that are not are asked for again, half of them at a time.

use std::sync::Arc;

use super::RANK_THRESHOLD;
use super::diagnosis::{independent, name};
use super::error::{Dependence, InitialError};
use super::metric::Cholesky;
use crate::equations::{Equations, Layout};
use crate::linear::{Bordered, Kkt};
use crate::tolerance::largest;

/// Softness of the matrix.
const SOFTNESS: f64 = 1e-10;
/// A pivot up to this multiple of the softness may be made of nothing else: coefficients of other rows, squared, add to it.
const VANISHING: f64 = 1e5;
/// Distance from the other rows up to which a row of length 1 is dependent.
const DEPENDENT: f64 = 1e-6;
/// Combinations of rows of length 1 do not mention what is shorter.
const MENTION: f64 = 1e-6;

/// All dependent rows of C (values `c_v`) in the metric of the mass matrix, in their order.
pub(super) fn dependences(equations: &Equations, mass: &[f64], c_v: &[f64]) -> Vec<Dependence> {
    let layout = equations.layout();
    let structure = Arc::new((*layout.structure).clone().softened(SOFTNESS));
    let mut search =
        Search { layout, mass, c_v, size: sizes(layout, mass, c_v), kept: Vec::new(), kkt: Kkt::new(&structure) };
    if !search.kkt.is_sparse() {
        return dense(equations, mass, c_v);
    }
    let (zero, mut weak) = search.candidates();
    let mut found = Vec::new();
    while !weak.is_empty() && search.leave_out(&weak) {
        found.clear();
        let mut distant = Vec::new();
        search.express(&weak, &mut found, &mut distant);
        if distant.is_empty() {
            break;
        }
        weak.retain(|row| !distant.contains(row));
        found.clear();
    }
    found.extend(zero.into_iter().map(|row| (row, Vec::new())));
    found.sort_unstable_by_key(|(row, _)| *row);
    let words = |(row, on): (usize, Vec<(usize, f64)>)| Dependence {
        row: name(equations, row),
        on: on.into_iter().map(|(i, coefficient)| (name(equations, i), coefficient)).collect(),
        in_vain: false,
    };
    found.into_iter().map(words).collect()
}

/// The same for patterns that are nearly full.
fn dense(equations: &Equations, mass: &[f64], c_v: &[f64]) -> Vec<Dependence> {
    let (layout, n) = (equations.layout(), equations.dims().v);
    let mut whole = vec![0.0; n * n];
    (0..n).for_each(|i| layout.top.row(i).for_each(|(j, e)| whole[i * n + j] = mass[e]));
    let mut c = vec![0.0; layout.rows.rows() * n];
    (0..layout.rows.rows()).for_each(|i| layout.rows.row(i).for_each(|(j, e)| c[i * n + j] = c_v[e]));
    let metric = Cholesky::new(&whole, n).unwrap_or_else(|| Cholesky::diagonal(&vec![1.0; n]));
    match independent(equations, &c, &metric, RANK_THRESHOLD) {
        Err(InitialError::Redundant { rows }) => rows,
        _ => Vec::new(),
    }
}

/// What a coordinate counts in the length of a row: the inverse of its inertia, where it has any.
fn weight(layout: &Layout, mass: &[f64], j: usize) -> f64 {
    match layout.top.position(j, j).map_or(0.0, |e| mass[e].abs()) {
        m if m > 0.0 => 1.0 / m,
        _ => 1.0,
    }
}

/// Lengths of the rows.
fn sizes(layout: &Layout, mass: &[f64], c_v: &[f64]) -> Vec<f64> {
    let square = |i: usize| -> f64 { layout.rows.row(i).map(|(j, e)| c_v[e] * c_v[e] * weight(layout, mass, j)).sum() };
    (0..layout.rows.rows()).map(|i| square(i).sqrt()).collect()
}

struct Search<'a> {
    layout: &'a Layout,
    mass: &'a [f64],
    c_v: &'a [f64],
    size: Vec<f64>,
    /// C as it is in the matrix.
    kept: Vec<f64>,
    kkt: Kkt,
}

impl Search<'_> {
    /// Rows that vanish, and rows whose pivots may do so.
    fn candidates(&mut self) -> (Vec<usize>, Vec<usize>) {
        let n = self.layout.top.rows();
        let zero = (0..self.size.len()).filter(|&i| self.size[i] == 0.0).collect();
        if !self.leave_out(&[]) {
            return (zero, Vec::new());
        }
        let weak = self.kkt.weak(VANISHING * SOFTNESS).into_iter().filter_map(|column| column.checked_sub(n));
        let mut weak: Vec<usize> = weak.filter(|&i| self.size[i] > 0.0).collect();
        weak.sort_unstable();
        (zero, weak)
    }

    /// Factors the matrix with zeros in place of some rows; whether that was possible.
    fn leave_out(&mut self, rows: &[usize]) -> bool {
        let Search { layout, mass, c_v, kept, kkt, .. } = self;
        kept.clear();
        kept.extend_from_slice(c_v);
        for &row in rows {
            layout.rows.row(row).for_each(|(_, e)| kept[e] = 0.0);
        }
        let border: Vec<f64> = kept.iter().map(|c| -c).collect();
        kkt.factor(Bordered { top: &[(1.0, mass)], border: (1.0, &border), rows: &[(1.0, kept)], corner: None }).is_ok()
    }

    /// y of the sum of some rows of length 1, which are left out of the matrix.
    fn combination(&mut self, rows: &[usize]) -> Vec<f64> {
        let Search { layout, mass, c_v, size, kept, kkt } = self;
        let n = layout.top.rows();
        let mut sum = vec![0.0; layout.structure.size()];
        for &row in rows {
            layout.rows.row(row).for_each(|(j, e)| sum[j] += c_v[e] / size[row]);
        }
        let mut solution = sum.clone();
        kkt.solve(&mut solution);
        // What the softness is guilty of.
        let (x, y) = solution.split_at(n);
        let mut rest = sum;
        let (motion, constraints) = rest.split_at_mut(n);
        layout.top.multiply_add(-1.0, mass, x, motion);
        layout.rows.multiply_transposed_add(-1.0, kept, y, motion);
        layout.rows.multiply_add(-1.0, kept, x, constraints);
        kkt.solve(&mut rest);
        solution[n..].iter().zip(&rest[n..]).map(|(y, d)| y + d).collect()
    }

    /// Expresses rows that are left out of the matrix by the others, or finds them distant.
    fn express(&mut self, rows: &[usize], found: &mut Vec<(usize, Vec<(usize, f64)>)>, distant: &mut Vec<usize>) {
        if rows.is_empty() {
            return;
        }
        let y = self.combination(rows);
        let Search { layout, mass, c_v, size, .. } = &*self;
        let used: Vec<usize> = (0..y.len()).filter(|&i| y[i].abs() * size[i] > MENTION).collect();
        let mut parts = Parts::new(layout.top.rows());
        for &i in used.iter().chain(rows) {
            parts.join(layout.rows.row(i).map(|(j, _)| j));
        }
        let part_of = |parts: &mut Parts, i: usize| layout.rows.row(i).next().map_or(0, |(j, _)| parts.find(j));
        // Rows of the sum and of the combination, by part.
        let mut members: Vec<(usize, usize)> = used.iter().map(|&i| (part_of(&mut parts, i), i)).collect();
        members.sort_unstable();
        let mut asked: Vec<(usize, usize)> = rows.iter().map(|&i| (part_of(&mut parts, i), i)).collect();
        asked.sort_unstable();
        let mut again: [Vec<usize>; 2] = Default::default();
        for group in asked.chunk_by(|a, b| a.0 == b.0) {
            let &[(part, row)] = group else {
                group.iter().enumerate().for_each(|(k, (_, row))| again[k % 2].push(*row));
                continue;
            };
            let first = members.partition_point(|(other, _)| *other < part);
            let on =
                members[first..].iter().take_while(|(other, _)| *other == part).map(|&(_, i)| (i, y[i] * size[row]));
            let on: Vec<(usize, f64)> = on.collect();
            let mut rest: Vec<(usize, f64)> = layout.rows.row(row).map(|(j, e)| (j, c_v[e])).collect();
            rest.extend(on.iter().flat_map(|&(i, y)| layout.rows.row(i).map(move |(j, e)| (j, -y * c_v[e]))));
            rest.sort_unstable_by_key(|(j, _)| *j);
            let sums =
                rest.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, same.iter().map(|(_, c)| c).sum::<f64>()));
            let lengths: Vec<f64> = sums.map(|(j, c)| c * weight(layout, mass, j).sqrt()).collect();
            if largest(&lengths) <= DEPENDENT * size[row] * (1 + on.len()) as f64 {
                found.push((row, on));
            } else {
                distant.push(row);
            }
        }
        again.iter().for_each(|rows| self.express(rows, found, distant));
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
