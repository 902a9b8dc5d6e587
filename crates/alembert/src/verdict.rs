//! What is not as it should be: a result's residuals, energy balance and work beside what its steps promise.
//!
//! ```text
//! positions, velocities, nonholonomic   1e-11 of the terms of a row: rounding, at any tolerance
//! p, p_s                                (atol + rtol |x|)/|x| of velocities and displacements: the error a result and a step may have
//! accelerations                         sqrt(p); 1e-2 for prescribed steps
//! energy                                max(100 p, min(N p_s, 1e-2)) of what was turned over, N steps; 1e-2 for prescribed steps
//! tolerance                             what rounding lets the method meet
//! entries of the start                  1e-2 of their size
//! attempts made again                   half of all
//! shortest step                         1e-10 of the time covered; prescribed steps are not judged
//! ```
//!
//! If the error of each of N steps is below the tolerance of a step, that of the result is at most N such tolerances, unless the motion
//! amplifies it; [`Accumulation`](crate::method::Accumulation) makes it about one tolerance of the result. Of 159 runs of the
//! models of this project, by four methods at tolerances from 1e-4 to 1e-8, none had a defect above 0.14 N p; docs/verdict.md has
//! the table. Multipliers and BDF's accelerations are derivatives, which lose some of the digits.

use std::fmt;

use crate::audit::{ConstraintLevel, EnergyBalance};
use crate::initial::Move;
use crate::method::Caution;
use crate::summary::{Summary, short};
use crate::tolerance::Tolerance;

/// Errors of accelerations and multipliers are worth a warning if they are both this many tolerances and this large, relative to
/// the largest value.
const AMPLIFIED: f64 = 100.0;
const COARSE: f64 = 1e-2;
/// Residuals up to this share of their terms are rounding.
const ROUNDING: f64 = 1e-11;
/// The error of energies and accelerations up to which prescribed steps count as short enough.
const PRESCRIBED: f64 = 1e-2;
/// Any result may be off by this many tolerances.
const SLACK: f64 = 100.0;
/// Rounding of the energies themselves.
const ENERGY_ROUNDING: f64 = 1e-12;
/// The share of attempts that may be made again, and a number of attempts below which the share says nothing.
const AGAIN: f64 = 0.5;
const FEW: u64 = 20;
/// Steps shorter than this share of the time covered are worth a warning.
const SHORT: f64 = 1e-10;
/// How far an entry of a start may be moved, relative to its size, and how many entries are told.
const MOVED: f64 = 0.01;
const MOVED_TOLD: usize = 5;

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// A constraint is not met.
    Residual(ConstraintLevel),
    /// The energy balance does not close.
    Energy,
    /// Most of the work was thrown away.
    Again,
    /// Steps have become extremely short.
    ShortStep,
    /// The start is far from the one that was given.
    Start,
    /// The method has a property that spoils such results.
    Method,
    /// The tolerance is finer than what rounding lets the method meet.
    Rounding,
    /// Accelerations or multipliers are known much worse than positions and velocities.
    Derived,
}

impl Concern {
    /// One word, for machines.
    pub fn name(self) -> &'static str {
        match self {
            Concern::Residual(_) => "residual",
            Concern::Energy => "energy",
            Concern::Again => "rejected",
            Concern::ShortStep => "short_step",
            Concern::Start => "start",
            Concern::Method => "method",
            Concern::Rounding => "rounding",
            Concern::Derived => "derived",
        }
    }
}

/// Something that is not as it should be. As text it is a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// What it is about.
    pub concern: Concern,
    /// The constraint, or the quantity.
    pub subject: String,
    /// What was found.
    pub value: f64,
    /// What it must not exceed (or, for a short step, fall below).
    pub limit: f64,
    /// When.
    pub t: Option<f64>,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Warning { concern, subject, value, limit, t } = self;
        match concern {
            Concern::Residual(level) => {
                write!(f, "{subject} is not met: at the {level} level it is off by {value:.1e} of its terms")?;
            }
            Concern::Energy => write!(f, "{subject} is off by {value:.1e} of what was turned over")?,
            Concern::Again => write!(f, "{:.0} % of the {subject} were made again", 100.0 * value)?,
            Concern::ShortStep => write!(f, "{subject} is {value:.1e} of the time covered")?,
            Concern::Start => {
                write!(f, "the given value of {subject} was moved by {value:.1e} of its size onto the constraints")?;
            }
            Concern::Derived => write!(f, "{subject} are good to about {value:.1e} of their largest value only")?,
            Concern::Method => return f.write_str(subject),
            Concern::Rounding => {
                return write!(
                    f,
                    "rtol = {value:e} is too fine for {subject}, whose steps add up and would have to be exact to rounding; \
                     use Radau, or rtol = {limit:e}"
                );
            }
        }
        if let Some(t) = t {
            write!(f, " (t = {})", short(*t))?;
        }
        match concern {
            Concern::Residual(ConstraintLevel::Acceleration) | Concern::Energy => {
                write!(f, "; the steps chosen promise {limit:.1e}")
            }
            Concern::Residual(_) => write!(f, "; rounding is {limit:.0e}"),
            Concern::Again => write!(f, "; look for stiffness, jumps or noise in the formulas"),
            Concern::ShortStep => write!(f, "; the motion may be singular there"),
            Concern::Start => {
                write!(f, "; keep it with `fixed`, or give a start that is closer")
            }
            Concern::Derived => {
                write!(f, "; stiff forces amplify what the tolerance leaves of positions: choose a finer one")
            }
            Concern::Method | Concern::Rounding => Ok(()),
        }
    }
}

