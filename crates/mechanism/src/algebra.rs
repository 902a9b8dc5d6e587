//! Vectors of three components and matrices of three by three, row by row.
//!
//! ```text
//! x^ u = x * u,    x^ y^ = y x^T - (x.y) I
//! ```

pub use alembert::rotation::{Vector, cross, dot};

/// A matrix, row by row.
pub type Matrix = [Vector; 3];

/// The matrix of zeros.
pub const ZERO: Matrix = [[0.0; 3]; 3];
/// The unit matrix.
pub const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// x + y.
#[inline]
pub fn sum(x: &Vector, y: &Vector) -> Vector {
    [x[0] + y[0], x[1] + y[1], x[2] + y[2]]
}

/// x - y.
#[inline]
pub fn difference(x: &Vector, y: &Vector) -> Vector {
    [x[0] - y[0], x[1] - y[1], x[2] - y[2]]
}

/// c x.
#[inline]
pub fn scaled(c: f64, x: &Vector) -> Vector {
    [c * x[0], c * x[1], c * x[2]]
}

/// y += c x.
#[inline]
pub fn add(y: &mut Vector, c: f64, x: &Vector) {
    (0..3).for_each(|i| y[i] += c * x[i]);
}

/// |x|.
#[inline]
pub fn length(x: &Vector) -> f64 {
    dot(x, x).sqrt()
}

/// A x.
#[inline]
pub fn times(a: &Matrix, x: &Vector) -> Vector {
    [dot(&a[0], x), dot(&a[1], x), dot(&a[2], x)]
}

/// A^T x.
#[inline]
pub fn transposed_times(a: &Matrix, x: &Vector) -> Vector {
    [0, 1, 2].map(|j| a[0][j] * x[0] + a[1][j] * x[1] + a[2][j] * x[2])
}

/// A B.
#[inline]
pub fn product(a: &Matrix, b: &Matrix) -> Matrix {
    a.map(|row| transposed_times(b, &row))
}

/// A^T B.
#[inline]
pub fn transposed_product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut c = ZERO;
    for k in 0..3 {
        for i in 0..3 {
            add(&mut c[i], a[k][i], &b[k]);
        }
    }
    c
}

/// A^T.
#[inline]
pub fn transposed(a: &Matrix) -> Matrix {
    [0, 1, 2].map(|j| [a[0][j], a[1][j], a[2][j]])
}

/// B += c A.
#[inline]
pub fn add_matrix(b: &mut Matrix, c: f64, a: &Matrix) {
    b.iter_mut().zip(a).for_each(|(b, a)| add(b, c, a));
}

/// x y^T.
#[inline]
pub fn outer(x: &Vector, y: &Vector) -> Matrix {
    x.map(|x| scaled(x, y))
}

/// x^.
#[inline]
pub fn hat(x: &Vector) -> Matrix {
    [[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]]
}

/// x^ A: its columns are x * a.
#[inline]
pub fn hat_times(x: &Vector, a: &Matrix) -> Matrix {
    let mut c = ZERO;
    add(&mut c[0], -x[2], &a[1]);
    add(&mut c[0], x[1], &a[2]);
    add(&mut c[1], x[2], &a[0]);
    add(&mut c[1], -x[0], &a[2]);
    add(&mut c[2], -x[1], &a[0]);
    add(&mut c[2], x[0], &a[1]);
    c
}

/// A x^: its rows are a * x.
#[inline]
pub fn times_hat(a: &Matrix, x: &Vector) -> Matrix {
    a.map(|row| cross(&row, x))
}

/// x^ y^ = y x^T - (x.y) I.
#[inline]
pub fn hat_hat(x: &Vector, y: &Vector) -> Matrix {
    let mut c = outer(y, x);
    let inner = dot(x, y);
    (0..3).for_each(|i| c[i][i] -= inner);
    c
}

/// x/|x|; none where x is too short for a direction or not finite.
pub fn unit(x: &Vector) -> Option<Vector> {
    let size = x.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    if !(size > 1e-150 && size.is_finite()) {
        return None;
    }
    let x = scaled(1.0 / size, x);
    Some(scaled(1.0 / length(&x), &x))
}

/// Some direction across z, a unit vector; along the axes it goes on in a circle: x to y to z to x.
pub fn across(z: &Vector) -> Vector {
    let mut most = 0;
    for i in 1..3 {
        if z[i].abs() > z[most].abs() {
            most = i;
        }
    }
    let mut towards = [0.0; 3];
    towards[(most + 1) % 3] = 1.0;
    let along = dot(&towards, z);
    let rest = difference(&towards, &scaled(along, z));
    scaled(1.0 / length(&rest), &rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_with_hats_are_products_of_matrices() {
        let (x, y) = ([0.3, -1.2, 0.7], [2.0, 0.4, -0.9]);
        let a = [[1.0, 2.0, -1.0], [0.5, -0.3, 4.0], [2.2, 0.1, 0.6]];
        let close = |a: &Matrix, b: &Matrix| {
            let apart = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-15, "{a:?} {b:?}");
        };
        close(&hat_times(&x, &a), &product(&hat(&x), &a));
        close(&times_hat(&a, &x), &product(&a, &hat(&x)));
        close(&hat_hat(&x, &y), &product(&hat(&x), &hat(&y)));
        close(&transposed_product(&a, &hat(&x)), &product(&transposed(&a), &hat(&x)));
        assert_eq!(times(&hat(&x), &y), cross(&x, &y));
    }

    #[test]
    fn directions_across_axes_go_in_a_circle() {
        for (i, axis) in IDENTITY.iter().enumerate() {
            assert_eq!(across(axis), IDENTITY[(i + 1) % 3]);
        }
        let z = unit(&[0.2, -0.9, 0.5]).expect("a direction");
        assert!(dot(&across(&z), &z).abs() < 1e-16 && (length(&across(&z)) - 1.0).abs() < 1e-15);
        assert_eq!(unit(&[0.0; 3]), None);
    }
}
