//! The point of a surface c(x) = 0 that is closest to a guess x0.
//!
//! With d the displacement from x0, rotations turned, and y = L^T d its orthonormal coordinates (`metric`):
//!
//! ```text
//! minimise |y|^2 / 2  subject to  c(x) = 0        A = c_x L^-T, rows scaled to unit length
//! ```
//!
//! `restore` reaches the surface by minimum-norm Gauss-Newton steps with backtracking, and by
//! Levenberg-Marquardt steps where those do not descend. `approach` then walks on the surface (a tangential step, then
//! `restore`) to where y is normal to it. The tangential step is Newton's on the reduced Hessian
//! Z^T (1 + sum_i mu_i c_i'') Z, without which a guess farther away than the radius of curvature would swing about the
//! closest point for ever; steepest descent takes over where that Hessian is not definite.
//!
//! In a vector space the result is the closest point. On a group d is the sum of the increments, which is the
//! displacement to first order: the constraints are met as exactly, the distance is nearly least.

use super::metric::Cholesky;
use super::{RANK_THRESHOLD, TOUCHING};
use crate::equations::NotFinite;
use crate::linear::rank::RowRank;
use crate::newton::Descent;
use crate::redundancy::tolerated;

const MAX_RESTORE: usize = 100;
const MAX_APPROACH: usize = 60;
/// Halvings of a Newton step before it counts as useless.
const HALVINGS: i32 = 12;
/// Levenberg-Marquardt parameters tried in turn, relative to rows of unit length.
const DAMPING: [f64; 7] = [1e-6, 1e-4, 1e-2, 1e-1, 1.0, 1e1, 1e3];
/// A tangential part below this share of the displacement is none.
const NORMAL: f64 = 1e-14;
/// Displacement of the differences that give the curvature, relative to x.
const CURVATURE_STEP: f64 = 1e-6;

/// Distance of a neighbouring point, relative to the size of x: large against the threshold of the rank.
const NEIGHBOUR: f64 = 1e-2;

/// The constraints of one level as functions of one argument.
pub(super) trait Surface {
    fn rows(&self) -> usize;
    fn columns(&self) -> usize;
    fn residual(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NotFinite>;
    fn jacobian(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NotFinite>;
    fn advance(&mut self, x: &[f64], dx: &[f64], out: &mut [f64]);
    /// What each row is made of at x, where its derivative does not say it; zero otherwise.
    #[allow(unused_variables)]
    fn floor(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NotFinite> {
        Ok(())
    }
}

/// Where the search ended.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub x: Vec<f64>,
    /// Displacement from the guess.
    pub d: Vec<f64>,
    pub residual: Vec<f64>,
}

pub(super) enum Failure {
    Function(NotFinite),
    /// No step makes the residual smaller.
    Stalled(Place),
}

impl From<NotFinite> for Failure {
    fn from(e: NotFinite) -> Self {
        Failure::Function(e)
    }
}

/// The constraints to first order at a place, in orthonormal coordinates of the free ones.
pub(super) struct Linear {
    pub rank: RowRank,
    /// Lengths of the rows before scaling (one for a zero row).
    pub scale: Vec<f64>,
    /// Unit rows.
    a: Vec<f64>,
    jacobian: Vec<f64>,
    /// What a residual of rounding errors only may amount to, over the unit roundoff.
    size: Vec<f64>,
}

pub(super) struct Projection<'a, S: Surface> {
    pub surface: &'a mut S,
    /// Columns that may move.
    pub free: Vec<usize>,
    pub metric: Cholesky,
    pub tolerance: f64,
    /// Whether rows may be dependent, and contradict each other by a little.
    pub accepted: bool,
    /// The size of the guess; one where it is at zero.
    pub reach: f64,
    pub iterations: usize,
}

impl<S: Surface> Projection<'_, S> {
    /// The closest point to `guess`.
    pub fn project(&mut self, guess: &[f64]) -> Result<Place, Failure> {
        let mut residual = vec![0.0; self.surface.rows()];
        self.surface.residual(guess, &mut residual)?;
        let start = Place { x: guess.to_vec(), d: vec![0.0; self.surface.columns()], residual };
        let (place, linear) = match self.restore(start) {
            Ok(found) => found,
            Err(Failure::Function(e)) => return Err(Failure::Function(e)),
            // A point where the gradient happens to vanish (the centre of a circle) stops the search, too: leave it once.
            Err(Failure::Stalled(place)) => {
                let dx = self.generic_displacement(&place.x);
                let y: Vec<f64> = self.free.iter().map(|&j| dx[j]).collect();
                let y = self.metric.orthonormal(&y);
                let again = self.moved(&place, &y, 1.0).and_then(|kicked| self.restore(kicked).ok());
                again.ok_or(Failure::Stalled(place))?
            }
        };
        Ok(self.approach(place, linear))
    }

