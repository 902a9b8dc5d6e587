//! The two-node forms: Newton's method in two halves with matrices of size n + m.
//!
//! With the weights of [`super::weights`],
//! `dq = beta h^2 x`, `dv = h (gamma x + y)`, `k_j = s_j - gamma p_j/(2 beta)`, `pi = p_0 dL0 + p_1 dL1`,
//! `nu = k_0 dL0 + k_1 dL1`, `W = [p_0 p_1; k_0 k_1]^-1`, Newton's method splits:
//!
//! ```text
//! velocity  [M1 -r_l; G] (y ; nu) = ( -k_1 (beta h^2 S_r T x + e) + k_0 (C0 - r_l) dL0 ; -gamma (c - c~) - gamma E x )
//! position  [A -col; G T] (x ; c_m/(2 beta) pi) = ( -R_a - c_m p_1/(2 beta) e - h D y0 + c_m p_0/(2 beta) W01 (C0 - r_l) nu0 ; -c~ )
//!
//! E   = (beta h/gamma) Gamma T - G (T - I),   T the tangent of the increment of q: I without rotations
//! A   = c_m M1 + gamma h D + beta h^2 (S T + c_m p_1/(2 beta) S_r T - D Y)
//! col = r_l + p_0 W00 (C0 - r_l) - (2 beta h/c_m) D Y_p
//! [M1 -r_l; G] (Y, Y_p) = ( h k_1 S_r T, k_0 W00 (C0 - r_l) ; (gamma/(beta h)) E, 0 )
//! ```
//!
//! c_m = 1/(1+alpha), S = d/dq (M a^ - f) at a^ = c_m (a1 + alpha A0), S_r = d/dq (M R1 - r), D = -f_v, C0 = M1 M0^-1
//! r_l(0), e = M1 R1 - r(t1,q1,L1) (full form only; elsewhere R1 is explicit and e = 0, r_l = M1 M^-1 r_l at its node). S_r = 0
//! in the predicted forms. In the midpoint form the node is q0 o dx/2, which moves by half of what q1 does, and
//! S_r T stands for `M1 M^-1 d/dq (M R - r) T(dx/2)/2` at the node. y0, nu0: x = dL0 = 0.
//! With p_1 = 0 this is Newton's method exactly; otherwise a term of size h |v| is dropped.

use super::weights::Weights;
use super::{HhtCorrector, HhtProblem};
use crate::linear::Bordered;
use crate::method::StepFailure;
use crate::method::matrix::{multiply, product, subtract, transpose};
use crate::system::Point;

/// |k_1| below which dR1 cannot be had from y.
const K1_FLOOR: f64 = 0.02;

impl HhtProblem<'_, '_> {
    /// r_l, C0 - r_l and S_r of the two-node forms.
    pub(super) fn evaluate_reaction_blocks(&mut self) -> Result<(), StepFailure> {
        let (implicit, moving) = (self.step.implicit_node(), self.step.moving_node());
        let HhtCorrector { weights, dims, h, at, blocks, nodes, iterate, .. } = &mut *self.step;
        let m = dims.constraints();
        let t = self.now.t + *h;
        let equations = &mut *self.equations;
        let [first, second] = nodes;
        if implicit {
            let point = Point { t, q: &at.q, v: &at.v, lambda: &iterate.l[1], psi: &[] };
            equations.reaction_mu(point, &blocks.c_v, &[], &mut blocks.transposed)?;
            transpose(&blocks.transposed, dims.v, &mut blocks.r_l);
            // S_r = M_q R1 - r_q.
            equations.mass_q(t, &at.q, &second.acceleration, &mut blocks.reaction_q)?;
            equations.reaction_q(point, &mut blocks.y)?;
            subtract(&mut blocks.reaction_q, &blocks.y);
            equations.space().turn_columns(&at.dx, &mut blocks.reaction_q);
            if weights.k[1].abs() < K1_FLOOR {
                second.factor(&at.mass)?;
            }
        } else {
            second.respond(equations, &iterate.l[1])?;
            product(&blocks.mass, &second.response, m, &mut blocks.r_l);
        }
        if moving {
            second.stiffness(equations, &iterate.l[1], &mut blocks.reaction_q, &mut blocks.y)?;
            equations.space().turn_columns(&at.half, &mut blocks.reaction_q);
            second.divide_by_mass(&mut blocks.reaction_q, &mut blocks.y);
            product(&blocks.mass, &blocks.reaction_q, dims.v, &mut blocks.y);
            for (to, y) in blocks.reaction_q.iter_mut().zip(&blocks.y) {
                *to = 0.5 * y;
            }
        }
        product(&blocks.mass, &first.response, m, &mut blocks.lag);
        subtract(&mut blocks.lag, &blocks.r_l);
        Ok(())
    }

