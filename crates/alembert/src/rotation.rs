//! One rotation: unit quaternions, the exponential map and its tangent, over any [`Scalar`].
//!
//! A unit quaternion p = (p0, p1, p2, p3), with its scalar part first, turns body components u into space components R(p) u.
//! If w is the angular velocity in body components, p' = p (0, w)/2. An increment x is a rotation vector in body components:
//!
//! ```text
//! p o x = p exp(x),    exp(x) = (cos |x|/2, x sin(|x|/2)/|x|)
//! d(p o x) = (p o x) o (T dx)                  T    = I - a1 x^ + a2 x^ x^        x^ u = x * u
//! x' = T^-1 w  along x(t)                      T^-1 = I + x^/2 + c x^ x^
//! (T^-1 w)_x = -w^/2 - c ((x*w)^ + x^ w^) + (c'/s) (x*(x*w)) x^T
//! a1 = (1 - cos s)/s^2,   a2 = (s - sin s)/s^3,   c = (1 - (s/2) cot(s/2))/s^2,   s = |x|
//! ```
//!
//! The coefficients are functions of s^2; below 1/4 they are summed as power series, which keeps derivatives smooth
//! through zero.

use crate::scalar::Scalar;

/// A vector of three components.
pub type Vector<S = f64> = [S; 3];
/// A quaternion, scalar part first.
pub type Quaternion<S = f64> = [S; 4];

/// s^2 below which the coefficients are summed as power series: the ninth term of each is then below rounding.
const SERIES: f64 = 0.25;

/// |B_2k|/(2k)!, k = 1, 2, ...: the power series of c in s^2.
const COTANGENT: [f64; 9] = [
    1.0 / 12.0,
    1.0 / 720.0,
    1.0 / 30_240.0,
    1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    3617.0 / 10_670_622_842_880_000.0,
    43_867.0 / 5_109_094_217_170_944_000.0,
];

/// s^2 below which five terms leave nothing of the coefficients, nor of their first two derivatives: turns of a step are rarely larger.
const SHORT_SERIES: f64 = 1e-5;

/// sum (-square)^k first!/(first + 2k)!, so that 1 stands for first = 0.
fn alternating<S: Scalar>(square: S, first: u32) -> S {
    if square.value() < SHORT_SERIES { terms::<S, 5>(square, first) } else { terms::<S, 10>(square, first) }
}

/// The same with so many terms: a number that the compiler knows, because every term waits for the division of the one before.
#[inline(always)]
fn terms<S: Scalar, const N: u32>(square: S, first: u32) -> S {
    let mut sum = S::from(1.0);
    for k in (1..N).rev() {
        let n = f64::from(first + 2 * k);
        sum = -(square * sum) / (n * (n - 1.0)) + 1.0;
    }
    sum
}

fn powers<S: Scalar>(square: S, coefficients: impl DoubleEndedIterator<Item = f64>) -> S {
    coefficients.rev().fold(S::default(), |sum, c| sum * square + c)
}

fn square<S: Scalar>(x: &Vector<S>) -> S {
    dot(x, x)
}

/// (1 - cos s)/s^2 and (s - sin s)/s^3.
fn tangent_coefficients<S: Scalar>(square: S) -> [S; 2] {
    if square.value() < SERIES {
        return [alternating(square, 2) / 2.0, alternating(square, 3) / 6.0];
    }
    let s = square.sqrt();
    let half = (s / 2.0).sin();
    [half * half * 2.0 / square, (s - s.sin()) / (square * s)]
}

/// c.
fn inverse_coefficient<S: Scalar>(square: S) -> S {
    if square.value() < SERIES {
        return powers(square, COTANGENT.into_iter());
    }
    let half = square.sqrt() / 2.0;
    (-(half / half.tan()) + 1.0) / square
}

/// c'/s = 2 dc/d(s^2).
fn inverse_slope(square: f64) -> f64 {
    if square < SERIES {
        return powers(square, (1..COTANGENT.len()).map(|k| 2.0 * k as f64 * COTANGENT[k]));
    }
    let s = square.sqrt();
    let (sin, cos) = (0.5 * s).sin_cos();
    (0.25 / (sin * sin) - 0.5 * cos / (sin * s)) / square - 2.0 * inverse_coefficient(square) / square
}

