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
//! Beside a switch powers are no polynomials: a contact begins and ends as d^(3/2), of which the rule leaves 2e-4. A step that begins where the motion
//! turned, or was cut there, is integrated in parts that become shorter towards that end, which leaves 1.5e-7 of it.
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
/// Where a step is divided that begins at a switch.
const GRADED: [f64; 4] = [0.0, 1.0 / 64.0, 1.0 / 8.0, 1.0 / 2.0];
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
    /// Nodes inside the step and their weights, as shares of it.
    nodes: Vec<(f64, f64)>,
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
            nodes: Vec::new(),
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

    /// Looks at a step, `cut` short or not, in so many parts; `at` interpolates.
    pub fn look(
        &mut self,
        equations: &mut Equations,
        ([before, state], cut): ([&State; 2], bool),
        parts: usize,
        at: impl Fn(&Equations, f64, &mut State),
    ) {
        self.fit(equations);
        let h = state.t - before.t;
        let turned = self.power.is_none();
        let start = self.power.take().or_else(|| self.power_at(equations, before, true)).unwrap_or_default();
        let end = self.power_at(equations, state, true).unwrap_or_default();
        // Constraints that do no work at the ends, where they are met exactly, do none in between.
        let working = start.working || end.working;
        let [first, last] = place_nodes(parts, [turned, cut], &mut self.nodes);
        let mut work = start.times(first).plus(end.times(last));
        let idle = !working && start.is_none() && end.is_none() && self.is_idle_between(equations, before, state);
        for k in 0..if idle { 0 } else { self.nodes.len() } {
            let (node, weight) = self.nodes[k];
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

/// Places the inner nodes of a step in so many parts, closer to each other at an end that is a switch; the weights of both ends.
fn place_nodes(parts: usize, [turned, cut]: [bool; 2], nodes: &mut Vec<(f64, f64)>) -> [f64; 2] {
    nodes.clear();
    // Both ends of one part would need the same half of it.
    let parts = if turned && cut { parts.max(2) } else { parts };
    let (mut a, mut before) = (0.0, 0.0);
    let mut ends = [0.0; 2];
    for k in 0..parts {
        let divisions = if (k == 0 && turned) || (k + 1 == parts && cut) { GRADED.len() } else { 1 };
        for j in 0..divisions {
            let share = match (j + 1 == divisions, k == 0 && turned) {
                (true, _) => 1.0,
                (false, true) => GRADED[j + 1],
                (false, false) => 1.0 - GRADED[divisions - 1 - j],
            };
            let b = (k as f64 + share) / parts as f64;
            let width = b - a;
            if nodes.is_empty() {
                ends[0] = END_WEIGHT * width;
            } else {
                nodes.push((a, END_WEIGHT * (before + width)));
            }
            nodes.extend(LOBATTO.map(|(node, weight)| (a + node * width, weight * width)));
            (a, before) = (b, width);
        }
    }
    ends[1] = END_WEIGHT * before;
    ends
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The integral over [0, 1], by the nodes of a step.
    fn integral(parts: usize, bends: [bool; 2], f: impl Fn(f64) -> f64) -> f64 {
        let mut nodes = Vec::new();
        let [first, last] = place_nodes(parts, bends, &mut nodes);
        first * f(0.0) + last * f(1.0) + nodes.iter().map(|(node, weight)| weight * f(*node)).sum::<f64>()
    }

    #[test]
    fn roots_at_the_ends_of_steps_are_integrated_as_well_as_polynomials() {
        for parts in [1, 2, 3] {
            for bends in [[false, false], [true, false], [false, true], [true, true]] {
                for k in 0..8 {
                    let off = integral(parts, bends, |s| s.powi(k)) - 1.0 / f64::from(k + 1);
                    assert!(off.abs() < 1e-14, "{parts} {bends:?} {k}: {off:e}");
                }
            }
            let root = |s: f64| s * s.sqrt();
            assert!((integral(parts, [true, false], root) - 0.4).abs() < 1e-7);
            assert!((integral(parts, [true, true], root) - 0.4).abs() < 1e-7);
            assert!((integral(parts, [false, true], |s| root(1.0 - s)) - 0.4).abs() < 1e-7);
            assert!((integral(parts, [true, true], |s| root(1.0 - s)) - 0.4).abs() < 1e-7);
            assert!((integral(1, [false, false], root) - 0.4).abs() > 1e-5);
        }
    }
}
