//! How soft each constraint row of a softened matrix is: s D on the diagonal of the corner, with the size D of C A^-1 C^T there.
//!
//! ```text
//! D_i = sum_j C_ij^2 w_j        w_j = 1/A_jj, or for an unknown without mass min(1/A_jj, min over rows k with j of  sum_l (C_kl/C_kj)^2 w_l)
//! ```
//!
//! The sum goes over the unknowns l with mass. What has no mass moves with what constraints tie it to: an angle that counts the turns of a hinge moves as
//! easily as its wheels do. On the diagonal it has nothing, or the curvature of a constraint, which may be any small number and says nothing of how easily it moves; by that number its rows would
//! be as soft as if they were not there.

use crate::linear::kkt::Term;
use crate::linear::{Entry, Structure};

/// What the rows of a matrix are made of.
pub(super) struct Softness<'a, S, D, R> {
    pub structure: &'a Structure,
    /// Terms of the leading block, the mass first.
    pub mass: &'a [Term<'a, S>],
    /// |A_jj|.
    pub diagonal: D,
    /// |C_kj|, of row k and column j, with the position of its entry.
    pub row: R,
}

impl<S: Entry, D: Fn(usize) -> f64, R: Fn(usize, usize, usize) -> f64> Softness<'_, S, D, R> {
    /// s D of row i; one instead of D where nothing in the row has a size.
    pub fn of(&self, i: usize) -> f64 {
        let parts = self.structure.rows.row(i).map(|(j, e)| ((self.row)(i, j, e), j));
        let size: f64 = parts.filter(|(c, _)| *c > 0.0).map(|(c, j)| c * c * self.mobility(j)).sum();
        self.structure.softness() * if size > 0.0 { size } else { 1.0 }
    }

    fn has_mass(&self, j: usize) -> bool {
        let entry = self.structure.top.position(j, j);
        let mass = entry.and_then(|e| self.mass.first().and_then(|(_, mass)| mass.get(e)));
        mass.is_some_and(|mass| *mass != 0.0)
    }

    /// w_j of an unknown by its own diagonal.
    fn alone(&self, j: usize) -> f64 {
        let a = (self.diagonal)(j);
        if a > 0.0 { 1.0 / a } else { 0.0 }
    }

    fn mobility(&self, j: usize) -> f64 {
        let alone = self.alone(j);
        if self.has_mass(j) {
            return alone;
        }
        let ties = self.structure.rows_of(j).map(|(k, e)| self.tie(k, (self.row)(k, j, e)));
        let tied = ties.filter(|w| *w > 0.0).fold(f64::INFINITY, f64::min);
        if alone > 0.0 {
            alone.min(tied)
        } else if tied.is_finite() {
            tied
        } else {
            0.0
        }
    }

    /// How easily an unknown with an entry c in row k moves with those in it that have mass.
    fn tie(&self, k: usize, c: f64) -> f64 {
        if c == 0.0 {
            return 0.0;
        }
        let others = self.structure.rows.row(k).filter(|(l, _)| self.has_mass(*l));
        others.map(|(l, e)| ((self.row)(k, l, e) / c).powi(2) * self.alone(l)).sum()
    }
}
