//! A railway wheelset on straight track (Simeon, Fuehrer, Rentrop 1991; Test Set for IVP Solvers, problem wheel).
//!
//! q = (x, y, z, theta, phi): lateral, vertical and longitudinal displacement, yaw and roll; v = (q', beta) with the
//! deviation beta of the spin from Omega = V/r0, so q' = U(v) drops the last velocity. Each conical wheel touches a
//! circular rail in one point; the contact forces (dry friction, Kalker's creep coefficients, tanh saturation) depend
//! on the normal forces, so the reaction is nonlinear in lambda.
//!
//! The test set carries the contact point of each wheel (angle psi around the axle, position xi along it) as
//! algebraic unknowns. For a cone with slope R' and a circle they have closed forms, used here: psi from
//!
//! ```text
//! sin theta sin phi cos psi + cos theta sin psi = R' sin theta cos phi,
//! ```
//!
//! then the common slope s = w1/w2 of wheel and rail, w1 = (R' cos phi - sin phi cos psi) cos theta + sin psi sin theta,
//! w2 = -R' sin phi - cos psi cos phi, from it the point of the circle, and xi from its lateral position. Two more
//! simplifications follow: the curvature of the rail is 1/rs everywhere, and the normal force is -lambda/cos delta,
//! tan delta = s on the left, -s on the right.
//!
//! ```text
//! 0 = g = height of the rail - height of the wheel at the contact, left and right
//! ```
//!
//! The published solution is that of the velocity constraint from positions rounded to five digits, which violate g.
//! To solve the same problem each rail is shifted by that small defect. Multipliers are the test set's times 1e4, with its sign:
//! r = +G^T lambda + friction.

mod contact;

use alembert::{Differentiated, Dims, Formulas, Scalar, State, Supplied};

use crate::problem::{Problem, Reference, Start};
use crate::reference::Settings;
use contact::{Attitude, Contact};

const MASS: f64 = 16.08;
const G: f64 = 9.81;
const SPEED: f64 = 30.0;
const RADIUS: f64 = 0.1;
const SPIN: f64 = SPEED / RADIUS;
/// Moments of inertia about the axle and across it.
const I1: f64 = 0.0605;
const I2: f64 = 0.366;
/// Half distance and stiffness of the suspension springs.
const XL: f64 = 0.19;
const CX: f64 = 6400.0;
const CZ: f64 = 6400.0;
struct Wheelset {
    /// What the printed start leaves of g, left and right.
    defect: [f64; 2],
}

impl Formulas for Wheelset {
    fn dims(&self) -> Dims {
        Dims { q: 5, v: 6, lambda: 2, psi: 0 }
    }
    fn rate<S: Scalar>(&self, _: S, _: &[S], v: &[S], q_dot: &mut [S]) -> Supplied {
        q_dot.copy_from_slice(&v[..5]);
        Supplied::Yes
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        let (sp, cp) = q[4].sin_cos();
        (0..3).for_each(|i| mass[7 * i] = S::from(MASS));
        mass[3 * 6 + 3] = cp * I2;
        mass[4 * 6 + 4] = S::from(I2);
        mass[5 * 6 + 3] = sp * I1;
        mass[5 * 6 + 5] = S::from(I1);
    }
    fn force<S: Scalar>(&self, _: S, q: &[S], v: &[S], f: &mut [S]) {
        let (sp, cp) = q[4].sin_cos();
        let spin = v[5] + SPIN;
        let yaw_moment = -q[3] * (2.0 * XL * XL * CZ);
        f[0] = -q[0] * (2.0 * CX);
        f[1] = S::from(-MASS * G);
        f[2] = -q[2] * (2.0 * CZ);
        f[3] = v[3] * v[4] * sp * (2.0 * I2 - I1) - spin * v[4] * I1 + cp * yaw_moment;
        f[4] = spin * v[3] * cp * I1 + v[3] * v[3] * sp * cp * (I1 - I2);
        f[5] = -v[3] * v[4] * cp * I1 + sp * yaw_moment;
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        let at = Attitude::new(q);
        for (i, side) in [1.0, -1.0].into_iter().enumerate() {
            let c = Contact::new(q, &at, side);
            g[i] = c.height - q[1] - c.xi * at.sp + c.radius * at.cp * c.cos_psi - self.defect[i];
        }
    }
    fn reaction<S: Scalar>(&self, _: S, q: &[S], v: &[S], lambda: &[S], _: &[S], r: &mut [S]) -> Supplied {
        let at = Attitude::new(q);
        let Attitude { st, ct, sp, cp } = at;
        for (side, lambda) in [1.0, -1.0].into_iter().zip(lambda) {
            let c = Contact::new(q, &at, side);
            for (r, g) in r.iter_mut().zip(c.row(&at)) {
                *r += g * *lambda;
            }
            let force = c.friction(q, v, &at, *lambda);
            let Contact { sin_psi, cos_psi, xi, radius, .. } = c;
            let (high, low) = (radius * sin_psi, radius * cos_psi);
            let arms = [
                [-(xi * st + high * ct * cp), -high * sp, high * st * cp - xi * ct],
                [ct * (low * cp - xi * sp), xi * cp + low * sp, st * (xi * sp - low * cp)],
                [-(low * st + high * ct * sp), high * cp, high * st * sp - low * ct],
            ];
            for (i, arm) in arms.iter().enumerate() {
                r[i] += force[i];
                r[3 + i] += arm[0] * force[0] + arm[1] * force[1] + arm[2] * force[2];
            }
        }
        Supplied::Yes
    }
    fn holonomic_name(&self, row: usize) -> String {
        ["left contact", "right contact"][row].to_owned()
    }
}

