//! Never silently wrong: what a result says about itself.
//!
//! ```text
//! position       |g|/(1+|q|)                velocity       |g_t + G q'|/(1+|v|)
//! nonholonomic   |k|/(1+|v|)                acceleration   |C a + bias|/(1+|a|+|bias|)
//! energy         E(t) - E(0) + dissipated - input - changes at events
//! ```
//!
//! Positions, velocities and nonholonomic constraints are looked at in every step. The acceleration level takes C and a
//! bias, so that it is looked at in steps 1, 2, 4, 8 and so on, or [in each](crate::Integrator::audit_accelerations).
//!
//! The energy is that of the system ([`ConstrainedSystem::energy`](crate::ConstrainedSystem::energy)); powers are
//! integrated over each step by Lobatto's rule with five nodes on the dense output, so that the balance of dissipative
//! systems is as good as that; where both ends and the middle have none, there is none. The input includes the work of
//! constraints that move, lambda g_t (r v where the reaction is the system's own), with multipliers that belong to q and
//! v: where there is such work, three factorisations a step.

use std::fmt;
use std::ops::Range;

use crate::acceleration::{AccelerationFailure, AccelerationLevel};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::{Equations, NotFinite};
use crate::state::State;
use crate::stats::Residuals;
use crate::system::{Dims, Energy, Point};
use crate::tolerance::largest;

/// Nodes and weights of Lobatto's rule on [0, 1], without the ends; those have weight 1/20.
const LOBATTO: [(f64, f64); 3] =
    [(0.172_673_164_646_011_43, 49.0 / 180.0), (0.5, 32.0 / 90.0), (0.827_326_835_353_988_6, 49.0 / 180.0)];
const END_WEIGHT: f64 = 0.05;
/// Work of constraints below this share of its terms is none.
const IDLE: f64 = 1e-9;

/// A level of the constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintLevel {
    /// g.
    Position,
    /// g_t + G q'.
    Velocity,
    /// k.
    Nonholonomic,
    /// The time derivative of the last two.
    Acceleration,
}

impl fmt::Display for ConstraintLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConstraintLevel::Position => "position",
            ConstraintLevel::Velocity => "velocity",
            ConstraintLevel::Nonholonomic => "nonholonomic",
            ConstraintLevel::Acceleration => "acceleration",
        })
    }
}

const LEVELS: [ConstraintLevel; 4] = [
    ConstraintLevel::Position,
    ConstraintLevel::Velocity,
    ConstraintLevel::Nonholonomic,
    ConstraintLevel::Acceleration,
];

/// The largest residual of a level.
#[derive(Clone, Debug, PartialEq)]
pub struct LargestResidual {
    /// The level.
    pub level: ConstraintLevel,
    /// The residual, relative to 1 + the size of what it is made of.
    pub residual: f64,
    /// The constraint.
    pub constraint: String,
    /// When.
    pub t: f64,
}

/// Where the energy went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyBalance {
    /// Kinetic and potential energy at the start.
    pub start: f64,
    /// Kinetic energy now.
    pub kinetic: f64,
    /// Potential energy now.
    pub potential: f64,
    /// Dissipated so far.
    pub dissipated: f64,
    /// Put in so far, by inputs and moving constraints.
    pub input: f64,
    /// Gained (lost, if negative) at events.
    pub events: f64,
    /// The largest defect |E - E(0) + dissipated - input - events| of any step, and when.
    pub largest: f64,
    /// Time of the largest defect.
    pub largest_at: f64,
}

impl EnergyBalance {
    /// The present defect.
    pub fn defect(&self) -> f64 {
        self.kinetic + self.potential - self.start + self.dissipated - self.input - self.events
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    residual: f64,
    t: f64,
    mode: usize,
    row: usize,
}

impl Keep for Worst {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.residual, self.t, self.mode, self.row)
    }
}

impl Keep for EnergyBalance {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.start, self.kinetic, self.potential, self.dissipated)?;
        keep!(archive; self.input, self.events, self.largest, self.largest_at)
    }
}

impl Keep for Power {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.dissipated, self.input, self.working)
    }
}

impl Keep for Audit {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.worst, self.energy, self.power, self.steps)
    }
}

/// Rates of energy.
#[derive(Clone, Copy, Debug, Default)]
struct Power {
    dissipated: f64,
    input: f64,
    /// Whether constraints contribute more than rounding.
    working: bool,
}

impl Power {
    /// Neither lost nor put in, exactly.
    fn is_none(self) -> bool {
        self.dissipated == 0.0 && self.input == 0.0
    }
    fn times(self, factor: f64) -> Self {
        Power { dissipated: factor * self.dissipated, input: factor * self.input, ..self }
    }
    fn plus(self, other: Self) -> Self {
        Power { dissipated: self.dissipated + other.dissipated, input: self.input + other.input, ..self }
    }
}

