//! The branches of formulas along a motion: where a step passes a switch, one piece of the motion ends and the next begins.
//!
//! ```text
//! s(t*) = 0          the step is cut there; q and v go on, a and the multipliers are those of the other branch
//! sliding            s' of the branch that ends leads across, s' of the other one leads back (Filippov): the switch is released
//! at the start       s = 0: the branch to which the motion leads, by s at (q + h v + h^2 a/2, v + h a) for a short time h
//! ```
//!
//! See [`switching`](crate::switching) for how t* is found, and decision 31.

use super::mode::{Mode, tools};
use super::turn::Turn;
use super::{EventFailure, IntegrateError, Integrator};
use crate::method::StepFailure;
use crate::schedule::Kind;
use crate::sliding::{Surface, accelerate, follow};
use crate::state::State;
use crate::switching::{Passing, Switching};
use crate::tolerance::largest;

/// How far the motion is followed to see where a switch goes, as a share of the step.
const SHARE: f64 = 1e-3;
/// The same at the start of a motion, as a share of the time in which it changes.
const GLIMPSE: f64 = 1e-7;
/// A value this small beside its change within that time is at its root.
const AT_ROOT: f64 = 1e-6;
/// Changes of a switch below this share of those on the other branch say nothing.
const TELLING: f64 = 1e-6;

impl Integrator<'_> {
    /// Lets the values of switches decide everywhere: kinks and jumps are then found by the error of steps alone, as in systems that
    /// declare no switches.
    pub fn ignore_switches(&mut self) {
        for mode in &mut self.modes {
            mode.switching = None;
            let free = vec![f64::NAN; mode.equations.held().len()];
            mode.equations.hold(&free);
        }
    }

    /// The first switch that the last step passes.
    pub(super) fn look_for_switches(&mut self) -> Result<Option<Passing>, IntegrateError> {
        let mode = &mut self.modes[self.mode];
        let Some(mut switching) = mode.switching.take() else { return Ok(None) };
        let found = switching.search(mode, &self.before);
        mode.switching = Some(switching);
        found.map_err(|failure| self.switch_error(self.before.t, failure))
    }

    fn switch_error(&self, t: f64, failure: StepFailure) -> IntegrateError {
        IntegrateError::Jump { t, failure: EventFailure::Step(failure) }
    }

    /// Ends the step at a switch, and lets the next piece begin on the other branch.
    pub(super) fn turn_at_switch(&mut self, passing: Passing) -> Result<(), IntegrateError> {
        let (number, t, longest) = (self.mode, passing.t, self.longest);
        let mut before = self.before.clone();
        let mode = &mut self.modes[number];
        let Some(mut switching) = mode.switching.take() else { return Ok(()) };
        let turned = turn(mode, &mut switching, (&self.before, &mut before), passing, longest);
        mode.switching = Some(switching);
        let Turned { flipped, slides, surface, settled, impulse } =
            turned.map_err(|failure| self.switch_error(t, failure))?;
        self.stats.switches += flipped;
        self.stats.slides += slides;
        if let Some(surface) = surface
            && self.controller.needs_estimate()
            && self.sliding.slide()
        {
            return Err(self.slides(surface));
        }
        let after =
            settled.map_err(|unsettled| IntegrateError::Jump { t, failure: self.failure(number, unsettled) })?;
        self.check_velocities(number, Kind::Restart, [&before, &after], &impulse)?;
        self.turn = Some(Turn { mode: number, before, after });
        Ok(())
    }

    /// The branches on which the motion goes on from a state that was changed, and its accelerations there.
    pub(super) fn choose_branches(&mut self, mode: usize, state: &mut State) -> Result<(), EventFailure> {
        let mode = &mut self.modes[mode];
        let Some(mut switching) = mode.switching.take() else { return Ok(()) };
        let chosen = switching.choose(mode, state);
        switching.turn();
        mode.switching = Some(switching);
        chosen.map_err(EventFailure::Step)
    }

    /// The name of the switch that the motion slides along.
    pub(super) fn slides_along(&self) -> Option<String> {
        let mode = &self.modes[self.mode];
        mode.switching.as_ref()?.slides().map(|switch| mode.equations.system().switch_name(switch))
    }

    /// The name of the switch that it has slid along last, and since when.
    pub(super) fn slid_along(&self) -> Option<(String, f64)> {
        let last = |mode: &Mode| {
            let (switch, t) = mode.switching.as_ref()?.slid()?;
            Some((mode.equations.system().switch_name(switch), t))
        };
        self.modes.iter().filter_map(last).max_by(|x, y| x.1.total_cmp(&y.1))
    }
}

impl Mode<'_> {
    /// Begins a motion on the branches of its start, whose accelerations are made those of these branches.
    pub fn begin_on_branches(&mut self, start: &mut State) -> Result<(), StepFailure> {
        let Some(mut switching) = self.switching.take() else { return Ok(()) };
        let chosen = switching.choose(self, start);
        switching.turn();
        self.switching = Some(switching);
        self.begin_piece();
        chosen
    }

    /// Begins the next piece on its branches.
    pub fn begin_piece(&mut self) {
        if let Some(next) = self.switching.as_mut().and_then(|switching| switching.begin()) {
            self.equations.hold(next);
        }
    }

    /// Lets the values of all switches decide after failures that may come from beyond the end of a branch; false if they do already.
    pub fn loosen(&mut self) -> bool {
        let Some(switching) = &mut self.switching else { return false };
        let mut held = false;
        switching.next.copy_from_slice(self.equations.held());
        for switch in 0..switching.next.len() {
            if !switching.next[switch].is_nan() {
                switching.release(switch, None);
                held = true;
            }
        }
        self.equations.hold(&switching.next);
        held
    }
}

