//! Why there is no consistent start, and what to do about it.

use std::fmt;

use crate::advice::{Advised, show};
use crate::equations::NotFinite;
use crate::space::BadSpace;

/// Redundant constraints that a message tells; the error itself has all of them.
const TOLD: usize = 20;

/// Which constraints were being satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// g(t, q) = 0.
    Position,
    /// g_t + G q' = 0 and k(t, q, v) = 0.
    Velocity,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Position => "position",
            Level::Velocity => "velocity",
        })
    }
}

/// A constraint and what is left of it.
#[derive(Clone, Debug, PartialEq)]
pub struct RowResidual {
    /// Name of the constraint.
    pub name: String,
    /// Its value where the search ended.
    pub residual: f64,
}

/// A constraint whose derivative is a combination of those of others.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependence {
    /// The dependent constraint.
    pub row: String,
    /// The others with their coefficients; empty if the derivative of `row` vanishes.
    pub on: Vec<(String, f64)>,
    /// Whether the system asks for least squares in vain, because its multipliers act through a `reaction` of its own.
    pub in_vain: bool,
}

/// Why no consistent state was found. `Display` ends with a `hint:` line; [`hint`](Self::hint) is that line alone.
#[derive(Clone, Debug, PartialEq)]
pub enum InitialError {
    /// A vector of the guess or of the options has the wrong length.
    WrongLength {
        /// Which vector.
        vector: &'static str,
        /// What the dimensions of the system ask for.
        expected: usize,
        /// What was given.
        actual: usize,
    },
    /// An entry of the guess or of the options is not a finite number, or a weight is not positive.
    BadEntry {
        /// Which vector.
        vector: &'static str,
        /// Which entry of it.
        entry: usize,
        /// What was given.
        value: f64,
    },
    /// The rotations of the system do not fit its dimensions.
    Space(BadSpace),
    /// The quaternion of a rotation is zero or nearly so.
    NoDirection {
        /// Its first entry in `q`.
        entry: usize,
    },
    /// A fixed coordinate does not exist.
    NoSuchCoordinate {
        /// `fixed_q` or `fixed_v`.
        vector: &'static str,
        /// The index given.
        index: usize,
        /// Indices are below this number.
        count: usize,
    },
    /// A function of the system is not finite.
    Function(NotFinite),
    /// All constraints can be met, but some follow from others, so their multipliers are not determined.
    Redundant {
        /// The dependent constraints.
        rows: Vec<Dependence>,
    },
    /// Dependent constraints that cannot be met together.
    Contradictory {
        /// Positions or velocities.
        level: Level,
        /// The constraints involved.
        rows: Vec<RowResidual>,
    },
    /// The constraints are independent in general, but no point that meets them was found.
    Unreachable {
        /// Positions or velocities.
        level: Level,
        /// The constraints that are not met.
        rows: Vec<RowResidual>,
        /// The q (or v) with the smallest residuals found.
        closest: Vec<f64>,
    },
    /// The constraints cannot be met without moving a fixed coordinate.
    FixedTooMuch {
        /// Positions or velocities.
        level: Level,
        /// Names of the fixed coordinates.
        fixed: Vec<String>,
        /// The constraints that are not met.
        rows: Vec<RowResidual>,
    },
    /// A motion that the constraints allow has no inertia, so its acceleration is not determined.
    MasslessDirection {
        /// The coordinates that take part, with their share in the motion.
        coordinates: Vec<(String, f64)>,
    },
    /// Holonomic constraints that a general rate q' = U(t, q, v) keeps by itself, so that they need no multiplier.
    Kinematic {
        /// Their names.
        rows: Vec<String>,
    },
    /// Nonholonomic constraints that do not depend on velocities.
    WithoutVelocities {
        /// Their names.
        rows: Vec<String>,
    },
    /// The derivative of a constraint that is not met vanishes at the guess: nothing says in which direction to go.
    NoGradient {
        /// Positions or velocities.
        level: Level,
        /// Name of the constraint.
        row: String,
        /// Its value there.
        residual: f64,
    },
    /// The derivative of a constraint is not a finite number at the guess, although the constraint is.
    NoDerivative {
        /// Name of the constraint.
        row: String,
        /// With respect to what.
        by: String,
        /// At which time.
        t: f64,
    },
    /// Some motion has a negative kinetic energy.
    NegativeMass {
        /// The coordinates that take part, with their share in the motion.
        coordinates: Vec<(String, f64)>,
        /// Twice the kinetic energy of that motion, which is its mass.
        mass: f64,
    },
    /// The system states patterns that cannot be used.
    Patterns {
        /// Whether they have the sizes of the system; if so, it has a general rate.
        fits: bool,
    },
    /// A row of a pattern has some of the three columns of a rotation, but not all.
    OpenPattern {
        /// `top` or `rows`.
        matrix: &'static str,
        /// The row.
        row: usize,
        /// A column of the rotation that is there.
        column: usize,
    },
    /// Newton's method found no multipliers for a reaction nonlinear in them.
    MultipliersNotFound {
        /// Number of starts tried.
        starts: usize,
        /// Smallest relative residual reached; none if the equations were singular at every start.
        residual: Option<f64>,
    },
}

