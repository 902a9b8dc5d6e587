//! Does the mass matrix keep its signs? Where an eigenvalue of M passes through zero the accelerations are infinite, and a
//! step may jump across: M is regular again on the other side.
//!
//! ```text
//! (M + M^T)/2 = L D L^T       as many negative pivots as negative eigenvalues (Sylvester)
//! ```
//!
//! At a start no eigenvalue is negative, unless the system allows it. Massless directions have a pivot of zero with nothing
//! beside it, and are left out. Under constraints M may be indefinite from the start in what they forbid (a pointer), and may
//! change there without any harm: such a motion is not watched.

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::Pattern;

/// What is below this share of the diagonal is rounding.
const ROUNDING: f64 = 1e-10;
/// Largest block whose pivots are looked at; of larger ones only the diagonal.
const LARGEST: usize = 300;

/// Remembers how many eigenvalues were negative at the start.
#[derive(Default)]
pub(crate) struct MassWatch {
    /// Coordinates in the order of their blocks, and where each block ends.
    order: Vec<usize>,
    ends: Vec<usize>,
    /// One block.
    work: Vec<f64>,
    /// The matrix last looked at.
    seen: Vec<f64>,
    begun: bool,
    ignored: bool,
    negative: usize,
}

impl Keep for MassWatch {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.begun, self.ignored, self.negative)?;
        if archive.is_reading() {
            self.seen.clear();
        }
        Ok(())
    }
}

impl MassWatch {
    /// Room for matrices of a pattern.
    pub fn new(equations: &Equations) -> Self {
        if equations.has_constant_mass() {
            return MassWatch { ignored: true, begun: true, ..MassWatch::default() };
        }
        let top = &equations.layout().top;
        let (order, ends) = blocks(top);
        let sizes = ends.iter().zip(std::iter::once(&0).chain(&ends)).map(|(end, begin)| end - begin);
        let largest = sizes.filter(|size| *size <= LARGEST).max().unwrap_or(0);
        MassWatch {
            order,
            ends,
            work: vec![0.0; largest * largest],
            seen: Vec::with_capacity(top.len()),
            ..MassWatch::default()
        }
    }

    /// The next matrix is that of a start.
    pub fn restart(&mut self) {
        self.begun = self.order.is_empty();
    }

    /// The coordinate where M has got another sign since the start.
    pub fn look(&mut self, equations: &Equations, mass: &[f64]) -> Option<usize> {
        if self.begun && (self.ignored || self.seen == mass) {
            return None;
        }
        let (count, last) = self.count(&equations.layout().top, mass);
        if !self.begun {
            let meant = count > 0 || equations.description().indefinite_mass;
            (self.begun, self.negative) = (true, count);
            self.ignored = meant && equations.dims().constraints() > 0;
        } else if count != self.negative {
            return Some(last);
        }
        // The room is there since the beginning.
        self.seen.clear();
        self.seen.extend_from_slice(mass);
        None
    }

    /// How many pivots are negative, and the coordinate of the smallest one, relative to its diagonal entry.
    fn count(&mut self, top: &Pattern, mass: &[f64]) -> (usize, usize) {
        let heaviest = mass.iter().fold(0.0_f64, |max, m| max.max(m.abs()));
        let diagonal = |i: usize| top.position(i, i).map_or(0.0, |e| mass[e]);
        let (mut count, mut smallest, mut begin) = (0, (f64::INFINITY, 0), 0);
        for &end in &self.ends {
            let block = &self.order[begin..end];
            begin = end;
            let size = block.len();
            if size > LARGEST {
                for &i in block {
                    let d = diagonal(i);
                    count += usize::from(d < -ROUNDING * heaviest);
                    smallest = if d / heaviest < smallest.0 { (d / heaviest, i) } else { smallest };
                }
                continue;
            }
            let work = &mut self.work[..size * size];
            for (k, x) in work.iter_mut().enumerate() {
                let (i, j) = (block[k / size], block[k % size]);
                let value = |i: usize, j: usize| top.position(i, j).map_or(0.0, |e| mass[e]);
                *x = if i == j { value(i, i) } else { 0.5 * (value(i, j) + value(j, i)) };
            }
            count += pivots(work, size, |k, pivot| {
                if pivot < smallest.0 {
                    smallest = (pivot, block[k]);
                }
            });
        }
        (count, smallest.1)
    }
}

