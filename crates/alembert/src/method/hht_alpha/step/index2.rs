//! The index-2 form has one node in both q and v and one level of constraints:
//!
//! ```text
//! [c_m M1 + gamma h D + beta h^2 S T   -col; K + (beta h/gamma) k_q T   Z] (u ; dL) = ( -gamma R_a ; -k/h )
//! col = (c_m M1 - h^2 (gamma/2 - beta) S T) B,   Z = h (1/2 - beta/gamma) k_q T B,   B = M^-1 r_mu at the node
//! dv = h u,   dR = B dL,   da1 = (u - dR)/gamma
//! ```

use super::weights::Weights;
use super::{HhtCorrector, HhtProblem};
use crate::linear::Bordered;
use crate::method::StepFailure;
use crate::method::matrix::{multiply, product, transpose};

impl HhtProblem<'_, '_> {
    pub(super) fn combine_index2(&mut self) -> Result<(), StepFailure> {
        let HhtCorrector { weights, dims, h, blocks, nodes, position, .. } = &mut *self.step;
        let Weights { beta, gamma, c_m, .. } = *weights;
        let (h, m) = (*h, dims.constraints());
        let response = &nodes[1].response;
        product(&blocks.mass, response, m, &mut blocks.border);
        product(&blocks.stiffness, response, m, &mut blocks.lag);
        for (border, lag) in blocks.border.iter_mut().zip(&blocks.lag) {
            *border = c_m * *border - h * h * (0.5 * gamma - beta) * lag;
        }
        transpose(&blocks.border, m, &mut blocks.transposed);
        product(&blocks.rows_q, response, m, &mut blocks.corner);
        blocks.corner.iter_mut().for_each(|z| *z *= h * (0.5 - beta / gamma));
        position.factor(Bordered {
            top: &[(c_m, &blocks.mass), (gamma * h, &blocks.damping), (beta * h * h, &blocks.stiffness)],
            border: (1.0, &blocks.transposed),
            rows: &[(1.0, &blocks.c_v), (beta * h / gamma, &blocks.rows_q)],
            corner: Some(&blocks.corner),
        })?;
        Ok(())
    }

    pub(super) fn iterate_index2(&mut self) {
        let HhtCorrector { weights, dims, nodes, position, rhs, iterate, at, x, dl: [_, changes], .. } =
            &mut *self.step;
        let (n, gamma) = (dims.v, weights.gamma);
        for (rhs, r) in rhs.iter_mut().zip(&at.residual) {
            *rhs = -gamma * r;
        }
        for (rhs, c) in rhs[n..].iter_mut().zip(&at.position) {
            *rhs = -c;
        }
        position.solve(rhs);
        let (u, dl) = rhs.split_at(n);
        changes.copy_from_slice(dl);
        multiply(&nodes[1].response, dl, x);
        for i in 0..n {
            iterate.a[i] += (u[i] - x[i]) / gamma;
        }
        for (l, d) in iterate.l[1].iter_mut().zip(dl) {
            *l += d;
        }
    }
}
