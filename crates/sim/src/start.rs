//! Where a run begins: from what a file says to a consistent state, and what was done to get there.

use alembert::equilibrium::{Equilibrium, NoEquilibrium, Stability, equilibrium};
use alembert::initial::{InitialError, Level, Move, Options, Report, consistent_with, moves};
use alembert::verdict::{Warning, far_start};
use alembert::{Advised, ConsistentState};
use alembert_mechanism::Blamed;
use alembert_model::Model;
use serde_json::{Value, json};

use crate::failure::Failure;

/// Values that are told one by one.
const TOLD: usize = 10;
/// Those that machines are told.
const LISTED: usize = 1000;

/// Speeds that several joints are given need not agree better.
const LOST: f64 = 1e-5;
/// Beside the largest velocity this is none.
const ROUNDING: f64 = 1e-10;

/// What was done to a start.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// Residuals, lengths and ranks.
    pub report: Report,
    /// The given values that were moved, those of coordinates first.
    pub moves: Vec<Move>,
    /// Velocities that bodies were given roughly, and that joints and drivers made something else.
    pub rough: Vec<Move>,
    /// Whether velocities that the file does not give were moved.
    pub follows: bool,
    /// The time.
    pub t: f64,
    /// How it rests, if it was asked to.
    pub rest: Option<Rest>,
}

/// A start in static equilibrium.
#[derive(Clone, Debug)]
pub struct Rest {
    /// Steps of the search.
    pub iterations: usize,
    /// What becomes of it when it is pushed.
    pub stability: Stability,
}

/// Why there is no start.
#[derive(Debug)]
pub enum NoStart {
    /// None is consistent; what to do about it, where joints say it better.
    Initial(InitialError, Option<String>),
    /// There is no equilibrium.
    Equilibrium(NoEquilibrium),
}

impl NoStart {
    /// The same in words.
    pub fn failure(&self) -> Failure {
        match self {
            NoStart::Initial(error, _) => {
                let told = Failure::of(error);
                Failure { message: format!("no consistent start: {}", told.message), hint: self.hint(), ..told }
            }
            NoStart::Equilibrium(error) => Failure::of(error),
        }
    }

    /// What happened, without the hint.
    pub fn message(&self) -> String {
        match self {
            NoStart::Initial(error, _) => error.message(),
            NoStart::Equilibrium(error) => error.message(),
        }
    }

    /// What to do about it, in the words of model files.
    pub fn hint(&self) -> Option<String> {
        match self {
            NoStart::Initial(error, of_joints) => Some(of_joints.clone().unwrap_or_else(|| hint(error))),
            NoStart::Equilibrium(error) => error.hint(),
        }
    }
}

/// What to do about a start that is refused, in the words of model files.
pub fn hint(error: &InitialError) -> String {
    match error {
        InitialError::Redundant { rows } if rows.iter().any(|row| !row.on.is_empty() && !row.in_vain) => {
            "remove the constraint that follows from the others, or accept it with redundant = \"least squares\" under [equations]".to_owned()
        }
        InitialError::Kinematic { .. } => {
            "remove it, or accept it with redundant = \"least squares\" under [equations]".to_owned()
        }
        InitialError::NegativeMass { .. } => {
            "correct the mass, or say that it is meant with indefinite_mass = true under [equations]".to_owned()
        }
        InitialError::FixedTooMuch { fixed, .. } => {
            format!("leave one of {} out of `fixed` under [start], or correct its value", fixed.join(", "))
        }
        other => other.hint(),
    }
}

/// A start that is refused; of redundant constraints with the joints that could have fewer.
fn refused(model: &Model, error: InitialError) -> NoStart {
    let InitialError::Redundant { rows } = &error else { return NoStart::Initial(error, None) };
    let Some(mechanism) = model.system.mechanism().filter(|_| rows.iter().all(|row| !row.in_vain)) else {
        return NoStart::Initial(error, None);
    };
    let blamed: Vec<Blamed> =
        mechanism.diagnose().redundancies.into_iter().flat_map(|redundant| redundant.blamed).collect();
    if blamed.is_empty() {
        // What follows from others is a formula of the file.
        return NoStart::Initial(error, None);
    }
    let instead = |Blamed { joint, directions, instead, .. }: &Blamed| match instead {
        Some(kind) => format!("`{joint}` as {kind}"),
        None => format!("`{joint}` without {}", directions.join(", ")),
    };
    let joints: Vec<String> = blamed.iter().map(instead).collect();
    let hint = format!(
        "take {}, or leave out redundant = \"refused\" at the top of the file: joints that hold what others hold already are accepted then",
        joints.join(", ")
    );
    NoStart::Initial(error, Some(hint))
}

/// What the repair of a start changed of what the kinematics would have kept, if it changed anything.
pub fn beyond(report: &Report) -> Option<String> {
    (report.beyond_kinematics > 1e-12).then(|| {
        format!(
            "moved by {:.2e} in directions that the rates of the coordinates do not reach: what they keep, such as the length \
             of a quaternion, has changed",
            report.beyond_kinematics
        )
    })
}