impl From<NotFinite> for InitialError {
    fn from(e: NotFinite) -> Self {
        InitialError::Function(e)
    }
}

impl std::error::Error for InitialError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            InitialError::Function(e) => Some(e),
            _ => None,
        }
    }
}

impl InitialError {
    /// What to try next.
    pub fn hint(&self) -> String {
        match self {
            InitialError::WrongLength { vector, expected, .. } => format!("give `{vector}` the length {expected}"),
            InitialError::BadEntry { vector: "weights", .. } => "weights are positive and finite".into(),
            InitialError::BadEntry { vector, .. } => format!("check how `{vector}` was computed"),
            InitialError::Space(bad) => bad.hint().into(),
            InitialError::NoDirection { .. } => "give a unit quaternion; (1, 0, 0, 0) is no rotation at all".into(),
            InitialError::NoSuchCoordinate { count: 0, .. } => "the system has no coordinates to fix".into(),
            InitialError::NoSuchCoordinate { count, .. } => format!("indices run from 0 to {}", count - 1),
            InitialError::Function(_) => "start from a configuration where every function can be evaluated".into(),
            InitialError::Redundant { rows } if rows.iter().all(|row| row.on.is_empty()) => {
                "start where its derivative does not vanish, or write it in another form: x = 0 and y = 0 instead of \
                 x^2 + y^2 = 0"
                    .into()
            }
            InitialError::Redundant { rows } if rows.iter().any(|row| row.in_vain) => {
                "remove the constraint that follows from the others: `Redundancy::LeastSquares` is for the reaction \
                 -G^T lambda - K^T psi, not for a reaction of your own"
                    .into()
            }
            InitialError::Kinematic { .. } => {
                "remove it, or accept it with `Redundancy::LeastSquares`".into()
            }
            InitialError::WithoutVelocities { .. } => "write it under holonomic".into(),
            InitialError::NoGradient { level: Level::Position, .. } => {
                "start elsewhere: at a distance of zero no direction is meant".into()
            }
            InitialError::NoGradient { .. } => "start with another velocity: from zero no direction is meant".into(),
            InitialError::NoDerivative { .. } => {
                "start elsewhere: a distance of zero has no direction; x^2 + y^2 - l^2 has a derivative everywhere".into()
            }
            InitialError::NegativeMass { .. } => {
                "correct the mass matrix, or say that it is meant with `allows_indefinite_mass`".into()
            }
            InitialError::Redundant { .. } => {
                "remove the constraint that follows from the others, or accept it with `Redundancy::LeastSquares` (not with a \
                 `reaction` of your own)"
                    .into()
            }
            InitialError::Contradictory { .. } => "remove or correct one of these constraints".into(),
            InitialError::Unreachable { level: Level::Position, .. } => {
                "check lengths and positions, or start from a guess closer to the intended configuration".into()
            }
            InitialError::Unreachable { .. } => "check the constraints, or start from another velocity".into(),
            InitialError::FixedTooMuch { fixed, .. } => format!("free one of {}", list(fixed)),
            InitialError::MasslessDirection { .. } => {
                "give these coordinates mass, or a constraint that determines them".into()
            }
            InitialError::Patterns { fits: false } => {
                "`top` must be v by v, `rows` constraints by v, see `Patterns::new`".into()
            }
            InitialError::Patterns { .. } => "state no patterns: matrices are then dense".into(),
            InitialError::OpenPattern { .. } => {
                "the columns of a rotation belong together: let `Patterns::closed` add what is missing".into()
            }
            InitialError::MultipliersNotFound { .. } => {
                "give multipliers near the solution in the guess, and check `reaction`".into()
            }
        }
    }
}