    /// A displacement without symmetry, to a neighbour of x.
    pub fn generic_displacement(&self, x: &[f64]) -> Vec<f64> {
        let reach = x.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
        (0..self.surface.columns()).map(|j| NEIGHBOUR * reach * (1.0 + 1.7 * j as f64).sin()).collect()
    }

    pub fn linearize(&mut self, x: &[f64]) -> Result<Linear, NotFinite> {
        let (m, n, k) = (self.surface.rows(), self.surface.columns(), self.free.len());
        let mut jacobian = vec![0.0; m * n];
        self.surface.jacobian(x, &mut jacobian)?;
        let reach = x.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
        let mut size = vec![0.0; m];
        self.surface.floor(x, &mut size)?;
        for (i, size) in size.iter_mut().enumerate() {
            *size += reach * jacobian[i * n..(i + 1) * n].iter().map(|g| g.abs()).sum::<f64>();
        }
        let (mut a, mut scale) = (vec![0.0; m * k], vec![1.0; m]);
        for i in 0..m {
            let row = &mut a[i * k..(i + 1) * k];
            for (to, &j) in row.iter_mut().zip(&self.free) {
                *to = jacobian[i * n + j];
            }
            self.metric.forward(row);
            let length = length(row);
            if length > 0.0 {
                scale[i] = length;
                row.iter_mut().for_each(|x| *x /= length);
            }
        }
        // Rows that are dependent but for what they contradict each other by would be met far away, if at all.
        let threshold = if self.accepted { TOUCHING } else { RANK_THRESHOLD };
        Ok(Linear { rank: RowRank::new(&a, k, threshold), scale, a, jacobian, size })
    }

    /// `place` moved by the orthonormal displacement y; None where the constraints cannot be evaluated.
    fn moved(&mut self, place: &Place, y: &[f64], share: f64) -> Option<Place> {
        let dx = self.displacement(y, share);
        let mut next = place.clone();
        self.surface.advance(&place.x, &dx, &mut next.x);
        next.d.iter_mut().zip(&dx).for_each(|(d, dx)| *d += dx);
        self.surface.residual(&next.x, &mut next.residual).is_ok().then_some(next)
    }

    fn displacement(&self, y: &[f64], share: f64) -> Vec<f64> {
        let mut step: Vec<f64> = y.iter().map(|y| share * y).collect();
        self.metric.backward(&mut step);
        let mut dx = vec![0.0; self.surface.columns()];
        for (&j, step) in self.free.iter().zip(step) {
            dx[j] = step;
        }
        dx
    }

    fn restore(&mut self, mut place: Place) -> Result<(Place, Linear), Failure> {
        let mut linear = self.linearize(&place.x)?;
        for _ in 0..MAX_RESTORE {
            let scaled = |c: &[f64]| -> Vec<f64> { c.iter().zip(&linear.scale).map(|(c, s)| -c / s).collect() };
            let merit = |place: &Place| length(&scaled(&place.residual));
            let met = place.residual.iter().zip(&linear.size).all(|(c, size)| c.abs() <= self.tolerance * size);
            let (now, target) = (merit(&place), scaled(&place.residual));
            if now == 0.0 {
                return Ok((place, linear));
            }
            let step = linear.rank.minimum_norm(&target);
            let descent = Descent::new(met, HALVINGS);
            let mut next = descent.shares().find_map(|share| {
                self.moved(&place, &step, share).filter(|next| descent.gains(share, now, merit(next)))
            });
            if next.is_none() && !met {
                next = DAMPING.iter().find_map(|damping| {
                    let step = linear.damped_step(&target, self.free.len(), *damping);
                    self.moved(&place, &step, 1.0).filter(|next| merit(next) < (1.0 - 1e-6) * now)
                });
            }
            match next {
                Some(next) => place = next,
                None if met => return Ok((place, linear)),
                None => break,
            }
            self.iterations += 1;
            linear = self.linearize(&place.x)?;
        }
        let met = place.residual.iter().zip(&linear.size).all(|(c, size)| c.abs() <= self.tolerance * size);
        if met || (self.accepted && linear.nearly(&place, self.reach)) {
            Ok((place, linear))
        } else {
            Err(Failure::Stalled(place))
        }
    }