/// The consistent start of a model, or why there is none.
///
/// # Errors
/// If there is none.
pub fn attempt(model: &Model) -> Result<(ConsistentState, Beginning), NoStart> {
    let (system, guess) = (&model.system, &model.guess);
    let (state, report, rest) = if model.start.equilibrium {
        let found = equilibrium(system, guess).map_err(|error| match error {
            NoEquilibrium::Start(error) => refused(model, error),
            other => NoStart::Equilibrium(other),
        })?;
        let Equilibrium { state, report, iterations, stability } = found;
        (state, report, Some(Rest { iterations, stability }))
    } else {
        let (fixed_q, fixed_v) = (model.start.fixed_q.clone(), model.start.fixed_v.clone());
        let options = Options { fixed_q, fixed_v, ..Options::default() };
        let (state, report) = consistent_with(system, guess, &options).map_err(|error| refused(model, error))?;
        (state, report, None)
    };
    let is_given = |moved: &Move| match moved.level {
        Level::Position => true,
        Level::Velocity => model.start.given_v.get(moved.index).copied().unwrap_or(true),
    };
    let (mut told, follows): (Vec<Move>, Vec<Move>) = moves(system, guess, &state).into_iter().partition(is_given);
    // Closing has moved the velocities of bodies already, where the speed of a joint is held.
    let mut drawn = guess.clone();
    let rough = &model.start.rough_v;
    drawn.v.iter_mut().zip(rough).for_each(|(v, rough)| *v = rough.unwrap_or(*v));
    let is_rough = |moved: &Move| {
        moved.level == Level::Velocity && rough.get(moved.index).is_some_and(Option::is_some) && !is_given(moved)
    };
    let rough: Vec<Move> = match rest {
        Some(_) => Vec::new(),
        None => moves(system, &drawn, &state).into_iter().filter(is_rough).collect(),
    };
    let follows = follows.iter().any(|moved| !is_rough(moved));
    told.extend(lost(model, &state));
    let t = state.t;
    Ok((state, Beginning { report, moves: told, rough, follows, t, rest }))
}

/// Speeds of joints that closing has held, and that formulas of the file, which it does not know, have moved nevertheless.
fn lost(model: &Model, state: &ConsistentState) -> Vec<Move> {
    let Some(mechanism) = model.system.mechanism() else { return Vec::new() };
    let still = ROUNDING * state.v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
    let speeds = model.start.held_speeds.iter().filter_map(|(id, name, given)| {
        let (_, now) = mechanism.coordinate(*id, state.t, &state.q, &state.v)?;
        let (change, size) = ((now - given).abs(), given.abs().max(now.abs()));
        let (level, index, share, name) = (Level::Velocity, usize::MAX, change / size, name.clone());
        (change > still.max(LOST * size)).then_some(Move { level, index, name, given: *given, now, share, turn: false })
    });
    speeds.collect()
}

/// The consistent start of a model.
///
/// # Errors
/// If there is none.
pub fn start(model: &Model) -> Result<(ConsistentState, Beginning), Failure> {
    attempt(model).map_err(|error| error.failure())
}

impl Beginning {
    /// Warnings about values that were moved far. What an equilibrium is looked for from is a rough guess.
    pub fn warnings(&self) -> Vec<Warning> {
        if self.rest.is_some() { Vec::new() } else { far_start(&self.moves, self.t) }
    }

    /// One line for each given value that was moved; of many those that were moved most.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let all: Vec<&Move> = self.moves.iter().chain(&self.rough).collect();
        if let Some(Rest { iterations, stability }) = &self.rest {
            lines.push(format!("starts in static equilibrium, found in {iterations} steps: {stability}"));
        }
        let mut most: Vec<usize> = (0..all.len()).collect();
        most.sort_by(|a, b| all[*b].share.total_cmp(&all[*a].share));
        most.truncate(TOLD);
        most.sort_unstable();
        for moved in most.iter().map(|k| all[*k]) {
            let Move { name, given, now, .. } = moved;
            let change = now - given;
            if moved.turn {
                lines.push(format!("start: {name}: turned by {change:+.2e} rad"));
                continue;
            }
            lines.push(format!(
                "start: {name} was given as {} and moved to {}, by {change:+.2e}",
                digits(*given),
                digits(*now)
            ));
        }
        if all.len() > TOLD {
            lines.push(format!("start: {} more values were moved, see `alembert init`", all.len() - TOLD));
        }
        if self.follows {
            lines.push(
                "start: velocities that are not given follow from the constraints, see `alembert init`".to_owned(),
            );
        }
        lines.extend(beyond(&self.report).map(|words| format!("the start was {words}")));
        lines
    }

    /// For machines.
    pub fn json(&self) -> Value {
        let start = &self.report;
        let moved = |moved: &Move| json!({ "variable": moved.name, "given": moved.given, "now": moved.now, "share": moved.share });
        let mut told = json!({
            "position_residual_given": start.positions.residual_before,
            "position_moved": start.positions.moved,
            "velocity_residual_given": start.velocities.residual_before,
            "velocity_moved": start.velocities.moved,
            "moved_beyond_kinematics": start.beyond_kinematics,
            "redundant": start.redundant.iter().map(|row| &row.row).collect::<Vec<_>>(),
            "position_residual": start.positions.residual_after,
            "velocity_residual": start.velocities.residual_after,
            "moved": self.moves.iter().chain(&self.rough).take(LISTED).map(moved).collect::<Vec<_>>(),
            "moved_count": self.moves.len() + self.rough.len(),
        });
        if let Some(Rest { iterations, stability }) = &self.rest {
            told["equilibrium"] =
                json!({ "steps": iterations, "stability": stability.name(), "words": stability.to_string() });
        }
        told
    }
}

/// A number as a person would write it, to six digits.
pub fn digits(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    if !(1e-4..1e6).contains(&size) {
        let text = format!("{x:.5e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let behind = (5 - size.log10().floor() as i32).clamp(0, 9) as usize;
    trimmed(&format!("{x:.behind$}")).to_owned()
}

/// Without zeros at the end.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn numbers_are_short() {
        for (x, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-0.25, "-0.25"),
            (1.0 / 3.0, "0.333333"),
            (123456.7, "123457"),
            (1.5e-9, "1.5e-9"),
            (-2.0e12, "-2e12"),
            (100.0, "100"),
        ] {
            assert_eq!(digits(x), text);
        }
    }
}
