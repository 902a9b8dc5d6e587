//! Steps chosen by the estimated error. What is peculiar to a method comes with its
//! [estimate](crate::method::ErrorEstimate); the rules here are the same for all:
//!
//! ```text
//! accept if norm <= 1,   h_next = h clip(law), at most h limit (Newton), unchanged if it would grow only a little
//! reject otherwise,      h = h clip((1/norm)^e safety, least, 0.9), from the second time at most half
//! failed                 h = h clip((0.1/theta)^0.5, 0.25, 0.8)
//! ```
//!
//! After a rejection or a failure the next accepted step does not grow. The last two steps before the end are equal, so
//! that no sliver remains. Steps that are shortened for this leave the memory of the rule alone, and the length that was wanted
//! before is resumed.

use std::fmt;

use super::{Retry, StepController, Verdict};
use crate::advice::{Advised, displayed};
use crate::checkpoint::{Archive, BadCheckpoint, keep};
use crate::method::{Attempt, ErrorEstimate, Law, StepFailure};

/// Steps shorter than this many roundings of t cannot be told from none.
const SHORTEST: f64 = 16.0;
/// A step that is refused this often in a row, shortened to at most 0.9 times the first time and to half from then on, is not resolved by
/// any length. At t = 0 there is no rounding of t that would say so.
const PERSISTENCE: usize = 30;
/// Steps shorter than this share of the time that remains lead nowhere. At t = 0 there is no rounding of t that would say so.
const BRIEFEST: f64 = 1e-20;
/// A step that reaches the end if it is stretched by less than this share is stretched: two steps would be a waste.
const STRETCH: f64 = 1e-3;

/// Chooses steps so that the estimated error meets the tolerance.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorControl {
    /// The first step, if the caller prescribes it; the method's suggestion otherwise.
    first: Option<f64>,
    suggested: Option<f64>,
    shortest: f64,
    longest: f64,
    per_step: bool,
    /// The length wanted next.
    wanted: Option<f64>,
    /// Length and norm of the last accepted step that was not shortened.
    memory: Option<(f64, f64)>,
    /// The longest step that may follow one cut short to land on a time.
    cut: Option<f64>,
    /// Failures and rejections since the last accepted step.
    rejections: usize,
    t: f64,
    remaining: f64,
}

impl Default for ErrorControl {
    fn default() -> Self {
        ErrorControl {
            first: None,
            suggested: None,
            shortest: 0.0,
            longest: f64::INFINITY,
            per_step: false,
            wanted: None,
            memory: None,
            cut: None,
            rejections: 0,
            t: 0.0,
            remaining: 0.0,
        }
    }
}

/// Largest first step in units of the method's suggestion.
const BOLDEST: f64 = 10.0;

/// A length that is not a positive number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadControl {
    /// Which length.
    pub name: &'static str,
    /// Its value.
    pub h: f64,
}

impl Advised for BadControl {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} step is {}", self.name, self.h)
    }

    fn hint(&self) -> Option<String> {
        Some("steps are positive numbers".to_owned())
    }

    fn blame(&self) -> Option<String> {
        Some(format!("{} step", self.name))
    }
}

displayed!(BadControl);

impl ErrorControl {
    /// No limits but those of rounding; the first step is the method's suggestion.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a first step of this length. It is shortened to ten times the method's suggestion: an estimate at steps far beyond
    /// the motion's own time can be small by chance, and a wrong step would be accepted.
    ///
    /// # Errors
    /// If h is not a positive number.
    pub fn with_first_step(self, h: f64) -> Result<Self, BadControl> {
        Ok(ErrorControl { first: Some(positive("first", h)?), ..self })
    }

    /// Takes no steps shorter than h, except to land on a time, and gives up where the error asks for shorter ones.
    ///
    /// # Errors
    /// If h is not a positive number.
    pub fn with_shortest(self, h: f64) -> Result<Self, BadControl> {
        Ok(ErrorControl { shortest: positive("shortest", h)?, ..self })
    }

    /// Takes no steps longer than h.
    ///
    /// # Errors
    /// If h is not a positive number.
    pub fn with_longest(self, h: f64) -> Result<Self, BadControl> {
        Ok(ErrorControl { longest: positive("longest", h)?, ..self })
    }

    /// Takes the tolerance as that of each step, as the literature on error control does: the error of the result is then larger,
    /// by a factor that grows with the number of steps. For Radau the two are the same.
    pub fn per_step(self) -> Self {
        ErrorControl { per_step: true, ..self }
    }

    fn is_too_short(&self, h: f64) -> bool {
        let resolved =
            h >= self.shortest && h > SHORTEST * f64::EPSILON * self.t.abs() && h > BRIEFEST * self.remaining;
        !resolved || self.rejections >= PERSISTENCE
    }

