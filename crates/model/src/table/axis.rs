//! One argument of a table: its knots, where a number lies among them, and the weights of the values and slopes there.
//!
//! ```text
//! s = (x - x_i)/h,  h = x_(i+1) - x_i
//! y = y_i + rise (y_(i+1) - y_i) + left y'_i + right y'_(i+1)
//! rise = s^2 (3 - 2 s),   left = h s (1 - s)^2,   right = -h s^2 (1 - s)         linear: rise = s
//! ```
//!
//! In the second half of an interval y begins with y_(i+1), so that both knots are met to the last bit.

use super::{Kind, slopes};

/// Share of the width of a table by which rounding may carry an argument beyond its end.
const SLACK: f64 = 1e-9;

/// What lies beyond the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// The line with the slope at the end.
    Linear,
    /// The same again.
    Periodic,
    /// No number.
    Error,
}

/// The knots of one argument.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    knots: Vec<f64>,
    beyond: Beyond,
    /// 1/h where all knots are equally far apart, to about a thousandth of it: a first guess of an interval.
    inverse: f64,
}

/// Weights of the two knots of interval `at`.
pub(super) struct Weights {
    pub at: usize,
    /// Of the value at the left or at the right knot.
    value: [f64; 2],
    rise: f64,
    left: f64,
    right: f64,
}

impl Weights {
    /// From values and slopes at both knots.
    pub fn combine(&self, y0: f64, y1: f64, s0: f64, s1: f64) -> f64 {
        let base = self.value[0] * y0 + self.value[1] * y1;
        base + (self.rise * (y1 - y0) + (self.left * s0 + self.right * s1))
    }
}

impl Axis {
    /// Knots in increasing order, at least two.
    pub fn new(knots: Vec<f64>, beyond: Beyond) -> Axis {
        let inverse = (knots.len() - 1) as f64 / (knots[knots.len() - 1] - knots[0]);
        Axis { knots, beyond, inverse }
    }

    pub fn len(&self) -> usize {
        self.knots.len()
    }

    /// Goes on with a sum over the knots.
    pub fn digest(&self, sum: u64) -> u64 {
        self.knots.iter().fold(super::mix(sum, self.beyond as u64), |sum, x| super::mix(sum, x.to_bits()))
    }

    pub fn range(&self) -> (f64, f64) {
        (self.knots[0], self.knots[self.knots.len() - 1])
    }

    /// Whether there is no value beyond the knots.
    pub fn ends(&self) -> bool {
        self.beyond == Beyond::Error
    }

    /// How far x is from the nearest end that must not be passed, beside the distance of the ends; negative beyond it.
    pub fn room(&self, x: f64) -> f64 {
        let (first, last) = self.range();
        if self.ends() { (x - first).min(last - x) / (last - first) } else { f64::INFINITY }
    }

    /// Whether a table that is linear along it has kinks.
    pub fn is_kinked(&self) -> bool {
        self.knots.len() > 2 || self.beyond == Beyond::Periodic
    }

    pub fn slopes(&self, kind: Kind, values: &[f64]) -> Vec<f64> {
        let periodic = self.beyond == Beyond::Periodic;
        match kind {
            Kind::Linear => Vec::new(),
            Kind::Pchip => slopes::pchip(&self.knots, values, periodic),
            Kind::Spline => slopes::spline(&self.knots, values, periodic),
        }
    }

    /// Whether x is where the table must not be asked.
    pub fn is_error(&self, x: f64) -> bool {
        let (first, last) = self.range();
        let slack = SLACK * (last - first);
        self.beyond == Beyond::Error && (x < first - slack || x > last + slack)
    }

    /// The number of the interval that x is in, counted on through periods; the first and the last one go on beyond the ends. At a
    /// knot it is the one to its right.
    pub fn interval(&self, x: f64) -> f64 {
        if x.is_nan() {
            return f64::NAN;
        }
        if self.beyond == Beyond::Periodic {
            let (first, last) = self.range();
            let intervals = self.knots.len() - 1;
            let turns = ((x - first) / (last - first)).floor();
            let wrapped = self.wrap(x);
            // Rounding may take the first knot for the last one.
            let (turns, at) = if wrapped >= last { (turns + 1.0, 0) } else { (turns, self.find(wrapped)) };
            return turns * intervals as f64 + at as f64;
        }
        self.find(x) as f64
    }

    /// A continuous, increasing function of x that is whole at the knots where intervals meet, and nowhere else. The first and the
    /// last interval go on to infinity without coming close to the next whole number.
    ///
    /// ```text
    /// within       i + (x - x_i)/h
    /// outermost    3/4 d/(d + h/4) away from the inner knot, in a distance of d
    /// ```
    pub fn position(&self, x: f64) -> f64 {
        if x.is_nan() {
            return x;
        }
        let piece = self.interval(x);
        let (at, moved) = self.piece(piece);
        let (x0, x1) = (self.knots[at] + moved, self.knots[at + 1] + moved);
        let h = x1 - x0;
        match self.outermost(at) {
            // Rounding must not carry it to the next whole number.
            None => piece + ((x - x0) / h).clamp(0.0, 1.0 - f64::EPSILON),
            Some(false) => 1.0 - away(x1 - x, h).max(f64::EPSILON),
            Some(true) => piece + away(x - x0, h),
        }
    }

