//! The verdict on a ladder: error bars, and reasons not to trust them.
//!
//! ```text
//! bar       = 1.1 E + 2 U + u    E the error of the run against the truth, U the difference of the two references,
//!                                u = 1e-12 (1 + size): better no reference is known
//! tolerance = atol + rtol size   size the largest entry of a quantity in the motion; without atol, rtol (assumed + size) with
//!                                the size that the run assumed for q and v
//! ```
//!
//! A tenth is added because errors are measured at some rows only; against an exact solution U and u are zero.

use alembert_model::run::{NEWTON_TOLERANCE, Steps};

use super::ladder::Ladder;
use super::track::{Errors, QUANTITIES, parts};

/// No error above so many tolerances is certified.
pub const MOST_TOLERANCES: f64 = 100.0;
/// With fixed steps no tolerance is asked for: no error above this share of a quantity's size is certified.
const LARGEST_SHARE: f64 = 0.1;
/// What is below this share of the largest quantity counts as zero.
const NOTHING: f64 = 1e-12;
/// Multipliers are taken to be at least this share of the largest quantity.
const CANCELLED: f64 = 1e-2;
/// Errors below this share of a quantity's size are rounding: they need not shrink further.
const ROUNDING: f64 = 1e-9;
/// In each fixed step Newton's method may leave [`NEWTON_TOLERANCE`]; a quarter of them adds up.
const ADDS_UP: f64 = 0.25;
/// Over the whole ladder order 1 gains a factor of 8; half of that is left for luck.
const GAIN: f64 = 0.25;
/// A rung that is worse than the one before by more than this factor is not bad luck.
const WORSE: f64 = 1.5;
/// An error that shrinks by less than this in the last rung has stopped shrinking.
const STOPS: f64 = 0.9;

/// What the numbers are measured with.
pub struct Measure {
    /// The largest entry of each quantity.
    pub size: [f64; 5],
    /// One tolerance of each quantity, where steps are chosen by tolerance.
    pub tolerance: Option<[f64; 5]>,
}

impl Measure {
    pub fn new(ladder: &Ladder) -> Measure {
        let mut size = [0.0_f64; 5];
        for state in &ladder.judged().track.states {
            for (size, part) in size.iter_mut().zip(parts(state)) {
                *size = part.iter().filter(|x| x.is_finite()).fold(*size, |max, x| max.max(x.abs()));
            }
        }
        let tolerance = match ladder.judged().steps {
            Steps::ByError { rtol, atol: Some(atol) } => Some(size.map(|size| atol + rtol * size)),
            Steps::ByError { rtol, atol: None } => {
                // What is nothing beside the others is rounding, and so are its errors; multipliers follow from forces that
                // may cancel.
                let most = size.iter().fold(f64::MIN_POSITIVE, |max, size| size.max(max));
                let assumed = ladder.judged().assumed;
                let scale = |i: usize| match i {
                    0 | 1 => assumed[i].max(size[i]) + size[i],
                    2 => 2.0 * if size[i] > NOTHING * most { size[i] } else { most },
                    _ => 2.0 * size[i].max(CANCELLED * most),
                };
                Some(std::array::from_fn(|i| rtol * scale(i)))
            }
            Steps::Fixed { .. } => None,
        };
        Measure { size, tolerance }
    }

    /// The largest error of each quantity that is certified.
    pub fn certified(&self) -> [f64; 5] {
        match self.tolerance {
            Some(tolerance) => tolerance.map(|tolerance| MOST_TOLERANCES * tolerance),
            None => self.size.map(|size| LARGEST_SHARE * (1.0 + size)),
        }
    }

    /// What an error is, in words.
    pub fn told(&self, i: usize, error: f64) -> String {
        match self.tolerance {
            Some(tolerance) => format!("{error:.1e} = {} tolerances", short(error / tolerance[i])),
            None => format!("{error:.1e} where its size is {:.1e}", self.size[i]),
        }
    }
}

/// A number of tolerances with two digits.
pub fn short(x: f64) -> String {
    if x < 0.095 {
        format!("{x:.0e}")
    } else if x < 9.95 {
        format!("{x:.1}")
    } else if x < 9999.5 {
        format!("{x:.0}")
    } else {
        format!("{x:.1e}")
    }
}

/// The bars of the run that is judged; `least` is what the truth itself is good for, relative to 1 + size.
pub fn bars(errors: &Errors, uncertainty: &Errors, size: &[f64; 5], least: f64) -> Errors {
    std::array::from_fn(|i| Some(1.1 * errors[i]? + 2.0 * uncertainty[i].unwrap_or(0.0) + least * (1.0 + size[i])))
}

