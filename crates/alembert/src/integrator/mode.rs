//! One system with the method that integrates it. A system whose constraints come and go has several.
//!
//! After a change the state is made consistent again. Positions are kept, though they may be off the constraints by what the
//! location of an event leaves:
//!
//! ```text
//! | M  -r_mu | (x)   (0)
//! | C    0   | (J) = (-c)       v+ = v + x,   J the impulse of the constraints,   c = (g_t + G q' ; k) at v
//! ```
//!
//! Impacts, which take one more solve with the same matrix, are in [`impact`](super::impact).

use crate::acceleration::{AccelerationFailure, AccelerationLevel};
use crate::between::Between;
use crate::checkpoint::{Archive, BadCheckpoint, Keep};
use crate::driven::Driven;
use crate::equations::Equations;
use crate::gaps::GapWatch;
use crate::linear::LinearWork;
use crate::method::{Accumulation, Attempt, Caution, Method, Projection, Projector, Scheme, StepFailure};
use crate::passage::Passage;
use crate::rounding;
use crate::sensitivity::{DerivedErrors, Sensitivity};
use crate::sliding::{self, Surface};
use crate::state::State;
use crate::stats::Residuals;
use crate::switching::Switching;
use crate::tolerance::{Tolerance, largest};

/// A state may be this far off the constraints, relative to 1 + |q|, for its positions to count as kept. The location of an event
/// leaves much less.
const KEPT: f64 = 1e-6;
/// How often a state is projected if the first projection does not converge.
const ATTEMPTS: usize = 6;
/// By how much a contradiction ahead must exceed the present one to be the reason for a failure.
const GROWTH: f64 = 2.0;
/// Inner places of steps of methods that do not ask for any: degree 7, more than BDF's order.
const OLD_PLACES: usize = 4;
/// The distance of the differences that give q'' under a general rate, relative to a step.
const SHARE: f64 = 1e-3;
/// How far a body may turn in a step. Beyond it the shortest turn between two attitudes is not the one that was made, and states
/// between them are those of another motion; charts around the start, in which some methods work, are singular at a whole turn.
/// Counting turns would mend the first for a fixed axis alone, and not the second.
const HALF_A_TURN: f64 = std::f64::consts::PI;
/// Steps are proposed with this share of it, so that a body may become a little faster in them.
const SAFE_SHARE: f64 = 0.9;
/// A step below this share of the longest is short.
const SHORT: f64 = 1e-2;
/// How much polynomials through several steps may magnify the rounding of q, generously: 7 stages have four nodes, of which three may be
/// close together.
const ROUGH: f64 = 1e8;

pub(crate) struct Mode<'s> {
    /// The method's name, and what the user must know of its parameters.
    pub name: &'static str,
    pub caution: Option<Caution>,
    /// How the tolerance of its steps was made.
    pub accumulation: Accumulation,
    pub equations: Equations<'s>,
    pub method: Box<dyn Method>,
    /// Looks at what steps pass over.
    passage: Passage,
    /// Looks at what may come apart.
    gaps: GapWatch,
    /// Looks at what constraints move in them.
    driven: Driven,
    /// For states between steps, made when first asked for.
    pub tools: Room,
    /// The last step between its ends, where the method's own interpolation is less accurate; made when first asked for.
    pub between: Option<Between>,
    /// Estimates the errors of a and the multipliers, where steps are chosen by error.
    sensitivity: Option<Sensitivity>,
    pub tolerance: Tolerance,
    /// The longest step so far.
    pub longest: f64,
    /// The cost of states between steps before a checkpoint was read.
    earlier: LinearWork,
    /// The switches of the system, where it has any.
    pub switching: Option<Box<Switching>>,
}

impl Keep for Mode<'_> {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let mut work = self.work_between();
        work.keep(archive)?;
        if archive.is_reading() {
            (self.tools, self.earlier) = (None, work);
            self.forget();
        }
        self.equations.keep(archive)?;
        self.passage.keep(archive)?;
        self.sensitivity.iter_mut().try_for_each(|sensitivity| sensitivity.keep(archive))?;
        self.switching.iter_mut().try_for_each(|switching| switching.keep(archive))?;
        self.method.keep(archive)
    }
}