    /// Where the position is what is given.
    pub fn place(&self, position: f64) -> f64 {
        let most = self.knots.len() - 2;
        let periodic = self.beyond == Beyond::Periodic;
        let piece = if periodic { position.floor() } else { position.floor().clamp(0.0, most as f64) };
        if position.is_nan() {
            return position;
        }
        let (at, moved) = self.piece(piece);
        let (x0, x1) = (self.knots[at] + moved, self.knots[at + 1] + moved);
        let (h, s) = (x1 - x0, position - piece);
        match self.outermost(at) {
            None => x0 + s * h,
            Some(false) => x1 - distance(1.0 - s, h),
            Some(true) => x0 + distance(s, h),
        }
    }

    /// The knot at which an interval begins, and by how many periods it is away.
    fn piece(&self, piece: f64) -> (usize, f64) {
        let intervals = (self.knots.len() - 1) as f64;
        if self.beyond != Beyond::Periodic || !piece.is_finite() {
            return (if piece > 0.0 { piece as usize } else { 0 }.min(self.knots.len() - 2), 0.0);
        }
        let (first, last) = self.range();
        let turns = (piece / intervals).floor();
        ((piece - turns * intervals) as usize, turns * (last - first))
    }

    /// Whether an interval goes on to infinity, and if so whether to the right.
    fn outermost(&self, at: usize) -> Option<bool> {
        match self.beyond {
            Beyond::Periodic => None,
            _ if at + 2 == self.knots.len() => Some(true),
            _ if at == 0 => Some(false),
            _ => None,
        }
    }

    /// Whether two numbers are on one polynomial.
    pub fn same_piece(&self, x: f64, y: f64) -> bool {
        let (first, last) = self.range();
        let outside = |x: f64| if x < first { -1 } else { i8::from(x > last) };
        self.interval(x) == self.interval(y) && (outside(x) == outside(y) || self.beyond == Beyond::Periodic)
    }

    fn wrap(&self, x: f64) -> f64 {
        let (first, last) = self.range();
        if x >= first && x < last {
            return x;
        }
        (first + (x - first).rem_euclid(last - first)).min(last)
    }

    /// The interval of a number, the first or last one for what is beyond.
    fn find(&self, x: f64) -> usize {
        let most = self.knots.len() - 2;
        // Equal distances need no search.
        let guess = ((x - self.knots[0]) * self.inverse) as usize;
        let guess = guess.min(most);
        if self.knots[guess] <= x && x < self.knots[guess + 1] {
            return guess;
        }
        self.knots.partition_point(|knot| *knot <= x).saturating_sub(1).min(most)
    }

    /// The weights of a derivative at x.
    pub(super) fn weights(&self, x: f64, order: u8, linear: bool) -> Weights {
        let nothing = |at: usize| Weights { at, value: [0.0; 2], rise: 0.0, left: 0.0, right: 0.0 };
        let (first, last) = self.range();
        if x.is_nan() || self.is_error(x) {
            return Weights { value: [f64::NAN; 2], ..nothing(0) };
        }
        let x = if self.beyond == Beyond::Periodic { self.wrap(x) } else { x };
        let at = self.find(x);
        let (x0, x1) = (self.knots[at], self.knots[at + 1]);
        let h = x1 - x0;
        if x < first || x > last {
            let right = usize::from(x > last);
            let mut weights = nothing(at);
            // What rounding carries beyond an end counts as on the line there.
            let slope = match order {
                0 => x - if right == 1 { x1 } else { x0 },
                1 => 1.0,
                _ => 0.0,
            };
            if order == 0 {
                weights.value[right] = 1.0;
            }
            match (linear, right) {
                (true, _) => weights.rise = slope / h,
                (false, 0) => weights.left = slope,
                (false, _) => weights.right = slope,
            }
            return weights;
        }
        // From both ends, so that each keeps its digits near its own.
        let (s, r) = ((x - x0) / h, (x1 - x) / h);
        let second = s > 0.5;
        let (rise, left, right) = match (order, linear) {
            (0, true) => (if second { -r } else { s }, 0.0, 0.0),
            (1, true) => (1.0 / h, 0.0, 0.0),
            (0, false) => {
                let rise = if second { -(r * r * (3.0 - 2.0 * r)) } else { s * s * (3.0 - 2.0 * s) };
                (rise, h * s * r * r, -h * s * s * r)
            }
            (1, false) => (6.0 * s * r / h, r * (r - 2.0 * s), s * (s - 2.0 * r)),
            (2, false) => (6.0 * (r - s) / (h * h), (2.0 * s - 4.0 * r) / h, (4.0 * s - 2.0 * r) / h),
            (3, false) => (-12.0 / (h * h * h), 6.0 / (h * h), 6.0 / (h * h)),
            _ => (0.0, 0.0, 0.0),
        };
        let mut weights = Weights { rise, left, right, ..nothing(at) };
        if order == 0 {
            weights.value[usize::from(second)] = 1.0;
        }
        weights
    }
}

/// How far a position is from the whole number of the inner knot of an outermost interval, in a distance of d.
fn away(d: f64, h: f64) -> f64 {
    0.75 * d / (d + 0.25 * h)
}

/// The inverse of it.
fn distance(away: f64, h: f64) -> f64 {
    0.25 * h * away / (0.75 - away).max(f64::EPSILON)
}
