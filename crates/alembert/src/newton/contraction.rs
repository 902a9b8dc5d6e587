//! What the sizes of corrections say: one estimate of the contraction and one test for rounding, for every iteration of the
//! library.
//!
//! ```text
//! ratio     |d_k| / |d_{k-1}|
//! theta     the ratio; or, where single ratios mislead, sqrt(|d_k| / |d_{k-2}|) from the third correction on
//! belief    max(theta, memory belief), taken within [floor, ceiling]; until theta is measured, what earlier solutions have left
//! rest      belief/(1 - belief) |d_k|: all that a linear iteration would still correct
//! ```
//!
//! | Verdict | When, in this order |
//! |---|---|
//! | Lost | d_k is not a finite number |
//! | Converged | d_k is within the rounding |
//! | Stalled | theta > still, and d_k is within the noise: it shrinks no more because it is rounding |
//! | Converged | theta < trusted, and the rest is small enough |
//! | Slow | theta > slow, or the rest will not become small enough in the iterations that are left |
//! | Stalled | slow, but d_k is tolerable: nothing more can be gained, and what there is may do |
//! | Continue | otherwise |
//!
//! Noise does not contract and says nothing about the factors: where an iteration stalls, the belief stays what it was.

use crate::checkpoint::{Archive, BadCheckpoint, Keep};

/// Contraction beyond which corrections of the size of noise are taken for noise. Rounding errors of an iteration that has converged
/// have any ratio; half of them one above this, so that the next correction or the one after it ends the iteration.
pub const STILL: f64 = 0.5;

/// How sizes are judged, as numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criterion {
    /// Contraction beyond which corrections within the noise are taken for it.
    pub still: f64,
    /// Contraction from which on the rest is not believed, however small.
    pub trusted: f64,
    /// The least and the largest contraction from which a rest is estimated.
    pub floor: f64,
    /// From one on the rest is infinite.
    pub ceiling: f64,
    /// Part of the former belief below which a new measurement does not take it.
    pub memory: f64,
    /// Whether two ratios are averaged.
    pub averaged: bool,
    /// Ratios after which slow convergence is foreseen; `usize::MAX` for never.
    pub foresight: usize,
}

impl Criterion {
    /// The last ratio as it is.
    pub const ORDINARY: Criterion = Criterion {
        still: STILL,
        trusted: 1.0,
        floor: 0.0,
        ceiling: 1.0,
        memory: 0.0,
        averaged: false,
        foresight: usize::MAX,
    };
    /// A correction is compared as it is, without an estimate of what follows it.
    pub const AS_IT_IS: Criterion = Criterion { floor: 0.5, ceiling: 0.5, ..Criterion::ORDINARY };
}

/// Sizes to compare a correction with, in its own units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Levels {
    /// A correction of this size is rounding.
    pub rounding: f64,
    /// A correction of this size is rounding if it shrinks no more.
    pub noise: f64,
    /// The rest that may be left.
    pub enough: f64,
    /// A correction of this size may do where nothing more can be gained.
    pub tolerable: f64,
}

/// What is asked of the factors in use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Corrections that may follow.
    pub left: usize,
    /// Contraction up to which the factors serve.
    pub slow: f64,
}

/// What follows from a correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As accurate as it should be.
    Converged,
    /// As accurate as it can be.
    Stalled,
    /// Another correction is needed.
    Continue,
    /// Corrections shrink too slowly.
    Slow,
    /// The correction is not a number.
    Lost,
}

/// The contraction of one sequence of corrections after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contraction {
    /// Corrections of this sequence, the size of the last one, and the ratio before the last.
    count: usize,
    size: f64,
    ratio: f64,
    theta: Option<f64>,
    /// The last one that was no noise.
    sound: Option<f64>,
    belief: Option<f64>,
}

impl Keep for Contraction {
    /// What outlives a sequence.
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.belief.keep(archive)
    }
}

impl Contraction {
    /// Begins another sequence. The belief stays.
    pub fn begin(&mut self) {
        *self = Contraction { belief: self.belief, ..Contraction::default() };
    }

    /// The contraction measured in this sequence.
    pub fn theta(&self) -> Option<f64> {
        self.theta
    }