    /// D Y and D Y_p, by solves with the velocity half's factors.
    fn couple_damping(&mut self) {
        let HhtCorrector { weights, dims, h, blocks, rhs, velocity, .. } = &mut *self.step;
        let Weights { beta, gamma, k, w, .. } = *weights;
        let (n, m) = (dims.v, dims.constraints());
        for j in 0..n + m {
            rhs.fill(0.0);
            if j < n {
                for i in 0..n {
                    rhs[i] = *h * k[1] * blocks.reaction_q[i * n + j];
                }
                for i in 0..m {
                    rhs[n + i] = blocks.rows_q[i * n + j];
                }
                for (rhs, row) in rhs[n..].iter_mut().zip(blocks.turn.chunks_exact(n)) {
                    *rhs -= gamma / beta * row[j];
                }
            } else {
                for i in 0..n {
                    rhs[i] = k[0] * w[0][0] * blocks.lag[i * m + j - n];
                }
            }
            velocity.solve(rhs);
            for i in 0..n {
                let row = &blocks.damping[i * n..(i + 1) * n];
                let value = row.iter().zip(&rhs[..n]).map(|(d, y)| d * y).sum();
                if j < n {
                    blocks.damping_y[i * n + j] = value;
                } else {
                    blocks.y_p[i * m + j - n] = value;
                }
            }
        }
    }

    /// Factors of the velocity half, and D Y, D Y_p. None of them is made anew when only h changes: the part of Y that h
    /// multiplies is small.
    pub(super) fn factor_velocity(&mut self) -> Result<(), StepFailure> {
        let HhtCorrector { dims, blocks, velocity, .. } = &mut *self.step;
        transpose(&blocks.r_l, dims.constraints(), &mut blocks.transposed);
        velocity.factor(Bordered {
            top: &[(1.0, &blocks.mass)],
            border: (1.0, &blocks.transposed),
            rows: &[(1.0, &blocks.c_v)],
            corner: None,
        })?;
        if blocks.damped {
            self.couple_damping();
        }
        Ok(())
    }

    /// Factors of the position half for the present h.
    pub(super) fn combine_halves(&mut self) -> Result<(), StepFailure> {
        let implicit = self.step.implicit_node();
        let HhtCorrector { weights, dims, h, blocks, position, .. } = &mut *self.step;
        let Weights { beta, gamma, c_m, p, w, .. } = *weights;
        let h = *h;
        let damped = if blocks.damped { 1.0 } else { 0.0 };
        for (i, border) in blocks.border.iter_mut().enumerate() {
            *border = blocks.r_l[i] + p[0] * w[0][0] * blocks.lag[i] - damped * 2.0 * beta * h / c_m * blocks.y_p[i];
        }
        transpose(&blocks.border, dims.constraints(), &mut blocks.transposed);
        let reaction = if implicit { 0.5 * c_m * p[1] * h * h } else { 0.0 };
        position.factor(Bordered {
            top: &[
                (c_m, &blocks.mass),
                (gamma * h, &blocks.damping),
                (beta * h * h, &blocks.stiffness),
                (reaction, &blocks.reaction_q),
                (-beta * h * h * damped, &blocks.damping_y),
            ],
            border: (1.0, &blocks.transposed),
            rows: &[(1.0, &blocks.c_v), (h, &blocks.turn)],
            corner: None,
        })?;
        Ok(())
    }

