//! Are constraints that follow from others still met, and do the same ones still follow?
//!
//! Where a system [accepts](crate::Redundancy) redundant constraints, matrices are softened, and have solutions whatever the
//! constraints say. Two things must be looked at in every step, which singular matrices would tell by themselves.
//!
//! **Contradictions.** Of what is left of the constraints, c, the part that no motion removes is found with the factors there are:
//!
//! ```text
//! | M  -r_mu | (x)   (0)
//! | C   -sD  | (y) = (c)         c - C x = -sD y        s = 1e-8: the rest of c counts 1e-8 at most
//! ```
//!
//! It must stay below 1e-8 of what the row is made of, |G_i| max|q| or |C_i| max|v|, with the largest q and v so far (one, where
//! everything is at zero at the start). That is what bars cut to a length with eight digits contradict each other by, and the softness does to rows that are no more than
//! nearly dependent; rounding is far below. More is a contradiction, which begins or grows.
//!
//! **Rank.** Rows of C, scaled by the inertia of their coordinates and to unit length, are made orthogonal one by one, the longest
//! first. What is left of a row is its distance from those before. Below 1e-4 the softness decides about it, not the constraint: a
//! state with fewer rows of more than [`DEPENDENT`] than at the start, or with more of more than [`HIGH`], is one where the
//! constraints become dependent, or cease to be so. Of sparse matrices the pivots tell the same: that of a row is the square of its
//! distance from the rows eliminated before it, and of the softness.

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Layout;
use crate::linear::Kkt;
use crate::tolerance::largest;

/// What dependent constraints may contradict each other by, relative to what they are made of.
const ACCEPTED: f64 = 1e-8;
/// The same where everything is at zero: rounding of constants of the order 1.
const ROUNDING: f64 = 1e-14;
/// Distance of a unit row from the others below which it is dependent; the softness is the square of 1e-4.
pub(crate) const DEPENDENT: f64 = 3e-4;
/// Distance above which it is certainly not.
const HIGH: f64 = 1e-2;
/// Pivot of a sparse row up to which it may be dependent: coefficients of other rows, squared, multiply the softness in it.
const DOUBTFUL: f64 = 1e-5;
/// Pivot above which it is certainly not. Where rows are exchanged in a block of the factors, shares are those of what was left of the
/// block, and larger.
const CLEAR: f64 = 1e-2;

/// The size of q or v at the start; one where everything is at zero, or no farther from it than what is accepted.
pub(crate) fn start_size(x: &[f64]) -> f64 {
    reach_of(largest(x))
}

fn reach_of(largest: f64) -> f64 {
    if largest > ACCEPTED { largest } else { 1.0 }
}

/// What may be left of a row with entries of this size where it depends on others; `reach` is the largest q or v.
pub(crate) fn tolerated(size: f64, reach: f64) -> f64 {
    (if size > 0.0 { size } else { 1.0 }) * (ACCEPTED * reach + ROUNDING * (1.0 + reach))
}

/// Two constraints that cannot both be met, and by how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contradiction {
    /// The one that is most at fault.
    pub constraint: usize,
    /// The next one; the same where it contradicts itself.
    pub other: usize,
    /// What is left of the first.
    pub residual: f64,
}

/// Remembers ranks and sizes.
#[derive(Default)]
pub(crate) struct RedundancyWatch {
    /// Largest q and v of accepted states, and of the one under judgement.
    reach: [f64; 2],
    pending: [f64; 2],
    /// Whether the start has been measured.
    begun: bool,
    /// Number of independent constraints at the start; none before. Of sparse ones, of those that are certainly so.
    rank: Option<usize>,
    /// Number of sparse constraints that are certainly dependent.
    dependent: usize,
    /// Scaled rows, and the order in which they became orthogonal.
    rows: Vec<f64>,
    order: Vec<usize>,
}

impl Keep for RedundancyWatch {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let [q, v] = &mut self.reach;
        keep!(archive; *q, *v, self.begun, self.rank, self.dependent)
    }
}

impl RedundancyWatch {
    /// Begins a new motion.
    pub fn restart(&mut self) {
        (self.begun, self.rank) = (false, None);
    }

    /// The state last looked at is now the present one.
    pub fn accept(&mut self) {
        self.reach = [0, 1].map(|i| self.reach[i].max(self.pending[i]));
    }

    /// Takes the sizes of q and v of the start, or of the state under judgement.
    pub fn measure(&mut self, q: f64, v: f64) {
        self.pending = [q, v];
        if !self.begun {
            self.begun = true;
            self.reach = self.pending.map(reach_of);
        }
    }

