//! One system with the method that integrates it. A system whose constraints come and go has several.
//!
//! Consistency after a change, with positions kept (they may be off the constraints by what locating an event leaves):
//!
//! ```text
//! | M  -r_mu | (x)   (0)
//! | C    0   | (p) = (-c)       v+ = v + x,   p the impulsive reaction,   c = (g_t + G q' ; k) at v
//! ```
//!
//! An impact against phi(t,q) = 0 with restitution e takes one more solve with the same matrix:
//!
//! ```text
//! (x ; y) = [M -r_mu; C]^-1 (phi_q ; 0),      v+ = v + s x,   s = -(1+e) phi'/(phi_q x),   p = s y
//! ```

use crate::acceleration::AccelerationLevel;
use crate::checkpoint::{Archive, BadCheckpoint, Keep};
use crate::equations::Equations;
use crate::linear::LinearWork;
use crate::method::{Method, Projection, Projector, StepFailure};
use crate::state::State;
use crate::stats::Residuals;
use crate::tolerance::largest;

/// How far off the constraints a state may be for its positions to count as kept, relative to 1 + |q|.
const KEPT: f64 = 1e-6;
/// Displacement of the differences that give phi_q, relative to 1 + |q|; they are of fourth order.
const DISPLACEMENT: f64 = 1e-3;

pub(crate) struct Mode<'s> {
    /// The method's name.
    pub name: &'static str,
    pub equations: Equations<'s>,
    pub method: Box<dyn Method>,
    /// For states between steps, made when first asked for.
    tools: Option<(Projector, AccelerationLevel)>,
    /// The cost of states between steps before a checkpoint was read.
    earlier: LinearWork,
}

impl Keep for Mode<'_> {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        let mut work = self.work_between();
        work.keep(archive)?;
        if archive.is_reading() {
            (self.tools, self.earlier) = (None, work);
        }
        self.equations.keep(archive)?;
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
    pub fn new(name: &'static str, equations: Equations<'s>, method: Box<dyn Method>) -> Self {
        Mode { name, equations, method, tools: None, earlier: LinearWork::default() }
    }

    /// The state at a time within the last accepted step, which began at `before`.
    pub fn interpolate(&self, before: &State, t: f64, out: &mut State) {
        out.fit(self.equations.dims());
        if before.t < self.method.state().t {
            self.method.interpolate(&self.equations, before, t, out);
        } else {
            out.assign(self.method.state());
        }
    }

    /// The same on the constraints, with the accelerations and multipliers that belong to q and v.
    pub fn consistent_at(&mut self, before: &State, t: f64, out: &mut State) -> Result<Residuals, StepFailure> {
        self.interpolate(before, t, out);
        let (projector, level) = tools(&mut self.tools, &self.equations);
        projector.project(&mut self.equations, level, out, Projection::Full, 0.0)?;
        // No step leads from the state asked for before to this one: nothing can have been crossed on the way.
        level.restart();
        Ok(level.complete(&mut self.equations, out)?)
    }

    /// What redundant constraints come to where the present velocity leads in a time h: a contradiction, or another rank.
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
        level.complete(&mut self.equations, &mut state).ok()?;
        level.accept();
        self.equations.advance(&from, &rate, &mut state.q);
        state.t += h;
        let projected = projector.project(&mut self.equations, level, &mut state, Projection::Full, h).is_ok();
        match level.complete(&mut self.equations, &mut state).map_err(StepFailure::from) {
            Err(failure @ StepFailure::Crossing { .. }) => Some(failure),
            // Off the constraints dependent ones disagree.
            Err(failure @ StepFailure::Contradiction { .. }) if projected => Some(failure),
            _ => None,
        }
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
        let size = 1.0 + largest(&state.q);
        if let Some((row, g)) = g.iter().enumerate().find(|(_, g)| g.abs() > KEPT * size) {
            return Err(Unsettled::Off { row, residual: *g });
        }
        let (projector, level) = tools(&mut self.tools, equations);
        projector.project(equations, level, state, Projection::Full, 0.0)?;
        for (impulse, p) in impulse.iter_mut().zip(projector.impulse()) {
            *impulse += p;
        }
        level.restart();
        level.complete(equations, state)?;
        Ok(())
    }

    /// An impact against `surface` = 0: changes v, adds the reactions of the constraints to `impulse`, and returns the
    /// impulse along phi_q, unless that is not a number. The state must be consistent.
    pub fn bounce(
        &mut self,
        surface: &mut dyn FnMut(&State) -> f64,
        restitution: f64,
        state: &mut State,
        impulse: &mut [f64],
    ) -> Result<Option<f64>, StepFailure> {
        let (n, columns) = (self.equations.dims().v, self.equations.tangent());
        let mut rate = Vec::new();
        self.rate(state, &mut rate)?;
        let equations = &mut self.equations;
        let (_, level) = tools(&mut self.tools, equations);
        level.restart();
        level.complete(equations, state)?;
        let mut moved = state.clone();
        let size = 1.0 + largest(&state.q);
        let mut slope = |direction: &[f64], dt: f64| {
            let unit = DISPLACEMENT * size / largest(direction).max(f64::MIN_POSITIVE);
            let mut dx = direction.to_vec();
            let mut at = |shift: f64| {
                dx.iter_mut().zip(direction).for_each(|(dx, d)| *dx = shift * d);
                equations.advance(&state.q, &dx, &mut moved.q);
                moved.t = state.t + shift * dt;
                surface(&moved)
            };
            (8.0 * (at(unit) - at(-unit)) - (at(2.0 * unit) - at(-2.0 * unit))) / (12.0 * unit)
        };
        let mut phi_q: Vec<f64> = Vec::with_capacity(columns);
        for j in 0..columns {
            let mut unit = vec![0.0; columns];
            unit[j] = 1.0;
            phi_q.push(slope(&unit, 0.0));
        }
        let speed = if largest(&rate) > 0.0 { slope(&rate, 1.0) } else { 0.0 };
        let mut rhs = vec![0.0; n + impulse.len()];
        if equations.has_general_rate() {
            let mut u_v = vec![0.0; columns * n];
            equations.rate_v(state.t, &state.q, &state.v, &mut u_v)?;
            for (i, row) in u_v.chunks_exact(n).enumerate() {
                rhs.iter_mut().zip(row).for_each(|(rhs, u)| *rhs += phi_q[i] * u);
            }
        } else {
            rhs[..n].copy_from_slice(&phi_q);
        }
        let normal = rhs[..n].to_vec();
        level.respond(&mut rhs);
        let softness: f64 = normal.iter().zip(&rhs).map(|(phi, x)| phi * x).sum();
        if !(speed.is_finite() && softness.is_finite()) {
            return Ok(None);
        }
        // A surface that no admissible velocity can leave or reach: there is nothing to bounce.
        let contact = if softness > 0.0 { -(1.0 + restitution) * speed / softness } else { 0.0 };
        for (v, x) in state.v.iter_mut().zip(&rhs) {
            *v += contact * x;
        }
        for (impulse, y) in impulse.iter_mut().zip(&rhs[n..]) {
            *impulse += contact * y;
        }
        Ok(Some(contact))
    }
}

fn tools<'t>(
    tools: &'t mut Option<(Projector, AccelerationLevel)>,
    equations: &Equations,
) -> &'t mut (Projector, AccelerationLevel) {
    tools.get_or_insert_with(|| (Projector::new(equations), AccelerationLevel::new(equations)))
}
