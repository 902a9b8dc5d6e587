//! What the entries of a derivative are called: d(force of x)/d(y').

use crate::system::{ConstrainedSystem, Dims};

/// What rows or columns run over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Axis {
    /// Holonomic constraints.
    Holonomic,
    /// Nonholonomic constraints.
    Nonholonomic,
    /// Both, holonomic ones first.
    Constraints,
    /// Rows of the equations of motion; this is what stands in them.
    Motion(&'static str),
    /// Rates of the coordinates.
    Rates,
    /// Directions in which q can move.
    Positions,
    /// Velocities.
    Velocities,
    /// The derivative by time, or along the motion.
    Time(&'static str),
    /// No derivative: the value itself.
    Value,
}

/// A derivative, or a value: the function that supplies it, its rows and its columns.
#[derive(Clone, Copy)]
pub(super) struct Subject {
    pub function: &'static str,
    pub rows: Axis,
    pub columns: Axis,
}

impl Subject {
    /// The name of an entry. The derivatives of reactions by multipliers are stored with constraints as rows.
    pub fn entry(&self, system: &dyn ConstrainedSystem, row: usize, column: usize) -> String {
        match (self.rows, self.columns) {
            (Axis::Holonomic | Axis::Nonholonomic, Axis::Motion(_)) => {
                let (by, of) = (name(system, self.rows, row), name(system, self.columns, column));
                format!("d({of})/d(multiplier of {by})")
            }
            (rows, Axis::Value) => name(system, rows, row),
            (rows, Axis::Time(order)) => format!("{order} of {}", name(system, rows, row)),
            (rows, columns) => format!("d({})/d({})", name(system, rows, row), name(system, columns, column)),
        }
    }
}

fn name(system: &dyn ConstrainedSystem, axis: Axis, index: usize) -> String {
    let Dims { lambda, .. } = system.dims();
    match axis {
        Axis::Holonomic => system.holonomic_name(index),
        Axis::Nonholonomic => system.nonholonomic_name(index),
        Axis::Constraints => match index.checked_sub(lambda) {
            None => system.holonomic_name(index),
            Some(index) => system.nonholonomic_name(index),
        },
        // A row of the equations of motion belongs to a velocity; x' is that of x.
        Axis::Motion(what) => format!("{what} of {}", system.coordinate_name(index).trim_end_matches('\'')),
        Axis::Rates => format!("rate of {}", system.position_name(index)),
        Axis::Positions => system.position_name(index),
        Axis::Velocities => {
            let (velocity, position) = (system.coordinate_name(index), system.position_name(index));
            // Where both are called the same, the velocity has a prime.
            if velocity == position { format!("{velocity}'") } else { velocity }
        }
        Axis::Time(_) | Axis::Value => String::new(),
    }
}
