//! A result's own account of itself, in words.

use std::fmt;

use crate::audit::{EnergyBalance, LargestResidual, Sizes};
use crate::method::{Accumulation, Caution};
use crate::sensitivity::DerivedErrors;
use crate::stats::{Failures, Stats};
use crate::tolerance::Tolerance;
use crate::verdict::{Warning, warnings};

/// What an integration did and how well it kept what it must.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Time at the start.
    pub t_start: f64,
    /// Time reached.
    pub t: f64,
    /// The method of the present mode.
    pub method: &'static str,
    /// What the user must know of the parameters of the methods.
    pub cautions: Vec<Caution>,
    /// Counters.
    pub stats: Stats,
    /// Events so far.
    pub events: usize,
    /// The formula that the motion slid along last, and since when; see [`Description::switches`](crate::Description::switches).
    pub slid: Option<(String, f64)>,
    /// Largest residuals by level, with the constraint and the time.
    pub residuals: Vec<LargestResidual>,
    /// The same beside the terms of their rows, see [`crate::audit`].
    pub relative_residuals: Vec<LargestResidual>,
    /// Where the energy went, if the system says what its energy is.
    pub energy: Option<EnergyBalance>,
    /// What the steps were chosen for; nothing where they were prescribed.
    pub tolerance: Option<Tolerance>,
    /// How the tolerance of a step follows from it.
    pub accumulation: Accumulation,
    /// What was taken for large and small where the tolerance does not say; empty under absolute tolerances.
    pub typical: NamedSizes,
    /// The largest |q|, |v| and |a|.
    pub sizes: Sizes,
    /// How far a coordinate went from the start.
    pub range: f64,
    /// The shortest step and the time at which it began.
    pub shortest: Option<(f64, f64)>,
    /// How well accelerations and multipliers are known; nothing where steps were prescribed.
    pub derived: Option<DerivedErrors>,
}

/// [Typical sizes](crate::TypicalSizes) by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedSizes {
    /// Of coordinates.
    pub q: Vec<(String, f64)>,
    /// Of their velocities.
    pub v: Vec<(String, f64)>,
}

/// So many sizes, and no more, are told one by one.
const TOLD: usize = 6;

impl fmt::Display for NamedSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |sizes: &[(String, f64)]| {
            if sizes.len() <= TOLD {
                let told: Vec<String> = sizes.iter().map(|(name, size)| format!("{name} {size:.1e}")).collect();
                return told.join(", ");
            }
            let of = |a: &&(String, f64), b: &&(String, f64)| a.1.total_cmp(&b.1);
            match (sizes.iter().min_by(of), sizes.iter().max_by(of)) {
                (Some((least, small)), Some((most, large))) => {
                    format!("from {least} {small:.1e} to {most} {large:.1e}")
                }
                _ => String::new(),
            }
        };
        write!(f, "typical sizes assumed: {}; of velocities: {}", told(&self.q), told(&self.v))
    }
}

impl Summary {
    /// What was not as it should be, see [`crate::verdict`]; empty if all is well.
    pub fn warnings(&self) -> Vec<Warning> {
        warnings(self)
    }
}

/// A number to six digits: times in words need no more.
pub(crate) fn short(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats { steps, attempts, rejected, failed, failures, rows, .. } = self.stats;
        let Failures { diverged, not_finite, singular, ratio } = failures;
        writeln!(f, "{} went from t = {} to t = {} in {}", self.method, self.t_start, self.t, many(steps, "step"))?;
        if rejected + failed + rows.retries > 0 {
            let causes = [
                (rejected, "by the error test"),
                (diverged, "because Newton's method did not converge"),
                (not_finite, "because a function was not finite"),
                (singular, "at a singular configuration"),
                (ratio, "because a step was too long beside the one before"),
                (rows.retries, "to end at a row"),
            ];
            let told: Vec<String> =
                causes.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}")).collect();
            writeln!(f, "{} made again: {}", many(attempts.saturating_sub(steps), "attempt"), told.join(", "))?;
        }
        if self.stats.switches > 0 {
            writeln!(f, "formulas switched {}, and steps ended there", many(self.stats.switches, "time"))?;
        }
        if let Some((name, t)) = &self.slid {
            let often = many(self.stats.slides, "time");
            writeln!(
                f,
                "{often} the motion slid along a surface where a formula switches, last from t = {}: {name}",
                short(*t)
            )?;
        }
        if self.stats.fallbacks > 0 {
            let count = many(self.stats.fallbacks, "factorisation");
            writeln!(f, "{count} of a sparse matrix made again with pivots from anywhere")?;
        }
        if rows.between + rows.landed + rows.coarse > 0 {
            let told: Vec<String> = [
                (rows.between, "between steps or at their ends, as accurate as these"),
                (rows.landed, "at which steps had to end: inside they would have been less accurate"),
                (rows.coarse, "between prescribed steps that do not resolve the motion, less accurate than these"),
            ]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, place)| format!("{} {place}", many(count, "row")))
            .collect();
            writeln!(f, "{}", told.join("; "))?;
        }
        if self.events > 0 {
            writeln!(f, "{} on the way", many(self.events as u64, "event"))?;
        }
        if !self.typical.v.is_empty() {
            writeln!(f, "{}", self.typical)?;
        }
        for LargestResidual { level, residual, constraint, t } in &self.residuals {
            writeln!(f, "largest residual of the {level} level: {residual:.1e} ({constraint} at t = {})", short(*t))?;
        }
        if let Some(derived) = &self.derived {
            writeln!(f, "{derived}")?;
        }
        match &self.energy {
            None => write!(f, "energy: the system does not say"),
            Some(balance) => {
                // Constraints that rub take energy out where drives put it in.
                let drives = if balance.drives < 0.0 { "taken out by drives and joints" } else { "put in by drives" };
                let now = balance.kinetic + balance.potential;
                write!(f, "energy: {:.6e} at the start, {now:.6e} now", balance.start)?;
                for (amount, what) in [
                    (balance.dissipated, "dissipated"),
                    (balance.given(), "put in by forces"),
                    (balance.taken, "taken out by forces"),
                    (balance.drives.abs(), drives),
                    (balance.events, "gained at events"),
                ] {
                    // Amounts that were never put in or taken out may show up here as rounding.
                    if amount.abs() > 1e-15 * balance.turnover {
                        write!(f, ", {amount:.3e} {what}")?;
                    }
                }
                write!(f, "; the balance is off by at most {:.1e} (t = {})", balance.largest, short(balance.largest_at))
            }
        }
    }
}

fn many(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
