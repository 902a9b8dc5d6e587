//! A table: values at knots, and what lies between and beyond them.
//!
//! ```text
//! one argument     y at the knots of x; linear, pchip or spline
//! two arguments    z at a grid of x and y; bilinear, or bicubic (the tensor product of splines)
//! ```
//!
//! Every kind is Hermite interpolation: between knots i and i+1 a table is a combination of values and slopes there, with
//! weights that are polynomials of x ([`axis`]). The slopes are found once ([`slopes`]). A derivative of any order has the same
//! values and slopes, and derivatives of the weights, so it is exact.

mod axis;
pub(crate) mod csv;
mod slopes;
#[cfg(test)]
mod tests;

use std::fmt::{self, Write};

use alembert::scalar::Increment;

pub(crate) use axis::{Axis, Beyond};

/// What lies between knots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Straight lines.
    Linear,
    /// Monotone cubics (Fritsch and Carlson): no higher than the higher neighbour.
    Pchip,
    /// The cubic spline with two continuous derivatives; not-a-knot at its ends, periodic where the table is.
    Spline,
}

/// A question to a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lookup {
    /// Which table.
    pub table: u32,
    pub asked: Asked,
}

/// What a table can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    /// Its derivative of these orders by the first and the second argument.
    Derivative([u8; 2]),
    /// A number that changes wherever the table has a kink: that of the interval between its knots.
    Piece,
    /// 1 or -1, another one beyond each kink.
    Parity,
    /// Of the first or the second argument: a continuous function that is whole where there are kinks.
    Position(u8),
    /// The inverse of it.
    Place(u8),
    /// Zero where the table has a value, else no number.
    Room,
}

/// Values of one or two arguments.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// What messages call it.
    pub name: String,
    pub kind: Kind,
    axes: Vec<Axis>,
    /// Values; for curves slopes follow each value, for surfaces z, z_x, z_y, z_xy. Only values where the table is linear.
    data: Vec<f64>,
    /// Whether values at the ends are held beyond them: calls then clamp their arguments, which has kinks of its own.
    pub held: bool,
    /// A number that is different for other points.
    digest: u64,
}

impl Table {
    /// A curve through points.
    pub fn curve(name: &str, kind: Kind, axis: Axis, values: &[f64]) -> Table {
        let slopes = axis.slopes(kind, values);
        let data = match kind {
            Kind::Linear => values.to_vec(),
            _ => values.iter().zip(&slopes).flat_map(|(y, s)| [*y, *s]).collect(),
        };
        let digest = digest(std::slice::from_ref(&axis), values);
        Table { name: name.to_owned(), kind, axes: vec![axis], data, held: false, digest }
    }

    /// A surface over a grid: the value at knot i of the first axis and j of the second is number i n + j.
    pub fn surface(name: &str, kind: Kind, axes: [Axis; 2], values: &[f64]) -> Table {
        let (rows, columns) = (axes[0].len(), axes[1].len());
        let data = if kind == Kind::Linear {
            values.to_vec()
        } else {
            let along_y =
                |z: &[f64]| -> Vec<f64> { z.chunks_exact(columns).flat_map(|row| axes[1].slopes(kind, row)).collect() };
            let along_x = |z: &[f64]| -> Vec<f64> {
                let mut out = vec![0.0; z.len()];
                for j in 0..columns {
                    let column: Vec<f64> = (0..rows).map(|i| z[i * columns + j]).collect();
                    for (i, slope) in axes[0].slopes(kind, &column).into_iter().enumerate() {
                        out[i * columns + j] = slope;
                    }
                }
                out
            };
            let (by_x, by_y) = (along_x(values), along_y(values));
            let mixed = along_x(&by_y);
            (0..values.len()).flat_map(|k| [values[k], by_x[k], by_y[k], mixed[k]]).collect()
        };
        let digest = digest(&axes, values);
        Table { name: name.to_owned(), kind, axes: axes.to_vec(), data, held: false, digest }
    }

    /// How many arguments it takes.
    pub fn arguments(&self) -> usize {
        self.axes.len()
    }

    /// Whether a derivative of these orders is zero everywhere.
    pub fn vanishes(&self, orders: [u8; 2]) -> bool {
        let degree = if self.kind == Kind::Linear { 1 } else { 3 };
        orders.into_iter().any(|order| order > degree) || (self.axes.len() == 1 && orders[1] > 0)
    }

