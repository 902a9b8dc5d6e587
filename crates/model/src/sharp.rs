//! Where the inputs of a model are sharp: found before a run, from the formulas that depend on t alone.
//!
//! ```text
//! samples      of each such formula at equal distances d; sharp where x_i is off the mean of its neighbours by 1e-3 of the range
//! kinks        abs u, sign u, step u, min, max: where u(t) changes its sign, by bisection to rounding
//! hidden       zeros and extrema of u(t) in exp u, tanh u, u u, 1/u ...: a pulse narrower than d can only be there. The formula is
//!              looked at around them at distances d, d/2, d/4, ...
//! ```
//!
//! A run starts afresh at kinks, lands where something sharp begins and ends, and takes short steps in between. Formulas that depend
//! on q or v, oscillations that are faster than the samples, and pulses of another form cannot be seen.

mod profile;
mod search;

use alembert::BadTime;
use alembert::Integrator;

pub(crate) use profile::Profile;

/// A time span in which an input is sharp.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// The longest step inside.
    pub longest: f64,
    /// What is sharp, in words.
    pub what: String,
}

/// Where the inputs of a model are sharp.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sharpness {
    /// Kinks and jumps: the last time before and the first one after.
    pub kinks: Vec<(f64, f64)>,
    /// What has them first, in words.
    pub kinked: String,
    /// Pulses and steep ramps.
    pub windows: Vec<Window>,
    /// Whether there were more of either than can be landed on.
    pub too_many: bool,
}

impl Sharpness {
    /// Lets an integrator with error control land where inputs are sharp.
    ///
    /// # Errors
    /// If a time is not a number, which a search does not give.
    pub fn prepare(&self, integrator: &mut Integrator) -> Result<(), BadTime> {
        integrator.restart_between(&self.kinks)?;
        for window in &self.windows {
            integrator.land_on(&[window.from, window.to])?;
            integrator.limit_steps(window.from, window.to, window.longest)?;
        }
        Ok(())
    }

    /// What was found, one line for each kind; nothing where all is smooth.
    pub fn words(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some((_, first)) = self.kinks.first() {
            let rest = match self.kinks.len() {
                1 => String::new(),
                2 => " and at one other time".to_owned(),
                n => format!(" and at {} other times", n - 1),
            };
            lines.push(format!("{} has a kink or jump at t = {first:.9}{rest}", self.kinked));
        }
        if let Some(Window { from, to, what, .. }) = self.windows.first() {
            let rest = match self.windows.len() {
                1 => String::new(),
                2 => " and in one other span".to_owned(),
                n => format!(" and in {} other spans", n - 1),
            };
            lines.push(format!("{what} is sharp at t = {from:.9} .. {to:.9}{rest}"));
        }
        if self.too_many {
            lines.push("inputs are sharp at more times than can be landed on".to_owned());
        }
        lines
    }
}
