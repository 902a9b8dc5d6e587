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

use crate::checkpoint::{Archive, BadCheckpoint, Keep};
use crate::rotation::{Vector, inverse_tangent, inverse_tangent_x};
use crate::space::Space;
use crate::system::Dims;

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
        Chart { space: space.clone(), q: centre.clone(), centre, x: vec![0.0; dims.v] }
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

    /// d y' / dv at coordinates y, square; it must be zero on entry.
    pub fn rate_v(&self, y: &[f64], out: &mut [f64]) {
        let n = y.len();
        (0..n).for_each(|i| out[i * (n + 1)] = 1.0);
        self.columns(y, out, |_, x, unit| inverse_tangent(x, unit));
    }

    /// d y' / dy at coordinates y and velocities v, square; it must be zero on entry.
    pub fn rate_q(&self, y: &[f64], v: &[f64], out: &mut [f64]) {
        self.columns(y, out, |j, x, unit| inverse_tangent_x(x, &[v[j], v[j + 1], v[j + 2]], unit));
    }

    /// Fills the square blocks of rotations, column by column: `column(first velocity, increment, unit vector)`.
    fn columns(&self, y: &[f64], out: &mut [f64], column: impl Fn(usize, &Vector, &Vector) -> Vector) {
        let n = y.len();
        for &j in self.space.rotations() {
            let x = [0, 1, 2].map(|i| y[j + i] - ORIGIN);
            for i in 0..3 {
                let mut unit = [0.0; 3];
                unit[i] = 1.0;
                let column = column(j, &x, &unit);
                (0..3).for_each(|k| out[(j + k) * n + j + i] = column[k]);
            }
        }
    }

    /// A := A T: a derivative by q becomes one by y.
    pub fn turn(&mut self, y: &[f64], matrix: &mut [f64]) {
        self.increments(y);
        self.space.turn_columns(&self.x, matrix);
    }
}

/// From one chart to the next, for the coordinates that a method remembers.
// Only methods of this crate are moved between charts, by the hidden `Method::rechart`.
#[allow(unnameable_types)]
pub struct ChartChange<'a> {
    pub(crate) old: &'a mut Chart,
    pub(crate) new: &'a mut Chart,
}

impl ChartChange<'_> {
    /// Coordinates of the same configuration in the new chart. Points more than half a turn back stay as far.
    pub fn apply(&mut self, y: &mut [f64]) {
        self.new.x.copy_from_slice(y);
        let q = self.old.configuration(y);
        self.new.coordinates(q, y);
        // Where the centre moved to, in the old chart.
        let ChartChange { old, new } = self;
        old.space.difference(&old.centre, &new.centre, &mut old.x);
        for &j in new.space.rotations() {
            let length = (0..3).map(|i| (y[j + i] - ORIGIN).powi(2)).sum::<f64>().sqrt();
            if length < 1.5 {
                continue;
            }
            let whole = std::f64::consts::TAU / length;
            let distance = |turns: f64| -> f64 {
                let miss = |i: usize| (y[j + i] - ORIGIN) * (1.0 - turns) - (new.x[j + i] - ORIGIN - old.x[j + i]);
                (0..3).map(|i| miss(i).powi(2)).sum()
            };
            if distance(whole) < distance(0.0) {
                y[j..j + 3].iter_mut().for_each(|y| *y = ORIGIN + (*y - ORIGIN) * (1.0 - whole));
            }
        }
    }

    /// y' in the new chart.
    pub fn rate(&mut self, y: &[f64], v: &[f64], out: &mut [f64]) {
        self.new.rate(y, v, out);
    }
}
