//! Through singular configurations, on the branch that momentum gives.
//!
//! Where constraints become dependent (a parallelogram that is flat), branches of motion meet, and reactions grow beyond all bounds:
//! nothing in the equations there says how to go on. The motion that comes in is analytic, and goes on as such: its velocities
//! before the point tell those behind it. So a run that stops there is continued by
//!
//! ```text
//! v(t), t0 - W <= t <= t0: a polynomial of degree 10 through Chebyshev's points, taken on to t1
//! q' = v from t0 to t1, then the nearest consistent state:  on the right branch if the distance of branches at t1 is more than the error
//! ```
//!
//! with t0 and t1 on both sides of the point, at a turn of about 0.02 rad from it, and W ten times as long as t1 - t0. Noise of v is multiplied by 250. In between
//! there are q, v and v', and no reactions.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use alembert::integrator::{IntegrateError, Obstacle};
use alembert::rotation::{cross, exp, product};
use alembert::solve::SolveError;
use alembert::{Advised, ConstrainedSystem, Guess, Plan, Solution, State, solve};

use crate::analysis::block::DEPENDENT;
use crate::analysis::quoted;
use crate::mechanism::Mechanism;
use crate::node::Kind;

/// Rows that are independent by less than this are near a singular configuration.
const NEAR: f64 = 0.05;
/// How far from the point it is left out, in radians or sizes of the mechanism.
const ASIDE: f64 = 0.02;
/// How much longer than the jump the stretch before it is, and how much shorter it may be after a start.
const LONGER: f64 = 10.0;
const SHORTEST: f64 = 2.0;
/// Degree of the polynomial.
const DEGREE: usize = 10;
/// Parts of the jump while q is found from v.
const PARTS: usize = 16;
/// What the repair behind the point may move, relative to the size.
const REPAIR: f64 = 1e-5;

/// A configuration in which constraints become dependent that are not so elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Singular {
    /// When.
    pub t: f64,
    /// The joints, drivers and couplings whose constraints do.
    pub joints: Vec<String>,
    /// How independent the weakest of them still is; 1 at most.
    pub weakest: f64,
}

impl fmt::Display for Singular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Singular { t, joints, weakest } = self;
        write!(f, "singular configuration at t = {t:.6}: the constraints of {} become dependent", quoted(joints))?;
        write!(f, " (independent by {weakest:.1e})")
    }
}

/// A passage through a singular configuration.
#[derive(Clone, Debug)]
pub struct Passage {
    /// Where the run had stopped.
    pub at: Singular,
    /// The times between which the motion is a continuation of what was before.
    pub times: Range<f64>,
    velocities: Polynomial,
    q: Vec<f64>,
    /// How many multipliers there are, of both kinds.
    multipliers: [usize; 2],
}

/// A motion through singular configurations: solutions, and passages between them.
#[derive(Debug)]
pub struct Through<'m> {
    mechanism: &'m Mechanism,
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
    /// There is too little motion before the singular configuration to tell how it goes on.
    TooShort(Singular),
    /// What the motion before leads to is not on the constraints behind.
    NotSmooth(Singular),
}

impl Advised for Unpassed {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unpassed::Start(error) => error.tell(f),
            Unpassed::Run(error) => error.tell(f),
            Unpassed::TooShort(at) => {
                write!(f, "{at}, too soon after a start or another one to tell how the motion goes on")
            }
            Unpassed::NotSmooth(at) => write!(f, "{at}, and the motion does not go on smoothly behind it"),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Unpassed::Start(error) => error.hint(),
            Unpassed::Run(error) => error.hint(),
            Unpassed::TooShort(_) => Some("start farther away from the singular configuration".to_owned()),
            Unpassed::NotSmooth(_) => Some("let it run to a closer tolerance, or stop there".to_owned()),
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

/// Functions of time through points, by barycentric weights.
#[derive(Clone, Debug)]
struct Polynomial {
    times: Vec<f64>,
    values: Vec<Vec<f64>>,
}

impl Polynomial {
    /// Chebyshev's points of the second kind, the end included.
    fn times(from: f64, to: f64) -> Vec<f64> {
        let place = |k: usize| (std::f64::consts::PI * k as f64 / DEGREE as f64).cos();
        (0..=DEGREE).map(|k| 0.5 * (from + to) + 0.5 * (to - from) * place(k)).collect()
    }

