//! Dense rows: a rank-revealing factorisation in orthonormal coordinates y = L^T d of the metric W = L L^T.

use super::Frame;
use crate::initial::dependence::Combination;
use crate::initial::metric::{Cholesky, Weight};
use crate::initial::projection::length;
use crate::linear::rank::RowRank;
use std::sync::Arc;

pub(in crate::initial) struct DenseRows {
    rank: RowRank,
    pub(super) scale: Vec<f64>,
    /// Unit rows of the free columns, L^-1 applied.
    a: Vec<f64>,
    factor: Arc<Cholesky>,
    weight: Arc<Weight>,
}

impl DenseRows {
    pub fn new(frame: &Frame, values: &[f64], threshold: f64) -> Self {
        let (m, weight) = (frame.pattern.rows(), frame.weight.clone());
        let factor = weight.factor();
        let (n, k) = (frame.pattern.columns(), weight.free().len());
        let (mut a, mut scale, mut whole) = (vec![0.0; m * k], vec![1.0; m], vec![0.0; n]);
        for i in 0..m {
            whole.fill(0.0);
            frame.pattern.row(i).for_each(|(j, e)| whole[j] = values[e]);
            let row = &mut a[i * k..(i + 1) * k];
            row.iter_mut().zip(weight.free()).for_each(|(to, &j)| *to = whole[j]);
            factor.forward(row);
            let length = length(row);
            if length > 0.0 {
                scale[i] = length;
                row.iter_mut().for_each(|x| *x /= length);
            }
        }
        DenseRows { rank: RowRank::new(&a, k, threshold), scale, a, factor, weight }
    }

    pub fn step(&self, b: &[f64]) -> Vec<f64> {
        self.displacement(self.rank.minimum_norm(b))
    }

    /// The minimum-norm solution of (A, sqrt(damping) 1).
    pub fn damped_step(&self, b: &[f64], damping: f64) -> Vec<f64> {
        let (m, columns) = (b.len(), self.weight.free().len());
        let mut wide = Vec::with_capacity(m * (columns + m));
        for i in 0..m {
            wide.extend_from_slice(&self.a[i * columns..(i + 1) * columns]);
            wide.extend((0..m).map(|j| if i == j { damping.sqrt() } else { 0.0 }));
        }
        let mut step = RowRank::new(&wide, columns + m, 0.0).minimum_norm(b);
        step.truncate(columns);
        self.displacement(step)
    }

    pub fn split(&self, w: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut y: Vec<f64> = self.weight.free().iter().map(|&j| w[j]).collect();
        self.factor.forward(&mut y);
        (self.displacement(self.rank.tangential(&y)), self.rank.combination(&y))
    }

    pub fn dependent(&self) -> usize {
        self.scale.len() - self.rank.rank()
    }

    pub fn dependences(&self) -> Vec<Combination> {
        self.rank.dependences().into_iter().map(|(row, on)| Combination { row, on }).collect()
    }

    fn displacement(&self, mut y: Vec<f64>) -> Vec<f64> {
        self.factor.backward(&mut y);
        let mut d = vec![0.0; self.weight.size()];
        for (&j, y) in self.weight.free().iter().zip(y) {
            d[j] = y;
        }
        d
    }
}
