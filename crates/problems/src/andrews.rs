//! Andrews' squeezing mechanism: seven bodies in a plane driven by a motor (Test Set for IVP Solvers; Hairer and
//! Wanner II, section VII.7).
//!
//! Angles q = (beta, theta, gamma, phi, delta, omega, epsilon), M(q) q'' = f(q,q') - G^T lambda, six loop equations g(q) = 0.
//! The constants and formulas are below. Units are SI: the motion takes 0.03 s, velocities reach 1e3, accelerations 1e6.
//!
//! The published end values are good to 10 digits in the angles but only 6 or 7 in accelerations and multipliers; the
//! states kept here come from extrapolation of order 16 in 80-bit arithmetic and are good to 1e-14 (t = 0.03) and
//! 2e-13 (t = 0.05), relative.

use alembert::{Differentiated, Dims, Formulas, Scalar, State, Supplied};

use crate::problem::{Problem, Reference, Start};
use crate::reference::Settings;

// Masses and moments of inertia of the seven bodies.
const M: [f64; 7] = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498];
const I: [f64; 7] = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];
// Fixed points A, B and the spring's end C.
const A: (f64, f64) = (-0.06934, -0.00227);
const B: (f64, f64) = (-0.03635, 0.03273);
const C: (f64, f64) = (0.014, 0.072);
// Lengths.
const D: f64 = 28e-3;
const DA: f64 = 115e-4;
const E: f64 = 2e-2;
const EA: f64 = 1421e-5;
const RR: f64 = 7e-3;
const RA: f64 = 92e-5;
const SS: f64 = 35e-3;
const SA: f64 = 1874e-5;
const SB: f64 = 1043e-5;
const SC: f64 = 18e-3;
const SD: f64 = 2e-2;
const TA: f64 = 2308e-5;
const TB: f64 = 916e-5;
const U: f64 = 4e-2;
const UA: f64 = 1228e-5;
const UB: f64 = 449e-5;
const ZF: f64 = 2e-2;
const ZT: f64 = 4e-2;
const FA: f64 = 1421e-5;
// Spring stiffness and rest length, motor torque.
const C0: f64 = 4530.0;
const L0: f64 = 7785e-5;
const TORQUE: f64 = 33e-3;

struct Squeezer;