    /// h_next/h after an accepted step.
    fn growth(&self, h: f64, error: &ErrorEstimate) -> f64 {
        let ErrorEstimate { norm, exponent: e, law, ratio: (least, most), keep, limit } = *error;
        // An error of zero asks for the largest growth.
        let norm = norm.max(1e-100);
        let factor = match (law, self.memory) {
            (Law::Predictive { safety }, Some((h_before, norm_before))) => {
                let trend = h / h_before * (norm_before / (norm * norm)).powf(e);
                safety * norm.powf(-e).min(trend)
            }
            (Law::Predictive { safety }, None) | (Law::Proportional { safety }, _) => safety * norm.powf(-e),
            (Law::ProportionalIntegral { target }, Some((_, norm_before))) => {
                (target / norm).powf(0.7 * e) * (norm_before / target).powf(0.4 * e)
            }
            (Law::ProportionalIntegral { target }, None) => (target / norm).powf(e),
            (Law::Return { h: longer }, _) => longer / h,
        };
        let mut factor = factor.clamp(least, most).min(limit);
        if self.rejections > 0 {
            factor = factor.min(1.0);
        }
        if (1.0..=keep).contains(&factor) { 1.0 } else { factor }
    }

    fn accept(&mut self, h: f64, error: &ErrorEstimate) {
        let next = h * self.growth(h, error);
        let shortened = self.wanted.is_some_and(|wanted| h < 0.99 * wanted) && self.rejections == 0;
        self.cut = shortened.then_some(h * error.ratio.1);
        if shortened {
            self.wanted = self.wanted.map(|wanted| wanted.max(next));
        } else {
            self.wanted = Some(next);
            let alone = matches!(error.law, Law::Proportional { .. });
            self.memory = (!alone).then_some((h, error.norm.max(1e-2)));
        }
        self.rejections = 0;
    }
}

fn positive(name: &'static str, h: f64) -> Result<f64, BadControl> {
    if h.is_finite() && h > 0.0 { Ok(h) } else { Err(BadControl { name, h }) }
}

impl StepController for ErrorControl {
    fn needs_estimate(&self) -> bool {
        true
    }

    fn is_per_step(&self) -> bool {
        self.per_step
    }

    fn retries(&self) -> bool {
        true
    }

    fn wants_first_step(&self) -> bool {
        self.wanted.is_none()
    }

    fn suggest(&mut self, h: f64) {
        self.suggested = Some(h);
    }

