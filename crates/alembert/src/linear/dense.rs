//! Dense LU with partial pivoting: `small` for sizes that the compiler knows, `large` for all others.

use std::fmt;

use super::Entry;
use super::small::SmallLu;

/// A matrix without an inverse, as far as double precision can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular {
    /// Column without a usable pivot.
    pub column: usize,
}

impl fmt::Display for Singular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the matrix is singular: no pivot in column {}", self.column)
    }
}

impl std::error::Error for Singular {}

/// Factors a square matrix and solves with it.
pub trait LinearSolver<S = f64>: Send {
    /// Factors the matrix: all its entries column by column, or the values of a sparse one.
    ///
    /// # Errors
    /// If the matrix is numerically singular; the solver then holds no factors.
    fn factor(&mut self, matrix: &[S]) -> Result<(), Singular>;

    /// Replaces `rhs` by the solution.
    fn solve(&mut self, rhs: &mut [S]);
}

/// LU of a dense matrix with scaled rows; all memory is taken in [`new`](Self::new).
pub struct DenseSolver<S>(Box<dyn LinearSolver<S>>);

impl<S: Entry + 'static> DenseSolver<S> {
    /// A solver for matrices with `size` rows.
    pub fn new(size: usize) -> Self {
        macro_rules! by_size {
            ($($n:literal)*) => {
                match size {
                    $($n => Box::new(SmallLu::<S, $n>::new()),)*
                    _ => S::large_solver(size),
                }
            };
        }
        DenseSolver(by_size!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16))
    }
}

impl<S: Entry> LinearSolver<S> for DenseSolver<S> {
    fn factor(&mut self, matrix: &[S]) -> Result<(), Singular> {
        self.0.factor(matrix)
    }

    fn solve(&mut self, rhs: &mut [S]) {
        self.0.solve(rhs);
    }
}

/// The power of two next above 1/x in size, from the exponent of x; for a subnormal x, the largest there is.
pub(super) fn reciprocal_power_of_two(x: f64) -> f64 {
    const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    let biased = x.to_bits() >> MANTISSA;
    f64::from_bits((2046 - biased.min(2045)) << MANTISSA)
}

/// Not so for NaN.
pub(super) fn exceeds(x: f64, limit: f64) -> bool {
    x > limit
}

#[cfg(test)]
mod tests {
    use super::super::large::PLAIN_LIMIT;
    use super::*;

    fn random(seed: &mut u64) -> f64 {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        (*seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    #[test]
    fn all_codes_solve_real_and_complex_systems() {
        let mut seed = 7;
        for n in [1, 2, 3, 4, 5, 8, 13, 16, 17, PLAIN_LIMIT, PLAIN_LIMIT + 1, 60] {
            let real: Vec<f64> = (0..n * n).map(|_| random(&mut seed)).collect();
            let complex: Vec<faer::c64> =
                (0..n * n).map(|_| faer::c64::new(random(&mut seed), random(&mut seed))).collect();
            check(n, &real);
            check(n, &complex);
        }
    }

    fn check<S: Entry + 'static>(n: usize, matrix: &[S]) {
        let exact: Vec<S> = (0..n).map(|i| S::from(1.0 + i as f64)).collect();
        let mut rhs: Vec<S> =
            (0..n).map(|i| (0..n).fold(S::default(), |sum, j| sum + matrix[j * n + i] * exact[j])).collect();
        let mut solver = DenseSolver::new(n);
        solver.factor(matrix).expect("a random matrix is regular");
        solver.solve(&mut rhs);
        for (x, e) in rhs.iter().zip(&exact) {
            assert!((*x - *e).size() < 1e-8 * n as f64, "size {n}");
        }
    }

    #[test]
    fn singular_matrices_are_refused() {
        for n in [3, 13, 40] {
            let mut matrix: Vec<f64> = (0..n * n).map(|i| ((i * i) as f64).sin()).collect();
            for i in 0..n {
                matrix[n + i] = 2.0 * matrix[i];
            }
            assert!(DenseSolver::new(n).factor(&matrix).is_err(), "size {n}");
        }
    }

    #[test]
    fn scaling_brings_every_number_between_one_and_two() {
        for x in [1.0, 1.5, 1e-3, 7e200, 3e-300, f64::MIN_POSITIVE, f64::MAX / 4.0] {
            let scaled = x * reciprocal_power_of_two(x);
            assert!((1.0..2.0).contains(&scaled), "{x:e}: {scaled}");
        }
        assert!((5e-324 * reciprocal_power_of_two(5e-324)).is_finite());
        assert!((f64::MAX * reciprocal_power_of_two(f64::MAX)).is_finite());
    }
}
