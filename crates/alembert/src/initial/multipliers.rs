//! Step three: accelerations and multipliers mu = (lambda, psi).
//!
//! ```text
//! M a - f - r(mu) = 0        | M  -r_mu | | da  |
//! C a + bias      = 0        | C    0   | | dmu |  = -residual
//! ```
//!
//! Damped Newton, because r may be nonlinear in mu; it is one step (and one of refinement) where r is linear. The
//! matrix can be singular at the guess although it is not at the solution (r ~ psi^3 at psi = 0): then, and where
//! Newton does not converge, other starts are tried. Rows and columns are scaled to unit length before the
//! factorisation of a dense matrix, so that rank and convergence do not depend on units; sparse factors do not.
//!
//! A point is a solution where the residual is rounding beside the terms it consists of. Below that it may still shrink
//! from step to step without end, where terms are exact zeros: a few steps are made for small entries, and then it is a
//! solution, whatever Newton's method would gain. Terms vanish as a whole where nothing acts and nothing moves: what counts
//! then is what the multipliers and accelerations of the start have left, rounding beside the terms there.

use std::sync::Arc;

use super::diagnosis::name;
use super::error::{InitialError, Level, RowResidual};
use super::projection::length;
use crate::acceleration::{AccelerationFailure, AccelerationLevel};
use crate::equations::{Equations, Layout, NotFinite};
use crate::linear::rank::RowRank;
use crate::linear::{Bordered, Kkt};
use crate::newton::Descent;
use crate::state::State;
use crate::system::{Dims, Point};

const MAX_ITERATIONS: usize = 60;
const HALVINGS: i32 = 16;
/// Pivots below this share of the largest make the matrix singular. Constraints at an angle e make one of size e^2, so
/// this is an angle of 1e-7, below which the multipliers would have no correct digit.
const SINGULAR: f64 = 1e-14;
/// What is left of the terms of the start when they cancel, at most.
const CANCELLED: f64 = 64.0 * f64::EPSILON;
/// Steps below the tolerance, for as long as they gain.
const REFINEMENTS: usize = 4;

/// Everything that does not change while the multipliers are sought.
pub(super) struct Multipliers<'a, 's> {
    pub equations: &'a mut Equations<'s>,
    layout: Layout,
    pub t: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub mass: &'a [f64],
    /// (W ; K), constraints by v.
    pub c: &'a [f64],
    force: Vec<f64>,
    bias: Vec<f64>,
    tolerance: f64,
}

/// Accelerations, multipliers, and how they were found.
pub(super) struct Motion {
    /// (a ; lambda ; psi).
    pub x: Vec<f64>,
    /// Largest residual relative to the terms it balances.
    pub residual: f64,
    pub iterations: usize,
}

/// Why one start did not lead to a solution.
enum Miss {
    Singular,
    Stalled(f64),
}

/// The scaled matrix at a point, factored.
struct Matrix {
    factors: Factors,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
}

enum Factors {
    Dense(RowRank),
    Sparse(Box<Kkt>),
    Singular,
}

impl<'a, 's> Multipliers<'a, 's> {
    pub fn new(
        equations: &'a mut Equations<'s>,
        t: f64,
        q: &'a [f64],
        v: &'a [f64],
        mass: &'a [f64],
        c: &'a [f64],
        tolerance: f64,
    ) -> Result<Self, NotFinite> {
        let (dims, layout) = (equations.dims(), equations.layout().clone());
        let (mut force, mut bias) = (vec![0.0; dims.v], vec![0.0; dims.constraints()]);
        // An elimination leaves so many roundings at most.
        let tolerance = tolerance.max((dims.v + dims.constraints()) as f64 * f64::EPSILON);
        equations.force(t, q, v, &mut force)?;
        equations.bias(t, q, v, &mut bias)?;
        Ok(Multipliers { equations, layout, t, q, v, mass, c, force, bias, tolerance })
    }

    /// The solution that Newton's method reaches from `guess`, or from another start.
    pub fn solve(&mut self, guess: &[f64]) -> Result<Motion, InitialError> {
        let mut starts = vec![guess.to_vec()];
        if !self.equations.has_standard_reaction() {
            for size in [1.0, 0.1, 10.0] {
                for signs in [[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]] {
                    starts.push((0..guess.len()).map(|i| size * signs[i % 2]).collect());
                }
            }
        }
        let (mut best, mut singular, mut not_finite) = (None::<f64>, false, None);
        for start in &starts {
            match self.newton(start) {
                Ok(Ok(motion)) => return Ok(motion),
                Ok(Err(Miss::Singular)) => singular = true,
                Ok(Err(Miss::Stalled(residual))) => best = Some(best.map_or(residual, |b| b.min(residual))),
                Err(e) => not_finite = not_finite.or(Some(e)),
            }
        }
        match (best, not_finite) {
            (None, Some(e)) if !singular => Err(InitialError::Function(e)),
            (residual, _) => Err(InitialError::MultipliersNotFound { starts: starts.len(), residual }),
        }
    }