/// Why a state cannot be made consistent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unsettled {
    /// It is off a holonomic constraint by this much.
    Off { row: usize, residual: f64 },
    /// The system cannot be evaluated there, or its constraints are dependent.
    Failure(StepFailure),
}

impl<E: Into<StepFailure>> From<E> for Unsettled {
    fn from(failure: E) -> Self {
        Unsettled::Failure(failure.into())
    }
}

impl<'s> Mode<'s> {
    pub fn new(
        scheme: &dyn Scheme,
        accumulation: Accumulation,
        equations: Equations<'s>,
        method: Box<dyn Method>,
        tolerance: Tolerance,
    ) -> Self {
        let (name, caution) = (scheme.name(), scheme.caution());
        let (passage, gaps, earlier) = (Passage::new(&equations), GapWatch::new(&equations), LinearWork::default());
        let kinds = &equations.description().switches;
        let switching = (!kinds.is_empty()).then(|| Box::new(Switching::new(kinds, State::zero(equations.dims()))));
        Mode {
            name,
            caution,
            accumulation,
            equations,
            method,
            passage,
            gaps,
            driven: Driven::new(),
            tools: None,
            between: None,
            longest: 0.0,
            sensitivity: None,
            tolerance,
            earlier,
            switching,
        }
    }

    /// Estimates the errors of accelerations and multipliers from now on.
    pub fn estimate_derived(&mut self) {
        self.sensitivity = Some(Sensitivity::new(&self.equations, self.tolerance));
        tools(&mut self.tools, &self.equations);
    }

    /// What is known of the errors of accelerations and multipliers.
    pub fn derived(&self) -> Option<DerivedErrors> {
        self.sensitivity.as_ref().and_then(Sensitivity::found)
    }

    /// Looks at how the end of the step just made depends on its error.
    pub fn look_at_derived(&mut self, before: &State, end: Option<&State>, norm: f64) {
        let Mode { equations, method, tools: room, sensitivity, .. } = self;
        let (Some(sensitivity), Some(error)) = (sensitivity, method.error()) else { return };
        let end = end.unwrap_or_else(|| method.state());
        if sensitivity.is_due(equations, [before, end], norm) {
            let (_, level) = tools(room, equations);
            sensitivity.look(equations, level, end, error);
        }
    }

    /// Forgets what is known between the ends of the last step, because another one is attempted.
    pub fn forget(&mut self) {
        self.between.iter_mut().for_each(Between::forget);
    }

    /// Whether states within the step just attempted, which is not accepted yet, can be made as accurate as its end.
    pub fn resolves_next(&mut self) -> bool {
        let Mode { equations, method, tools, between, tolerance, .. } = self;
        method
            .next()
            .is_none_or(|next| resolves(equations, &**method, tools, between, tolerance, [method.state(), next]))
    }

    /// The same for the last accepted step, which began at `before`.
    pub fn resolves(&mut self, before: &State) -> bool {
        let Mode { equations, method, tools, between, tolerance, .. } = self;
        resolves(equations, &**method, tools, between, tolerance, [before, method.state()])
    }

    /// The same for any step, of which only the ends are known.
    pub fn resolves_between(&mut self, ends: [&State; 2]) -> bool {
        let Mode { equations, method, tools: room, between, tolerance, .. } = self;
        let (projector, level) = tools(room, equations);
        let places = if method.inner_places() == 0 { OLD_PLACES } else { method.inner_places() };
        let between = between.get_or_insert_with(|| Between::new(equations, places));
        between.resolves(equations, None, (projector, level), tolerance, ends)
    }

    /// The state at a time within the last accepted step, which began at `before`.
    pub fn interpolate(&self, before: &State, t: f64, out: &mut State) {
        out.fit(self.equations.dims());
        if before.t < self.method.state().t {
            self.method.interpolate(&self.equations, before, t, out);
            self.calm(before, t, out);
            self.equations.keep_still(&before.v, out);
        } else {
            out.assign(self.method.state());
        }
    }