/// Negative pivots of a symmetric matrix, which is overwritten; shows each pivot relative to the size of its row.
fn pivots(s: &mut [f64], n: usize, mut show: impl FnMut(usize, f64)) -> usize {
    let mut count = 0;
    for k in 0..n {
        let row = |s: &[f64], i: usize| s[i * n..(i + 1) * n].iter().fold(0.0_f64, |max, x| max.max(x.abs()));
        let (pivot, size) = (s[k * n + k], row(s, k));
        if size == 0.0 {
            continue;
        }
        let beside = s[k * n + k + 1..(k + 1) * n].iter().fold(0.0_f64, |max, x| max.max(x.abs()));
        if pivot.abs() <= ROUNDING * size {
            // A massless direction; with something beside it one of negative energy.
            if beside > ROUNDING.sqrt() * size {
                count += 1;
                show(k, -1.0);
            }
            continue;
        }
        show(k, pivot / size);
        count += usize::from(pivot < 0.0);
        for i in k + 1..n {
            let factor = s[i * n + k] / pivot;
            if factor != 0.0 {
                for j in i..n {
                    s[i * n + j] -= factor * s[k * n + j];
                    s[j * n + i] = s[i * n + j];
                }
            }
        }
    }
    count
}

/// Coordinates that entries of the pattern join, block by block.
fn blocks(top: &Pattern) -> (Vec<usize>, Vec<usize>) {
    let n = top.rows();
    let (mut order, mut ends, mut seen) = (Vec::with_capacity(n), Vec::new(), vec![false; n]);
    for first in 0..n {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut next = order.len();
        order.push(first);
        while let Some(&i) = order.get(next) {
            next += 1;
            for (j, _) in top.row(i) {
                if !std::mem::replace(&mut seen[j], true) {
                    order.push(j);
                }
            }
        }
        ends.push(order.len());
    }
    (order, ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn negative(m: &[f64], n: usize) -> usize {
        pivots(&mut m.to_vec(), n, |_, _| {})
    }

    #[test]
    fn negative_pivots_are_negative_eigenvalues() {
        assert_eq!(negative(&[1.0, 0.0, 0.0, -1.0], 2), 1);
        assert_eq!(negative(&[1.0, 2.0, 2.0, 1.0], 2), 1);
        assert_eq!(negative(&[-1.0, 0.5, 0.5, -1.0], 2), 2);
        assert_eq!(negative(&[0.0, 1.0, 1.0, 0.0], 2), 1);
        for semidefinite in [[1.0, 1.0, 1.0, 1.0], [0.0; 4], [0.0, 0.0, 0.0, 3.0], [1e-30, 0.0, 0.0, 1e30]] {
            assert_eq!(negative(&semidefinite, 2), 0, "{semidefinite:?}");
        }
        // A quaternion's matrix: rank 3 of 4, its zero is rounding.
        let q = [0.5, -0.1, 0.7, (1.0_f64 - 0.25 - 0.01 - 0.49).sqrt()];
        let g = [[-q[1], q[0], q[3], -q[2]], [-q[2], -q[3], q[0], q[1]], [-q[3], q[2], -q[1], q[0]]];
        let m: Vec<f64> =
            (0..16).map(|k| g.iter().zip([1.0, 2.0, 0.3]).map(|(g, j)| j * g[k / 4] * g[k % 4]).sum()).collect();
        assert_eq!(negative(&m, 4), 0);
    }

    #[test]
    fn blocks_are_what_entries_join() {
        let pattern = Pattern::from_entries(5, 5, [(0, 0), (1, 1), (0, 3), (3, 0), (2, 2), (4, 4), (4, 2), (2, 4)]);
        let (order, ends) = blocks(&pattern);
        assert_eq!(order, [0, 3, 1, 2, 4]);
        assert_eq!(ends, [2, 3, 5]);
    }
}