impl Advised for InitialError {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InitialError::WrongLength { vector, expected, actual } => {
                write!(f, "`{vector}` has length {actual} where the system needs {expected}")?;
            }
            InitialError::BadEntry { vector, entry, value } => write!(f, "entry {entry} of `{vector}` is {value}")?,
            InitialError::Space(bad) => write!(f, "{bad}")?,
            InitialError::NoDirection { entry } => {
                write!(f, "the quaternion in entries {entry} to {} of `q` has no direction", entry + 3)?;
            }
            InitialError::NoSuchCoordinate { vector, index, count } => {
                write!(f, "`{vector}` names coordinate {index} of {count}")?;
            }
            InitialError::Function(e) => write!(f, "{e}")?,
            InitialError::Redundant { rows } => {
                let told: Vec<String> = rows.iter().take(TOLD).map(Dependence::to_string).collect();
                write!(f, "redundant constraints: {}", told.join("; "))?;
                if rows.len() > TOLD {
                    write!(f, "; and {} more", rows.len() - TOLD)?;
                }
            }
            InitialError::Contradictory { level, rows } => {
                write!(f, "contradictory constraints at {level} level: {}", residuals(rows))?;
            }
            InitialError::Unreachable { level, rows, .. } => {
                write!(f, "no {level} found that meets the constraints; closest: {}", residuals(rows))?;
            }
            InitialError::FixedTooMuch { level, fixed, rows } => {
                write!(f, "fixing the {level} of {} leaves {}", list(fixed), residuals(rows))?;
            }
            InitialError::MasslessDirection { coordinates } => {
                let parts: Vec<String> = coordinates.iter().map(|(name, share)| format!("{share:.3} {name}")).collect();
                write!(f, "motion without inertia along {}", parts.join(", "))?;
            }
            InitialError::Kinematic { rows } => {
                write!(f, "{} follows from the kinematics: q' = U(t, q, v) keeps it by itself", list(rows))?;
            }
            InitialError::WithoutVelocities { rows } => {
                let (verb, so) = if rows.len() == 1 { ("does", "it is") } else { ("do", "they are") };
                write!(f, "{} {verb} not depend on velocities, so {so} not nonholonomic", list(rows))?;
            }
            InitialError::NoGradient { level, row, residual } => write!(
                f,
                "the derivative of {row} vanishes at the start, where it is {residual:.3e}: nothing says in which direction \
                 the {level} is to be moved"
            )?,
            InitialError::NoDerivative { row, by, t } => {
                write!(f, "the derivative of {row} with respect to {by} is not a finite number at the start, t = {t}")?;
            }
            InitialError::NegativeMass { coordinates, mass } => {
                let parts: Vec<String> = coordinates.iter().map(|(name, share)| format!("{share:.3} {name}")).collect();
                write!(f, "negative mass {mass:.3e} along {}", parts.join(", "))?;
            }
            InitialError::Patterns { fits: false } => write!(f, "the patterns do not have the sizes of the system")?,
            InitialError::Patterns { .. } => {
                write!(f, "patterns are not supported for systems with general kinematics")?;
            }
            InitialError::OpenPattern { matrix, row, column } => {
                write!(
                    f,
                    "row {row} of the pattern `{matrix}` has column {column}, but not all three of its rotation"
                )?;
            }
            InitialError::MultipliersNotFound { starts, residual: Some(residual) } => {
                write!(f, "no multipliers found from {starts} starts, smallest relative residual {residual:.1e}")?;
            }
            InitialError::MultipliersNotFound { starts, residual: None } => {
                write!(f, "the equations for the multipliers are singular at {starts} starts")?;
            }
        }
        Ok(())
    }

    fn hint(&self) -> Option<String> {
        Some(InitialError::hint(self))
    }

    fn blame(&self) -> Option<String> {
        match self {
            InitialError::Redundant { rows } => rows.first().map(|row| row.row.clone()),
            InitialError::Contradictory { rows, .. } | InitialError::Unreachable { rows, .. } => {
                rows.first().map(|row| row.name.clone())
            }
            InitialError::Kinematic { rows } | InitialError::WithoutVelocities { rows } => rows.first().cloned(),
            InitialError::NoGradient { row, .. } | InitialError::NoDerivative { row, .. } => Some(row.clone()),
            InitialError::MasslessDirection { coordinates } | InitialError::NegativeMass { coordinates, .. } => {
                coordinates.first().map(|(name, _)| name.clone())
            }
            InitialError::WrongLength { vector, .. } | InitialError::BadEntry { vector, .. } => {
                Some((*vector).to_owned())
            }
            _ => None,
        }
    }
}

impl fmt::Display for InitialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(self, f)
    }
}

impl fmt::Display for Dependence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.on.is_empty() {
            return write!(f, "the derivative of {} vanishes", self.row);
        }
        write!(f, "{} follows from", self.row)?;
        for (i, (name, coefficient)) in self.on.iter().enumerate() {
            let sign = match (coefficient.is_sign_negative(), i) {
                (true, 0) => "-",
                (true, _) => "- ",
                (false, 0) => "",
                (false, _) => "+ ",
            };
            // Six digits: the rest is the noise of differences.
            let size = (coefficient.abs() * 1e6).round() / 1e6;
            write!(f, " {sign}{} {name}", if size > 0.0 { size } else { coefficient.abs() })?;
        }
        Ok(())
    }
}

fn list(names: &[String]) -> String {
    names.join(", ")
}

fn residuals(rows: &[RowResidual]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("{} = {:.3e}", row.name, row.residual)).collect();
    rows.join(", ")
}
