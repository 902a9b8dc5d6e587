//! Two complex numbers worked on together: the systems of two complex eigenvalues have the same shape and, in nearly every
//! step, the same pivots. Together they take little longer than one, because vector instructions do both.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};
use std::sync::Arc;

use faer::c64;

use super::dense::{DenseSolver, LinearSolver, Singular};
use super::{Columns, Entry, Shelf, SparseFactors, Structure, Symbolic, each};
use crate::checkpoint::{Archive, BadCheckpoint, keep};

/// Two complex numbers; every operation is done on both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twin {
    /// Real parts.
    pub re: [f64; 2],
    /// Imaginary parts.
    pub im: [f64; 2],
}

impl Twin {
    /// Of two numbers.
    pub fn new(first: c64, second: c64) -> Self {
        Twin { re: [first.re, second.re], im: [first.im, second.im] }
    }

    fn get(self, i: usize) -> c64 {
        c64::new(self.re[i], self.im[i])
    }
}

impl From<f64> for Twin {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Twin { re: [x; 2], im: [0.0; 2] }
    }
}
impl Neg for Twin {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Twin { re: each(|i| -self.re[i]), im: each(|i| -self.im[i]) }
    }
}
impl Add for Twin {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Twin { re: each(|i| self.re[i] + o.re[i]), im: each(|i| self.im[i] + o.im[i]) }
    }
}
impl Sub for Twin {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Twin { re: each(|i| self.re[i] - o.re[i]), im: each(|i| self.im[i] - o.im[i]) }
    }
}
impl Mul for Twin {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Twin {
            re: each(|i| self.re[i] * o.re[i] - self.im[i] * o.im[i]),
            im: each(|i| self.re[i] * o.im[i] + self.im[i] * o.re[i]),
        }
    }
}
impl Mul<f64> for Twin {
    type Output = Self;
    #[inline(always)]
    fn mul(self, x: f64) -> Self {
        Twin { re: each(|i| self.re[i] * x), im: each(|i| self.im[i] * x) }
    }
}
impl Div for Twin {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        Twin::new(self.get(0) / o.get(0), self.get(1) / o.get(1))
    }
}
impl AddAssign for Twin {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl SubAssign for Twin {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
impl MulAssign for Twin {
    #[inline(always)]
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

impl Entry for Twin {
    /// That of the smaller one: a pivot must serve both.
    #[inline(always)]
    fn size(self) -> f64 {
        let sizes = each(|i| self.re[i].abs() + self.im[i].abs());
        // Not `min`, which would hide a NaN.
        if sizes[0] > sizes[1] { sizes[1] } else { sizes[0] }
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self == Self::default()
    }
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.re, self.im)
    }
    fn large_solver(size: usize) -> Box<dyn LinearSolver<Self>> {
        Box::new(Apart {
            solvers: [DenseSolver::new(size), DenseSolver::new(size)],
            matrix: vec![c64::default(); size * size],
            rhs: vec![c64::default(); size],
        })
    }
    /// Twins are for small matrices.
    fn sparse_solver(_: &Arc<Symbolic>) -> Option<Box<dyn SparseFactors<Self>>> {
        None
    }
    fn pivoted_solver(_: &Arc<Columns>) -> Option<Box<dyn LinearSolver<Self>>> {
        None
    }
    fn shelf(_: &Structure) -> Option<&Shelf<Self>> {
        None
    }
}

/// Large matrices, one after the other.
struct Apart {
    solvers: [DenseSolver<c64>; 2],
    matrix: Vec<c64>,
    rhs: Vec<c64>,
}

impl LinearSolver<Twin> for Apart {
    fn factor(&mut self, matrix: &[Twin]) -> Result<(), Singular> {
        for (i, solver) in self.solvers.iter_mut().enumerate() {
            self.matrix.iter_mut().zip(matrix).for_each(|(to, from)| *to = from.get(i));
            solver.factor(&self.matrix)?;
        }
        Ok(())
    }

    fn solve(&mut self, rhs: &mut [Twin]) {
        for (i, solver) in self.solvers.iter_mut().enumerate() {
            self.rhs.iter_mut().zip(&*rhs).for_each(|(to, from)| *to = from.get(i));
            solver.solve(&mut self.rhs);
            rhs.iter_mut().zip(&self.rhs).for_each(|(to, from)| (to.re[i], to.im[i]) = (from.re, from.im));
        }
    }
}
