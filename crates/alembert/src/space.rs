//! Where configurations live: numbers that add, and rotations that do not.
//!
//! q has the order of v; a rotation stores a unit quaternion where v has three angular velocities in body components:
//!
//! ```text
//! v   ... | w1 w2 w3 | ...        `rotations` holds the index of w1 of each rotation, in increasing order
//! q   ... | p0 p1 p2 p3 | ...     k rotations before an entry shift its index in q by k
//! ```
//!
//! The formulas of one rotation are those of [`rotation`]; everywhere else they are those of addition.

use std::cell::Cell;
use std::fmt;

use crate::rotation::{self, Quaternion, Vector};
use crate::scalar::Scalar;
use crate::system::Dims;
use crate::tolerance::Tolerance;
use crate::typical::TypicalSizes;

/// Rotations that do not fit the dimensions of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSpace {
    /// The rotations named.
    pub rotations: Vec<usize>,
    /// The dimensions.
    pub dims: Dims,
}

impl fmt::Display for BadSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadSpace { rotations, dims } = self;
        write!(
            f,
            "q has {} entries, v has {}, and rotations begin at the velocities {rotations:?}: that does not fit",
            dims.q, dims.v
        )
    }
}

impl std::error::Error for BadSpace {}

impl BadSpace {
    /// What to try next.
    pub fn hint(&self) -> &'static str {
        "name the first of three angular velocities of each rotation in increasing order; q has one entry more than v for \
         each rotation, and as many as v without (a system with a general `rate` has no rotations)"
    }
}

/// The configurations of one system.
#[derive(Clone, Debug, Default)]
pub struct Space {
    rotations: Vec<usize>,
}

/// Calls `number(i_q, i_v)` for every number that adds, `rotation(i_q, i_v)` for every rotation.
fn walk(rotations: &[usize], n: usize, mut number: impl FnMut(usize, usize), mut rotation: impl FnMut(usize, usize)) {
    let mut next = 0;
    for (k, &first) in rotations.iter().enumerate() {
        (next..first).for_each(|i| number(i + k, i));
        rotation(first + k, first);
        next = first + 3;
    }
    (next..n).for_each(|i| number(i + rotations.len(), i));
}

fn three<S: Copy>(x: &[S], i: usize) -> Vector<S> {
    [x[i], x[i + 1], x[i + 2]]
}

fn four<S: Copy>(x: &[S], i: usize) -> Quaternion<S> {
    [x[i], x[i + 1], x[i + 2], x[i + 3]]
}

/// q1 = q0 o dx with these rotations. Quaternions are led back to unit length.
pub(crate) fn advance<S: Scalar>(rotations: &[usize], q0: &[S], dx: &[S], q1: &mut [S]) {
    if rotations.is_empty() {
        for ((q1, q0), dx) in q1.iter_mut().zip(q0).zip(dx) {
            *q1 = *q0 + *dx;
        }
        return;
    }
    let q1 = Cell::from_mut(q1).as_slice_of_cells();
    walk(
        rotations,
        dx.len(),
        |i, j| q1[i].set(q0[i] + dx[j]),
        |i, j| {
            let p = four(q0, i);
            // One step of Newton's method towards unit length. The length is not a variable, and derivatives do not see it.
            let square: f64 = p.iter().map(|p| p.value() * p.value()).sum();
            let unit = 1.5 - 0.5 * square;
            for (to, p) in q1[i..].iter().zip(rotation::product(&p, &rotation::exp(&three(dx, j)))) {
                to.set(p * unit);
            }
        },
    );
}

impl Space {
    /// The space of a system.
    ///
    /// # Errors
    /// If the rotations do not fit the dimensions.
    pub fn new(dims: Dims, rotations: &[usize], general_rate: bool) -> Result<Self, BadSpace> {
        let ends = rotations.iter().skip(1).copied().chain([dims.v]);
        let in_order = rotations.iter().zip(ends).all(|(first, end)| first + 3 <= end);
        let fits = if general_rate { rotations.is_empty() } else { dims.q == dims.v + rotations.len() };
        if in_order && fits {
            Ok(Space { rotations: rotations.to_vec() })
        } else {
            Err(BadSpace { rotations: rotations.to_vec(), dims })
        }
    }

    /// The first velocity of each rotation.
    pub fn rotations(&self) -> &[usize] {
        &self.rotations
    }

