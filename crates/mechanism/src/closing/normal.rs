//! The linear algebra of closing, in proportion to the size of a mechanism: sparse rows and the normal equations of damped least squares.
//!
//! ```text
//! (A^T A + c W) x = b          L D L^T, row by row: the pattern of row k is what the columns of A^T A above k reach in the tree of elimination
//! ```
//!
//! Bodies are eliminated by least degree in the graph of bodies and joints. Of a chain or a tree nothing is filled in.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::analysis::dense::Dense;
use crate::node::Node;

/// Rows of a matrix with their entries that are not zero.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseRows {
    pub columns: usize,
    starts: Vec<usize>,
    entries: Vec<(usize, f64)>,
}

impl SparseRows {
    /// No rows of so many columns.
    pub fn new(columns: usize) -> Self {
        SparseRows { columns, starts: vec![0], entries: Vec::new() }
    }

    /// A further row, from some columns of a vector, which are zero afterwards.
    pub fn push(&mut self, from: &mut [f64], columns: impl Iterator<Item = usize>) {
        for j in columns {
            let x = std::mem::take(&mut from[j]);
            if x != 0.0 {
                self.entries.push((j, x));
            }
        }
        self.starts.push(self.entries.len());
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Entries of row i.
    pub fn row(&self, i: usize) -> &[(usize, f64)] {
        &self.entries[self.starts[i]..self.starts[i + 1]]
    }

    /// Row i times a vector.
    pub fn times(&self, i: usize, x: &[f64]) -> f64 {
        self.row(i).iter().map(|(j, a)| a * x[*j]).sum()
    }

    /// A^T y.
    pub fn transposed_times(&self, y: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.columns];
        for (i, y) in y.iter().enumerate() {
            self.row(i).iter().for_each(|(j, a)| out[*j] += a * y);
        }
        out
    }

    /// With every row multiplied.
    pub fn scaled(&self, by: impl Fn(usize) -> f64) -> Self {
        let mut rows = self.clone();
        for i in 0..self.rows() {
            let factor = by(i);
            rows.entries[self.starts[i]..self.starts[i + 1]].iter_mut().for_each(|(_, a)| *a *= factor);
        }
        rows
    }

    /// Some of the rows.
    pub fn chosen(&self, which: &[usize]) -> Self {
        let mut rows = SparseRows::new(self.columns);
        for i in which {
            rows.entries.extend(self.row(*i));
            rows.starts.push(rows.entries.len());
        }
        rows
    }

    /// All entries.
    pub fn dense(&self) -> Dense {
        let mut all = Dense::zeros(self.rows(), self.columns);
        for i in 0..self.rows() {
            let out = all.row_mut(i);
            self.row(i).iter().for_each(|(j, a)| out[*j] = *a);
        }
        all
    }

    /// The order of columns: where each column comes, node by node, the node with the fewest neighbours first.
    pub fn order(nodes: &[Node], elements: impl Iterator<Item = Vec<usize>>) -> Vec<usize> {
        let mut around: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); nodes.len()];
        for element in elements {
            // The ground, which is node 0, has no columns.
            for &a in element.iter().filter(|a| **a > 0) {
                around[a].extend(element.iter().filter(|b| **b > 0 && **b != a));
            }
        }
        let mut queue: BinaryHeap<Reverse<(usize, usize)>> =
            (1..nodes.len()).map(|node| Reverse((around[node].len(), node))).collect();
        let (mut gone, mut next) = (vec![false; nodes.len()], 0);
        let mut place = vec![0; nodes.iter().map(|node| node.kind.sizes()[1]).sum()];
        while let Some(Reverse((degree, node))) = queue.pop() {
            if gone[node] || degree != around[node].len() {
                continue;
            }
            gone[node] = true;
            for column in nodes[node].columns() {
                place[column] = next;
                next += 1;
            }
            let neighbours = std::mem::take(&mut around[node]);
            for &a in &neighbours {
                around[a].remove(&node);
                around[a].extend(neighbours.iter().filter(|b| **b != a));
                queue.push(Reverse((around[a].len(), a)));
            }
        }
        place
    }
}

