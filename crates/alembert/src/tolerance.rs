//! Weights and the one weighted norm.
//!
//! `|x| = sqrt(mean (x_i / w_i)^2)` with `w_i = atol + rtol |y_i|`: 1 means "as large as the tolerance allows".

use std::fmt;

/// How accurate positions and velocities shall be. Multipliers need no tolerance of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Relative tolerance of q and v, in [1e-14, 0.1].
    pub rtol: f64,
    /// Absolute tolerance of q, positive.
    pub atol_q: f64,
    /// Absolute tolerance of v, positive.
    pub atol_v: f64,
}

/// A tolerance that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadTolerance(pub Tolerance);

impl fmt::Display for BadTolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tolerance { rtol, atol_q, atol_v } = self.0;
        write!(
            f,
            "rtol = {rtol:e}, atol_q = {atol_q:e}, atol_v = {atol_v:e} is no usable tolerance\n\
             hint: rtol lies in [1e-14, 0.1], both atol are positive"
        )
    }
}

impl std::error::Error for BadTolerance {}

impl Tolerance {
    /// The same absolute tolerance for q and v.
    ///
    /// # Errors
    /// If a value is out of range.
    pub fn new(rtol: f64, atol: f64) -> Result<Self, BadTolerance> {
        Tolerance { rtol, atol_q: atol, atol_v: atol }.checked()
    }

    /// The tolerance itself, if every value is in range.
    ///
    /// # Errors
    /// If one is not.
    pub fn checked(self) -> Result<Self, BadTolerance> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if (1e-14..=0.1).contains(&self.rtol) && positive(self.atol_q) && positive(self.atol_v) {
            Ok(self)
        } else {
            Err(BadTolerance(self))
        }
    }

    /// Norm of a change of q, around `q`; with rotations see [`Space::norm`](crate::space::Space::norm).
    pub fn norm_q(&self, change: &[f64], q: &[f64]) -> f64 {
        weighted_rms(change, q, self.rtol, self.atol_q)
    }

    /// Norm of a change of v, around `v`.
    pub fn norm_v(&self, change: &[f64], v: &[f64]) -> f64 {
        weighted_rms(change, v, self.rtol, self.atol_v)
    }

    /// The sum of squares of which [`norm_q`](Self::norm_q) is the root of the mean.
    pub(crate) fn squares_q(&self, change: &[f64], q: &[f64]) -> f64 {
        weighted_squares(change, q, self.rtol, self.atol_q)
    }

    /// The sum of squares of which [`norm_v`](Self::norm_v) is the root of the mean.
    pub(crate) fn squares_v(&self, change: &[f64], v: &[f64]) -> f64 {
        weighted_squares(change, v, self.rtol, self.atol_v)
    }

    /// The norm that rounding alone makes of a correction in a step of length h around (q, v) with accelerations a.
    pub fn rounding(&self, q: &[f64], v: &[f64], a: &[f64], h: f64) -> f64 {
        let position = if q.len() == v.len() { self.norm_q(q, q) } else { 1.0 / (self.rtol + self.atol_q) };
        // One sweep for v and h a: their weights are the same.
        let mut sums = [0.0; 2];
        for (v, a) in v.iter().zip(a) {
            let weight = 1.0 / (self.atol_v + self.rtol * v.abs());
            sums[0] += (v * weight).powi(2);
            sums[1] += (h * a * weight).powi(2);
        }
        let velocity = sums.map(|sum| (sum / v.len().max(1) as f64).sqrt());
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

fn weighted_rms(change: &[f64], around: &[f64], rtol: f64, atol: f64) -> f64 {
    (weighted_squares(change, around, rtol, atol) / change.len().max(1) as f64).sqrt()
}

fn weighted_squares(change: &[f64], around: &[f64], rtol: f64, atol: f64) -> f64 {
    // Several sums at once: one would wait for each addition.
    let (changes, rest) = change.as_chunks::<4>();
    let (places, around) = around.as_chunks::<4>();
    let square = |x: &f64, y: &f64| (x / (atol + rtol * y.abs())).powi(2);
    let mut sums = [0.0; 4];
    for (x, y) in changes.iter().zip(places) {
        for k in 0..4 {
            sums[k] += square(&x[k], &y[k]);
        }
    }
    let rest: f64 = rest.iter().zip(around).map(|(x, y)| square(x, y)).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_what_the_tolerance_allows() {
        let tolerance = Tolerance::new(1e-3, 1e-6).expect("in range");
        let (q, change) = ([2.0, -4.0], [2e-3 + 1e-6, 4e-3 + 1e-6]);
        assert!((tolerance.norm_q(&change, &q) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nonsense_is_refused() {
        for (rtol, atol) in [(0.0, 1e-6), (1.0, 1e-6), (1e-3, 0.0), (1e-3, f64::NAN), (f64::NAN, 1.0)] {
            let message = Tolerance::new(rtol, atol).expect_err("out of range").to_string();
            assert!(message.contains("hint"), "{message}");
        }
    }
}