    fn at(&self, t: f64) -> Vec<f64> {
        let mut sum = vec![0.0; self.values[0].len()];
        let mut whole = 0.0;
        for (k, (time, value)) in self.times.iter().zip(&self.values).enumerate() {
            if t == *time {
                return value.clone();
            }
            let half = if k == 0 || k == DEGREE { 0.5 } else { 1.0 };
            let weight = half * if k % 2 == 0 { 1.0 } else { -1.0 } / (t - time);
            whole += weight;
            sum.iter_mut().zip(value).for_each(|(sum, value)| *sum += weight * value);
        }
        sum.iter_mut().for_each(|sum| *sum /= whole);
        sum
    }

    /// Its derivative, by differences of fourth order.
    fn slope(&self, t: f64) -> Vec<f64> {
        let e = 1e-3 * (self.times[0] - self.times[DEGREE]);
        let [one, two] = [e, 2.0 * e].map(|e| [self.at(t + e), self.at(t - e)]);
        let slope = |i: usize| (8.0 * (one[0][i] - one[1][i]) - (two[0][i] - two[1][i])) / (12.0 * e);
        (0..one[0].len()).map(slope).collect()
    }
}

impl Mechanism {
    /// The joints whose constraints become dependent at a state, if it is near a singular configuration.
    pub fn singular(&self, state: &State) -> Option<Singular> {
        let weights = self.weights();
        let usual = self.decide(&self.guess().q, &weights, DEPENDENT);
        let (mut joints, mut weakest) = (Vec::new(), 1.0_f64);
        let own = self.system().description().dims.q.min(state.q.len());
        for block in self.decide(&state.q[..own], &weights, NEAR) {
            let before = usual.iter().find(|other| other.columns == block.columns);
            if before.is_none_or(|before| before.null.rows() >= block.null.rows()) {
                continue;
            }
            weakest = weakest.min(block.qr.dropped);
            joints.extend(self.sharing(&block).into_iter().map(|at| self.constraint_names()[at].clone()));
        }
        (!joints.is_empty()).then_some(Singular { t: state.t, joints, weakest })
    }

