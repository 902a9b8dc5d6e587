//! A consistent start: from what the caller knows to a state that satisfies everything.
//!
//! ```text
//! positions      closest q with g(t,q) = 0                       turning quaternions, not adding to them; along a general rate
//! velocities     closest v with g_t + G q' = 0, k(t,q,v) = 0
//! multipliers    M a = f + r(lambda, psi),  C a = -bias          C = d/dv of the velocity constraints
//! ```
//!
//! Closest means least displacement in a [`Metric`]. What cannot be repaired is refused with the names of the
//! constraints and coordinates to blame ([`InitialError`]). Ranks are those of matrices with rows scaled to unit length;
//! what is smaller than 1e-10 of the largest pivot counts as zero.
//!
//! ```
//! use alembert::initial::{Guess, consistent};
//! use alembert::{Dims, Functions};
//!
//! let pendulum = Functions::new(Dims { q: 2, v: 2, lambda: 1, psi: 0 })
//!     .mass(|_, _, mass| (mass[0], mass[3]) = (1.0, 1.0))
//!     .force(|_, _, _, force| force[1] = -9.81)
//!     .holonomic(|_, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0);
//!
//! // Neither on the circle nor moving along it.
//! let state = consistent(&pendulum, &Guess::new(0.0, vec![0.6, -0.9], vec![1.0, 1.0]))?;
//! assert!((state.q[0].hypot(state.q[1]) - 1.0).abs() < 1e-15);
//! assert!((state.q[0] * state.v[0] + state.q[1] * state.v[1]).abs() < 1e-11);
//! # Ok::<(), alembert::initial::InitialError>(())
//! ```

mod check;
mod dependence;
mod diagnosis;
mod error;
mod leaf;
mod mass;
mod massless;
mod metric;
mod moves;
mod multipliers;
mod positions;
mod projection;
mod rows;
mod vanishing;
mod velocities;

pub use error::{Dependence, InitialError, Level, RowResidual};
pub use moves::{Move, moves};

use crate::equations::{Equations, Layout};
use crate::redundancy::{DEPENDENT, start_size};
use crate::space::Space;
use crate::state::{ConsistentState, State};
use crate::system::{ConstrainedSystem, Patterns, Redundancy};
use crate::tolerance::largest;
use crate::turns::open_place;
use check::{check, holding};
use diagnosis::{Stall, name, named};
use leaf::Leaf;
use metric::Weight;
use multipliers::{Motion, Multipliers};
use positions::Positions;
use projection::{Failure, Place, Projection, Surface, length};
use rows::Frame;
use velocities::Velocities;

/// Pivots below this share of the largest count as zero: above the error of derivatives by differences (1e-12), below
/// what a mechanism near, but not in, a singular configuration shows.
const RANK_THRESHOLD: f64 = 1e-10;

/// Angle between constraints below which they are to blame if the multipliers cannot be found.
const TOUCHING: f64 = 1e-6;

/// What the caller knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
    /// Multipliers of the holonomic constraints; empty means zero.
    pub lambda: Vec<f64>,
    /// Multipliers of the nonholonomic constraints; empty means zero.
    pub psi: Vec<f64>,
}

impl Guess {
    /// A guess with zero multipliers.
    pub fn new(t: f64, q: Vec<f64>, v: Vec<f64>) -> Self {
        Guess { t, q, v, lambda: Vec::new(), psi: Vec::new() }
    }

    /// Says where to look for the multipliers, which matters where the reaction is nonlinear in them.
    pub fn with_multipliers(self, lambda: Vec<f64>, psi: Vec<f64>) -> Self {
        Guess { lambda, psi, ..self }
    }
}

/// How displacements of q and v are measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Metric {
    /// The sum of squares.
    Identity,
    /// Twice the kinetic energy of the displacement, with the mass matrix of the guess for q and of the configuration
    /// found for v. Where it is not symmetric positive definite, the identity serves; under a general rate it does for q.
    #[default]
    Mass,
    /// A weighted sum of squares, one positive weight for each direction in which q moves. If v has another number of
    /// entries (a general rate), the mass serves for v.
    Weights(Vec<f64>),
}