    /// Solves the velocity half for the present x and dL0, or for zero; leaves y and nu.
    fn velocity_half(&mut self, with_x: bool) {
        let (implicit, moving) = (self.step.implicit_node(), self.step.moving_node());
        let HhtCorrector { weights, dims, h, blocks, rhs, at, x, y, nu, dl, velocity, .. } = &mut *self.step;
        let Weights { beta, gamma, k, .. } = *weights;
        let (n, m, h) = (dims.v, dims.constraints(), *h);
        rhs[..n].fill(0.0);
        if implicit {
            for (rhs, e) in rhs.iter_mut().zip(&at.e) {
                *rhs = -k[1] * e;
            }
        }
        for i in 0..m {
            rhs[n + i] = -gamma * (at.velocity[i] - at.position[i]);
        }
        if with_x {
            let row = |matrix: &[f64], i: usize, x: &[f64]| -> f64 {
                matrix[i * x.len()..(i + 1) * x.len()].iter().zip(x).map(|(a, x)| a * x).sum()
            };
            for i in 0..n {
                if implicit || moving {
                    rhs[i] -= k[1] * beta * h * h * row(&blocks.reaction_q, i, x);
                }
                rhs[i] += k[0] * row(&blocks.lag, i, &dl[0]);
            }
            for i in 0..m {
                rhs[n + i] -= beta * h * row(&blocks.rows_q, i, x);
                if !blocks.turn.is_empty() {
                    rhs[n + i] += gamma * h * row(&blocks.turn, i, x);
                }
            }
        }
        velocity.solve(rhs);
        y.copy_from_slice(&rhs[..n]);
        nu.copy_from_slice(&rhs[n..]);
    }

    /// One correction of the two-node forms; leaves x (and y in `y`).
    pub(super) fn iterate_halves(&mut self) {
        let constrained = self.step.dims.constraints() > 0;
        let implicit = self.step.implicit_node();
        // Undamped and with p_1 = 0 the position half does not see y0 and nu0.
        let coupled = constrained && (self.step.blocks.damped || self.step.weights.p[1] != 0.0);
        if coupled {
            self.velocity_half(false);
        } else {
            self.step.nu.fill(0.0);
        }
        {
            let HhtCorrector { weights, dims, h, blocks, rhs, at, x, y, pi, nu, dl, position, .. } = &mut *self.step;
            let Weights { beta, c_m, p, w, .. } = *weights;
            let (n, m) = (dims.v, dims.constraints());
            let half = c_m / (2.0 * beta);
            for i in 0..n {
                rhs[i] = -at.residual[i];
            }
            if coupled {
                for i in 0..n {
                    let lag: f64 = blocks.lag[i * m..(i + 1) * m].iter().zip(&*nu).map(|(b, nu)| b * nu).sum();
                    let damped: f64 = blocks.damping[i * n..(i + 1) * n].iter().zip(&*y).map(|(d, y)| d * y).sum();
                    let e = if implicit { at.e[i] } else { 0.0 };
                    rhs[i] += half * (p[0] * w[0][1] * lag - p[1] * e) - *h * damped;
                }
            }
            for i in 0..m {
                rhs[n + i] = -at.position[i];
            }
            position.solve(rhs);
            x.copy_from_slice(&rhs[..n]);
            for i in 0..m {
                pi[i] = rhs[n + i] / half;
                dl[0][i] = w[0][0] * pi[i] + w[0][1] * nu[i];
            }
        }
        if constrained {
            self.velocity_half(true);
        }
        let HhtCorrector { weights, dims, h, blocks, at, nodes, iterate, x, y, pi, nu, dl, dr, .. } = &mut *self.step;
        let Weights { beta, p, k, w, .. } = *weights;
        for (a, x) in iterate.a.iter_mut().zip(&*x) {
            *a += x;
        }
        if !constrained {
            return;
        }
        for j in 0..2 {
            for i in 0..dims.constraints() {
                dl[j][i] = w[j][0] * pi[i] + w[j][1] * nu[i];
                iterate.l[j][i] += dl[j][i];
            }
        }
        let ([first, second], [dr0, dr1]) = (nodes, dr);
        multiply(&first.response, &dl[0], dr0);
        if !implicit {
            multiply(&second.response, &dl[1], dr1);
        } else if k[1].abs() >= K1_FLOOR {
            for i in 0..dr1.len() {
                dr1[i] = (y[i] - k[0] * dr0[i]) / k[1];
            }
        } else {
            // M1 dR1 = r_l dL1 - S_r dq - e.
            multiply(&blocks.r_l, &dl[1], dr1);
            multiply(&blocks.reaction_q, x, y);
            for i in 0..dr1.len() {
                dr1[i] -= beta * *h * *h * y[i] + at.e[i];
            }
            second.mass.solve(dr1);
        }
        for i in 0..dr0.len() {
            iterate.a[i] -= (p[0] * dr0[i] + p[1] * dr1[i]) / (2.0 * beta);
            if implicit {
                iterate.r1[i] += dr1[i];
            }
        }
    }
}
