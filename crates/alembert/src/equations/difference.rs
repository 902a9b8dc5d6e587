//! Derivatives by differences, along the velocities for configurations.
//!
//! `Accurate` is the five-point formula, error about 1e-12 on functions of unit scale: for derivatives that enter
//! the equations. `Cheap` is the one-sided difference, error about 1e-8: enough to steer Newton's method.

use super::{Equations, NotFinite};

/// Step of the five-point formula, near eps^(1/5).
const FIVE_POINT_STEP: f64 = 4e-4;
/// Step of the one-sided difference, near eps^(1/2).
const ONE_SIDED_STEP: f64 = 1.5e-8;

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
}

#[derive(Default)]
pub(super) struct Workspace {
    moved: Vec<f64>,
    dx: Vec<f64>,
    base: Vec<f64>,
    value: Vec<f64>,
    sum: Vec<f64>,
}

fn fit(buffer: &mut Vec<f64>, len: usize) {
    buffer.clear();
    buffer.resize(len, 0.0);
}

impl Equations<'_> {
    /// Derivative of `function` by its argument at `x`, written row-major into `out` (`rows` by columns).
    pub(super) fn differences(
        &mut self,
        argument: Argument,
        accuracy: Accuracy,
        x: &[f64],
        rows: usize,
        out: &mut [f64],
        mut function: impl FnMut(&mut Self, &[f64], &mut [f64]) -> Result<(), NotFinite>,
    ) -> Result<(), NotFinite> {
        if rows == 0 || out.is_empty() {
            return Ok(());
        }
        let columns = out.len() / rows;
        let accuracy = if self.accurate { Accuracy::Accurate } else { accuracy };
        let mut work = self.workspaces.pop().unwrap_or_default();
        fit(&mut work.moved, x.len());
        fit(&mut work.dx, columns);
        for buffer in [&mut work.base, &mut work.value, &mut work.sum] {
            fit(buffer, rows);
        }
        let mut result = Ok(());
        if accuracy == Accuracy::Cheap {
            result = function(self, x, &mut work.base);
        }
        for j in 0..columns {
            let scale = if x.len() == columns { x[j].abs().max(1.0) } else { 1.0 };
            let (step, weights): (f64, &[(f64, f64)]) = match accuracy {
                Accuracy::Accurate => (FIVE_POINT_STEP * scale, &[(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)]),
                Accuracy::Cheap => (ONE_SIDED_STEP * scale, &[(1.0, 12.0)]),
            };
            work.sum.fill(0.0);
            for (multiple, weight) in weights {
                work.dx[j] = multiple * step;
                match argument {
                    Argument::Configuration => self.space().advance(x, &work.dx, &mut work.moved),
                    Argument::Vector => {
                        work.moved.copy_from_slice(x);
                        work.moved[j] += work.dx[j];
                    }
                }
                work.dx[j] = 0.0;
                if result.is_ok() {
                    result = function(self, &work.moved, &mut work.value);
                }
                for ((sum, value), base) in work.sum.iter_mut().zip(&work.value).zip(&work.base) {
                    *sum += weight * (value - base);
                }
            }
            for (i, sum) in work.sum.iter().enumerate() {
                out[i * columns + j] = sum / (12.0 * step);
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
        let origin = [0.0];
        let step = scale.min(1.0);
        self.differences(Argument::Vector, Accuracy::Accurate, &origin, out.len(), out, |eq, s, out| {
            function(eq, s[0] * step, out)
        })?;
        for out in out {
            *out /= step;
        }
        Ok(())
    }
}