    fn newton(&mut self, start: &[f64]) -> Result<Result<Motion, Miss>, NotFinite> {
        let n = self.equations.dims().v;
        let mut x = vec![0.0; n];
        x.extend_from_slice(start);
        let mut matrix = self.linearize(&x)?;
        // Accelerations for the start's multipliers would need M inverted; zero serves, they enter linearly.
        let (mut residual, mut terms) = self.residual(&x)?;
        // Where the reaction is linear, the first step has to cancel the start's terms, and can to a few roundings.
        let cancelled = if self.equations.has_standard_reaction() { CANCELLED } else { 0.0 };
        let cancelled = cancelled * length(&matrix.scaled(&terms));
        let (mut iteration, mut refinements) = (0, 0);
        loop {
            if matrix.is_singular() {
                return Ok(Err(Miss::Singular));
            }
            let step = matrix.step(&residual);
            let merit = |r: &[f64]| length(&matrix.scaled(r));
            let (now, size) = (merit(&residual), merit(&terms));
            let met = now <= (self.tolerance * size).max(cancelled);
            let relative = if now == 0.0 { 0.0 } else { now / size.max(cancelled / self.tolerance) };
            let found = |x| Motion { x, residual: relative, iterations: iteration };
            let last = iteration == MAX_ITERATIONS;
            if now == 0.0 || (met && (last || refinements == REFINEMENTS)) {
                return Ok(Ok(found(x)));
            }
            if last {
                return Ok(Err(Miss::Stalled(relative)));
            }
            refinements += usize::from(met);
            let descent = Descent::new(met, HALVINGS);
            let next = descent.shares().find_map(|share| {
                let trial: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x + share * s).collect();
                let (residual, terms) = self.residual(&trial).ok()?;
                descent.gains(share, now, merit(&residual)).then_some((trial, residual, terms))
            });
            match next {
                Some(next) => (x, residual, terms) = next,
                None if met => return Ok(Ok(found(x))),
                None => return Ok(Err(Miss::Stalled(relative))),
            }
            if !self.equations.has_standard_reaction() {
                matrix = self.linearize(&x)?;
            }
            iteration += 1;
        }
    }

    /// The residual, and the sum of the sizes of the terms it consists of.
    fn residual(&mut self, x: &[f64]) -> Result<(Vec<f64>, Vec<f64>), NotFinite> {
        let Dims { v: n, lambda: nl, .. } = self.equations.dims();
        let (w_v, k_v) = self.c.split_at(self.layout.holonomic.len());
        let mut reaction = vec![0.0; n];
        let at = Point { t: self.t, q: self.q, v: self.v, lambda: &x[n..n + nl], psi: &x[n + nl..] };
        self.equations.reaction(at, w_v, k_v, &mut reaction)?;
        let (mut residual, mut terms) = (Vec::with_capacity(x.len()), Vec::with_capacity(x.len()));
        for i in 0..x.len() {
            let (pattern, values, row) =
                if i < n { (&self.layout.top, self.mass, i) } else { (&self.layout.rows, self.c, i - n) };
            let given: [f64; 2] = if i < n { [-self.force[i], -reaction[i]] } else { [self.bias[i - n], 0.0] };
            let (mut sum, mut size) = (0.0, 0.0);
            for (j, e) in pattern.row(row) {
                let inertia = values[e] * x[j];
                (sum, size) = (sum + inertia, size + inertia.abs());
            }
            residual.push(sum + given[0] + given[1]);
            terms.push(size + given[0].abs() + given[1].abs());
        }
        Ok((residual, terms))
    }

    fn linearize(&mut self, x: &[f64]) -> Result<Matrix, NotFinite> {
        let Dims { v: n, lambda: nl, .. } = self.equations.dims();
        let (w_v, k_v) = self.c.split_at(self.layout.holonomic.len());
        let mut border = vec![0.0; self.layout.rows.len()];
        let at = Point { t: self.t, q: self.q, v: self.v, lambda: &x[n..n + nl], psi: &x[n + nl..] };
        self.equations.reaction_mu(at, w_v, k_v, &mut border)?;
        Ok(Matrix::new(&self.layout, self.mass, &border, self.c))
    }
}