impl Formulas for Squeezer {
    fn dims(&self) -> Dims {
        Dims { q: 7, v: 7, lambda: 6, psi: 0 }
    }

    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        let mut set = |i: usize, j: usize, x: S| {
            mass[i * 7 + j] = x;
            mass[j * 7 + i] = x;
        };
        let (ee, ff) = (E - EA, ZF - FA);
        let (cos_theta, sin_phi, sin_omega) = (q[1].cos(), q[3].sin(), q[5].sin());
        set(0, 0, -cos_theta * (2.0 * M[1] * DA * RR) + (M[0] * RA * RA + M[1] * (RR * RR + DA * DA) + I[0] + I[1]));
        set(0, 1, -cos_theta * (M[1] * DA * RR) + (M[1] * DA * DA + I[1]));
        set(1, 1, S::from(M[1] * DA * DA + I[1]));
        set(2, 2, S::from(M[2] * (SA * SA + SB * SB) + I[2]));
        set(3, 3, S::from(M[3] * ee * ee + I[3]));
        set(3, 4, sin_phi * (M[3] * ZT * ee) + (M[3] * ee * ee + I[3]));
        let fifth = M[3] * (ZT * ZT + ee * ee) + M[4] * (TA * TA + TB * TB) + I[3] + I[4];
        set(4, 4, sin_phi * (2.0 * M[3] * ZT * ee) + fifth);
        set(5, 5, S::from(M[5] * ff * ff + I[5]));
        set(5, 6, -sin_omega * (M[5] * U * ff) + (M[5] * ff * ff + I[5]));
        let seventh = M[5] * (ff * ff + U * U) + M[6] * (UA * UA + UB * UB) + I[5] + I[6];
        set(6, 6, -sin_omega * (2.0 * M[5] * U * ff) + seventh);
    }

    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], f: &mut [S]) {
        let (ee, ff) = (E - EA, ZF - FA);
        let (sin_theta, cos_phi, cos_omega) = (q[1].sin(), q[3].cos(), q[5].cos());
        let (sin_gamma, cos_gamma) = q[2].sin_cos();
        // The spring from C to the point D of the third body.
        let dx = cos_gamma * SD + sin_gamma * SC + (B.0 - C.0);
        let dy = sin_gamma * SD - cos_gamma * SC + (B.1 - C.1);
        let length = (dx * dx + dy * dy).sqrt();
        let pull = -(length - L0) * C0 / length;
        let (fx, fy) = (pull * dx, pull * dy);
        f[0] = -v[1] * (v[1] + v[0] * 2.0) * sin_theta * (M[1] * DA * RR) + TORQUE;
        f[1] = v[0] * v[0] * sin_theta * (M[1] * DA * RR);
        f[2] = fx * (cos_gamma * SC - sin_gamma * SD) + fy * (cos_gamma * SD + sin_gamma * SC);
        f[3] = v[4] * v[4] * cos_phi * (M[3] * ZT * ee);
        f[4] = -v[3] * (v[3] + v[4] * 2.0) * cos_phi * (M[3] * ZT * ee);
        f[5] = -v[6] * v[6] * cos_omega * (M[5] * U * ff);
        f[6] = v[5] * (v[5] + v[6] * 2.0) * cos_omega * (M[5] * U * ff);
    }

    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let ((s1, c1), (s12, c12)) = (q[0].sin_cos(), (q[0] + q[1]).sin_cos());
        let (x, y) = (c1 * RR - c12 * D, s1 * RR - s12 * D);
        let ((s3, c3), (s5, c5), (s7, c7)) = (q[2].sin_cos(), q[4].sin_cos(), q[6].sin_cos());
        let ((s45, c45), (s67, c67)) = ((q[3] + q[4]).sin_cos(), (q[5] + q[6]).sin_cos());
        g[0] = x - s3 * SS - B.0;
        g[1] = y + c3 * SS - B.1;
        g[2] = x - s45 * E - c5 * ZT - A.0;
        g[3] = y + c45 * E - s5 * ZT - A.1;
        g[4] = x - c67 * ZF - s7 * U - A.0;
        g[5] = y - s67 * ZF + c7 * U - A.1;
    }

    /// All of it with every sine taken once; the benchmark's peers have theirs by hand too.
    fn residual<S: Scalar>(
        &self,
        _: S,
        q: &[S],
        v: &[S],
        a: &[S],
        lambda: &[S],
        _: &[S],
        r: &mut [S],
        g: &mut [S],
    ) -> Supplied {
        let ((s1, c1), (s12, c12)) = (q[0].sin_cos(), (q[0] + q[1]).sin_cos());
        let ((s3, c3), (s5, c5), (s7, c7)) = (q[2].sin_cos(), q[4].sin_cos(), q[6].sin_cos());
        let ((s45, c45), (s67, c67)) = ((q[3] + q[4]).sin_cos(), (q[5] + q[6]).sin_cos());
        let (x, y) = (c1 * RR - c12 * D, s1 * RR - s12 * D);
        g[0] = x - s3 * SS - B.0;
        g[1] = y + c3 * SS - B.1;
        g[2] = x - s45 * E - c5 * ZT - A.0;
        g[3] = y + c45 * E - s5 * ZT - A.1;
        g[4] = x - c67 * ZF - s7 * U - A.0;
        g[5] = y - s67 * ZF + c7 * U - A.1;
        // Angles of second bodies relative to first ones, by the addition theorem.
        let (sin_theta, cos_theta) = (s12 * c1 - c12 * s1, c12 * c1 + s12 * s1);
        let (sin_phi, cos_phi) = (s45 * c5 - c45 * s5, c45 * c5 + s45 * s5);
        let (sin_omega, cos_omega) = (s67 * c7 - c67 * s7, c67 * c7 + s67 * s7);
        let (ee, ff) = (E - EA, ZF - FA);
        let (arm, second) = (M[1] * DA * RR, M[1] * DA * DA + I[1]);
        let coupling = -cos_theta * arm + second;
        let first = -cos_theta * (2.0 * arm) + (M[0] * RA * RA + M[1] * (RR * RR + DA * DA) + I[0] + I[1]);
        r[0] = first * a[0] + coupling * a[1] + v[1] * (v[1] + v[0] * 2.0) * sin_theta * arm - TORQUE;
        r[1] = coupling * a[0] + a[1] * second - v[0] * v[0] * sin_theta * arm;
        let dx = c3 * SD + s3 * SC + (B.0 - C.0);
        let dy = s3 * SD - c3 * SC + (B.1 - C.1);
        let length = (dx * dx + dy * dy).sqrt();
        let pull = -(length - L0) * C0 / length;
        r[2] =
            a[2] * (M[2] * (SA * SA + SB * SB) + I[2]) - pull * (dx * (c3 * SC - s3 * SD) + dy * (c3 * SD + s3 * SC));
        let (arm, fourth) = (M[3] * ZT * ee, M[3] * ee * ee + I[3]);
        let coupling = sin_phi * arm + fourth;
        let fifth = sin_phi * (2.0 * arm) + (M[3] * (ZT * ZT + ee * ee) + M[4] * (TA * TA + TB * TB) + I[3] + I[4]);
        r[3] = a[3] * fourth + coupling * a[4] - v[4] * v[4] * cos_phi * arm;
        r[4] = coupling * a[3] + fifth * a[4] + v[3] * (v[3] + v[4] * 2.0) * cos_phi * arm;
        let (arm, sixth) = (M[5] * U * ff, M[5] * ff * ff + I[5]);
        let coupling = -sin_omega * arm + sixth;
        let seventh = -sin_omega * (2.0 * arm) + (M[5] * (ff * ff + U * U) + M[6] * (UA * UA + UB * UB) + I[5] + I[6]);
        r[5] = a[5] * sixth + coupling * a[6] + v[6] * v[6] * cos_omega * arm;
        r[6] = coupling * a[5] + seventh * a[6] - v[5] * (v[5] + v[6] * 2.0) * cos_omega * arm;
        // G^T lambda.
        let (along_x, along_y) = (lambda[0] + lambda[2] + lambda[4], lambda[1] + lambda[3] + lambda[5]);
        let turn = s12 * D * along_x - c12 * D * along_y;
        r[0] += turn - s1 * RR * along_x + c1 * RR * along_y;
        r[1] += turn;
        r[2] += -(c3 * lambda[0] + s3 * lambda[1]) * SS;
        let turn = -(c45 * lambda[2] + s45 * lambda[3]) * E;
        r[3] += turn;
        r[4] += turn + (s5 * lambda[2] - c5 * lambda[3]) * ZT;
        let turn = (s67 * lambda[4] - c67 * lambda[5]) * ZF;
        r[5] += turn;
        r[6] += turn - (c7 * lambda[4] + s7 * lambda[5]) * U;
        Supplied::Yes
    }

    fn holonomic_t(&self, _: f64, _: &[f64], _: &mut [f64]) -> Supplied {
        Supplied::Yes
    }

    /// By hand: the benchmark's peers have it by hand too.
    fn holonomic_q(&self, _: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        let ((s1, c1), (s12, c12)) = (q[0].sin_cos(), (q[0] + q[1]).sin_cos());
        let ((s3, c3), (s5, c5), (s7, c7)) = (q[2].sin_cos(), q[4].sin_cos(), q[6].sin_cos());
        let ((s45, c45), (s67, c67)) = ((q[3] + q[4]).sin_cos(), (q[5] + q[6]).sin_cos());
        for pair in out.chunks_exact_mut(14) {
            pair[1] = s12 * D;
            pair[0] = pair[1] - s1 * RR;
            pair[8] = -c12 * D;
            pair[7] = pair[8] + c1 * RR;
        }
        out[2] = -c3 * SS;
        out[9] = -s3 * SS;
        out[17] = -c45 * E;
        out[18] = out[17] + s5 * ZT;
        out[24] = -s45 * E;
        out[25] = out[24] - c5 * ZT;
        out[33] = s67 * ZF;
        out[34] = out[33] - c7 * U;
        out[40] = -c67 * ZF;
        out[41] = out[40] - s7 * U;
        Supplied::Yes
    }
}

