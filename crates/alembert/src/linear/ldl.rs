//! Signs of a symmetric sparse matrix: (M + M^T)/2 = L D L^T without exchanges, in an order that keeps L sparse.
//!
//! ```text
//! row k of L, up-looking:   y_i = m_ki - sum over j < i of l_ij y_j,   l_ki = y_i / d_i,   d_k = m_kk - sum of l_ki y_i
//! ```
//!
//! There are as many negative d_k as negative eigenvalues (Sylvester), and z = L^-T e_k has z^T M z = d_k. A pivot that is
//! rounding only belongs to a direction without mass: it is left out, and z is that direction, unless something stands beside
//! the zero. Then the matrix is indefinite there. The algorithm is that of Davis' LDL (ACM TOMS 31, 2005).

use super::{Pattern, bordered_order};

const NONE: u32 = u32::MAX;

/// The factors of matrices with one pattern. Memory is taken in [`new`](Self::new).
pub(crate) struct Ldl {
    /// Unknown number k in the order of elimination, and the other way round.
    order: Vec<u32>,
    /// Entries left of the diagonal in row k: column, and positions of the value and of its mirror image.
    entries: Vec<(u32, u32, u32)>,
    starts: Vec<u32>,
    /// Position of each diagonal entry.
    diagonal: Vec<u32>,
    parent: Vec<u32>,
    /// Columns of L.
    columns: Vec<u32>,
    filled: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
    /// D; zero where a pivot was left out.
    pivots: Vec<f64>,
    /// Sizes of what the pivots were computed from.
    sums: Vec<f64>,
    /// For each unknown whose pivot was left out although something stands beside it: the later one, and what stands there.
    beside: Vec<(u32, f64)>,
    flags: Vec<u32>,
    stack: Vec<u32>,
    work: Vec<f64>,
}

/// A negative direction is met at an unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Negative {
    /// In the order of elimination.
    at: usize,
    /// The unknown.
    pub unknown: usize,
    /// The pivot, relative to what it was computed from.
    pub share: f64,
}

impl Ldl {
    /// Analyses a square pattern, for matrices with any values.
    pub fn new(pattern: &Pattern) -> Self {
        Self::analysed(pattern, pattern, |_| true)
    }

    /// For matrices that are zero where these values are: most mass matrices have far fewer entries than their pattern.
    pub fn of_values(pattern: &Pattern, values: &[f64]) -> Self {
        let n = pattern.rows();
        let entries = (0..n)
            .flat_map(|i| pattern.row(i).filter(move |(j, e)| *j == i || values[*e] != 0.0).map(move |(j, _)| (i, j)));
        Self::analysed(pattern, &Pattern::from_entries(n, n, entries), |e| values[e] != 0.0)
    }

    /// The entries of a pattern that count, and the pattern they make.
    fn analysed(pattern: &Pattern, kept: &Pattern, counts: impl Fn(usize) -> bool) -> Self {
        let n = pattern.rows();
        let order: Vec<u32> = if kept.len() <= n {
            (0..n as u32).collect()
        } else {
            bordered_order(kept, &Pattern::from_entries(0, n, [])).iter().map(|i| *i as u32).collect()
        };
        let mut place = vec![0_u32; n];
        order.iter().enumerate().for_each(|(k, i)| place[*i as usize] = k as u32);
        let mut lists: Vec<Vec<(u32, u32, u32)>> = vec![Vec::new(); n];
        let mut diagonal = vec![NONE; n];
        for i in 0..n {
            for (j, e) in pattern.row(i) {
                let (row, column) = (place[i].max(place[j]), place[i].min(place[j]));
                let mirror = pattern.position(j, i).map_or(NONE, |e| e as u32);
                let either = counts(e) || (mirror != NONE && counts(mirror as usize));
                if i == j {
                    diagonal[row as usize] = e as u32;
                } else if either && (mirror == NONE || i < j) {
                    lists[row as usize].push((column, e as u32, mirror));
                }
            }
        }
        let mut starts = vec![0];
        let mut entries = Vec::new();
        for list in lists {
            entries.extend(list);
            starts.push(entries.len() as u32);
        }
        let mut ldl = Ldl {
            parent: vec![NONE; n],
            columns: vec![0; n + 1],
            filled: vec![0; n],
            rows: Vec::new(),
            values: Vec::new(),
            pivots: vec![0.0; n],
            sums: vec![0.0; n],
            beside: vec![(NONE, 0.0); n],
            flags: vec![NONE; n],
            stack: vec![0; n],
            work: vec![0.0; n],
            order,
            entries,
            starts,
            diagonal,
        };
        for k in 0..n {
            ldl.flags[k] = k as u32;
            for p in ldl.starts[k]..ldl.starts[k + 1] {
                let mut i = ldl.entries[p as usize].0 as usize;
                while ldl.flags[i] != k as u32 {
                    if ldl.parent[i] == NONE {
                        ldl.parent[i] = k as u32;
                    }
                    ldl.columns[i + 1] += 1;
                    ldl.flags[i] = k as u32;
                    i = ldl.parent[i] as usize;
                }
            }
        }
        for k in 0..n {
            ldl.columns[k + 1] += ldl.columns[k];
        }
        let fill = ldl.columns[n] as usize;
        (ldl.rows, ldl.values) = (vec![0; fill], vec![0.0; fill]);
        ldl
    }