    /// Walks on the surface towards the guess for as long as that helps.
    fn approach(&mut self, mut place: Place, mut linear: Linear) -> Place {
        for _ in 0..MAX_APPROACH {
            let y = self.coordinates(&place);
            let tangential = linear.rank.tangential(&y);
            let (distance, slope) = (length(&y), length(&tangential));
            if slope <= NORMAL * distance {
                break;
            }
            let step = self.newton_step(&place, &linear, &y).unwrap_or_else(|| tangential.iter().map(|t| -t).collect());
            let descent: f64 = -step.iter().zip(&tangential).map(|(s, t)| s * t).sum::<f64>();
            let mut next = None;
            for halving in 0..=HALVINGS {
                let share = 0.5_f64.powi(halving);
                let trial = self.moved(&place, &step, share).and_then(|trial| self.restore(trial).ok());
                next = trial.filter(|(place, linear)| {
                    let y = self.coordinates(place);
                    let (far, steep) = (length(&y), length(&linear.rank.tangential(&y)));
                    // Close to the end the distance cannot resolve what the slope can.
                    far * far <= distance * distance - 1e-4 * share * descent
                        || (steep <= 0.5 * slope && far <= distance * (1.0 + 1e-12))
                });
                if next.is_some() {
                    break;
                }
            }
            match next {
                Some(better) => (place, linear) = better,
                None => break,
            }
            self.iterations += 1;
        }
        place
    }

    fn coordinates(&self, place: &Place) -> Vec<f64> {
        let free: Vec<f64> = self.free.iter().map(|&j| place.d[j]).collect();
        self.metric.orthonormal(&free)
    }

    /// Newton's tangential step; None where the reduced Hessian is not definite or not known.
    fn newton_step(&mut self, place: &Place, linear: &Linear, y: &[f64]) -> Option<Vec<f64>> {
        let (m, n, k) = (self.surface.rows(), self.surface.columns(), self.free.len());
        let mu: Vec<f64> = linear.rank.combination(y).iter().zip(&linear.scale).map(|(mu, s)| -mu / s).collect();
        let basis = linear.rank.null_space();
        let size = basis.len();
        let reach = place.x.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
        let (mut x, mut jacobian) = (place.x.clone(), vec![0.0; m * n]);
        let mut hessian = vec![0.0; size * size];
        for (column, z) in basis.iter().enumerate() {
            let largest = self.displacement(z, 1.0).iter().fold(0.0_f64, |max, x| max.max(x.abs()));
            let share = CURVATURE_STEP * reach / largest;
            let dx = self.displacement(z, share);
            self.surface.advance(&place.x, &dx, &mut x);
            self.surface.jacobian(&x, &mut jacobian).ok()?;
            let mut bent = vec![0.0; k];
            for (bent, &j) in bent.iter_mut().zip(&self.free) {
                let change = |i: usize| jacobian[i * n + j] - linear.jacobian[i * n + j];
                *bent = (0..m).map(|i| mu[i] * change(i)).sum::<f64>() / share;
            }
            self.metric.forward(&mut bent);
            for (row, other) in basis.iter().enumerate() {
                let curvature: f64 = other.iter().zip(&bent).map(|(z, b)| z * b).sum();
                // Symmetric halves: differences do not give the same entry twice.
                hessian[row * size + column] += 0.5 * curvature;
                hessian[column * size + row] += 0.5 * curvature;
            }
            hessian[column * size + column] += 1.0;
        }
        let mut reduced: Vec<f64> = basis.iter().map(|z| -z.iter().zip(y).map(|(z, y)| z * y).sum::<f64>()).collect();
        let factor = Cholesky::new(&hessian, size)?;
        factor.forward(&mut reduced);
        factor.backward(&mut reduced);
        let mut step = vec![0.0; k];
        for (z, share) in basis.iter().zip(reduced) {
            step.iter_mut().zip(z).for_each(|(s, z)| *s += share * z);
        }
        Some(step)
    }
}

impl Linear {
    /// Whether what is left is no more than what dependent constraints may contradict each other by.
    fn nearly(&self, place: &Place, reach: f64) -> bool {
        let (n, reach) = (place.d.len().max(1), place.x.iter().fold(reach, |max, x| max.max(x.abs())));
        let sizes = self.jacobian.chunks_exact(n).map(|row| row.iter().map(|g| g.abs()).sum::<f64>());
        place.residual.iter().zip(sizes).all(|(c, size)| c.abs() <= tolerated(size, reach))
    }

    /// min |A s - target|^2 + damping |s|^2: the minimum-norm solution of (A, sqrt(damping) 1).
    fn damped_step(&self, target: &[f64], columns: usize, damping: f64) -> Vec<f64> {
        let m = target.len();
        let mut wide = Vec::with_capacity(m * (columns + m));
        for i in 0..m {
            wide.extend_from_slice(&self.a[i * columns..(i + 1) * columns]);
            wide.extend((0..m).map(|j| if i == j { damping.sqrt() } else { 0.0 }));
        }
        let mut step = RowRank::new(&wide, columns + m, 0.0).minimum_norm(target);
        step.truncate(columns);
        step
    }
}

/// Euclidean length. Squares of what is left of small numbers would underflow, and pass for nothing.
pub(super) fn length(x: &[f64]) -> f64 {
    let max = x.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    if max > 0.0 && max < f64::INFINITY {
        max * x.iter().map(|x| (x / max).powi(2)).sum::<f64>().sqrt()
    } else {
        // Zero, infinite or not a number.
        x.iter().map(|x| x.abs()).sum()
    }
}