    /// The last contraction of this sequence that was no noise.
    pub fn sound(&self) -> Option<f64> {
        self.sound
    }

    /// The contraction that corrections are believed to have; none where nothing is known.
    pub fn belief(&self) -> Option<f64> {
        self.belief
    }

    /// Believes in another contraction.
    pub fn believe(&mut self, belief: Option<f64>) {
        self.belief = belief;
    }

    /// Judges the next correction.
    pub fn judge(&mut self, criterion: &Criterion, size: f64, levels: &Levels, pace: Pace) -> Verdict {
        if !size.is_finite() {
            self.theta = self.theta.and(Some(f64::NAN));
            return Verdict::Lost;
        }
        let before = self.size;
        (self.count, self.size) = (self.count + 1, size.max(f64::MIN_POSITIVE));
        if self.count > 1 {
            let ratio = size / before;
            let averaged = criterion.averaged && self.count > 2;
            self.theta = Some(if averaged { (ratio * self.ratio).sqrt() } else { ratio });
            self.ratio = ratio;
        }
        // A correction below the normal numbers has lost its digits: it is rounding in every unit.
        let (before, rounding) = (self.belief, size <= levels.rounding.max(f64::MIN_POSITIVE));
        let noise = self.theta.is_some_and(|theta| theta > criterion.still) && (rounding || size <= levels.noise);
        if let Some(theta) = self.theta {
            self.belief = Some(before.map_or(theta, |belief| theta.max(criterion.memory * belief)));
        }
        let verdict = match () {
            () if rounding => Verdict::Converged,
            () if noise => Verdict::Stalled,
            () => self.compare(criterion, levels, pace),
        };
        if noise || matches!(verdict, Verdict::Stalled | Verdict::Slow) {
            self.belief = before;
        } else {
            self.sound = self.theta.or(self.sound);
        }
        verdict
    }

    /// What the rest says of a correction that is no rounding.
    fn compare(&self, criterion: &Criterion, levels: &Levels, pace: Pace) -> Verdict {
        let rest = self.rest(criterion);
        let Some(theta) = self.theta else {
            return if rest <= levels.enough { Verdict::Converged } else { Verdict::Continue };
        };
        if theta < criterion.trusted && rest <= levels.enough {
            return Verdict::Converged;
        }
        let foreseen = || rest * theta.powi(pace.left.saturating_sub(1).min(1000) as i32);
        let hopeless = self.count > criterion.foresight && foreseen() > levels.enough.max(levels.noise);
        match () {
            () if !(hopeless || theta > pace.slow) => Verdict::Continue,
            () if self.size <= levels.tolerable => Verdict::Stalled,
            () => Verdict::Slow,
        }
    }