const START: [f64; 7] = [
    -0.06171389001427645,
    0.0,
    0.45527981916307037,
    0.22266839016588588,
    0.48736497954384256,
    -0.22266839016588588,
    1.2305474445498212,
];

/// Angles, rates, accelerations and multipliers at t = 0.03.
const AT_0_03: [f64; 27] = [
    15.810771195153706,
    -15.756371058411837,
    0.04082224011964578,
    -0.5347301163420797,
    0.524409965879954,
    0.5347301163420797,
    1.048080741041938,
    1139.9203022591062,
    -1424.3792951775401,
    11.032911910617948,
    19.29337410503091,
    0.5735699148294691,
    -19.29337410503091,
    0.3231791492491113,
    -24631.763122872395,
    51850.31963646077,
    324102.6007075787,
    566749.4220009955,
    16743.635418345468,
    -566749.4220009955,
    9826.507801544107,
    199.17534810453867,
    -29.755309974971585,
    23.066543611622162,
    31.452725275771183,
    22.642494786394387,
    11.617392352611196,
];

/// The same at t = 0.05, where paper 4 stops.
const AT_0_05: [f64; 27] = [
    33.82586776695452,
    -33.58343151746387,
    0.113395073812599,
    -0.40785286560188444,
    0.5260604449169958,
    0.40785286560188444,
    1.056902429434963,
    1144.5355026538473,
    -1336.0337226511922,
    -190.93706860429458,
    -334.31706087086457,
    0.8758650829430139,
    334.31706087086457,
    -39.61728897835298,
    391866.39768930245,
    -745643.5187913032,
    107933.16503666822,
    194626.86080732438,
    -26303.817354149774,
    -194626.86080732438,
    102937.81804144959,
    108.90548842952923,
    -27.216221148444795,
    12.602041740749925,
    -41.54775281620475,
    18.158341114689577,
    105.37455182624507,
];

