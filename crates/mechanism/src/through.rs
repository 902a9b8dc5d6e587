//! Through singular configurations, on the branch that momentum gives.
//!
//! Where constraints become dependent (a parallelogram that is flat), branches of motion meet, and reactions grow beyond all bounds:
//! nothing in the equations there says how to go on. The motion that comes in is analytic, and goes on as such. So a run that stops
//! there is continued by a collocation ([`Across`]) from a state before the point to one behind it:
//!
//! ```text
//! t0 = t* - d ------ t*: the tip of m(q), see `independence` ------ t1 = t* + d        d: a way of 0.1 rad, then 1/2, 1/4, ... of it
//! ```
//!
//! The first d is taken whose error estimate is a tenth of the tolerance, or the best if that meets the tolerance. What is estimated decides alone: a passage
//! that is slow, or begins soon after a start, gets a shorter d; where branches only come near to each other, none is accurate. In between there are q, v and v', and no reactions.

mod beginning;
mod independence;
mod lookout;

use std::error::Error;
use std::fmt;
use std::ops::Range;

use alembert::integrator::{IntegrateError, Obstacle};
use alembert::method::StepFailure;
use alembert::solve::SolveError;
use alembert::{Across, Advised, ConstrainedSystem, Guess, Outcome, Plan, Solution, State, solve};

use crate::mechanism::Mechanism;
use independence::Independence;
pub use independence::{Nearness, Singular};
pub use lookout::Lookout;

/// How far before the point passages begin that are tried first, in radians or sizes of the mechanism, and how often this is halved.
const FARTHEST: f64 = 0.1;
const HALVINGS: usize = 12;
/// A way that rounding has a large share in: constraints are independent by it, velocities uncertain by rounding over it, and accelerations by rounding over
/// its square.
const SHORT: f64 = 1e-3;
/// The share of the tolerance that is good, and the relative error up to which rounding may be the reason: at nodes velocities are uncertain by rounding over
/// their distance from the point, which the state behind is not.
const GOOD: f64 = 0.1;
const ROUNDING: f64 = 1e-10;
/// Where constraints are less independent than this, a run that has stopped has done so for this reason.
const STUCK: f64 = 1e-3;
/// How far from the middle of a passage the point may lie, as a share of its length: nodes of the collocation are at 0.09 and 0.12.
const OFF: f64 = 0.03;

/// A passage through a singular configuration.
#[derive(Clone, Debug)]
pub struct Passage {
    /// What is passed.
    pub at: Singular,
    /// The times between which the motion is this one.
    pub times: Range<f64>,
    across: Across,
}

impl Passage {
    /// The state at one of its times. Multipliers are not a number: reactions are not determined there.
    pub fn state(&self, t: f64) -> State {
        self.across.at(t)
    }

    /// The consistent state behind.
    pub fn end(&self) -> &State {
        self.across.end()
    }

    /// The estimated error of the passage, relative to velocities.
    pub fn error(&self) -> f64 {
        self.across.error()
    }
}

/// A motion through singular configurations: solutions, and passages between them.
#[derive(Debug)]
pub struct Through<'m> {
    /// The solutions between singular configurations. A solution may reach into the passage after it.
    pub pieces: Vec<Solution<'m>>,
    /// One less.
    pub passages: Vec<Passage>,
}

/// Why a run does not go through.
#[derive(Clone, Debug, PartialEq)]
pub enum Unpassed {
    /// It cannot begin, or not go on behind a singular configuration.
    Start(Box<SolveError>),
    /// It stopped for another reason.
    Run(Box<IntegrateError>),
    /// The motion begins so near to the singular configuration that rounding decides how it goes on.
    TooShort(Singular),
    /// No way across was found that is as accurate as it should be.
    NotSmooth {
        /// What was to be passed.
        at: Singular,
        /// From how long before it that was tried, at most and at least.
        tried: [f64; 2],
        /// The smallest relative error; none where no way was found at all.
        error: Option<f64>,
        /// What it should be.
        tolerance: f64,
    },
}

