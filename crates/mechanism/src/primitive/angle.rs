//! theta = atan2(S, C) with S = y.w, C = x.w: the angle from x to w about x * y, between -pi and pi.
//!
//! ```text
//! theta_z = (C S_z - S C_z)/r^2,   r^2 = S^2 + C^2
//! theta_SS = -2 S C/r^4,  theta_SC = (S^2 - C^2)/r^4,  theta_CC = 2 S C/r^4;   (x, w): theta_C I,  (y, w): theta_S I
//! ```

use super::Primitive;
use crate::algebra::{Matrix, ZERO, add_matrix, dot, outer, scaled, sum};
use crate::expansion::{Block, Share, Vectors};
use crate::formal::{self, Formal, Setting, Triple};

/// Of the directions x, y of one body and w of another one.
#[derive(Clone, Debug)]
pub struct Angle;

impl Primitive for Angle {
    fn couplings(&self) -> &'static [(u8, u8)] {
        &[(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    }

    fn expand(&self, _: f64, vectors: &Vectors, share: &mut Share) {
        let (x, y, w) = (vectors.z(0), vectors.z(1), vectors.z(2));
        let (s, c) = (dot(y, w), dot(x, w));
        share.value(s.atan2(c));
        if !share.wants_gradient() {
            return;
        }
        let square = s * s + c * c;
        let (by_s, by_c) = (c / square, -s / square);
        share.gradient(0, &scaled(by_c, w));
        share.gradient(1, &scaled(by_s, w));
        share.gradient(2, &sum(&scaled(by_s, y), &scaled(by_c, x)));
        if !share.wants_couplings() {
            return;
        }
        let fourth = square * square;
        let (ss, sc, cc) = (-2.0 * s * c / fourth, (s * s - c * c) / fourth, 2.0 * s * c / fourth);
        // Gradients of S and C by the three vectors: S_y = w, S_w = y, C_x = w, C_w = x.
        let combined = |terms: &[(f64, Matrix)]| {
            let mut block = ZERO;
            terms.iter().for_each(|(c, a)| add_matrix(&mut block, *c, a));
            block
        };
        let ww = outer(w, w);
        share.couple(0, 0, Block::Full(combined(&[(cc, ww)])));
        share.couple(0, 1, Block::Full(combined(&[(sc, ww)])));
        share.couple(1, 1, Block::Full(combined(&[(ss, ww)])));
        let (wx, wy) = (outer(w, x), outer(w, y));
        let plus = |mut block: Matrix, c: f64| {
            (0..3).for_each(|i| block[i][i] += c);
            Block::Full(block)
        };
        share.couple(0, 2, plus(combined(&[(sc, wy), (cc, wx)]), by_c));
        share.couple(1, 2, plus(combined(&[(ss, wy), (sc, wx)]), by_s));
        let own = [(ss, outer(y, y)), (sc, outer(y, x)), (sc, outer(x, y)), (cc, outer(x, x))];
        share.couple(2, 2, Block::Full(combined(&own)));
    }

    fn formal(&self, f: &mut dyn Setting, z: &[Triple]) -> Option<Formal> {
        let [x, y, w] = [z[0], z[1], z[2]];
        let (s, c) = (formal::dot(f, y, w), formal::dot(f, x, w));
        let (ss, cc) = (f.product(s, s), f.product(c, c));
        let square = f.sum(ss, cc);
        let by_s = f.quotient(c, square);
        let (zero, along) = (f.constant(0.0), f.quotient(s, square));
        let by_c = f.difference(zero, along);
        let (of_y, of_x) = (formal::scaled(f, by_s, y), formal::scaled(f, by_c, x));
        let gradient = vec![formal::scaled(f, by_c, w), formal::scaled(f, by_s, w), formal::sum(f, of_y, of_x)];
        Some(Formal { value: Some(f.angle(s, c)), gradient })
    }
}
