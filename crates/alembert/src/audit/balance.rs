//! Where the energy goes.
//!
//! ```text
//! defect    E(t) - E(0) + dissipated - input - changes at events
//! input     of forces, and of drives: constraints that move, and time itself in the energies
//! r v       = lambda (g_t + G (q' - U_v v)) + psi (k - K v)      for r = -G^T lambda - K^T psi on the constraints
//! ```
//!
//! With q' = v the first term is lambda g_t. Where k = K v + k_0(t,q) the second is psi k_0: zero for a body that rolls on
//! something at rest, and the work of the turntable for one that does not. A reaction that a system defines itself does the
//! work r v.
//!
//! Powers are integrated over each step, in parts where rows are wanted inside it, by Lobatto's rule with five nodes on the dense
//! output. Where they are zero at both ends and in the middle they are taken for zero. Multipliers between the ends are made to
//! belong to q and v there. Where constraints do work, that takes three factorisations in a step, and up to nine where steps are
//! so long that states inside them are off the constraints.
//!
//! What was turned over is the largest sum of the kinetic energy, the change of the potential, and the net amounts that were
//! dissipated, put in by forces, by drives and at events. A defect is large or small beside that sum, which does not depend on
//! where the potential has its zero, and which a drive that only shakes does not increase.

use crate::acceleration::{AccelerationFailure, AccelerationLevel};
use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::equations::Equations;
use crate::method::{Projection, Projector};
use crate::state::State;
use crate::stats::Residuals;
use crate::system::{Dims, Energy, Point};

/// Nodes and weights of Lobatto's rule on [0, 1], without the ends; those have weight 1/20.
const LOBATTO: [(f64, f64); 3] =
    [(0.172_673_164_646_011_43, 49.0 / 180.0), (0.5, 32.0 / 90.0), (0.827_326_835_353_988_6, 49.0 / 180.0)];
const END_WEIGHT: f64 = 0.05;
/// States between steps that are farther off the constraints than this are projected.
const BESIDE: f64 = 1e-10;
/// Work of constraints below this share of its terms counts as zero.
const IDLE: f64 = 1e-9;

/// Where the energy went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyBalance {
    /// Kinetic and potential energy at the start.
    pub start: f64,
    /// Kinetic energy now.
    pub kinetic: f64,
    /// Potential energy now.
    pub potential: f64,
    /// Dissipated so far, as far as the system states a dissipation.
    pub dissipated: f64,
    /// Put in so far, net: by forces, moving constraints and time itself.
    pub input: f64,
    /// The part of the input that comes from drives: moving constraints, and energies that depend on time.
    pub drives: f64,
    /// What forces have taken out while their power was negative: friction and brakes that are written as forces. The
    /// input has it with the other sign.
    pub taken: f64,
    /// Gained (lost, if negative) at events.
    pub events: f64,
    /// The largest defect |E - E(0) + dissipated - input - events| of any step, and when.
    pub largest: f64,
    /// Time of the largest defect.
    pub largest_at: f64,
    /// What was turned over: what defects are to be compared with.
    pub turnover: f64,
}

impl EnergyBalance {
    /// The present defect.
    pub fn defect(&self) -> f64 {
        self.kinetic + self.potential - self.start + self.dissipated - self.input - self.events
    }

    /// Takes the present amounts into what was turned over; `ground` is the potential at the start.
    fn turn(&mut self, ground: f64) {
        let forces = self.input - self.drives;
        let flows = [self.kinetic, self.potential - ground, self.dissipated, forces, self.drives, self.events];
        self.turnover = self.turnover.max(flows.iter().map(|flow| flow.abs()).sum());
    }

    /// Put in by forces while their power was positive.
    pub fn given(&self) -> f64 {
        self.input - self.drives + self.taken
    }
}