impl Advised for Unpassed {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unpassed::Start(error) => error.tell(f),
            Unpassed::Run(error) => error.tell(f),
            Unpassed::TooShort(at) => {
                write!(f, "{at}, too soon after a start or an event to tell how the motion goes on")
            }
            Unpassed::NotSmooth { at, tried: [most, least], error, tolerance } => {
                write!(f, "{at}, and no smooth motion across it was found: from {most:.1e} to {least:.1e} before it ")?;
                match error {
                    Some(error) => write!(f, "errors are {error:.1e} at least, the tolerance is {tolerance:.1e}"),
                    None => write!(f, "no collocation converges"),
                }
            }
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Unpassed::Start(error) => error.hint(),
            Unpassed::Run(error) => error.hint(),
            Unpassed::TooShort(_) => Some("start farther away from the singular configuration".to_owned()),
            Unpassed::NotSmooth { error: Some(_), .. } => Some(
                "branches that nearly meet are passed with a looser tolerance; else look for forces that jump there, or stop before it"
                    .to_owned(),
            ),
            Unpassed::NotSmooth { error: None, .. } => {
                Some("look for forces that are stiff or jump there, and for another singular configuration close by".to_owned())
            }
        }
    }
}

impl fmt::Display for Unpassed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tell(f)?;
        self.hint().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

impl Error for Unpassed {}

