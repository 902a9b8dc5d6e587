//! The point of a surface c(x) = 0 that is closest to a guess x0.
//!
//! With d the displacement from x0, rotations turned, and W the metric:
//!
//! ```text
//! minimise d^T W d / 2  subject to  c(x) = 0        A = c_x, rows scaled to unit length (`rows`)
//! ```
//!
//! `restore` reaches the surface by minimum-norm Gauss-Newton steps with backtracking, and by
//! Levenberg-Marquardt steps where those do not descend. `approach` then walks on the surface (a tangential step, then
//! `restore`) to where W d is normal to it. The tangential step s is Newton's,
//!
//! ```text
//! (W + sum_i mu_i c_i'') s + A^T (.) = -W d,    A s = 0
//! ```
//!
//! without which a guess farther away than the radius of curvature would swing about the closest point for ever. It is
//! found by conjugate gradients along the surface, which need products with c'' only; steepest descent takes over where they
//! meet a direction without curvature.
//!
//! In a vector space the result is the closest point. On a group d is the sum of the increments, which is the
//! displacement to first order: the constraints are met as exactly, the distance is nearly least.

use std::sync::Arc;

use super::rows::{Frame, Rows};
use super::{RANK_THRESHOLD, TOUCHING};
use crate::equations::NotFinite;
use crate::linear::Pattern;
use crate::newton::Descent;
use crate::redundancy::tolerated;
use crate::tolerance::largest;

const MAX_RESTORE: usize = 100;
const MAX_APPROACH: usize = 60;
/// Steps that only round better.
const MAX_POLISH: usize = 3;
/// Halvings of a Newton step before it counts as useless.
const HALVINGS: i32 = 12;
/// Levenberg-Marquardt parameters tried in turn, relative to rows of unit length.
const DAMPING: [f64; 7] = [1e-6, 1e-4, 1e-2, 1e-1, 1.0, 1e1, 1e3];
/// A tangential part below this share of the displacement counts as zero.
const NORMAL: f64 = 1e-14;
/// Displacement of the differences that give the curvature, relative to x.
const CURVATURE_STEP: f64 = 1e-6;
/// Steps of conjugate gradients, and the share of the slope at which they end: differences of the derivative are no more exact.
const MAX_GRADIENTS: usize = 200;
const GRADIENTS_END: f64 = 1e-7;
/// Displacements up to this share of x are rounding: the guess was on the surface.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Distance of a neighbouring point, relative to the size of x: large against the threshold of the rank.
const NEIGHBOUR: f64 = 1e-2;

