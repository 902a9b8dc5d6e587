//! Where a system is: q, v, accelerations and multipliers at one time.

use std::fmt;

use crate::equations::{Layout, all_finite};
use crate::system::Dims;

/// A point of a trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
    /// Acceleration v'.
    pub a: Vec<f64>,
    /// Multipliers of the holonomic constraints.
    pub lambda: Vec<f64>,
    /// Multipliers of the nonholonomic constraints.
    pub psi: Vec<f64>,
}

/// The parts of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// q.
    Configuration,
    /// v.
    Velocity,
    /// a.
    Acceleration,
    /// lambda.
    HolonomicMultiplier,
    /// psi.
    NonholonomicMultiplier,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unknown::Configuration => "coordinate",
            Unknown::Velocity => "velocity",
            Unknown::Acceleration => "acceleration",
            Unknown::HolonomicMultiplier => "holonomic multiplier",
            Unknown::NonholonomicMultiplier => "nonholonomic multiplier",
        })
    }
}

impl State {
    /// The first number that is infinite or not a number.
    pub fn overflow(&self) -> Option<(Unknown, usize)> {
        let State { q, v, a, lambda, psi, .. } = self;
        let parts = [
            (Unknown::Configuration, q),
            (Unknown::Velocity, v),
            (Unknown::Acceleration, a),
            (Unknown::HolonomicMultiplier, lambda),
            (Unknown::NonholonomicMultiplier, psi),
        ];
        let (quantity, part) = parts.into_iter().find(|(_, part)| !all_finite(part))?;
        Some((quantity, part.iter().position(|x| !x.is_finite()).unwrap_or(0)))
    }

    /// A state of the right sizes, all zero.
    pub fn zero(dims: Dims) -> Self {
        State {
            t: 0.0,
            q: vec![0.0; dims.q],
            v: vec![0.0; dims.v],
            a: vec![0.0; dims.v],
            lambda: vec![0.0; dims.lambda],
            psi: vec![0.0; dims.psi],
        }
    }

    /// Takes the sizes of a system; values that fit are kept.
    pub fn fit(&mut self, dims: Dims) {
        for (x, size) in [
            (&mut self.q, dims.q),
            (&mut self.v, dims.v),
            (&mut self.a, dims.v),
            (&mut self.lambda, dims.lambda),
            (&mut self.psi, dims.psi),
        ] {
            x.resize(size, 0.0);
        }
    }

    /// Takes over another state of the same sizes without allocating.
    pub fn assign(&mut self, other: &State) {
        self.t = other.t;
        self.q.copy_from_slice(&other.q);
        self.v.copy_from_slice(&other.v);
        self.a.copy_from_slice(&other.a);
        self.lambda.copy_from_slice(&other.lambda);
        self.psi.copy_from_slice(&other.psi);
    }
}

/// A state that satisfies every constraint and the equations of motion.
///
/// Only [`initial::consistent`](crate::initial::consistent) makes one, so nobody can integrate from a bad start.
#[derive(Clone)]
pub struct ConsistentState {
    state: State,
    /// Where the matrices of a large system have entries, and in which order they are eliminated: this is found only once.
    layout: Option<Layout>,
    rank: usize,
}

impl ConsistentState {
    pub(crate) fn new(mut state: State, layout: Option<Layout>, rank: usize) -> Self {
        // A velocity without a digit is what a projection to rest has left, and its size would be taken for a typical one.
        state.v.iter_mut().filter(|v| v.is_subnormal()).for_each(|v| *v = 0.0);
        ConsistentState { state, layout, rank }
    }

    /// How many constraints are independent there.
    pub fn rank(&self) -> usize {
        self.rank
    }

    pub(crate) fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }
}

impl PartialEq for ConsistentState {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

impl fmt::Debug for ConsistentState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ConsistentState").field(&self.state).finish()
    }
}

impl std::ops::Deref for ConsistentState {
    type Target = State;
    fn deref(&self) -> &State {
        &self.state
    }
}