/// How to repair a guess.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What is closest.
    pub metric: Metric,
    /// Directions in which q must not move.
    pub fixed_q: Vec<usize>,
    /// Entries of v that must not change.
    pub fixed_v: Vec<usize>,
    /// Residual that is accepted, relative to the terms of a constraint. Newton's method goes on below it for as long
    /// as it gains, so the usual residual is a few roundings.
    pub tolerance: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options { metric: Metric::default(), fixed_q: Vec::new(), fixed_v: Vec::new(), tolerance: 1e-12 }
    }
}

/// What the repair of one level did.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// Largest constraint residual of the guess.
    pub residual_before: f64,
    /// Largest constraint residual of the result.
    pub residual_after: f64,
    /// Euclidean length of the displacement.
    pub moved: f64,
    /// Newton steps.
    pub iterations: usize,
    /// The metric in use: not always the one asked for.
    pub metric: Metric,
}

/// What was done to a guess.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Repair of q.
    pub positions: Repair,
    /// Repair of v.
    pub velocities: Repair,
    /// Residual of the equations of motion, relative to their terms.
    pub motion_residual: f64,
    /// Newton steps for accelerations and multipliers.
    pub motion_iterations: usize,
    /// Number of independent constraints.
    pub rank: usize,
    /// Constraints that follow from others, where the system [accepts](crate::Redundancy) them. What they contradict each other
    /// by is in the residuals of [`positions`](Self::positions) and [`velocities`](Self::velocities).
    pub redundant: Vec<Dependence>,
    /// Length of the part of the displacement of q in directions that a general rate q' = U(t, q, v) does not reach: what the
    /// kinematics would have kept, such as the length of a quaternion written by hand, has changed. Zero if nothing has.
    pub beyond_kinematics: f64,
}

/// The consistent state closest to `guess`, with default [`Options`].
///
/// # Errors
/// If there is none, or none was found; see [`InitialError`].
pub fn consistent(system: &dyn ConstrainedSystem, guess: &Guess) -> Result<ConsistentState, InitialError> {
    consistent_with(system, guess, &Options::default()).map(|(state, _)| state)
}