/// Factors of A^T A + c W.
pub(super) struct Factors<'o> {
    place: &'o [usize],
    /// Rows of L below the diagonal, column by column, in the order of elimination.
    columns: Columns,
    diagonal: Vec<f64>,
}

const NONE: usize = usize::MAX;
/// Entries of a column of L that trees of bodies with six columns have.
const ROOM: usize = 12;

/// Columns that grow. Nearly all are short and stand in one piece of memory; what a column has beyond that is apart.
struct Columns {
    counts: Vec<u32>,
    near: Vec<(u32, f64)>,
    far: Vec<Vec<(u32, f64)>>,
}

impl Columns {
    fn new(count: usize) -> Self {
        Columns { counts: vec![0; count], near: vec![(0, 0.0); count * ROOM], far: vec![Vec::new(); count] }
    }

    fn push(&mut self, column: usize, row: usize, value: f64) {
        let at = self.counts[column] as usize;
        self.counts[column] += 1;
        if at < ROOM {
            self.near[column * ROOM + at] = (row as u32, value);
        } else {
            self.far[column].push((row as u32, value));
        }
    }

    /// Rows and values of a column.
    #[inline]
    fn of(&self, column: usize) -> impl Iterator<Item = (usize, f64)> {
        let near = &self.near[column * ROOM..][..(self.counts[column] as usize).min(ROOM)];
        near.iter().chain(&self.far[column]).map(|(row, value)| (*row as usize, *value))
    }
}

impl<'o> Factors<'o> {
    /// None where the matrix is not positive beside rounding.
    pub fn new(rows: &SparseRows, c: f64, weights: &[f64], place: &'o [usize]) -> Option<Self> {
        let n = rows.columns;
        let mut at = vec![0; n];
        place.iter().enumerate().for_each(|(column, k)| at[*k] = column);
        // Columns of A in the order of elimination, by counting.
        let mut first = vec![0; n + 1];
        rows.entries.iter().for_each(|(j, _)| first[place[*j] + 1] += 1);
        (0..n).for_each(|k| first[k + 1] += first[k]);
        let (mut with, mut next) = (vec![(0, 0.0); rows.entries.len()], first.clone());
        for i in 0..rows.rows() {
            for (j, a) in rows.row(i) {
                with[next[place[*j]]] = (i, *a);
                next[place[*j]] += 1;
            }
        }
        let (mut parent, mut seen) = (vec![NONE; n], vec![NONE; n]);
        let (mut sum, mut diagonal) = (vec![0.0; n], vec![0.0; n]);
        let mut columns = Columns::new(n);
        let (mut reached, mut path) = (Vec::new(), Vec::new());
        for k in 0..n {
            // Row k of the matrix up to the diagonal, and which columns of L it reaches: in the order of elimination.
            seen[k] = k;
            reached.clear();
            for (i, a) in &with[first[k]..first[k + 1]] {
                for (j, b) in rows.row(*i) {
                    let j = place[*j];
                    if j > k {
                        continue;
                    }
                    sum[j] += a * b;
                    let mut up = j;
                    path.clear();
                    while seen[up] != k {
                        if parent[up] == NONE {
                            parent[up] = k;
                        }
                        path.push(up);
                        seen[up] = k;
                        up = parent[up];
                    }
                    reached.extend_from_slice(&path);
                }
            }
            reached.sort_unstable();
            let mut pivot = std::mem::take(&mut sum[k]) + c * weights[at[k]];
            let size = pivot;
            for &j in &reached {
                let y = std::mem::take(&mut sum[j]);
                for (i, l) in columns.of(j) {
                    sum[i] -= l * y;
                }
                let l = y / diagonal[j];
                pivot -= l * y;
                // Entries further down are not there yet: column j has its rows up to k.
                columns.push(j, k, l);
            }
            if !(pivot > 1e-15 * size && pivot.is_finite()) {
                return None;
            }
            diagonal[k] = pivot;
        }
        Some(Factors { place, columns, diagonal })
    }

