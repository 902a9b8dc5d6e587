//! A free body with three different moments of inertia, turning about its centre: J w' = J w * w.
//!
//! J = (1, 2, 3.5), w(0) = (1, 0.2, 0.7): near no principal axis. Energy and the momentum R J w in space are constant. The
//! reference integrates w and the quaternion by extrapolation; a test compares w with Jacobi's elliptic functions.

use alembert::rotation::{Vector, cross, to_space};
use alembert::{Differentiated, Dims, Formulas, Scalar};

use crate::problem::{Problem, Reference, Start};
use crate::reference::Settings;

const INERTIA: Vector = [1.0, 2.0, 3.5];
const SPIN: Vector = [1.0, 0.2, 0.7];

struct FreeBody;

impl Formulas for FreeBody {
    fn dims(&self) -> Dims {
        Dims { q: 4, v: 3, lambda: 0, psi: 0 }
    }
    fn rotations(&self) -> &[usize] {
        &[0]
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        for i in 0..3 {
            mass[4 * i] = S::from(INERTIA[i]);
        }
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], w: &[S], force: &mut [S]) {
        let w = [w[0], w[1], w[2]];
        force.copy_from_slice(&cross(&[0, 1, 2].map(|i| w[i] * INERTIA[i]), &w));
    }
}

/// Twice the kinetic energy.
pub fn energy(w: &[f64]) -> f64 {
    (0..3).map(|i| INERTIA[i] * w[i] * w[i]).sum()
}

/// The angular momentum in space.
pub fn momentum(p: &[f64], w: &[f64]) -> Vector {
    to_space(&[p[0], p[1], p[2], p[3]], &[0, 1, 2].map(|i| INERTIA[i] * w[i]))
}

/// The body from the attitude (1, 0, 0, 0), until t = 10.
pub fn new() -> Problem {
    Problem {
        name: "free_body",
        title: "free asymmetric body",
        system: Box::new(Differentiated::new(FreeBody)),
        start: Start { t: 0.0, q: vec![1.0, 0.0, 0.0, 0.0], v: SPIN.to_vec(), lambda: vec![], psi: vec![] },
        t_end: 10.0,
        reference: Reference::Integrated(Settings::default()),
        energy: Some(Box::new(|_, _, w| 0.5 * energy(w))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elliptic::jacobi;

    #[test]
    fn the_spin_follows_jacobi() {
        // Landau and Lifshitz, Mechanics, section 37, with I1 < I2 < I3: for M^2 > 2 E I2 w1 = cn, w2 = sn, w3 = dn.
        let [i1, i2, i3] = INERTIA;
        let (e2, m2) = (energy(&SPIN), (0..3).map(|i| (INERTIA[i] * SPIN[i]).powi(2)).sum::<f64>());
        let at = |tau: f64, k2: f64, above: bool| {
            let (sn, cn, dn) = jacobi(tau, k2);
            let c1 = ((e2 * i3 - m2) / (i1 * (i3 - i1))).sqrt();
            let c3 = ((m2 - e2 * i1) / (i3 * (i3 - i1))).sqrt();
            let (top, bottom) = if above { (e2 * i3 - m2, i3 - i2) } else { (m2 - e2 * i1, i2 - i1) };
            let c2 = (top / (i2 * bottom)).sqrt();
            if above { [c1 * cn, c2 * sn, c3 * dn] } else { [c1 * dn, c2 * sn, c3 * cn] }
        };
        let above = m2 > e2 * i2;
        let low = (i2 - i1) * (e2 * i3 - m2);
        let high = (i3 - i2) * (m2 - e2 * i1);
        let (k2, rate) = if above { (low / high, high) } else { (high / low, low) };
        let rate = (rate / (i1 * i2 * i3)).sqrt();
        // The phase of the start, by bisection of w2 within the quarter where it grows; sn has the sign of w2.
        let (mut a, mut b) = (-1.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (a + b);
            if at(middle, k2, above)[1] < SPIN[1] { a = middle } else { b = middle }
        }
        let problem = new();
        // The sense of the motion along the curve is that of w2' = (J3 - J1) w3 w1/J2 > 0 at the start.
        for t in [0.0, 1.0, 4.0, 10.0] {
            let w = at(a + rate * t, k2, above);
            let reference = problem.reference_at(t);
            for (x, y) in w.iter().zip(&reference.v) {
                assert!((x - y).abs() < 1e-12, "t = {t}: {x} {y}");
            }
            let (now, start) = (momentum(&reference.q, &reference.v), momentum(&problem.start.q, &SPIN));
            for (x, y) in now.iter().zip(start) {
                assert!((x - y).abs() < 1e-12, "t = {t}: momentum {x} {y}");
            }
        }
    }
}