    /// Factors the matrix with these values. Entries up to `nothing` in size are zeros, and pivots up to the share `rounding` of
    /// what they were computed from.
    pub fn factor(&mut self, values: &[f64], nothing: f64, rounding: f64) {
        let n = self.order.len();
        let entry = |e: u32, mirror: u32| {
            let value = |e: u32| if e == NONE { 0.0 } else { values[e as usize] };
            let m = 0.5 * (value(e) + value(mirror));
            if m.abs() > nothing { m } else { 0.0 }
        };
        self.filled.fill(0);
        self.flags.fill(NONE);
        self.beside.fill((NONE, 0.0));
        self.work.fill(0.0);
        for k in 0..n {
            let mut top = n;
            self.flags[k] = k as u32;
            for p in self.starts[k] as usize..self.starts[k + 1] as usize {
                let (column, e, mirror) = self.entries[p];
                self.work[column as usize] += entry(e, mirror);
                let (mut i, mut length) = (column as usize, 0);
                while self.flags[i] != k as u32 {
                    self.stack[length] = i as u32;
                    length += 1;
                    self.flags[i] = k as u32;
                    i = self.parent[i] as usize;
                }
                while length > 0 {
                    (top, length) = (top - 1, length - 1);
                    self.stack[top] = self.stack[length];
                }
            }
            let own = entry(self.diagonal[k], self.diagonal[k]);
            let (mut pivot, mut sum) = (own, own.abs());
            for s in top..n {
                let i = self.stack[s] as usize;
                let y = std::mem::take(&mut self.work[i]);
                let column = self.columns[i] as usize..(self.columns[i] + self.filled[i]) as usize;
                for p in column.clone() {
                    self.work[self.rows[p] as usize] -= self.values[p] * y;
                }
                let l = if self.pivots[i] != 0.0 {
                    y / self.pivots[i]
                } else {
                    // What is beside a zero counts in units of the larger diagonal of both.
                    let size = self.sums[i].max(own.abs());
                    if y.abs() > rounding.sqrt() * size && y.abs() > self.beside[i].1.abs() {
                        self.beside[i] = (k as u32, y);
                    }
                    0.0
                };
                (pivot, sum) = (pivot - l * y, sum + (l * y).abs());
                self.rows[column.end] = k as u32;
                self.values[column.end] = l;
                self.filled[i] += 1;
            }
            self.pivots[k] = if pivot.abs() > rounding * sum { pivot } else { 0.0 };
            self.sums[k] = sum;
        }
    }