    /// The motion over a range of times, through singular configurations on the branch that momentum gives. The plan is made anew
    /// for each piece.
    ///
    /// # Errors
    /// If it stops for another reason, or too little of the motion is known to tell how it goes on.
    pub fn solve_through<'m>(
        &'m self,
        times: Range<f64>,
        plan: impl Fn() -> Plan<'m>,
    ) -> Result<Through<'m>, Unpassed> {
        let mut through = Through { mechanism: self, pieces: Vec::new(), passages: Vec::new() };
        let mut guess = self.guess().clone();
        loop {
            let from = guess.t;
            let piece =
                solve(self.system(), &guess, from..times.end, plan()).map_err(|e| Unpassed::Start(Box::new(e)))?;
            if let Some(passage) = through.passages.last() {
                self.leads_to(passage, piece.start())?;
            }
            let Err(error) = piece.outcome() else {
                through.pieces.push(piece);
                return Ok(through);
            };
            let Some(at) = self.stopped_at(error, piece.last()) else {
                return Err(Unpassed::Run(Box::new(error.clone())));
            };
            let states = |times: &[f64]| times.iter().map(|t| piece.at(*t).ok()).collect();
            let passage = self.passage(at, &piece.last().v, *piece.range().start(), states)?;
            let t = passage.times.end;
            if t >= times.end {
                // The end of the range lies in the passage.
                through.pieces.push(piece);
                through.passages.push(passage);
                return Ok(through);
            }
            let State { q, v, .. } = self.during(&passage, t);
            guess = Guess::new(t, q, v);
            through.pieces.push(piece);
            through.passages.push(passage);
        }
    }

    /// How fast the fastest body moves, in radians or sizes of the mechanism.
    fn pace(&self, v: &[f64]) -> f64 {
        let (weights, size) = (self.weights(), self.size());
        let bodies = self.assembly.nodes().iter().filter(|node| matches!(node.kind, Kind::Spatial | Kind::Planar));
        let square = |first: usize, count: usize| (first..first + count).map(|j| weights[j] * v[j] * v[j]).sum::<f64>();
        bodies.map(|node| square(node.v, node.kind.sizes()[1]).sqrt()).fold(0.0_f64, f64::max) / size
    }

    /// The largest difference of two configurations of bodies: shifts relative to the size, angles and quaternions as they are.
    fn way(&self, q: &[f64], other: &[f64]) -> f64 {
        let size = self.size();
        let mut farthest = 0.0_f64;
        for node in self.assembly.nodes().iter().filter(|node| node.kind != Kind::Number) {
            let ([all, _], [shifts, _]) = (node.kind.sizes(), node.kind.columns());
            for i in 0..all {
                let apart = (q[node.q + i] - other[node.q + i]).abs();
                farthest = farthest.max(if i < shifts { apart / size } else { apart });
            }
        }
        farthest
    }

    /// The singular configuration at which a run has stopped, if that is why it did.
    pub fn stopped_at(&self, error: &IntegrateError, last: &State) -> Option<Singular> {
        let stopped = matches!(
            error,
            IntegrateError::Step { .. }
                | IntegrateError::StepTooSmall { cause: Obstacle::Failure(_) | Obstacle::Error(_), .. }
        );
        self.singular(last).filter(|_| stopped)
    }

    /// How far a motion of these velocities goes in a time, in units of the stretch before a passage at them: with 1 there is enough to tell how it goes on.
    pub fn share_of_stretch(&self, v: &[f64], time: f64) -> f64 {
        time * self.pace(v) / (2.0 * (1.0 + LONGER) * ASIDE)
    }

    /// The passage through a singular configuration at which a smooth motion has stopped with velocities v, having begun at a time;
    /// `states` has the states at the times it is asked for, which lie before and go backwards. Behind the coordinates of the mechanism
    /// states may have others with q' = v.
    ///
    /// # Errors
    /// If there is too little motion before, or no state at one of the times.
    pub fn passage(
        &self,
        at: Singular,
        v: &[f64],
        begin: f64,
        states: impl FnOnce(&[f64]) -> Option<Vec<State>>,
    ) -> Result<Passage, Unpassed> {
        let aside = ASIDE / self.pace(v).max(f64::MIN_POSITIVE);
        let (from, to) = (at.t - aside, at.t + aside);
        let first = (from - LONGER * (to - from)).max(begin);
        let known = from - first;
        if known.is_nan() || known < SHORTEST * (to - from) {
            return Err(Unpassed::TooShort(at));
        }
        let times = Polynomial::times(first, from);
        let states = states(&times).filter(|states| states.len() == times.len());
        let Some(states) = states else { return Err(Unpassed::TooShort(at)) };
        let State { q, lambda, psi, .. } = states[0].clone();
        let velocities = Polynomial { times, values: states.into_iter().map(|state| state.v).collect() };
        Ok(Passage { at, times: from..to, velocities, q, multipliers: [lambda.len(), psi.len()] })
    }

    /// The state at a time of a passage. q, v and a are continued from before; multipliers are not a number: reactions are not
    /// determined there.
    pub fn during(&self, passage: &Passage, t: f64) -> State {
        let [lambda, psi] = passage.multipliers.map(|count| vec![f64::NAN; count]);
        let (v, a) = (passage.velocities.at(t), passage.velocities.slope(t));
        State { t, q: self.along(passage, t), v, a, lambda, psi }
    }

    /// Whether a passage leads to a consistent state: that it is near to what was continued.
    ///
    /// # Errors
    /// If it is not.
    pub fn leads_to(&self, passage: &Passage, state: &State) -> Result<(), Unpassed> {
        let far = self.way(&self.along(passage, state.t), &state.q);
        if far <= REPAIR { Ok(()) } else { Err(Unpassed::NotSmooth(passage.at.clone())) }
    }

    /// q at a time of a passage: q' = v, turns by Magnus' formula of fourth order.
    fn along(&self, passage: &Passage, t: f64) -> Vec<f64> {
        let mut q = passage.q.clone();
        let from = passage.times.start;
        let h = (t - from) / PARTS as f64;
        let gauss = 0.5 * 3.0_f64.sqrt() / 3.0;
        for part in 0..PARTS {
            let middle = from + h * (part as f64 + 0.5);
            let [first, second] = [middle - gauss * h, middle + gauss * h].map(|t| passage.velocities.at(t));
            for node in self.assembly.nodes() {
                let [shifts, _] = node.kind.columns();
                let mean = |j: usize| 0.5 * h * (first[j] + second[j]);
                (0..shifts).for_each(|i| q[node.q + i] += mean(node.v + i));
                match node.kind {
                    Kind::Planar => q[node.q + 2] += mean(node.v + 2),
                    Kind::Spatial => {
                        let turns = |v: &[f64]| [v[node.v + 3], v[node.v + 4], v[node.v + 5]];
                        let bend = cross(&turns(&first), &turns(&second));
                        let factor = h * h * 3.0_f64.sqrt() / 12.0;
                        let turn = [0, 1, 2].map(|i| mean(node.v + 3 + i) + factor * bend[i]);
                        let own = [0, 1, 2, 3].map(|i| q[node.q + 3 + i]);
                        q[node.q + 3..node.q + 7].copy_from_slice(&product(&own, &exp(&turn)));
                    }
                    Kind::Ground | Kind::Number | Kind::Particle | Kind::PlanarParticle => {}
                }
            }
            let own = self.system().description().dims;
            for (q, j) in q.iter_mut().skip(own.q).zip(own.v..) {
                *q += 0.5 * h * (first[j] + second[j]);
            }
        }
        q
    }
}

