//! Switches: functions of the state whose sign selects a branch of a formula, and the branches that are held while a step is
//! tried.
//!
//! ```text
//! |s|, sign s, max(a, b) with s = a - b        smooth on either side of s = 0
//! floor s                                      smooth between whole numbers
//! ```
//!
//! A system that [declares](super::Description::switches) them is integrated piece by piece: every formula is continued smoothly on
//! the branch where the piece began, the step ends where the switch is passed, and the next piece begins on the other branch.

/// How a switch selects the branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// By its sign: held is 1 or -1.
    #[default]
    Sign,
    /// By the whole numbers that it is between: held is the middle of the two.
    Whole,
}

impl Switch {
    /// The branch that a value is on.
    pub(crate) fn branch(self, s: f64) -> f64 {
        match self {
            Switch::Sign if s < 0.0 => -1.0,
            Switch::Sign => 1.0,
            Switch::Whole => s.floor() + 0.5,
        }
    }

    /// How far a value is inside a branch; negative beyond its ends.
    pub(crate) fn margin(self, branch: f64, s: f64) -> f64 {
        match self {
            Switch::Sign => s * branch,
            Switch::Whole => 0.5 - (s - branch).abs(),
        }
    }

    /// The branch on the other side of the end that a value is at or beyond.
    pub(crate) fn next(self, branch: f64, s: f64) -> f64 {
        match self {
            Switch::Sign => -branch,
            Switch::Whole if s < branch => branch - 1.0,
            Switch::Whole => branch + 1.0,
        }
    }

    /// The sign with which the function leaves a branch through an end, by the branch beyond it.
    pub(crate) fn way(self, branch: f64, next: f64) -> f64 {
        if next > branch { 1.0 } else { -1.0 }
    }
}

/// The branches on which a system is evaluated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held<'a>(pub &'a [f64]);

impl Held<'_> {
    /// What selects the branch of a switch: the branch that is held, or the value of the switch where none is. It is used in place of
    /// s: its sign, or the whole numbers that it is between.
    #[inline]
    pub fn select(&self, switch: usize, s: f64) -> f64 {
        match self.0.get(switch) {
            Some(held) if !held.is_nan() => *held,
            _ => s,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_end_where_their_switches_say() {
        assert_eq!((Switch::Sign.branch(-0.1), Switch::Sign.branch(0.0)), (-1.0, 1.0));
        assert_eq!((Switch::Whole.branch(-0.1), Switch::Whole.branch(2.0)), (-0.5, 2.5));
        assert!(Switch::Sign.margin(-1.0, -3.0) == 3.0 && Switch::Sign.margin(1.0, -3.0) == -3.0);
        assert!(Switch::Whole.margin(2.5, 2.25) == 0.25 && Switch::Whole.margin(2.5, 3.5) == -0.5);
        assert!(Switch::Whole.next(2.5, 3.0) == 3.5 && Switch::Whole.next(2.5, 2.0) == 1.5);
        assert!(Switch::Whole.way(2.5, 1.5) == -1.0 && Switch::Sign.way(-1.0, 1.0) == 1.0);
    }

    #[test]
    fn what_is_not_held_selects_itself() {
        let held = Held(&[1.0, f64::NAN]);
        assert_eq!([held.select(0, -3.0), held.select(1, -3.0), held.select(2, 0.5)], [1.0, -3.0, 0.5]);
    }
}
