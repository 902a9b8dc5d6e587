//! Numbers that carry derivatives. This is the only place with generic arithmetic.
//!
//! [`Dual`] carries N first derivatives, [`Jet`] the first and second derivative along one direction. Both nest:
//! `Dual<4, Dual<8>>` holds second derivatives. Formulas are written once over [`Scalar`], with constants on the
//! right-hand side of an operator: `x * 2.0`, not `2.0 * x`.

mod increment;

pub use increment::Increment;

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A real number, possibly with derivatives attached.
pub trait Scalar:
    Copy
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + From<f64>
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The number without its derivatives.
    fn value(self) -> f64;
    /// Sine and cosine.
    fn sin_cos(self) -> (Self, Self);
    /// Exponential.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Inverse tangent.
    fn atan(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Integer power.
    fn powi(self, n: i32) -> Self;
    /// Sine.
    fn sin(self) -> Self {
        self.sin_cos().0
    }
    /// Cosine.
    fn cos(self) -> Self {
        self.sin_cos().1
    }
    /// Tangent.
    fn tan(self) -> Self {
        let (s, c) = self.sin_cos();
        s / c
    }
    /// One over the number.
    fn recip(self) -> Self {
        Self::from(1.0) / self
    }
    /// Absolute value; the derivative at zero is that of the positive side.
    fn abs(self) -> Self {
        if self.value() < 0.0 { -self } else { self }
    }
}

impl Scalar for f64 {
    fn value(self) -> f64 {
        self
    }
    fn sin_cos(self) -> (f64, f64) {
        f64::sin_cos(self)
    }
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    fn ln(self) -> f64 {
        f64::ln(self)
    }
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    fn atan(self) -> f64 {
        f64::atan(self)
    }
    fn tanh(self) -> f64 {
        f64::tanh(self)
    }
    fn powi(self, n: i32) -> f64 {
        f64::powi(self, n)
    }
}

/// x + sum_i d_i eps_i with eps_i eps_j = 0: a value and N directional derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Dual<const N: usize, S = f64> {
    /// The value.
    pub x: S,
    /// The derivatives.
    pub d: [S; N],
}

/// x + d eps + dd eps^2/2: a value with first and second derivative along one curve.
#[derive(Clone, Copy, Debug)]
pub struct Jet<S = f64> {
    /// The value.
    pub x: S,
    /// The first derivative.
    pub d: S,
    /// The second derivative.
    pub dd: S,
}

impl<const N: usize, S: Scalar> Dual<N, S> {
    /// A number that does not vary.
    pub fn constant(x: S) -> Self {
        Dual { x, d: [S::default(); N] }
    }
    /// The variable of derivative `i`.
    pub fn variable(x: S, i: usize) -> Self {
        let mut dual = Self::constant(x);
        dual.d[i] = S::from(1.0);
        dual
    }
    fn chain(self, f: S, df: S) -> Self {
        Dual { x: f, d: self.d.map(|d| d * df) }
    }
}

impl<S: Scalar> Jet<S> {
    /// f(self) from f, f', f'' at the value.
    fn chain(self, f: S, df: S, ddf: S) -> Self {
        Jet { x: f, d: self.d * df, dd: self.dd * df + self.d * self.d * ddf }
    }
}

impl<const N: usize, S: Scalar> Default for Dual<N, S> {
    fn default() -> Self {
        Self::constant(S::default())
    }
}
impl<S: Scalar> Default for Jet<S> {
    fn default() -> Self {
        Self::from(0.0)
    }
}
impl<const N: usize, S: Scalar> From<f64> for Dual<N, S> {
    fn from(x: f64) -> Self {
        Self::constant(S::from(x))
    }
}
impl<S: Scalar> From<f64> for Jet<S> {
    fn from(x: f64) -> Self {
        Jet { x: S::from(x), d: S::default(), dd: S::default() }
    }
}