/// The constraints of one level as functions of one argument.
pub(super) trait Surface {
    fn rows(&self) -> usize;
    fn columns(&self) -> usize;
    /// Where the derivative may be nonzero.
    fn pattern(&self) -> Arc<Pattern>;
    fn residual(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NotFinite>;
    /// The values of the derivative.
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

/// The constraints to first order at a place.
pub(super) struct Linear {
    pub rows: Rows,
    jacobian: Vec<f64>,
    /// What a residual of rounding errors only may amount to, over the unit roundoff.
    size: Vec<f64>,
}

pub(super) struct Projection<'a, S: Surface> {
    pub surface: &'a mut S,
    /// The metric, and which columns may move.
    pub frame: Frame,
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
                let mut dx = self.generic_displacement(&place.x);
                dx.iter_mut().enumerate().for_each(|(j, dx)| *dx *= f64::from(self.frame.weight.is_free(j)));
                let again = self.moved(&place, &dx, 1.0).and_then(|kicked| self.restore(kicked).ok());
                again.ok_or(Failure::Stalled(place))?
            }
        };
        let (place, linear) = self.approach(place, linear);
        Ok(self.polished(place, linear))
    }

    /// The last digits of the residual, where something was moved: each step that makes the largest smaller is one.
    fn polished(&mut self, mut place: Place, mut linear: Linear) -> Place {
        for _ in 0..MAX_POLISH {
            if largest(&place.d) == 0.0 {
                break;
            }
            let scale = linear.rows.scale().to_vec();
            let scaled =
                |place: &Place| -> Vec<f64> { place.residual.iter().zip(&scale).map(|(c, s)| -c / s).collect() };
            let target = scaled(&place);
            let step = linear.rows.step(&target);
            match self.moved(&place, &step, 1.0).filter(|next| largest(&scaled(next)) < largest(&target)) {
                Some(next) => place = next,
                None => break,
            }
            drop(linear);
            match self.linearize(&place.x) {
                Ok(here) => linear = here,
                Err(_) => break,
            }
        }
        place
    }

    /// A displacement without symmetry, to a neighbour of x.
    pub fn generic_displacement(&self, x: &[f64]) -> Vec<f64> {
        let reach = x.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
        (0..self.surface.columns()).map(|j| NEIGHBOUR * reach * (1.0 + 1.7 * j as f64).sin()).collect()
    }

    pub fn linearize(&mut self, x: &[f64]) -> Result<Linear, NotFinite> {
        let pattern = self.frame.pattern.clone();
        let mut jacobian = vec![0.0; pattern.len()];
        self.surface.jacobian(x, &mut jacobian)?;
        let reach = x.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
        let mut size = vec![0.0; pattern.rows()];
        self.surface.floor(x, &mut size)?;
        for (i, size) in size.iter_mut().enumerate() {
            *size += reach * pattern.row(i).map(|(_, e)| jacobian[e].abs()).sum::<f64>();
        }
        // Rows that are dependent but for what they contradict each other by would be met far away, if at all.
        let threshold = if self.accepted { TOUCHING } else { RANK_THRESHOLD };
        Ok(Linear { rows: Rows::new(&self.frame, &jacobian, threshold), jacobian, size })
    }

    /// `place` moved by a share of dx; None where the constraints cannot be evaluated.
    fn moved(&mut self, place: &Place, dx: &[f64], share: f64) -> Option<Place> {
        let dx: Vec<f64> = dx.iter().map(|dx| share * dx).collect();
        let mut next = place.clone();
        self.surface.advance(&place.x, &dx, &mut next.x);
        next.d.iter_mut().zip(&dx).for_each(|(d, dx)| *d += dx);
        self.surface.residual(&next.x, &mut next.residual).is_ok().then_some(next)
    }

    fn restore(&mut self, mut place: Place) -> Result<(Place, Linear), Failure> {
        let mut linear = self.linearize(&place.x)?;
        for _ in 0..MAX_RESTORE {
            let scale = linear.rows.scale().to_vec();
            let scaled = |c: &[f64]| -> Vec<f64> { c.iter().zip(&scale).map(|(c, s)| -c / s).collect() };
            let merit = |place: &Place| length(&scaled(&place.residual));
            let met = place.residual.iter().zip(&linear.size).all(|(c, size)| c.abs() <= self.tolerance * size);
            let (now, target) = (merit(&place), scaled(&place.residual));
            if now == 0.0 {
                return Ok((place, linear));
            }
            let step = linear.rows.step(&target);
            let descent = Descent::new(met, HALVINGS);
            let mut next = descent.shares().find_map(|share| {
                self.moved(&place, &step, share).filter(|next| descent.gains(share, now, merit(next)))
            });
            if next.is_none() && !met {
                next = DAMPING.iter().find_map(|damping| {
                    let step = linear.rows.damped_step(&target, *damping);
                    self.moved(&place, &step, 1.0).filter(|next| merit(next) < (1.0 - 1e-6) * now)
                });
            }
            match next {
                Some(next) => place = next,
                None if met => return Ok((place, linear)),
                None => break,
            }
            self.iterations += 1;
            // First its memory is given back.
            drop(linear);
            linear = self.linearize(&place.x)?;
        }
        let met = place.residual.iter().zip(&linear.size).all(|(c, size)| c.abs() <= self.tolerance * size);
        if met || (self.accepted && linear.nearly(&place, &self.frame.pattern, self.reach)) {
            Ok((place, linear))
        } else {
            Err(Failure::Stalled(place))
        }
    }

    /// Walks on the surface towards the guess for as long as that helps.
    fn approach(&mut self, mut place: Place, mut linear: Linear) -> (Place, Linear) {
        let weight = self.frame.weight.clone();
        for _ in 0..MAX_APPROACH {
            if largest(&place.d) <= ROUNDING * largest(&place.x) {
                break;
            }
            let normal = weight.multiply(&place.d);
            let (tangential, mu) = linear.rows.split(&normal);
            let (distance, slope) = (weight.length(&place.d), weight.length(&tangential));
            if slope <= NORMAL * distance {
                break;
            }
            let newton = self.newton_step(&place, &mut linear, &tangential, &mu);
            let step = newton.unwrap_or_else(|| tangential.iter().map(|t| -t).collect());
            let descent = -weight.product(&step, &tangential);
            let mut next = None;
            for halving in 0..=HALVINGS {
                let share = 0.5_f64.powi(halving);
                let trial = self.moved(&place, &step, share).and_then(|trial| self.restore(trial).ok());
                next = trial.and_then(|(place, mut linear)| {
                    let far = weight.length(&place.d);
                    let steep = weight.length(&linear.rows.split(&weight.multiply(&place.d)).0);
                    // Close to the end the distance cannot resolve what the slope can.
                    let better = far * far <= distance * distance - 1e-4 * share * descent
                        || (steep <= 0.5 * slope && far <= distance * (1.0 + 1e-12));
                    better.then_some((place, linear))
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
        (place, linear)
    }

    /// Newton's tangential step; None where the curvature is not positive or not known. W d is W `tangential` and the
    /// combination `mu` of unit rows.
    fn newton_step(&mut self, place: &Place, linear: &mut Linear, tangential: &[f64], mu: &[f64]) -> Option<Vec<f64>> {
        let (pattern, weight) = (self.frame.pattern.clone(), self.frame.weight.clone());
        let mu: Vec<f64> = mu.iter().zip(linear.rows.scale()).map(|(mu, s)| -mu / s).collect();
        let reach = place.x.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
        let (mut x, mut bent) = (place.x.clone(), vec![0.0; pattern.len()]);
        let mut step = vec![0.0; weight.size()];
        // What is normal to the surface is left out of the residual again and again: it would drown the rest in its rounding.
        let mut z: Vec<f64> = tangential.iter().map(|x| -x).collect();
        let mut r = weight.multiply(&z);
        let mut p = z.clone();
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let (mut square, first) = (dot(&r, &z), dot(&r, &z));
        for _ in 0..MAX_GRADIENTS {
            // Not a number is no reason to go on.
            if square <= GRADIENTS_END * GRADIENTS_END * first || square.is_nan() {
                break;
            }
            let share = CURVATURE_STEP * reach / largest(&p);
            let dx: Vec<f64> = p.iter().map(|p| share * p).collect();
            self.surface.advance(&place.x, &dx, &mut x);
            self.surface.jacobian(&x, &mut bent).ok()?;
            bent.iter_mut().zip(&linear.jacobian).for_each(|(bent, here)| *bent -= here);
            let mut image = weight.multiply(&p);
            pattern.multiply_transposed_add(1.0 / share, &bent, &mu, &mut image);
            let curvature = dot(&p, &image);
            if curvature <= 1e-12 * weight.product(&p, &p) || curvature.is_nan() {
                return None;
            }
            let length = square / curvature;
            step.iter_mut().zip(&p).for_each(|(s, p)| *s += length * p);
            r.iter_mut().zip(&image).for_each(|(r, y)| *r -= length * y);
            z = linear.rows.split(&r).0;
            r = weight.multiply(&z);
            let before = std::mem::replace(&mut square, dot(&r, &z));
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + square / before * *p);
        }
        Some(step)
    }
}

impl Linear {
    /// Whether what is left is no more than what dependent constraints may contradict each other by.
    fn nearly(&self, place: &Place, pattern: &Pattern, reach: f64) -> bool {
        let reach = place.x.iter().fold(reach, |max, x| max.max(x.abs()));
        let size = |i: usize| pattern.row(i).map(|(_, e)| self.jacobian[e].abs()).sum::<f64>();
        place.residual.iter().enumerate().all(|(i, c)| c.abs() <= tolerated(size(i), reach))
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
