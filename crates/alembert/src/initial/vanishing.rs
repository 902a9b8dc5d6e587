//! Derivatives that are not there: constraints under `nonholonomic` without velocities, and guesses at points where a constraint
//! has no direction (the pivot of a rod, a velocity of zero where a speed is prescribed).
//!
//! A derivative that is zero at the guess and is not in its neighbourhood says nothing about where to go: every direction would be
//! as good, and none is meant.

use super::diagnosis::name;
use super::error::{InitialError, Level};
use super::projection::{Surface, length};
use crate::equations::{Equations, NotFinite};
use crate::system::Quantity;

/// A row below this share of the same row nearby is zero.
const ZERO: f64 = 1e-9;

/// Neighbours of x, at several distances, without symmetry.
fn neighbours(x: &[f64], count: usize) -> [Vec<f64>; 3] {
    let reach = x.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
    [1e-2, 1.0, 30.0].map(|far| (0..count).map(|j| far * reach * (1.0 + 1.7 * j as f64).sin()).collect())
}

/// Refuses nonholonomic constraints that do not depend on velocities, here or anywhere near.
pub(super) fn velocity_free(equations: &mut Equations, t: f64, q: &[f64], v: &[f64]) -> Result<(), InitialError> {
    let pattern = equations.layout().nonholonomic.clone();
    let mut free = vec![true; pattern.rows()];
    let mut k_v = vec![0.0; pattern.len()];
    let shifts = neighbours(v, v.len());
    let (mut looked, mut moved) = (false, v.to_vec());
    for shift in std::iter::once(&vec![0.0; v.len()]).chain(&shifts) {
        moved.iter_mut().zip(v).zip(shift).for_each(|((moved, v), dv)| *moved = v + dv);
        // Where it cannot be evaluated, it says nothing.
        if equations.nonholonomic_v(t, q, &moved, &mut k_v).is_err() {
            continue;
        }
        looked = true;
        for (i, free) in free.iter_mut().enumerate() {
            *free &= pattern.row(i).all(|(_, e)| k_v[e] == 0.0);
        }
    }
    let names = |free: &[bool]| {
        let rows = free.iter().enumerate().filter(|(_, free)| **free);
        rows.map(|(i, _)| equations.system().nonholonomic_name(i)).collect::<Vec<_>>()
    };
    match names(&free) {
        rows if looked && !rows.is_empty() => Err(InitialError::WithoutVelocities { rows }),
        _ => Ok(()),
    }
}

/// Refuses a guess at which a constraint that is not met has no derivative, although it has one nearby. `unmet` are the
/// residuals; `first` is the number of the first row among all constraints.
pub(super) fn directed<S: Surface>(
    surface: &mut S,
    level: Level,
    x: &[f64],
    unmet: &[f64],
    describe: impl Fn(usize) -> String,
) -> Result<(), InitialError> {
    let (pattern, rows, columns) = (surface.pattern(), surface.rows(), surface.columns());
    let mut here = vec![0.0; pattern.len()];
    surface.jacobian(x, &mut here)?;
    let row = |jacobian: &[f64], i: usize| length(&jacobian[pattern.start(i)..pattern.start(i + 1)]);
    let size = here.iter().fold(0.0_f64, |max, g| max.max(g.abs()));
    let still: Vec<usize> = (0..rows).filter(|&i| unmet[i] != 0.0 && row(&here, i) <= ZERO * size).collect();
    if still.is_empty() {
        return Ok(());
    }
    let (mut there, mut near) = (vec![0.0; pattern.len()], x.to_vec());
    let [shift, ..] = neighbours(x, columns);
    surface.advance(x, &shift, &mut near);
    if surface.jacobian(&near, &mut there).is_err() {
        return Ok(());
    }
    let mut terms = vec![0.0; rows];
    surface.floor(x, &mut terms)?;
    match still.into_iter().find(|&i| row(&here, i) <= ZERO * row(&there, i) && unmet[i].abs() > ZERO * terms[i]) {
        Some(i) => Err(InitialError::NoGradient { level, row: describe(i), residual: unmet[i] }),
        None => Ok(()),
    }
}

/// Names what has no derivative.
pub(super) fn named(error: NotFinite, equations: &Equations) -> InitialError {
    let columns = match error.quantity {
        Quantity::HolonomicQ => equations.tangent(),
        Quantity::NonholonomicV => equations.dims().v,
        _ => return error.into(),
    };
    let layout = equations.layout();
    let (pattern, first) = match error.quantity {
        Quantity::HolonomicQ => (&layout.holonomic_q, 0),
        _ => (&layout.nonholonomic, equations.dims().lambda),
    };
    let place = (0..pattern.rows()).find_map(|i| pattern.row(i).find(|(_, e)| *e == error.entry).map(|(j, _)| (i, j)));
    let Some((row, column)) = place.filter(|(_, j)| *j < columns) else { return error.into() };
    // Under a general rate columns are entries of q, which have no names of their own.
    let by = if equations.has_general_rate() && first == 0 {
        format!("entry {column} of q")
    } else {
        // Names are those of velocities, which some systems mark.
        let name = equations.system().coordinate_name(column);
        if first == 0 { name.trim_end_matches('\'').to_owned() } else { name }
    };
    InitialError::NoDerivative { row: name(equations, first + row), by, t: error.t }
}