/// Observed orders of the last two rungs with fixed steps, where errors are above rounding.
pub fn orders(ladder: &Ladder, floor: &[f64; 5]) -> Errors {
    std::array::from_fn(|i| match known(ladder, i)[..] {
        [.., (_, coarse), (Steps::Fixed { .. }, fine)] if fine > floor[i] => Some((coarse / fine).log2()),
        _ => None,
    })
}

/// The rungs that have errors of a quantity.
fn known(ladder: &Ladder, i: usize) -> Vec<(&Steps, f64)> {
    ladder.rungs.iter().filter_map(|rung| Some((&rung.steps, rung.errors[i]?))).collect()
}

/// Errors that are rounding, or those of the reference. Accelerations and multipliers of stiff systems are as sensitive to
/// rounding as the coarse runs show them to be to errors of q and v.
pub fn floor(ladder: &Ladder, measure: &Measure, uncertainty: &Errors) -> [f64; 5] {
    let relative = |errors: &Errors, i: usize| errors[i].map_or(0.0, |error| error / (1.0 + measure.size[i]));
    let sensitivity = |i: usize| {
        let seen = ladder.rungs.iter().map(|rung| {
            let state = relative(&rung.errors, 0).max(relative(&rung.errors, 1));
            if state > 0.0 { relative(&rung.errors, i) / state } else { 1.0 }
        });
        if i < 2 { 1.0 } else { seen.fold(1.0, f64::max).min(1e6) }
    };
    let newton = match ladder.judged().steps {
        Steps::Fixed { .. } => {
            ADDS_UP * NEWTON_TOLERANCE * ladder.rungs.iter().map(|rung| rung.count).max().unwrap_or(0) as f64
        }
        Steps::ByError { .. } => 0.0,
    };
    std::array::from_fn(|i| {
        let rounding = ROUNDING.max(newton) * (1.0 + measure.size[i]) * sensitivity(i);
        rounding.max(2.0 * uncertainty[i].unwrap_or(0.0))
    })
}

/// Errors that do not shrink as they must, in words: all rungs are looked at.
pub fn irregularities(ladder: &Ladder, measure: &Measure, floor: &[f64; 5]) -> Vec<String> {
    let mut found = Vec::new();
    for (i, name) in QUANTITIES.iter().enumerate() {
        let rungs = known(ladder, i);
        let [(_, first), .., (finest, last)] = rungs[..] else { continue };
        // An error below the tolerance that was asked for is good enough, and may be so by luck on the first rung.
        let good = floor[i].max(measure.tolerance.map_or(0.0, |tolerance| tolerance[i]));
        let worse = rungs.windows(2).find(|pair| pair[1].1 > good && pair[1].1 > WORSE * pair[0].1);
        let gain = GAIN.max(2.0 * 0.5_f64.powi(rungs.len() as i32 - 1));
        let before = rungs[rungs.len() - 2].1;
        if let Some(pair) = worse {
            let ((coarse, x), (fine, y)) = (pair[0], pair[1]);
            found.push(format!(
                "the error of {name} grows from {x:.1e} at {} to {y:.1e} at {}",
                brief(coarse),
                brief(fine)
            ));
        } else if last > good && last > gain * first {
            found.push(format!("the error of {name} does not shrink: {first:.1e}, then {last:.1e}"));
        } else if last > good && last > STOPS * before {
            found.push(format!("the error of {name} stops shrinking at {last:.1e}, before {}", brief(finest)));
        }
    }
    found
}

/// Steps in a few letters.
fn brief(steps: &Steps) -> String {
    match steps {
        Steps::ByError { rtol, .. } => format!("rtol = {rtol:e}"),
        Steps::Fixed { .. } => steps.to_string(),
    }
}

/// Errors that are too large to be certified.
pub fn excesses(bars: &Errors, uncertainty: &Errors, measure: &Measure) -> Vec<String> {
    let certified = measure.certified();
    let mut found = Vec::new();
    for (i, name) in QUANTITIES.iter().enumerate() {
        let Some(bar) = bars[i].filter(|bar| bar.is_nan() || *bar > certified[i]) else { continue };
        let doubtful = uncertainty[i].is_some_and(|u| 2.0 * u > certified[i]);
        found.push(if doubtful {
            format!("the two references of {name} differ by {}", measure.told(i, uncertainty[i].unwrap_or(bar)))
        } else {
            format!("the error of {name} is {}", measure.told(i, bar))
        });
    }
    found
}
