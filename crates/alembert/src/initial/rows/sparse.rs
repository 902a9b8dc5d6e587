//! Sparse rows: the bordered matrix of all sound rows. Rows that are not sound are looked at one by one, and those that follow from
//! others are left out of the matrix; every other matrix of the start has none of them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::Frame;
use super::search::Search;
use crate::initial::dependence::Combination;
use crate::initial::metric::Weight;
use crate::linear::{Bordered, Kkt, Pattern, Structure};
use crate::tolerance::largest;

/// Pivots above this share of what they are made of are those of independent rows; the share is the square of an angle.
const SOUND: f64 = 1e-5;
/// Corrections of a solution, and what of the right-hand side is left of a good one.
const REFINEMENTS: usize = 4;
const GOOD: f64 = 1e-15;

pub(in crate::initial) struct SparseRows {
    structure: Arc<Structure>,
    pattern: Arc<Pattern>,
    weight: Arc<Weight>,
    pub(super) scale: Vec<f64>,
    /// Unit rows; zeros in place of those that follow from others, and of columns that must not move.
    a: Vec<f64>,
    /// All of them, for damped steps.
    whole: Vec<f64>,
    kkt: Kkt,
    spare: Rc<RefCell<Option<Kkt>>>,
    pub(super) dependences: Vec<Combination>,
}

impl Drop for SparseRows {
    fn drop(&mut self) {
        // Factors without some rows are softened a little, and serve no other matrix.
        if self.whole.is_empty() {
            self.spare.replace(Some(std::mem::replace(&mut self.kkt, Kkt::new(&self.structure))));
        }
    }
}

/// Factors [W A^T; A].
pub(super) fn factor(kkt: &mut Kkt, weight: &Weight, a: &[f64]) -> bool {
    let border: Vec<f64> = a.iter().map(|a| -a).collect();
    let top = weight.values();
    kkt.factor(Bordered { top: &[(1.0, top)], border: (1.0, &border), rows: &[(1.0, a)], corner: None }).is_ok()
}

/// Replaces `rhs` by the solution of [W A^T; A] x = rhs by factors of a matrix close to it.
pub(super) fn solve(kkt: &mut Kkt, pattern: &Pattern, weight: &Weight, a: &[f64], rhs: &mut [f64]) {
    let n = pattern.columns();
    let given = rhs.to_vec();
    kkt.solve(rhs);
    let mut before = f64::INFINITY;
    for _ in 0..REFINEMENTS {
        let mut rest = given.clone();
        let ((x, y), (motion, constraints)) = (rhs.split_at(n), rest.split_at_mut(n));
        weight.pattern().multiply_add(-1.0, weight.values(), x, motion);
        pattern.multiply_transposed_add(-1.0, a, y, motion);
        pattern.multiply_add(-1.0, a, x, constraints);
        let left = largest(&rest);
        if left <= GOOD * largest(&given) || left > 0.5 * before {
            break;
        }
        before = left;
        kkt.solve(&mut rest);
        rhs.iter_mut().zip(&rest).for_each(|(x, d)| *x += d);
    }
}

impl SparseRows {
    pub fn new(frame: &Frame, structure: &Arc<Structure>, values: &[f64], threshold: f64) -> Self {
        let Frame { pattern, weight, .. } = frame;
        let mut a = values.to_vec();
        let mut scale = vec![1.0; pattern.rows()];
        for (i, scale) in scale.iter_mut().enumerate() {
            for (j, e) in pattern.row(i) {
                a[e] *= if weight.is_free(j) { 1.0 } else { 0.0 };
            }
            let square = |(j, e): (usize, usize)| a[e] * a[e] / weight.diagonal(j);
            let length = pattern.row(i).map(square).sum::<f64>().sqrt();
            if length > 0.0 {
                *scale = length;
                pattern.row(i).for_each(|(_, e)| a[e] /= length);
            }
        }
        let mut kkt = frame.spare.take().unwrap_or_else(|| Kkt::new(structure));
        let fallbacks = kkt.fallbacks();
        let sound = factor(&mut kkt, weight, &a) && kkt.fallbacks() == fallbacks && kkt.weak(SOUND).is_empty();
        let mut rows = SparseRows {
            structure: structure.clone(),
            pattern: pattern.clone(),
            weight: weight.clone(),
            scale,
            whole: Vec::new(),
            a,
            kkt,
            spare: frame.spare.clone(),
            dependences: Vec::new(),
        };
        if !sound {
            rows.leave_out(threshold);
        }
        rows
    }

    fn leave_out(&mut self, threshold: f64) {
        let (found, kkt) = Search::new(&self.structure, &self.pattern, &self.weight, &self.a).run(threshold);
        if found.is_empty() && self.kkt.is_factored() {
            return;
        }
        self.whole.clone_from(&self.a);
        for Combination { row, .. } in &found {
            self.pattern.row(*row).for_each(|(_, e)| self.a[e] = 0.0);
        }
        (self.dependences, self.kkt) = (found, kkt);
    }

    fn solve(&mut self, rhs: &mut [f64]) {
        let SparseRows { kkt, pattern, weight, a, .. } = self;
        solve(kkt, pattern, weight, a, rhs);
    }

    pub fn step(&mut self, b: &[f64]) -> Vec<f64> {
        let n = self.pattern.columns();
        let mut rhs = vec![0.0; n + b.len()];
        rhs[n..].copy_from_slice(b);
        for Combination { row, .. } in &self.dependences {
            rhs[n + row] = 0.0;
        }
        self.solve(&mut rhs);
        rhs.truncate(n);
        rhs
    }

    pub fn damped_step(&mut self, b: &[f64], damping: f64) -> Vec<f64> {
        let n = self.pattern.columns();
        let mut kkt = Kkt::new(&Arc::new((*self.structure).clone().softened(damping)));
        let mut rhs = vec![0.0; n + b.len()];
        let a = if self.whole.is_empty() { &self.a } else { &self.whole };
        if factor(&mut kkt, &self.weight, a) {
            rhs[n..].copy_from_slice(b);
            kkt.solve(&mut rhs);
        }
        rhs.truncate(n);
        rhs
    }

    pub fn split(&mut self, w: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = self.pattern.columns();
        let mut rhs: Vec<f64> = (0..n).map(|j| if self.weight.is_free(j) { w[j] } else { 0.0 }).collect();
        rhs.resize(self.structure.size(), 0.0);
        self.solve(&mut rhs);
        let mu = rhs.split_off(n);
        (rhs, mu)
    }
}
