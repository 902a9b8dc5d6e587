//! What is known of the switches of a system while it is integrated, and the first of them that leaves its branch in a step.
//!
//! ```text
//! t0  +  |     |     |  +  t1           samples of all switches on the dense output; + at a thousandth
//! margin_k(t) = s_k b_k                 inside the branch b_k while it is positive; between whole numbers 1/2 - |s - b|
//! ```
//!
//! The system is asked on its branches everywhere in a step, also beyond their ends, so that what is sampled is smooth: the dense
//! output is as accurate as that of a smooth motion, and so is the time at which a margin passes through zero. A margin that is
//! closer to zero than its neighbours may pass it twice; golden section looks for that, as for [events](crate::event). Only those
//! switches are located that change their sign between the first two samples between which any does.
//!
//! A switch is **released** where holding it is of no use: the motion slides along it (both branches lead back), it flips again and again in
//! no time, or its branch has no value beyond its end (the root of max(0, x)). Its own value then decides, as for a system that declares
//! no switches, until it has kept its side for some steps.

use crate::checkpoint::{Archive, BadCheckpoint, Keep, keep};
use crate::event::root::{Bracket, dip, root};
use crate::integrator::mode::Mode;
use crate::method::StepFailure;
use crate::state::State;
use crate::system::Switch;

/// Where a step is sampled, as shares of it. The first and last but one show slopes at its ends.
const PLACES: [f64; 7] = [0.0, 1e-3, 0.25, 0.5, 0.75, 1.0 - 1e-3, 1.0];
/// Values of this many roundings of the largest one are zero.
const ROUNDINGS: f64 = 4.0;
/// Times are located to this many roundings.
const TIMES: f64 = 4.0;
/// Switches that leave their branches within so many roundings of t do so at once.
const AT_ONCE: f64 = 64.0;
/// After so many secants a switch bends too much for them.
const SECANTS: usize = 8;
/// How often a time is moved back to be inside of a branch, each time by four times as much.
const BACK: usize = 6;
/// How exactly a time is located before states on the constraints decide, as a share of the step.
const SKETCHED: f64 = 1e-8;
/// A switch that is passed within this share of a step is passed at its start.
const AT_START: f64 = 1e-9;
/// Steps on one side after which a switch that was released is held again.
const CALM: usize = 8;
/// So many flips of one switch in no time are as good as sliding.
const CHATTER: usize = 10;
/// Up to this share of the longest step so far is no time.
const NO_TIME: f64 = 1e-6;

/// Flips of a switch in no time.
#[derive(Clone, Copy, Debug, Default)]
struct Flips {
    last: f64,
    count: usize,
}

/// The switches of one mode.
pub(crate) struct Switching {
    kinds: Vec<Switch>,
    /// The branches of the next piece, where the motion turns.
    pub next: Vec<f64>,
    turning: bool,
    /// Values at the places of the last step, one row a place; when the first row is known.
    values: Vec<f64>,
    known: Option<f64>,
    /// The length of the last step.
    span: f64,
    /// Values at any other state.
    row: Vec<f64>,
    /// The largest values so far.
    size: Vec<f64>,
    flips: Vec<Flips>,
    /// Steps until a switch that was released is held again; none where it is held.
    released: Vec<usize>,
    /// The last switch that the motion slid along, and since when.
    slid: Option<(usize, f64)>,
    state: State,
}

impl Keep for Switching {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.next, self.turning, self.size, self.flips, self.released, self.slid)?;
        if archive.is_reading() {
            self.known = None;
            if self.slid.is_some_and(|(slid, _)| slid >= self.kinds.len()) {
                return Err(BadCheckpoint::Corrupt);
            }
        }
        Ok(())
    }
}

impl Keep for Flips {
    fn keep(&mut self, archive: &mut Archive) -> Result<(), BadCheckpoint> {
        keep!(archive; self.last, self.count)
    }
}

/// A switch that leaves its branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Passing {
    pub t: f64,
    pub switch: usize,
}

impl Switching {
    /// For a system with these switches; `state` is any of it.
    pub fn new(kinds: &[Switch], state: State) -> Self {
        let count = kinds.len();
        Switching {
            kinds: kinds.to_vec(),
            next: vec![f64::NAN; count],
            turning: false,
            values: vec![0.0; PLACES.len() * count],
            known: None,
            span: f64::INFINITY,
            row: vec![0.0; count],
            size: vec![0.0; count],
            flips: vec![Flips::default(); count],
            released: vec![0; count],
            slid: None,
            state,
        }
    }

