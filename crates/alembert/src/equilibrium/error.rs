//! Why there is no equilibrium.

use std::fmt;

use crate::advice::{Advised, displayed};
use crate::equations::NotFinite;
use crate::initial::InitialError;

/// Why no equilibrium was found.
#[derive(Clone, Debug, PartialEq)]
pub enum NoEquilibrium {
    /// No configuration meets the constraints.
    Start(InitialError),
    /// Rates of coordinates are formulas, along which there is no search.
    GeneralRate,
    /// There are states of first order, which are no part of the search.
    States,
    /// Constraints move, so that nothing can be at rest.
    Moving {
        /// A velocity that is not zero.
        name: String,
        /// Its value.
        rate: f64,
    },
    /// The search runs away: nothing holds the model.
    Runaway {
        /// Names and accelerations of what is not held, the largest first.
        accelerations: Vec<(String, f64)>,
    },
    /// The search ended elsewhere.
    NotFound {
        /// Names and accelerations that are left, the largest first.
        accelerations: Vec<(String, f64)>,
    },
    /// A function has no value on the way.
    Function(NotFinite),
    /// Constraints are dependent on the way.
    Singular,
}

impl From<NotFinite> for NoEquilibrium {
    fn from(error: NotFinite) -> Self {
        NoEquilibrium::Function(error)
    }
}

impl From<crate::linear::Singular> for NoEquilibrium {
    fn from(_: crate::linear::Singular) -> Self {
        NoEquilibrium::Singular
    }
}

fn list(accelerations: &[(String, f64)]) -> String {
    let told: Vec<String> = accelerations.iter().take(3).map(|(name, a)| format!("{name} ({a:.2e})")).collect();
    told.join(", ")
}

impl Advised for NoEquilibrium {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoEquilibrium::Start(error) => error.tell(f),
            NoEquilibrium::GeneralRate => {
                write!(f, "static equilibrium is not looked for where rates of coordinates are formulas")
            }
            NoEquilibrium::States => {
                write!(f, "static equilibrium is not looked for where there are states, discrete variables or inputs")
            }
            NoEquilibrium::Moving { name, rate } => {
                write!(f, "no static equilibrium: the constraints move {name} with {rate:.3e}")
            }
            NoEquilibrium::Runaway { accelerations } => {
                write!(
                    f,
                    "no static equilibrium: nothing holds the model, which goes on and on with accelerations of {}",
                    list(accelerations)
                )
            }
            NoEquilibrium::NotFound { accelerations } => {
                write!(
                    f,
                    "no static equilibrium found; where the search ended, accelerations are left of {}",
                    list(accelerations)
                )
            }
            NoEquilibrium::Function(error) => write!(f, "no static equilibrium found: {error}"),
            NoEquilibrium::Singular => {
                write!(f, "no static equilibrium found: constraints become dependent on the way to it")
            }
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            NoEquilibrium::Start(error) => error.hint(),
            NoEquilibrium::GeneralRate | NoEquilibrium::States => "give the start by its values".to_owned(),
            NoEquilibrium::Moving { .. } => {
                "start where drives are at rest, or give the start by its values".to_owned()
            }
            NoEquilibrium::Runaway { .. } => "hold it by a spring or a constraint".to_owned(),
            NoEquilibrium::NotFound { .. } | NoEquilibrium::Function(_) | NoEquilibrium::Singular => {
                "give a guess that is closer, and check that forces have no jumps".to_owned()
            }
        })
    }

    fn blame(&self) -> Option<String> {
        match self {
            NoEquilibrium::Start(error) => error.blame(),
            NoEquilibrium::Moving { name, .. } => Some(name.clone()),
            NoEquilibrium::Runaway { accelerations } | NoEquilibrium::NotFound { accelerations } => {
                accelerations.first().map(|(name, _)| name.clone())
            }
            _ => None,
        }
    }
}

displayed!(NoEquilibrium);
