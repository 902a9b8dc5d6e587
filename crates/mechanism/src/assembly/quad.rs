//! The block of two nodes in world components: shifts and turns, rows by columns.
//!
//! ```text
//! J_k^T B J_l     J of a point (I, -rho^), of a direction (0, -rho^), of a turn (0, I);    J_k^T has rho^ in its place
//! ```

use super::plan::Place;
use crate::algebra::{
    IDENTITY, Matrix, ZERO, add_matrix, hat, hat_hat, hat_times, product, times_hat, transposed_product,
};
use crate::attached::{Located, What};
use crate::expansion::Block;
use crate::node::{Kind, Node, Pose};

/// Four blocks.
#[derive(Clone, Copy, Debug)]
pub struct Quad {
    pub pp: Matrix,
    pub pt: Matrix,
    pub tp: Matrix,
    pub tt: Matrix,
}

impl Quad {
    /// Nothing.
    pub const ZERO: Quad = Quad { pp: ZERO, pt: ZERO, tp: ZERO, tt: ZERO };

    /// Adds J_k^T B J_l.
    #[inline]
    pub fn add(&mut self, k: &Located, l: &Located, block: &Block) {
        let (shift_k, shift_l) = (k.what == What::Point, l.what == What::Point);
        let (turn_k, turn_l) = (k.what == What::Turn, l.what == What::Turn);
        match block {
            Block::Scalar(c) if !turn_k && !turn_l => {
                if shift_k && shift_l {
                    (0..3).for_each(|i| self.pp[i][i] += c);
                }
                if shift_k {
                    add_matrix(&mut self.pt, -c, &hat(&l.rho));
                }
                if shift_l {
                    add_matrix(&mut self.tp, *c, &hat(&k.rho));
                }
                add_matrix(&mut self.tt, -c, &hat_hat(&k.rho, &l.rho));
            }
            Block::Scalar(c) => {
                let mut full = IDENTITY;
                full.iter_mut().flatten().for_each(|x| *x *= c);
                self.add_full(k, l, &full);
            }
            Block::Full(full) => self.add_full(k, l, full),
        }
    }

    fn add_full(&mut self, k: &Located, l: &Located, block: &Matrix) {
        let (shift_k, shift_l) = (k.what == What::Point, l.what == What::Point);
        let left = if k.what == What::Turn { *block } else { hat_times(&k.rho, block) };
        if shift_k && shift_l {
            add_matrix(&mut self.pp, 1.0, block);
        }
        if shift_l {
            add_matrix(&mut self.tp, 1.0, &left);
        }
        if l.what == What::Turn {
            if shift_k {
                add_matrix(&mut self.pt, 1.0, block);
            }
            add_matrix(&mut self.tt, 1.0, &left);
        } else {
            if shift_k {
                add_matrix(&mut self.pt, -1.0, &times_hat(block, &l.rho));
            }
            add_matrix(&mut self.tt, -1.0, &times_hat(&left, &l.rho));
        }
    }

    /// Adds J_k^T B Jw_l, the part of rates that change with turns: -sweep^ in place of J_l.
    #[inline]
    pub fn add_sweep(&mut self, k: &Located, l: &Located, block: &Block) {
        let mut full = ZERO;
        match block {
            Block::Scalar(c) => add_matrix(&mut full, *c, &hat(&l.sweep)),
            Block::Full(block) => full = times_hat(block, &l.sweep),
        }
        if k.what == What::Point {
            add_matrix(&mut self.pt, -1.0, &full);
        }
        let left = if k.what == What::Turn { full } else { hat_times(&k.rho, &full) };
        add_matrix(&mut self.tt, -1.0, &left);
    }

    /// Adds c times the block in the columns of the nodes.
    #[inline]
    pub fn scatter(&self, c: f64, place: &Place, [a, b]: [(&Node, &Pose); 2], out: &mut [f64]) {
        let Quad { pp, mut pt, mut tp, mut tt } = *self;
        if b.0.kind == Kind::Spatial {
            pt = product(&pt, &b.1.r);
            tt = product(&tt, &b.1.r);
        }
        if a.0.kind == Kind::Spatial {
            tp = transposed_product(&a.1.r, &tp);
            tt = transposed_product(&a.1.r, &tt);
        }
        let [shifts, turns] = a.0.kind.columns();
        let widths = b.0.kind.columns();
        // A planar body turns about the third axis alone.
        let third = |count: usize, i: usize| if count == 1 { 2 } else { i };
        let mut add = |start: Option<usize>, row: &[f64; 3], part: usize| {
            let Some(start) = start else { return };
            let count = widths[part];
            for j in 0..count {
                out[start + j] += c * row[if part == 1 { third(count, j) } else { j }];
            }
        };
        for i in 0..shifts {
            add(place.start(i, 0), &pp[i], 0);
            add(place.start(i, 1), &pt[i], 1);
        }
        for i in 0..turns {
            let row = third(turns, i);
            add(place.start(shifts + i, 0), &tp[row], 0);
            add(place.start(shifts + i, 1), &tt[row], 1);
        }
    }
}
