//! Constraint rows A to first order, in a metric W: the one piece of linear algebra that the repair of a start needs, dense or sparse.
//!
//! ```text
//! step       min d^T W d   with  A d = b                        | W  A^T | (d)   (0)
//! damped     min |A d - b|^2 + s d^T W d                        | A  -s  | (.) = (b)
//! split      w = W x + A^T mu  with  A x = 0                    | W  A^T | (x )   (w)
//!                                                               | A   0  | (mu) = (0)
//! ```
//!
//! Rows are scaled to unit length in the metric (of its diagonal, where they are sparse), so that units do not decide. Rows that
//! follow from others are left out, and can be named. Both kinds give the same answers; which one is made is a question of speed.

mod dense;
mod search;
mod sparse;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

pub(super) use dense::DenseRows;
pub(super) use sparse::SparseRows;

use super::dependence::Combination;
use super::metric::Weight;
use crate::linear::{Kkt, Pattern, Structure};

pub(super) enum Rows {
    Dense(Box<DenseRows>),
    Sparse(Box<SparseRows>),
}

/// What all rows of a level share.
#[derive(Clone)]
pub(super) struct Frame {
    /// Where the rows have entries.
    pub pattern: Arc<Pattern>,
    pub weight: Arc<Weight>,
    /// Of bordered matrices with these blocks; none where they are dense.
    pub structure: Option<Arc<Structure>>,
    /// A matrix that nobody needs any more: its memory serves the next one.
    spare: Rc<RefCell<Option<Kkt>>>,
}

impl Frame {
    /// `known` is a structure that serves if its patterns are the same ones.
    pub fn new(pattern: &Arc<Pattern>, weight: Weight, known: &Arc<Structure>) -> Self {
        let structure = if known.rows == *pattern && known.top == *weight.pattern() {
            // The analysis of the matrices is made once, for the start and for all steps.
            known.prepare();
            (**known).clone().softened(0.0)
        } else {
            Structure::new(weight.pattern().clone(), pattern.clone()).solved_by(known.choice())
        };
        let structure = structure.is_sparse().then(|| Arc::new(structure));
        Frame { pattern: pattern.clone(), weight: Arc::new(weight), structure, spare: Rc::default() }
    }

    /// The same with the identity for the metric, and every column free.
    pub fn freed(&self) -> Self {
        let weight = Weight::identity(self.weight.pattern(), self.weight.size());
        Frame { weight: Arc::new(weight), ..self.clone() }
    }
}

impl Rows {
    /// From the values of the rows; what is left of a unit row below `threshold` is nothing.
    pub fn new(frame: &Frame, values: &[f64], threshold: f64) -> Self {
        match &frame.structure {
            None => Rows::Dense(Box::new(DenseRows::new(frame, values, threshold))),
            Some(structure) => Rows::Sparse(Box::new(SparseRows::new(frame, structure, values, threshold))),
        }
    }

    /// Lengths of the rows before scaling (one for a zero row).
    pub fn scale(&self) -> &[f64] {
        match self {
            Rows::Dense(rows) => &rows.scale,
            Rows::Sparse(rows) => &rows.scale,
        }
    }

    /// The shortest d with A d = b, for unit rows.
    pub fn step(&mut self, b: &[f64]) -> Vec<f64> {
        match self {
            Rows::Dense(rows) => rows.step(b),
            Rows::Sparse(rows) => rows.step(b),
        }
    }

    /// A shorter step, after Levenberg and Marquardt.
    pub fn damped_step(&mut self, b: &[f64], damping: f64) -> Vec<f64> {
        match self {
            Rows::Dense(rows) => rows.damped_step(b, damping),
            Rows::Sparse(rows) => rows.damped_step(b, damping),
        }
    }

    /// x along the constraints and mu with w = W x + A^T mu for unit rows; of w only what may move counts.
    pub fn split(&mut self, w: &[f64]) -> (Vec<f64>, Vec<f64>) {
        match self {
            Rows::Dense(rows) => rows.split(w),
            Rows::Sparse(rows) => rows.split(w),
        }
    }

    /// Number of rows that follow from others.
    pub fn dependent(&self) -> usize {
        match self {
            Rows::Dense(rows) => rows.dependent(),
            Rows::Sparse(rows) => rows.dependences.len(),
        }
    }

    /// The rows that follow from others, each expressed by unit rows that do not.
    pub fn dependences(&self) -> Vec<Combination> {
        match self {
            Rows::Dense(rows) => rows.dependences(),
            Rows::Sparse(rows) => rows.dependences.clone(),
        }
    }
}
