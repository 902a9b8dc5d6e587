//! Does the mass matrix keep its signs? Where an eigenvalue of M passes through zero the accelerations are infinite, and a
//! step may jump across: M is regular again on the other side.
//!
//! ```text
//! (M + M^T)/2 = L D L^T       as many negative pivots as negative eigenvalues (Sylvester)
//! ```
//!
//! Most matrices need no pivots: where sum_j |m_ij| / sqrt(m_ii m_jj) over j other than i is below 1 in every row, all
//! eigenvalues are positive (Gershgorin, with the diagonal scaled to 1).
//!
//! At a start no eigenvalue is negative, unless the system allows it. Massless directions have a pivot of zero with nothing
//! beside it, and are left out. Under constraints M may be indefinite from the start in directions that they forbid (a pointer), and
//! may change there without any harm: such a motion is not watched.

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::linear::{Ldl, Pattern};

/// What is below this share of the diagonal is rounding.
const ROUNDING: f64 = 1e-10;
/// Row sums of the scaled matrix up to which it has no negative eigenvalue beyond rounding.
const DOMINATED: f64 = 0.999;
/// Largest block that is factored as a dense one; where there is a larger one, the matrix is factored as a whole, sparse. Bodies have
/// blocks of up to six coordinates, for which loops over dense numbers are faster.
const LARGEST: usize = 300;

/// Remembers how many eigenvalues were negative at the start.
#[derive(Default)]
pub(crate) struct MassWatch {
    /// Coordinates in the order of their blocks, and where each block ends.
    order: Vec<usize>,
    ends: Vec<usize>,
    /// One block.
    work: Vec<f64>,
    /// The whole matrix, where a block is large.
    sparse: Option<Box<Ldl>>,
    /// 1/sqrt(m_ii), and sums of the scaled rows.
    scales: Vec<f64>,
    sums: Vec<f64>,
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
        let largest = sizes.max().unwrap_or(0);
        let (sparse, largest) = if largest > LARGEST { (Some(Box::new(Ldl::new(top))), 0) } else { (None, largest) };
        MassWatch {
            order,
            ends,
            work: vec![0.0; largest * largest],
            sparse,
            scales: vec![0.0; top.rows()],
            sums: vec![0.0; top.rows()],
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
        let top = &equations.layout().top;
        // Where eigenvalues were negative the pivots tell which coordinate has become another.
        let quick = self.negative == 0 && self.is_dominated(top, mass);
        let (count, last) = if quick { (0, 0) } else { self.count(top, mass) };
        if !self.begun {
            let meant = count > 0 || equations.description().indefinite_mass;
            (self.begun, self.negative) = (true, count);
            self.ignored = meant && equations.dims().constraints() > 0;
        } else if count != self.negative {
            return Some(last);
        }
        // The buffers have been there since the beginning.
        self.seen.clear();
        self.seen.extend_from_slice(mass);
        None
    }

    /// Whether the diagonal alone shows that no eigenvalue is negative.
    fn is_dominated(&mut self, top: &Pattern, mass: &[f64]) -> bool {
        let MassWatch { scales, sums, .. } = self;
        for (i, scale) in scales.iter_mut().enumerate() {
            let diagonal = top.position(i, i).map_or(0.0, |e| mass[e]);
            // A massless coordinate without anything beside its zero has an empty sum; with something, an infinite one.
            *scale = if diagonal >= 0.0 { 1.0 / diagonal.sqrt() } else { return false };
        }
        sums.fill(0.0);
        for i in 0..scales.len() {
            let mut sum = 0.0;
            for (j, e) in top.row(i).filter(|(j, e)| *j != i && mass[*e] != 0.0) {
                // Of the symmetric part: half to each of both rows.
                let half = 0.5 * mass[e].abs() * scales[i] * scales[j];
                sum += half;
                sums[j] += half;
            }
            sums[i] += sum;
        }
        sums.iter().all(|sum| *sum <= DOMINATED)
    }

    /// How many pivots are negative, and the coordinate of the smallest one, relative to its diagonal entry.
    fn count(&mut self, top: &Pattern, mass: &[f64]) -> (usize, usize) {
        let (mut count, mut smallest, mut begin) = (0, (f64::INFINITY, 0), 0);
        if let Some(ldl) = &mut self.sparse {
            ldl.factor(mass, 0.0, ROUNDING);
            for negative in ldl.negatives() {
                count += 1;
                smallest = if negative.share < smallest.0 { (negative.share, negative.unknown) } else { smallest };
            }
            return (count, smallest.1);
        }
        for &end in &self.ends {
            let block = &self.order[begin..end];
            begin = end;
            let size = block.len();
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
    fn dominated_matrices_are_positive() {
        let dominated = |m: &[f64], n: usize| {
            let room = vec![0.0; n];
            MassWatch { scales: room.clone(), sums: room, ..MassWatch::default() }
                .is_dominated(&Pattern::dense(n, n), m)
        };
        // Units do not matter: masses of 1e-12 beside 1.
        assert!(dominated(&[1.0, 0.9e-6, 0.9e-6, 1e-12], 2));
        assert!(dominated(&[0.0, 0.0, 0.0, 3.0], 2), "a massless coordinate");
        // Only the symmetric part counts.
        assert!(dominated(&[1.0, 1.8, 0.0, 1.0], 2));
        for other in [
            [1.0, 2.0, 2.0, 1.0],
            [-1.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 1.0, 0.0],
            [1.0, 1.0, 1.0, 1.0],
            [1.0, 2.0, 0.0, 1.0],
            [f64::NAN, 0.0, 0.0, 1.0],
        ] {
            assert!(!dominated(&other, 2), "{other:?}");
        }
        // Whatever is dominated has no negative pivot.
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (seed >> 40) as f64 / (1u64 << 24) as f64
        };
        let mut count = 0;
        for _ in 0..2000 {
            let mut m = [0.0; 9];
            for i in 0..3 {
                m[4 * i] = random();
                for j in 0..i {
                    m[3 * i + j] = random() - 0.5;
                    m[3 * j + i] = m[3 * i + j];
                }
            }
            if dominated(&m, 3) {
                count += 1;
                assert_eq!(negative(&m, 3), 0, "{m:?}");
            }
        }
        assert!(count > 100, "{count}");
    }

    #[test]
    fn blocks_are_what_entries_join() {
        let pattern = Pattern::from_entries(5, 5, [(0, 0), (1, 1), (0, 3), (3, 0), (2, 2), (4, 4), (4, 2), (2, 4)]);
        let (order, ends) = blocks(&pattern);
        assert_eq!(order, [0, 3, 1, 2, 4]);
        assert_eq!(ends, [2, 3, 5]);
    }
}