/// The state at t = 10 by extrapolation. Tolerances from 1e-11 to 2e-14 agree to 8e-8 in positions, 1e-6 in rates and
/// 1e-7 in multipliers, relative: the motion amplifies rounding.
fn end() -> State {
    State {
        t: 10.0,
        q: vec![
            0.008635538324942578,
            1.3038341354687302e-5,
            -9.363581272068182e-5,
            -0.013642296161341163,
            0.0015292894345136328,
        ],
        v: vec![
            -0.07698524170246861,
            -0.0002515106416303465,
            0.002054114960498723,
            -0.23904840061120425,
            -0.013633444998809818,
            -0.24421371015234347,
        ],
        a: vec![
            -7.817986953849181,
            -0.02168949710817855,
            0.2777427023753199,
            12.607042474364848,
            -1.3845210671019517,
            -5.624114116538308,
        ],
        lambda: vec![-101.24044985311535, -56.28562916806658],
        psi: vec![],
    }
}

/// The problem on [0, 10].
pub fn new() -> Problem {
    let q = [0.0014941, 4.0089e-07, 1.1241e-06, -0.00028573, 0.00026459];
    let mut defect = [0.0; 2];
    Wheelset { defect }.holonomic(0.0, &q, &mut defect);
    Problem {
        name: "wheelset",
        title: "railway wheelset with friction (reaction nonlinear in lambda, general rate)",
        system: Box::new(Differentiated::new(Wheelset { defect })),
        start: Start { t: 0.0, q: q.to_vec(), v: vec![0.0; 6], lambda: vec![-83.593, -74.144], psi: vec![] },
        t_end: 10.0,
        reference: Reference::EndValue { states: vec![end()], between: Settings { relative: 1e-13, absolute: 1e-15 } },
        energy: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_at_the_start() {
        let problem = new();
        let at = Attitude::new(&problem.start.q);
        let (left, right) = (Contact::new(&problem.start.q, &at, 1.0), Contact::new(&problem.start.q, &at, -1.0));
        let own = [right.sin_psi.asin(), right.xi, left.sin_psi.asin(), left.xi];
        let published = [-7.412238035766714e-6, -0.1521364296121248, 7.563440639517294e-6, 0.1490635714733819];
        for (own, published) in own.iter().zip(published) {
            assert!((own - published).abs() < 1e-14, "{own} {published}");
        }
        // The contact point is stationary in g, so G has no derivatives of psi and xi.
        let mut g_q = [0.0; 10];
        let _ = problem.system.ask(
            alembert::Quantity::HolonomicQ,
            &alembert::At::new(0.0, &problem.start.q, &[]),
            &mut g_q,
        );
        for (row, exact) in left.row(&at).iter().chain(&right.row(&at)).zip(g_q) {
            assert!((row - exact).abs() < 1e-14, "{row} {exact}");
        }
    }

    /// Friction changes over 1e-3 in q: fourth-order differences with short steps.
    #[test]
    fn derivatives_of_the_reaction() {
        use alembert::{ConstrainedSystem, Point, Quantity};
        let system = Differentiated::new(Wheelset { defect: [0.0; 2] });
        let lambda = [-90.0, -70.0];
        let x = [0.002, 1e-5, 1e-5, -0.003, 0.001, 0.02, 1e-4, 0.01, -0.1, 0.01, -0.2];
        let reaction = |x: &[f64]| {
            let mut r = [0.0; 6];
            let at = Point { t: 0.0, q: &x[..5], v: &x[5..], lambda: &lambda, psi: &[] };
            let _ = system.ask(Quantity::Reaction, &at.into(), &mut r);
            r
        };
        let at = Point { t: 0.0, q: &x[..5], v: &x[5..], lambda: &lambda, psi: &[] };
        let (mut by_q, mut by_v) = ([0.0; 30], [0.0; 36]);
        let _ = system.ask(Quantity::ReactionQ, &at.into(), &mut by_q);
        let _ = system.ask(Quantity::ReactionV, &at.into(), &mut by_v);
        for j in 0..11 {
            let h = if j < 5 { 3e-6 } else { 3e-5 };
            let moved = |steps: f64| {
                let mut x = x;
                x[j] += steps * h;
                reaction(&x)
            };
            let (ahead, behind, far, back) = (moved(1.0), moved(-1.0), moved(2.0), moved(-2.0));
            for i in 0..6 {
                let difference = (8.0 * (ahead[i] - behind[i]) - (far[i] - back[i])) / (12.0 * h);
                let exact = if j < 5 { by_q[i * 5 + j] } else { by_v[i * 6 + j - 5] };
                assert!((exact - difference).abs() < 1e-5 * (1.0 + exact.abs()), "({i}, {j}): {exact} {difference}");
            }
        }
    }

    /// The values published with the test set (DASSL at 1e-9) are good to 5 to 7 digits, these (RADAU5 at 1e-13) to 7.
    #[test]
    fn extrapolation_reaches_the_known_end() {
        let radau = [
            0.008635538214326326,
            1.3038341024665422e-5,
            -9.363581260255792e-5,
            -0.013642295963132435,
            0.0015292894149276251,
            -0.07698524144966344,
            -0.0002515106375725828,
            0.0020541148940486794,
            -0.23904840003189798,
            -0.013633444954041328,
            -0.24421370564106265,
            -101.24044980593338,
            -56.28562924299634,
        ];
        let problem = new();
        let own = problem.integrate(10.0, Settings { relative: 1e-11, absolute: 1e-13 });
        for (s, limit) in [(problem.reference_at(10.0), 5e-8), (own, 1e-6)] {
            for (x, y) in s.q.iter().chain(&s.v).chain(&s.lambda).zip(radau) {
                assert!((x - y).abs() < limit * y.abs(), "{x} {y} {:e}", (x - y) / y);
            }
        }
    }
}
