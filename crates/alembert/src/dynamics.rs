//! Forward dynamics: accelerations and multipliers at a given (t, q, v), without an integration.
//!
//! ```text
//! M a = f + r(lambda, psi),    d/dt (g_t + G q'; k) = 0
//! ```

use crate::acceleration::AccelerationLevel;
use crate::equations::Equations;
use crate::method::StepFailure;
use crate::state::State;
use crate::system::SystemRef;

/// Answers what accelerations and multipliers belong to coordinates and velocities.
///
/// ```
/// use alembert::{Dims, Dynamics, Functions, State};
///
/// // A pendulum of length 1 that swings through its lowest place: its rod carries the weight and turns the motion.
/// let pendulum = Functions::new(Dims { q: 2, v: 2, lambda: 1, psi: 0 })
///     .mass(|_, _, mass| (mass[0], mass[3]) = (1.0, 1.0))
///     .force(|_, _, _, force| force[1] = -9.81)
///     .holonomic(|_, q, g| g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0)
///     .holonomic_q(|_, q, out| (out[0], out[1]) = (q[0], q[1]));
/// let (q, v) = (vec![0.0, -1.0], vec![2.0, 0.0]);
/// let mut state = State { t: 0.0, q, v, a: vec![0.0; 2], lambda: vec![0.0], psi: vec![] };
/// Dynamics::new(&pendulum).complete(&mut state)?;
/// assert!((state.a[1] - 4.0).abs() < 1e-6 && (state.lambda[0].abs() - 13.81).abs() < 1e-6);
/// # Ok::<(), alembert::method::StepFailure>(())
/// ```
pub struct Dynamics<'s> {
    equations: Equations<'s>,
    level: AccelerationLevel,
}

impl<'s> Dynamics<'s> {
    /// Room for a system.
    pub fn new(system: impl Into<SystemRef<'s>>) -> Self {
        let equations = Equations::new(system);
        let level = AccelerationLevel::new(&equations);
        Dynamics { equations, level }
    }

    /// Replaces a, lambda and psi of a state by those that belong to its t, q and v, which should be on the constraints.
    ///
    /// # Errors
    /// If there are none, or more than one: constraints that depend on each other or contradict each other, values that are not finite.
    pub fn complete(&mut self, state: &mut State) -> Result<(), StepFailure> {
        Ok(self.level.complete_once(&mut self.equations, state)?)
    }
}