    /// What was asked for, at (x, y); a curve takes no notice of y.
    pub fn at(&self, asked: Asked, x: f64, y: f64) -> f64 {
        let linear = self.kind == Kind::Linear;
        let pieces = self.axes.iter().zip([x, y]).map(|(axis, x)| axis.interval(x));
        let [by_x, by_y] = match asked {
            Asked::Derivative(orders) => orders,
            Asked::Parity => return 1.0 - 2.0 * pieces.sum::<f64>().rem_euclid(2.0),
            // Numbers of two arguments in one: there are far fewer than a thousand million of either.
            Asked::Piece => return pieces.fold(0.0, |number, piece| 1e9 * number + piece),
            Asked::Position(axis) => return self.axes[usize::from(axis)].position(x),
            Asked::Place(axis) => return self.axes[usize::from(axis)].place(x),
            Asked::Room => {
                let left = self.axes.iter().zip([x, y]).any(|(axis, x)| x.is_nan() || axis.is_error(x));
                return if left { f64::NAN } else { 0.0 };
            }
        };
        let first = self.axes[0].weights(x, by_x, linear);
        let [left, right] = [first.at, first.at + 1];
        if self.axes.len() == 1 {
            return match linear {
                true => first.combine(self.data[left], self.data[right], 0.0, 0.0),
                false => {
                    let d = &self.data[2 * left..2 * left + 4];
                    first.combine(d[0], d[2], d[1], d[3])
                }
            };
        }
        let second = self.axes[1].weights(y, by_y, linear);
        let columns = self.axes[1].len();
        let at = |i: usize, j: usize, k: usize| {
            let entry = i * columns + j;
            if linear { if k == 0 { self.data[entry] } else { 0.0 } } else { self.data[4 * entry + k] }
        };
        // Along x first: values (and slopes along y) at both knots of y.
        let along = |j: usize, k: usize| {
            first.combine(at(left, j, k), at(right, j, k), at(left, j, k + 1), at(right, j, k + 1))
        };
        let (low, high) = (second.at, second.at + 1);
        let slopes = if linear { [0.0; 2] } else { [along(low, 2), along(high, 2)] };
        second.combine(along(low, 0), along(high, 0), slopes[0], slopes[1])
    }

    /// How much it changes when its arguments do, with all digits however little that is: within one polynomial by Taylor's formula.
    pub fn change(&self, asked: Asked, x: Increment, y: Increment) -> Increment {
        let value = self.at(asked, x.x, y.x);
        let plain = || self.at(asked, x.x + x.d, y.x + y.d) - value;
        let Asked::Derivative(orders) = asked else { return Increment { x: value, d: plain() } };
        let arguments = [x, y];
        let same = |k: usize| self.axes[k].same_piece(arguments[k].x, arguments[k].x + arguments[k].d);
        if !(0..self.axes.len()).all(same) {
            return Increment { x: value, d: plain() };
        }
        let taylor = |by: [u8; 2], x: f64, y: f64, d: f64| {
            let at = |k: u8| self.at(Asked::Derivative([orders[0] + k * by[0], orders[1] + k * by[1]]), x, y);
            d * (at(1) + d * (0.5 * at(2) + d * at(3) / 6.0))
        };
        let mut d = taylor([1, 0], x.x, y.x, x.d);
        if self.axes.len() > 1 {
            d += taylor([0, 1], x.x + x.d, y.x, y.d);
        }
        Increment { x: value, d }
    }

    /// Whether it has no value beyond its ends.
    pub fn ends(&self) -> bool {
        self.axes.iter().any(Axis::ends)
    }

    /// How far (x, y) is from the nearest end, beside the width of the table; negative beyond it.
    pub fn room(&self, x: f64, y: f64) -> f64 {
        self.axes.iter().zip([x, y]).map(|(axis, x)| axis.room(x)).fold(f64::INFINITY, f64::min)
    }

    /// Where it ends and where it is asked, in words: of the argument that is closest to an end.
    pub fn words(&self, x: f64, y: f64) -> String {
        let mut all: Vec<(&Axis, f64)> = self.axes.iter().zip([x, y]).collect();
        all.sort_by(|one, other| one.0.room(one.1).total_cmp(&other.0.room(other.1)));
        let (first, last) = all[0].0.range();
        format!("the table `{}` goes from {first} to {last}, and its argument is {}", self.name, all[0].1)
    }

    /// Whether it has kinks at knots, along any of its arguments.
    pub fn is_kinked(&self) -> bool {
        (0..self.axes.len()).any(|axis| self.is_kinked_along(axis))
    }

    pub fn is_kinked_along(&self, axis: usize) -> bool {
        self.kind == Kind::Linear && self.axes[axis].is_kinked()
    }

    /// The first and the last knot of an argument.
    pub fn range(&self, axis: usize) -> (f64, f64) {
        self.axes[axis].range()
    }

    /// Writes what it is made of as text, for fingerprints.
    ///
    /// # Errors
    /// If the writer has any.
    pub fn list(&self, to: &mut impl Write) -> fmt::Result {
        write!(to, "{:?} {:x}", self.kind, self.digest)
    }
}

/// FNV-1a of the points as given and of what lies beyond them. Slopes follow from them.
fn digest(axes: &[Axis], values: &[f64]) -> u64 {
    let start = axes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, axis| axis.digest(sum));
    values.iter().fold(start, |sum, x| mix(sum, x.to_bits()))
}

fn mix(sum: u64, word: u64) -> u64 {
    word.to_le_bytes().iter().fold(sum, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