    pub fn kind(&self, switch: usize) -> Switch {
        self.kinds[switch]
    }

    /// The switch that the motion has slid along last, and since when.
    pub fn slid(&self) -> Option<(usize, f64)> {
        self.slid
    }

    /// The switch that it slides along now.
    pub fn slides(&self) -> Option<usize> {
        self.slid.map(|(switch, _)| switch).filter(|switch| self.released[*switch] > 0)
    }

    /// What of the values of a switch is nothing but rounding.
    pub fn rounding(&self, switch: usize) -> f64 {
        ROUNDINGS * f64::EPSILON * self.size[switch]
    }

    /// The branches of the next piece are those of `next`.
    pub fn turn(&mut self) {
        self.turning = true;
    }

    /// The branches to begin the next piece on, if they change.
    pub fn begin(&mut self) -> Option<&[f64]> {
        self.known = None;
        std::mem::take(&mut self.turning).then_some(&self.next)
    }

    /// Lets the value of a switch decide from now on.
    pub fn release(&mut self, switch: usize, slides_at: Option<f64>) {
        (self.released[switch], self.next[switch]) = (CALM, f64::NAN);
        self.slid = slides_at.map(|t| (switch, t)).or(self.slid);
    }

    /// Holds everything again that has a branch in `next`.
    pub fn hold_all(&mut self) {
        self.released.iter_mut().zip(&self.next).filter(|(_, next)| !next.is_nan()).for_each(|(wait, _)| *wait = 0);
    }

    /// Notes a flip; false if there were too many in no time.
    pub fn flip(&mut self, switch: usize, t: f64, longest: f64) -> bool {
        let Flips { last, count } = &mut self.flips[switch];
        let soon = t - *last <= (NO_TIME * longest).max(AT_ONCE * f64::EPSILON * t.abs());
        *count = if soon && *count > 0 { *count + 1 } else { 1 };
        *last = t;
        *count < CHATTER
    }

    fn value(&self, place: usize, switch: usize) -> f64 {
        self.values[place * self.kinds.len() + switch]
    }

    /// The first switch that leaves its branch in the step from `before` to the method's state.
    pub fn search(&mut self, mode: &mut Mode, before: &State) -> Result<Option<Passing>, StepFailure> {
        let (t0, t1) = (before.t, mode.method.state().t);
        if t1 <= t0 {
            return Ok(None);
        }
        self.sample(mode, before);
        self.watch_released(mode);
        let mut found: Option<(Passing, Bracket)> = None;
        let mut last = PLACES.len() - 1;
        // First all changes of sign, so that nothing later is located in vain.
        for switch in 0..self.kinds.len() {
            let branch = mode.equations.held()[switch];
            let beyond = |place: &usize| self.is_beyond(switch, branch, self.value(*place, switch));
            last = (1..=last).find(beyond).unwrap_or(last);
        }
        for switch in 0..self.kinds.len() {
            let branch = mode.equations.held()[switch];
            if branch.is_nan() {
                continue;
            }
            let Some(bracket) = self.bracket(mode, before, switch, last)? else { continue };
            let t = self.sketched(mode, before, switch, bracket)?;
            if found.as_ref().is_none_or(|(first, _)| t < first.t) {
                found = Some((Passing { t, switch }, bracket));
            }
        }
        let Some((passing, bracket)) = found else { return Ok(None) };
        let t = self.located(mode, before, passing, bracket)?;
        // What happens at once was begun on the wrong branch.
        let t = if t - t0 <= AT_START * (t1 - t0) { t0 } else { t };
        Ok(Some(Passing { t, ..passing }))
    }

    /// Values at all places.
    fn sample(&mut self, mode: &mut Mode, before: &State) {
        let (count, h) = (self.kinds.len(), mode.method.state().t - before.t);
        let end = (PLACES.len() - 1) * count;
        self.span = h;
        if self.known == Some(before.t) {
            self.values.copy_within(end.., 0);
        } else {
            mode.equations.switches(before.t, &before.q, &before.v, &mut self.values[..count]);
        }
        for (place, row) in self.values.chunks_exact_mut(count).enumerate().skip(1) {
            if place + 1 < PLACES.len() {
                mode.interpolate(before, before.t + PLACES[place] * h, &mut self.state);
            } else {
                self.state.assign(mode.method.state());
            }
            let State { t, q, v, .. } = &self.state;
            mode.equations.switches(*t, q, v, row);
            self.size.iter_mut().zip(row).for_each(|(size, s)| *size = size.max(s.abs()));
        }
        self.known = Some(mode.method.state().t);
    }

