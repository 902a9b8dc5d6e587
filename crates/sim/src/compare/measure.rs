//! Runs of one method up its ladder: time, counters and errors at the end.

use std::error::Error;
use std::time::{Duration, Instant};

use alembert::method::{Accumulation, BadMethod, Method, Scheme};
use alembert::{ConsistentState, Equations, State, Stats, Tolerance, Unobserved};
use alembert_problems::Problem;

use super::methods::{Candidate, Ladder};
use crate::trail::Trail;
use crate::trial::{Steps, distance, prepare, start};

/// Newton's tolerance where steps are prescribed: below every error that their ladder reaches.
const NEWTON: f64 = 1e-11;
/// Repeats go on until this much time is spent on a run, so that short runs are repeated often.
const ENOUGH: Duration = Duration::from_millis(100);
/// After a run that takes longer than this, finer ones are not begun.
const LONG: Duration = Duration::from_secs(20);

/// A problem with its start and its end.
pub struct Bench<'p> {
    problem: &'p Problem,
    start: ConsistentState,
    reference: State,
    repeats: u32,
    /// atol_v / atol_q of runs by error.
    velocity_tolerance: f64,
}

/// A scheme with another tolerance of velocities.
struct Loosened<'s> {
    scheme: &'s dyn Scheme,
    factor: f64,
}

impl Scheme for Loosened<'_> {
    fn name(&self) -> &'static str {
        self.scheme.name()
    }

    fn needs_dense(&self) -> bool {
        self.scheme.needs_dense()
    }

    fn accumulation(&self) -> Accumulation {
        self.scheme.accumulation()
    }

    fn build(&self, equations: &Equations, tolerance: Tolerance) -> Result<Box<dyn Method>, BadMethod> {
        self.scheme.build(equations, Tolerance { atol_v: self.factor * tolerance.atol_v, ..tolerance })
    }
}

/// One run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Name of the method.
    pub method: &'static str,
    /// What figures call it.
    pub label: &'static str,
    /// None where the method does not suit the problem at all.
    pub steps: Option<Steps>,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// At the end.
    Reached(Box<Reached>),
    /// With this message.
    Failed(String),
}

/// What a run that reached the end gave.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The fastest repeat, in seconds.
    pub time: f64,
    /// What it cost.
    pub stats: Stats,
    /// q at the end.
    pub end: Vec<f64>,
    /// Errors of q, v, lambda, psi at the end, 2-norm; none where there are no such quantities.
    pub errors: [Option<f64>; 4],
    /// Largest component of the errors of q and v.
    pub largest: [f64; 2],
    /// The same, each relative to its component of the reference.
    pub relative: [f64; 2],
}

impl<'p> Bench<'p> {
    /// Finds the start and the reference.
    pub fn new(problem: &'p Problem, repeats: u32, velocity_tolerance: f64) -> Result<Self, Box<dyn Error>> {
        Tolerance { rtol: 0.1, atol_q: 1.0, atol_v: velocity_tolerance }.checked()?;
        let reference = Trail::new(problem).at(problem.t_end).map_err(|failure| {
            format!("its reference, {}, does not reach the end: {failure}", super::origin::name(problem))
        })?;
        Ok(Bench { problem, start: start(problem)?, reference, repeats, velocity_tolerance })
    }

    /// Every rung of a method's ladder, coarse to fine.
    pub fn ladder(&self, method: &Candidate) -> Vec<Run> {
        let run = |steps, outcome| Run { method: method.name, label: method.label, steps, outcome };
        let mut runs = Vec::new();
        let mut last = Duration::ZERO;
        for steps in self.rungs(method.ladder()) {
            if last > LONG {
                let message = format!("not begun: the run before took {:.0} s", last.as_secs_f64());
                runs.push(run(Some(steps), Outcome::Failed(message)));
                continue;
            }
            let clock = Instant::now();
            match self.measure(method, steps) {
                Ok(outcome) => runs.push(run(Some(steps), outcome)),
                // The method cannot even begin, whatever the steps are; this is said once.
                Err(error) => return vec![run(None, Outcome::Failed(error.to_string()))],
            }
            last = clock.elapsed();
        }
        runs
    }

    fn rungs(&self, ladder: Ladder) -> Vec<Steps> {
        let span = self.problem.t_end - self.problem.start.t;
        match ladder {
            Ladder::Tolerances(tolerances) => tolerances.iter().map(|&tol| Steps::ByError(tol)).collect(),
            Ladder::Steps(counts) => {
                counts.iter().map(|&n| Steps::Fixed { h: span / f64::from(n), newton: NEWTON }).collect()
            }
        }
    }

    /// A run and its repeats; an error if the method does not suit the problem.
    fn measure(&self, method: &Candidate, steps: Steps) -> Result<Outcome, Box<dyn Error>> {
        let rtol = match steps {
            Steps::ByError(tol) => Some(tol),
            Steps::Fixed { .. } => None,
        };
        let scheme = method.scheme(rtol)?;
        let factor = if matches!(steps, Steps::ByError(_)) { self.velocity_tolerance } else { 1.0 };
        let scheme = Loosened { scheme: &*scheme, factor };
        let (mut best, mut spent, mut count) = (f64::INFINITY, Duration::ZERO, 0);
        loop {
            let mut integrator = prepare(self.problem, &self.start, &scheme, steps)?;
            let clock = Instant::now();
            if let Err(error) = integrator.run(self.problem.t_end, &mut Unobserved) {
                return Ok(Outcome::Failed(error.to_string()));
            }
            let time = clock.elapsed();
            (best, spent, count) = (best.min(time.as_secs_f64()), spent + time, count + 1);
            // One second is measured well enough by one run.
            let settled = count >= self.repeats && spent >= ENOUGH;
            if settled || spent > Duration::from_secs(1) || count >= 100 * self.repeats {
                return Ok(Outcome::Reached(Box::new(self.result(best, integrator.stats(), integrator.state()))));
            }
        }
    }

    fn result(&self, time: f64, stats: Stats, end: &State) -> Reached {
        let exact = &self.reference;
        let error = |x: &[f64], y: &[f64]| (!x.is_empty()).then(|| distance(x, y));
        let each = |x: &[f64], y: &[f64], scale: fn(f64) -> f64| {
            x.iter().zip(y).fold(0.0, |largest, (x, y)| f64::max(largest, (x - y).abs() / scale(*y)))
        };
        let of = |scale: fn(f64) -> f64| [each(&end.q, &exact.q, scale), each(&end.v, &exact.v, scale)];
        Reached {
            time,
            stats,
            end: end.q.clone(),
            errors: [
                error(&end.q, &exact.q),
                error(&end.v, &exact.v),
                error(&end.lambda, &exact.lambda),
                error(&end.psi, &exact.psi),
            ],
            largest: of(|_| 1.0),
            relative: of(f64::abs),
        }
    }
}
