//! Static equilibrium: from a rough guess downhill to a configuration that stays at rest.
//!
//! ```text
//! 0 = f(t,q,0) + r(t,q,0,lambda,psi),    0 = g(t,q),    v = 0         t is frozen
//! ```
//!
//! Pseudo-transient continuation. With S = d/dq (-f - r) a step is
//!
//! ```text
//! | sigma M + S   -r_mu | ( w )   ( f + r )         q <- q o w, then back onto g = 0
//! | C               0   | (dmu) = (  -g   )
//! ```
//!
//! A large sigma is a short step along the acceleration from rest, sigma = 0 is Newton's method. sigma falls with every step that
//! goes downhill, which is judged by the work (f_old + f_new) dq / 2 of the forces, so that no potential is needed, and grows where
//! a step would go uphill. Newton's method alone would find the nearest equilibrium, and that may be a maximum. A saddle that
//! the descent runs into is left along its steepest direction; a guess that is an unstable equilibrium itself is kept.
//!
//! Nonholonomic constraints let bodies move only where they may roll: K w = 0.

mod descent;
mod error;
mod stability;

pub use error::NoEquilibrium;
pub use stability::Stability;

use crate::equations::Equations;
use crate::initial::{Guess, Options, Report, consistent_with};
use crate::state::ConsistentState;
use crate::system::ConstrainedSystem;
use crate::tolerance::{Tolerance, largest};
use crate::typical::{GivenSizes, TypicalSizes};
use descent::Descent;

/// How often a saddle is left.
const SADDLES: usize = 4;
/// How far it is left, relative to the size of the model.
const NUDGE: f64 = 1e-2;
/// The tolerance that goes with the typical sizes of differences.
const DIFFERENCES: f64 = 1e-6;
/// Velocities below this share of the size of the model are none.
const AT_REST: f64 = 1e-12;

/// A configuration that stays at rest.
pub struct Equilibrium {
    /// There, with multipliers.
    pub state: ConsistentState,
    /// What was done to get from the configuration found to the state: next to nothing.
    pub report: Report,
    /// Steps of the continuation.
    pub iterations: usize,
    /// Whether it stays there when it is pushed a little.
    pub stability: Stability,
}

/// Looks for static equilibrium, downhill from the configuration of a guess; its velocities are not used.
///
/// # Errors
/// If there is no start on the constraints, if constraints move, or if there is no equilibrium in reach; see [`NoEquilibrium`].
///
/// ```
/// use alembert::equilibrium::{Stability, equilibrium};
/// use alembert::{Dims, Functions, Guess};
///
/// let pendulum = Functions::new(Dims { q: 2, v: 2, lambda: 1, psi: 0 })
///     .mass(|_, _, mass| (mass[0], mass[3]) = (1.0, 1.0))
///     .force(|_, _, _, force| force[1] = -9.81)
///     .holonomic(|_, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0);
/// let found = equilibrium(&pendulum, &Guess::new(0.0, vec![0.8, 0.6], vec![0.0, 0.0]))?;
/// assert!(found.state.q[0].abs() < 1e-9 && (found.state.q[1] + 1.0).abs() < 1e-9);
/// assert!(matches!(found.stability, Stability::Stable { .. }));
/// # Ok::<(), alembert::equilibrium::NoEquilibrium>(())
/// ```
pub fn equilibrium(system: &dyn ConstrainedSystem, guess: &Guess) -> Result<Equilibrium, NoEquilibrium> {
    if system.description().has_general_rate() {
        return Err(NoEquilibrium::GeneralRate);
    }
    if system.description().first_order().0 > 0 {
        return Err(NoEquilibrium::States);
    }
    let at_rest = |q: Vec<f64>, lambda: Vec<f64>, psi: Vec<f64>| {
        let guess = Guess { t: guess.t, q, v: vec![0.0; system.dims().v], lambda, psi };
        consistent_with(system, &guess, &Options::default()).map_err(NoEquilibrium::Start)
    };
    let (start, _) = at_rest(guess.q.clone(), guess.lambda.clone(), guess.psi.clone())?;
    if let Some((index, rate)) = start.v.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
        && rate.abs() > AT_REST * largest(&start.q)
    {
        return Err(NoEquilibrium::Moving { name: system.coordinate_name(index), rate: *rate });
    }
    let mut equations = Equations::new(system);
    // Differences, where there are no derivatives, suit the size of the model.
    if let Ok(relative) = Tolerance::relative(DIFFERENCES) {
        let typical = TypicalSizes::of_start(&mut equations, &start, &relative, &GivenSizes::default(), None)?;
        equations.set_typical(typical);
    }
    let mut descent = Descent::new(&mut equations, &start)?;
    let mut iterations = 0;
    for saddle in 0..=SADDLES {
        let steps = descent.run(&mut equations)?;
        iterations += steps;
        let (stability, direction) = stability::judge(&mut equations, &descent)?;
        // Who starts in an unstable equilibrium means it.
        let kept = saddle == 0 && steps == 0;
        match direction.filter(|_| !kept && saddle < SADDLES) {
            Some(direction) => descent.leave(&mut equations, &direction, NUDGE)?,
            None => {
                let (q, lambda, psi) = descent.place();
                let (state, report) = at_rest(q, lambda, psi)?;
                return Ok(Equilibrium { state, report, iterations, stability });
            }
        }
    }
    Err(NoEquilibrium::NotFound { accelerations: descent.accelerations(system) })
}
