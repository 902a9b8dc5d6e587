//! Steps of prescribed lengths: one length, or a pattern repeated.
//!
//! t + h is rounded, and what millions of steps lose by that adds up. It is counted, exactly, and made good by one step that is
//! a little longer or shorter, before the end could be missed: a step that differs needs factors of its own, so this is rare.

use std::fmt;

use super::{Retry, StepController, Verdict};
use crate::advice::{Advised, displayed};
use crate::checkpoint::{Archive, BadCheckpoint, keep};
use crate::method::{Attempt, StepFailure};

/// How far the end may be missed by rounding, relative to a step.
const SLACK: f64 = 1e-6;

/// Share of a step that may be lost by rounding before it is made good.
const LOSS: f64 = 1e-7;

/// Repeats a pattern of step lengths. Where the pattern does not end on the final time, the last two steps are shared
/// out evenly, so that there is no sliver. Nothing is retried: prescribed steps are an experiment, not a choice.
#[derive(Clone, Debug, PartialEq)]
pub struct FixedSteps {
    pattern: Vec<f64>,
    place: usize,
    /// The step now proposed is the first of the last two.
    sharing: bool,
    /// Where the last step began and its length.
    last: [f64; 2],
    /// How far the time is behind the sum of the steps.
    behind: f64,
}

/// A pattern that cannot be stepped.
#[derive(Clone, Debug, PartialEq)]
pub enum BadPattern {
    /// There is no step in it.
    Empty,
    /// A step is not a positive number.
    NotPositive {
        /// Its place in the pattern.
        index: usize,
        /// Its length.
        h: f64,
    },
}

impl Advised for BadPattern {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadPattern::Empty => write!(f, "the step pattern is empty"),
            BadPattern::NotPositive { index, h } => write!(f, "step {index} of the pattern is {h}"),
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            BadPattern::Empty => "give at least one step size".to_owned(),
            BadPattern::NotPositive { .. } => "steps are positive numbers".to_owned(),
        })
    }

    fn blame(&self) -> Option<String> {
        Some("step_pattern".to_owned())
    }
}

displayed!(BadPattern);

impl FixedSteps {
    /// Every step of length h.
    ///
    /// # Errors
    /// If h is not a positive number.
    pub fn new(h: f64) -> Result<Self, BadPattern> {
        Self::pattern(h, &[1.0])
    }

    /// Steps of h times each fraction in turn.
    ///
    /// # Errors
    /// If there is no fraction, or a step is not a positive number.
    pub fn pattern(h: f64, fractions: &[f64]) -> Result<Self, BadPattern> {
        let pattern: Vec<f64> = fractions.iter().map(|fraction| h * fraction).collect();
        if pattern.is_empty() {
            return Err(BadPattern::Empty);
        }
        match pattern.iter().position(|h| !(h.is_finite() && *h > 0.0)) {
            Some(index) => Err(BadPattern::NotPositive { index, h: pattern[index] }),
            None => Ok(FixedSteps { pattern, place: 0, sharing: false, last: [f64::NAN; 2], behind: 0.0 }),
        }
    }
}

impl FixedSteps {
    /// What the step from `t` is to make good.
    fn made_good(&mut self, t: f64) -> f64 {
        let [from, h] = self.last;
        let (lost, rounding) = (h - (t - from), f64::EPSILON * t.abs().max(from.abs()));
        // A step that an event has cut short, or a last one that was shared, counts from where it ended.
        self.behind = if lost.abs() <= rounding { self.behind + lost } else { 0.0 };
        if self.behind.abs() > (LOSS * self.pattern[self.place]).max(2.0 * rounding) {
            std::mem::take(&mut self.behind)
        } else {
            0.0
        }
    }
}

impl StepController for FixedSteps {
    fn propose(&mut self, t: f64, remaining: f64) -> f64 {
        let h = self.pattern[self.place] + self.made_good(t);
        self.last = [t, h];
        let next = self.pattern[(self.place + 1) % self.pattern.len()];
        let after = remaining - h;
        if std::mem::take(&mut self.sharing) || after <= SLACK * h {
            remaining
        } else if after < (1.0 - SLACK) * next {
            self.sharing = true;
            0.5 * remaining
        } else {
            h
        }
    }

