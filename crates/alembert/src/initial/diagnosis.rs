//! What is wrong, by name: from ranks of scaled matrices at the point where a search ended.
//!
//! At a point where no step makes a nonzero residual smaller, the derivative of the constraints is rank-deficient. If it
//! has full rank once the fixed coordinates are freed, those are to blame; if it is deficient at a neighbouring point
//! too, the constraints contradict each other; otherwise they touch only in their closest approach and cannot be reached.

use super::dependence::{Combination, canonical, words};
use super::error::{Dependence, InitialError, Level, RowResidual};
use super::metric::Weight;
use super::projection::{Place, Projection, Surface, length};
use super::rows::{Frame, Rows};
use super::velocities::Velocities;
use super::{Guess, Metric};
use crate::equations::Equations;
use crate::system::ConstrainedSystem;

/// Coefficients and residuals below this share of the largest are not mentioned.
const MENTION: f64 = 1e-6;
/// Displacement that is rounding only, relative to the size of q and v.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The name of constraint `row`, holonomic ones first.
pub(super) fn name(equations: &Equations, row: usize) -> String {
    named(equations.system(), row)
}

/// The same of a system.
pub(super) fn named(system: &dyn ConstrainedSystem, row: usize) -> String {
    match row.checked_sub(system.dims().lambda) {
        None => system.holonomic_name(row),
        Some(row) => system.nonholonomic_name(row),
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
    if projection.frame.weight.free().len() < projection.surface.columns() {
        // Only ranks of unit rows follow: any metric will do.
        projection.frame = projection.frame.freed();
        match projection.linearize(&place.x) {
            Ok(linear) if linear.rows.dependent() == 0 => return Cause::Fixed,
            _ => {}
        }
    }
    let dx = projection.generic_displacement(&place.x);
    let mut neighbour = place.x.clone();
    projection.surface.advance(&place.x, &dx, &mut neighbour);
    let Ok(linear) = projection.linearize(&neighbour) else { return Cause::Distance };
    if linear.rows.dependent() == 0 {
        return Cause::Distance;
    }
    let scaled = |i: usize| place.residual[i] / linear.rows.scale()[i];
    let largest = (0..rows).fold(0.0_f64, |max, i| max.max(scaled(i).abs()));
    let mut involved = Vec::new();
    for Combination { row, on } in canonical(linear.rows.dependences()) {
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
                let system = equations.system();
                let name = |i: &usize| match level {
                    Level::Position => system.position_name(*i),
                    Level::Velocity => system.coordinate_name(*i),
                };
                let fixed = fixed.iter().map(name).collect();
                InitialError::FixedTooMuch { level, fixed, rows: unmet().collect() }
            }
            Cause::Contradiction(rows) => {
                InitialError::Contradictory { level, rows: rows.into_iter().map(row).collect() }
            }
            Cause::Distance => InitialError::Unreachable { level, rows: unmet().collect(), closest: place.x.clone() },
        }
    }
}

/// Refuses constraints whose derivatives C are dependent, although they are all met: in the metric of the mass, where that is one.
pub(super) fn independent(equations: &Equations, mass: &[f64], c: &[f64], threshold: f64) -> Result<(), InitialError> {
    let layout = equations.layout();
    let weight = Weight::new(&Metric::Mass, &layout.top, mass, layout.top.rows(), &[]);
    let rows = Rows::new(&Frame::new(&layout.rows, weight, &layout.structure), c, threshold);
    match words(equations, rows.dependences(), rows.scale()) {
        rows if rows.is_empty() => Ok(()),
        rows => Err(InitialError::Redundant { rows }),
    }
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
    let pattern = equations.layout().rows.clone();
    let vanishes = |i: &usize| {
        let (here, near) = [c, &near].map(|values| &values[pattern.start(*i)..pattern.start(*i + 1)]).into();
        let change: Vec<f64> = here.iter().zip(near).map(|(a, b)| a - b).collect();
        length(&change) > 0.1 * length(here)
    };
    let rows = (0..pattern.rows()).filter(vanishes);
    let rows = rows.map(|i| Dependence { row: name(equations, i), on: Vec::new(), in_vain: false });
    let rows: Vec<_> = rows.filter(|row| known.iter().all(|known| known.row != row.row)).collect();
    if rows.is_empty() { Ok(()) } else { Err(InitialError::Redundant { rows }) }
}