impl Keep for EnergyBalance {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.start, self.kinetic, self.potential, self.dissipated, self.input, self.drives, self.taken)?;
        keep!(archive; self.events, self.largest, self.largest_at, self.turnover)
    }
}

/// Rates of energy.
#[derive(Clone, Copy, Debug, Default)]
struct Power {
    dissipated: f64,
    /// Of forces, put in and taken out.
    given: f64,
    taken: f64,
    drives: f64,
    /// Whether constraints contribute more than rounding.
    working: bool,
}

impl Power {
    /// Neither lost nor put in, exactly.
    fn is_none(self) -> bool {
        [self.dissipated, self.given, self.taken, self.drives] == [0.0; 4]
    }
    fn times(self, factor: f64) -> Self {
        let Power { dissipated, given, taken, drives, working } = self;
        let [dissipated, given, taken, drives] = [dissipated, given, taken, drives].map(|rate| factor * rate);
        Power { dissipated, given, taken, drives, working }
    }
    fn plus(self, other: Self) -> Self {
        Power {
            dissipated: self.dissipated + other.dissipated,
            given: self.given + other.given,
            taken: self.taken + other.taken,
            drives: self.drives + other.drives,
            ..self
        }
    }
}

impl Keep for Power {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.dissipated, self.given, self.taken, self.drives, self.working)
    }
}

/// The account of a motion.
pub(super) struct Ledger {
    pub balance: Option<EnergyBalance>,
    /// Potential energy at the start.
    ground: f64,
    /// At the end of the last step.
    power: Option<Power>,
    /// For motions with powers half-way; made when first needed.
    between: State,
    /// Where the work of constraints takes them: G under a general rate, C there and of nonholonomic constraints, r where it is not the
    /// standard one.
    g_q: Vec<f64>,
    c_v: Vec<f64>,
    c: Vec<f64>,
    reaction: Vec<f64>,
    /// For multipliers between nodes, made when first needed.
    tools: Option<(Projector, AccelerationLevel)>,
}

impl Keep for Ledger {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.balance, self.ground, self.power)
    }
}

impl Ledger {
    pub fn new() -> Self {
        Ledger {
            balance: None,
            ground: 0.0,
            power: None,
            between: State::zero(Dims::default()),
            g_q: Vec::new(),
            c_v: Vec::new(),
            c: Vec::new(),
            reaction: Vec::new(),
            tools: None,
        }
    }

    /// Takes the sizes of a mode; nothing is allocated as long as they stay.
    fn fit(&mut self, equations: &Equations) {
        let (dims, layout) = (equations.dims(), equations.layout());
        let (standard, general) = (equations.has_standard_reaction(), equations.has_general_rate());
        let room = |needed: bool, len: usize| if needed { len } else { 0 };
        self.g_q.resize(room(general, layout.holonomic_q.len()), 0.0);
        self.c_v.resize(room(general || dims.psi > 0, layout.rows.len()), 0.0);
        self.c.resize(dims.constraints(), 0.0);
        self.reaction.resize(room(!standard, dims.v), 0.0);
    }

    /// The energy at the start.
    pub fn begin(&mut self, equations: &mut Equations, state: &State) {
        self.fit(equations);
        let energy = equations.energy(state.t, &state.q, &state.v);
        self.ground = energy.map_or(0.0, |energy| energy.potential);
        self.balance = energy.map(|Energy { kinetic, potential, .. }| EnergyBalance {
            start: kinetic + potential,
            kinetic,
            potential,
            turnover: kinetic.abs(),
            ..EnergyBalance::default()
        });
    }

