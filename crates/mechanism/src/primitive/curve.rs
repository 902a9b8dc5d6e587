//! e.(r - o - R c(x)): a point beside a curve of another body, at the parameter x of the curve.
//!
//! ```text
//! R c(x) = sum c_m(x) u_m,  u_m the axes of the body with the curve, o its marker
//! gradients  r: e,  o: -e,  u_m: -c_m e,  x: -sum c_m' e.u_m         couplings (u_m, x): -c_m' e,  (x, x): -sum c_m'' e.u_m
//! ```

use std::sync::Arc;

use super::Primitive;
use crate::algebra::{Vector, difference, dot, scaled};
use crate::expansion::{Block, Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};
use crate::law::Curve;

/// Of the points r and o, the directions u_1, u_2, u_3 and the number x, a coordinate of its own without mass.
#[derive(Clone, Debug)]
pub struct OnCurve {
    /// e, a unit vector in the world.
    pub axis: Vector,
    /// c.
    pub curve: Arc<dyn Curve>,
}

impl Primitive for OnCurve {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[(2, 5), (3, 5), (4, 5), (5, 5)]
    }

    fn components(&self, k: usize) -> [bool; 3] {
        match k {
            0 | 1 => self.axis.map(|e| e != 0.0),
            5 => [true, false, false],
            _ => [true; 3],
        }
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        let e = &self.axis;
        let [c, c1, c2] = self.curve.at(vectors.z(5)[0]);
        let along = [2, 3, 4].map(|m| dot(e, vectors.z(m)));
        share.value(dot(e, &difference(vectors.z(0), vectors.z(1))) - dot(&c, &along));
        if share.wants_gradient() {
            share.gradient(0, e);
            share.gradient(1, &scaled(-1.0, e));
            (0..3).for_each(|m| share.gradient(2 + m, &scaled(-c[m], e)));
            share.gradient(5, &[-dot(&c1, &along), 0.0, 0.0]);
        }
        if share.wants_couplings() {
            let column = |x: Vector| Block::Full(x.map(|x| [x, 0.0, 0.0]));
            (0..3).for_each(|m| share.couple(2 + m, 5, column(scaled(-c1[m], e))));
            share.couple(5, 5, column([-dot(&c2, &along), 0.0, 0.0]));
        }
    }

    fn formal(&self, f: &mut dyn Setting, _: &[Triple]) -> Option<Formal> {
        // The curve is a function that a program gives. Reactions are those on the second body, which has the point alone; what the
        // curve does to its own body and to its parameter is not told.
        let (e, none) = (formal::constants(f, self.axis), formal::constants(f, [0.0; 3]));
        Some(Formal { value: None, gradient: vec![e, formal::opposite(f, e), none, none, none, none] })
    }
}