impl Mechanism {
    /// The motion over a range of times, through singular configurations on the branch that momentum gives. The plan is made anew
    /// for each piece; where a piece [stops](Plan::until) is decided here.
    ///
    /// # Errors
    /// If it stops for another reason, or there is no accurate way across a singular configuration.
    pub fn solve_through<'m>(
        &'m self,
        times: Range<f64>,
        plan: impl Fn() -> Plan<'m>,
    ) -> Result<Through<'m>, Unpassed> {
        let mut through = Through { pieces: Vec::new(), passages: Vec::new() };
        let mut guess = self.guess().clone();
        loop {
            let (from, plan) = (guess.t, plan());
            let tolerance = plan.tolerance().rtol;
            let mut lookout = Lookout::default();
            let look = move |ends: [&State; 2]| lookout.step((self, self.system()), ends, tolerance).is_some();
            let piece = solve(self.system(), &guess, from..times.end, plan.until(look));
            let piece = piece.map_err(|error| Unpassed::Start(Box::new(error)))?;
            let at = match piece.outcome() {
                Ok(Outcome::Stopped) => self.nearness(piece.last()).ahead,
                Ok(_) => None,
                Err(error) => {
                    // A configuration that lies behind the start has been passed already.
                    let at = self.stopped_at(error, piece.last()).filter(|at| at.t >= from);
                    Some(at.ok_or_else(|| Unpassed::Run(Box::new(error.clone())))?)
                }
            };
            let Some(at) = at else {
                through.pieces.push(piece);
                return Ok(through);
            };
            let states = |times: &[f64]| times.iter().map(|t| piece.at(*t).ok()).collect();
            let passage = self.passage(self.system(), at, piece.last(), *piece.range().start(), tolerance, states)?;
            let State { t, q, v, lambda, psi, .. } = passage.end().clone();
            // The end of the range may lie in the passage.
            let ends = t >= times.end;
            guess = Guess::new(t, q, v).with_multipliers(lambda, psi);
            through.pieces.push(piece);
            through.passages.push(passage);
            if ends {
                return Ok(through);
            }
        }
    }

    /// The singular configuration at which a run has stopped, if that is why it did: one that lies just ahead.
    pub fn stopped_at(&self, error: &IntegrateError, last: &State) -> Option<Singular> {
        let stopped = matches!(
            error,
            IntegrateError::Step { .. }
                | IntegrateError::StepTooSmall { cause: Obstacle::Failure(_) | Obstacle::Error(_), .. }
        );
        // Without the rows that gave way no motion leads across.
        let apart = matches!(
            error,
            IntegrateError::Step { failure: StepFailure::Opened { .. }, .. }
                | IntegrateError::StepTooSmall { cause: Obstacle::Failure(StepFailure::Opened { .. }), .. }
        );
        if apart || !stopped {
            return None;
        }
        let nearness = self.nearness(last);
        nearness.ahead.or_else(|| if nearness.independence < STUCK { self.singular(last) } else { None })
    }

    /// How far a motion of these velocities goes in a time, in units of the farthest way from which a passage begins.
    pub fn share_of_stretch(&self, v: &[f64], time: f64) -> f64 {
        time * self.pace(v) / FARTHEST
    }

    /// The passage through a singular configuration ahead of the state `last` of a motion that is smooth since the time `begin`;
    /// `states` has the states at the times it is asked for, which lie before and go backwards. Behind the coordinates of the mechanism
    /// the system may have others.
    ///
    /// # Errors
    /// If the motion has only just begun, or no way across is as accurate as the tolerance, which is relative.
    pub fn passage(
        &self,
        system: &dyn ConstrainedSystem,
        at: Singular,
        last: &State,
        begin: f64,
        tolerance: f64,
        states: impl FnOnce(&[f64]) -> Option<Vec<State>>,
    ) -> Result<Passage, Unpassed> {
        let by_speed = FARTHEST / self.pace(&last.v);
        let by_force = (2.0 * FARTHEST / self.pace(&last.a)).sqrt();
        let farthest = by_speed.min(by_force).min(at.t - begin);
        if farthest.is_nan() || farthest <= 0.0 {
            return Err(Unpassed::TooShort(at));
        }
        let mut times: Vec<f64> = (0..=HALVINGS).map(|k| at.t - farthest * 0.5_f64.powi(k as i32)).collect();
        // It leads beyond where the motion has come to: a step may have gone too far.
        times.retain(|t| *t <= last.t && 2.0 * at.t - t > last.t);
        if times.is_empty() && last.t < at.t {
            // It has not come nearer yet.
            times.push(last.t);
        }
        if times.is_empty() {
            return Err(Unpassed::TooShort(at));
        }
        times.reverse();
        let tried = [at.t - times[times.len() - 1], at.t - times[0]];
        let Some(states) = states(&times) else { return Err(Unpassed::TooShort(at)) };
        let measure = Independence::new(self);
        let enough = tolerance.max(ROUNDING);
        let good = GOOD * enough;
        let mut best: Option<Passage> = None;
        // The farthest first.
        for from in states.iter().rev() {
            let Some(found) = self.across(system, &measure, &at, from) else { continue };
            let error = found.error();
            if best.as_ref().is_none_or(|best| error < best.error()) {
                best = Some(found);
            } else if error > 1e2 * best.as_ref().map_or(0.0, Passage::error) {
                // From here on it is rounding that grows.
                break;
            }
            if error <= good {
                break;
            }
        }
        let error = best.as_ref().map(Passage::error);
        best.filter(|best| best.error() <= enough).ok_or_else(|| match tried[0] * self.pace(&last.v) < SHORT {
            true => Unpassed::TooShort(at),
            false => Unpassed::NotSmooth { at, tried, error, tolerance },
        })
    }

    /// The passage from a state, with the point in its middle.
    fn across(
        &self,
        system: &dyn ConstrainedSystem,
        measure: &Independence,
        at: &Singular,
        from: &State,
    ) -> Option<Passage> {
        let mut t = at.t;
        for _ in 0..3 {
            let across = Across::new(system, from, 2.0 * t - from.t).ok()?;
            let h = across.end().t - from.t;
            let (tip, weakest) = measure.tip(from.t + 0.25 * h, from.t + 0.75 * h, |t| across.at(t).q);
            if (tip - t).abs() <= OFF * h {
                let named = self.singular(&across.at(tip));
                let joints = named.map_or_else(|| at.joints.clone(), |named| named.joints);
                let times = from.t..across.end().t;
                return Some(Passage { at: Singular { t: tip, joints, weakest }, times, across });
            }
            t = tip;
        }
        None
    }
}

impl Through<'_> {
    /// The state at a time, none outside of what was computed. Within a passage q, v and a are continued, and multipliers are not a number:
    /// reactions are not determined there.
    pub fn at(&self, t: f64) -> Option<State> {
        if let Some(passage) = self.passages.iter().find(|passage| t > passage.times.start && t < passage.times.end) {
            return Some(passage.state(t));
        }
        let number = self.passages.partition_point(|passage| passage.times.end <= t);
        self.pieces.get(number)?.at(t).ok()
    }
}