/// The consistent state closest to `guess`, and what was done to get there.
///
/// # Errors
/// If there is none, or none was found; see [`InitialError`].
pub fn consistent_with(
    system: &dyn ConstrainedSystem,
    guess: &Guess,
    options: &Options,
) -> Result<(ConsistentState, Report), InitialError> {
    if let Some(patterns) = &system.description().patterns {
        let dims = system.dims();
        let Patterns { top, rows } = patterns;
        let fits = (top.rows(), top.columns()) == (dims.v, dims.v)
            && (rows.rows(), rows.columns()) == (dims.constraints(), dims.v);
        if !fits || system.description().has_general_rate() {
            return Err(InitialError::Patterns { fits });
        }
        let rotations = &system.description().rotations;
        for (matrix, pattern) in [("top", top), ("rows", rows)] {
            if let Some((row, column)) = open_place(pattern, rotations) {
                return Err(InitialError::OpenPattern { matrix, row, column });
            }
        }
    }
    let mut equations = Equations::new(system);
    let (dims, t, options) = (equations.dims(), guess.t, &holding(options, system.description()));
    Space::new(dims, &system.description().rotations, equations.has_general_rate()).map_err(InitialError::Space)?;
    check(guess, options, &equations)?;
    let mut guess = guess.clone();
    equations.space().normalise(&mut guess.q).map_err(|entry| InitialError::NoDirection { entry })?;
    let guess = &guess;

    let layout = equations.layout().clone();
    let accepted = layout.is_softened();
    let mut mass = vec![0.0; layout.top.len()];
    equations.mass(t, &guess.q, &mut mass)?;
    mass::definite(&equations, &mass)?;
    let level = Repairing {
        system,
        level: Level::Position,
        layout: &layout,
        mass: &mass,
        fixed: &options.fixed_q,
        options,
        accepted,
    };
    let (q, positions, beyond_kinematics) = level.positions(&mut equations, guess)?;

    equations.mass(t, &q, &mut mass)?;
    let pointers = mass::definite(&equations, &mass)?;
    vanishing::velocity_free(&mut equations, t, &q, &guess.v)?;
    let level = Repairing {
        system,
        level: Level::Velocity,
        layout: &layout,
        mass: &mass,
        fixed: &options.fixed_v,
        options,
        accepted,
    };
    let mut surface = Velocities::new(&mut equations, t, &q).map_err(InitialError::from)?;
    let repaired = level.directed(&mut surface, &guess.v).and_then(|()| level.repair(&mut surface, &guess.v));
    let (v, velocities) = match repaired.map_err(|e| blamed(e, &equations))? {
        Ok(repaired) => repaired,
        Err((stall, cause)) => return Err(stall.error(cause, &equations)),
    };

    let mut c = vec![0.0; layout.rows.len()];
    Velocities::new(&mut equations, t, &q)?.jacobian(&v, &mut c)?;
    let threshold = if accepted { DEPENDENT } else { RANK_THRESHOLD };
    let redundant = match diagnosis::independent(&equations, &mass, &c, threshold) {
        Ok(()) => Vec::new(),
        Err(InitialError::Redundant { rows }) if accepted => rows,
        Err(InitialError::Redundant { rows }) => {
            let kinematic = leaf::invariants(&mut equations, t, &q, &v)?.into_iter().map(|i| name(&equations, i));
            let kinematic: Vec<String> = kinematic.filter(|name| rows.iter().any(|row| row.row == *name)).collect();
            return Err(if !kinematic.is_empty() {
                InitialError::Kinematic { rows: kinematic }
            } else {
                InitialError::Redundant { rows: in_vain(rows, system) }
            });
        }
        Err(e) => return Err(e),
    };
    diagnosis::resolved(&mut equations, guess, &q, &v, &c, &redundant)?;
    massless::inertia(&equations, &mass, &c)?;
    if pointers {
        mass::definite_along(&equations, &mass, &c)?;
    }

    // The analysis of its matrices serves the integration as well.
    let known = system.description().patterns.is_some().then_some(layout);
    let mut mu = vec![0.0; dims.constraints()];
    mu[..guess.lambda.len()].copy_from_slice(&guess.lambda);
    mu[dims.lambda..][..guess.psi.len()].copy_from_slice(&guess.psi);
    if !redundant.is_empty() {
        let (lambda, psi) = mu.split_at(dims.lambda);
        let mut state = State { t, q, v, a: vec![0.0; dims.v], lambda: lambda.to_vec(), psi: psi.to_vec() };
        let motion_residual = multipliers::smallest(&mut equations, &mut state)?;
        let rank = dims.constraints() - redundant.len();
        let motion_iterations = 1;
        let report =
            Report { positions, velocities, motion_residual, motion_iterations, rank, redundant, beyond_kinematics };
        return Ok((ConsistentState::new(state, known, rank), report));
    }
    let motion = match Multipliers::new(&mut equations, t, &q, &v, &mass, &c, options.tolerance)?.solve(&mu) {
        Ok(motion) => motion,
        Err(e) => {
            // Constraints that touch are met only to the root of a rounding, and are that much short of dependent.
            diagnosis::independent(&equations, &mass, &c, TOUCHING)?;
            return Err(e);
        }
    };
    let (a, mu) = motion.x.split_at(dims.v);
    let (lambda, psi) = mu.split_at(dims.lambda);
    let state = State { t, q, v, a: a.to_vec(), lambda: lambda.to_vec(), psi: psi.to_vec() };
    let Motion { residual: motion_residual, iterations: motion_iterations, .. } = motion;
    let rank = dims.constraints();
    let report =
        Report { positions, velocities, motion_residual, motion_iterations, rank, redundant, beyond_kinematics };
    Ok((ConsistentState::new(state, known, rank), report))
}

/// Redundant constraints of a system that was not made for them: it may have asked for it nevertheless.
fn in_vain(mut rows: Vec<Dependence>, system: &dyn ConstrainedSystem) -> Vec<Dependence> {
    let asked = system.description().redundancy == Redundancy::LeastSquares;
    rows.iter_mut().for_each(|row| row.in_vain = asked);
    rows
}

/// A derivative that is not finite is told by the name of its constraint.
fn blamed(error: InitialError, equations: &Equations) -> InitialError {
    match error {
        InitialError::Function(e) => vanishing::named(e, equations),
        other => other,
    }
}