    /// Negative directions, one for each negative eigenvalue.
    pub fn negatives(&self) -> impl Iterator<Item = Negative> + '_ {
        (0..self.order.len()).filter_map(|at| {
            let negative = |share| Some(Negative { at, unknown: self.order[at] as usize, share });
            match self.pivots[at] {
                0.0 if self.beside[at].0 != NONE => negative(-1.0),
                pivot if pivot < 0.0 => negative(pivot / self.sums[at]),
                _ => None,
            }
        })
    }

    /// Whether all eigenvalues are positive.
    pub fn is_definite(&self) -> bool {
        self.pivots.iter().all(|pivot| *pivot > 0.0)
    }

    /// z with z^T M z < 0 for a negative direction.
    pub fn direction(&self, Negative { at, .. }: Negative) -> Vec<f64> {
        let mut z = vec![0.0; self.order.len()];
        match self.beside[at] {
            (NONE, _) => z[at] = 1.0,
            (later, y) => {
                // d + 2 s y < 0.
                let later = later as usize;
                z[later] = 1.0;
                z[at] = -(1.0 + self.sums[later]) / y;
            }
        }
        self.back(z)
    }

    /// Directions with M z = 0.
    pub fn null(&self) -> impl Iterator<Item = Vec<(usize, f64)>> + '_ {
        let free = |at: &usize| self.pivots[*at] == 0.0 && self.beside[*at].0 == NONE;
        (0..self.order.len()).filter(free).map(|at| {
            let mut z = vec![0.0; at + 1];
            z[at] = 1.0;
            self.sparse_back(z)
        })
    }

    /// L^-T z, in the order of the unknowns.
    fn back(&self, z: Vec<f64>) -> Vec<f64> {
        let mut out = vec![0.0; z.len()];
        for (i, z) in self.sparse_back(z) {
            out[i] = z;
        }
        out
    }

    /// The same for a leading part of z; entries that are not zero.
    fn sparse_back(&self, mut z: Vec<f64>) -> Vec<(usize, f64)> {
        for j in (0..z.len()).rev() {
            let column = self.columns[j] as usize..self.columns[j + 1] as usize;
            let later = column.filter(|p| (self.rows[*p] as usize) < z.len());
            z[j] -= later.map(|p| self.values[p] * z[self.rows[p] as usize]).sum::<f64>();
        }
        let entries = z.iter().enumerate().filter(|(_, z)| **z != 0.0);
        entries.map(|(k, z)| (self.order[k] as usize, *z)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factored(m: &[f64], n: usize) -> Ldl {
        let pattern =
            Pattern::from_entries(n, n, (0..n * n).filter(|k| m[*k] != 0.0 || k / n == k % n).map(|k| (k / n, k % n)));
        let values: Vec<f64> = (0..n).flat_map(|i| pattern.row(i).map(move |(j, _)| m[i * n + j])).collect();
        let mut ldl = Ldl::of_values(&pattern, &values);
        ldl.factor(&values, 0.0, 1e-10);
        ldl
    }

    fn energy(m: &[f64], z: &[f64]) -> f64 {
        let n = z.len();
        (0..n * n).map(|k| m[k] * z[k / n] * z[k % n]).sum()
    }

    #[test]
    fn directions_of_negative_energy_are_found() {
        for (m, n, count) in [
            (vec![1.0, 0.0, 0.0, -1.0], 2, 1),
            (vec![1.0, 2.0, 2.0, 1.0], 2, 1),
            (vec![-1.0, 0.5, 0.5, -1.0], 2, 2),
            (vec![0.0, 1.0, 1.0, 0.0], 2, 1),
            (vec![0.0, 1.0, 1.0, 5.0], 2, 1),
            (vec![4.0, 1.0, 0.0, 1.0, 1.0, 2.0, 0.0, 2.0, 3.0], 3, 1),
            (vec![1.0, 1.0, 1.0, 1.0], 2, 0),
            (vec![1.0, 5.0, -5.0, 1.0], 2, 0),
            (vec![1e-30, 0.0, 0.0, 1e30], 2, 0),
        ] {
            let ldl = factored(&m, n);
            let found: Vec<Negative> = ldl.negatives().collect();
            assert_eq!(found.len(), count, "{m:?}: {found:?}");
            for negative in found.into_iter().take(1) {
                assert!(energy(&m, &ldl.direction(negative)) < 0.0, "{m:?}");
            }
        }
    }

    #[test]
    fn massless_directions_are_those_without_an_image() {
        let m = [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 2.0];
        let ldl = factored(&m, 3);
        assert!(!ldl.is_definite() && ldl.negatives().next().is_none());
        let null: Vec<_> = ldl.null().collect();
        let [z] = &null[..] else { panic!("one direction: {null:?}") };
        let share = |i: usize| z.iter().find(|(j, _)| *j == i).map_or(0.0, |(_, z)| *z);
        assert!((share(0) + share(1)).abs() < 1e-15 && share(0) != 0.0 && share(2) == 0.0, "{z:?}");
    }

    #[test]
    fn a_long_band_is_definite_until_its_neighbours_outweigh_it() {
        let n = 400;
        let pattern = Pattern::from_entries(n, n, (0..n).flat_map(|i| [(i, i), (i, (i + 1) % n), ((i + 1) % n, i)]));
        for (beside, definite) in [(0.3, true), (0.49, true), (0.51, false), (0.8, false)] {
            let mut values = vec![0.0; pattern.len()];
            (0..n).for_each(|i| pattern.row(i).for_each(|(j, e)| values[e] = if i == j { 1.0 } else { beside }));
            let mut ldl = Ldl::new(&pattern);
            ldl.factor(&values, 0.0, 1e-10);
            assert_eq!(ldl.is_definite(), definite, "{beside}");
            // Eigenvalues are 1 + 2 beside cos(2 pi k/n).
            let negative =
                (0..n).filter(|k| 2.0 * beside * (2.0 * std::f64::consts::PI * *k as f64 / n as f64).cos() < -1.0);
            assert_eq!(ldl.negatives().count(), negative.count(), "{beside}");
        }
    }
}
