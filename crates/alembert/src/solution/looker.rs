//! Looks into steps that were made long ago.
//!
//! ```text
//! samples of the method's own cubics            where they are as accurate as the steps (alpha methods)
//! polynomials from the ends, see `between`      otherwise, made when first asked for
//! where there are none, because the step does not resolve what moves (stiff springs):
//!   samples of the method's own polynomials     BDF; in its first steps, with few points behind them, they are of a low degree
//!   a shorter step, or a few, from the start    Radau
//! then: onto the constraints, with the accelerations and multipliers that belong to q and v
//! ```

use super::StepRecord;
use crate::integrator::mode::{Mode, complete};
use crate::method::StepFailure;
use crate::state::State;

/// Numbers of parts in which a step is made again up to a time inside it; the first that meets the tolerance serves.
const PARTS: [u32; 4] = [1, 4, 16, 64];

/// The systems of a run, with what it takes to evaluate them.
pub(super) struct Looker<'s> {
    modes: Vec<Mode<'s>>,
    /// Whether steps had to meet the tolerance, so that those made again must as well.
    by_error: bool,
    /// The number of the step whose polynomials are there.
    at: Option<usize>,
}

impl<'s> Looker<'s> {
    /// Takes over what a run was made with.
    pub fn new(modes: Vec<Mode<'s>>, by_error: bool) -> Self {
        Looker { modes, by_error, at: None }
    }

    /// The state at a time inside the step of this number, which began at `from`.
    pub fn state(&mut self, number: usize, from: &State, step: &StepRecord, t: f64) -> Result<State, StepFailure> {
        let (mode, ends) = (&mut self.modes[step.mode], [from, &step.state]);
        let mut out = from.clone();
        if let Some(samples) = step.samples.as_ref().filter(|samples| samples.is_cubic()) {
            samples.write(&mode.equations, ends, t, &mut out);
        } else {
            if self.at.replace(number) != Some(number) {
                mode.forget();
            }
            let resolved = mode.resolves_between(ends);
            match (mode.between.as_mut().filter(|_| resolved), &step.samples) {
                (Some(between), _) => between.interpolate(&mode.equations, t, &mut out),
                (None, Some(samples)) => samples.write(&mode.equations, ends, t, &mut out),
                (None, None) => return again(mode, from, t, self.by_error),
            }
        }
        complete(&mut mode.equations, &mut mode.tools, &mut out)?;
        Ok(out)
    }
}

/// Makes a step to `t` from where another one began, in as few parts as meet the tolerance.
fn again(mode: &mut Mode, from: &State, t: f64, by_error: bool) -> Result<State, StepFailure> {
    let mut found = None;
    for parts in PARTS {
        match walk(mode, from, t, parts) {
            Ok((state, norm)) if norm <= 1.0 || !by_error => return Ok(state),
            Ok((state, _)) => found = Some(Ok(state)),
            Err(failure) => found = found.or(Some(Err(failure))),
        }
    }
    // If not even the largest number of parts meets the tolerance, its result is the best there is.
    found.unwrap_or_else(|| Ok(from.clone()))
}

/// The state after some equal steps, and the largest of their estimated errors in units of the tolerance.
fn walk(mode: &mut Mode, from: &State, t: f64, parts: u32) -> Result<(State, f64), StepFailure> {
    mode.restart(from)?;
    let mut largest = 0.0_f64;
    for k in 0..parts {
        let h = (t - mode.method.state().t) / f64::from(parts - k);
        let attempt = mode.method.attempt(&mut mode.equations, h)?;
        largest = attempt.error.map_or(largest, |error| largest.max(error.norm));
        mode.method.accept();
    }
    let mut state = mode.method.state().clone();
    state.t = t;
    Ok((state, largest))
}
