//! What is wrong, by name: from ranks of scaled matrices at the point where a search ended.
//!
//! At a point where no step makes a nonzero residual smaller, the derivative of the constraints is rank-deficient. If it
//! has full rank once the fixed coordinates are freed, those are to blame; if it is deficient at a neighbouring point
//! too, the constraints contradict each other; otherwise they touch only in their closest approach and cannot be reached.

use super::error::{Dependence, InitialError, Level, RowResidual};
use super::metric::Cholesky;
use super::projection::{Place, Projection, Surface, length};
use super::velocities::Velocities;
use super::{Guess, RANK_THRESHOLD};
use crate::equations::Equations;
use crate::linear::rank::RowRank;

/// Coefficients and residuals below this share of the largest are not mentioned.
const MENTION: f64 = 1e-6;
/// Displacement that is rounding only, relative to the size of q and v.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Rows of the mass matrix below this share of its largest entry are rounding errors of zero.
const NO_MASS: f64 = 1e-15;

/// The name of constraint `row`, holonomic ones first.
pub(super) fn name(equations: &Equations, row: usize) -> String {
    match row.checked_sub(equations.dims().lambda) {
        None => equations.system().holonomic_name(row),
        Some(row) => equations.system().nonholonomic_name(row),
    }
}

/// Names a stalled search for positions or velocities.
pub(super) struct Stall<'a> {
    pub level: Level,
    pub place: Place,
    pub fixed: &'a [usize],
}

/// What the ranks at the end of a stalled search say.
pub(super) enum Cause {
    Fixed,
    /// Row and the rows it depends on.
    Contradiction(Vec<usize>),
    Distance,
}

/// Finds the cause of a stall; frees every coordinate of `projection` to do so.
pub(super) fn cause<S: Surface>(projection: &mut Projection<S>, place: &Place) -> Cause {
    let rows = projection.surface.rows();
    let columns = projection.surface.columns();
    if projection.free.len() < columns {
        projection.free = (0..columns).collect();
        // Only ranks of unit rows follow: any metric will do.
        projection.metric = Cholesky::diagonal(&vec![1.0; columns]);
        match projection.linearize(&place.x) {
            Ok(linear) if linear.rank.rank() == rows => return Cause::Fixed,
            _ => {}
        }
    }
    let dx = projection.generic_displacement(&place.x);
    let mut neighbour = place.x.clone();
    projection.surface.advance(&place.x, &dx, &mut neighbour);
    let Ok(linear) = projection.linearize(&neighbour) else { return Cause::Distance };
    if linear.rank.rank() == rows {
        return Cause::Distance;
    }
    let scaled = |i: usize| place.residual[i] / linear.scale[i];
    let largest = (0..rows).fold(0.0_f64, |max, i| max.max(scaled(i).abs()));
    let mut involved = Vec::new();
    for (row, on) in linear.rank.dependences() {
        let implied: f64 = on.iter().map(|&(i, c)| c * scaled(i)).sum();
        if (scaled(row) - implied).abs() > MENTION * largest {
            involved.push(row);
            involved.extend(on.iter().filter(|(_, c)| c.abs() > MENTION).map(|(i, _)| *i));
        }
    }
    involved.sort_unstable();
    involved.dedup();
    if involved.is_empty() { Cause::Distance } else { Cause::Contradiction(involved) }
}

impl Stall<'_> {
    pub fn error(self, cause: Cause, equations: &Equations) -> InitialError {
        let Stall { level, place, fixed } = self;
        let row = |i: usize| RowResidual { name: name(equations, i), residual: place.residual[i] };
        let largest = place.residual.iter().fold(0.0_f64, |max, c| max.max(c.abs()));
        let unmet = || (0..place.residual.len()).filter(|&i| place.residual[i].abs() > MENTION * largest).map(row);
        match cause {
            Cause::Fixed => {
                let fixed = fixed.iter().map(|&i| equations.system().coordinate_name(i)).collect();
                InitialError::FixedTooMuch { level, fixed, rows: unmet().collect() }
            }
            Cause::Contradiction(rows) => {
                InitialError::Contradictory { level, rows: rows.into_iter().map(row).collect() }
            }
            Cause::Distance => InitialError::Unreachable { level, rows: unmet().collect(), closest: place.x.clone() },
        }
    }
}