    /// Methods that interpolate v as the slope of q divide roundings of q by h. In a step that is short beside others, as between an
    /// event and a time to land on, these may be larger than all that happens; there v is a cubic from (v,a), which divides nothing.
    fn calm(&self, before: &State, t: f64, out: &mut State) {
        let end = self.method.state();
        let h = end.t - before.t;
        if h > SHORT * self.longest || out.q.len() != out.v.len() {
            return;
        }
        let s = (t - before.t) / h;
        for (i, v) in out.v.iter_mut().enumerate() {
            let (v0, v1, a0, a1) = (before.v[i], end.v[i], before.a[i], end.a[i]);
            if ROUGH * f64::EPSILON * end.q[i].abs() > h * h * (a0.abs() + a1.abs()) {
                let rest = 1.0 - s;
                *v = v0 + s * s * (1.0 + 2.0 * rest) * (v1 - v0) + h * s * rest * (rest * a0 - s * a1);
            }
        }
    }

    /// The same as accurate as the ends of the step, where that is possible.
    pub fn sketch(&mut self, before: &State, t: f64, out: &mut State) {
        out.fit(self.equations.dims());
        let inside = before.t < self.method.state().t && self.resolves(before);
        match self.between.as_mut().filter(|_| inside) {
            Some(between) => between.interpolate(&self.equations, t, out),
            None => self.interpolate(before, t, out),
        }
    }

    /// The same on the constraints, where accelerations do not matter.
    pub fn projected_at(&mut self, before: &State, t: f64, out: &mut State) -> Result<(), StepFailure> {
        self.sketch(before, t, out);
        let (projector, level) = tools(&mut self.tools, &self.equations);
        projector.project(&mut self.equations, level, out, Projection::Full, 0.0)
    }

    /// The same on the constraints, with the accelerations and multipliers that belong to q and v.
    pub fn consistent_at(&mut self, before: &State, t: f64, out: &mut State) -> Result<Residuals, StepFailure> {
        self.sketch(before, t, out);
        complete(&mut self.equations, &mut self.tools, out)
    }

    /// Whether redundant constraints contradict each other, or have another rank, where the present velocity leads in a time h.
    pub fn ahead(&mut self, h: f64) -> Option<StepFailure> {
        if !self.equations.layout().is_softened() {
            return None;
        }
        let mut state = self.method.state().clone();
        let (mut rate, from) = (Vec::new(), state.q.clone());
        self.rate(&state, &mut rate).ok()?;
        rate.iter_mut().for_each(|x| *x *= h);
        let (projector, level) = tools(&mut self.tools, &self.equations);
        level.restart_from(&state);
        // The present state may already be at the limit of what is accepted.
        let present = match level.complete(&mut self.equations, &mut state) {
            Ok(_) => 0.0,
            Err(AccelerationFailure::Contradiction { residual, .. }) => residual.abs(),
            Err(_) => return None,
        };
        level.accept(&state);
        self.equations.advance(&from, &rate, &mut state.q);
        state.t += h;
        let projected = projector.project(&mut self.equations, level, &mut state, Projection::Full, h).is_ok();
        match level.complete(&mut self.equations, &mut state).map_err(StepFailure::from) {
            Err(failure @ StepFailure::Crossing { .. }) => Some(failure),
            // Off the constraints dependent ones disagree; and what does not grow has been accepted before.
            Err(failure @ StepFailure::Contradiction { residual, .. })
                if projected && residual.abs() > GROWTH * present =>
            {
                Some(failure)
            }
            _ => None,
        }
    }

    /// What the step to the state under judgement passes over, if the method shows that state.
    pub fn passed(&mut self) -> Option<StepFailure> {
        let Mode { equations, method, passage, gaps, .. } = self;
        let next = method.next()?;
        let space = equations.space();
        let turns = [method.state(), next].map(|state| space.fastest_turn(&state.v));
        let h = next.t - method.state().t;
        if let Some((coordinate, speed)) = turns.into_iter().flatten().find(|(_, speed)| speed * h > HALF_A_TURN) {
            return Some(StepFailure::Turn { coordinate, angle: speed * h });
        }
        passage.look(equations, method.state(), next).or_else(|| gaps.look(equations, next))
    }

    /// What has come apart at the present state.
    pub fn apart(&mut self) -> Option<StepFailure> {
        let Mode { equations, method, gaps, .. } = self;
        gaps.look(equations, method.state())
    }