    /// What cannot be met of residuals `c` of positions (`level` 0) or velocities (1), of rows of the sizes `size`; `rhs` is
    /// room for unknowns and multipliers. The factors are those at the state.
    pub fn contradiction(
        &self,
        kkt: &mut Kkt,
        level: usize,
        c: &[f64],
        size: impl Fn(usize) -> f64,
        rhs: &mut [f64],
    ) -> Option<Contradiction> {
        let reach = self.reach[level].max(self.pending[level]);
        let limit = |i: usize| tolerated(size(i), reach);
        // A residual that is not a number exceeds every limit.
        if c.iter().enumerate().all(|(i, c)| c.abs() <= limit(i)) {
            return None;
        }
        let n = rhs.len() - c.len();
        rhs[..n].fill(0.0);
        rhs[n..].copy_from_slice(c);
        kkt.solve(rhs);
        let idle = |i: usize| (kkt.corner(i) * rhs[n + i]).abs();
        let excess = |i: usize| idle(i) / limit(i);
        let worst = |except: usize| {
            let others = (0..c.len()).filter(|i| *i != except);
            others.max_by(|i, j| excess(*i).total_cmp(&excess(*j)))
        };
        let constraint = worst(usize::MAX).filter(|i| excess(*i) > 1.0 || excess(*i).is_nan())?;
        let other = worst(constraint).filter(|i| excess(*i) > 0.1).unwrap_or(constraint);
        Some(Contradiction { constraint, other, residual: c[constraint] })
    }

    /// Whether the rank is that at the start; if not, the constraint by which it differs. The factors are those of the blocks.
    pub fn rank(&mut self, layout: &Layout, mass: &[f64], c_v: &[f64], kkt: &Kkt) -> Result<(), usize> {
        let (m, n) = (layout.rows.rows(), layout.top.rows());
        if layout.structure.is_sparse() {
            return self.rank_by_pivots(n, m, layout.structure.softness(), kkt);
        }
        self.rows.clear();
        self.rows.resize(m * n, 0.0);
        self.order.clear();
        self.order.extend(0..m);
        let inertia = |j: usize| layout.top.position(j, j).map_or(0.0, |e| mass[e].abs());
        for (i, row) in self.rows.chunks_exact_mut(n.max(1)).enumerate() {
            for (j, e) in layout.rows.row(i) {
                let m = inertia(j);
                row[j] = c_v[e] / if m > 0.0 { m.sqrt() } else { 1.0 };
            }
            let length = dot(row, row).sqrt();
            if length > 0.0 {
                row.iter_mut().for_each(|x| *x /= length);
            }
        }
        let mut rank = 0;
        for k in 0..m {
            let length = |p: usize, this: &Self| {
                let row = &this.rows[this.order[p] * n..][..n];
                dot(row, row).sqrt()
            };
            let longest = (k..m).max_by(|p, r| length(*p, self).total_cmp(&length(*r, self))).unwrap_or(k);
            let distance = length(longest, self);
            self.order.swap(k, longest);
            let row = self.order[k];
            match self.rank {
                Some(known) if k < known && distance <= DEPENDENT => return Err(row),
                Some(known) if k >= known && distance > HIGH => return Err(row),
                Some(known) if k >= known => break,
                None if distance <= DEPENDENT => break,
                _ => {}
            }
            rank = k + 1;
            for p in k + 1..m {
                let (first, second) = pair(&mut self.rows, n, row, self.order[p]);
                let share = dot(first, second) / (distance * distance);
                second.iter_mut().zip(first).for_each(|(y, x)| *y -= share * *x);
            }
        }
        self.rank.get_or_insert(rank);
        Ok(())
    }

    /// The same by the pivots of the rows.
    fn rank_by_pivots(&mut self, n: usize, m: usize, softness: f64, kkt: &Kkt) -> Result<(), usize> {
        let (mut dependent, mut doubtful, mut perhaps) = (0, 0, 0);
        // The last row that is dependent, and the nearest that is not.
        let (mut last, mut next) = (0, (f64::INFINITY, 0));
        let known = kkt.each_pivot(&mut |unknown, share| {
            let Some(row) = unknown.checked_sub(n) else { return };
            perhaps += usize::from(share <= CLEAR);
            doubtful += usize::from(share <= DOUBTFUL);
            if share <= DEPENDENT * DEPENDENT + softness {
                (dependent, last) = (dependent + 1, row);
            } else if share > CLEAR && share < next.0 {
                next = (share, row);
            }
        });
        match self.rank {
            // Pivots from anywhere say nothing about rows.
            _ if !known => Ok(()),
            None => {
                (self.rank, self.dependent) = (Some(m - doubtful), dependent);
                Ok(())
            }
            Some(rank) if dependent > m - rank => Err(last),
            Some(_) if perhaps < self.dependent => Err(next.1),
            Some(_) => Ok(()),
        }
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Rows i and j of a matrix with n columns.
fn pair(rows: &mut [f64], n: usize, i: usize, j: usize) -> (&[f64], &mut [f64]) {
    if i < j {
        let (low, high) = rows.split_at_mut(j * n);
        (&low[i * n..][..n], &mut high[..n])
    } else {
        let (low, high) = rows.split_at_mut(i * n);
        (&high[..n], &mut low[j * n..][..n])
    }
}
