//! Rotations in local charts: near a configuration c every other one is c o x, and x is a vector.
//!
//! ```text
//! q = c o x,    x' = T(x)^-1 v,    d/dx = (d/dq) T(x)
//! ```
//!
//! In a chart a system with rotations is one with a general rate, in a vector space: what multistep and Runge-Kutta
//! methods need. A chart holds as long as no rotation turns by 2 pi from its centre; methods move to a new one after each
//! step. Numbers stay as they are; the components of a rotation have the centre at 1, so that a relative tolerance weighs
//! a radian like a number of size 1.

use std::f64::consts::TAU;

use crate::checkpoint::{Archive, BadCheckpoint, Keep};
use crate::linear::Pattern;
use crate::rotation::{self, Vector, inverse_tangent_matrix, inverse_tangent_x, tangent_matrix};
use crate::space::Space;
use crate::system::Dims;
use crate::turns::{Block, Turns};

/// Points that are expected nearer than this to the new centre are not a turn away.
const NEAR: f64 = 1.5;
/// Increments below this are rounding, and have no axis.
const NOWHERE: f64 = 1e-9;
/// Components of a rotation at the centre of a chart.
const ORIGIN: f64 = 1.0;

/// A centre, with room for one configuration.
#[derive(Clone, Debug)]
pub struct Chart {
    space: Space,
    /// Quaternions of the present centre; numbers are zero.
    centre: Vec<f64>,
    /// Increments from the centre.
    x: Vec<f64>,
    q: Vec<f64>,
    turns: Turns,
}

impl Keep for Chart {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        self.centre.keep(archive)
    }
}

impl Chart {
    pub fn new(space: &Space, dims: Dims) -> Self {
        let mut centre = vec![0.0; dims.q];
        space.quaternions().for_each(|p| centre[p] = 1.0);
        let turns = Turns::new(space, dims.v);
        Chart { space: space.clone(), q: centre.clone(), centre, x: vec![0.0; dims.v], turns }
    }

    /// Sizes in the chart.
    pub fn dims(dims: Dims) -> Dims {
        Dims { q: dims.v, ..dims }
    }

    /// Takes over another centre.
    pub fn assign(&mut self, other: &Chart) {
        self.centre.copy_from_slice(&other.centre);
    }

    /// Moves the centre to the rotations of q.
    pub fn centre(&mut self, q: &[f64]) {
        for p in self.space.quaternions() {
            self.centre[p..p + 4].copy_from_slice(&q[p..p + 4]);
        }
    }

    /// Increments of coordinates y.
    fn increments(&mut self, y: &[f64]) -> &[f64] {
        self.x.copy_from_slice(y);
        for &j in self.space.rotations() {
            self.x[j..j + 3].iter_mut().for_each(|x| *x -= ORIGIN);
        }
        &self.x
    }

    /// The configuration with coordinates y.
    pub fn configuration(&mut self, y: &[f64]) -> &[f64] {
        self.increments(y);
        self.space.advance(&self.centre, &self.x, &mut self.q);
        &self.q
    }

    /// Coordinates of the configuration q.
    pub fn coordinates(&self, q: &[f64], y: &mut [f64]) {
        self.space.difference(&self.centre, q, y);
        for &j in self.space.rotations() {
            y[j..j + 3].iter_mut().for_each(|y| *y += ORIGIN);
        }
    }

    /// y' at coordinates y.
    pub fn rate(&mut self, y: &[f64], v: &[f64], out: &mut [f64]) {
        self.increments(y);
        self.space.chart_rate(&self.x, v, out);
    }

    /// d y' / dv at coordinates y: the values of `pattern`, that of [`Turns`].
    pub fn rate_v(&self, y: &[f64], pattern: &Pattern, out: &mut [f64]) {
        self.blocks(y, pattern, 1.0, out, |_, x| inverse_tangent_matrix(x));
    }

    /// d y' / dy at coordinates y and velocities v, in the same pattern.
    pub fn rate_q(&self, y: &[f64], v: &[f64], pattern: &Pattern, out: &mut [f64]) {
        self.blocks(y, pattern, 0.0, out, |j, x| {
            let w = [v[j], v[j + 1], v[j + 2]];
            let columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|u| inverse_tangent_x(x, &w, &u));
            [0, 1, 2].map(|i| columns.map(|column| column[i]))
        });
    }

    /// Writes `number` on the diagonal, and the blocks of rotations: `block(first velocity, increment)`.
    fn blocks(
        &self,
        y: &[f64],
        pattern: &Pattern,
        number: f64,
        out: &mut [f64],
        block: impl Fn(usize, &Vector) -> Block,
    ) {
        for (i, rows) in (0..y.len()).map(|i| (i, pattern.row(i))) {
            rows.for_each(|(j, e)| out[e] = if i == j { number } else { 0.0 });
        }
        for &j in self.space.rotations() {
            let block = block(j, &increment(y, j));
            for (i, row) in block.iter().enumerate() {
                let Some(e) = pattern.position(j + i, j) else { continue };
                out[e..e + 3].copy_from_slice(row);
            }
        }
    }

    /// A := A T(y): a derivative by q becomes one by y.
    pub fn turn(&mut self, y: &[f64], pattern: &Pattern, values: &mut [f64]) {
        self.turns.fill(|j| tangent_matrix(&increment(y, j)));
        self.turns.turn_columns(pattern, values);
    }

    /// A := A T(y)^-1: how v enters, from a derivative by y.
    pub fn turn_back(&mut self, y: &[f64], pattern: &Pattern, values: &mut [f64]) {
        self.turns.fill(|j| inverse_tangent_matrix(&increment(y, j)));
        self.turns.turn_columns(pattern, values);
    }
}

