//! The pendulum released from the horizontal, in Cartesian coordinates, with its closed form.
//!
//! ```text
//! x'' = -c x lambda,   y'' = -g - c y lambda,   0 = x^2 + y^2 - 1
//! ```
//!
//! With theta from the downward vertical, w = sqrt(g) and modulus k^2 = 1/2 (release at 90 degrees),
//! sin(theta/2) = k cn(w t)/dn(w t), theta' = -2 k k' w sn(w t)/dn(w t) and lambda = (|v|^2 - g y)/c.
//!
//! [`normalised`] is paper 4's (4.1), (4.2) with g = 1 on [0, 20]. The paper prints the force -2 u lambda, but its
//! tables were computed with -u lambda, c = 1; [`normalised_printed`] has c = 2, the standard reaction.
//! [`horizontal`] has g = 9.81 on [0, 100] (a unit mass on a unit bar, problem A01 of the IFToMM library).

use std::f64::consts::FRAC_1_SQRT_2;

use alembert::{Differentiated, Dims, Energy, Formulas, Scalar, State, Supplied};

use crate::elliptic::jacobi;
use crate::problem::{EnergyFn, Problem, Reference, Start};

#[derive(Clone, Copy)]
struct Pendulum {
    gravity: f64,
    /// The factor c of the reaction.
    factor: f64,
}

impl Formulas for Pendulum {
    fn dims(&self) -> Dims {
        Dims { q: 2, v: 2, lambda: 1, psi: 0 }
    }
    fn mass<S: Scalar>(&self, _: S, _: &[S], mass: &mut [S]) {
        mass[0] = S::from(1.0);
        mass[3] = S::from(1.0);
    }
    fn force<S: Scalar>(&self, _: S, _: &[S], _: &[S], force: &mut [S]) {
        force[1] = S::from(-self.gravity);
    }
    fn holonomic<S: Scalar>(&self, _: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    }
    fn holonomic_t(&self, _: f64, _: &[f64], _: &mut [f64]) -> Supplied {
        Supplied::Yes
    }
    fn holonomic_q(&self, _: f64, q: &[f64], out: &mut [f64]) -> Supplied {
        (out[0], out[1]) = (2.0 * q[0], 2.0 * q[1]);
        Supplied::Yes
    }
    fn energy(&self, _: f64, q: &[f64], v: &[f64]) -> Option<Energy> {
        let kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1]);
        Some(Energy { kinetic, potential: self.gravity * q[1], ..Energy::default() })
    }
    fn reaction<S: Scalar>(&self, _: S, q: &[S], _: &[S], lambda: &[S], _: &[S], r: &mut [S]) -> Supplied {
        if self.factor == 2.0 {
            return Supplied::No;
        }
        r[0] = -q[0] * lambda[0] * self.factor;
        r[1] = -q[1] * lambda[0] * self.factor;
        Supplied::Yes
    }
    fn residual<S: Scalar>(
        &self,
        _: S,
        q: &[S],
        _: &[S],
        a: &[S],
        lambda: &[S],
        _: &[S],
        r: &mut [S],
        g: &mut [S],
    ) -> Supplied {
        let pull = lambda[0] * self.factor;
        r[0] = a[0] + q[0] * pull;
        r[1] = a[1] + q[1] * pull + self.gravity;
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
        Supplied::Yes
    }
}

impl Pendulum {
    fn solution(self, t: f64) -> State {
        let omega = self.gravity.sqrt();
        let k = FRAC_1_SQRT_2;
        let (sn, cn, dn) = jacobi(omega * t, 0.5);
        // sin and cos of theta/2; k' = k here.
        let (half_sin, half_cos) = (k * cn / dn, k / dn);
        let (x, y) = (2.0 * half_sin * half_cos, half_sin * half_sin - half_cos * half_cos);
        let spin = -omega * sn / dn;
        let (vx, vy) = (-y * spin, x * spin);
        let lambda = (vx * vx + vy * vy - self.gravity * y) / self.factor;
        State {
            t,
            q: vec![x, y],
            v: vec![vx, vy],
            a: vec![-self.factor * x * lambda, -self.gravity - self.factor * y * lambda],
            lambda: vec![lambda],
            psi: vec![],
        }
    }

    fn problem(self, name: &'static str, title: &'static str, t_end: f64) -> Problem {
        let energy: EnergyFn = Box::new(move |_, q, v| 0.5 * (v[0] * v[0] + v[1] * v[1]) + self.gravity * q[1]);
        Problem {
            name,
            title,
            system: Box::new(Differentiated::new(self)),
            start: Start { t: 0.0, q: vec![1.0, 0.0], v: vec![0.0, 0.0], lambda: vec![0.0], psi: vec![] },
            t_end,
            reference: Reference::Exact(Box::new(move |t| self.solution(t))),
            energy: Some(energy),
        }
    }
}

/// Paper 4's pendulum with the force -u lambda of its tables.
pub fn normalised() -> Problem {
    Pendulum { gravity: 1.0, factor: 1.0 }.problem("pendulum", "normalised pendulum (paper 4, 4.1)", 20.0)
}

/// Paper 4's pendulum with the force -2 u lambda of its text.
pub fn normalised_printed() -> Problem {
    let title = "normalised pendulum with force -2 u lambda (paper 4, 4.1, as printed)";
    Pendulum { gravity: 1.0, factor: 2.0 }.problem("pendulum_printed", title, 20.0)
}

/// The pendulum with g = 9.81, for 100 time units.
pub fn horizontal() -> Problem {
    Pendulum { gravity: 9.81, factor: 2.0 }.problem(
        "pendulum_horizontal",
        "pendulum from the horizontal, g = 9.81",
        100.0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(problem: &Problem, t: f64, x: [f64; 4], tolerance: f64) {
        let s = problem.reference_at(t);
        for (got, want) in s.q.iter().chain(&s.v).zip(x) {
            assert!((got - want).abs() < tolerance, "t = {t}: {:e}", got - want);
        }
    }

    /// Values computed with 40 digits.
    #[test]
    fn closed_form_agrees_with_known_digits() {
        let p = normalised();
        compare(&p, 1.0, [0.8795481324118891, -0.4758099229427208, -0.464157358850994, -0.8580080373224432], 1e-15);
        compare(&p, 10.0, [-0.8115864461913038, -0.5842323513453958, -0.6315291490650176, 0.8772887988410694], 1e-14);
        compare(&p, 20.0, [-0.5177197035527779, -0.8555502957472599, 1.119137160279955, -0.6772241932883366], 1e-14);
        let p = horizontal();
        compare(&p, 1.0, [-0.9862917511318753, -0.16501085312554117, -0.2969055159163158, 1.7746436411126556], 1e-14);
        compare(&p, 10.0, [0.2750874625761169, -0.961419205099125, -4.175598100951729, -1.1947490545604753], 1e-13);
        compare(&p, 2000.0, [-0.8146030685890322, -0.5800188278369355, 1.9566477078826578, -2.747999117430392], 1e-11);
    }
}