impl Through<'_> {
    /// The state at a time, none outside of what was computed. Within a passage q, v and a are continued, and multipliers are not a number:
    /// reactions are not determined there.
    pub fn at(&self, t: f64) -> Option<State> {
        if let Some(passage) = self.passages.iter().find(|passage| t > passage.times.start && t < passage.times.end) {
            return Some(self.mechanism.during(passage, t));
        }
        let number = self.passages.partition_point(|passage| passage.times.end <= t);
        self.pieces.get(number)?.at(t).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use alembert::rotation::to_body;

    #[test]
    fn turns_that_do_not_commute_are_continued() {
        // R = exp(a t) exp(b t) turns with R_b^T a + b in body axes.
        let (a, b) = ([0.3, -0.8, 0.5], [1.1, 0.4, -0.6]);
        let turn = |t: f64| product(&exp(&a.map(|x| x * t)), &exp(&b.map(|x| x * t)));
        let spin = |t: f64| {
            let inside = to_body(&exp(&b.map(|x| x * t)), &a);
            vec![2.0 * t, t.cos(), 1.0, inside[0] + b[0], inside[1] + b[1], inside[2] + b[2]]
        };
        let mut builder = Mechanism::builder();
        builder.body("free", Body::new(1.0, [1.0; 3]));
        let mechanism = builder.build().expect("right");
        let (from, to) = (0.5, 0.6);
        let times = Polynomial::times(0.0, from);
        let velocities = Polynomial { values: times.iter().map(|t| spin(*t)).collect(), times };
        let mut q = vec![from * from, from.sin(), from];
        q.extend(turn(from));
        let at = Singular { t: 0.55, joints: Vec::new(), weakest: 0.0 };
        let passage = Passage { at, times: from..to, velocities, q, multipliers: [0, 0] };
        let found = mechanism.along(&passage, to);
        let expected: Vec<f64> = [to * to, to.sin(), to].into_iter().chain(turn(to)).collect();
        let off = found.iter().zip(&expected).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
        assert!(off < 1e-9, "{off:e}");
        let slope = passage.velocities.slope(to);
        assert!((slope[0] - 2.0).abs() < 1e-6 && (slope[1] + to.sin()).abs() < 1e-6, "{slope:?}");
    }
}
