//! The car axis: two masses joined by a rod, on springs, one wheel on a bumpy road (Test Set for IVP Solvers).
//!
//! p = (xl, yl, xr, yr), road under the right wheel yb = r sin(w t), xb = sqrt(L^2 - yb^2); m = M eps^2/2:
//!
//! ```text
//! m p'' = f(t,p) - G^T lambda,    f = ((L0 - Ll) xl/Ll, (L0 - Ll) yl/Ll - m, (L0 - Lr)(xr - xb)/Lr, (L0 - Lr)(yr - yb)/Lr - m)
//! 0 = xl xb + yl yb,   0 = (xl - xr)^2 + (yl - yr)^2 - L^2,     Ll = |(xl, yl)|, Lr = |(xr - xb, yr - yb)|
//! ```
//!
//! L = 1, L0 = 1/2, eps = 1/100, M = 10, r = 1/10, w = 10. The constraint depends on time. The test set writes the
//! reaction +G^T lambda; here it is the standard -G^T lambda, so our multipliers are its with the sign changed.

use alembert::{Differentiated, Dims, Formulas, Scalar};

use crate::problem::{Problem, Reference, Start};
use crate::reference::Settings;

const L: f64 = 1.0;
const L0: f64 = 0.5;
const MASS: f64 = 10.0 * 0.01 * 0.01 / 2.0;
const R: f64 = 0.1;
const W: f64 = 10.0;

struct Axis;

fn road<S: Scalar>(t: S) -> (S, S) {
    let y = (t * W).sin() * R;
    ((-y * y + L * L).sqrt(), y)
}

impl Formulas for Axis {
    fn dims(&self) -> Dims {
        Dims { q: 4, v: 4, lambda: 2, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        (0..4).for_each(|i| mass[5 * i] = S::from(MASS));
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], _: &[S], f: &mut [S]) {
        let (xb, yb) = road(t);
        for (i, dx, dy) in [(0, q[0], q[1]), (2, q[2] - xb, q[3] - yb)] {
            let length = (dx * dx + dy * dy).sqrt();
            let push = (-length + L0) / length;
            f[i] = push * dx;
            f[i + 1] = push * dy - MASS;
        }
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        let (xb, yb) = road(t);
        let (dx, dy) = (q[0] - q[2], q[1] - q[3]);
        g[0] = q[0] * xb + q[1] * yb;
        g[1] = dx * dx + dy * dy - L * L;
    }
}

/// The problem on [0, 3].
pub fn new() -> Problem {
    Problem {
        name: "car_axis",
        title: "car axis on a bumpy road (time-dependent constraint)",
        system: Box::new(Differentiated::new(Axis)),
        start: Start {
            t: 0.0,
            q: vec![0.0, 0.5, 1.0, 0.5],
            v: vec![-0.5, 0.0, -0.5, 0.0],
            lambda: vec![0.0, 0.0],
            psi: vec![],
        },
        t_end: 3.0,
        reference: Reference::Integrated(Settings::default()),
        energy: None,
    }
}

#[cfg(test)]
mod tests {
    /// The newer published values are good to 12 digits, except the sixth with 9.
    #[test]
    fn agrees_with_the_test_set() {
        let published = [
            0.04934557842754028,
            0.49698946023017115,
            1.0417425248854215,
            0.37391102726536124,
            -0.07705836840409723,
            0.007446866587237785,
            0.017556815753723223,
            0.7703410437792519,
            -0.004736886590848933,
            -0.0011046803312573436,
        ];
        let s = super::new().reference_at(3.0);
        let own = s.q.iter().chain(&s.v).copied().chain(s.lambda.iter().map(|x| -x));
        for (i, (own, published)) in own.zip(published).enumerate() {
            let limit = if i == 5 { 3e-10 } else { 3e-12 };
            assert!((own - published).abs() < limit * (1.0_f64).max(own.abs()), "{i}: {:e}", own - published);
        }
    }
}