    /// Holds switches again that have kept their side for a while.
    fn watch_released(&mut self, mode: &mut Mode) {
        if self.released.iter().all(|wait| *wait == 0) {
            return;
        }
        self.next.copy_from_slice(mode.equations.held());
        for switch in 0..self.kinds.len() {
            if self.released[switch] == 0 {
                continue;
            }
            let kind = self.kinds[switch];
            let branch = kind.branch(self.value(PLACES.len() - 1, switch));
            let stays = (0..PLACES.len()).all(|place| kind.branch(self.value(place, switch)) == branch);
            self.released[switch] = if stays { self.released[switch] - 1 } else { CALM };
            if self.released[switch] == 0 {
                self.next[switch] = branch;
            }
        }
        mode.equations.hold(&self.next);
    }

    fn is_beyond(&self, switch: usize, branch: f64, s: f64) -> bool {
        self.kinds[switch].margin(branch, s) < -self.rounding(switch)
    }

    /// Where a switch leaves its branch before the end of an interval between places, as values of its margin.
    fn bracket(
        &mut self,
        mode: &mut Mode,
        before: &State,
        switch: usize,
        last: usize,
    ) -> Result<Option<Bracket>, StepFailure> {
        let h = mode.method.state().t - before.t;
        let (kind, branch) = (self.kinds[switch], mode.equations.held()[switch]);
        let time = |place: usize| before.t + PLACES[place] * h;
        // At the start of a piece the margin is rounding, of whatever sign.
        let margins: [f64; PLACES.len()] = std::array::from_fn(|place| {
            let margin = kind.margin(branch, self.value(place, switch));
            if place == 0 { margin.max(f64::MIN_POSITIVE) } else { margin }
        });
        for place in 1..=last {
            if self.is_beyond(switch, branch, self.value(place, switch)) {
                let at_a = margins[place - 1].max(f64::MIN_POSITIVE);
                return Ok(Some(Bracket { a: time(place - 1), b: time(place), at_a, at_b: margins[place] }));
            }
            let dips = place + 1 < PLACES.len()
                && margins[place] < margins[place - 1]
                && margins[place] <= margins[place + 1]
                && margins[place] > 0.0;
            if dips {
                let points = [place - 1, place, place + 1].map(time);
                let values = [place - 1, place, place + 1].map(|place| margins[place]);
                // Beyond the first change of sign of another switch nothing matters; but there the margin is smooth as well.
                let found = dip(points, values, SKETCHED * h, |t| {
                    let s = self.sketch(mode, before, switch, t)?;
                    let beyond = self.is_beyond(switch, branch, s);
                    Ok::<f64, StepFailure>(kind.margin(branch, s).max(if beyond {
                        f64::MIN
                    } else {
                        f64::MIN_POSITIVE
                    }))
                })?;
                if let Some((b, at_b)) = found {
                    return Ok(Some(Bracket { a: points[0], b, at_a: values[0], at_b }));
                }
            }
        }
        Ok(None)
    }

    /// The value of a switch at a time within the step, before the state is put onto the constraints.
    fn sketch(&mut self, mode: &mut Mode, before: &State, switch: usize, t: f64) -> Result<f64, StepFailure> {
        mode.sketch(before, t, &mut self.state);
        let State { t, q, v, .. } = &self.state;
        mode.equations.switches(*t, q, v, &mut self.row);
        Ok(self.row[switch])
    }

    /// The same on the constraints.
    fn exact(&mut self, mode: &mut Mode, before: &State, switch: usize, t: f64) -> Result<f64, StepFailure> {
        mode.projected_at(before, t, &mut self.state)?;
        let State { t, q, v, .. } = &self.state;
        mode.equations.switches(*t, q, v, &mut self.row);
        Ok(self.row[switch])
    }

    /// About when a switch leaves its branch.
    fn sketched(
        &mut self,
        mode: &mut Mode,
        before: &State,
        switch: usize,
        bracket: Bracket,
    ) -> Result<f64, StepFailure> {
        let h = mode.method.state().t - before.t;
        let (kind, branch) = (self.kinds[switch], mode.equations.held()[switch]);
        let tolerance = (SKETCHED * h).max(resolution(before.t + h));
        let found = root(bracket, tolerance, |t| {
            Ok::<f64, StepFailure>(kind.margin(branch, self.sketch(mode, before, switch, t)?))
        })?;
        Ok(found.b)
    }