fn state(t: f64, y: &[f64; 27]) -> State {
    State { t, q: y[..7].to_vec(), v: y[7..14].to_vec(), a: y[14..21].to_vec(), lambda: y[21..].to_vec(), psi: vec![] }
}

/// The problem on [0, 0.03]; its reference knows t = 0.05 too.
pub fn new() -> Problem {
    Problem {
        name: "andrews",
        title: "Andrews' squeezing mechanism",
        system: Box::new(Differentiated::new(Squeezer)),
        start: Start {
            t: 0.0,
            q: START.to_vec(),
            v: vec![0.0; 7],
            lambda: vec![98.56687039624109, -6.122688344255662, 0.0, 0.0, 0.0, 0.0],
            psi: vec![],
        },
        t_end: 0.03,
        reference: Reference::EndValue {
            states: vec![state(0.03, &AT_0_03), state(0.05, &AT_0_05)],
            between: Settings { relative: 1e-14, absolute: 1e-14 },
        },
        energy: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Errors of the extrapolation in double precision against the values kept here.
    #[test]
    fn extrapolation_reaches_the_known_states() {
        let problem = new();
        for (t, limits) in [(0.03, [1e-13, 1e-11]), (0.05, [1e-11, 1e-9])] {
            let (known, own) = (problem.reference_at(t), problem.integrate(t, Settings::default()));
            for ((known, own), limit) in [(&known.q, &own.q), (&known.v, &own.v)].into_iter().zip(limits) {
                for (x, y) in known.iter().zip(own) {
                    assert!((x - y).abs() < limit * (1.0 + x.abs()), "t = {t}: {x} {y} {:e}", x - y);
                }
            }
        }
    }
}