    /// The solution.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let n = b.len();
        let mut x = vec![0.0; n];
        self.place.iter().zip(b).for_each(|(k, b)| x[*k] = *b);
        for k in 0..n {
            let value = x[k];
            self.columns.of(k).for_each(|(i, l)| x[i] -= l * value);
        }
        for k in (0..n).rev() {
            let below: f64 = self.columns.of(k).map(|(i, l)| l * x[i]).sum();
            x[k] = x[k] / self.diagonal[k] - below;
        }
        self.place.iter().map(|k| x[*k]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::dense::cholesky;
    use crate::node::Kind;

    /// A ring of planar bodies with a chord: fill is needed. The same by dense elimination.
    #[test]
    fn normal_equations_are_those_of_dense_elimination() {
        let count = 12;
        let mut nodes = vec![Node { kind: Kind::Ground, q: 0, v: 0 }];
        nodes.extend((0..count).map(|i| Node { kind: Kind::Planar, q: 3 * i, v: 3 * i }));
        let pairs: Vec<[usize; 2]> = (1..=count).map(|i| [i, i % count + 1]).chain([[2, 8], [0, 1], [0, 5]]).collect();
        let n = 3 * count;
        let mut rows = SparseRows::new(n);
        let mut seed = 1_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(seed >> 8) / f64::from(1 << 24) - 0.5
        };
        let mut whole = vec![0.0; n];
        for pair in &pairs {
            for _ in 0..2 {
                let columns: Vec<usize> =
                    pair.iter().filter(|node| **node > 0).flat_map(|node| 3 * (node - 1)..3 * node).collect();
                columns.iter().for_each(|j| whole[*j] = random());
                rows.push(&mut whole, columns.into_iter());
            }
        }
        let weights: Vec<f64> = (0..n).map(|_| 1.0 + random()).collect();
        let b: Vec<f64> = (0..n).map(|_| random()).collect();
        let place = SparseRows::order(&nodes, pairs.iter().map(|pair| pair.to_vec()));
        let x = Factors::new(&rows, 0.01, &weights, &place).expect("positive").solve(&b);
        let all = rows.dense();
        let mut normal = Dense::zeros(n, n);
        for i in 0..n {
            for j in 0..n {
                normal.values[i * n + j] = (0..all.rows()).map(|r| all.row(r)[i] * all.row(r)[j]).sum();
            }
            normal.values[i * n + i] += 0.01 * weights[i];
        }
        let mut y = b;
        assert!(cholesky(&mut normal, &mut y));
        let largest = y.iter().fold(0.0_f64, |max, y| max.max(y.abs()));
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-11 * largest), "{x:?} {y:?}");
    }

    #[test]
    fn chains_are_not_filled_in() {
        let count = 500;
        let mut nodes = vec![Node { kind: Kind::Ground, q: 0, v: 0 }];
        nodes.extend((0..count).map(|i| Node { kind: Kind::Number, q: i, v: i }));
        let place = SparseRows::order(&nodes, (0..count).map(|i| vec![i, i + 1]));
        let mut rows = SparseRows::new(count);
        let mut whole = vec![0.0; count];
        for i in 1..count {
            (whole[i - 1], whole[i]) = (-1.0, 1.0);
            rows.push(&mut whole, i - 1..i + 1);
        }
        let weights = vec![1.0; count];
        let factors = Factors::new(&rows, 1e-3, &weights, &place).expect("positive");
        assert_eq!(factors.columns.counts.iter().sum::<u32>() as usize, count - 1);
    }
}