    /// The pattern continues where it was.
    fn restart(&mut self) {
        self.sharing = false;
        self.last = [f64::NAN; 2];
    }

    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        archive.same_name("controller", "fixed steps")?;
        archive.same("length of the step pattern", self.pattern.len() as f64)?;
        for h in &self.pattern {
            archive.same("step pattern", *h)?;
        }
        keep!(archive; self.place, self.sharing, self.last, self.behind)?;
        if self.place < self.pattern.len() { Ok(()) } else { Err(BadCheckpoint::Corrupt) }
    }

    fn judge(&mut self, _: f64, _: &Attempt) -> Verdict {
        self.place = (self.place + 1) % self.pattern.len();
        Verdict::Accept
    }

    fn after_failure(&mut self, _: f64, _: &StepFailure) -> Retry {
        Retry::Never
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(mut controller: FixedSteps, total: f64) -> Vec<f64> {
        let (mut t, mut lengths) = (0.0, Vec::new());
        while total - t > 1e-12 {
            let h = controller.propose(t, total - t);
            controller.judge(h, &Attempt::default());
            t += h;
            lengths.push(h);
        }
        lengths
    }

    #[test]
    fn equal_steps_end_on_time() {
        let lengths = steps(FixedSteps::new(0.1).expect("positive"), 1.0);
        assert_eq!(lengths.len(), 10);
        assert!(lengths.iter().all(|h| (h - 0.1).abs() < 1e-12));
    }

    #[test]
    fn millions_of_steps_end_on_time() {
        for (from, h, count) in [(0.0, 0.01, 2_000_000), (1.7e9, 0.1, 100_000), (-5e3, 1e-3, 3_000_000)] {
            let mut controller = FixedSteps::new(h).expect("positive");
            let end = from + f64::from(count) * h;
            let (mut t, mut made, mut others) = (from, 0, 0);
            while end - t > 1e-9 * h {
                let length = controller.propose(t, end - t);
                controller.judge(length, &Attempt::default());
                assert!((length - h).abs() < 1e-4 * h, "step {made} from {from}: {length:e}");
                others += i32::from(length != h);
                t += length;
                made += 1;
                let ideal = from + f64::from(made) * h;
                assert!((t - ideal).abs() <= 2e-7 * h + 4.0 * f64::EPSILON * t.abs(), "step {made} from {from}: {t}");
            }
            assert_eq!(made, count);
            assert!(others < count / 5, "{others} of {count} steps have another length");
        }
    }

    #[test]
    fn a_remainder_is_shared_by_the_last_two() {
        let lengths = steps(FixedSteps::new(0.1).expect("positive"), 0.53);
        assert_eq!(lengths.len(), 6);
        assert!((lengths[4] - 0.065).abs() < 1e-12 && (lengths[5] - 0.065).abs() < 1e-12, "{lengths:?}");
        assert!((lengths.iter().sum::<f64>() - 0.53).abs() < 1e-12);
    }

    #[test]
    fn the_remainder_of_a_pattern_is_shared_once() {
        let lengths = steps(FixedSteps::pattern(0.1, &[1.0, 2.0]).expect("positive"), 0.65);
        let expected = [0.1, 0.2, 0.1, 0.125, 0.125];
        assert_eq!(lengths.len(), expected.len(), "{lengths:?}");
        assert!(lengths.iter().zip(expected).all(|(h, e)| (h - e).abs() < 1e-12), "{lengths:?}");
    }

    #[test]
    fn patterns_alternate() {
        let lengths = steps(FixedSteps::pattern(0.3, &[1.0 / 3.0, 2.0 / 3.0]).expect("positive"), 0.6);
        assert_eq!(lengths.len(), 4);
        for (h, expected) in lengths.iter().zip([0.1, 0.2, 0.1, 0.2]) {
            assert!((h - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn bad_patterns_are_refused() {
        assert_eq!(FixedSteps::pattern(0.1, &[]), Err(BadPattern::Empty));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(FixedSteps::new(bad).expect_err("not positive").to_string().contains("hint"));
        }
    }
}
