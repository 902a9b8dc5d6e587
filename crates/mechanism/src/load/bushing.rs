//! A bushing: two frames held together by springs and dampers in all six directions, for turns of any size below pi.
//!
//! ```text
//! psi = log(R_1^T R_2),   R_m = R_1 exp(psi/2),   D = R_m^T (r_2 - r_1)           both frames alike
//! n = k_d (D - D_0) + c_d D',   m = k_t psi + c_t psi'                            in the axes of R_m
//! force on 2: -R_m n,   torque on 2: -(R_m A_2^T mu + R_2 T^-T m) with mu = n * D, A_2 = (I + (tan(s/4)/s) psi^)/2
//! torque on 1: the opposite, and that of the forces about r_1:  total force and moment vanish
//! ```
//!
//! Rates are D' = R_m^T(d') - w_m * D and psi' = T^-1 (R_2^T (W_2 - W_1)). The forces are evaluated with numbers that
//! carry their derivatives by the twelve turns and shifts and by the twelve rates.

use alembert::Scalar;
use alembert::scalar::Dual;

use super::{Load, Loading, Room};
use crate::algebra::{Vector, ZERO};
use crate::attached::Located;
use crate::expansion::Block;
use crate::law::Powers;

/// Derivatives by the shifts and turns of both frames.
type Number = Dual<12>;

/// Between the points r_1, r_2 (vectors 0, 1), the turns of both bodies (2, 3), and the axes of both frames (4-6, 7-9).
#[derive(Clone, Debug)]
pub struct Bushing {
    /// Along the axes of the frames.
    pub stiffness: Vector,
    /// About them.
    pub torsion: Vector,
    /// Along them.
    pub damping: Vector,
    /// About them.
    pub torsion_damping: Vector,
}

/// The forces on r_1, r_2 and the torques on both bodies, the potential and the lost power.
struct Answered<S> {
    force: [[S; 3]; 4],
    potential: S,
    loss: S,
}

/// Axes and rates of two frames.
struct Frames<S> {
    r: [[[S; 3]; 3]; 2],
    p: [[S; 3]; 2],
    speed: [[S; 3]; 2],
    spin: [[S; 3]; 2],
}

fn cross<S: Scalar>(x: [S; 3], y: [S; 3]) -> [S; 3] {
    alembert::rotation::cross(&x, &y)
}

fn minus<S: Scalar>(x: [S; 3], y: [S; 3]) -> [S; 3] {
    [0, 1, 2].map(|i| x[i] - y[i])
}

fn plus<S: Scalar>(x: [S; 3], y: [S; 3]) -> [S; 3] {
    [0, 1, 2].map(|i| x[i] + y[i])
}

/// R u, where the columns of R are axes.
fn out<S: Scalar>(r: &[[S; 3]; 3], u: [S; 3]) -> [S; 3] {
    [0, 1, 2].map(|i| r[0][i] * u[0] + r[1][i] * u[1] + r[2][i] * u[2])
}

/// R^T u.
fn into<S: Scalar>(r: &[[S; 3]; 3], u: [S; 3]) -> [S; 3] {
    [0, 1, 2].map(|k| alembert::rotation::dot(&r[k], &u))
}

/// The rotation vector of a rotation by less than pi, whose columns are given.
fn log<S: Scalar>(c: &[[S; 3]; 3]) -> [S; 3] {
    // With the quaternion (w, u): 4 w u is the antisymmetric part, 4 w^2 the trace plus one.
    let w = (c[0][0] + c[1][1] + c[2][2] + 1.0).sqrt() * 0.5;
    let u = [c[1][2] - c[2][1], c[2][0] - c[0][2], c[0][1] - c[1][0]].map(|x| x / (w * 4.0));
    let sine_square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    // 2 atan(x)/x/w with x = |u|/w, by its series where the angle is small.
    let square = sine_square / (w * w);
    let factor = if square.value() < 1e-2 {
        let mut sum = S::default();
        for k in (0..10).rev() {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            sum = sum * square + sign / f64::from(2 * k + 1);
        }
        sum
    } else {
        let x = square.sqrt();
        x.atan() / x
    };
    u.map(|u| u * factor * 2.0 / w)
}

/// tan(s/4)/s from s^2.
fn quarter<S: Scalar>(square: S) -> S {
    if square.value() < 1e-2 {
        // tan(x)/x = 1 + x^2/3 + 2 x^4/15 + 17 x^6/315 + 62 x^8/2835 with x = s/4.
        let x = square / 16.0;
        let series = [1.0, 1.0 / 3.0, 2.0 / 15.0, 17.0 / 315.0, 62.0 / 2835.0, 1382.0 / 155_925.0];
        return series.into_iter().rev().fold(S::default(), |sum, c| sum * x + c) / 4.0;
    }
    let s = square.sqrt();
    (s / 4.0).tan() / s
}