/// The error that a result within the tolerance may have, relative to the motion: p.
fn promise(summary: &Summary, tolerance: &Tolerance) -> f64 {
    let Tolerance { rtol, mut atol_q, mut atol_v } = *tolerance;
    if tolerance.is_relative() {
        (atol_q, atol_v) = (rtol * summary.sizes.q, rtol * summary.sizes.v);
    }
    // Without any motion the relative error may be anything.
    let beside = |atol: f64, size: f64, motion: f64| (atol + rtol * size) / motion.max(f64::MIN_POSITIVE);
    let velocity = beside(atol_v, summary.sizes.v, summary.sizes.v);
    let position = beside(atol_q, summary.sizes.q.max(summary.range), summary.range);
    velocity.max(position).max(rtol)
}

/// Everything that exceeds its limit.
pub(crate) fn warnings(summary: &Summary) -> Vec<Warning> {
    let promises = summary.tolerance.map(|tolerance| {
        [tolerance, summary.accumulation.of_steps(tolerance)].map(|tolerance| promise(summary, &tolerance))
    });
    let promise = promises.map(|[result, _]| result);
    let caution = |caution: &Caution| {
        let Caution { words, value, limit } = *caution;
        Warning { concern: Concern::Method, subject: words.to_owned(), value, limit, t: None }
    };
    let mut warnings: Vec<Warning> = summary.cautions.iter().map(caution).collect();
    let rtol = summary.tolerance.map_or(f64::INFINITY, |tolerance| tolerance.rtol);
    warnings.extend(summary.accumulation.unmet(rtol).map(|limit| {
        let subject = summary.method.to_owned();
        Warning { concern: Concern::Rounding, subject, value: rtol, limit, t: None }
    }));
    for worst in &summary.relative_residuals {
        let limit = match (worst.level, promise) {
            (ConstraintLevel::Acceleration, Some(promise)) => promise.sqrt().clamp(ROUNDING, 1.0),
            (ConstraintLevel::Acceleration, None) => PRESCRIBED,
            _ => ROUNDING,
        };
        if exceeds(worst.residual, limit) {
            let (concern, subject) = (Concern::Residual(worst.level), worst.constraint.clone());
            warnings.push(Warning { concern, subject, value: worst.residual, limit, t: Some(worst.t) });
        }
    }
    warnings.extend(summary.energy.as_ref().and_then(|balance| energy(balance, promises, summary.stats.steps)));
    let stats = &summary.stats;
    let again = (stats.rejected + stats.failed) as f64 / stats.attempts.max(1) as f64;
    if stats.attempts >= FEW && again > AGAIN {
        let subject = format!("{} attempted steps", stats.attempts);
        warnings.push(Warning { concern: Concern::Again, subject, value: again, limit: AGAIN, t: None });
    }
    warnings.extend(summary.derived.iter().flat_map(|derived| {
        let limit = (AMPLIFIED * rtol).max(COARSE);
        // Where there are no forces, an error relative to them says nothing.
        let beside = |error: f64, largest: f64| error / (1.0 + largest);
        let told = [
            ("accelerations", beside(derived.a, derived.largest_a)),
            ("multipliers", beside(derived.multipliers, derived.largest_multiplier)),
        ];
        told.into_iter().filter(move |(_, value)| exceeds(*value, limit)).map(move |(subject, value)| Warning {
            concern: Concern::Derived,
            subject: subject.to_owned(),
            value,
            limit,
            t: None,
        })
    }));
    // Prescribed steps are as short as they were asked to be.
    if let Some((h, t)) = summary.shortest.filter(|_| promise.is_some()) {
        let share = h / (summary.t - summary.t_start);
        if share < SHORT {
            let subject = format!("the shortest step, {h:.1e},");
            warnings.push(Warning { concern: Concern::ShortStep, subject, value: share, limit: SHORT, t: Some(t) });
        }
    }
    warnings
}

fn exceeds(value: f64, limit: f64) -> bool {
    value.is_nan() || value > limit
}

fn energy(balance: &EnergyBalance, promises: Option<[f64; 2]>, steps: u64) -> Option<Warning> {
    let limit =
        promises.map_or(PRESCRIBED, |[result, step]| (SLACK * result).max((steps as f64 * step).min(PRESCRIBED)));
    let rounding = ENERGY_ROUNDING * (balance.start.abs() + balance.kinetic.abs() + balance.potential.abs());
    // Perhaps nothing was turned over. A defect that is not a number must remain one.
    let share = if balance.largest <= rounding { 0.0 } else { (balance.largest - rounding) / balance.turnover };
    exceeds(share, limit).then(|| Warning {
        concern: Concern::Energy,
        subject: format!("the energy balance, with a defect of {:.1e},", balance.largest),
        value: share,
        limit,
        t: Some(balance.largest_at),
    })
}

/// Warnings about entries of a start that are not what was given, the farthest first; of many, a few.
pub fn far_start(moves: &[Move], t: f64) -> Vec<Warning> {
    let mut far: Vec<&Move> = moves.iter().filter(|moved| moved.share > MOVED).collect();
    far.sort_by(|a, b| b.share.total_cmp(&a.share));
    let more = far.len().saturating_sub(MOVED_TOLD);
    let told = far.into_iter().take(MOVED_TOLD).enumerate().map(|(k, moved)| {
        let others = if more > 0 && k + 1 == MOVED_TOLD { format!(", as were {more} more,") } else { String::new() };
        let subject = format!("{}{others}", moved.name);
        Warning { concern: Concern::Start, subject, value: moved.share, limit: MOVED, t: Some(t) }
    });
    told.collect()
}