/// What became of a turn.
struct Turned {
    flipped: u64,
    slides: u64,
    /// What it slides along.
    surface: Option<Surface>,
    settled: Result<State, super::mode::Unsettled>,
    impulse: Vec<f64>,
}

/// Flips what passes its end at a time within the last step, which began at the first of two states; the second becomes that of the time.
fn turn(
    mode: &mut Mode,
    switching: &mut Switching,
    (start, before): (&State, &mut State),
    passing: Passing,
    longest: f64,
) -> Result<Turned, StepFailure> {
    let t = passing.t;
    if t > start.t {
        mode.consistent_at(start, t, before)?;
    }
    let mut flipped: Vec<(usize, [f64; 2])> = Vec::new();
    switching.leave(mode, before, passing, |switch, branches| flipped.push((switch, branches)));
    let ended = mode.equations.held().to_vec();
    let (span, whole) = (t - start.t, mode.method.state().t - start.t);
    let glimpse = SHARE * if span > TELLING * whole { span } else { whole };
    let mut ahead = vec![0.0; ended.len()];
    let across = changes(mode, before, glimpse, &mut ahead).map(|()| ahead.clone());
    for (switch, _) in &flipped {
        if !switching.flip(*switch, t, longest) {
            switching.release(*switch, Some(t));
        }
    }
    let settle = |mode: &mut Mode, next: &[f64]| {
        let mut after = before.clone();
        let mut impulse = vec![0.0; after.lambda.len() + after.psi.len()];
        mode.equations.hold(next);
        let settled = mode.settle(&mut after, &mut impulse);
        (settled.map(|()| after), impulse)
    };
    let (mut settled, mut impulse) = settle(mode, &switching.next);
    if settled.is_err() {
        // The other branch may have no value at its very end either.
        flipped.iter().for_each(|(switch, _)| switching.release(*switch, None));
        (settled, impulse) = settle(mode, &switching.next);
    }
    let (mut slides, mut surface) = (0, None);
    if let (Some(across), Ok(after)) = (across, &settled)
        && changes(mode, after, glimpse, &mut ahead).is_some()
    {
        for (switch, [branch, next]) in &flipped {
            let way = switching.kind(*switch).way(*branch, *next);
            let (to, back) = (way * across[*switch], -way * ahead[*switch]);
            if to > 0.0 && back > TELLING * to && back > switching.rounding(*switch) {
                switching.release(*switch, Some(t));
                slides += 1;
            }
        }
        if slides > 0 {
            surface = Surface::between(before, after);
            (settled, impulse) = settle(mode, &switching.next);
        }
    }
    // The step that was cut is still looked at, on its own branches.
    mode.equations.hold(&ended);
    switching.turn();
    Ok(Turned { flipped: flipped.len() as u64, slides, surface, settled, impulse })
}

/// By how much the switches change when the motion is followed from a state for a short time.
fn changes(mode: &mut Mode, state: &State, s: f64, out: &mut [f64]) -> Option<()> {
    let mut moved = state.clone();
    follow(&mut mode.equations, state, s, &mut moved)?;
    let mut here = vec![0.0; out.len()];
    mode.equations.switches(state.t, &state.q, &state.v, &mut here);
    mode.equations.switches(moved.t, &moved.q, &moved.v, out);
    out.iter_mut().zip(&here).for_each(|(out, here)| *out -= here);
    Some(())
}

impl Switching {
    /// The branches of a state into `next`, and its accelerations on them. The equations are left as they are.
    fn choose(&mut self, mode: &mut Mode, state: &mut State) -> Result<(), StepFailure> {
        let held = mode.equations.held().to_vec();
        let free = vec![f64::NAN; held.len()];
        mode.equations.hold(&free);
        let chosen = self.choose_freely(mode, state);
        mode.equations.hold(&self.next);
        let (_, level) = tools(&mut mode.tools, &mode.equations);
        let completed = chosen.then(|| accelerate(&mut mode.equations, level, state));
        mode.equations.hold(&held);
        // Where the other branch has no accelerations, those of the state stay, and the first step tells why.
        let _ = completed;
        self.hold_all();
        Ok(())
    }

    /// The same where values decide; whether any switch is at its root.
    fn choose_freely(&mut self, mode: &mut Mode, state: &State) -> bool {
        let State { t, q, v, a, .. } = state;
        let mut values = vec![0.0; self.next.len()];
        mode.equations.switches(*t, q, v, &mut values);
        let (length, slow) = mode.equations.typical().units();
        let (size, speed, pull) = (length + largest(q), largest(v), largest(a));
        let time = [size / speed, (size / pull).sqrt(), (slow + speed) / pull]
            .into_iter()
            .fold(1.0_f64, |least, x| if x.is_finite() && x > 0.0 { least.min(x) } else { least });
        let glimpse = (GLIMPSE * time).max(1e3 * f64::EPSILON * t.abs());
        let mut ahead = vec![0.0; values.len()];
        let known = changes(mode, state, glimpse, &mut ahead).is_some();
        let mut at_root = false;
        for switch in 0..values.len() {
            let (kind, s) = (self.kind(switch), values[switch]);
            let root = kind.margin(kind.branch(s), s);
            let leaves = known && root.abs() <= AT_ROOT * ahead[switch].abs() && ahead[switch] != 0.0;
            at_root |= leaves || root == 0.0;
            // A zero counts as positive; a whole number as the start of its branch.
            self.next[switch] = kind.branch(if leaves { s + ahead[switch] } else { s });
        }
        at_root
    }
}
