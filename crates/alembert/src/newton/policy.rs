//! The numbers of every iteration of the library, with where they come from. A method names its policy and the sizes of its rounding;
//! the loop is [`Newton`](super::Newton)'s.
//!
//! | Policy | Unknowns | Contraction | Old factors | Fresh factors |
//! |---|---|---|---|---|
//! | [`STEP`](Policy::STEP) | a step of SOI2, HHT, BDF with prescribed steps | last ratio, at least 0.02 | serve up to 0.3 | renewed beyond 0.1; then all over with two linearisations |
//! | [`RADAU`](Policy::RADAU) | stages of a Runge-Kutta step | mean of two ratios, foreseen | serve up to 1e-3 | one linearisation a step |
//! | [`BDF`](Policy::BDF), [`LAZY_BDF`](Policy::LAZY_BDF) | position half of BDF under error control | last ratio or 0.3 of the belief | serve up to 0.25, lazily always | one linearisation a step |
//! | [`BDF_VELOCITY`](Policy::BDF_VELOCITY) | velocity half of BDF | last ratio | those of the position half, up to 0.4 | its own |
//! | [`BDF_FORCE`](Policy::BDF_FORCE) | the force at the new velocity | last ratio | serve up to 0.4 | one linearisation |
//! | [`BDF_SETTLE`](Policy::BDF_SETTLE), [`ALPHA_SETTLE`](Policy::ALPHA_SETTLE) | constraints after a step | of residuals | serve up to 0.5, 0.1 | the best that can be had |

use super::Factors;
use super::contraction::{Criterion, Levels, STILL};
use super::refresh::Refresh;

/// Fraction of the tolerance that Newton's error may use.
const KAPPA: f64 = 0.03;
/// Corrections that stop shrinking at this many times their rounding are noise of an ill-conditioned matrix, not a failure. With old
/// factors less is believed: slow convergence looks the same.
const FRESH_NOISE: f64 = 500.0;
const STALE_NOISE: f64 = 30.0;

/// Limits of a pass with factors of one age.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    /// Most corrections.
    pub limit: usize,
    /// Contraction up to which the factors serve.
    pub slow: f64,
}

/// What is believed of a contraction before it is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beginning {
    /// Of fresh factors.
    pub fresh: Fresh,
    /// Of old ones: `growth theta`, with theta/(1-theta) to a power before.
    pub growth: f64,
    /// The power; 1 for none.
    pub power: f64,
    /// Whether it grows with every solution, or only with those that did not measure it.
    pub always: bool,
}

/// What is believed of fresh factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fresh {
    /// Nothing: at least two corrections are made.
    Unknown,
    /// A contraction.
    Assumed(f64),
    /// What was believed of the old ones.
    Same,
}

/// How a problem is iterated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// How sizes are judged.
    pub criterion: Criterion,
    /// Limits with old factors.
    pub stale: Pass,
    /// Limits with fresh ones.
    pub fresh: Pass,
    /// When factors are renewed.
    pub refresh: Refresh,
    /// What is believed at first.
    pub beginning: Beginning,
}

const NEVER: f64 = f64::INFINITY;

impl Policy {
    /// What corrections of a step in units of the tolerance are compared with.
    pub fn step_levels(rounding: f64, factors: Factors) -> Levels {
        let noise = if factors == Factors::Fresh { FRESH_NOISE } else { STALE_NOISE };
        Levels { rounding, noise: noise * rounding, enough: KAPPA, tolerable: 0.0 }
    }

    /// Steps whose failure ends the integration, or costs more than a linearisation: everything is tried. Measured on stiff pendulums
    /// and bars (`cargo xtask iterations`). A first correction can look better than the iteration really is, so that a contraction is
    /// taken as 0.02 at least: below, nonlinear reactions stop too early (1.4e-7 left in v at a tolerance of 1e-10). Old factors get
    /// older by 1.5 with each solution that does not measure them.
    pub const STEP: Policy = Policy {
        criterion: Criterion { floor: 0.02, ..Criterion::ORDINARY },
        stale: Pass { limit: 8, slow: 0.3 },
        fresh: Pass { limit: 25, slow: 0.3 },
        refresh: Refresh { again: 0.1, rough: 10, longest_patience: 8, weighed: true, keep: NEVER },
        beginning: Beginning { fresh: Fresh::Unknown, growth: 1.5, power: 1.0, always: false },
    };

