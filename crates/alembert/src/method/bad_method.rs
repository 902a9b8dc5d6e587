//! Why a scheme cannot be used: what is wrong, what to do about it, and which parameter is to blame.

use std::fmt;

use super::Violation;
use crate::advice::{Advised, displayed};

/// A scheme that cannot be used, or not for this system.
#[derive(Clone, Debug, PartialEq)]
pub enum BadMethod {
    /// A Runge-Kutta tableau does not meet a condition of convergence.
    Tableau(Violation),
    /// The matrix of a Runge-Kutta tableau has no basis of eigenvectors.
    Defective,
    /// The controller needs an error estimate, and the method has none.
    NoEstimate {
        /// The method.
        method: &'static str,
    },
    /// A parameter is out of range.
    Parameter {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// Parameters that belong together are not all given, or beside others that take their place.
    Incomplete {
        /// The method.
        method: &'static str,
        /// The parameters that belong together.
        parameters: &'static [&'static str],
        /// What to give.
        hint: &'static str,
    },
    /// The method does not cover this kind of system.
    Unsuited {
        /// The method.
        method: &'static str,
        /// What the system has that the method cannot treat.
        because: &'static str,
        /// What to use instead.
        hint: &'static str,
    },
}

impl BadMethod {
    /// The parameter to blame, if there is one.
    pub fn parameter(&self) -> Option<&'static str> {
        match self {
            BadMethod::Parameter { name, .. } => Some(name),
            BadMethod::Incomplete { parameters, .. } => parameters.first().copied(),
            _ => None,
        }
    }
}

impl Advised for BadMethod {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadMethod::Tableau(violation) => write!(f, "{violation}"),
            BadMethod::Defective => {
                write!(f, "the matrix of the tableau has no basis of eigenvectors (an SDIRK method?)")
            }
            BadMethod::NoEstimate { method } => write!(f, "{method} as chosen has no error estimate"),
            BadMethod::Parameter { name, value, .. } => write!(f, "{name} = {value} is not allowed"),
            BadMethod::Incomplete { method, .. } => write!(f, "the coefficients of {method} are not complete"),
            BadMethod::Unsuited { method, because, .. } => {
                write!(f, "{method} cannot integrate this system: {because}")
            }
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            BadMethod::Tableau(Violation::Singular) => {
                "explicit methods cannot satisfy constraints; use Radau IIA".to_owned()
            }
            BadMethod::Tableau(_) => "use Radau IIA, or allow violations to see what becomes of it".to_owned(),
            BadMethod::Defective => "use Radau IIA".to_owned(),
            BadMethod::NoEstimate { .. } => "use fixed steps, or Radau IIA with an odd number of stages".to_owned(),
            BadMethod::Parameter { name, allowed, .. } => format!("{name} must be {allowed}"),
            BadMethod::Incomplete { hint, .. } | BadMethod::Unsuited { hint, .. } => (*hint).to_owned(),
        })
    }

    fn blame(&self) -> Option<String> {
        self.parameter().map(str::to_owned)
    }
}

displayed!(BadMethod);
