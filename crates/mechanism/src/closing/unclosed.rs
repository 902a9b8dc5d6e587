//! A mechanism that does not close: which joints stay open, and why.

use std::error::Error;
use std::fmt;

use alembert::Advised;

use crate::analysis::{Blamed, directions, quoted};

/// Values that are told one by one.
const TOLD: usize = 10;

/// A mechanism that does not close.
#[derive(Clone, Debug, PartialEq)]
pub struct Unclosed {
    /// Joints with the gaps that are left in the best configuration found, in metres, the largest first. The search spreads a gap evenly
    /// over a loop.
    pub gaps: Vec<(String, f64)>,
    /// Why.
    pub cause: Cause,
}

/// Why a mechanism does not close.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// Values that the start holds contradict the loops: without any one of these, or without all, everything closes.
    Start(Vec<StartValue>),
    /// Speeds that the start holds cannot be had.
    Speeds {
        /// Which, with those that would be.
        values: Vec<StartValue>,
        /// Whether joints and drivers refuse each of them by itself. Otherwise they contradict each other: without any one of these, or
        /// without all but one, the others can be had.
        alone: bool,
    },
    /// A driver makes a rod shorter than nothing.
    Length {
        /// The rod.
        joint: String,
        /// How long it would be at the start.
        length: f64,
    },
    /// A loop that is over-constrained, and whose dimensions are not exact enough for that.
    Misfit {
        /// The joints of the loop.
        joints: Vec<String>,
        /// By how much it does not fit, in metres.
        gap: f64,
        /// The same relative to the size of the mechanism.
        share: f64,
        /// What would have to give way.
        cure: Vec<Blamed>,
    },
    /// Constraints that cannot hold at once: without those blamed everything closes.
    Contradiction {
        /// All that take part.
        joints: Vec<String>,
        /// Those that contradict the others.
        blamed: Vec<Blamed>,
    },
    /// A loop that is too short, or otherwise cannot reach.
    Unreachable {
        /// The joints of the loop.
        joints: Vec<String>,
        /// The joint that stays open where all others close.
        cut: String,
        /// By how much, in metres.
        gap: f64,
    },
}

/// A value or a speed that the start holds.
#[derive(Clone, Debug, PartialEq)]
pub struct StartValue {
    /// Of this joint.
    pub joint: String,
    /// Which of its coordinates.
    pub coordinate: &'static str,
    /// The value that was given.
    pub given: f64,
    /// The value that the loops allow, near to the drawing; the speed that the others make it.
    pub would_be: f64,
}

/// A joint of a loop that does not fit exactly, and what it gives way in.
#[derive(Clone, Debug, PartialEq)]
pub struct Absorbed {
    /// The joint, the directions in which it gives way, and what it is then.
    pub blamed: Blamed,
    /// By how much, at the start, in metres.
    pub gap: f64,
}

impl fmt::Display for Absorbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Blamed { joint, directions: along, .. } = &self.blamed;
        write!(f, "`{joint}` does not fit by {:.1e} m and gives way: {}", self.gap, cure(&self.blamed))?;
        write!(f, ", without reactions ({})", directions(along))
    }
}

/// `D` as point on line.
fn cure(blamed: &Blamed) -> String {
    match blamed.instead {
        Some(kind) => format!("`{}` as {kind}", blamed.joint),
        None => format!("`{}` without {}", blamed.joint, directions(&blamed.directions)),
    }
}

fn cures(all: &[Blamed]) -> String {
    all.iter().map(cure).collect::<Vec<_>>().join(", ")
}

impl Advised for Unclosed {
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Start(values) => {
                f.write_str("start values contradict the loops:")?;
                tell_values(values, "", f)
            }
            Cause::Speeds { values, alone } => {
                f.write_str(match alone {
                    true => "joints and drivers do not allow speeds of the start:",
                    false => "speeds of the start contradict each other:",
                })?;
                tell_values(values, "'", f)
            }
            Cause::Length { joint, length } => {
                write!(f, "the driven length of `{joint}` is {} at the start, and must be positive", short(*length))
            }
            Cause::Misfit { joints, gap, share, .. } => write!(
                f,
                "the loop {} does not close by {gap:.1e} m ({share:.0e} of its size): it is over-constrained and needs exact dimensions",
                quoted(joints)
            ),
            Cause::Contradiction { joints, blamed } => {
                write!(f, "the joints do not close: {} contradict each other", quoted(joints))?;
                write!(f, ", without {} everything closes", cures_gone(blamed))
            }
            Cause::Unreachable { joints, cut, gap } => {
                write!(
                    f,
                    "the loop {} does not close: with the others closed, `{cut}` stays open by {gap:.3e} m",
                    quoted(joints)
                )
            }
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match &self.cause {
            Cause::Start(_) => "leave one of these values out, or take the one it would have".to_owned(),
            Cause::Speeds { alone: true, .. } => "leave them out, or take the speeds that are left to them".to_owned(),
            Cause::Speeds { .. } => "leave one of these speeds out, or take the one it would have".to_owned(),
            Cause::Length { .. } => {
                "a length is that of the whole rod from end to end, not what is added to it".to_owned()
            }
            Cause::Misfit { cure, .. } => format!(
                "give its dimensions with more digits, or take {}; where redundant constraints are accepted, a misfit below 1e-4 of the size is absorbed",
                cures(cure)
            ),
            Cause::Contradiction { .. } => "look at their lengths, markers and axes (an `axis` is in the axes of each body), and leave out what is there twice"
                .to_owned(),
            Cause::Unreachable { .. } => {
                "look at the lengths of the bodies and at the markers of these joints, or draw the bodies nearer to where they belong".to_owned()
            }
        })
    }

    fn blame(&self) -> Option<String> {
        match &self.cause {
            Cause::Start(values) | Cause::Speeds { values, .. } => values.first().map(|value| value.joint.clone()),
            Cause::Misfit { cure: blamed, .. } | Cause::Contradiction { blamed, .. } => {
                blamed.first().map(|blamed| blamed.joint.clone())
            }
            Cause::Unreachable { cut: joint, .. } | Cause::Length { joint, .. } => Some(joint.clone()),
        }
    }
}

/// Values with what they would be, the first of many.
fn tell_values(values: &[StartValue], rate: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (at, StartValue { joint, coordinate, given, would_be }) in values.iter().take(TOLD).enumerate() {
        let comma = if at > 0 { "," } else { "" };
        // Values that differ in later digits only are told with all of them.
        let would_be = if short(*given) == short(*would_be) { would_be.to_string() } else { short(*would_be) };
        write!(f, "{comma} {coordinate}{rate} of `{joint}` is {given}, and would be {would_be}")?;
    }
    match values.len().checked_sub(TOLD + 1) {
        Some(more) => write!(f, ", and {} more", more + 1),
        None => Ok(()),
    }
}

/// A number to six digits behind the point, or to six digits where that would hide what it is.
fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() || (1e-3..1e6).contains(&x.abs()) {
        let text = format!("{x:.6}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    format!("{x:.5e}")
}

/// `r2` (length).
fn cures_gone(all: &[Blamed]) -> String {
    let each = all.iter().map(|blamed| format!("`{}` ({})", blamed.joint, directions(&blamed.directions)));
    each.collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Unclosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tell(f)?;
        self.hint().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

impl Error for Unclosed {}
