//! Jacobi's elliptic functions by the arithmetic-geometric mean (Abramowitz and Stegun 16.4).

/// (sn, cn, dn) of u with parameter m = k^2 in [0, 1).
pub(crate) fn jacobi(u: f64, m: f64) -> (f64, f64, f64) {
    let mut a = vec![1.0];
    let mut c = vec![m.sqrt()];
    let mut b = (1.0 - m).sqrt();
    // The mean converges quadratically: six rounds reach rounding for any m not next to 1.
    for i in 0..8 {
        c.push(0.5 * (a[i] - b));
        let mean = 0.5 * (a[i] + b);
        b = (a[i] * b).sqrt();
        a.push(mean);
    }
    let n = a.len() - 1;
    let mut phi = a[n] * u * f64::powi(2.0, n as i32);
    for i in (1..=n).rev() {
        phi = 0.5 * (phi + (c[i] / a[i] * phi.sin()).asin());
    }
    let (sn, cn) = phi.sin_cos();
    (sn, cn, (1.0 - m * sn * sn).sqrt())
}