/// Refuses constraints whose derivatives C are dependent, although they are all met.
pub(super) fn independent(
    equations: &Equations,
    c: &[f64],
    metric: &Cholesky,
    threshold: f64,
) -> Result<(), InitialError> {
    let n = metric.size();
    let mut a = c.to_vec();
    let mut scale = Vec::new();
    for row in a.chunks_exact_mut(n.max(1)) {
        metric.forward(row);
        let length = length(row);
        scale.push(if length > 0.0 { length } else { 1.0 });
        row.iter_mut().for_each(|x| *x /= scale[scale.len() - 1]);
    }
    let rank = RowRank::new(&a, n, threshold);
    if rank.rank() == equations.dims().constraints() {
        return Ok(());
    }
    let express = |(row, on): (usize, Vec<(usize, f64)>)| {
        let significant = on.into_iter().filter(|(_, c)| c.abs() > MENTION);
        let on = significant.map(|(i, c)| (name(equations, i), c * scale[row] / scale[i])).collect();
        Dependence { row: name(equations, row), on, in_vain: false }
    };
    let mut dependences = rank.dependences();
    dependences.sort_unstable_by_key(|(row, _)| *row);
    Err(InitialError::Redundant { rows: dependences.into_iter().map(express).collect() })
}

/// Refuses constraints whose derivative is rounding only, such as that of the square of a constraint: it has length, but
/// no direction, and scaled to unit length it would pass for independent.
pub(super) fn resolved(
    equations: &mut Equations,
    guess: &Guess,
    q: &[f64],
    v: &[f64],
    c: &[f64],
    known: &[Dependence],
) -> Result<(), InitialError> {
    // As large as the roundings on the way from the guess.
    let rounding = |x: &[f64], guess: &[f64], n: usize| -> Vec<f64> {
        let size = ROUNDING * x.iter().chain(guess).fold(0.0_f64, |max, x| max.max(x.abs()));
        (0..n).map(|j| if j % 2 == 0 { size } else { -size }).collect()
    };
    let mut near_q = q.to_vec();
    equations.advance(q, &rounding(q, &guess.q, equations.tangent()), &mut near_q);
    let near_v: Vec<f64> = v.iter().zip(rounding(v, &guess.v, v.len())).map(|(v, dv)| v + dv).collect();
    let mut near = vec![0.0; c.len()];
    Velocities::new(equations, guess.t, &near_q)?.jacobian(&near_v, &mut near)?;
    let vanishes = |(here, near): (&[f64], &[f64])| {
        let change: Vec<f64> = here.iter().zip(near).map(|(a, b)| a - b).collect();
        length(&change) > 0.1 * length(here)
    };
    let n = v.len().max(1);
    let rows = c.chunks_exact(n).zip(near.chunks_exact(n)).map(vanishes).enumerate().filter(|(_, vanishes)| *vanishes);
    let rows = rows.map(|(i, _)| Dependence { row: name(equations, i), on: Vec::new(), in_vain: false });
    let rows: Vec<_> = rows.filter(|row| known.iter().all(|known| known.row != row.row)).collect();
    if rows.is_empty() { Ok(()) } else { Err(InitialError::Redundant { rows }) }
}

/// Refuses motions z with C z = 0 and M z = 0: their acceleration is not determined.
pub(super) fn inertia(equations: &Equations, mass: &[f64], c: &[f64]) -> Result<(), InitialError> {
    let n = equations.dims().v;
    if n == 0 {
        return Ok(());
    }
    let heaviest = mass.iter().fold(0.0_f64, |max, m| max.max(m.abs()));
    // Columns are scaled by the inertia of their coordinate where there is any, so that units do not decide.
    let column = |j: usize| match mass[j * n + j].abs() {
        m if m > NO_MASS * heaviest => m.sqrt(),
        _ => 1.0,
    };
    let columns: Vec<f64> = (0..n).map(column).collect();
    let mut rows = Vec::with_capacity(mass.len() + c.len());
    for (i, row) in mass.chunks_exact(n).chain(c.chunks_exact(n)).enumerate() {
        let largest = row.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
        let scaled: Vec<f64> = row.iter().zip(&columns).map(|(x, s)| x / s).collect();
        let size = length(&scaled);
        let counts = size > 0.0 && (i >= n || largest > NO_MASS * heaviest);
        rows.extend(scaled.iter().map(|x| if counts { x / size } else { 0.0 }));
    }
    let null = RowRank::new(&rows, n, RANK_THRESHOLD).null_space();
    let Some(z) = null.first() else { return Ok(()) };
    let z: Vec<f64> = z.iter().zip(&columns).map(|(z, s)| z / s).collect();
    let largest = z.iter().fold(0.0_f64, |max, x| if x.abs() > max.abs() { *x } else { max });
    let part = |i: usize| (equations.system().coordinate_name(i), z[i] / largest);
    let coordinates = (0..n).filter(|&i| (z[i] / largest).abs() > MENTION).map(part).collect();
    Err(InitialError::MasslessDirection { coordinates })
}