    fn restart(&mut self) {
        self.suggested = None;
        self.wanted = None;
        self.memory = None;
        self.rejections = 0;
        self.cut = None;
    }

    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        archive.same_name("controller", "error control")?;
        archive.same("shortest step", self.shortest)?;
        archive.same("longest step", self.longest)?;
        archive.same("tolerance per step", f64::from(u8::from(self.per_step)))?;
        keep!(archive; self.first, self.suggested, self.wanted, self.memory, self.cut, self.rejections, self.t, self.remaining)
    }

    fn propose(&mut self, t: f64, remaining: f64) -> f64 {
        (self.t, self.remaining) = (t, remaining);
        let suggested = self.suggested.unwrap_or(f64::INFINITY);
        let first = self.first.map_or(suggested, |first| first.min(BOLDEST * suggested));
        let first = if first.is_finite() { first } else { remaining };
        let wanted = self.wanted.unwrap_or(first).min(self.longest);
        // A first step is prescribed before anything can be known to be too short.
        let wanted = if wanted > 0.0 { wanted.max(self.shortest) } else { remaining };
        self.wanted = Some(wanted);
        // What was wanted before is resumed, as fast as the method allows.
        let wanted = self.cut.map_or(wanted, |most| wanted.min(most));
        if remaining <= (1.0 + STRETCH) * wanted {
            remaining
        } else if remaining < 2.0 * wanted {
            0.5 * remaining
        } else {
            wanted
        }
    }

    fn judge(&mut self, h: f64, attempt: &Attempt) -> Verdict {
        // The integrator has made sure that there is one.
        let Some(error) = attempt.error else { return Verdict::Accept };
        if error.norm <= 1.0 {
            self.accept(h, &error);
            return Verdict::Accept;
        }
        self.rejections += 1;
        let (aim, safety) = match error.law {
            Law::Predictive { safety } | Law::Proportional { safety } => (1.0, safety),
            Law::ProportionalIntegral { target } => (target, 1.0),
            Law::Return { h } if self.rejections < PERSISTENCE => return Verdict::Reject { h },
            Law::Return { .. } => return Verdict::TooSmall { shortest: self.shortest },
        };
        let highest = if self.rejections > 1 { 0.5 } else { 0.9 };
        let factor = safety * (aim / error.norm).powf(error.exponent);
        // An error that is not a number is the worst.
        let factor = if factor.is_nan() { error.ratio.0 } else { factor.clamp(error.ratio.0, highest) };
        let shorter = h * factor;
        if self.is_too_short(shorter) {
            Verdict::TooSmall { shortest: self.shortest }
        } else {
            Verdict::Reject { h: shorter }
        }
    }

    fn after_failure(&mut self, h: f64, failure: &StepFailure) -> Retry {
        self.rejections += 1;
        self.memory = None;
        let factor = match failure {
            StepFailure::Diverged { theta, .. } if theta.is_finite() && *theta > 0.0 => {
                (0.1 / theta).sqrt().clamp(0.25, 0.8)
            }
            StepFailure::Ratio { ratio, limit } => (limit / ratio).min(0.9),
            StepFailure::Turn { angle, .. } => (std::f64::consts::PI / angle).clamp(0.25, 1.0) * 0.9,
            _ => 0.25,
        };
        let shorter = h * factor;
        if self.is_too_short(shorter) { Retry::TooSmall { shortest: self.shortest } } else { Retry::Shorter(shorter) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(norm: f64) -> Attempt {
        let error = ErrorEstimate {
            norm,
            exponent: 0.25,
            law: Law::Predictive { safety: 0.8 },
            ratio: (0.2, 4.0),
            keep: 1.2,
            limit: 4.0,
        };
        Attempt { error: Some(error), ..Attempt::default() }
    }

    #[test]
    fn steps_follow_the_error() {
        let mut control = ErrorControl::new().with_first_step(0.1).expect("positive");
        assert_eq!(control.propose(0.0, 10.0), 0.1);
        assert_eq!(control.judge(0.1, &attempt(1e-8)), Verdict::Accept);
        assert!((control.propose(0.1, 9.9) - 0.4).abs() < 1e-15);
        let Verdict::Reject { h } = control.judge(0.4, &attempt(16.0)) else { panic!("not rejected") };
        assert!((h - 0.16).abs() < 1e-15);
        assert_eq!(control.judge(h, &attempt(0.01)), Verdict::Accept);
        assert!(control.propose(0.26, 9.0) <= h);
    }

    #[test]
    fn the_end_is_met_without_a_sliver_and_without_forgetting() {
        let mut control = ErrorControl::new().with_first_step(0.1).expect("positive");
        assert_eq!(control.propose(0.0, 0.15), 0.075);
        control.judge(0.075, &attempt(0.3));
        assert_eq!(control.propose(0.075, 0.075), 0.075);
        control.judge(0.075, &attempt(0.3));
        assert_eq!(control.propose(0.15, 1.0), 0.1);
    }

    #[test]
    fn the_shortest_step_is_a_floor() {
        let control = ErrorControl::new().with_first_step(0.2).expect("positive");
        let mut control = control.with_shortest(0.1).expect("positive");
        // Each step is accepted by a hair: the rule asks for shorter and shorter ones, which the caller does not allow.
        let mut lengths = Vec::new();
        for _ in 0..8 {
            let h = control.propose(0.0, 10.0);
            assert_eq!(control.judge(h, &attempt(0.99)), Verdict::Accept);
            lengths.push(h);
        }
        assert!(lengths[0] == 0.2 && lengths[1] < 0.17 && lengths[7] == 0.1, "{lengths:?}");
        assert_eq!(control.judge(0.1, &attempt(8.0)), Verdict::TooSmall { shortest: 0.1 });
    }

    #[test]
    fn too_small_is_said() {
        let mut control = ErrorControl::new().with_first_step(1e-15).expect("positive");
        let h = control.propose(1.0, 1.0);
        assert_eq!(control.judge(h, &attempt(f64::NAN)), Verdict::TooSmall { shortest: 0.0 });
        let failure = StepFailure::Ratio { ratio: 4.0, limit: 2.0 };
        assert_eq!(control.after_failure(h, &failure), Retry::TooSmall { shortest: 0.0 });
        let mut control = ErrorControl::new().with_first_step(1e-3).expect("positive");
        let mut h = control.propose(0.0, 1.0);
        let failure = StepFailure::Diverged { iterations: 5, theta: f64::NAN };
        while let Retry::Shorter(shorter) = control.after_failure(h, &failure) {
            h = shorter;
        }
        assert!(h > 1e-24, "{h:e} at t = 0");
        for bad in [0.0, -1.0, f64::NAN] {
            assert!(ErrorControl::new().with_longest(bad).is_err());
        }
    }
}