/// What is watched in every step.
pub(crate) struct Audit {
    worst: [Option<Worst>; 4],
    energy: Option<EnergyBalance>,
    /// At the end of the last step.
    power: Option<Power>,
    /// Whether the acceleration level is looked at in every step.
    pub every: bool,
    steps: u64,
    between: State,
    g_q: Vec<f64>,
    c_v: Vec<f64>,
    c: Vec<f64>,
    bias: Vec<f64>,
    reaction: Vec<f64>,
    /// For multipliers between nodes, made when first needed.
    level: Option<AccelerationLevel>,
}

impl Audit {
    pub fn new(dims: Dims) -> Self {
        Audit {
            worst: [None; 4],
            energy: None,
            power: None,
            every: false,
            steps: 0,
            between: State::zero(dims),
            g_q: Vec::new(),
            c_v: Vec::new(),
            c: Vec::new(),
            bias: Vec::new(),
            reaction: Vec::new(),
            level: None,
        }
    }

    /// Takes the sizes of a mode; nothing is allocated as long as they stay.
    fn fit(&mut self, equations: &Equations) {
        let dims = equations.dims();
        self.between.fit(dims);
        self.g_q.resize(equations.layout().holonomic_q.len(), 0.0);
        self.c_v.resize(equations.layout().rows.len(), 0.0);
        self.c.resize(dims.constraints(), 0.0);
        self.bias.resize(dims.constraints(), 0.0);
        self.reaction.resize(dims.v, 0.0);
    }

    /// The energy at the start.
    pub fn begin(&mut self, equations: &Equations, state: &State) {
        self.fit(equations);
        self.energy = equations.system().energy(state.t, &state.q, &state.v).map(|energy| EnergyBalance {
            start: energy.kinetic + energy.potential,
            kinetic: energy.kinetic,
            potential: energy.potential,
            ..EnergyBalance::default()
        });
    }

    /// Looks at an accepted step that ended in `state`; `at` interpolates. What cannot be evaluated is left out: the next
    /// step will say so.
    pub fn look(
        &mut self,
        mode: usize,
        equations: &mut Equations,
        residuals: Residuals,
        [before, state]: [&State; 2],
        at: impl Fn(&Equations, f64, &mut State),
    ) {
        self.fit(equations);
        self.steps += 1;
        let known = |worst: Option<Worst>| worst.map_or(0.0, |worst| worst.residual);
        let seen = [residuals.position, residuals.velocity, residuals.nonholonomic];
        let records = seen.iter().zip(&self.worst).any(|(seen, worst)| *seen > known(*worst));
        if records || self.every || self.steps.is_power_of_two() {
            let _: Result<(), NotFinite> = self.look_at_constraints(mode, equations, state);
        }
        if self.energy.is_some() {
            self.look_at_energy(equations, before, state, at);
        }
    }

    /// Residuals of all levels, with their rows.
    fn look_at_constraints(&mut self, mode: usize, equations: &mut Equations, state: &State) -> Result<(), NotFinite> {
        let nl = equations.dims().lambda;
        let State { t, q, v, a, .. } = state;
        let (length, speed) = (1.0 + largest(q), 1.0 + largest(v));
        equations.holonomic(*t, q, &mut self.c[..nl])?;
        self.note(0, *t, mode, 0..nl, length);
        equations.holonomic_q(*t, q, &mut self.g_q)?;
        equations.velocity(*t, q, v, &self.g_q, &mut self.c[..nl])?;
        self.note(1, *t, mode, 0..nl, speed);
        equations.nonholonomic(*t, q, v, &mut self.c[nl..])?;
        self.note(2, *t, mode, nl..self.c.len(), speed);
        let (w_v, k_v) = self.c_v.split_at_mut(equations.layout().holonomic.len());
        equations.velocity_v(*t, q, v, &self.g_q, w_v)?;
        equations.nonholonomic_v(*t, q, v, k_v)?;
        equations.bias(*t, q, v, &mut self.bias)?;
        self.c.copy_from_slice(&self.bias);
        equations.layout().rows.multiply_add(1.0, &self.c_v, a, &mut self.c);
        let size = 1.0 + largest(a) + largest(&self.bias);
        self.note(3, *t, mode, 0..self.c.len(), size);
        Ok(())
    }

    /// Remembers the largest of some rows, if it is the largest so far.
    fn note(&mut self, level: usize, t: f64, mode: usize, rows: Range<usize>, size: f64) {
        let from = rows.start;
        let rows = self.c[rows].iter().enumerate();
        let Some((row, c)) = rows.max_by(|x, y| x.1.abs().total_cmp(&y.1.abs())) else { return };
        let (residual, row) = (c.abs() / size, from + row);
        if self.worst[level].is_none_or(|worst| residual > worst.residual) {
            self.worst[level] = Some(Worst { residual, t, mode, row });
        }
    }