    /// Looks at a step, in so many parts; `at` interpolates.
    pub fn look(
        &mut self,
        equations: &mut Equations,
        [before, state]: [&State; 2],
        parts: usize,
        at: impl Fn(&Equations, f64, &mut State),
    ) {
        self.fit(equations);
        let h = state.t - before.t;
        let start = self.power.take().or_else(|| self.power_at(equations, before, true)).unwrap_or_default();
        let end = self.power_at(equations, state, true).unwrap_or_default();
        // Constraints that do no work at the ends, where they are met exactly, do none in between.
        let working = start.working || end.working;
        let part = 1.0 / parts as f64;
        let mut work = start.times(part * END_WEIGHT).plus(end.times(part * END_WEIGHT));
        let idle = !working && start.is_none() && end.is_none() && self.is_idle_between(equations, before, state);
        let inside = (0..parts).flat_map(|k| LOBATTO.map(|(node, weight)| (k as f64 + node, weight)));
        let joints = (1..parts).map(|k| (k as f64, 2.0 * END_WEIGHT));
        for (node, weight) in inside.chain(joints).filter(|_| !idle) {
            let (node, weight) = (part * node, part * weight);
            let mut between = std::mem::replace(&mut self.between, State::zero(Dims::default()));
            between.fit(equations.dims());
            at(equations, before.t + node * h, &mut between);
            if working {
                self.complete(equations, &mut between);
            }
            let power = self.power_at(equations, &between, working).unwrap_or_default();
            self.between = between;
            work = work.plus(power.times(weight));
        }
        self.power = Some(end);
        let energy = equations.energy(state.t, &state.q, &state.v);
        let (Some(balance), Some(energy)) = (&mut self.balance, energy) else { return };
        balance.dissipated += h * work.dissipated;
        balance.input += h * (work.given - work.taken + work.drives);
        balance.drives += h * work.drives;
        balance.taken += h * work.taken;
        (balance.kinetic, balance.potential) = (energy.kinetic, energy.potential);
        balance.turn(self.ground);
        let defect = balance.defect().abs();
        // A defect that is not a number is the largest.
        if defect.is_nan() || defect > balance.largest {
            (balance.largest, balance.largest_at) = (defect, state.t);
        }
    }

    /// Whether there are no powers half-way either. The question is only whether they are exactly zero, as they are all the
    /// time in a conservative system, so that the mean of the ends will do.
    fn is_idle_between(&mut self, equations: &mut Equations, before: &State, state: &State) -> bool {
        let mean = |out: &mut [f64], x: &[f64], y: &[f64]| {
            out.iter_mut().zip(x.iter().zip(y)).for_each(|(out, (x, y))| *out = 0.5 * (x + y));
        };
        let structure = equations.layout().structure.clone();
        let mut room = structure.shelf.take(state.q.len() + state.v.len());
        let (q, v) = room.split_at_mut(state.q.len());
        mean(q, &before.q, &state.q);
        mean(v, &before.v, &state.v);
        let energy = equations.energy(0.5 * (before.t + state.t), q, v);
        structure.shelf.put(room);
        energy.is_some_and(|energy| energy.dissipation == 0.0 && energy.input == 0.0 && energy.drive == 0.0)
    }

    /// Replaces interpolated multipliers, which are much less accurate than q and v. These are projected first where they are off
    /// the constraints: a mechanism without degrees of freedom takes steps of any length, and moves far in one.
    fn complete(&mut self, equations: &mut Equations, state: &mut State) {
        let tools = self.tools.take().filter(|(_, level)| level.fits(equations));
        let mut tools = tools.unwrap_or_else(|| (Projector::new(equations), AccelerationLevel::new(equations)));
        let (projector, level) = &mut tools;
        level.restart();
        let completed = level.complete(equations, state);
        let off = completed.map_or(0.0, |found| found.position.max(found.velocity).max(found.nonholonomic));
        // Where that fails, the interpolated ones are all there is.
        if off > BESIDE && projector.project(equations, level, state, Projection::Full, 0.0).is_ok() {
            level.restart();
            let _: Result<Residuals, AccelerationFailure> = level.complete(equations, state);
        }
        self.tools = Some(tools);
    }

