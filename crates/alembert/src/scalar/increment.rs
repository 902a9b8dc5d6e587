//! A number and how much it changes, with as many digits in the change as in the number.
//!
//! ```text
//! f(x + d) - f(x):   d(a b) = a db + da (b + db)          d(1/x) = -d / (x (x + d))
//!                    d sin x = 2 cos(x + d/2) sin(d/2)     d sqrt x = d / (sqrt(x + d) + sqrt x)
//!                    d e^x = e^x (e^d - 1)                 d ln x = ln(1 + d/x)
//! ```
//!
//! A difference of two rounded values is uncertain by eps times their size; these formulas are uncertain by eps times the
//! difference. Constraints need this where a step is short: an error e of g moves a stage by about e, and its velocity by
//! about e/h.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::Scalar;

/// x, and the change d from there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Increment {
    /// The number at the start.
    pub x: f64,
    /// What it gains.
    pub d: f64,
}

impl Increment {
    /// The number at the end.
    fn end(self) -> f64 {
        self.x + self.d
    }
}

impl From<f64> for Increment {
    fn from(x: f64) -> Self {
        Increment { x, d: 0.0 }
    }
}
impl Neg for Increment {
    type Output = Self;
    fn neg(self) -> Self {
        Increment { x: -self.x, d: -self.d }
    }
}
impl Add for Increment {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Increment { x: self.x + o.x, d: self.d + o.d }
    }
}
impl Sub for Increment {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Increment { x: self.x - o.x, d: self.d - o.d }
    }
}
impl Mul for Increment {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Increment { x: self.x * o.x, d: self.x * o.d + self.d * o.end() }
    }
}
impl Div for Increment {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let x = self.x / o.x;
        Increment { x, d: (self.d - x * o.d) / o.end() }
    }
}
impl Add<f64> for Increment {
    type Output = Self;
    fn add(self, c: f64) -> Self {
        Increment { x: self.x + c, d: self.d }
    }
}
impl Sub<f64> for Increment {
    type Output = Self;
    fn sub(self, c: f64) -> Self {
        Increment { x: self.x - c, d: self.d }
    }
}
impl Mul<f64> for Increment {
    type Output = Self;
    fn mul(self, c: f64) -> Self {
        Increment { x: self.x * c, d: self.d * c }
    }
}
impl Div<f64> for Increment {
    type Output = Self;
    fn div(self, c: f64) -> Self {
        Increment { x: self.x / c, d: self.d / c }
    }
}
impl AddAssign for Increment {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl SubAssign for Increment {
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
impl MulAssign for Increment {
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

impl Scalar for Increment {
    /// The number at the end: a formula with branches takes the branch of the end.
    fn value(self) -> f64 {
        self.end()
    }
    fn abs(self) -> Self {
        let sign = if self.x < 0.0 { -1.0 } else { 1.0 };
        let crosses = (self.x < 0.0) != (self.end() < 0.0);
        Increment { x: self.x.abs(), d: if crosses { self.end().abs() - self.x.abs() } else { sign * self.d } }
    }
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.x.sin_cos();
        let (half, middle) = ((0.5 * self.d).sin(), (self.x + 0.5 * self.d).sin_cos());
        (Increment { x: sin, d: 2.0 * middle.1 * half }, Increment { x: cos, d: -2.0 * middle.0 * half })
    }
    fn exp(self) -> Self {
        let x = self.x.exp();
        Increment { x, d: x * self.d.exp_m1() }
    }
    fn ln(self) -> Self {
        let x = self.x.ln();
        Increment { x, d: if x.is_nan() { x } else { (self.d / self.x).ln_1p() } }
    }
    fn sqrt(self) -> Self {
        let x = self.x.sqrt();
        let sum = self.end().sqrt() + x;
        Increment { x, d: if self.d == 0.0 { 0.0 } else { self.d / sum } }
    }
    fn atan(self) -> Self {
        // tan(A - B) = (tan A - tan B) / (1 + tan A tan B), turned by pi where A - B passes pi/2.
        let turned = self.d.atan2(1.0 + self.x * self.end());
        Increment { x: self.x.atan(), d: turned }
    }
    fn tanh(self) -> Self {
        // tanh(A) - tanh(B) = tanh(A - B) (1 - tanh A tanh B).
        let (x, end) = (self.x.tanh(), self.end().tanh());
        Increment { x, d: self.d.tanh() * (1.0 - x * end) }
    }
    fn powi(self, n: i32) -> Self {
        match n {
            0 => Self::from(1.0),
            1 => self,
            n if n < 0 => self.powi(n.saturating_neg()).recip(),
            n => {
                let root = self.powi(n / 2);
                let square = root * root;
                if n % 2 == 0 { square } else { square * self }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Jet;

    /// Every function of `Scalar`, one by one.
    fn functions<S: Scalar>(x: S) -> Vec<S> {
        let (sin, cos) = x.sin_cos();
        let plain =
            vec![sin, cos, x.tan(), x.exp(), x.ln(), x.sqrt(), x.atan(), x.tanh(), x.recip(), x.abs(), (-x).abs()];
        let powers = [-3, -1, 0, 1, 2, 5, 8].map(|n| x.powi(n));
        let mixed = [x * sin - cos, x / (cos + 3.0), (x - 0.3) * 2.0 / 7.0];
        plain.into_iter().chain(powers).chain(mixed).collect()
    }

    #[test]
    fn changes_are_accurate_beside_themselves() {
        for x in [1e-3_f64, 0.7, 1.3, 40.0] {
            for d in [1e-3, 1e-7, 1e-9, -1e-12, 1e-100] {
                let d = d * x.min(1.0);
                // Three terms of Taylor's series; the fourth is below 1e-9 of the first where d is 1e-3 x, and nothing elsewhere.
                let series = functions(Jet { x, d, dd: 0.0 });
                for (i, (change, jet)) in functions(Increment { x, d }).iter().zip(&series).enumerate() {
                    let expected = jet.d + 0.5 * jet.dd;
                    let allowed = if d.abs() > 1e-4 * x.min(1.0) { 1e-4 } else { 1e-11 };
                    // tan, x sin x and others have small derivatives at places.
                    let size = expected.abs().max(1e-3 * d.abs());
                    assert!(
                        (change.d - expected).abs() <= allowed * size,
                        "{i} at {x} + {d:e}: {} {expected}",
                        change.d
                    );
                }
            }
        }
    }

    #[test]
    fn large_changes_are_those_of_the_values() {
        for (x, d) in [(0.2, 1.1), (3.0, -2.5), (0.5, 4.0), (-2.0, 0.7)] {
            let (before, after) = (functions(x), functions(x + d));
            for (i, change) in functions(Increment { x, d }).iter().enumerate() {
                let expected = after[i] - before[i];
                let size = 1.0 + before[i].abs() + after[i].abs();
                let same = (change.d - expected).abs() <= 1e-13 * size || (expected.is_nan() && change.d.is_nan());
                assert!(same, "{i} from {x} by {d}: {} {expected}", change.d);
            }
        }
    }

    #[test]
    fn a_change_through_zero_is_that_of_the_absolute_value() {
        assert_eq!(Increment { x: -1.0, d: 3.0 }.abs().d, 1.0);
        assert_eq!(Increment { x: 1.0, d: -3.0 }.abs().d, 1.0);
        assert_eq!(Increment { x: -1.0, d: -3.0 }.abs().d, 3.0);
    }
}