impl<const N: usize, S: Scalar> Neg for Dual<N, S> {
    type Output = Self;
    fn neg(self) -> Self {
        Dual { x: -self.x, d: self.d.map(|d| -d) }
    }
}
impl<S: Scalar> Neg for Jet<S> {
    type Output = Self;
    fn neg(self) -> Self {
        Jet { x: -self.x, d: -self.d, dd: -self.dd }
    }
}
impl<const N: usize, S: Scalar> Add for Dual<N, S> {
    type Output = Self;
    fn add(mut self, o: Self) -> Self {
        self.x += o.x;
        for (a, b) in self.d.iter_mut().zip(o.d) {
            *a += b;
        }
        self
    }
}
impl<S: Scalar> Add for Jet<S> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Jet { x: self.x + o.x, d: self.d + o.d, dd: self.dd + o.dd }
    }
}
impl<const N: usize, S: Scalar> Mul for Dual<N, S> {
    type Output = Self;
    fn mul(mut self, o: Self) -> Self {
        for (a, b) in self.d.iter_mut().zip(o.d) {
            *a = *a * o.x + self.x * b;
        }
        self.x *= o.x;
        self
    }
}
impl<S: Scalar> Mul for Jet<S> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Jet { x: self.x * o.x, d: self.d * o.x + self.x * o.d, dd: self.dd * o.x + self.d * o.d * 2.0 + self.x * o.dd }
    }
}

/// Operators that follow from those above, the same for both types.
macro_rules! derived_operators {
    ($t:ty, [$($p:tt)*], |$s:ident, $c:ident| $add_const:expr, $scale:expr) => {
        impl<$($p)*> Sub for $t {
            type Output = Self;
            fn sub(self, o: Self) -> Self {
                self + -o
            }
        }
        #[allow(clippy::suspicious_arithmetic_impl)] // division is multiplication by the reciprocal
        impl<$($p)*> Div for $t {
            type Output = Self;
            fn div(self, o: Self) -> Self {
                self * o.recip()
            }
        }
        impl<$($p)*> Add<f64> for $t {
            type Output = Self;
            fn add(self, $c: f64) -> Self {
                let $s = self;
                $add_const
            }
        }
        impl<$($p)*> Sub<f64> for $t {
            type Output = Self;
            fn sub(self, c: f64) -> Self {
                self + (-c)
            }
        }
        impl<$($p)*> Mul<f64> for $t {
            type Output = Self;
            fn mul(self, $c: f64) -> Self {
                let $s = self;
                $scale
            }
        }
        #[allow(clippy::suspicious_arithmetic_impl)]
        impl<$($p)*> Div<f64> for $t {
            type Output = Self;
            fn div(self, c: f64) -> Self {
                self * (1.0 / c)
            }
        }
        impl<$($p)*> AddAssign for $t {
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }
        impl<$($p)*> SubAssign for $t {
            fn sub_assign(&mut self, o: Self) {
                *self = *self - o;
            }
        }
        impl<$($p)*> MulAssign for $t {
            fn mul_assign(&mut self, o: Self) {
                *self = *self * o;
            }
        }
    };
}

derived_operators!(Dual<N, S>, [const N: usize, S: Scalar], |s, c|
    Dual { x: s.x + c, ..s },
    Dual { x: s.x * c, d: s.d.map(|d| d * c) });
derived_operators!(Jet<S>, [S: Scalar], |s, c|
    Jet { x: s.x + c, ..s },
    Jet { x: s.x * c, d: s.d * c, dd: s.dd * c });

impl<const N: usize, S: Scalar> Scalar for Dual<N, S> {
    fn value(self) -> f64 {
        self.x.value()
    }
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.x.sin_cos();
        (self.chain(s, c), self.chain(c, -s))
    }
    fn exp(self) -> Self {
        let e = self.x.exp();
        self.chain(e, e)
    }
    fn ln(self) -> Self {
        self.chain(self.x.ln(), self.x.recip())
    }
    fn sqrt(self) -> Self {
        let r = self.x.sqrt();
        self.chain(r, r.recip() * 0.5)
    }
    fn atan(self) -> Self {
        self.chain(self.x.atan(), (self.x * self.x + 1.0).recip())
    }
    fn tanh(self) -> Self {
        self.chain(self.x.tanh(), slope_of_tanh(self.x))
    }
    fn powi(self, n: i32) -> Self {
        match n {
            0 => Self::from(1.0),
            _ => self.chain(self.x.powi(n), self.x.powi(n - 1) * f64::from(n)),
        }
    }
    fn recip(self) -> Self {
        let r = self.x.recip();
        self.chain(r, -(r * r))
    }
}

