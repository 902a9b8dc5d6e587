//! Derivatives by differences, along the velocities for configurations.
//!
//! `Accurate` is the five-point formula, error about 1e-12 on functions of unit scale: for derivatives that enter
//! the equations. `Cheap` is the one-sided difference, error about 1e-8: enough to steer Newton's method.

use std::sync::Arc;

use super::{Equations, NotFinite};
use crate::linear::Pattern;

/// Step of the five-point formula, near eps^(1/5).
const FIVE_POINT_STEP: f64 = 4e-4;
/// Its points and their weights, times 12.
const FIVE_POINTS: [(f64, f64); 4] = [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)];
/// Step of the one-sided difference, near eps^(1/2).
const ONE_SIDED_STEP: f64 = 1.5e-8;

/// How the differences of a check are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stencil {
    pub unit: f64,
    /// Whether steps grow with the argument.
    pub relative: bool,
    pub side: Side,
}

/// Where the points of a difference lie. On one side it is of second order, and knows nothing of what is beyond a kink.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Both,
    Above,
    Below,
}

impl Side {
    /// Points and their weights, times 12.
    fn points(self) -> &'static [(f64, f64)] {
        match self {
            Side::Both => &FIVE_POINTS,
            Side::Above => &[(0.0, -18.0), (1.0, 24.0), (2.0, -6.0)],
            Side::Below => &[(0.0, 18.0), (-1.0, -24.0), (-2.0, 6.0)],
        }
    }
}

impl Stencil {
    /// The one that derivatives in the equations are completed with.
    pub const USUAL: Stencil = Stencil { unit: FIVE_POINT_STEP, relative: true, side: Side::Both };
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Accuracy {
    Accurate,
    Cheap,
}

/// What the columns of the derivative run over.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Argument {
    /// Tangent directions of a configuration.
    Configuration,
    /// Entries of an ordinary vector.
    Vector,
    /// Multipliers: the derivative is transposed, as the rows of constraints are.
    Multipliers,
}

#[derive(Default)]
pub(super) struct Workspace {
    moved: Vec<f64>,
    dx: Vec<f64>,
    steps: Vec<f64>,
    base: Vec<f64>,
    value: Vec<f64>,
    sum: Vec<f64>,
}

fn fit(buffer: &mut Vec<f64>, len: usize) {
    buffer.clear();
    buffer.resize(len, 0.0);
}

impl Equations<'_> {
    /// Derivative of `function` by its argument at `x`: the values of `pattern`, or of its transpose for multipliers.
    /// Columns that share no row are moved together.
    pub(super) fn differences(
        &mut self,
        argument: Argument,
        accuracy: Accuracy,
        x: &[f64],
        pattern: &Arc<Pattern>,
        out: &mut [f64],
        mut function: impl FnMut(&mut Self, &[f64], &mut [f64]) -> Result<(), NotFinite>,
    ) -> Result<(), NotFinite> {
        if out.is_empty() {
            return Ok(());
        }
        let by_rows = argument == Argument::Multipliers;
        let (rows, columns) =
            if by_rows { (pattern.columns(), pattern.rows()) } else { (pattern.rows(), pattern.columns()) };
        let colours = self.palette.colours(pattern, by_rows);
        let accuracy = if self.stencil.is_some() { Accuracy::Accurate } else { accuracy };
        let stencil = self.stencil.unwrap_or(Stencil::USUAL);
        let mut work = self.workspaces.pop().unwrap_or_default();
        fit(&mut work.moved, x.len());
        fit(&mut work.dx, columns);
        fit(&mut work.steps, columns);
        for buffer in [&mut work.base, &mut work.value, &mut work.sum] {
            fit(buffer, rows);
        }
        let (unit, weights): (f64, &[(f64, f64)]) = match accuracy {
            Accuracy::Accurate => (stencil.unit, stencil.side.points()),
            Accuracy::Cheap => (ONE_SIDED_STEP, &[(1.0, 12.0)]),
        };
        for (j, step) in work.steps.iter_mut().enumerate() {
            *step = unit * if x.len() == columns && stencil.relative { x[j].abs().max(1.0) } else { 1.0 };
        }
        let mut result = Ok(());
        if accuracy == Accuracy::Cheap {
            result = function(self, x, &mut work.base);
        }
        for colour in 0..colours.count as u32 {
            work.sum.fill(0.0);
            for (multiple, weight) in weights {
                for ((dx, step), of) in work.dx.iter_mut().zip(&work.steps).zip(&colours.of) {
                    *dx = if *of == colour { multiple * step } else { 0.0 };
                }
                match argument {
                    Argument::Configuration => self.space().advance(x, &work.dx, &mut work.moved),
                    Argument::Vector | Argument::Multipliers => {
                        for ((moved, x), dx) in work.moved.iter_mut().zip(x).zip(&work.dx) {
                            *moved = x + dx;
                        }
                    }
                }
                if result.is_ok() {
                    result = function(self, &work.moved, &mut work.value);
                }
                for ((sum, value), base) in work.sum.iter_mut().zip(&work.value).zip(&work.base) {
                    *sum += weight * (value - base);
                }
            }
            for i in 0..pattern.rows() {
                for (j, e) in pattern.row(i) {
                    let (row, column) = if by_rows { (j, i) } else { (i, j) };
                    if colours.of[column] == colour {
                        out[e] = work.sum[row] / (12.0 * work.steps[column]);
                    }
                }
            }
        }
        self.workspaces.push(work);
        result
    }

    /// Derivative at s = 0 of `function(s)`, five-point formula; `scale` is a length over which it varies.
    pub(super) fn slope(
        &mut self,
        scale: f64,
        out: &mut [f64],
        mut function: impl FnMut(&mut Self, f64, &mut [f64]) -> Result<(), NotFinite>,
    ) -> Result<(), NotFinite> {
        let stencil = self.stencil.unwrap_or(Stencil::USUAL);
        let step = stencil.unit * scale.min(1.0);
        let mut work = self.workspaces.pop().unwrap_or_default();
        fit(&mut work.value, out.len());
        out.fill(0.0);
        let mut result = Ok(());
        for (multiple, weight) in stencil.side.points() {
            if result.is_ok() {
                result = function(self, multiple * step, &mut work.value);
            }
            for (out, value) in out.iter_mut().zip(&work.value) {
                *out += weight * value;
            }
        }
        self.workspaces.push(work);
        out.iter_mut().for_each(|out| *out /= 12.0 * step);
        result
    }
}