    /// The attempt with what constraints move counted among its errors, if the method shows the state under judgement.
    pub fn with_driven(&mut self, mut attempt: Attempt) -> Attempt {
        let Mode { equations, method, driven, tools, tolerance, .. } = self;
        if let (Some(error), Some(next)) = (&mut attempt.error, method.next()) {
            driven.judge(equations, tools, tolerance, [method.state(), next], error);
        }
        attempt
    }

    /// A step so long that it does not turn a body too far, if speeds stay about what they are.
    pub fn longest_turn(&self) -> f64 {
        let turn = self.equations.space().fastest_turn(&self.method.state().v);
        turn.map_or(f64::INFINITY, |(_, speed)| SAFE_SHARE * HALF_A_TURN / speed)
    }

    /// Accepts the state under judgement.
    pub fn accept(&mut self) {
        let Mode { method, passage, .. } = self;
        passage.note(method.state());
        method.accept();
        passage.accept(method.state().t);
    }

    /// Starts afresh.
    pub fn restart(&mut self, start: &State) -> Result<(), StepFailure> {
        self.passage.restart();
        self.begin_piece();
        self.method.restart(&mut self.equations, start)
    }

    /// What is in the way where steps of length h fail, and no shorter ones are possible.
    pub fn obstacle(&mut self, h: f64, remaining: f64) -> Option<StepFailure> {
        let Mode { equations, method, passage, .. } = self;
        passage.ahead(equations, method.state(), h, remaining)
    }

    /// Whether rounding of the constraints is why steps of length h fail.
    pub fn rounding(&mut self, h: f64, tolerance: &Tolerance) -> Option<StepFailure> {
        let (_, level) = tools(&mut self.tools, &self.equations);
        let tolerance = self.accumulation.of_steps(*tolerance);
        rounding::reason(&mut self.equations, level, self.method.state(), h, &tolerance)
    }

    /// The surface on which the motion slides in the step that began at a state, where values decide about all switches: a motion may
    /// come to rest where several meet, none of which it could slide along alone.
    pub fn sliding_since(&mut self, before: &State) -> Option<Surface> {
        let held = self.equations.held().to_vec();
        self.equations.hold(&vec![f64::NAN; held.len()]);
        let found = self.surface_since(before);
        self.equations.hold(&held);
        found
    }

    fn surface_since(&mut self, before: &State) -> Option<Surface> {
        let (_, level) = tools(&mut self.tools, &self.equations);
        let (equations, now) = (&mut self.equations, self.method.state());
        // The step may have ended where it began, short of the surface.
        let ahead = [4.0, 40.0].map(|factor| factor * (now.t - before.t));
        let found = sliding::surface(equations, level, before, now);
        found.or_else(|| ahead.iter().find_map(|h| sliding::surface_ahead(equations, level, now, *h)))
    }

    /// The surface on which the motion would slide where steps of length h fail.
    pub fn sliding_ahead(&mut self, h: f64) -> Option<Surface> {
        let (_, level) = tools(&mut self.tools, &self.equations);
        sliding::surface_ahead(&mut self.equations, level, self.method.state(), h)
    }

    /// What matrices have cost so far, those for states between steps included.
    pub fn linear_work(&self) -> LinearWork {
        self.method.linear_work() + self.work_between()
    }

    fn work_between(&self) -> LinearWork {
        let work = self.tools.as_ref().map(|(_, level)| level.kkt.work());
        self.earlier + work.unwrap_or_default()
    }

    /// q' at a state.
    pub fn rate(&mut self, state: &State, out: &mut Vec<f64>) -> Result<(), StepFailure> {
        out.clear();
        if self.equations.has_general_rate() {
            out.resize(state.q.len(), 0.0);
            self.equations.rate(state.t, &state.q, &state.v, out)?;
        } else {
            out.extend_from_slice(&state.v);
        }
        Ok(())
    }

