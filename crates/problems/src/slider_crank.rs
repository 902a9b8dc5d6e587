//! A slider crank with a flexible connecting rod (Simeon 1996; Test Set for IVP Solvers, problem crank).
//!
//! Coordinates (phi1, phi2, x3, e1..e4): angles of crank and rod, slider position, and the rod's deformation in its
//! own frame: longitudinal u(x) = e3 N3(x) + e4 N4(x) (e4 is the end displacement), lateral w(x) = e1 sin(pi x/l) + e2 sin(2 pi x/l).
//! The crank is turned at a constant rate by a constraint.
//!
//! ```text
//! 0 = l1 sin phi1 + (l2 + e4) sin phi2,   0 = x3 - l1 cos phi1 - (l2 + e4) cos phi2,   0 = phi1 - 150 t
//! ```
//!
//! The kinetic energy of rod points r = l1 d(phi1) + (x + u) d(phi2) + w n(phi2), d, n along and across, gives integrals
//! of the shapes over the rod (volume V = b h l2): c1 = int u, c2 = int w, c12 = int x u, c21 = int x w, the skew
//! B = int (u w' - w u'), mass and stiffness matrices. Their values are those of the test set, with its rounded
//! pi = 3.1415927; its entries 8, 1, 1, 2 of the longitudinal mass matrix define the problem as they are. No gravity,
//! no damping, linear stiffness; elastic frequencies 1.3e3 to 2.5e4 rad/s.
//!
//! The published start values are rounded to nine digits: here x3 is replaced by the value that closes the loop (a
//! change of 2e-10) and the velocity by its projection in the mass metric (1e-8). The reference at the end
//! (extrapolation in 80-bit arithmetic) differs from the published one by 4.5e-11 or less in the positions.

use alembert::{Differentiated, Dims, Formulas, Scalar, State};

use crate::problem::{Problem, Reference, Start};
use crate::reference::Settings;

const M2: f64 = 0.151104;
const M3: f64 = 0.075552;
const L1: f64 = 0.15;
const L2: f64 = 0.30;
const J1: f64 = 0.002727;
const J2: f64 = 0.0045339259;
const YOUNG: f64 = 0.20e12;
const SIDE: f64 = 0.0080;
const DENSITY: f64 = 7870.0;
const OMEGA: f64 = 150.0;
#[allow(clippy::approx_constant)] // part of the problem's definition
const PI: f64 = 3.1415927;

struct Crank {
    mass: [[f64; 4]; 4],
    stiffness: [[f64; 4]; 4],
    /// The skew integral B, times the density.
    skew: [[f64; 4]; 4],
    /// c1, c2, c12, c21, times the density.
    c1: [f64; 4],
    c2: [f64; 4],
    c12: [f64; 4],
    c21: [f64; 4],
}

impl Crank {
    fn new(young: f64) -> Self {
        let rod = DENSITY * SIDE * SIDE * L2;
        let spring = young * SIDE * SIDE / L2;
        let slender = PI.powi(4) * (SIDE / L2).powi(2);
        let by = |factor: f64, matrix: [[f64; 4]; 4]| matrix.map(|row| row.map(|x| x * factor));
        let end = 8.0 / PI.powi(3) - 1.0 / PI;
        let (middle, second) = (16.0 / PI.powi(3), 0.5 / PI);
        Crank {
            mass: by(rod, [[0.5, 0., 0., 0.], [0., 0.5, 0., 0.], [0., 0., 8., 1.], [0., 0., 1., 2.]]),
            stiffness: by(
                spring / 3.0,
                [[slender / 8., 0., 0., 0.], [0., slender * 2., 0., 0.], [0., 0., 16., -8.], [0., 0., -8., 7.]],
            ),
            skew: by(
                rod,
                [[0., 0., -middle, end], [0., 0., 0., second], [middle, 0., 0., 0.], [-end, -second, 0., 0.]],
            ),
            c1: [0.0, 0.0, 2.0 / 3.0, 1.0 / 6.0].map(|x| x * rod),
            c2: [2.0 / PI, 0.0, 0.0, 0.0].map(|x| x * rod),
            c12: [0.0, 0.0, 1.0 / 3.0, 1.0 / 6.0].map(|x| x * rod * L2),
            c21: [1.0 / PI, -second, 0.0, 0.0].map(|x| x * rod * L2),
        }
    }
}

fn dot<S: Scalar>(constants: &[f64; 4], x: &[S]) -> S {
    x.iter().zip(constants).fold(S::default(), |sum, (x, c)| sum + *x * *c)
}