impl<S: Scalar> Scalar for Jet<S> {
    fn value(self) -> f64 {
        self.x.value()
    }
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.x.sin_cos();
        (self.chain(s, c, -s), self.chain(c, -s, -c))
    }
    fn exp(self) -> Self {
        let e = self.x.exp();
        self.chain(e, e, e)
    }
    fn ln(self) -> Self {
        let r = self.x.recip();
        self.chain(self.x.ln(), r, -(r * r))
    }
    fn sqrt(self) -> Self {
        let y = self.x.sqrt();
        let dy = y.recip() * 0.5;
        self.chain(y, dy, -(dy / self.x) * 0.5)
    }
    fn atan(self) -> Self {
        let r = (self.x * self.x + 1.0).recip();
        self.chain(self.x.atan(), r, -(self.x * r * r) * 2.0)
    }
    fn tanh(self) -> Self {
        let y = self.x.tanh();
        let dy = slope_of_tanh(self.x);
        self.chain(y, dy, -(y * dy) * 2.0)
    }
    fn powi(self, n: i32) -> Self {
        let m = f64::from(n);
        match n {
            0 => Self::from(1.0),
            1 => self,
            _ => self.chain(self.x.powi(n), self.x.powi(n - 1) * m, self.x.powi(n - 2) * (m * (m - 1.0))),
        }
    }
    fn recip(self) -> Self {
        let r = self.x.recip();
        self.chain(r, -(r * r), r * r * r * 2.0)
    }
}

/// 1 - tanh^2 near zero, and 1/cosh^2 elsewhere, which keeps its digits where 1 - tanh^2 has none left.
fn slope_of_tanh<S: Scalar>(x: S) -> S {
    if x.value().abs() < 0.5 {
        let y = x.tanh();
        return -(y * y) + 1.0;
    }
    let e = (x.abs() * -2.0).exp();
    let r = (e + 1.0).recip();
    e * r * r * 4.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function of `Scalar` in one formula.
    fn formula<S: Scalar>(x: S) -> S {
        let (s, c) = x.sin_cos();
        (s * c + (x * 0.5).tan()).exp() / (x.sqrt() + 1.0) - (x + 2.0).ln() * x.atan() + x.tanh().powi(3)
            - x.recip() * x.powi(2)
            + (-x).abs()
    }

    #[test]
    fn jet_and_nested_dual_give_the_same_derivatives_as_differences() {
        let x = 0.7;
        let jet = formula(Jet { x, d: 1.0, dd: 0.0 });
        let nested = formula(Dual::<1, Dual<1>>::variable(Dual::variable(x, 0), 0));
        assert!((jet.d - nested.d[0].x).abs() < 1e-14 * jet.d.abs());
        assert!((jet.dd - nested.d[0].d[0]).abs() < 1e-13 * jet.dd.abs());
        let s = 1e-3;
        let at = |k: f64| formula(x + k * s);
        let first = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * s);
        let second = (at(1.0) - 2.0 * at(0.0) + at(-1.0)) / (s * s);
        assert!((jet.d - first).abs() < 1e-10, "{} {first}", jet.d);
        assert!((jet.dd - second).abs() < 1e-4, "{} {second}", jet.dd);
    }

    #[test]
    fn a_jet_follows_a_curved_path() {
        // x(s) = s^2 at s = 1: (1, 2, 2); d^2/ds^2 x^3 = 30 s^4.
        let y = Jet { x: 1.0, d: 2.0, dd: 2.0 }.powi(3);
        assert_eq!((y.x, y.d, y.dd), (1.0, 6.0, 30.0));
    }
}