    /// Makes a state consistent again; adds what the constraints had to do for it to `impulse`.
    pub fn settle(&mut self, state: &mut State, impulse: &mut [f64]) -> Result<(), Unsettled> {
        let equations = &mut self.equations;
        let mut g = vec![0.0; equations.dims().lambda];
        equations.holonomic(state.t, &state.q, &mut g)?;
        let size = equations.typical().units().0 + largest(equations.bodies(&state.q));
        if let Some((row, g)) = g.iter().enumerate().find(|(_, g)| g.abs() > KEPT * size) {
            return Err(Unsettled::Off { row, residual: *g });
        }
        let (projector, level) = tools(&mut self.tools, equations);
        for attempt in 1.. {
            let projected = projector.project(equations, level, state, Projection::Full, 0.0);
            for (impulse, p) in impulse.iter_mut().zip(projector.impulse()) {
                *impulse += p;
            }
            match projected {
                Ok(()) => break,
                // A constraint that is nonlinear in v may be far from where it was linearised: try again from here.
                Err(StepFailure::Diverged { .. }) if attempt < ATTEMPTS => {}
                Err(failure) => return Err(failure.into()),
            }
        }
        level.restart();
        level.complete(equations, state)?;
        Ok(())
    }

    /// q'' at a state, in tangent components: a, or the rate of U along the motion within a share of the time `h`.
    pub fn rate_of_rate(&mut self, state: &State, h: f64) -> Result<Vec<f64>, StepFailure> {
        if !self.equations.has_general_rate() {
            return Ok(state.a.clone());
        }
        let mut rate = Vec::new();
        self.rate(state, &mut rate)?;
        let s = SHARE * h;
        let mut at = |s: f64| {
            let mut moved = state.clone();
            moved.t += s;
            moved.q.iter_mut().zip(&rate).for_each(|(q, rate)| *q += s * rate);
            moved.v.iter_mut().zip(&state.a).for_each(|(v, a)| *v += s * a);
            let mut out = Vec::new();
            self.rate(&moved, &mut out).map(|()| out)
        };
        let (up, down) = (at(s)?, at(-s)?);
        Ok(up.iter().zip(&down).map(|(up, down)| (up - down) / (2.0 * s)).collect())
    }

    /// What a unit impulse along `normal` (with as many entries as v) does: v changes by x, and the constraints answer with y. Also
    /// the diagonal of the mass matrix. The state must be consistent.
    pub fn response(&mut self, normal: &[f64], state: &mut State) -> Result<Response, StepFailure> {
        let equations = &mut self.equations;
        let (_, level) = tools(&mut self.tools, equations);
        level.restart();
        level.complete(equations, state)?;
        let mut x = normal.to_vec();
        x.resize(normal.len() + equations.dims().constraints(), 0.0);
        level.respond(&mut x);
        let y = x.split_off(normal.len());
        let top = &equations.layout().top;
        let mass = |i: usize| top.position(i, i).map_or(0.0, |at| level.mass[at]);
        Ok(Response { x, y, mass: (0..normal.len()).map(mass).collect() })
    }
}

/// How a system answers an impulse.
#[derive(Clone, Debug, Default)]
pub(crate) struct Response {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub mass: Vec<f64>,
}

/// What puts a state on the constraints; made when first asked for.
pub(crate) type Room = Option<(Projector, AccelerationLevel)>;

/// Projects a state onto the constraints, and finds the accelerations and multipliers that belong to its q and v.
pub(crate) fn complete(equations: &mut Equations, room: &mut Room, out: &mut State) -> Result<Residuals, StepFailure> {
    let (projector, level) = tools(room, equations);
    projector.project(equations, level, out, Projection::Full, 0.0)?;
    // No step leads from the state that was asked for last to this one, so that no dead point can lie between them.
    level.restart();
    Ok(level.complete(equations, out)?)
}

pub(crate) fn tools<'t>(tools: &'t mut Room, equations: &Equations) -> &'t mut (Projector, AccelerationLevel) {
    tools.get_or_insert_with(|| (Projector::new(equations), AccelerationLevel::new(equations)))
}

/// Whether states between these ends can be as accurate as the ends; the answer is found when it is first asked for.
pub(super) fn resolves(
    equations: &mut Equations,
    method: &dyn Method,
    room: &mut Room,
    between: &mut Option<Between>,
    tolerance: &Tolerance,
    ends: [&State; 2],
) -> bool {
    let places = method.inner_places();
    if places == 0 {
        return true;
    }
    let (projector, level) = tools(room, equations);
    let between = between.get_or_insert_with(|| Between::new(equations, places));
    between.resolves(equations, Some(method), (projector, level), tolerance, ends)
}