/// One level about to be repaired.
struct Repairing<'a> {
    system: &'a dyn ConstrainedSystem,
    level: Level,
    layout: &'a Layout,
    mass: &'a [f64],
    fixed: &'a [usize],
    options: &'a Options,
    /// Whether constraints may be dependent.
    accepted: bool,
}

type Repaired<'a> = Result<(Vec<f64>, Repair), (Stall<'a>, diagnosis::Cause)>;

impl<'a> Repairing<'a> {
    /// Refuses a guess where a constraint has no direction.
    fn directed<S: Surface>(&self, surface: &mut S, guess: &[f64]) -> Result<(), InitialError> {
        let mut residual = vec![0.0; surface.rows()];
        surface.residual(guess, &mut residual)?;
        vanishing::directed(surface, self.level, guess, &residual, |row| named(self.system, row))
    }

    /// Repairs q, and says how far it had to leave what the kinematics reach; see [`leaf`].
    fn positions(&self, equations: &mut Equations, guess: &Guess) -> Result<(Vec<f64>, Repair, f64), InitialError> {
        let Guess { t, q: start, v, .. } = guess;
        let t = *t;
        let own = self.fixed.is_empty() && !matches!(self.options.metric, Metric::Weights(_));
        let directed = self.directed(&mut Positions { equations, t }, start);
        directed.map_err(|e| blamed(e, equations))?;
        if own && leaf::is_bent(equations, t, start, v)? {
            // First onto the leaf that the constraints name, then along it.
            let kept = leaf::invariants(equations, t, start, v)?;
            let onto = self.repair(&mut leaf::Part { equations, t, rows: &kept }, start)?;
            if let Ok((on_leaf, first)) = onto
                && let Ok((q, second)) = self.repair(&mut Leaf { equations, t, v }, &on_leaf)?
            {
                let mut before = vec![0.0; equations.dims().lambda];
                equations.holonomic(t, start, &mut before)?;
                let d: Vec<f64> = q.iter().zip(start).map(|(a, b)| a - b).collect();
                let d_first: Vec<f64> = on_leaf.iter().zip(start).map(|(a, b)| a - b).collect();
                let beyond = leaf::beyond(equations, t, start, v, &d_first)?;
                let repair = Repair {
                    residual_before: largest(&before),
                    moved: length(&d),
                    iterations: first.iterations + second.iterations,
                    ..second
                };
                return Ok((q, repair, beyond));
            }
        }
        let repaired = self.repair(&mut Positions { equations, t }, start).map_err(|e| blamed(e, equations))?;
        let (q, repair) = repaired.map_err(|(stall, cause)| stall.error(cause, equations))?;
        let d: Vec<f64> = q.iter().zip(start).map(|(a, b)| a - b).collect();
        let beyond = leaf::beyond(equations, t, start, v, &d)?;
        Ok((q, repair, beyond))
    }

    /// The outer result is for functions that are not finite.
    fn repair<S: Surface>(&self, surface: &mut S, guess: &[f64]) -> Result<Repaired<'a>, InitialError> {
        let weight = Weight::new(&self.options.metric, &self.layout.top, self.mass, surface.columns(), self.fixed);
        let metric = weight.metric.clone();
        let frame = Frame::new(&surface.pattern(), weight, &self.layout.structure);
        let mut before = vec![0.0; surface.rows()];
        surface.residual(guess, &mut before)?;
        let tolerance = self.options.tolerance;
        let (accepted, reach) = (self.accepted, start_size(guess));
        let mut projection = Projection { surface, frame, tolerance, accepted, reach, iterations: 0 };
        match projection.project(guess) {
            Ok(Place { x, d, residual }) => {
                let repair = Repair {
                    residual_before: largest(&before),
                    residual_after: largest(&residual),
                    moved: length(&d),
                    iterations: projection.iterations,
                    metric,
                };
                Ok(Ok((x, repair)))
            }
            Err(Failure::Function(e)) => Err(e.into()),
            Err(Failure::Stalled(place)) => {
                let cause = diagnosis::cause(&mut projection, &place);
                Ok(Err((Stall { level: self.level, place, fixed: self.fixed }, cause)))
            }
        }
    }
}
