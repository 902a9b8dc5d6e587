//! A disk that rolls without slipping on a plane (paper 2, (7.2); Bloch, Nonholonomic Mechanics and Control).
//!
//! y = (x, y of the contact point, lean y3 from the vertical, heading y4, roll y5). With s3 = sin y3 and so on, the
//! motion has the Lagrangian T - U of the paper,
//!
//! ```text
//! T = m/2 (z1^2 + z2^2 + r^2 z3^2 + r^2 z4^2 s3^2) - m r (z3 c3 (z1 s4 - z2 c4) + z4 s3 (z1 c4 + z2 s4))
//!   + I1/2 (z3^2 + z4^2 c3^2) + I2/2 (z5 + z4 s3)^2,     U = m g r c3
//! 0 = z1 - r c4 z5,  0 = z2 - r s4 z5
//! ```
//!
//! m = 2, r = 1, I1 = I2 = 2, g = 10. The paper prints f4 without the term -I2 z5 c3 z3 that this Lagrangian gives;
//! [`new`] has it and conserves the energy 19.1280, [`printed`] does not and drifts to 19.1328 at t = 10. Three velocity directions
//! are free.

use alembert::{Differentiated, Dims, Formulas, Scalar};

use crate::problem::{EnergyFn, Problem, Reference, Start};
use crate::reference::Settings;

const M: f64 = 2.0;
const R: f64 = 1.0;
const I1: f64 = 2.0;
const I2: f64 = 2.0;
const G: f64 = 10.0;

struct Disk {
    /// Whether f4 has the term the paper lost.
    complete: bool,
}

impl Formulas for Disk {
    fn dims(&self) -> Dims {
        Dims { q: 5, v: 5, lambda: 0, psi: 2 }
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        let ((s3, c3), (s4, c4)) = (q[2].sin_cos(), q[3].sin_cos());
        let mut set = |i: usize, j: usize, x: S| {
            mass[i * 5 + j] = x;
            mass[j * 5 + i] = x;
        };
        set(0, 0, S::from(M));
        set(1, 1, S::from(M));
        set(0, 2, -c3 * s4 * (M * R));
        set(0, 3, -s3 * c4 * (M * R));
        set(1, 2, c3 * c4 * (M * R));
        set(1, 3, -s3 * s4 * (M * R));
        set(2, 2, S::from(M * R * R + I1));
        set(3, 3, s3 * s3 * (M * R * R + I2) + c3 * c3 * I1);
        set(3, 4, s3 * I2);
        set(4, 4, S::from(I2));
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], z: &[S], f: &mut [S]) {
        let ((s3, c3), (s4, c4)) = (q[2].sin_cos(), q[3].sin_cos());
        f[0] = ((z[3] * c3 * c4 - z[2] * s3 * s4) * z[2] + (z[2] * c3 * c4 - z[3] * s3 * s4) * z[3]) * (M * R);
        f[1] = ((z[2] * s3 * c4 + z[3] * c3 * s4) * z[2] + (z[2] * c3 * s4 + z[3] * s3 * c4) * z[3]) * (M * R);
        // The terms with z1 and z2 that the paper prints in f3 and f4 cancel in each.
        f[2] = z[3] * z[3] * s3 * c3 * (M * R * R - I1) + (z[4] + z[3] * s3) * z[3] * c3 * I2 + s3 * (M * R * G);
        f[3] = -z[3] * s3 * c3 * z[2] * (2.0 * (M * R * R - I1 + I2));
        if self.complete {
            f[3] -= z[4] * c3 * z[2] * I2;
        }
        f[4] = -z[3] * c3 * z[2] * I2;
    }
    fn nonholonomic<S: Scalar>(&self, _: S, q: &[S], z: &[S], k: &mut [S]) {
        let (s4, c4) = q[3].sin_cos();
        k[0] = z[0] - c4 * z[4] * R;
        k[1] = z[1] - s4 * z[4] * R;
    }
}

/// T + U.
pub fn energy(q: &[f64], z: &[f64]) -> f64 {
    let ((s3, c3), (s4, c4)) = (q[2].sin_cos(), q[3].sin_cos());
    let kinetic = 0.5 * M * (z[0] * z[0] + z[1] * z[1] + R * R * (z[2] * z[2] + z[3] * z[3] * s3 * s3))
        - M * R * (z[2] * c3 * (z[0] * s4 - z[1] * c4) + z[3] * s3 * (z[0] * c4 + z[1] * s4))
        + 0.5 * I1 * (z[2] * z[2] + z[3] * z[3] * c3 * c3)
        + 0.5 * I2 * (z[4] + z[3] * s3).powi(2);
    kinetic + M * G * R * c3
}

/// The disk with the force of its Lagrangian, until t = 10.
pub fn new() -> Problem {
    let conserved: EnergyFn = Box::new(|_, q, v| energy(q, v));
    Problem { energy: Some(conserved), ..problem("rolling_disk", "rolling disk (paper 2, 7.2, corrected)", true) }
}

/// The disk as printed in the paper: not a mechanical system, since it gains energy.
pub fn printed() -> Problem {
    problem("rolling_disk_printed", "rolling disk (paper 2, 7.2, as printed)", false)
}

fn problem(name: &'static str, title: &'static str, complete: bool) -> Problem {
    Problem {
        name,
        title,
        system: Box::new(Differentiated::new(Disk { complete })),
        start: Start {
            t: 0.0,
            q: vec![0.1, 0.0, 0.3, 0.0, 1.0],
            v: vec![0.1, 0.0, 0.02, -0.02, 0.1],
            lambda: vec![],
            psi: vec![0.0, 0.0],
        },
        t_end: 10.0,
        reference: Reference::Integrated(Settings::default()),
        energy: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_corrected_disk_keeps_its_energy() {
        let (good, bad) = (new(), printed());
        let start = energy(&good.start.q, &good.start.v);
        assert!((start - 19.1280).abs() < 5e-5, "{start}");
        let end = good.reference_at(10.0);
        assert!((energy(&end.q, &end.v) - start).abs() < 1e-11, "{:e}", energy(&end.q, &end.v) - start);
        let end = bad.reference_at(10.0);
        assert!((energy(&end.q, &end.v) - 19.1328).abs() < 5e-5, "{}", energy(&end.q, &end.v));
    }
}