    /// Stages of a Runge-Kutta step (Hairer and Wanner's RADAU5: eta^0.8, limit 0.99, foresight; the mean of two ratios is theirs, too).
    /// Blocks belong to the middle of the step and to its length, so that they are not renewed on the way: a shorter step is cheaper.
    /// Corrections within the rounding of the weights, which are generous, are noise from a contraction of 0.1 on. `limit` depends on
    /// the number of stages.
    pub const RADAU: Policy = Policy {
        criterion: Criterion { still: 0.1, trusted: 0.99, averaged: true, foresight: 1, ..Criterion::ORDINARY },
        stale: Pass { limit: 7, slow: 0.99 },
        fresh: Pass { limit: 7, slow: 0.99 },
        refresh: Refresh { again: NEVER, rough: 0, longest_patience: 0, weighed: false, keep: 1e-3 },
        beginning: Beginning { fresh: Fresh::Same, growth: 1.0, power: 0.8, always: true },
    };

    /// Position half of BDF under error control, which rather has a shorter step than many iterations (IDA and CVODE: the belief falls
    /// by 0.3 at most, a correction is never taken for less accurate than itself). M, G and K are renewed in every step, and damping and
    /// stiffness where the contraction is beyond 0.25.
    pub const BDF: Policy = Policy {
        criterion: Criterion { trusted: 0.9, ceiling: 0.5, memory: 0.3, ..Criterion::ORDINARY },
        stale: Pass { limit: 5, slow: 0.9 },
        fresh: Pass { limit: 5, slow: 0.9 },
        refresh: Refresh { again: NEVER, rough: 0, longest_patience: 0, weighed: false, keep: 0.25 },
        beginning: Beginning { fresh: Fresh::Assumed(0.5), growth: 1.1, power: 1.0, always: true },
    };

    /// The same with factors that are kept as long as they serve.
    pub const LAZY_BDF: Policy = Policy {
        refresh: Refresh { keep: NEVER, ..Policy::BDF.refresh },
        beginning: Beginning { growth: 2.0, ..Policy::BDF.beginning },
        ..Policy::BDF
    };

    /// Velocity half of BDF: the factors of the position half, which cost nothing, then its own. Those solve a linear problem at once.
    pub const BDF_VELOCITY: Policy = Policy {
        criterion: Criterion::ORDINARY,
        stale: Pass { limit: 15, slow: 0.4 },
        fresh: Pass { limit: 15, slow: STILL },
        refresh: Refresh { again: NEVER, rough: 0, longest_patience: 16, weighed: false, keep: NEVER },
        beginning: Beginning { fresh: Fresh::Unknown, growth: 1.0, power: 1.0, always: false },
    };

    /// The same where reactions are nonlinear in the multipliers: its own factors are renewed on the way.
    pub const BDF_VELOCITY_NONLINEAR: Policy = Policy {
        fresh: Pass { limit: 15, slow: NEVER },
        refresh: Refresh { again: 0.4, ..Policy::BDF_VELOCITY.refresh },
        ..Policy::BDF_VELOCITY
    };

    /// The force of stiff dampers at the velocity that it leads to.
    pub const BDF_FORCE: Policy = Policy {
        criterion: Criterion { still: 0.4, ..Criterion::ORDINARY },
        stale: Pass { limit: 12, slow: 0.4 },
        fresh: Pass { limit: 12, slow: 0.4 },
        refresh: Refresh { again: NEVER, rough: 0, longest_patience: 0, weighed: false, keep: NEVER },
        beginning: Beginning { fresh: Fresh::Unknown, growth: 1.0, power: 1.0, always: false },
    };

    /// Constraints of a BDF step to rounding, at the price of no force.
    pub const BDF_SETTLE: Policy = Policy {
        criterion: Criterion::ORDINARY,
        stale: Pass { limit: 8, slow: STILL },
        fresh: Pass { limit: 8, slow: STILL },
        ..Policy::BDF_FORCE
    };

    /// Constraints of a SOI2 step to rounding: each iteration costs a force, and old factors that do not gain a digit are renewed.
    pub const ALPHA_SETTLE: Policy = Policy {
        criterion: Criterion::ORDINARY,
        stale: Pass { limit: 6, slow: 0.1 },
        fresh: Pass { limit: 6, slow: 0.1 },
        ..Policy::BDF_FORCE
    };
}