    fn look_at_energy(
        &mut self,
        equations: &mut Equations,
        before: &State,
        state: &State,
        at: impl Fn(&Equations, f64, &mut State),
    ) {
        let h = state.t - before.t;
        let start = self.power.take().or_else(|| self.power_at(equations, before, true)).unwrap_or_default();
        let end = self.power_at(equations, state, true).unwrap_or_default();
        // Constraints that do no work at the nodes, where they are met exactly, do none between.
        let working = start.working || end.working;
        let mut work = start.times(END_WEIGHT).plus(end.times(END_WEIGHT));
        let idle = !working && start.is_none() && end.is_none() && self.is_idle_between(equations, before, state);
        for (node, weight) in LOBATTO.into_iter().filter(|_| !idle) {
            let mut between = std::mem::replace(&mut self.between, State::zero(Dims::default()));
            at(equations, before.t + node * h, &mut between);
            if working {
                self.complete(equations, &mut between);
            }
            let power = self.power_at(equations, &between, working).unwrap_or_default();
            self.between = between;
            work = work.plus(power.times(weight));
        }
        self.power = Some(end);
        let energy = equations.system().energy(state.t, &state.q, &state.v);
        let (Some(balance), Some(energy)) = (&mut self.energy, energy) else { return };
        balance.dissipated += h * work.dissipated;
        balance.input += h * work.input;
        (balance.kinetic, balance.potential) = (energy.kinetic, energy.potential);
        let defect = balance.defect().abs();
        // A defect that is not a number is the largest.
        if defect.is_nan() || defect > balance.largest {
            (balance.largest, balance.largest_at) = (defect, state.t);
        }
    }

    /// Whether there are no powers half-way either. The question is only whether they are exactly zero, as they are all the
    /// time in a conservative system, so that the mean of the ends will do.
    fn is_idle_between(&mut self, equations: &Equations, before: &State, state: &State) -> bool {
        let mean = |out: &mut [f64], x: &[f64], y: &[f64]| {
            out.iter_mut().zip(x.iter().zip(y)).for_each(|(out, (x, y))| *out = 0.5 * (x + y));
        };
        mean(&mut self.between.q, &before.q, &state.q);
        mean(&mut self.between.v, &before.v, &state.v);
        let energy = equations.system().energy(0.5 * (before.t + state.t), &self.between.q, &self.between.v);
        energy.is_some_and(|energy| energy.dissipation == 0.0 && energy.input == 0.0)
    }

    /// Replaces interpolated multipliers, which are much less accurate than q and v.
    fn complete(&mut self, equations: &mut Equations, state: &mut State) {
        let mut level = self.level.take().filter(|level| level.fits(equations));
        let solver = level.get_or_insert_with(|| AccelerationLevel::new(equations));
        solver.restart();
        // Where it fails, the interpolated ones are all there is.
        let _: Result<Residuals, AccelerationFailure> = solver.complete(equations, state);
        self.level = level;
    }

    /// Powers at a state, with or without that of the constraints.
    fn power_at(&mut self, equations: &mut Equations, state: &State, constraints: bool) -> Option<Power> {
        let State { t, q, v, lambda, psi, .. } = state;
        let Energy { dissipation: dissipated, input, .. } = equations.system().energy(*t, q, v)?;
        if !constraints {
            return Some(Power { dissipated, input, working: false });
        }
        let nl = lambda.len();
        let sum = |x: &[f64], y: &[f64]| {
            let products = x.iter().zip(y).map(|(x, y)| x * y);
            products.fold((0.0, 0.0_f64), |(sum, size), product| (sum + product, size + product.abs()))
        };
        let (work, size): (f64, f64) = if equations.has_standard_reaction() {
            equations.holonomic_t(*t, q, &mut self.c[..nl]).ok()?;
            sum(&self.c[..nl], lambda)
        } else {
            equations.reaction(Point { t: *t, q, v, lambda, psi }, &[], &[], &mut self.reaction).ok()?;
            sum(&self.reaction, v)
        };
        Some(Power { dissipated, input: input + work, working: work.abs() > IDLE * size })
    }

    /// The motion jumps from one state to another.
    pub fn jump(&mut self, equations: &Equations, before: &State, after: &State) {
        self.power = None;
        let energy = |state: &State| equations.system().energy(state.t, &state.q, &state.v);
        if let (Some(balance), Some(lost), Some(kept)) = (&mut self.energy, energy(before), energy(after)) {
            balance.events += kept.kinetic + kept.potential - lost.kinetic - lost.potential;
            (balance.kinetic, balance.potential) = (kept.kinetic, kept.potential);
        }
    }

    /// The balance so far, where the system has an energy.
    pub fn energy(&self) -> Option<EnergyBalance> {
        self.energy
    }

    /// The largest residuals so far; `name` names the constraint in a row of a mode.
    pub fn largest(&self, name: impl Fn(usize, usize) -> String) -> Vec<LargestResidual> {
        let named = |(level, worst): (&ConstraintLevel, &Option<Worst>)| {
            worst.map(|Worst { residual, t, mode, row }| LargestResidual {
                level: *level,
                residual,
                constraint: name(mode, row),
                t,
            })
        };
        LEVELS.iter().zip(&self.worst).filter_map(named).collect()
    }
}