    /// What is left to correct after the last correction, as far as is known.
    fn rest(&self, criterion: &Criterion) -> f64 {
        match self.belief.map(|belief| belief.max(criterion.floor).min(criterion.ceiling)) {
            Some(theta) if theta < 1.0 => theta / (1.0 - theta) * self.size,
            _ => f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVELS: Levels = Levels { rounding: 1e-15, noise: 1e-13, enough: 1e-8, tolerable: 0.0 };
    const PATIENT: Pace = Pace { left: 100, slow: f64::INFINITY };

    /// The last verdict on a sequence, and how many corrections it took.
    fn verdict(criterion: &Criterion, levels: &Levels, pace: Pace, sizes: &[f64]) -> (Verdict, usize) {
        let mut contraction = Contraction::default();
        for (i, size) in sizes.iter().enumerate() {
            let verdict = contraction.judge(criterion, *size, levels, pace);
            if verdict != Verdict::Continue {
                return (verdict, i + 1);
            }
        }
        (Verdict::Continue, sizes.len())
    }

    fn ordinary(sizes: &[f64]) -> (Verdict, usize) {
        verdict(&Criterion::ORDINARY, &LEVELS, PATIENT, sizes)
    }

    #[test]
    fn quadratic_convergence_is_seen_before_its_last_correction() {
        // After 1e-4 a linear iteration would leave 1e-6, after 1e-8 it leaves 1e-12.
        assert_eq!(ordinary(&[1e-2, 1e-4, 1e-8, 1e-16]), (Verdict::Converged, 3));
    }

    #[test]
    fn slow_linear_convergence_is_not_taken_for_a_small_error() {
        // Corrections of 0.9^k leave nine times themselves: 9 * 0.9^k <= 1e-8 from k = 196 on.
        let sizes: Vec<f64> = (0..300).map(|k| 0.9_f64.powi(k)).collect();
        assert_eq!(ordinary(&sizes), (Verdict::Converged, 197));
        // With factors that are asked for more, it is slow at the first ratio.
        let pace = Pace { slow: 0.3, ..PATIENT };
        assert_eq!(verdict(&Criterion::ORDINARY, &LEVELS, pace, &sizes), (Verdict::Slow, 2));
        // In ten more corrections it gains a factor of 0.35, which is foreseen, and in a thousand enough.
        let foresight = Criterion { foresight: 1, ..Criterion::ORDINARY };
        assert_eq!(verdict(&foresight, &LEVELS, Pace { left: 10, ..PATIENT }, &sizes), (Verdict::Slow, 2));
        assert_eq!(verdict(&foresight, &LEVELS, Pace { left: 1000, ..PATIENT }, &sizes), (Verdict::Converged, 197));
    }

    #[test]
    fn the_estimated_rest_bounds_the_true_one_of_linear_convergence() {
        for theta in [0.01, 0.1, 0.5, 0.9, 0.99] {
            let sizes: Vec<f64> = (0..4000).map(|k| f64::powi(theta, k)).collect();
            let (end, count) = ordinary(&sizes);
            let rest: f64 = sizes[count..].iter().sum();
            assert_eq!(end, Verdict::Converged);
            assert!(rest <= 1.0001e-8, "{theta}: {rest:e}");
            // Nor is it asked for more than it should be.
            let before: f64 = sizes[count - 1..].iter().sum();
            assert!(before > 1e-8 || count == 2, "{theta}: {before:e}");
        }
    }

    #[test]
    fn noise_at_rounding_ends_an_iteration_that_cannot_get_to_its_tolerance() {
        let strict = Levels { enough: 0.0, ..LEVELS };
        let noise = [1e-3, 1e-9, 4e-14, 3e-14, 5e-14];
        assert_eq!(verdict(&Criterion::ORDINARY, &strict, PATIENT, &noise), (Verdict::Stalled, 4));
        // The same sizes far above rounding are no noise.
        let deaf = Levels { noise: 1e-16, rounding: 1e-17, ..strict };
        assert_eq!(verdict(&Criterion::ORDINARY, &deaf, PATIENT, &noise), (Verdict::Continue, 5));
    }

    #[test]
    fn noise_that_happens_to_shrink_by_half_only_delays_the_end() {
        let strict = Levels { enough: 0.0, ..LEVELS };
        let noise = [1e-3, 1e-9, 8e-14, 3.9e-14, 1.9e-14, 1.2e-14];
        assert_eq!(verdict(&Criterion::ORDINARY, &strict, PATIENT, &noise), (Verdict::Stalled, 6));
        // Nor does it look like a slow iteration whose factors have to be made anew.
        let pace = Pace { slow: 0.5, ..PATIENT };
        assert_eq!(verdict(&Criterion::ORDINARY, &strict, pace, &noise), (Verdict::Stalled, 6));
    }

    #[test]
    fn noise_says_nothing_about_the_factors() {
        let strict = Levels { enough: 0.0, ..LEVELS };
        let mut contraction = Contraction::default();
        for size in [1e-3, 1e-9, 4e-14] {
            assert_eq!(contraction.judge(&Criterion::ORDINARY, size, &strict, PATIENT), Verdict::Continue);
        }
        let belief = contraction.belief();
        assert_eq!(contraction.judge(&Criterion::ORDINARY, 3e-14, &strict, PATIENT), Verdict::Stalled);
        assert_eq!(contraction.belief(), belief);
    }

    #[test]
    fn growing_corrections_never_converge() {
        let growing: Vec<f64> = (0..20).map(|k| 1e-9 * f64::powi(2.0, k)).collect();
        assert_eq!(ordinary(&growing), (Verdict::Continue, 20));
        let pace = Pace { slow: 0.9, ..PATIENT };
        assert_eq!(verdict(&Criterion::ORDINARY, &LEVELS, pace, &growing), (Verdict::Slow, 2));
        // Even where a correction is never taken for less accurate than itself.
        let capped = Criterion { trusted: 0.9, ceiling: 0.5, ..Criterion::ORDINARY };
        assert_eq!(verdict(&capped, &LEVELS, pace, &growing), (Verdict::Slow, 2));
        // Unless nothing more can be gained and what there is may do.
        let tolerant = Levels { tolerable: 1e-6, ..LEVELS };
        assert_eq!(verdict(&Criterion::ORDINARY, &tolerant, pace, &growing), (Verdict::Stalled, 2));
    }

    #[test]
    fn a_correction_of_exactly_zero_is_the_end() {
        let nothing = Levels::default();
        assert_eq!(verdict(&Criterion::ORDINARY, &nothing, PATIENT, &[0.0]), (Verdict::Converged, 1));
        assert_eq!(verdict(&Criterion::ORDINARY, &nothing, PATIENT, &[1.0, 0.0]), (Verdict::Converged, 2));
        // One that a problem goes on from is no division by zero.
        let mut contraction = Contraction::default();
        contraction.judge(&Criterion::ORDINARY, 0.0, &nothing, PATIENT);
        assert_eq!(contraction.judge(&Criterion::ORDINARY, 1.0, &nothing, PATIENT), Verdict::Continue);
        assert!(contraction.theta().is_some_and(|theta| theta > 1.0));
    }

    #[test]
    fn a_correction_without_digits_is_the_end() {
        // What rests has a size of next to nothing, and a rounding that is zero beside it.
        let levels = Levels { rounding: 0.0, noise: 0.0, enough: 0.0, tolerable: 0.0 };
        assert_eq!(verdict(&Criterion::ORDINARY, &levels, PATIENT, &[1e-3, 5e-324]), (Verdict::Converged, 2));
    }

    #[test]
    fn what_is_not_a_number_is_lost() {
        for lost in [f64::NAN, f64::INFINITY] {
            assert_eq!(ordinary(&[lost]), (Verdict::Lost, 1));
            assert_eq!(ordinary(&[1.0, lost]), (Verdict::Lost, 2));
        }
    }

    #[test]
    fn one_correction_is_believed_by_what_earlier_ones_were() {
        let mut contraction = Contraction::default();
        assert_eq!(contraction.judge(&Criterion::ORDINARY, 1e-7, &LEVELS, PATIENT), Verdict::Continue);
        contraction.believe(Some(0.01));
        contraction.begin();
        assert_eq!(contraction.judge(&Criterion::ORDINARY, 1e-7, &LEVELS, PATIENT), Verdict::Converged);
        contraction.believe(Some(0.5));
        contraction.begin();
        assert_eq!(contraction.judge(&Criterion::ORDINARY, 1e-7, &LEVELS, PATIENT), Verdict::Continue);
        // Nobody is believed to contract better than the floor.
        let floor = Criterion { floor: 0.5, ..Criterion::ORDINARY };
        contraction.believe(Some(1e-9));
        contraction.begin();
        assert_eq!(contraction.judge(&floor, 1e-7, &LEVELS, PATIENT), Verdict::Continue);
    }

    #[test]
    fn the_mean_of_two_ratios_does_not_swing() {
        // Corrections that shrink by 0.5 and 0.02 in turn shrink by 0.1 on average.
        let mean = Criterion { averaged: true, ..Criterion::ORDINARY };
        let mut contraction = Contraction::default();
        for (k, size) in [1.0, 0.5, 0.01, 0.005, 1e-4].into_iter().enumerate() {
            contraction.judge(&mean, size, &LEVELS, PATIENT);
            if k > 1 {
                assert!((contraction.theta().unwrap_or(f64::NAN) - 0.1).abs() < 1e-12);
            }
        }
        // A belief falls no faster than its memory lets it.
        let slow = Criterion { memory: 0.3, ..Criterion::ORDINARY };
        contraction.believe(Some(0.9));
        contraction.begin();
        contraction.judge(&slow, 1.0, &LEVELS, PATIENT);
        contraction.judge(&slow, 1e-3, &LEVELS, PATIENT);
        assert!((contraction.belief().unwrap_or(f64::NAN) - 0.27).abs() < 1e-12);
    }
}
