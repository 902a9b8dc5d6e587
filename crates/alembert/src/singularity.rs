//! Does a step pass through a singular configuration?
//!
//! Where constraints become dependent (a four-bar in its dead point), a singular value of C goes through zero and changes
//! sign. A step may jump across: the matrix is regular on both sides, and the motion beyond may be on the wrong branch.
//! With B = r_mu of the last accepted state and the factors at the new one,
//!
//! ```text
//! [M -B1; C1] (x ; y) = (B0 ; 0)     gives     -y = (C1 M^-1 B1)^-1 (C1 M^-1 B0),
//! ```
//!
//! which is near the identity for a short step, and has an eigenvalue near sigma_0/sigma_1 < 0 after a crossing. The solves
//! are made only where the smallest pivot is far below its largest value so far.
//!
//! A softened matrix has -sD in its corner, and (0 ; sD) is added to the right-hand side: then combinations of constraints that
//! do nothing have the eigenvalue 1, and the others are as without, down to sigma_0 sigma_1 = -s.

use crate::checkpoint::{Archive, BadCheckpoint, Keep};
use crate::linear::{Kkt, Pattern};

/// Fraction of the largest smallest pivot below which a step is looked at.
const SUSPICIOUS: f64 = 0.3;

/// Change of the entries of a border, relative to the largest, beyond which a softened sparse matrix is not looked at.
const FAR: f64 = 0.5;

/// Remembers the last accepted configuration.
#[derive(Default)]
pub(crate) struct SingularityWatch {
    /// The transpose of r_mu at the last accepted state, and at the one under judgement.
    accepted: Vec<f64>,
    pending: Vec<f64>,
    /// The largest of the smallest pivots.
    typical: f64,
    rhs: Vec<f64>,
    change: Vec<f64>,
}

impl Keep for SingularityWatch {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.typical.keep(archive)?;
        for x in [&mut self.accepted, &mut self.pending, &mut self.rhs, &mut self.change] {
            archive.growing(x)?;
        }
        Ok(())
    }
}

impl SingularityWatch {
    /// Forgets the past.
    pub fn restart(&mut self) {
        self.accepted.clear();
        self.typical = 0.0;
    }

    /// The state last looked at is now the present one.
    pub fn accept(&mut self) {
        std::mem::swap(&mut self.accepted, &mut self.pending);
    }

    /// The constraint most involved in a crossing between the accepted state and the one whose matrix is factored.
    /// `pivot` says how near the matrix is to a singular one, up to a factor that varies little.
    pub fn look(&mut self, kkt: &mut Kkt, r_mu: &[f64], rows: &Pattern, pivot: f64) -> Option<usize> {
        let (n, m) = (rows.columns(), rows.rows());
        self.pending.clear();
        self.pending.extend_from_slice(r_mu);
        if m == 0 {
            return None;
        }
        self.typical = self.typical.max(pivot);
        if self.accepted.is_empty() {
            // The first state: the buffers take their final sizes here.
            self.accepted.extend_from_slice(r_mu);
            self.pending.reserve(r_mu.len());
            if !kkt.is_sparse() {
                self.rhs.resize(n + m, 0.0);
                self.change.resize(m * m, 0.0);
            }
            return None;
        }
        if pivot > SUSPICIOUS * self.typical { None } else { self.crossing(kkt, rows) }
    }

    /// Whether the borders of the two states have little in common, so that the sign of a determinant may change by itself. The
    /// pivots of a softened matrix do not tell when to look.
    fn turns_far(&self) -> bool {
        let (mut change, mut size) = (0.0_f64, 0.0_f64);
        for (x, y) in self.accepted.iter().zip(&self.pending) {
            change = change.max((x - y).abs());
            size = size.max(x.abs());
        }
        change > FAR * size
    }

    /// Eliminates -y without exchanges: while its symmetric part is positive, as it is near the identity, all pivots are.
    fn crossing(&mut self, kkt: &mut Kkt, rows: &Pattern) -> Option<usize> {
        let (n, m) = (rows.columns(), rows.rows());
        if kkt.is_sparse() {
            if kkt.is_softened() && self.turns_far() {
                return None;
            }
            // The determinant of -y is that of [M -B0; C1] over that of [M -B1; C1].
            return kkt.turns_with_border(&self.accepted).map(|weakest| weakest.saturating_sub(n));
        }
        for j in 0..m {
            self.rhs.fill(0.0);
            for (i, e) in rows.row(j) {
                self.rhs[i] = self.accepted[e];
            }
            self.rhs[n + j] = -kkt.corner(j);
            kkt.solve(&mut self.rhs);
            for (i, y) in self.rhs[n..].iter().enumerate() {
                self.change[i * m + j] = -y;
            }
        }
        for k in 0..m {
            let (above, below) = self.change.split_at_mut((k + 1) * m);
            let row = &above[k * m..];
            if row[k] <= 0.0 {
                return Some(k);
            }
            for other in below.chunks_exact_mut(m) {
                let factor = other[k] / row[k];
                for (x, y) in other[k..].iter_mut().zip(&row[k..]) {
                    *x -= factor * y;
                }
            }
        }
        None
    }
}