/// The increment of the rotation whose velocities begin at j.
fn increment(y: &[f64], j: usize) -> Vector {
    [y[j] - ORIGIN, y[j + 1] - ORIGIN, y[j + 2] - ORIGIN]
}

/// From one chart to the next, for the coordinates that a method remembers.
// Only methods of this crate are moved between charts, by the hidden `Method::rechart`.
#[allow(unnameable_types)]
pub struct ChartChange<'a> {
    pub(crate) old: &'a mut Chart,
    pub(crate) new: &'a mut Chart,
}

impl ChartChange<'_> {
    /// Coordinates of the same configuration in the new chart. Points more than half a turn back stay as far: of all increments
    /// u (|x| + 2 pi k) that lead there along an axis u, the one nearest to the increment less the way of the centre is taken. A
    /// point whole turns back has no axis of its own, and takes that of this way.
    pub fn apply(&mut self, y: &mut [f64]) {
        self.new.x.copy_from_slice(y);
        let q = self.old.configuration(y);
        self.new.coordinates(q, y);
        // Where the centre moved to, in the old chart.
        let ChartChange { old, new } = self;
        old.space.difference(&old.centre, &new.centre, &mut old.x);
        for &j in new.space.rotations() {
            let expected = [0, 1, 2].map(|i| new.x[j + i] - ORIGIN - old.x[j + i]);
            let square = rotation::dot(&expected, &expected);
            if square < NEAR * NEAR {
                continue;
            }
            let x = increment(y, j);
            let length = rotation::dot(&x, &x).sqrt();
            let (axis, length) = if length < NOWHERE {
                (expected.map(|x| x / square.sqrt()), 0.0)
            } else {
                (x.map(|x| x / length), length)
            };
            let whole = ((rotation::dot(&axis, &expected) - length) / TAU).round() * TAU;
            (0..3).for_each(|i| y[j + i] += axis[i] * whole);
        }
    }

    /// y' in the new chart.
    pub fn rate(&mut self, y: &[f64], v: &[f64], out: &mut [f64]) {
        self.new.rate(y, v, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns;

    /// Numbers and two rotations, far from the centre of the chart.
    fn chart() -> (Chart, Pattern, Vec<f64>, Vec<f64>) {
        let dims = Dims { q: 10, v: 8, lambda: 0, psi: 0 };
        let space = Space::new(dims, &[1, 5], false).expect("fits");
        let mut chart = Chart::new(&space, dims);
        chart.centre(&[0.0, 0.5, 0.5, -0.5, 0.5, 0.0, 0.0, 0.6, 0.0, 0.8]);
        let y = vec![0.3, 1.4, 0.2, 1.9, -2.0, 1.1, 1.0, 0.4];
        let v = vec![0.7, -1.0, 2.0, 0.5, 3.0, 0.1, -0.6, 1.3];
        (chart, turns::pattern(&space, 8), y, v)
    }

    fn column(pattern: &Pattern, values: &[f64], j: usize) -> Vec<f64> {
        (0..8).map(|i| pattern.position(i, j).map_or(0.0, |e| values[e])).collect()
    }

    #[test]
    fn blocks_of_the_rate_are_its_derivatives() {
        let (mut chart, pattern, y, v) = chart();
        let (mut by_v, mut by_y) = (vec![0.0; pattern.len()], vec![0.0; pattern.len()]);
        chart.rate_v(&y, &pattern, &mut by_v);
        chart.rate_q(&y, &v, &pattern, &mut by_y);
        let d = 1e-6;
        for j in 0..8 {
            let mut slope = |moved: [Vec<f64>; 2], by_y: bool| -> Vec<f64> {
                let [ahead, back] = moved.map(|x| {
                    let mut rate = vec![0.0; 8];
                    if by_y {
                        chart.rate(&x, &v, &mut rate)
                    } else {
                        chart.rate(&y, &x, &mut rate)
                    }
                    rate
                });
                ahead.iter().zip(back).map(|(a, b)| (a - b) / (2.0 * d)).collect()
            };
            let moved = |x: &[f64]| {
                [d, -d].map(|d| x.iter().enumerate().map(|(i, x)| x + if i == j { d } else { 0.0 }).collect())
            };
            for (expected, values) in [(slope(moved(&v), false), &by_v), (slope(moved(&y), true), &by_y)] {
                let found = column(&pattern, values, j);
                assert!(found.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-8), "{j}: {found:?} {expected:?}");
            }
        }
    }

    #[test]
    fn a_derivative_by_q_becomes_one_along_the_chart_and_back() {
        let (mut chart, _, y, _) = chart();
        // The first entry of the second quaternion, by velocities at q: p' = p (0, w)/2.
        let row = Pattern::from_entries(1, 8, [(0, 5), (0, 6), (0, 7)]);
        let q = chart.configuration(&y).to_vec();
        let by_q = [-0.5 * q[7], -0.5 * q[8], -0.5 * q[9]];
        let mut values = by_q;
        chart.turn(&y, &row, &mut values);
        let d = 1e-6;
        for (k, value) in values.iter().enumerate() {
            let [ahead, back] = [d, -d].map(|d| {
                let mut y = y.clone();
                y[5 + k] += d;
                chart.configuration(&y)[6]
            });
            assert!((value - (ahead - back) / (2.0 * d)).abs() < 1e-9, "{values:?}");
        }
        chart.turn_back(&y, &row, &mut values);
        assert!(values.iter().zip(&by_q).all(|(x, y)| (x - y).abs() < 1e-15), "{values:?} {by_q:?}");
    }
}