    /// Powers at a state, with or without that of the constraints.
    fn power_at(&mut self, equations: &mut Equations, state: &State, constraints: bool) -> Option<Power> {
        let Energy { dissipation, input, drive, .. } = equations.energy(state.t, &state.q, &state.v)?;
        let (work, working) = if constraints { self.work_of_constraints(equations, state)? } else { (0.0, false) };
        Some(Power {
            dissipated: dissipation,
            given: input.max(0.0),
            taken: (-input).max(0.0),
            drives: drive + work,
            working,
        })
    }

    /// r v, and whether it is more than rounding.
    fn work_of_constraints(&mut self, equations: &mut Equations, state: &State) -> Option<(f64, bool)> {
        let State { t, q, v, lambda, psi, .. } = state;
        let sum = |x: &[f64], y: &[f64]| {
            let products = x.iter().zip(y).map(|(x, y)| x * y);
            products.fold((0.0, 0.0_f64), |(sum, size), product| (sum + product, size + product.abs()))
        };
        let worth = |(work, size): (f64, f64)| work.abs() > IDLE * size;
        if !equations.has_standard_reaction() {
            equations.reaction(Point { t: *t, q, v, lambda, psi }, &[], &[], &mut self.reaction).ok()?;
            let work = sum(&self.reaction, v);
            return Some((work.0, worth(work)));
        }
        let (nl, split) = (lambda.len(), equations.layout().holonomic.len().min(self.c_v.len()));
        let (w_v, k_v) = self.c_v.split_at_mut(split);
        let (moves, slips) = self.c.split_at_mut(nl);
        let (mut holonomic, mut nonholonomic) = ((0.0, 0.0), (0.0, 0.0));
        if equations.has_general_rate() && nl > 0 {
            equations.holonomic_q(*t, q, &mut self.g_q).ok()?;
            equations.velocity(*t, q, v, &self.g_q, moves).ok()?;
            equations.velocity_v(*t, q, v, &self.g_q, w_v).ok()?;
            holonomic = affine_part(&equations.layout().holonomic, w_v, moves, lambda, v);
        } else if nl > 0 {
            equations.holonomic_t(*t, q, moves).ok()?;
            holonomic = sum(moves, lambda);
        }
        if !psi.is_empty() {
            equations.nonholonomic(*t, q, v, slips).ok()?;
            equations.nonholonomic_v(*t, q, v, k_v).ok()?;
            nonholonomic = affine_part(&equations.layout().nonholonomic, k_v, slips, psi, v);
        }
        let parts = [holonomic, nonholonomic];
        Some((parts.iter().filter(|part| worth(**part)).map(|part| part.0).sum(), parts.into_iter().any(worth)))
    }

    /// The motion jumps from one state to another.
    pub fn jump(&mut self, equations: &mut Equations, before: &State, after: &State) {
        self.power = None;
        let mut energy = |state: &State| equations.energy(state.t, &state.q, &state.v);
        if let (Some(balance), Some(lost), Some(kept)) = (&mut self.balance, energy(before), energy(after)) {
            let gained = kept.kinetic + kept.potential - lost.kinetic - lost.potential;
            balance.events += gained;
            (balance.kinetic, balance.potential) = (kept.kinetic, kept.potential);
            balance.turn(self.ground);
        }
    }
}

/// The sum of mu (c - C v) over the rows, and the size of its terms.
fn affine_part(pattern: &crate::linear::Pattern, c_v: &[f64], c: &[f64], mu: &[f64], v: &[f64]) -> (f64, f64) {
    let (mut sum, mut size) = (0.0, 0.0);
    for (i, (c, mu)) in c.iter().zip(mu).enumerate() {
        let (mut part, mut terms) = (*c, c.abs());
        for (j, entry) in pattern.row(i) {
            part -= c_v[entry] * v[j];
            terms += (c_v[entry] * v[j]).abs();
        }
        sum += mu * part;
        size += (mu * terms).abs();
    }
    (sum, size)
}
