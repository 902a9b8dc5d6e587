//! Weights and the one weighted norm.
//!
//! `|x| = sqrt(mean (x_i / w_i)^2)` with `w_i = atol + rtol (size_i + |y_i|)`: 1 means "as large as the tolerance allows".
//! Absolute tolerances are in the units of the variables and have no sizes; without them the
//! [typical sizes](crate::TypicalSizes) of the variables take their place.

use std::fmt;

use crate::advice::{Advised, displayed};

use crate::typical::TypicalSizes;

/// How accurate positions and velocities must be. Multipliers need no tolerance of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Relative tolerance of q and v, in [1e-14, 0.1].
    pub rtol: f64,
    /// Absolute tolerance of q, positive; or zero, with that of v, where typical sizes take its place.
    pub atol_q: f64,
    /// Absolute tolerance of v.
    pub atol_v: f64,
}

/// A tolerance that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadTolerance(pub Tolerance);

impl Advised for BadTolerance {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tolerance { rtol, atol_q, atol_v } = self.0;
        write!(f, "rtol = {rtol:e}, atol_q = {atol_q:e}, atol_v = {atol_v:e} is no usable tolerance")
    }

    fn hint(&self) -> Option<String> {
        Some("rtol lies in [1e-14, 0.1], both atol are positive".to_owned())
    }

    fn blame(&self) -> Option<String> {
        let is_relative_bad = !(1e-14..=0.1).contains(&self.0.rtol);
        Some(if is_relative_bad { "rtol" } else { "atol" }.to_owned())
    }
}

displayed!(BadTolerance);

impl Tolerance {
    /// The same absolute tolerance for q and v.
    ///
    /// # Errors
    /// If a value is out of range.
    pub fn new(rtol: f64, atol: f64) -> Result<Self, BadTolerance> {
        Tolerance { rtol, atol_q: atol, atol_v: atol }.checked()
    }

    /// Relative to the values and to the [typical sizes](crate::TypicalSizes) of the variables, which are found automatically. It
    /// suits mechanisms of any size in any units.
    ///
    /// # Errors
    /// If the value is out of range.
    pub fn relative(rtol: f64) -> Result<Self, BadTolerance> {
        Tolerance { rtol, atol_q: 0.0, atol_v: 0.0 }.in_range()
    }

    /// Whether typical sizes take the place of absolute tolerances.
    pub fn is_relative(&self) -> bool {
        self.atol_q == 0.0 && self.atol_v == 0.0
    }

    /// The tolerance itself, if every value is in range and the absolute ones are positive.
    ///
    /// # Errors
    /// If one is not.
    pub fn checked(self) -> Result<Self, BadTolerance> {
        if self.is_relative() { Err(BadTolerance(self)) } else { self.in_range() }
    }

    fn in_range(self) -> Result<Self, BadTolerance> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let absolute = self.is_relative() || (positive(self.atol_q) && positive(self.atol_v));
        if (1e-14..=0.1).contains(&self.rtol) && absolute { Ok(self) } else { Err(BadTolerance(self)) }
    }

    /// Norm of a change of q, around `q`; with rotations see [`Space::norm`](crate::space::Space::norm).
    pub fn norm_q(&self, change: &[f64], q: &[f64], sizes: &TypicalSizes) -> f64 {
        let squares = weighted_squares(change, q, &sizes.q, self.rtol, self.atol_q);
        sizes.mean_q(squares, change.len())
    }

    /// Norm of a change of v, around `v`.
    pub fn norm_v(&self, change: &[f64], v: &[f64], sizes: &TypicalSizes) -> f64 {
        let squares = weighted_squares(change, v, &sizes.v, self.rtol, self.atol_v);
        sizes.mean_v(squares, change.len())
    }

    /// The sum of squares of which [`norm_q`](Self::norm_q) is the root of the mean, with the sizes of these entries.
    pub(crate) fn squares_q(&self, change: &[f64], q: &[f64], sizes: &[f64]) -> f64 {
        weighted_squares(change, q, sizes, self.rtol, self.atol_q)
    }

    /// The sum of squares of which [`norm_v`](Self::norm_v) is the root of the mean, with the sizes of these entries.
    pub(crate) fn squares_v(&self, change: &[f64], v: &[f64], sizes: &[f64]) -> f64 {
        weighted_squares(change, v, sizes, self.rtol, self.atol_v)
    }

    /// The norm that rounding alone makes of a correction in a step of length h around (q, v) with accelerations a.
    pub fn rounding(&self, q: &[f64], v: &[f64], a: &[f64], h: f64, sizes: &TypicalSizes) -> f64 {
        let position = if q.len() == v.len() { self.norm_q(q, q, sizes) } else { 1.0 / (self.rtol + self.atol_q) };
        // One sweep for v and h a: their weights are the same.
        let mut sums = [0.0; 2];
        for ((v, a), size) in v.iter().zip(a).zip(&sizes.v) {
            let weight = 1.0 / (self.atol_v + self.rtol * (size + v.abs()));
            sums[0] += (v * weight).powi(2);
            sums[1] += (h * a * weight).powi(2);
        }
        let velocity = sums.map(|sum| sizes.mean_v(sum, v.len()));
        8.0 * f64::EPSILON * position.max(velocity[0]).max(velocity[1])
    }
}

/// Largest size of an entry; zero for none.
pub(crate) fn largest(x: &[f64]) -> f64 {
    // Several maxima at once: one would wait for each comparison.
    let (chunks, rest) = x.as_chunks::<8>();
    let mut most = [0.0_f64; 8];
    for chunk in chunks {
        for (most, x) in most.iter_mut().zip(chunk) {
            *most = if x.abs() > *most { x.abs() } else { *most };
        }
    }
    most.iter().chain(rest).fold(0.0, |max, x| max.max(x.abs()))
}

fn weighted_squares(change: &[f64], around: &[f64], sizes: &[f64], rtol: f64, atol: f64) -> f64 {
    // Several sums at once: one would wait for each addition.
    let (changes, rest) = change.as_chunks::<4>();
    let (places, around) = around.as_chunks::<4>();
    let (scales, sizes) = sizes.as_chunks::<4>();
    let square = |x: &f64, y: &f64, size: &f64| (x / (atol + rtol * (size + y.abs()))).powi(2);
    let mut sums = [0.0; 4];
    for ((x, y), size) in changes.iter().zip(places).zip(scales) {
        for k in 0..4 {
            sums[k] += square(&x[k], &y[k], &size[k]);
        }
    }
    let rest: f64 = rest.iter().zip(around).zip(sizes).map(|((x, y), size)| square(x, y, size)).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_what_the_tolerance_allows() {
        let tolerance = Tolerance::new(1e-3, 1e-6).expect("in range");
        let (q, change) = ([2.0, -4.0], [2e-3 + 1e-6, 4e-3 + 1e-6]);
        let sizes = TypicalSizes::none(2, 2);
        assert!((tolerance.norm_q(&change, &q, &sizes) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nonsense_is_refused() {
        for (rtol, atol) in [(0.0, 1e-6), (1.0, 1e-6), (1e-3, 0.0), (1e-3, f64::NAN), (f64::NAN, 1.0)] {
            let message = Tolerance::new(rtol, atol).expect_err("out of range").to_string();
            assert!(message.contains("hint"), "{message}");
        }
    }
}
