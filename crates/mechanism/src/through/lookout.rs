//! Looks out for singular configurations while a motion is integrated.
//!
//! Steps that end before a singular configuration become shorter and shorter, and less accurate in the end: velocities are uncertain by rounding over the
//! distance. So where steps have become less than half as long, and from there on as long as constraints are nearly dependent, it is asked whether
//! such a configuration lies ahead. If a passage from here is accurate, the integration shall stop. If not, the same is asked again from a quarter
//! of the distance: branches that only come near to each other are no matter of a passage, but of short steps.

use alembert::{ConstrainedSystem, State};

use super::{Independence, ROUNDING, Singular};
use crate::mechanism::Mechanism;

/// A step that is shorter than this beside those before may have met something.
const SHORTER: f64 = 0.5;
/// A passage that was not accurate is tried again where constraints are as much less independent.
const CLOSER: f64 = 0.25;

/// What is remembered from step to step.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookout {
    /// The longest step since it was last asked for what lies ahead, or the one with which that was.
    longest: f64,
    /// Whether constraints were nearly dependent at the end of the step before.
    near: bool,
    /// How independent constraints were where a passage was tried without success; infinite if none was.
    tried: f64,
}

impl Default for Lookout {
    fn default() -> Self {
        Lookout { longest: 0.0, near: false, tried: f64::INFINITY }
    }
}

impl Lookout {
    /// Looks at the ends of a step. The singular configuration that lies ahead, or within the step, if the motion across it can be told to a
    /// relative tolerance. Behind the coordinates of the mechanism the system may have others.
    pub fn step(
        &mut self,
        (mechanism, system): (&Mechanism, &dyn ConstrainedSystem),
        [before, state]: [&State; 2],
        tolerance: f64,
    ) -> Option<Singular> {
        let h = state.t - before.t;
        if h >= SHORTER * self.longest && !self.near {
            self.longest = self.longest.max(h);
            return None;
        }
        self.longest = h;
        let nearness = mechanism.nearness(state);
        self.near = nearness.independence < Mechanism::NEAR;
        if !self.near {
            self.tried = f64::INFINITY;
        }
        // A step may have gone across without anyone seeing it.
        let at = nearness.ahead.filter(|at| at.t > before.t)?;
        let from = if at.t > state.t { state } else { before };
        if at.t > state.t && nearness.independence >= CLOSER * self.tried {
            return None;
        }
        let found = mechanism.across(system, &Independence::new(mechanism), &at, from);
        self.tried = nearness.independence;
        found.filter(|found| found.error() <= tolerance.max(ROUNDING)).map(|found| found.at)
    }

    /// Its numbers, for checkpoints.
    pub fn numbers(&self) -> [f64; 3] {
        [self.longest, f64::from(u8::from(self.near)), self.tried]
    }

    /// From its numbers.
    pub fn from_numbers([longest, near, tried]: [f64; 3]) -> Self {
        Lookout { longest, near: near != 0.0, tried }
    }
}