impl Matrix {
    fn new(layout: &Layout, mass: &[f64], border: &[f64], c: &[f64]) -> Self {
        let (n, size) = (layout.top.rows(), layout.structure.size());
        if !layout.structure.is_sparse() {
            return Self::dense(layout, mass, border, c);
        }
        let each = |put: &mut dyn FnMut(usize, usize, f64)| {
            (0..n).for_each(|i| layout.top.row(i).for_each(|(j, e)| put(i, j, mass[e])));
            for i in 0..layout.rows.rows() {
                for (j, e) in layout.rows.row(i) {
                    put(n + i, j, c[e]);
                    put(j, n + i, -border[e]);
                }
            }
        };
        let (mut row_scale, mut column_scale) = (vec![1.0; size], vec![1.0; size]);
        // Two sweeps towards rows and columns of largest entry one.
        for _ in 0..2 {
            let (mut rows, mut columns) = (vec![0.0_f64; size], vec![0.0_f64; size]);
            each(&mut |i, j, x| {
                let x = (x * row_scale[i] * column_scale[j]).abs();
                (rows[i], columns[j]) = (rows[i].max(x), columns[j].max(x));
            });
            row_scale.iter_mut().zip(&rows).for_each(|(s, x)| *s *= inverse(x.sqrt()));
            column_scale.iter_mut().zip(&columns).for_each(|(s, x)| *s *= inverse(x.sqrt()));
        }
        let mut kkt = Kkt::new(&Arc::new((*layout.structure).clone().softened(0.0)));
        let parts = Bordered { top: &[(1.0, mass)], border: (1.0, border), rows: &[(1.0, c)], corner: None };
        let factors = match kkt.factor(parts) {
            Ok(()) => Factors::Sparse(Box::new(kkt)),
            Err(_) => Factors::Singular,
        };
        Matrix { factors, row_scale, column_scale }
    }

    fn dense(layout: &Layout, mass: &[f64], border: &[f64], c: &[f64]) -> Self {
        let (n, size) = (layout.top.rows(), layout.structure.size());
        let mut matrix = vec![0.0; size * size];
        (0..n).for_each(|i| layout.top.row(i).for_each(|(j, e)| matrix[i * size + j] = mass[e]));
        for i in 0..layout.rows.rows() {
            for (j, e) in layout.rows.row(i) {
                matrix[(n + i) * size + j] = c[e];
                matrix[j * size + n + i] = -border[e];
            }
        }
        let (mut row_scale, mut column_scale) = (vec![1.0; size], vec![1.0; size]);
        for _ in 0..2 {
            let largest_of_row = |i: usize| (0..size).fold(0.0_f64, |max, j| max.max(matrix[i * size + j].abs()));
            let rows: Vec<f64> = (0..size).map(|i| inverse(largest_of_row(i).sqrt())).collect();
            let largest_of_column = |j: usize| (0..size).fold(0.0_f64, |max, i| max.max(matrix[i * size + j].abs()));
            let columns: Vec<f64> = (0..size).map(|j| inverse(largest_of_column(j).sqrt())).collect();
            for i in 0..size {
                row_scale[i] *= rows[i];
                column_scale[i] *= columns[i];
                for j in 0..size {
                    matrix[i * size + j] *= rows[i] * columns[j];
                }
            }
        }
        Matrix { factors: Factors::Dense(RowRank::new(&matrix, size, SINGULAR)), row_scale, column_scale }
    }

    fn is_singular(&self) -> bool {
        match &self.factors {
            Factors::Dense(rank) => !rank.is_full(),
            Factors::Sparse(_) => false,
            Factors::Singular => true,
        }
    }

    fn scaled(&self, r: &[f64]) -> Vec<f64> {
        r.iter().zip(&self.row_scale).map(|(r, s)| r * s).collect()
    }

    fn step(&mut self, residual: &[f64]) -> Vec<f64> {
        match &mut self.factors {
            Factors::Sparse(kkt) => {
                let mut step: Vec<f64> = residual.iter().map(|r| -r).collect();
                kkt.solve(&mut step);
                step
            }
            Factors::Dense(rank) => {
                let target: Vec<f64> = residual.iter().zip(&self.row_scale).map(|(r, s)| -r * s).collect();
                rank.minimum_norm(&target).iter().zip(&self.column_scale).map(|(x, s)| x * s).collect()
            }
            Factors::Singular => vec![0.0; residual.len()],
        }
    }
}

/// Accelerations and the smallest multipliers at a state whose constraints are dependent; what is left of the equations of
/// motion, relative to their terms.
pub(super) fn smallest(equations: &mut Equations, state: &mut State) -> Result<f64, InitialError> {
    let mut level = AccelerationLevel::new(equations);
    match level.complete(equations, state) {
        Ok(_) => Ok(level.motion_residual(state)),
        Err(AccelerationFailure::NotFinite(e)) => Err(e.into()),
        Err(AccelerationFailure::Contradiction { constraint, other, residual }) => {
            let row = |i: usize, residual: f64| RowResidual { name: name(equations, i), residual };
            let mut rows = vec![row(constraint, residual)];
            rows.extend((other != constraint).then(|| row(other, -residual)));
            Err(InitialError::Contradictory { level: Level::Velocity, rows })
        }
        // Massless directions have been looked for, dependent constraints are no obstacle.
        Err(_) => Err(InitialError::MultipliersNotFound { starts: 1, residual: None }),
    }
}

fn inverse(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 1.0 }
}