impl Formulas for Crank {
    fn dims(&self) -> Dims {
        Dims { q: 7, v: 7, lambda: 3, psi: 0 }
    }

    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        let mut set = |i: usize, j: usize, x: S| {
            mass[i * 7 + j] = x;
            mass[j * 7 + i] = x;
        };
        let (sin, cos) = (q[0] - q[1]).sin_cos();
        let e = &q[3..];
        let (along, across) = (dot(&self.c1, e), dot(&self.c2, e));
        let mut square = S::default();
        for i in 0..4 {
            square += e[i] * dot(&self.mass[i], e);
        }
        set(0, 0, S::from(J1 + M2 * L1 * L1));
        set(0, 1, cos * (0.5 * L1 * L2 * M2) + (sin * across + cos * along) * L1);
        set(1, 1, square + dot(&self.c12, e) * 2.0 + J2);
        set(2, 2, S::from(M3));
        for i in 0..4 {
            set(0, 3 + i, (cos * self.c2[i] - sin * self.c1[i]) * L1);
            // e^T B has the columns of B; B is skew.
            set(1, 3 + i, -dot(&self.skew[i], e) + self.c21[i]);
            for j in 0..=i {
                set(3 + i, 3 + j, S::from(self.mass[i][j]));
            }
        }
    }

    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], f: &mut [S]) {
        let (sin, cos) = (q[0] - q[1]).sin_cos();
        let (e, e_dot) = (&q[3..], &v[3..]);
        let (w1, w2) = (v[0] * v[0], v[1] * v[1]);
        let (along, across) = (dot(&self.c1, e), dot(&self.c2, e));
        let (along_dot, across_dot) = (dot(&self.c1, e_dot), dot(&self.c2, e_dot));
        let mut moment = dot(&self.c12, e_dot);
        for i in 0..4 {
            moment += e_dot[i] * dot(&self.mass[i], e);
        }
        f[0] = -w2 * sin * (0.5 * L1 * L2 * M2) + w2 * (cos * across - sin * along) * L1
            - v[1] * (cos * along_dot + sin * across_dot) * (2.0 * L1);
        // The test set also subtracts e'^T B e', which vanishes because B is skew.
        f[1] = w1 * sin * (0.5 * L1 * L2 * M2) + w1 * (sin * along - cos * across) * L1 - v[1] * moment * 2.0;
        for i in 0..4 {
            f[3 + i] = w2 * (dot(&self.mass[i], e) + self.c12[i])
                + w1 * (cos * self.c1[i] + sin * self.c2[i]) * L1
                + v[1] * dot(&self.skew[i], e_dot) * 2.0
                - dot(&self.stiffness[i], e);
        }
    }

    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        let ((s1, c1), (s2, c2)) = (q[0].sin_cos(), q[1].sin_cos());
        let rod = q[6] + L2;
        g[0] = s1 * L1 + rod * s2;
        g[1] = q[2] - c1 * L1 - rod * c2;
        g[2] = q[0] - t * OMEGA;
    }
}

/// The end of the rod at the start.
const E4_START: f64 = 0.169327969e-4;

/// Positions, rates, accelerations and multipliers at t = 0.1.
const END: [f64; 24] = [
    15.000000000000089,
    -0.3311734988256582,
    0.16973733284301196,
    0.00018931928996992562,
    2.375751249986312e-5,
    -5.323896770750384e-6,
    -8.363313278804934e-6,
    1.5e+02,
    60.25346755132177,
    -8.75311632670279,
    -0.030055413998469102,
    -0.005500431801364135,
    0.0004974111795996043,
    0.0011055599933340742,
    0.0,
    6488.7375411222865,
    2167.938629336106,
    33.91137062152402,
    0.17151343412002426,
    -1.4224493253822397,
    1.003946263600745,
    -62.32935832770637,
    -163.79209932360146,
    25.298579469992028,
];

/// The problem on [0, 0.1].
pub fn new() -> Problem {
    let mut q = END[..7].to_vec();
    // The index-2 form keeps the defect 2e-10 of the printed x3(0); nothing else depends on x3.
    q[2] = L1 * q[0].cos() + (L2 + q[6]) * q[1].cos();
    let end =
        State { t: 0.1, q, v: END[7..14].to_vec(), a: END[14..21].to_vec(), lambda: END[21..].to_vec(), psi: vec![] };
    Problem {
        name: "slider_crank",
        title: "slider crank with a flexible connecting rod",
        system: Box::new(Differentiated::new(Crank::new(YOUNG))),
        start: Start {
            t: 0.0,
            q: vec![0.0, 0.0, L1 + L2 + E4_START, 0.0, 0.0, 0.103339863e-4, E4_START],
            v: vec![
                150.0,
                -74.99576703969453,
                -0.268938672e-5,
                0.4448961125816005,
                0.004634339319238007,
                -0.178591076e-5,
                -0.268938672e-5,
            ],
            lambda: vec![-6.397251492537153e-8, 382.4589508329281, -4.376060460948886e-9],
            psi: vec![],
        },
        t_end: 0.1,
        reference: Reference::EndValue {
            states: vec![end],
            // Deformations of 1e-5 need their own share of the tolerance.
            between: Settings { relative: 1e-14, absolute: 1e-17 },
        },
        energy: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With the true modulus differences of the force drown in the rounding of K e; a soft rod has the same formulas.
    #[test]
    fn derivatives_of_a_soft_rod() {
        let system = Differentiated::new(Crank::new(YOUNG * 1e-6));
        let q = [0.3, -0.2, 0.4, 0.01, 0.02, 0.03, -0.04];
        let v = [1.0, -0.5, 0.2, 0.3, -0.1, 0.4, 0.6];
        let at = alembert::Point { t: 0.1, q: &q, v: &v, lambda: &[1.0, 2.0, -3.0], psi: &[] };
        let report = alembert::equations::check_derivatives(&system, at).expect("finite");
        assert!(report.is_ok(), "{report}");
    }

    /// In double precision: positions to 5e-11, fast elastic rates to 2e-8, their accelerations to 3e-7.
    #[test]
    fn extrapolation_reaches_the_known_end() {
        let problem = new();
        let own = problem.integrate(0.1, Settings { relative: 1e-13, absolute: 1e-16 });
        let known = problem.reference_at(0.1);
        let pairs = [(&known.q, &own.q), (&known.v, &own.v), (&known.a, &own.a), (&known.lambda, &own.lambda)];
        for ((known, own), limit) in pairs.into_iter().zip([2e-10, 5e-8, 5e-7, 5e-10]) {
            for (x, y) in known.iter().zip(own) {
                assert!((x - y).abs() <= limit * x.abs(), "{x} {y} {:e}", (x - y) / x);
            }
        }
    }
}
