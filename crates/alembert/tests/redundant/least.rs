//! Accelerations and smallest multipliers by a singular value decomposition, with nothing of the library's solvers:
//!
//! ```text
//! B = D^-1/2 G M^-1/2 = U S V^T,    D = diag(G M^-1 G^T)          M is diagonal here
//! nu = U S^-1 (V^T M^-1/2 f + S^-1 U^T D^-1/2 bias),              lambda = D^-1/2 nu,   a = M^-1 (f - G^T lambda)
//! ```

use alembert::{At, ConstrainedSystem, Quantity, State};
use faer::Mat;

/// Singular values below this share of the largest are zeros.
const ZERO: f64 = 1e-10;

pub struct Least {
    pub rank: usize,
    pub a: Vec<f64>,
    pub lambda: Vec<f64>,
    /// The diagonal of D.
    pub scale: Vec<f64>,
}

impl Least {
    /// Of a system with dense matrices, at the time, q and v of a state.
    pub fn new(system: &dyn ConstrainedSystem, state: &State) -> Self {
        let (n, m) = (system.dims().v, system.dims().lambda);
        let State { t, q, v, .. } = state;
        let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
        let (mut g_q, mut bias) = (vec![0.0; m * n], vec![0.0; m]);
        let _ = system.ask(Quantity::Mass, &At::new(*t, q, &[]), &mut mass);
        let _ = system.ask(Quantity::Force, &At::new(*t, q, v), &mut force);
        let _ = system.ask(Quantity::HolonomicQ, &At::new(*t, q, &[]), &mut g_q);
        let _ = system.ask(Quantity::HolonomicBias, &At::new(*t, q, v), &mut bias);
        let mass: Vec<f64> = (0..n).map(|j| mass[j * (n + 1)]).collect();
        let scale: Vec<f64> = (0..m).map(|i| (0..n).map(|j| g_q[i * n + j].powi(2) / mass[j]).sum()).collect();
        let b = Mat::from_fn(m, n, |i, j| g_q[i * n + j] / (scale[i] * mass[j]).sqrt());
        let svd = b.thin_svd().expect("it converges");
        let (u, s, v) = (svd.U(), svd.S().column_vector(), svd.V());
        let rank = (0..s.nrows()).filter(|&k| s[k] > ZERO * s[0]).count();
        let mut nu = vec![0.0; m];
        for k in 0..rank {
            let by_force: f64 = (0..n).map(|j| v[(j, k)] * force[j] / mass[j].sqrt()).sum();
            let by_bias: f64 = (0..m).map(|i| u[(i, k)] * bias[i] / scale[i].sqrt()).sum();
            nu.iter_mut().enumerate().for_each(|(i, nu)| *nu += u[(i, k)] / s[k] * (by_force + by_bias / s[k]));
        }
        let lambda: Vec<f64> = nu.iter().zip(&scale).map(|(nu, d)| nu / d.sqrt()).collect();
        let reaction = |j: usize| -> f64 { (0..m).map(|i| g_q[i * n + j] * lambda[i]).sum() };
        let a = (0..n).map(|j| (force[j] - reaction(j)) / mass[j]).collect();
        Least { rank, a, lambda, scale }
    }

    /// Largest difference of multipliers, each in units of the acceleration it causes, relative to the largest.
    pub fn distance(&self, lambda: &[f64]) -> f64 {
        let largest = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0_f64, |max, x| max.max(x.abs()));
        let scaled = || self.lambda.iter().zip(&self.scale).map(|(x, d)| x * d.sqrt());
        let whole = largest(&mut scaled());
        largest(&mut scaled().zip(lambda.iter().zip(&self.scale)).map(|(x, (y, d))| x - y * d.sqrt())) / whole
    }
}
