//! Exact solutions of linear systems, and those of others by small steps of the classical Runge-Kutta method: nothing of the library.

// Each test uses its own part.
#![allow(dead_code)]

/// x' = A x.
pub struct Linear<const N: usize>(pub [[f64; N]; N]);

impl<const N: usize> Linear<N> {
    pub fn rate(&self, x: [f64; N]) -> [f64; N] {
        std::array::from_fn(|i| (0..N).map(|j| self.0[i][j] * x[j]).sum())
    }

    /// e^(A t) x by scaling and squaring: Taylor's series of A t / 2^k, whose norm is below 1/2, squared k times.
    pub fn after(&self, t: f64, x: [f64; N]) -> [f64; N] {
        let norm = self.0.iter().map(|row| row.iter().map(|a| (a * t).abs()).sum::<f64>()).fold(0.0, f64::max);
        let squarings = (2.0 * norm).max(1.0).log2().ceil() as i32;
        let small: [[f64; N]; N] = self.0.map(|row| row.map(|a| a * t * 0.5_f64.powi(squarings)));
        let identity: [[f64; N]; N] = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
        let (mut term, mut sum) = (identity, identity);
        for k in 1..=20 {
            term = product(&term, &small).map(|row| row.map(|a| a / f64::from(k)));
            for i in 0..N {
                for j in 0..N {
                    sum[i][j] += term[i][j];
                }
            }
        }
        for _ in 0..squarings {
            sum = product(&sum, &sum);
        }
        std::array::from_fn(|i| (0..N).map(|j| sum[i][j] * x[j]).sum())
    }
}

fn product<const N: usize>(a: &[[f64; N]; N], b: &[[f64; N]; N]) -> [[f64; N]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..N).map(|k| a[i][k] * b[k][j]).sum()))
}

/// The solution of x' = f(x) by steps of about h of order 4.
pub fn runge_kutta<const N: usize>(h: f64, t_end: f64, mut x: [f64; N], f: impl Fn([f64; N]) -> [f64; N]) -> [f64; N] {
    let steps = (t_end / h).round() as usize;
    let h = t_end / steps as f64;
    let moved = |x: [f64; N], s: f64, k: [f64; N]| std::array::from_fn(|i| x[i] + s * k[i]);
    for _ in 0..steps {
        let k1 = f(x);
        let k2 = f(moved(x, 0.5 * h, k1));
        let k3 = f(moved(x, 0.5 * h, k2));
        let k4 = f(moved(x, h, k3));
        x = std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    x
}
