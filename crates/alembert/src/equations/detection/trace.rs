//! A number that knows on what it depends.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::scalar::Scalar;

/// A value, and one bit for each of 64 things that it may depend on. A product with the constant zero depends on nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trace {
    pub value: f64,
    pub on: u64,
}

impl Trace {
    fn is_constant_zero(self) -> bool {
        self.on == 0 && self.value == 0.0
    }

    fn map(self, f: impl FnOnce(f64) -> f64) -> Self {
        Trace { value: f(self.value), ..self }
    }
}

impl From<f64> for Trace {
    fn from(value: f64) -> Self {
        Trace { value, on: 0 }
    }
}

impl Neg for Trace {
    type Output = Self;
    fn neg(self) -> Self {
        self.map(|x| -x)
    }
}
impl Add for Trace {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Trace { value: self.value + o.value, on: self.on | o.on }
    }
}
impl Sub for Trace {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}
impl Mul for Trace {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        if self.is_constant_zero() || o.is_constant_zero() {
            return Trace::default();
        }
        Trace { value: self.value * o.value, on: self.on | o.on }
    }
}
impl Div for Trace {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        if self.is_constant_zero() {
            return Trace::default();
        }
        Trace { value: self.value / o.value, on: self.on | o.on }
    }
}
impl Add<f64> for Trace {
    type Output = Self;
    fn add(self, c: f64) -> Self {
        self.map(|x| x + c)
    }
}
impl Sub<f64> for Trace {
    type Output = Self;
    fn sub(self, c: f64) -> Self {
        self.map(|x| x - c)
    }
}
impl Mul<f64> for Trace {
    type Output = Self;
    fn mul(self, c: f64) -> Self {
        self * Trace::from(c)
    }
}
impl Div<f64> for Trace {
    type Output = Self;
    fn div(self, c: f64) -> Self {
        self.map(|x| x / c)
    }
}
impl AddAssign for Trace {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl SubAssign for Trace {
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
impl MulAssign for Trace {
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

impl Scalar for Trace {
    fn value(self) -> f64 {
        self.value
    }
    fn sin_cos(self) -> (Self, Self) {
        (self.map(f64::sin), self.map(f64::cos))
    }
    fn exp(self) -> Self {
        self.map(f64::exp)
    }
    fn ln(self) -> Self {
        self.map(f64::ln)
    }
    fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }
    fn atan(self) -> Self {
        self.map(f64::atan)
    }
    fn tanh(self) -> Self {
        self.map(f64::tanh)
    }
    fn powi(self, n: i32) -> Self {
        if n == 0 { Trace::from(1.0) } else { self.map(|x| x.powi(n)) }
    }
}
