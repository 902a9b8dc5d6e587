//! A matrix for each half: the difference at x = 0, the position half, then the difference with x.
//!
//! Where blocks are dense, D Y in the position half's matrix makes up for what the difference half does to it, and nothing is left out
//! but what is of the size of mu - mu~ and v - v~. It takes one back substitution for each holonomic constraint.

use super::{Numbers, Way, add, factor_position, subtract};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Layout;
use crate::linear::{Bordered, Kkt, LinearWork, Singular};
use crate::method::generalized_alpha::Coefficients;
use crate::method::generalized_alpha::step::blocks::Blocks;

pub(super) struct InTurn {
    position: Kkt,
    /// Of the same age as the position half's, or constraint corrections do not cancel.
    difference: Kkt,
    /// D Y; only there where all blocks are dense.
    damping_y: Vec<f64>,
    /// Whether it is in the factors: there are dampers.
    coupled: bool,
    rhs: Vec<f64>,
}

impl InTurn {
    pub fn new(layout: &Layout, position: Kkt) -> Self {
        let (n, m) = (layout.top.rows(), layout.rows.rows());
        InTurn {
            position,
            difference: Kkt::new(&layout.structure),
            damping_y: vec![0.0; if layout.is_dense() { n * n } else { 0 }],
            coupled: false,
            rhs: vec![0.0; n + m],
        }
    }

    /// D Y, with the factors of the difference half; uses the blocks' scratch for Y.
    fn couple_damping(&mut self, coefficients: &Coefficients, layout: &Layout, blocks: &mut Blocks) {
        let (n, nl) = (layout.top.rows(), layout.holonomic.rows());
        let InTurn { difference, damping_y, rhs, .. } = self;
        let Blocks { damping, velocity_q, turn, work, .. } = blocks;
        let ratio = coefficients.gamma / coefficients.beta;
        work.clear();
        work.resize(damping.len(), 0.0);
        for i in 0..nl {
            rhs.fill(0.0);
            rhs[n + i] = 1.0;
            difference.solve(rhs);
            let gamma_row = &velocity_q[i * n..(i + 1) * n];
            for (y_row, normal) in work.chunks_exact_mut(n).zip(&*rhs) {
                for (y, gamma) in y_row.iter_mut().zip(gamma_row) {
                    *y += normal * gamma;
                }
                for (y, turn) in y_row.iter_mut().zip(turn.chunks_exact(n).nth(i).unwrap_or_default()) {
                    *y -= ratio * normal * turn;
                }
            }
        }
        for (d_row, out) in damping.chunks_exact(n).zip(damping_y.chunks_exact_mut(n)) {
            out.fill(0.0);
            for (d, y_row) in d_row.iter().zip(work.chunks_exact(n)).filter(|(d, _)| **d != 0.0) {
                for (out, y) in out.iter_mut().zip(y_row) {
                    *out += d * y;
                }
            }
        }
    }
}

impl Keep for InTurn {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.position, self.difference, self.damping_y, self.coupled)
    }
}

impl Way for InTurn {
    fn needs_gamma(&self) -> bool {
        true
    }

    fn linearize(&mut self, step: &Numbers, blocks: &mut Blocks) -> Result<(), Singular> {
        self.difference.factor(Bordered {
            top: &[(1.0, &*blocks.mass)],
            border: blocks.border(),
            rows: &[(1.0, &blocks.c_v)],
            corner: None,
        })?;
        self.coupled = blocks.damped && !self.damping_y.is_empty();
        if self.coupled {
            self.couple_damping(step.coefficients, step.layout, blocks);
        }
        self.factor(step, blocks)
    }

    fn factor(&mut self, step: &Numbers, blocks: &Blocks) -> Result<(), Singular> {
        let damping_y = if self.coupled { &self.damping_y[..] } else { &[] };
        factor_position(&mut self.position, step, blocks, damping_y)
    }

    fn correct(&mut self, step: &Numbers, blocks: &Blocks, tilde: &mut [f64], plain: &mut [f64]) {
        let Numbers { layout, c_m, h, .. } = *step;
        let Coefficients { beta, gamma, .. } = *step.coefficients;
        let n = layout.top.rows();
        // From here on `plain` is the right-hand side of the difference half.
        subtract(plain, tilde);
        plain[..n].iter_mut().for_each(|r| *r /= c_m);
        if blocks.damped {
            self.rhs.copy_from_slice(plain);
            self.difference.solve(&mut self.rhs);
            layout.top.multiply_add(-gamma * h, &blocks.damping, &self.rhs[..n], &mut tilde[..n]);
        }
        self.position.solve(tilde);
        let (x, c) = (&tilde[..n], &mut plain[n..]);
        layout.holonomic.multiply_add(-beta * h / gamma, &blocks.velocity_q, x, c);
        if !blocks.turn.is_empty() {
            layout.rows.multiply_add(h, &blocks.turn, x, c);
        }
        self.difference.solve(plain);
        plain[n..].iter_mut().for_each(|nu| *nu *= c_m);
        add(plain, tilde);
    }

    fn position(&mut self) -> &mut Kkt {
        &mut self.position
    }

    fn work(&self) -> LinearWork {
        self.position.work() + self.difference.work()
    }
}
