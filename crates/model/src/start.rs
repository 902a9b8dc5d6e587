//! How a motion starts, beside the values of `[initial]`: the `[start]` section as values.

use alembert::State;
use alembert_mechanism::CoordinateId;

use crate::model::arguments;
use crate::tape::Tape;

/// A parameter that the start determines, and the condition by which it does.
#[derive(Clone, Debug)]
pub struct Find {
    /// The parameter, as in a setting.
    pub parameter: String,
    /// The formula that is zero at the start, as written.
    pub text: String,
    pub(crate) tape: Tape,
}

impl Find {
    /// The formula at a state.
    pub fn value(&self, state: &State) -> f64 {
        let mut out = [0.0];
        self.tape.run_once(arguments(state), &mut out);
        out[0]
    }
}

/// What a file says of its start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// Coordinates that keep their values.
    pub fixed_q: Vec<usize>,
    /// Velocities that keep their values.
    pub fixed_v: Vec<usize>,
    /// Which velocities the file gives; the others are zero, and nobody minds if they are moved.
    pub given_v: Vec<bool>,
    /// Velocities that the file gives to bodies, which joints and drivers may move; there may be fewer than velocities.
    pub rough_v: Vec<Option<f64>>,
    /// Speeds of joints that closing has held, with what messages call them.
    pub held_speeds: Vec<(CoordinateId, String, f64)>,
    /// Whether it is at rest in static equilibrium.
    pub equilibrium: bool,
}