    /// When exactly: with states on the constraints, by secants from the time that is known. The bracket is that of states which may be off the
    /// constraints, and less accurate than the ends of the step: the time may be beyond its ends. A secant that leads there is followed as far as the
    /// step, if the margin at that end is more than rounding; that of a motion that chatters is none, and says nothing about where it leads.
    fn located(
        &mut self,
        mode: &mut Mode,
        before: &State,
        Passing { t, switch }: Passing,
        bracket: Bracket,
    ) -> Result<f64, StepFailure> {
        let end = mode.method.state().t;
        let (kind, branch) = (self.kinds[switch], mode.equations.held()[switch]);
        let (tolerance, nothing) = (resolution(end), self.rounding(switch));
        let mut margin = |t: f64| {
            if t <= before.t {
                return Ok(f64::MIN_POSITIVE);
            }
            Ok::<f64, StepFailure>(kind.margin(branch, self.exact(mode, before, switch, t)?))
        };
        let (mut low, mut high) = (bracket.a, bracket.b);
        let (mut t, mut at) = (t, margin(t)?);
        let mut slope = (bracket.at_b - bracket.at_a) / (bracket.b - bracket.a);
        for _ in 0..SECANTS {
            let wanted = t - at / slope;
            let mut next = wanted.clamp(low, high);
            let held_back = (next - t).abs() <= tolerance && (wanted - t).abs() > tolerance;
            if held_back && at.abs() > nothing {
                // Where it is left already, it was left before; where not yet, it is left later.
                (low, high) = if at < 0.0 { (before.t, high) } else { (low, end) };
                next = wanted.clamp(low, high);
            }
            if at == 0.0 || next.is_nan() || (next - t).abs() <= tolerance {
                return inside(t, at, before.t, tolerance, margin);
            }
            let at_next = margin(next)?;
            slope = (at_next - at) / (next - t);
            (t, at) = (next, at_next);
        }
        // It bends too much for secants: by bisection, unless the change of sign is that close to an end of the bracket.
        let ends = [margin(low)?, margin(high)?];
        if ends[0] > 0.0 && ends[1] <= 0.0 {
            let found = root(Bracket { a: low, b: high, at_a: ends[0], at_b: ends[1] }, tolerance, &mut margin)?;
            return inside(found.b, found.at_b, before.t, tolerance, margin);
        }
        Ok(t)
    }

    /// The branches after a switch has left its own, together with those that do so at the same time, into `next`. `flipped` is
    /// called for each of them with its branches.
    pub fn leave(
        &mut self,
        mode: &mut Mode,
        state: &State,
        passing: Passing,
        mut flipped: impl FnMut(usize, [f64; 2]),
    ) {
        let State { t, q, v, .. } = state;
        mode.equations.switches(*t, q, v, &mut self.row);
        self.next.copy_from_slice(mode.equations.held());
        for switch in 0..self.kinds.len() {
            let (kind, branch, s) = (self.kinds[switch], self.next[switch], self.row[switch]);
            if branch.is_nan() {
                continue;
            }
            let at_once = || {
                let ends = [0, PLACES.len() - 1].map(|place| self.value(place, switch));
                let rate = (ends[1] - ends[0]).abs() / self.span;
                let near = kind.margin(branch, s) <= (AT_ONCE * f64::EPSILON * t.abs() * rate);
                near && (1..PLACES.len()).any(|place| self.is_beyond(switch, branch, self.value(place, switch)))
            };
            if switch == passing.switch || at_once() {
                let next = kind.next(branch, s);
                self.next[switch] = next;
                flipped(switch, [branch, next]);
            }
        }
    }
}

/// The last time close to one at which a branch ends that is still inside of it: beyond, it may have no value.
fn inside(
    mut t: f64,
    mut at: f64,
    start: f64,
    tolerance: f64,
    mut margin: impl FnMut(f64) -> Result<f64, StepFailure>,
) -> Result<f64, StepFailure> {
    let mut back = tolerance;
    for _ in 0..BACK {
        if at >= 0.0 || t <= start {
            break;
        }
        (t, back) = ((t - back).max(start), 4.0 * back);
        at = margin(t)?;
    }
    Ok(t)
}

/// How exactly times are located.
fn resolution(t: f64) -> f64 {
    (TIMES * f64::EPSILON * t.abs()).max(f64::MIN_POSITIVE)
}