/// x . y.
pub fn dot<S: Scalar>(x: &Vector<S>, y: &Vector<S>) -> S {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

/// x * y, the cross product.
pub fn cross<S: Scalar>(x: &Vector<S>, y: &Vector<S>) -> Vector<S> {
    [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
}

/// The product p q: the rotation q followed by the rotation p, both about axes fixed in space.
pub fn product<S: Scalar>(p: &Quaternion<S>, q: &Quaternion<S>) -> Quaternion<S> {
    [
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    ]
}

/// The inverse of a unit quaternion.
pub fn inverse<S: Scalar>(p: &Quaternion<S>) -> Quaternion<S> {
    [p[0], -p[1], -p[2], -p[3]]
}

/// R(p) u: body components u in space. It is quadratic in p, so that derivatives need no quaternion of unit length.
pub fn to_space<S: Scalar>(p: &Quaternion<S>, u: &Vector<S>) -> Vector<S> {
    let axis = [p[1], p[2], p[3]];
    let once = cross(&axis, u);
    let twice = cross(&axis, &once);
    [0, 1, 2].map(|i| u[i] + (once[i] * p[0] + twice[i]) * 2.0)
}

/// R(p)^T u: space components u in the body.
pub fn to_body<S: Scalar>(p: &Quaternion<S>, u: &Vector<S>) -> Vector<S> {
    to_space(&inverse(p), u)
}

/// exp(x).
pub fn exp<S: Scalar>(x: &Vector<S>) -> Quaternion<S> {
    let square = square(x);
    let (sine, cosine) = if square.value() < SERIES {
        (alternating(square / 4.0, 1) / 2.0, alternating(square / 4.0, 0))
    } else {
        let s = square.sqrt();
        let (sin, cos) = (s / 2.0).sin_cos();
        (sin / s, cos)
    };
    [cosine, x[0] * sine, x[1] * sine, x[2] * sine]
}

/// The shortest rotation vector x with exp(x) = p or -p, which are the same rotation; of length at most pi.
pub fn log(p: &Quaternion) -> Vector {
    let sign = if p[0] < 0.0 { -1.0 } else { 1.0 };
    let sine = (p[1] * p[1] + p[2] * p[2] + p[3] * p[3]).sqrt();
    let factor = if sine > f64::MIN_POSITIVE { sign * 2.0 * sine.atan2(sign * p[0]) / sine } else { 2.0 * sign };
    [factor * p[1], factor * p[2], factor * p[3]]
}

/// T(x) u.
pub fn tangent<S: Scalar>(x: &Vector<S>, u: &Vector<S>) -> Vector<S> {
    let [a1, a2] = tangent_coefficients(square(x));
    let once = cross(x, u);
    let twice = cross(x, &once);
    [0, 1, 2].map(|i| u[i] - once[i] * a1 + twice[i] * a2)
}

/// T(x)^-1 u; |x| must be less than 2 pi.
pub fn inverse_tangent<S: Scalar>(x: &Vector<S>, u: &Vector<S>) -> Vector<S> {
    let c = inverse_coefficient(square(x));
    let once = cross(x, u);
    let twice = cross(x, &once);
    [0, 1, 2].map(|i| u[i] + once[i] / 2.0 + twice[i] * c)
}

/// I + c1 x^ + c2 x^ x^, row by row.
fn matrix(x: &Vector, c1: f64, c2: f64) -> [Vector; 3] {
    // x^ x^ = x x^T - (x . x) I.
    let diagonal = 1.0 - c2 * square(x);
    let [a, b, c] = x.map(|x| c1 * x);
    let entry = |i: usize, j: usize| c2 * x[i] * x[j];
    [
        [diagonal + entry(0, 0), entry(0, 1) - c, entry(0, 2) + b],
        [entry(1, 0) + c, diagonal + entry(1, 1), entry(1, 2) - a],
        [entry(2, 0) - b, entry(2, 1) + a, diagonal + entry(2, 2)],
    ]
}

/// T(x), row by row.
pub fn tangent_matrix(x: &Vector) -> [Vector; 3] {
    let [a1, a2] = tangent_coefficients(square(x));
    matrix(x, -a1, a2)
}

/// T(x)^-1, row by row; |x| must be less than 2 pi.
pub fn inverse_tangent_matrix(x: &Vector) -> [Vector; 3] {
    matrix(x, 0.5, inverse_coefficient(square(x)))
}

/// d/dx (T(x)^-1 w) along u.
pub fn inverse_tangent_x(x: &Vector, w: &Vector, u: &Vector) -> Vector {
    let square = square(x);
    let (c, slope) = (inverse_coefficient(square), inverse_slope(square));
    let (uw, xw) = (cross(u, w), cross(x, w));
    let (xxw, along) = (cross(x, &xw), dot(x, u));
    let (first, second) = (cross(u, &xw), cross(x, &uw));
    [0, 1, 2].map(|i| 0.5 * uw[i] + c * (first[i] + second[i]) + slope * along * xxw[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Dual;

    /// Rotation vectors of all lengths up to nearly 2 pi, on both sides of the switch to series.
    fn samples() -> impl Iterator<Item = (Vector, Vector)> {
        let mut seed = 0x9e37_79b9_u64;
        let mut uniform = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        (0..400).map(move |k| {
            let length = [0.0, 1e-9, 1e-3, 0.4999, 0.5001, 1.0, 2.5, 5.5][k % 8];
            let mut x = [uniform(), uniform(), uniform()];
            let size = dot(&x, &x).sqrt();
            x.iter_mut().for_each(|x| *x *= length / size);
            (x, [uniform(), uniform(), uniform()])
        })
    }

    fn distance(x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).fold(0.0, |max, (x, y)| max.max((x - y).abs()))
    }

    #[test]
    fn exponentials_are_units_and_logarithms_undo_them() {
        for (x, u) in samples() {
            let p = exp(&x);
            assert!((p.iter().map(|p| p * p).sum::<f64>() - 1.0).abs() < 1e-15);
            if dot(&x, &x).sqrt() < 3.1 {
                assert!(distance(&log(&p), &x) < 1e-14, "{x:?}");
                assert!(distance(&log(&p.map(|p| -p)), &x) < 1e-14, "{x:?}");
            }
            assert!(distance(&to_body(&p, &to_space(&p, &u)), &u) < 4e-15);
            assert!(distance(&product(&p, &inverse(&p)), &[1.0, 0.0, 0.0, 0.0]) < 1e-15);
            // Rotating by x leaves x itself alone, and turns vectors across it by the angle.
            assert!(distance(&to_space(&p, &x), &x) < 1e-14);
        }
    }

    #[test]
    fn products_compose_rotations() {
        for ((x, u), (y, _)) in samples().zip(samples().skip(7)) {
            let (p, q) = (exp(&x), exp(&y));
            let both = to_space(&product(&p, &q), &u);
            assert!(distance(&both, &to_space(&p, &to_space(&q, &u))) < 4e-15);
        }
    }

    #[test]
    fn the_tangent_is_the_derivative_of_the_exponential() {
        for (x, u) in samples() {
            // exp(x + e u) = exp(x) exp(e T u + ...), exactly by dual numbers.
            let moved: Vector<Dual<1>> = [0, 1, 2].map(|i| Dual { x: x[i], d: [u[i]] });
            let there = exp(&moved);
            let relative = product(&inverse(&exp(&x)), &there.map(|p| p.d[0]));
            let t = tangent(&x, &u);
            assert!(distance(&relative, &[0.0, 0.5 * t[0], 0.5 * t[1], 0.5 * t[2]]) < 2e-14, "{x:?}");
            assert!(distance(&inverse_tangent(&x, &t), &u) < 1e-12, "{x:?}");
        }
    }

    #[test]
    fn the_slope_of_the_inverse_tangent_is_its_derivative() {
        for ((x, u), (_, w)) in samples().zip(samples().skip(3)) {
            let moved: Vector<Dual<1>> = [0, 1, 2].map(|i| Dual { x: x[i], d: [u[i]] });
            let exact = inverse_tangent(&moved, &w.map(Dual::constant)).map(|y| y.d[0]);
            let slope = inverse_tangent_x(&x, &w, &u);
            assert!(distance(&slope, &exact) < 1e-11 * (1.0 + dot(&exact, &exact).sqrt()), "{x:?}");
        }
    }

    #[test]
    fn matrices_are_those_of_the_maps() {
        for (x, u) in samples() {
            let times = |matrix: [Vector; 3]| matrix.map(|row| dot(&row, &u));
            assert!(distance(&times(tangent_matrix(&x)), &tangent(&x, &u)) < 4e-15 * (1.0 + dot(&x, &x)));
            assert!(
                distance(&times(inverse_tangent_matrix(&x)), &inverse_tangent(&x, &u)) < 4e-14 * (1.0 + dot(&x, &x))
            );
        }
    }
}