impl Bushing {
    fn answer<S: Scalar>(&self, frames: &Frames<S>) -> Answered<S> {
        let [r1, r2] = &frames.r;
        let relative = r2.map(|axis| into(r1, axis));
        let psi = log(&relative);
        let half = alembert::rotation::exp(&psi.map(|x| x * 0.5));
        let units = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| axis.map(S::from));
        let middle = units.map(|axis| out(r1, alembert::rotation::to_space(&half, &axis)));
        let d = into(&middle, minus(frames.p[1], frames.p[0]));
        let tilt = quarter(alembert::rotation::dot(&psi, &psi));
        // A_2 u = (u + tilt psi * u)/2, and A_1 = A_2^T; both from body axes of their frame to those of the middle.
        let lean = |u: [S; 3], sign: f64| {
            let turned = cross(psi, u);
            [0, 1, 2].map(|i| (u[i] + turned[i] * tilt * sign) * 0.5)
        };
        let (w1, w2) = (into(r1, frames.spin[0]), into(r2, frames.spin[1]));
        let spin = plus(lean(w1, -1.0), lean(w2, 1.0));
        let rate = minus(into(&middle, minus(frames.speed[1], frames.speed[0])), cross(spin, d));
        let turning = into(r2, minus(frames.spin[1], frames.spin[0]));
        let psi_rate = alembert::rotation::inverse_tangent(&psi, &turning);
        let law = |k: &Vector, c: &Vector, x: [S; 3], x1: [S; 3]| [0, 1, 2].map(|i| x[i] * k[i] + x1[i] * c[i]);
        let n = law(&self.stiffness, &self.damping, d, rate);
        let m = law(&self.torsion, &self.torsion_damping, psi, psi_rate);
        let mu = cross(n, d);
        let pull = out(&middle, n);
        // T^-T m = m - psi * m/2 + ..., which is T^-1(-psi) m.
        let couple = |sign: f64| alembert::rotation::inverse_tangent(&psi.map(|x| x * sign), &m);
        let on_second = out(r2, plus(lean(mu, -1.0), couple(-1.0)));
        let on_first = out(r1, minus(lean(mu, 1.0), couple(1.0)));
        let square = |k: &Vector, x: [S; 3]| [0, 1, 2].iter().fold(S::default(), |sum, &i| sum + x[i] * x[i] * k[i]);
        Answered {
            force: [pull, pull.map(|x| -x), on_first.map(|x| -x), on_second.map(|x| -x)],
            potential: (square(&self.stiffness, d) + square(&self.torsion, psi)) * 0.5,
            loss: square(&self.damping, rate) + square(&self.torsion_damping, psi_rate),
        }
    }

    fn frames<S: Scalar>(z: &[Located]) -> Frames<S> {
        let number = |x: Vector| x.map(S::from);
        Frames {
            r: [4, 7].map(|first| [0, 1, 2].map(|i| number(z[first + i].z))),
            p: [0, 1].map(|k| number(z[k].z)),
            speed: [0, 1].map(|k| number(z[k].rate)),
            spin: [2, 3].map(|k| number(z[k].rate)),
        }
    }

    /// Frames that move: shifts of both points, then turns of both bodies.
    fn varied(z: &[Located]) -> Frames<Number> {
        let mut frames: Frames<Number> = Self::frames(z);
        for side in 0..2 {
            let phi = [0, 1, 2].map(|i| Number::variable(0.0, 6 + 3 * side + i));
            let turned = |x: [Number; 3]| plus(x, cross(phi, x));
            // The frames turn; rates are held here, and vary on their own.
            frames.r[side] = frames.r[side].map(turned);
            frames.p[side] = [0, 1, 2].map(|i| frames.p[side][i] + Number::variable(0.0, 3 * side + i));
        }
        frames
    }

    /// Frames whose rates vary.
    fn sped(z: &[Located]) -> Frames<Number> {
        let mut frames: Frames<Number> = Self::frames(z);
        for side in 0..2 {
            for i in 0..3 {
                frames.speed[side][i] += Number::variable(0.0, 3 * side + i);
                frames.spin[side][i] += Number::variable(0.0, 6 + 3 * side + i);
            }
        }
        frames
    }
}

impl Load for Bushing {
    fn couplings(&self) -> Vec<(usize, usize)> {
        (0..4).flat_map(|k| (0..4).map(move |l| (k, l))).collect()
    }

    fn evaluate(&self, _: f64, z: &[Located], out: &mut Loading, _: &mut Room) {
        if !out.derivatives {
            let answer = self.answer(&Self::frames::<f64>(z));
            out.force[..4].copy_from_slice(&answer.force);
            return;
        }
        for (rates, frames) in [(false, Self::varied(z)), (true, Self::sped(z))] {
            let answer = self.answer(&frames);
            for (k, force) in answer.force.iter().enumerate() {
                out.force[k] = force.map(|f| f.x);
                for l in 0..4 {
                    let mut block = ZERO;
                    (0..3).for_each(|i| block[i].copy_from_slice(&force[i].d[3 * l..3 * l + 3]));
                    let put = if rates { Loading::couple_rate } else { Loading::couple };
                    put(out, k, l, Block::Full(block));
                }
            }
        }
    }

    fn powers(&self, _: f64, z: &[Located], _: &mut Loading, _: &mut Room) -> Powers {
        let Answered { potential, loss, .. } = self.answer(&Self::frames::<f64>(z));
        Powers { potential, dissipation: loss, input: 0.0 }
    }
}