    /// The first entry in q of each rotation.
    pub fn quaternions(&self) -> impl Iterator<Item = usize> + '_ {
        self.rotations.iter().enumerate().map(|(k, first)| first + k)
    }

    /// Whether configurations add.
    pub fn is_flat(&self) -> bool {
        self.rotations.is_empty()
    }

    /// q1 = q0 o dx.
    pub fn advance(&self, q0: &[f64], dx: &[f64], q1: &mut [f64]) {
        advance(&self.rotations, q0, dx, q1);
    }

    /// q1 = q0 o dx for a dx that is zero except for its entry j; only the entries of q1 that this moves are written.
    pub(crate) fn advance_one(&self, q0: &[f64], j: usize, dx: f64, q1: &mut [f64]) {
        let before = self.rotations.partition_point(|first| *first <= j);
        match before.checked_sub(1).map(|k| (k, self.rotations[k])) {
            Some((k, first)) if j < first + 3 => {
                let mut x = [0.0; 3];
                x[j - first] = dx;
                let i = first + k;
                advance(&[0], &q0[i..i + 4], &x, &mut q1[i..i + 4]);
            }
            _ => q1[j + before] = q0[j + before] + dx,
        }
    }

    /// The increment x with q1 = q0 o x.
    pub fn difference(&self, q0: &[f64], q1: &[f64], x: &mut [f64]) {
        let x = Cell::from_mut(x).as_slice_of_cells();
        walk(
            &self.rotations,
            x.len(),
            |i, j| x[j].set(q1[i] - q0[i]),
            |i, j| {
                let relative = rotation::product(&rotation::inverse(&four(q0, i)), &four(q1, i));
                x[j..].iter().zip(rotation::log(&relative)).for_each(|(to, x)| to.set(x));
            },
        );
    }

    /// out = v, with its rotations replaced by `map(increment, angular velocity)`.
    fn map_rotations(&self, x: &[f64], v: &[f64], out: &mut [f64], map: impl Fn(&Vector, &Vector) -> Vector) {
        out.copy_from_slice(v);
        for &j in &self.rotations {
            out[j..j + 3].copy_from_slice(&map(&three(x, j), &three(v, j)));
        }
    }

    /// The numbers of a configuration, and `angle` for each angle of its rotations.
    pub(crate) fn coordinates(&self, q: &[f64], angle: f64, out: &mut [f64]) {
        let out = Cell::from_mut(out).as_slice_of_cells();
        walk(
            &self.rotations,
            out.len(),
            |i, j| out[j].set(q[i]),
            |_, j| out[j..j + 3].iter().for_each(|x| x.set(angle)),
        );
    }

    /// For each entry of q the velocities that move it, of which there are n.
    pub(crate) fn movers(&self, n: usize) -> Vec<std::ops::Range<usize>> {
        let mut rotations = self.rotations.iter().copied().peekable();
        let mut movers = Vec::with_capacity(n + self.rotations.len());
        let mut j = 0;
        while j < n {
            let (entries, columns) = if rotations.next_if_eq(&j).is_some() { (4, 3) } else { (1, 1) };
            movers.extend(std::iter::repeat_n(j..j + columns, entries));
            j += columns;
        }
        movers
    }

    /// Calls `visit(i_q, i_v)` for every number that adds, of `n` velocities.
    pub(crate) fn each_number(&self, n: usize, visit: impl FnMut(usize, usize)) {
        walk(&self.rotations, n, visit, |_, _| ());
    }

    /// T(x) u: how the end of an increment moves with it.
    pub fn tangent(&self, x: &[f64], u: &[f64], out: &mut [f64]) {
        self.map_rotations(x, u, out, rotation::tangent);
    }

    /// x' = T(x)^-1 v: how the increment from a fixed configuration changes.
    pub fn chart_rate(&self, x: &[f64], v: &[f64], out: &mut [f64]) {
        self.map_rotations(x, v, out, rotation::inverse_tangent);
    }

    /// A := A T(x) for a dense matrix with as many columns as v; see `turns.rs` for others.
    pub fn turn_columns(&self, x: &[f64], matrix: &mut [f64]) {
        for &j in &self.rotations {
            let (x, n) = (three(x, j), x.len());
            // A row times T(x) is T(-x) times the row.
            let back = x.map(|x| -x);
            for row in matrix.chunks_exact_mut(n) {
                let turned = rotation::tangent(&back, &three(row, j));
                row[j..j + 3].copy_from_slice(&turned);
            }
        }
    }

    /// The norm of a change of q, in units of the tolerance at `q`. An angle of a radian weighs as much as a number of size 1.
    pub fn norm(&self, tolerance: &Tolerance, change: &[f64], q: &[f64], sizes: &TypicalSizes) -> f64 {
        if self.is_flat() {
            return tolerance.norm_q(change, q, sizes);
        }
        let Tolerance { rtol, atol_q, .. } = *tolerance;
        let sum = Cell::new(0.0);
        let add = |x: f64, size: f64| sum.set(sum.get() + (x / (atol_q + rtol * size)).powi(2));
        let all = sizes;
        let sizes = &sizes.q;
        walk(
            &self.rotations,
            change.len(),
            |i, j| add(change[j], sizes[j] + q[i].abs()),
            |_, j| change[j..j + 3].iter().for_each(|x| add(*x, sizes[j] + 1.0)),
        );
        all.mean_q(sum.get(), change.len())
    }

    /// e -= factor (w * b) for the angular velocities w in v and angular accelerations b in a.
    pub fn subtract_commutator(&self, factor: f64, v: &[f64], a: &[f64], e: &mut [f64]) {
        for &j in &self.rotations {
            for (e, x) in e[j..].iter_mut().zip(rotation::cross(&three(v, j), &three(a, j))) {
                *e -= factor * x;
            }
        }
    }

    /// The rotation that turns fastest, by its first velocity, and how fast that is.
    pub(crate) fn fastest_turn(&self, v: &[f64]) -> Option<(usize, f64)> {
        let speed = |first: usize| {
            let w = three(v, first);
            rotation::dot(&w, &w).sqrt()
        };
        self.rotations.iter().map(|first| (*first, speed(*first))).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Scales quaternions to unit length.
    ///
    /// # Errors
    /// The index in q of a quaternion without a direction.
    pub fn normalise(&self, q: &mut [f64]) -> Result<(), usize> {
        for first in self.quaternions() {
            let p = &mut q[first..first + 4];
            let length = p.iter().map(|p| p * p).sum::<f64>().sqrt();
            if !(length.is_finite() && length > 0.1) {
                return Err(first);
            }
            p.iter_mut().for_each(|p| *p /= length);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> Space {
        let dims = Dims { q: 10, v: 8, lambda: 0, psi: 0 };
        Space::new(dims, &[1, 5], false).expect("fits")
    }

    #[test]
    fn increments_lead_from_one_configuration_to_the_other() {
        let space = space();
        let mut q0 = [2.0, 0.5, 0.5, -0.5, 0.5, 7.0, 0.0, 0.6, 0.0, 0.8];
        space.normalise(&mut q0).expect("directions");
        let dx = [0.1, 0.3, -2.0, 0.7, -1.0, 1e-5, 2e-5, -0.3];
        let (mut q1, mut back) = ([0.0; 10], [0.0; 8]);
        space.advance(&q0, &dx, &mut q1);
        assert!((q1[0] - 2.1).abs() < 1e-15 && (q1[5] - 6.0).abs() < 1e-15);
        space.difference(&q0, &q1, &mut back);
        for (x, y) in dx.iter().zip(back) {
            assert!((x - y).abs() < 1e-14, "{back:?}");
        }
        let (mut moved, mut forth) = ([0.0; 8], [0.0; 8]);
        let u = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        space.tangent(&dx, &u, &mut moved);
        space.chart_rate(&dx, &moved, &mut forth);
        for (x, y) in u.iter().zip(forth) {
            assert!((x - y).abs() < 1e-12);
        }
        // A row of ones times T is the sum of the rows of T.
        let mut row = [1.0; 8];
        space.turn_columns(&dx, &mut row);
        let total: f64 = row.iter().zip(u).map(|(a, u)| a * u).sum();
        assert!((total - moved.iter().sum::<f64>()).abs() < 1e-12);
    }

    #[test]
    fn long_products_stay_units() {
        let space = space();
        let (mut q, mut next) = ([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0; 10]);
        for k in 0..100_000 {
            let x = f64::from(k % 7) * 0.1;
            space.advance(&q, &[0.0, x, 0.3, -x, 0.0, 0.1, x, x], &mut next);
            q = next;
        }
        assert!((q[1..5].iter().map(|p| p * p).sum::<f64>() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn rotations_that_do_not_fit_are_refused() {
        let dims = |q, v| Dims { q, v, lambda: 0, psi: 0 };
        for (dims, rotations, general) in [
            (dims(4, 3), &[][..], false),
            (dims(4, 3), &[1], false),
            (dims(3, 3), &[0], false),
            (dims(8, 6), &[0, 2], false),
            (dims(8, 6), &[3, 0], false),
            (dims(4, 3), &[0], true),
        ] {
            let message = Space::new(dims, rotations, general).expect_err("does not fit").to_string();
            assert!(message.contains("does not fit"), "{message}");
        }
        assert!(Space::new(dims(4, 3), &[], true).is_ok());
        assert!(Space::new(dims(7, 6), &[3], false).is_ok());
    }
}
