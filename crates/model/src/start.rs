//! How a motion starts, beside the values of `[initial]`: the `[start]` section as values.

/// What a file says of its start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// Coordinates that keep their values.
    pub fixed_q: Vec<usize>,
    /// Velocities that keep their values.
    pub fixed_v: Vec<usize>,
    /// Which velocities the file gives; the others are zero, and nobody minds if they are moved.
    pub given_v: Vec<bool>,
    /// Whether it is at rest in static equilibrium.
    pub equilibrium: bool,
}
